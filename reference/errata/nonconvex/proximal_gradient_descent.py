"""Errata in the sources of diss-4.1.16 (Algorithm 4.1.16)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constants import with_constants
from reference.errata.privacy.calibration import printed_composed_gaussian_scale
from reference.losses import Loss, Sigmoid
from reference.nonconvex.proximal_gradient_descent import (
    Constants,
    constants_for,
    dp_proximal_gradient_descent,
)
from reference.privacy.guarantees import zcdp_rho

CONSTANT = 12.0
"""c of (4.3), which the paper does not name; 11.66 is enough for epsilon <= log(1/delta)."""


def box_noise(loss: Loss, *, n: int, epsilon: float, delta: float, n_iterations: int) -> float:
    """sigma^2 = 2 L^2 T/(n^2 rho^2), with rho^2 for rho and L for G (step 3, l.2713)."""
    return math.sqrt(2 * n_iterations) * loss.smoothness / (n * zcdp_rho(epsilon, delta))


def text_noise(loss: Loss, *, n: int, epsilon: float, delta: float, n_iterations: int) -> float:
    """sigma^2 = 2 L^2 T/(n^2 rho), with the smoothness L for the Lipschitz constant G (l.2738)."""
    return math.sqrt(2 * n_iterations / zcdp_rho(epsilon, delta)) * loss.smoothness / n


def theorem_noise(loss: Loss, *, n: int, epsilon: float, delta: float, n_iterations: int) -> float:
    """sigma^2 = c G^2 T log(1/delta)/(n^2 epsilon^2), c = 12, for every epsilon ((4.3), l.2720)."""
    return printed_composed_gaussian_scale(
        epsilon, delta, lipschitz=loss.lipschitz, n=n, releases=n_iterations, constant=CONSTANT
    )


def _with_noise(noise_scale: Callable[..., float]) -> Callable[..., Any]:
    """Return the algorithm with another noise; the form's docstring is that of the noise."""

    def constants(
        data: Any,
        loss: Loss,
        constraint: Any = None,
        regularizer: Any = None,
        *,
        initial: Any,
        **parameters: Any,
    ) -> Constants:
        del constraint, regularizer, initial
        n = loss.size(data)
        right = constants_for(loss, n=n, **parameters)
        return replace(right, noise_scale=noise_scale(loss, n=n, **parameters))

    constants.__doc__ = noise_scale.__doc__
    return with_constants(dp_proximal_gradient_descent, constants)


printed = _with_noise(box_noise)
printed_text = _with_noise(text_noise)
printed_theorem = _with_noise(theorem_noise)


@dataclass(frozen=True)
class PrintedSigmoid(Sigmoid):
    """1/(1 + exp(-y <a, x>)), the loss of l.2877 and l.4102: it grows with the margin."""

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return np.asarray(expit(labels * score))

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return -super()._slope(score, labels)

    def _curvature(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return -super()._curvature(score, labels)


ERRATA = (
    Erratum(
        name="diss-4.1.16/E1",
        severity="S2",
        kind="privacy",
        origin="misprint",
        statement="step 3 (l.2713): sigma^2 = 2 L^2 T/(n^2 rho^2)",
        truth="1/rho, as in the text l.2738; below rho = 1 the printed form has too much noise, "
        "and above, i.e. for epsilon > 1 + 2 sqrt(log(1/delta)), too little",
        witness="L = G, (10, 0.01): rho = 2.808, delta(10) = 0.2236 of all iterates; of x_R alone "
        "0.044 at T = 100, 0.015 at T = 3 (0.004 at T = 2, no violation)",
        reproduced_by="audit:printed/privacy_loss",
        elsewhere="rho in the text (l.2738) and in the boxes of section 3.3 (l.2106, l.2232)",
        sign="exponent",
    ),
    Erratum(
        name="diss-4.1.16/E2",
        severity="S2",
        kind="privacy",
        origin="misprint",
        statement="l.2713, l.2738: sigma^2 has the smoothness L where sensitivity needs the "
        "Lipschitz constant G",
        truth="G, as in (4.3) and Assumption 4.1.1",
        witness="sigmoid loss, unit rows: G = 1/4, L = 0.0962, noise 2.6 times too small; "
        "(1, 1e-5): delta(1) = 9.7e-3 of all iterates, of x_R alone 2.2e-3 at T = 100 and 3.6e-4 "
        "at T = 2",
        reproduced_by="audit:printed-text/privacy_loss",
        elsewhere="G in (4.3), l.2722; L in both forms of the zCDP noise (l.2713, l.2738)",
    ),
    Erratum(
        name="diss-4.1.16/E3",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 4.1.1: constants c, c_1 make (4.3) private for every "
        "0 < epsilon < c_1 T and every delta",
        truth="mu = 2 epsilon/sqrt(c log(1/delta)) does not depend on T, so no c is "
        "universal; c = 2 (1 + sqrt 2)^2 = 11.66 holds for epsilon <= log(1/delta). The same in "
        "Theorems 4.1.4, 4.1.5, 4.2.1, 4.2.5, 4.2.13, 4.3.1, 4.3.3 and 4.3.2, which has no range "
        "of epsilon at all",
        witness="c = 12, delta = 0.01, epsilon = 100, T >= 100/c_1: delta(100) = 1.0 of all "
        "iterates, 0.71 of x_R alone (T = 100)",
        reproduced_by="audit:printed-theorem/privacy_loss",
    ),
    Erratum(
        name="diss-4.1.16/E6",
        severity="S4",
        kind="experiment",
        origin="unclear",
        statement="l.2877, l.4102: the sigmoid loss 1/(1 + exp(-y <theta, x>))",
        truth="1/(1 + exp(+y <theta, x>)): the printed one grows with the margin, its "
        "minimiser is the worst classifier",
        witness="separable labels, n = 500, p = 5: training accuracy 0.004 with the printed "
        "sign, 0.996 with the other",
        reproduced_by="proofs:004 l.2877 (sigmoid loss)",
        elsewhere="The same in l.4102",
    ),
    Erratum(
        name="diss-4.1.16/E8",
        severity="S3",
        kind="utility",
        origin="unclear",
        statement="Lemma 4.1.3: with C = C_0 max{c_h, log(r tau/delta), 1} the gradients converge "
        "uniformly, within tau sqrt(C p log n/n), with probability 1 - delta",
        truth="log(r tau/delta) is no pure number: for a small r tau it does not bound "
        "log(1/delta). For G-bounded, L-Lipschitz gradients G sqrt(C p log n/n), C = 28 + 6 "
        "log((1 + 2rL/G)/delta)",
        witness="gradient N(0, tau^2), r = 1, tau = delta, p = 1, n = 10, C_0 = 1000: fails with "
        "probability 1.7e-502 > delta = 1e-1100",
        reproduced_by="proofs:004 Lemma 4.1.3",
        elsewhere="Nowhere else",
    ),
    Erratum(
        name="diss-4.1.16/E9",
        severity="S4",
        kind="accounting",
        origin="unclear",
        statement="l.2738: sigma_2^2 has (sqrt(log(1/delta)) + epsilon - sqrt(log(1/delta)))^2, "
        "which is epsilon^2, for rho",
        truth="(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, the root of the equation "
        "for rho in the same line",
        witness="(1, 1e-5): delta(1) = .286 for rho = epsilon^2",
        reproduced_by="test:test_a_root_that_ends_too_early_is_another_budget",
        copy_of="diss-3.2.7/E3",
        elsewhere="The root is over all of it in l.1894, l.9633 and l.9810; as early twice in "
        "this line and in l.1526, l.1631, l.2121 and l.10048",
        sign="root",
    ),
)

WITHDRAWN = (
    Withdrawn(
        name="diss-4.1.16/E4",
        why="Theorem 4.1.2 bounds the gradient map of the noisy step, as it says; that of the "
        "exact gradient is of the same order.",
    ),
    Withdrawn(
        name="diss-4.1.16/E5",
        why="signs and a heading of the proof, clear from the lines beside them.",
    ),
    Withdrawn(
        name="diss-4.1.16/E7",
        why="l.2883 names Algorithm 4.1.19 for 4.1.16, clear from what it measures.",
    ),
)

FORMS = (
    PrintedForm("printed", errata=("diss-4.1.16/E1",), function=printed),
    PrintedForm("printed-text", errata=("diss-4.1.16/E2",), function=printed_text),
    PrintedForm("printed-theorem", errata=("diss-4.1.16/E3",), function=printed_theorem),
)
