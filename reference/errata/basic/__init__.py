"""Errata of the mechanisms of ``reference.basic``."""
