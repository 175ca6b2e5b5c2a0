"""Principal components, covariance and precision matrices (dissertation chapter 6)."""
