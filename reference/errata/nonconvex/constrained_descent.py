"""Errata in the sources of diss-4.3.27 (Algorithm 4.3.27)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm, Withdrawn

ERRATA = (
    Erratum(
        name="diss-4.3.27/E1",
        severity="S2",
        kind="utility",
        origin="unclear",
        statement="Theorem 4.3.3 (l.3916): theta = Phi alpha/(2 D^3)",
        truth="Phi sqrt(alpha)/(2 sqrt(rho) D^3), as in the proof (l.4364)",
        witness="rho = 1: with kappa = sqrt(alpha) the guaranteed change, in the units of (4.73), "
        "is kappa/9 - 4 kappa^2/9 + kappa^3/6 > 0 for alpha < 0.078",
        reproduced_by="proofs:004 Theorem 4.3.3",
        elsewhere="The proof (l.4364) has Phi gamma'/(rho D^3), gamma' = sqrt(rho alpha)/2 "
        "(l.4318)",
    ),
    Erratum(
        name="diss-4.3.27/E2",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Theorem 4.3.3 (l.3916): r = Phi^2 Phi alpha/(72 rho D^3)",
        truth="Phi^2 alpha/(72 D^3): the second Phi stands for rho",
        witness="r = Phi^2 gamma'^2/(18 rho D^3) of l.4318 with gamma'^2 = rho alpha/4",
        reproduced_by="proofs:004 Theorem 4.3.3",
        elsewhere="The proof (l.4318, l.4364) has Phi^2 gamma'^2/(18 rho D^3)",
    ),
    Erratum(
        name="diss-4.3.27/E3",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="l.4374: on return min q >= -Phi gamma'; hence Phi <= 9/5 would do",
        truth="only min q > -gamma' follows; the conclusion survives for Phi <= 1",
        witness="Phi = 0.5, q(u_t) = -0.49 gamma', min q = -0.98 gamma'",
        reproduced_by="proofs:004 l.4374",
    ),
    Erratum(
        name="diss-4.3.27/E6",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="(4.71), l.4338: n >= 9 sqrt(c_3 log(1/delta) T) D^2 M d/(Phi gamma' epsilon)",
        truth="9 C for 9: Err_2 of (4.68) has the factor C, about 2 at least",
        witness="C = 2: Err_2 = 2 Phi gamma'/(9 D^2) against Phi gamma'/(9 D^2) of (4.70)",
        reproduced_by="proofs:004 (4.71)",
        elsewhere="C is in Err_2, l.4302 and l.4328",
    ),
)

WITHDRAWN = (
    Withdrawn(
        name="diss-4.3.27/E4",
        why="signs, a max for a min and a cube lost in the proof, clear from the lines beside "
        "them.",
    ),
    Withdrawn(
        name="diss-4.3.27/E5",
        why="Remark 4.3.1 is loose, but an upper bound.",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
