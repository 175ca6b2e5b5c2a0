"""Errata of the algorithms of ``reference.local``."""
