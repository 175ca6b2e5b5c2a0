"""Errata in what Wang (2020) prints of private majority voting (diss-7.1.majority)."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-7.1.majority/E1",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="Lemma 7.1.4, (7.35): sup_t |F_n(t) - Phi(t)| <= c E|X_1|^3/(sigma sqrt n); "
        "(7.36) has 1/(16 sqrt N) for a symmetric binomial",
        truth="sigma^3, and .4748/sqrt N for a symmetric binomial; it still vanishes as n grows",
        witness="1000 fair bits: distance .0126 against .0038, and .0020 by (7.36)",
        reproduced_by="proofs:004 Lemma 7.1.4",
        elsewhere="Nowhere else; (7.36) and (7.37), l.9361 and l.9369, go on with 1/16, where "
        "sigma^3 would give c",
    ),
    Erratum(
        name="diss-7.1.majority/E2",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="proof of Theorem 7.1.4: Theorem 7.1.2 bounds the error of Algorithm 7.1.54 with "
        "n^delta experts, delta < 1/2",
        truth="its proof needs v^ >= 16 log(1/lambda) sqrt(log m/n), that is delta > 1/2; so the "
        "second inequality of (7.19) is not proved, whatever the initial vector",
        witness="epsilon=2, delta=.4, n=m=1e6, lambda=1/8: v^ = 1.46e-4, needed .124",
        reproduced_by="proofs:004 Theorem 7.1.4, use of Theorem 7.1.2",
    ),
    Erratum(
        name="diss-7.1.majority/E3",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Theorem 7.1.4: the error of Algorithm 7.1.54 is at most "
        "2 exp(-tanh(epsilon/2)^2 n^delta/2)",
        truth="only from an initial vector near the truth, (7.14), which Theorem 7.1.4 does not "
        "ask for and majority voting does not have",
        witness="y^(0) = 1 - y*, n=400, m=4000, epsilon=2, 20 experts: error .99975 against .0061",
        reproduced_by="proofs:004 Theorem 7.1.4",
    ),
)
