"""Errata of the algorithms of ``reference.heavy_tailed``."""
