"""DP-GD (diss-4.3.25): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, along
from auditor.described.data import saddles
from auditor.described.data.linear_models import without_normalisation
from auditor.described.data.saddles import DELTA, SADDLE
from auditor.described.data.small_convex import records
from auditor.described.data.small_second_order import WAVES, second_order
from reference.losses import Cosine, Logistic, Sigmoid
from reference.nonconvex.gradient_descent import Constants, constants_for, dp_gradient_descent
from reference.nonconvex.second_order import stationarity
from reference.privacy.ledger import Ledger


def _form(**options: Any) -> Form:
    """From the point where the replaced record's gradient changes most."""
    turned = math.pi / 2, -math.pi / 2
    return saddles.phases_form(dp_gradient_descent, *turned, n_iterations=4, **options)


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float = 15_360.0, epsilon: float = 1.0
) -> float:
    """Return the mean alpha at which the iterates of the second half are alpha-SOSPs.

    The theorem's, of the best of them, is no more, and hardly depends on the noise: among many
    iterates one is near the minimum by chance. Started at the saddle; T of order alpha^-2, as the
    inverse of one release's noise is.
    """
    size = int(n)
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": DELTA}
    one = constants_for(SADDLE, n=size, n_iterations=1, **claim)
    path = dp_gradient_descent(
        np.arange(size),
        SADDLE,
        initial=np.zeros(2),
        n_iterations=round(0.3 / one.noise_scale),
        ledger=ledger,
        **claim,
    )
    some = np.linspace(len(path) // 2, len(path) - 1, 50).astype(int)
    return float(np.mean([stationarity(SADDLE, np.arange(size), w) for w in path[some]]))


def gradient_descent() -> Case:
    """Compose as DP-PGD does; what is claimed of the iterates is of second order."""
    theorem = "Theorem 4.3.1: an iterate is an alpha-SOSP, alpha = O~(1/sqrt(n epsilon))"
    sizes = tuple(1920.0 * 2**k for k in range(5))
    recipe = partial(along, error=_error, repetitions=8, claim=theorem, expensive=True)
    return Case(
        id="diss-4.3.25",
        forms={"corrected": _form(statistic=lambda path: float(path[-1][0]))},
        scaling=(
            recipe("n", sizes, -0.5),
            recipe("epsilon", saddles.EPSILONS, saddles.noise_slope(0.5)),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """DP-GD."""
    run = partial(second_order, dp_gradient_descent)
    by_hand = Constants(sensitivity=0.5, noise_scale=0.25, step_size=1.0)
    far = {"initial": [0.5, -0.25, 0.0, 0.25], "epsilon": 8.0}
    return (
        Setting(
            "by-hand",
            "Two steps on two records, the second of which is cut to length 1.",
            run(WAVES, Cosine(), initial=[0.5, 0.0], n_iterations=2, constants=by_hand),
        ),
        Setting(
            "middle",
            "Four steps; the result is the whole path.",
            run(records(40, 3, 1), Sigmoid(0.8), initial=[0.5, -0.25, 0.0], n_iterations=4),
        ),
        Setting(
            "logistic",
            "A convex loss.",
            run(records(24, 4, 2), Logistic(), n_iterations=3, **far),
        ),
    )


CASES = {"diss-4.3.25": gradient_descent}
SETTINGS = {"diss-4.3.25": settings}
