"""The numbered statements of the papers, each checked as rigorously as it can be."""
