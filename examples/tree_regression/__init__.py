"""Linear regression by tree-aggregated gradients: DP-FTRL, in one pass over the records.

==================  =====================================================================
algorithm.py        the algorithm, its constants, and ``ENTRY``: what it claims
printed.py          a version with too few nodes on a path: ``ERRATA``, ``FORMS``
cases.py            how it is audited: ``ENTRIES``, ``CASES``
test_algorithm.py   tests of the algorithm itself
==================  =====================================================================
"""
