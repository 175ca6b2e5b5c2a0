"""Errata in the sources of diss-3.2.7 (Algorithm 3.2.7)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.constraint_sets import Ball, starting_point
from reference.errata.heavy_tailed.trimmed_mean import printed as printed_trimmed_mean
from reference.heavy_tailed.known_mean_gradient_descent import (
    Constants,
    constants_for,
    known_mean_gradient_descent,
    partial_derivatives,
)
from reference.losses import RecordLoss
from reference.privacy.ledger import Ledger, open_ledger


def printed(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    lower: float,
    upper: float,
    trim: int,
    step_size: float,
    n_iterations: int,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Every derivative's mean is a Mechanism M as printed: diss-3.2.6's erratum 1 (step 4, l.1531).

    The budget is that of l.1894, so that this erratum shows alone.
    """
    ledger = open_ledger(ledger)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    budget = constants_for(
        epsilon=epsilon, delta=delta, dimension=w.size, n_iterations=n_iterations
    )
    for _ in range(n_iterations):  # step 2
        gradient = [
            printed_trimmed_mean(
                derivatives,
                epsilon=budget.step_epsilon,
                lower=lower,
                upper=upper,
                trim=trim,
                ledger=ledger,
            )
            for derivatives in partial_derivatives(loss, records, w)  # step 3
        ]  # step 4
        w = constraint.project(w - step_size * np.array(gradient))  # step 5
    return w


def printed_2_constants(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    n_iterations: int,
    **parameters: Any,
) -> Constants:
    """tilde-epsilon is 2 epsilon, as the root ends before its last term (step 1, l.1526)."""
    del data, loss, constraint, parameters
    return Constants(step_epsilon=2 * epsilon / math.sqrt(np.size(initial) * n_iterations))


printed_2 = with_constants(known_mean_gradient_descent, printed_2_constants)

ERRATA = (
    Erratum(
        name="diss-3.2.7/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Algorithm 3.2.7 with the Mechanism M of Algorithm 3.2.6 is (epsilon, delta)-DP",
        truth="the printed noise scale of Mechanism M is not smooth; its smooth sensitivity "
        "gives the claim",
        witness="d=T=1, epsilon=1, delta=1e-5 (tilde-epsilon=0.2041), n=100, m=20, b-a=2, "
        "zeros against one record 1e6: S = 1.90 against 16667; event |out| > 789: "
        "delta 0.9976",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="diss-3.2.6/E1",
    ),
    Erratum(
        name="diss-3.2.7/E2",
        severity="S1",
        kind="utility",
        origin="mathematical",
        statement="the noise of a coordinate has variance O(tau^2 d T log(n)/"
        "(n tilde-epsilon^2)) with m = O(1)",
        truth="its standard deviation is at least 1.787*4 sqrt(d T)/tilde-epsilon "
        "e^{-mt}(b-a), whatever n; m of order (16 d T/tilde-epsilon^2) log n is needed",
        witness="n=1e5, d=5, T=10, epsilon=1, delta=1e-5: 247.7(b-a) at m=5, 191.0(b-a) at "
        "m=0.05n, 19.3(b-a) at m=0.49n",
        reproduced_by="proofs:004 (3.84)",
        copy_of="diss-3.2.6/E2",
    ),
    Erratum(
        name="diss-3.2.7/E3",
        severity="S2",
        kind="accounting",
        origin="unclear",
        statement="tilde-epsilon = sqrt(2 log(1/delta)) + 2 epsilon - sqrt(2 log(1/delta))",
        truth="sqrt(2 log(1/delta) + 2 epsilon) - sqrt(2 log(1/delta)), as in l.1894; the "
        "printed one is 2 epsilon",
        witness="epsilon=1, delta=1e-5: the printed one spends 11.6",
        reproduced_by="audit:printed-2/accounting",
        elsewhere="The root is over all of it in l.1894, l.9633 and l.9810, and ends as early in "
        "l.1631, l.2121, l.2738 and l.10048 and in Wang et al. (2020), l.291 and l.700",
        sign="root",
    ),
    Erratum(
        name="diss-3.2.7/E4",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="the square of the bound on E||w^T - w*|| bounds E||w^T - w*||^2 (proof of "
        "Theorem 3.2.5)",
        truth="Jensen's inequality goes the other way; the recursion holds in L2 norm",
        witness="any w^T with a variance",
        reproduced_by="proofs:004 Theorem 3.2.5, proof",
    ),
    Erratum(
        name="diss-3.2.7/E5",
        severity="S4",
        kind="proof",
        origin="mathematical",
        statement="|sum over the trimmed records of (x_i - mu)| <= m max|x_i - mu| (proof of "
        "Lemma 3.2.8)",
        truth="2m records are trimmed; the final bound (nt + ms)/(n - 2m) is true all the same",
        witness="200,000 random cases (n 5..11, |x| <= 2): step exceeded by up to 8.6, final "
        "bound never",
        reproduced_by="proofs:004 Lemma 3.2.8, proof",
    ),
    Erratum(
        name="diss-3.2.7/E6",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="outside {mean - mu >= t} and {max |x_i - mu| >= s}, |Trim_m - mu| <= "
        "(nt + ms)/(n - 2m) (Lemma 3.2.8)",
        truth="|mean - mu| is meant, as the factor 2 in front of exp, (3.85) and (3.86) show",
        witness="five records at mu - 1, m = 1, t = 0.1, s = 1.01: |Trim_m - mu| = 1 > 0.503",
        reproduced_by="proofs:004 Lemma 3.2.8",
        elsewhere="(3.85), l.1810, and (3.86), l.1818, have the absolute value",
        sign="bracket",
    ),
    Erratum(
        name="diss-3.2.7/E7",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Theorem 3.2.5: Delta^2 multiplies the whole bound Delta^2 beta^2 tau^2 d^2 "
        "log^2(n) log(1/delta)/(alpha^3 n epsilon^2)",
        truth="it belongs to the vanishing term only: the rate has beta^2 tau^2/alpha^3; the "
        "printed one depends on the units of w and is false for small Delta (harmless for "
        "Delta >= 1)",
        witness="d = 3, l = |w - x|^2/2, x ~ N(mu, I), W a ball of radius 10 sqrt(3/n), mu = "
        "+-e_1/sqrt(n): any w has excess >= 1/(2n) with probability 0.159 under one of them; "
        "over the bound at epsilon = 1, delta = 0.1: 5.9, 379, 2.6e4 at n = 1e8, 1e10, 1e12",
        reproduced_by="proofs:004 Theorem 3.2.5",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("diss-3.2.7/E1",), function=printed),
    PrintedForm("printed-2", errata=("diss-3.2.7/E3",), function=printed_2),
)
