"""Errata in the sources of diss-6.3.51-L."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-6.3.51-L/E1",
        severity="S2",
        kind="experiment",
        origin="mathematical",
        statement="Table 6.4: relative errors of the minimiser of (6.83) with Laplace noise on S",
        truth="there is no minimiser: S + N is not positive semidefinite and the objective is "
        "unbounded below; a projection on the positive semidefinite cone mends it",
        witness="d=400, n=600, epsilon=1.5, rho=.001, rows of norm 1: the objective falls with "
        "slope 48 or more along the last eigenvector of N",
        reproduced_by="proofs:004 Section 6.3.6, Laplace noise",
    ),
)
