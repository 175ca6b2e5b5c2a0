"""Covariance perturbation, Wishart noise for some delta (diss-6.3.51-W2): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.second_moments import (
    axes,
    correlated,
    error_of_precision,
    precision_on_survey,
    tilt,
)
from auditor.described.data.small_matrices import ITERATED, SPREAD, precision
from auditor.described.data.vectors import one_record
from reference.matrices.covariance_perturbation import precision_of
from reference.matrices.graphical_lasso import PrecisionMinimum
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


def _error(rng: np.random.Generator, ledger: Ledger, *, n: float = 2e4, d: float = 2) -> float:
    """Return the error of one run with correlated variables, over the maximum in (6.96).

    The noise is near its mean m/n, so that n has to be large enough for the error to be linear.
    """
    data, run = correlated(int(n), int(d), rng), wishart_covariance_perturbation_approximate
    return error_of_precision(run, data, ledger, epsilon=1.0, delta=1e-5)


def approximate_precision() -> Case:
    """Covariance perturbation with Wishart noise: private as printed, with noise to spare."""
    theorem = (
        "Theorem 6.3.6: ||Theta_hat - Theta*||_F/max(..) = "
        "O(d^(3/2) ln(1/delta) ln(1/delta')/(n epsilon^2))"
    )
    recipe = partial(along, error=_error, claim=theorem, expensive=True)
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
            recipe("n", (2e4, 4e4, 8e4, 1.6e5), -1.0, repetitions=16, d=2),
            recipe("d", (4, 6, 9, 13), 1.5, repetitions=12, inflation=1.5),
        ),
        real_data=(
            precision_on_survey(
                wishart_covariance_perturbation_approximate,
                delta=1e-5,
                epsilons=(0.1, 0.3, 1.0, 3.0),
                beaten_at=1.0,
            ),
        ),
        mutants={
            "clipping dropped": without_clipping(),
            # those of Theorem 6.3.4
            "d + 1 degrees": right(constants=Constants(1 / N, 3, 1 / N), no_black_box="a mutant"),
        },
    )


def settings() -> tuple[Setting, ...]:
    """Covariance perturbation, Wishart."""
    claim = {"epsilon": 0.75, "delta": 1e-2}
    # the noise is positive definite: there is nothing to project
    hand, middle, _, one = precision(Constants(0.5, 4.0, 0.25), Constants(0.5, 3.0, 0.125), **claim)
    halves = {"penalty": 0.25, "constants": Constants(0.25, 4.5, 0.125)}
    real_degrees = Setting(
        "real-degrees",
        "Degrees of freedom that are no whole number; the draw is what they decide.",
        {"data": SPREAD[:, :3], **claim, **halves},
        seed=4,
        **ITERATED,
    )
    return hand, middle, real_degrees, one


CASES = {"diss-6.3.51-W2": approximate_precision}
SETTINGS = {"diss-6.3.51-W2": settings}
LEFT_OUT = {"diss-6.3.51-W2": {"all of epsilon": "a whole number of degrees", "loop": "two steps"}}
