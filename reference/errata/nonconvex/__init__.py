"""Errata of the algorithms of ``reference.nonconvex``."""
