"""What chapter 3 of Wang (2020) states that does not hold and belongs to no algorithm here."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="004 Lemma 3.2.3/E1",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="(3.79): |x^ - E x| <= O(sqrt(v log(1/d')/n)) with probability 1 - d'",
        truth="log(2/d'), as two sides fail; the same but for the constant unless d' is near 1",
        witness="three fair signs, d' = 1 - 1e-9: every sample is off by 1000 times the bound and "
        "more",
        reproduced_by="proofs:004 Lemma 3.2.3",
    ),
)
