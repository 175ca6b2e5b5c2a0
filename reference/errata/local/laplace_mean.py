"""Errata in the sources of diss-5.1.30 (Algorithm 5.1.30)."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-5.1.30/E1",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Lemma 5.1.12: P(|sum of n Lap(1/epsilon)| >= t) <= "
        "2 exp(-epsilon^2 t^2/(4n)) for 0 <= t < 2n/epsilon; hence Lemma 5.1.1",
        truth="2 exp(-0.188714 epsilon^2 t^2/n): Laplace tails are heavier than their "
        "variance's; Lemma 5.1.1 needs 2.302 b and n >= 1.3248 log(2/beta)",
        witness="epsilon=1, t=1.99n: n=20 exact 3.245e-8 against 5.032e-9; Lemma 5.1.1 at "
        "n=20, beta=6.15e-9 fails with probability 3.70e-8",
        reproduced_by="proofs:004 Lemma 5.1.12",
    ),
)
