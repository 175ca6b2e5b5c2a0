"""Errata in the sources of diss-5.3.45 (DP-IHT, non-linear, labels private)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.constraint_sets import SparseVectors
from reference.errata.local.label_hard_thresholding import printed_labels
from reference.local.iterative_hard_thresholding import KEPT, UNIT_BALL
from reference.local.nonlinear_hard_thresholding import MonotoneFunction, contracting_step
from reference.privacy.ledger import Ledger


def printed(
    data: Any,
    function: MonotoneFunction,
    *,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
    n_iterations: int,
    ledger: Ledger,
) -> FloatArray:
    """Noise for an interval of 4C on labels that nobody cut (l.6690), and no f (l.6677)."""
    features, labels = data
    n, p = features.shape
    noisy = printed_labels(
        labels, epsilon=epsilon, delta=delta, noise_bound=noise_bound, ledger=ledger
    )
    theta = np.zeros(p)
    step_size = contracting_step(function.least_slope, function.largest_slope)
    sparse = SparseVectors(min(KEPT * sparsity, p))
    for _ in range(n_iterations):
        half_step = theta - step_size * (features.T @ (features @ theta - noisy)) / n
        theta = UNIT_BALL.project(sparse.project(half_step))
    return theta


ERRATA = (
    Erratum(
        name="diss-5.3.45/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="l.6677: L(theta) = (1/2n) sum (y_i - <x_i, theta>)^2",
        truth="(1/2n) sum (y_i - f(<x_i, theta>))^2, as the proof has it (l.7249)",
        witness="f = 8x + cos x, theta* = (.5, -.3), no noise: a vector of norm 1, .42 away; with "
        "f theta* up to rounding",
        reproduced_by="test:test_the_printed_loss_finds_another_vector",
        elsewhere="With f in (5.81), l.6632, and in the proof (l.7249)",
    ),
    Erratum(
        name="diss-5.3.45/E2",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 5.3.11: noise of variance 32 C^2 ln(1.25/delta)/epsilon^2 on the labels "
        "is (epsilon, delta)-LDP",
        truth="true for C >= b sqrt(s*) only: the noise is that of an interval of 4C, and the "
        "labels of the class are up to 2(b sqrt(s*) + C) apart and have to be clipped",
        witness="f = 8x + cos x, s* = 1, C = .05, epsilon = 1, delta = .001: labels -7.51 and 8.59 "
        "have epsilon = 292.1 at that delta",
        reproduced_by="audit:printed/privacy_loss",
        copy_of="004 Theorem 5.3.6/E1",
    ),
    Erratum(
        name="004 Theorem 5.3.11/E1",
        severity="S3",
        kind="utility",
        origin="mathematical",
        statement="Theorem 5.3.11: Delta <= (9a^2 - 5b^2)/14",
        truth="Delta <= (9a^2 - 5b^2)/(9a^2 + 5b^2), for which a step contracts by 2/7; so in "
        "Theorem 5.3.9. The two agree at a = b = 1: f has been brought to that scale",
        witness="f(x) = 2x, two columns of correlation .9, no noise, T = 1, ||theta*|| <= .52: "
        "whatever the step, an error of .9 ||theta*||, where 1/2 is claimed (at norm 1 the "
        "projection on the ball hides it)",
        reproduced_by="proofs:004 Theorem 5.3.11",
    ),
)
FORMS = (PrintedForm("printed", errata=("diss-5.3.45/E1", "diss-5.3.45/E2"), function=printed),)
