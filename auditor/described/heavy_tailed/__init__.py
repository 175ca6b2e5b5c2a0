"""Audits of the heavy-tailed family, one file per algorithm."""
