"""Errata of the algorithms of ``reference.em``."""
