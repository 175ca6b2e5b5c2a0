"""Covariance perturbation, Wishart noise for some delta (diss-6.3.51-W2): audit and settings."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.second_moments import (
    axes,
    correlated,
    distance_over_bound,
    precision_on_survey,
    tilt,
)
from auditor.described.data.small_matrices import ITERATIONS, SPREAD, precision
from auditor.described.data.vectors import one_record
from reference.matrices import wishart_covariance_perturbation_approximate as algorithm
from reference.matrices.covariance_perturbation import precision_of
from reference.matrices.graphical_lasso import PrecisionMinimum, graphical_lasso
from reference.matrices.second_moments import second_moment
from reference.matrices.wishart_covariance_perturbation_approximate import (
    Constants,
    constants_for,
    wishart_covariance_perturbation_approximate,
)
from reference.privacy.ledger import Ledger

N = 2
RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}


def right(
    function: Any = wishart_covariance_perturbation_approximate,
    pair: tuple[Data, Data] | None = None,
    **options: Any,
) -> Form:
    """Return the form that diss-6.3.52 is audited in as well, by default e_1 against e_2."""
    chosen = {**RIGHT, "penalty": 0.05, "statistic": tilt, **options}
    return form(function, pair or axes(N), domain=Everything((2,)), **chosen)


def theorem_constants(n: int, dimension: int, *, epsilon: float, delta: float) -> Constants:
    """Return those of Theorem 6.3.6."""
    return Constants(1 / n, dimension + 14 / epsilon**2 * math.log(4 / delta), 1 / n)


def unclipped(
    data: Data, *, epsilon: float, delta: float, penalty: float, ledger: Ledger
) -> PrecisionMinimum:
    """Run the algorithm on records of any norm."""
    n, dimension = data.shape
    noise = constants_for(n=n, dimension=dimension, epsilon=epsilon, delta=delta)
    noisy = ledger.wishart(
        data.T @ data / n,
        sensitivity=noise.sensitivity,
        degrees=noise.degrees,
        scale=noise.noise_scale,
    )
    return precision_of(noisy, penalty)


def without_clipping() -> Form:
    """Return the mutant of :func:`right`, at records of norm 2."""
    return right(unclipped, axes(N, 2.0), no_black_box="a mutant")


def with_too_few_degrees() -> Form:
    """Return the mutant of :func:`right` with d + 1 degrees, those of Theorem 6.3.4."""
    return right(constants=Constants(1 / N, 3, 1 / N), no_black_box="a mutant")


def _error(rng: np.random.Generator, ledger: Ledger, *, n: float = 2e4, d: float = 2) -> float:
    """Return the error of one run with correlated variables, over the maximum in (6.96).

    The noise is near its mean m/n, so that n has to be large enough for the error to be linear.
    """
    data, penalty = correlated(int(n), int(d), rng), 0.1
    estimate = wishart_covariance_perturbation_approximate(
        data, epsilon=1.0, delta=1e-5, penalty=penalty, ledger=ledger
    )
    return distance_over_bound(
        estimate.theta, graphical_lasso(second_moment(data), penalty=penalty).theta
    )


def approximate_precision() -> Case:
    """Covariance perturbation with Wishart noise: private as printed, with noise to spare."""
    theorem = (
        "Theorem 6.3.6: ||Theta_hat - Theta*||_F/max(..) = "
        "O(d^(3/2) ln(1/delta) ln(1/delta')/(n epsilon^2))"
    )
    return Case(
        id="diss-6.3.51-W2",
        forms={
            "corrected": right(),
            # what is impossible without the record: its loss is infinite
            "corrected-zero-record": right(pair=one_record(N, [0.0, 0.0], [1.0, 0.0])),
            "corrected-theorem": right(
                epsilon=0.99, constants=theorem_constants(N, 2, epsilon=0.99, delta=1e-2)
            ),
        },
        scaling=(
            along(
                "n", (2e4, 4e4, 8e4, 1.6e5), -1.0,
                error=_error, repetitions=16, claim=theorem, dear=True, d=2,
            ),
            along(
                "d", (4, 6, 9, 13), 1.5,
                error=_error, repetitions=12, claim=theorem, inflation=1.5, dear=True,
            ),
        ),
        real_data=(
            precision_on_survey(
                wishart_covariance_perturbation_approximate,
                delta=1e-5, epsilons=(0.1, 0.3, 1.0, 3.0), beaten_at=1.0,
            ),
        ),
        mutants={
            "clipping dropped": without_clipping(),
            "d + 1 degrees": with_too_few_degrees(),
        },
    )  # fmt: skip


def settings() -> tuple[Setting, ...]:
    """Covariance perturbation, Wishart."""
    kind = algorithm.Constants
    claim = {"epsilon": 0.75, "delta": 1e-2}
    hand, middle, _, one = precision(kind(0.5, 4.0, 0.25), kind(0.5, 3.0, 0.125), **claim)
    real_degrees = Setting(
        "real-degrees",
        "Degrees of freedom that are no whole number; the draw is what they decide.",
        {"data": SPREAD[:, :3], **claim, "penalty": 0.25, "constants": kind(0.25, 4.5, 0.125)},
        seed=4,
        tolerance=1e-7,
        because=ITERATIONS,
    )
    # the noise is positive definite: there is nothing to project
    middle = replace(
        middle,
    )
    return hand, middle, real_degrees, one


CASES = {"diss-6.3.51-W2": approximate_precision}
SETTINGS = {"diss-6.3.51-W2": settings}
