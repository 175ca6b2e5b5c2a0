"""Errata of the algorithms of ``reference.matrices``."""
