"""Principal components, covariance and precision matrices (Wang (2020), chapter 6)."""
