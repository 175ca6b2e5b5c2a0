"""The numbered statements of the seeds, each checked as rigorously as it can be."""
