"""Tests and bounds that are valid at the sample size at hand."""
