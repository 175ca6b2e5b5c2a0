"""Errata of statements of the dissertation's chapter 4 that belong to no algorithm."""

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
        "probability above 1/2. It looks inherited from Theorem 5.2 of Bassily et al. (2014), "
        "which is cited",
        witness="d=n=1, epsilon=1: randomised response errs at all with probability .269",
        reproduced_by="proofs:004 Theorem 4.2.12",
    ),
    Erratum(
        name="004 Lemma 4.3.11/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Lemma 4.3.11 (l.4416): x ~ N(0, sigma^2 I_p) has ||x||_2 <= sqrt(2p) sigma "
        "log(1/zeta) with probability 1 - zeta, for every zeta in (0, 1)",
        truth="sigma (sqrt(p) + sqrt(2 log(1/zeta))); the printed bound tends to 0 as zeta tends "
        "to 1, and holds for small zeta, for which alone it is used",
        witness="p = 2, zeta = 0.8: exceeded with probability 0.905",
        reproduced_by="proofs:004 Lemma 4.3.11",
    ),
    Erratum(
        name="004 (4.47)/E1",
        severity="S2",
        kind="utility",
        origin="misprint",
        statement="Theorem 4.2.13 (l.3621): (4.47) for gamma = O(sqrt((||C||_2^2 + G_C^2) "
        "ln(1/delta))/(||C||_2 sqrt(n epsilon)))",
        truth="the fourth root of (||C||_2^2 + G_C^2) ln(1/delta); with the square root the term "
        "gamma ||C||_2^2 is that fourth root times the bound",
        witness="||C||_2 = 2, G_C = 10, delta = 1e-5: 5.9 times the bound; 18 at G_C = 100",
        reproduced_by="proofs:004 (4.47)",
        elsewhere="Theorem 4.1.4 (l.2799), the same algorithm, and Theorem 4.2.5 (l.3313) have the "
        "fourth root",
        sign="root",
    ),
)
