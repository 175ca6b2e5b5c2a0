"""The output perturbation of a precision matrix (diss-6.3.50): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Everything, Form, Setting, along, averaged, form, root_mean_square
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_matrices import SPREAD, TWO
from auditor.described.data.vectors import one_record
from reference._validation import FloatArray
from reference.errata.matrices import precision_output_perturbation as errata
from reference.matrices.graphical_lasso import graphical_lasso
from reference.matrices.precision_output_perturbation import (
    Constants,
    constants_for,
    precision_output_perturbation,
    with_eigenvalues_in,
)
from reference.matrices.second_moments import second_moment
from reference.privacy.ledger import Ledger


def _form(function: Any, n: int, length: float = 1.0, **options: Any) -> Form:
    """One variable: a zero record against 1. The minimisers are 1/rho and 1/(1/n + rho).

    They are 1/(n rho (rho + 1/n)) apart, which is nearly all of the sensitivity for a large n.
    """
    options = {"statistic": lambda theta: float(theta[0, 0])} | options
    pair = one_record(n, [0.0], [length])
    return form(function, pair, epsilon=1.0, penalty=1.0, domain=Everything((1,)), **options)


def unclipped(data: Data, *, epsilon: float, penalty: float, ledger: Ledger) -> FloatArray:
    """Run the algorithm on records of any norm."""
    n, d = data.shape
    noise = constants_for(n=n, dimension=d, epsilon=epsilon, penalty=penalty)
    theta = graphical_lasso(data.T @ data / n, penalty=penalty).theta
    noisy = ledger.symmetric_laplace(theta, sensitivity=noise.sensitivity, scale=noise.noise_scale)
    return with_eigenvalues_in(noisy, 1 / (1 + penalty * d), d / penalty)


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 1e5,
    d: float = 3,
    penalty: float = 0.5,
    epsilon: float = 1.0,
) -> float:
    """Return ||Theta~ - Theta*||_F of one run with correlated variables.

    The data are fifty records, n/50 times each: the second moment does not depend on n.
    """
    rows = rng.standard_normal((50, int(d)))
    rows[:, 0] += rows[:, -1]
    data = np.repeat(rows, round(n / 50), axis=0)
    minimiser = graphical_lasso(second_moment(data), penalty=penalty).theta
    estimate = precision_output_perturbation(data, epsilon=epsilon, penalty=penalty, ledger=ledger)
    return float(np.linalg.norm(estimate - minimiser))


def precision_output() -> Case:
    """Output perturbation: Wishart noise, whose supports differ."""
    theorem = "Theorem 6.3.2: ||Theta~ - Theta*||_F = O(d^4/(n epsilon rho^2))"
    error = averaged(_error, 3, root_mean_square)
    recipe = partial(along, error=error, repetitions=8, claim=theorem)
    return Case(
        id="diss-6.3.50",
        forms={
            "corrected": _form(precision_output_perturbation, 50),
            # a zero record gives an output above 1; without it, .2212 of them are below
            "printed": _form(
                errata.printed,
                1,
                statistic=lambda theta: -float(theta[0, 0]),
                seen=one_record(1, [1.0], [0.0]),
                violates=dict.fromkeys(
                    ("accounting", "privacy_loss", "black_box"), "diss-6.3.50/E1"
                ),
            ),
        },
        scaling=(
            recipe("n", (2e3, 4e3, 8e3, 1.6e4), -1.0),
            recipe("penalty", (0.25, 0.5, 1.0, 2.0), -2.0, name="rho", epsilon=10.0, n=1e4),
            recipe("d", (2, 4, 8, 16), 4.0, inflation=1.0, epsilon=1e3, n=1e4, expensive=True),
        ),
        no_real_data="its noise, of order d^4/(n rho^2), hides every estimate of real size",
        mutants={"clipping dropped": _form(unclipped, 50, length=3.0, no_black_box="a mutant")},
    )


def settings() -> tuple[Setting, ...]:
    """Output perturbation of a precision matrix."""
    run = partial(arguments_of, precision_output_perturbation, epsilon=1.0)
    return (
        Setting(
            "by-hand",
            "Two records, one of which is scaled to norm 1, a graphical lasso of two variables, "
            "diagonal penalised, and noise on its upper triangle.",
            run(TWO, penalty=0.5, constants=Constants(2.0, 0.5)),
        ),
        Setting(
            "middle",
            "Noise of theory, which is large: eigenvalues are cut at both ends.",
            run(SPREAD, penalty=0.5),
            seed=2,
        ),
        Setting(
            "cut-above",
            "One eigenvalue is above what any minimiser has.",
            run(SPREAD[:, :3], penalty=0.5, constants=Constants(2.0, 3.0)),
            seed=3,
        ),
        Setting(
            "not-cut",
            "Little noise: no eigenvalue is cut, and entries that are 0 without noise are not.",
            run(SPREAD[:, :3], penalty=0.25, constants=Constants(2.0, 0.01)),
            seed=4,
        ),
    )


CASES = {"diss-6.3.50": precision_output}
SETTINGS = {"diss-6.3.50": settings}
LEFT_OUT = {"diss-6.3.50": {"loop": "one step"}}
