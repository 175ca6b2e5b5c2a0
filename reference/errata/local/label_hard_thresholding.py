"""Errata in the sources of diss-5.3.42 (Label-LDP-IHT)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constraint_sets import SparseVectors
from reference.local.iterative_hard_thresholding import KEPT, UNIT_BALL
from reference.privacy.ledger import Ledger


def printed_labels(
    labels: FloatArray, *, epsilon: float, delta: float, noise_bound: float, ledger: Ledger
) -> FloatArray:
    """Labels of any size, with noise for the sensitivity 4C (l.6527, 6690, 7235)."""
    scale = math.sqrt(32 * noise_bound**2 * math.log(1.25 / delta)) / epsilon
    return ledger.gaussian(labels, sensitivity=4 * noise_bound, scale=scale, unit="label")


def printed(
    data: Any,
    *,
    epsilon: float,
    delta: float,
    sparsity: int,
    noise_bound: float,
    n_iterations: int,
    step_size: float = 1.0,
    ledger: Ledger,
) -> FloatArray:
    """Noise for an interval of 4C on labels that nobody cut (l.6527), and ascent (l.6532)."""
    features, labels = data
    n, p = features.shape
    noisy = printed_labels(
        labels, epsilon=epsilon, delta=delta, noise_bound=noise_bound, ledger=ledger
    )
    theta = np.zeros(p)
    sparse = SparseVectors(min(KEPT * sparsity, p))
    for _ in range(n_iterations):
        half_step = theta - step_size * (features.T @ (noisy - features @ theta)) / n  # step 5
        theta = UNIT_BALL.project(sparse.project(half_step))
    return theta


ERRATA = (
    Erratum(
        name="004 Theorem 5.3.6/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 5.3.6: noise of variance 32 C^2 ln(1.25/delta)/epsilon^2 on the labels "
        "is (epsilon, delta)-LDP",
        truth="true for C >= sqrt(s*) only: the noise is that of an interval of 4C, and the "
        "labels of the class range over +-(sqrt(s*) + C). They have to be clipped to it: 8 "
        "(sqrt(s*) + C)^2 ln(1.25/delta)/epsilon^2",
        witness="s* = 1, C = .05, epsilon = 1, delta = .001: labels +-1.05 have delta = .740, and "
        "epsilon = 11.79 at that delta. With C = 1 their delta is 8.1e-6",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        name="diss-5.3.42/E1",
        severity="S1",
        kind="misprint",
        origin="misprint",
        statement="step 5: theta_t - eta/n sum (y_i - <x_i, theta_t>) x_i",
        truth="with + eta, as the proof (l.7249) and step 5 of Algorithm 5.3.41 have it. As "
        "printed the box climbs and is consistent for no n, and no constant mends that; a reader "
        "of the proof sees the slip",
        witness="no noise, n = 4000, p = 50, s* = 2: error of rounding with +, 1.8 with -",
        reproduced_by="test:test_the_printed_sign_climbs",
        elsewhere="theta - eta times a gradient with prediction less label in l.6481-6483, "
        "l.6646-6648 and in the proof (l.7249)",
    ),
    Erratum(
        name="diss-5.3.42/E3",
        severity="S4",
        kind="utility",
        origin="misprint",
        statement="(5.77): the class P' has |sigma_i| <= C",
        truth="E[sigma_i] = 0 whatever x too, as (5.70) has it: else theta* is not determined",
        witness="sigma_i = .5 x_i1, theta* = .4 e_1, no privacy: .9 e_1 is found",
        reproduced_by="test:test_noise_that_depends_on_the_features_is_taken_for_a_coefficient",
        copy_of="diss-5.3.44/E3",
        elsewhere="(5.70), l.6375, has E[sigma | x] = 0; (5.80), l.6626, and l.6667 lack it as "
        "well",
    ),
)
WITHDRAWN = (
    Withdrawn(
        "diss-5.3.42/E2",
        "the noise is counted with its theorem, 004 Theorem 5.3.6/E1.",
    ),
)
FORMS = (
    PrintedForm("printed", errata=("004 Theorem 5.3.6/E1", "diss-5.3.42/E1"), function=printed),
)
