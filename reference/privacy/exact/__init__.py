"""Exact samplers: releases whose law is that of real numbers, not of doubles.

A release is R(v + X): the value v, ideal real noise X, and R, which rounds to a public grid. R
sees the sum alone, so it is post-processing, and what is proved of real noise holds as it is. A
draw is a function of uniform real numbers whose binary digits are drawn when they are needed
(:mod:`~reference.privacy.exact.lazy`). The first 64 digits and doubles decide nearly all roundings;
where the error of the doubles could change the result, integer arithmetic and further digits do.

===================  ====================================================================
sources              random bytes: the system's, or known ones for tests
specification        the discrete samplers of Canonne, Kamath and Steinke, in plain integers
intervals            logarithms, exponentials, roots and cosines with certain bounds
lazy                 uniform numbers with digits on demand, and decisions about them
noise                Laplace and normal numbers, and the roundings R
choices              coins, selections, points of an interval, subsamples
wishart              Wishart matrices
releases             what each mechanism of the ledger releases
===================  ====================================================================

:class:`~reference.privacy.ledger.ExactLedger` is the ledger that releases so. The samplers do not
hide how long they take, and do not wipe memory.
"""
