"""Covariance perturbation with Gaussian noise (diss-6.3.51-G): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, form
from auditor.described.data.calls import arguments_of
from auditor.described.data.second_moments import (
    axes,
    correlated,
    error_of_precision,
    off_by_root_2,
    precision_on_survey,
    tilt,
)
from auditor.described.data.small_matrices import ITERATED, SPREAD, precision, wines
from reference.errata.matrices import gaussian_covariance_perturbation as errata
from reference.matrices.covariance_perturbation import precision_of
from reference.matrices.gaussian_covariance_perturbation import (
    constants_for,
    for_the_mean,
    gaussian_covariance_perturbation,
)
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.local_gaussian_pca import Constants, constants_for_diagonal
from reference.privacy.ledger import Ledger

N = 2
RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}
GUESSING = "at odds of e^epsilon too many runs are needed; the exact loss of the matrix is sampled"


def _form(
    function: Any = gaussian_covariance_perturbation, *, length: float = 1.0, **options: Any
) -> Form:
    """Build the form of e_1 against e_2, which moves the upper triangle by sqrt 2/n."""
    chosen = {"penalty": 0.05, "statistic": tilt, **options}
    return form(function, axes(N, length), domain=Everything((2,)), **chosen)


def unclipped(
    data: Data, *, epsilon: float, delta: float, penalty: float, ledger: Ledger
) -> PrecisionMinimum:
    """Run the algorithm on records of any norm."""
    noise = constants_for(n=len(data), epsilon=epsilon, delta=delta)
    noisy = ledger.symmetric_gaussian(
        data.T @ data / len(data), sensitivity=noise.sensitivity, scale=noise.noise_scale
    )
    return precision_of(noisy, penalty)


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 2e4, d: float = 10, epsilon: float = 1.0
) -> float:
    """Return the error of one run with correlated variables, over the maximum in (6.97)."""
    data, run = correlated(int(n), int(d), rng), gaussian_covariance_perturbation
    return error_of_precision(run, data, ledger, epsilon=epsilon, delta=1e-5)


def gaussian_precision() -> Case:
    """Covariance perturbation with Gaussian noise: a sensitivity off by sqrt 2."""
    theorem = "Theorem 6.3.7: ||Theta_hat - Theta*||_F/max(..) = O(d sqrt(ln(1/delta))/(n epsilon))"
    recipe = partial(along, error=_error, claim=theorem, expensive=True)
    return Case(
        id="diss-6.3.51-G",
        forms={
            "corrected": _form(**RIGHT),
            "corrected-diagonal": _form(
                **RIGHT, constants=for_the_mean(constants_for_diagonal(**RIGHT), N)
            ),
            **off_by_root_2(_form, errata.printed, "diss-6.3.51-G/E1", GUESSING),
        },
        scaling=(
            recipe("n", (4e3, 8e3, 1.6e4, 3.2e4), -1.0, repetitions=16),
            recipe("d", (4, 6, 9, 13), 1.0, repetitions=12, inflation=1.5),
        ),
        real_data=(
            precision_on_survey(
                gaussian_covariance_perturbation,
                delta=1e-5,
                epsilons=(0.1, 0.3, 1.0, 3.0),
                beaten_at=0.3,
            ),
        ),
        mutants={
            "clipping dropped": _form(unclipped, length=2.0, no_black_box="a mutant", **RIGHT)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Covariance perturbation, Gaussian."""
    run = partial(arguments_of, gaussian_covariance_perturbation, delta=1e-3)
    diagonal = Constants(0.05, 0.125, 4.0)
    return (
        *precision(Constants(0.75, 0.25), Constants(0.5, 0.75), epsilon=2.0, delta=1e-3),
        Setting(
            "diagonal-variance",
            "Four times the variance on the diagonal.",
            run(SPREAD[:, :3], epsilon=1.0, penalty=0.25, constants=diagonal),
            seed=4,
            **ITERATED,
        ),
        Setting(
            "real-data",
            "Four measurements of every fourth wine, with the noise of theory.",
            run(wines(4), epsilon=4.0, penalty=0.05),
            seed=5,
            **ITERATED,
        ),
    )


CASES = {"diss-6.3.51-G": gaussian_precision}
SETTINGS = {"diss-6.3.51-G": settings}
LEFT_OUT = {"diss-6.3.51-G": {"loop": "two steps"}}
