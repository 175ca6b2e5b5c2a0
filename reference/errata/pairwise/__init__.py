"""Errata of the algorithms of ``reference.pairwise``."""
