"""How the pairwise family (Wang (2020), section 3.3) is audited."""
