"""Crowdsourced labels (dissertation 7.1)."""
