"""Errata in the sources of diss-5.3.43 (DP-IHT)."""

from __future__ import annotations

from reference.catalogue import Erratum

ERRATA = (
    Erratum(
        name="diss-5.3.43/E1",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="Assumption 5.3.3: G-Lipschitz and rho_s-RSC on R^p",
        truth="only on a ball: rho_s/2 r^2 <= 2 G r up to r = 4G/rho_s",
        witness="G = rho_s = 1, r = 5: 12.5 against 10",
        reproduced_by="proofs:004 Assumption 5.3.3",
    ),
    Erratum(
        name="diss-5.3.43/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(5.95): a contraction by rho_s/(8 l_s) follows from (5.94)",
        truth="2 beta (4 kappa - 1) is less; it holds with the term of ||g||^2 that was dropped",
        witness="kappa = 1, k = 65, k* = 1: 1/11 against 1/8",
        reproduced_by="proofs:004 (5.95)",
    ),
    Erratum(
        name="diss-5.3.43/E3",
        severity="S4",
        kind="proof",
        origin="misprint",
        statement="Lemma 5.3.3: ||theta_t - theta|| <= (k-s)/(k-s*) ||theta* - theta||^2",
        truth="with ||theta_t - theta||^2, as the proofs use it",
        witness="theta = (.1, .1, .1, .1), s = 2, s* = 1: .1414 against .0200",
        reproduced_by="proofs:004 Lemma 5.3.3",
        elsewhere="Both norms are squared where it is used (l.7177)",
        sign="exponent",
    ),
)
