"""Sparse estimation: hard thresholding and peeling (seeds 002, 003, dissertation 5.3)."""
