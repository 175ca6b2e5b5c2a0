"""Errata of statements of the dissertation's chapter 4 that belong to no algorithm."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="004 Lemma 4.3.11/E1",
        severity="S3",
        kind="proof",
        origin="mathematical",
        statement="Lemma 4.3.11 (l.4416): x ~ N(0, sigma^2 I_p) has ||x||_2 <= sqrt(2p) sigma "
        "log(1/zeta) with probability 1 - zeta, for every zeta in (0, 1)",
        truth="sigma (sqrt(p) + sqrt(2 log(1/zeta))); the printed bound tends to 0 as zeta tends "
        "to 1, and holds for small zeta",
        witness="p = 2, zeta = 0.8: exceeded with probability 0.905",
        reproduced_by="proofs:004 Lemma 4.3.11",
    ),
)
