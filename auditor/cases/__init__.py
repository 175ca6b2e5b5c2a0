"""Audit cases: how each catalogued algorithm is audited, one module per family."""
