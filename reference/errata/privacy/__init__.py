"""Errata of ``reference.privacy``."""
