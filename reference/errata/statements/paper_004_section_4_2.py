"""What Wang (2020), section 4.2, prints of a lower bound that does not hold."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="004 Theorem 4.2.12/E1",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Theorem 4.2.12: every epsilon-DP algorithm errs by Omega(min{1, d/(n epsilon)}) "
        "with probability at least 1/2 on some data",
        truth="for d >= 2 and epsilon <= .15 d, by (r/16) min{1, d/(10 n epsilon)}; in one "
        "dimension, or for epsilon beyond the order of d, an algorithm can be exact with "
        "probability above 1/2",
        witness="d=n=1, epsilon=1: randomised response errs at all with probability .269",
        reproduced_by="proofs:004 Theorem 4.2.12",
    ),
)
