"""Errata in the sources of diss-5.2.39 (Algorithm 5.2.39)."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="diss-5.2.39/E1",
        severity="S2",
        kind="experiment",
        origin="unclear",
        statement="Figure 5.1: for x_ij = +-1/p, p=10, n up to 2.9e5, delta=1/n, epsilon from 2 to "
        "10, the squared relative error falls like 1/n and 1/epsilon^2",
        truth="with r=1, the radius in l1, the noisy X^T X is indefinite and the output has no "
        "trend in n; with r = 1/sqrt p, the radius in l2, there is one at epsilon=10, at errors "
        "above 3",
        witness="n=2.9e5, epsilon=10: the smallest eigenvalue of X^T X is 2900, noise of scale "
        "2.07 sqrt n has norm about 7,000; indefinite in 200 of 200 runs at every epsilon",
        reproduced_by="test:test_the_noisy_matrix_of_the_experiments_is_indefinite",
        elsewhere="Figure 5.2 and the words of l.5838 say the same",
    ),
    Erratum(
        name="diss-5.2.39/E9",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="step 9: Newton's method sums over j = n+1..n+m+1, with 1/m in front",
        truth="over j = n+1..n+m, as step 7 has it; there is no row n+m+1",
        witness="Phi'' = 1, m = 1: c = 1/2 in place of 1",
        reproduced_by="test:test_the_printed_sums_have_one_row_too_many",
        elsewhere="n+m in the input (l.5682), in step 7 (l.5690) and in l.5670; n+m+1 again in "
        "Algorithm 5.2.40 (l.5807) and in l.5774",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-5.2.39/E7",
        "2n exceeds the 581,012 rows of Covertype for n >= 300,000, but the text does not say "
        "where the public rows come from.",
    ),
)
