"""Plain reference implementations of differentially private algorithms.

Every algorithm touches private data freely and releases it only through one object, the
:class:`~reference.privacy.ledger.Ledger`. Start at :mod:`reference.catalogue`.
"""
