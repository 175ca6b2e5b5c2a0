"""Errata of the papers, one file per algorithm, of the same name as the algorithm's."""
