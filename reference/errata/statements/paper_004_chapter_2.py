"""Errata of Wang (2020), chapter 2, that belong to no algorithm here."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="diss-2.subsampling/E1",
        severity="S2",
        kind="accounting",
        origin="mathematical",
        statement="Lemma 2.1.2: an (epsilon, delta)-DP algorithm on a uniform gamma n-subsample is "
        "(2 gamma epsilon, delta)-DP, for every epsilon",
        truth="(log(1 + gamma (e^epsilon - 1)), gamma delta), which is at most 2 gamma epsilon for "
        "epsilon <= 1; for small gamma and epsilon > 1.2564 it is more",
        witness="epsilon = 3, gamma = 0.01, attained by one record drawn of 100: 0.1747 against "
        "0.06",
        reproduced_by="proofs:004 Lemma 2.1.2",
    ),
    Erratum(
        name="diss-2.zcdp/E1",
        severity="S2",
        kind="misprint",
        origin="misprint",
        statement="Lemma 2.1.9: q(D) + N(0, sigma^2 I) is Delta_2/(2 sigma^2)-zCDP",
        truth="Delta_2^2/(2 sigma^2), by which section 3.3 goes",
        witness="Delta_2 = 2, sigma = 1: the divergence of order a is 2 a, and Delta_2/(2 sigma^2) "
        "is 1",
        reproduced_by="proofs:004 Lemma 2.1.9",
        elsewhere="Delta_2^2 in Lemma 7.2.19, l.9976, and in Wang et al. (2020), l.632",
        sign="exponent",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-2.moments-accountant-lemma/E1",
        "Lemma 2.1.6 is Lemma 2.1.5 with another delta': true, though it saves nothing.",
    ),
)
