"""Errata of statements that belong to no algorithm of the catalogue."""
