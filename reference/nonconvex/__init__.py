"""Empirical risk minimisation with non-convex losses (Wang (2020), chapter 4)."""
