"""Errata of the algorithms of ``reference.convex``."""
