"""Convex empirical risk minimisation (dissertation 3.1)."""
