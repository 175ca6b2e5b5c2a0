"""The crowdsourcing family (Wang (2020), section 7.1): audit and settings."""
