"""Crowdsourced labels (Wang (2020), section 7.1)."""
