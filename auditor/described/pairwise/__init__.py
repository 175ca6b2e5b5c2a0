"""The pairwise family (Wang (2020), section 3.3): audit and settings."""
