"""Errata in the source of diss-2.sgd-accountant (Lemma 2.1.7)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from reference.catalogue import Erratum, PrintedForm
from reference.constants import with_constants
from reference.convex.stochastic_gradient_descent import Constants, constants_for, dp_sgd
from reference.losses import Loss

SAMPLED = 0.1
"""q of the printed form."""

CONSTANT = 6.0
"""c_2, which the lemma does not name; with G sigma/l it would do."""


def printed_constants(
    data: Any,
    loss: Loss,
    constraint: Any,
    *,
    initial: Any,
    epsilon: float,
    delta: float,
    n_iterations: int,
) -> Constants:
    """Noise of standard deviation G sigma/n on the mean of l = q n gradients (l.404).

    At sigma = c_2 q sqrt(T log(1/delta))/epsilon and q = 0.1.
    """
    n = loss.size(data)
    right = constants_for(
        loss,
        constraint.radius,
        n=n,
        dimension=np.size(initial),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
        batch_size=round(SAMPLED * n),
    )
    sigma = CONSTANT * SAMPLED * math.sqrt(n_iterations * math.log(1 / delta)) / epsilon
    return replace(right, noise_scale=loss.lipschitz * sigma / n)


printed = with_constants(dp_sgd, printed_constants)

ERRATA = (
    Erratum(
        name="diss-2.sgd-accountant/E1",
        severity="S2",
        kind="accounting",
        origin="misprint",
        statement="Lemma 2.1.7: noise of standard deviation G sigma/n on the gradients of a lot of "
        "l = q n, with sigma >= c_2 q sqrt(T log(1/delta))/epsilon, epsilon < c_1 q^2 T",
        truth="on the mean of a lot G sigma/l; G sigma/n is right only if l = n or if the lot's "
        "sum is divided by n",
        witness="q = 0.1, T = 1000, (1, 1e-5), c_2 = 1: multiplier 1.07 for 10.7, epsilon of about "
        "22; n = 10, l = 1, T = 51, (0.5, 0.01), c_1 = 1, c_2 = 6: delta(0.5) = 0.147",
        reproduced_by="audit:printed/privacy_loss",
        elsewhere="Nowhere else; l.3347 uses it with all records in a lot, where the two are the "
        "same",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-2.sgd-accountant/E1",), function=printed),)
