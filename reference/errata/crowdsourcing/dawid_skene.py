"""Errata in the sources of diss-7.1.54 (Algorithm 7.1.54)."""

from __future__ import annotations

from reference.catalogue import Erratum, Withdrawn

ERRATA = (
    Erratum(
        name="diss-7.1.54/E1",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="(7.33)-(7.34): by the range of lambda the exponent is at most -n v/2",
        truth="the term 4 log(1/lambda) sqrt(n log m) also needs v >= 16 log(1/lambda) "
        "sqrt(log m/n)",
        witness="n=20, m=1e6, v=.9, lambda=.1 meet every hypothesis; the exponent is +138 "
        "instead of <= -9",
        reproduced_by="proofs:004 (7.33)-(7.34)",
    ),
    Erratum(
        name="diss-7.1.54/E2",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Theorem 7.1.2: the bound holds with probability at least 1 - C'/m, C' constant",
        truth="no constant C': where the bound demands no wrong label at all, there is one "
        "with probability far above 1/m",
        witness="perfect workers, epsilon=.5, n=677, m=1e8: some label is wrong with "
        "probability at least .0017, so C' >= 1.7e5; 1.7e7 at m=1e10, 1.7e9 at m=1e12",
        reproduced_by="proofs:004 Theorem 7.1.2",
    ),
    Erratum(
        name="diss-7.1.54/E4",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(7.26)-(7.27): |x - y|/min(x, y) of the odds is at most (2/lambda)|p - q|",
        truth="false by up to 1/(2 lambda); |logit p - logit q| <= (2/lambda)|p - q| is true, "
        "by the mean value theorem",
        witness="p=.1, q=.9, lambda=.1: 80 against 16",
        reproduced_by="proofs:004 (7.26)-(7.27)",
    ),
    Erratum(
        name="diss-7.1.54/E5",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="averaging |T_ij - p*_i| + |y_j - y*_j| over the tasks gives (7.23)",
        truth="it gives avg|T - p|, not |avg(T - p)|; (7.23) itself is true, since p_bar = "
        "avg T + avg |y - y*|(1 - 2T)",
        witness="p* = 1/2: avg|T - p| = 1/2 while |avg(T - p)| tends to 0",
        reproduced_by="proofs:004 (7.23), proof",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-7.1.54/E3",
        "the theorem's range of lambda is not out of reach: it holds at m = 560000, n = 22.",
    ),
    Withdrawn(
        "diss-7.1.54/E6",
        "an ability that leaves [0, 1] before it is clipped contradicts nothing that is printed.",
    ),
)
