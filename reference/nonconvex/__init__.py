"""Empirical risk minimisation with non-convex losses (dissertation chapter 4)."""
