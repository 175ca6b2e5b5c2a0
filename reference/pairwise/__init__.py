"""Online learning from pairs of records (Wang (2020), section 3.3)."""
