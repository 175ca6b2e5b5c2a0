"""Errata of the algorithms of ``reference.crowdsourcing``."""
