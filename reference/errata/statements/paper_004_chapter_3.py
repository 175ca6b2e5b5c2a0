"""Errata of Wang (2020), chapter 3, that belong to no algorithm here."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="004 Lemma 3.2.3/E1",
        severity="S4",
        kind="utility",
        origin="mathematical",
        statement="(3.79): |x^ - E x| <= O(sqrt(v log(1/d')/n)) with probability 1 - d'",
        truth="log(2/d'), as two sides fail; the same but for the constant unless d' is near 1",
        witness="three fair signs, d' = 1 - 1e-9: every sample is off by 1000 times the bound and "
        "more",
        reproduced_by="proofs:004 Lemma 3.2.3",
    ),
    Erratum(
        name="004 (3.138)/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(3.138): (1/n) sum_{t<=n} 8G/(alpha t) <= 8G log(n)/(n alpha)",
        truth="1 + 1/2 + ... + 1/n is above log n; the sensitivity is as printed all the same, as "
        "the first T_1 >= 7 points do not move and the sum from T_1 + 1 on is at most log(n/T_1)",
        witness="n = 10, 100, 1000: 2.93, 5.19, 7.49 against 2.30, 4.61, 6.91",
        reproduced_by="proofs:004 (3.138)",
    ),
)
