"""Convex empirical risk minimisation (Wang (2020), section 3.1)."""
