"""Errata of the algorithms of ``reference.sparse``."""
