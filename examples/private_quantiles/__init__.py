"""A quantile by the exponential mechanism, with the exact widths of the gaps between records.

An algorithm that none of Touchstone's papers has, audited as theirs are. It uses what anybody
has: the names of :mod:`auditor`, and the ledger of :mod:`reference.privacy`.

========================  ==============================================================
``algorithm.py``          the right form, :func:`~.algorithm.private_quantile`, and its entry
``printed.py``            the mistake that is made of it: gaps chosen whatever their width
``cases.py``              how it is audited: ``ENTRIES``, ``CASES``
``test_algorithm.py``     hand-computed cases, bad input, the noiseless limit
========================  ==============================================================
"""
