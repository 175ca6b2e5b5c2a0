"""Covariance perturbation with Laplace noise (diss-6.3.51-L): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, along, form
from auditor.described.data.second_moments import (
    correlated,
    error_of_precision,
    precision_on_survey,
)
from auditor.described.data.small_matrices import laplace_precision as moment_settings
from auditor.described.data.vectors import one_record
from reference.matrices.covariance_perturbation import precision_of
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.laplace_covariance_perturbation import (
    Constants,
    constants_for,
    laplace_covariance_perturbation,
)
from reference.matrices.second_moments import second_moment
from reference.privacy.ledger import Ledger

N = 2
ANGLE = math.atan(0.5) / 2
TURNED = one_record(N, [math.cos(ANGLE), math.sin(ANGLE)], [-math.sin(ANGLE), math.cos(ANGLE)])
"""v = (cos t, sin t) against (-sin t, cos t) with tan 2t = 1/2: the upper triangle moves by sqrt 5.

That is the most there is in two dimensions.
"""


def leaning(found: PrecisionMinimum) -> float:
    """Return <Theta, S' - S>: where the second moment is large, the precision is small."""
    return float(np.sum(found.theta * (second_moment(TURNED[1]) - second_moment(TURNED[0]))))


def right(function: Any = laplace_covariance_perturbation, **options: Any) -> Form:
    """Return the form that both this algorithm and diss-6.3.51-W1 are audited in."""
    chosen = {"epsilon": 1.0, "penalty": 0.05, "statistic": leaning, **options}
    return form(function, TURNED, domain=Everything((2,)), **chosen)


def unclipped(data: Data, *, epsilon: float, penalty: float, ledger: Ledger) -> PrecisionMinimum:
    """Run the algorithm on records of any norm."""
    n, dimension = data.shape
    noise = constants_for(n=n, dimension=dimension, epsilon=epsilon)
    noisy = ledger.symmetric_laplace(
        data.T @ data / n, sensitivity=noise.sensitivity, scale=noise.noise_scale
    )
    return precision_of(noisy, penalty)


def without_clipping() -> Form:
    """Return the mutant of :func:`right`, at records of norm 2."""
    longer = (2 * TURNED[0], 2 * TURNED[1])
    return form(
        unclipped, longer, epsilon=1.0, penalty=0.05, domain=Everything((2,)),
        no_black_box="a mutant",
    )  # fmt: skip


def _error(rng: np.random.Generator, ledger: Ledger, *, n: float = 4e4, d: float = 10) -> float:
    """Return the error of one run with correlated variables, over the maximum in (6.95)."""
    data, run = correlated(int(n), int(d), rng), laplace_covariance_perturbation
    return error_of_precision(run, data, ledger, epsilon=1.0)


def laplace_precision() -> Case:
    """Covariance perturbation with Laplace noise: private as printed, with noise to spare."""
    theorem = "Theorem 6.3.5: ||Theta_hat - Theta*||_F/max(..) = O(d^2/(n epsilon))"
    recipe = partial(along, error=_error, claim=theorem, expensive=True)
    return Case(
        id="diss-6.3.51-L",
        forms={
            "corrected": right(),
            "corrected-theorem": right(
                constants=Constants(sensitivity=4 / N, noise_scale=4 / N),
                not_attained="the theorem's 2 d/n is 4/n for d = 2, and sqrt 5/n is attained",
            ),
        },
        scaling=(
            recipe("n", (8e3, 1.6e4, 3.2e4, 6.4e4), -1.0, repetitions=16),
            recipe("d", (4, 6, 9, 13), 2.0, repetitions=12, inflation=1.5),
        ),
        real_data=(
            precision_on_survey(
                laplace_covariance_perturbation, epsilons=(0.1, 0.3, 1.0, 3.0), beaten_at=0.3
            ),
        ),
        mutants={"clipping dropped": without_clipping()},
    )


CASES = {"diss-6.3.51-L": laplace_precision}
SETTINGS = {"diss-6.3.51-L": moment_settings}
LEFT_OUT = {"diss-6.3.51-L": {"loop": "two steps"}}
