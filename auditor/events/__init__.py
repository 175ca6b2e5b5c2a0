"""Events that tell two data sets apart: thresholds, learned scores, floating-point grids."""
