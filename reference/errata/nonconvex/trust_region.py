"""Errata in the sources of diss-4.3.28 (Algorithm 4.3.28)."""

from __future__ import annotations

from reference.catalogue import Erratum, PrintedForm, Withdrawn

ERRATA = (
    Erratum(
        name="diss-4.3.28/E1",
        severity="S2",
        kind="implementation",
        origin="misprint",
        statement="step 7 (l.4011) stops at lambda^k <= sqrt(alpha phi), phi of step 1",
        truth="sqrt(alpha rho), as in the proof (l.4470) and in Algorithm 4.3.29",
        witness="(1, 1e-5), rho = 1: the threshold is 6.9 times too small",
        reproduced_by="proofs:004 Algorithm 4.3.28",
        elsewhere="rho in Algorithm 4.3.29 (l.4063), l.4029 and the proof (l.4464-4476)",
    ),
    Erratum(
        name="diss-4.3.28/E2",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="(4.85), l.4468: with noise alpha/6 and sqrt(alpha rho)/3 a step with "
        "lambda > sqrt(alpha rho) lowers F by alpha^1.5/(6 sqrt(rho))",
        truth="the cubic term alpha^1.5/(6 sqrt(rho)) of (4.77) was dropped: no decrease is "
        "guaranteed; it is with noise half as large",
        witness="alpha = rho = 1, F = w/6 - w^2/3 + |w|^3/6, noise -1/6 and -1/3: h = lambda = 1, "
        "F(1) - F(0) = 0 against -1/6",
        reproduced_by="proofs:004 (4.85)",
    ),
    Erratum(
        name="diss-4.3.28/E4",
        severity="S4",
        kind="accounting",
        origin="mathematical",
        statement="l.4114: 4 L^2 T/(n^2 phi) is about 64 L^2 T log(1/delta)/(n epsilon)^2",
        truth="16: phi is about epsilon^2/(4 log(1/delta))",
        witness="delta = 1e-5, epsilon = 0.1: 16.07",
        reproduced_by="proofs:004 l.4114",
    ),
    Erratum(
        name="diss-4.3.28/E5",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="Lemma 4.3.1: at a global minimum of (4.57) Hess F + lambda I is positive "
        "definite",
        truth="positive semidefinite; definite with probability 1 for the noisy gradient, (4.80)",
        witness="H = diag(-1, 1), g = (0, 1), r = 1: h = (0.866, -0.5), H + lambda I = diag(0, 2)",
        reproduced_by="proofs:004 Lemma 4.3.1",
        elsewhere="Strict in (4.80), l.4448, and (4.93), l.4552, too",
    ),
)

WITHDRAWN = (
    Withdrawn(
        name="diss-4.3.28/E3",
        why="(4.59) multiplies two maxima and is loose, but suffices for alpha <= 1.",
    ),
)

FORMS: tuple[PrintedForm, ...] = ()
