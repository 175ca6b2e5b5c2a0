"""What the papers print that does not hold, beside the algorithm of the same file name."""
