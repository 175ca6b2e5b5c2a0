"""How covariance perturbation with Wishart noise (diss-6.3.51-W1) is audited."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor.cases.build import along, form, real_data
from auditor.cases.data import fair
from auditor.cases.data.vectors import one_record, relative_distance
from auditor.core.case import Case, Data, Form
from auditor.core.neighbours import Everything, replace_record
from reference._validation import FloatArray
from reference.errata.matrices import wishart_covariance_perturbation as errata
from reference.matrices.graphical_lasso import graphical_lasso
from reference.matrices.positive_semidefinite import positive_part
from reference.matrices.second_moments import second_moment
from reference.matrices.wishart_covariance_perturbation import (
    constants_for,
    wishart_covariance_perturbation,
)
from reference.privacy.ledger import Ledger

ANGLE = math.atan(0.5) / 2
TURNED = one_record(2, [math.cos(ANGLE), math.sin(ANGLE)], [-math.sin(ANGLE), math.cos(ANGLE)])
"""v = (cos t, sin t) against (-sin t, cos t) with tan 2t = 1/2: the upper triangle moves by sqrt 5.

That is the most there is in two dimensions.
"""


def _form(function: Any, pair: tuple[Data, Data], **options: Any) -> Form:
    return form(function, pair, epsilon=1.0, penalty=0.05, domain=Everything((2,)), **options)


def leaning(theta: FloatArray) -> float:
    """<Theta, S' - S>: where the second moment is large, the precision is small."""
    return float(np.sum(theta * (second_moment(TURNED[1]) - second_moment(TURNED[0]))))


def unclipped(data: Data, *, epsilon: float, penalty: float, ledger: Ledger) -> FloatArray:
    """Run the algorithm on records of any norm."""
    n, dimension = data.shape
    noise = constants_for(n=n, dimension=dimension, epsilon=epsilon)
    noisy = ledger.symmetric_laplace(
        data.T @ data / n, sensitivity=noise.sensitivity, scale=noise.noise_scale
    )
    return graphical_lasso(positive_part(noisy), penalty=penalty)


def _error(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    """||Theta_hat - Theta*||_F of one run with ten correlated variables."""
    d, penalty = 10, 0.1
    data = rng.standard_normal((int(n), d))
    data[:, 0] += data[:, 1]
    estimate = wishart_covariance_perturbation(data, epsilon=1.0, penalty=penalty, ledger=ledger)
    difference = estimate - graphical_lasso(second_moment(data), penalty=penalty)
    return float(np.linalg.norm(difference))


def _survey() -> FloatArray:
    """Return the survey's explanatory columns, rows inside the unit ball."""
    columns = fair.explanatory()
    return columns / math.sqrt(columns.shape[1])


def _corner(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
    """Replace a random row by a random corner of the cube."""
    index, width = int(rng.integers(len(data))), data.shape[1]
    return replace_record(data, index, rng.choice([-1.0, 1.0], width) / math.sqrt(width)), index


def precision() -> Case:
    """Covariance perturbation with Wishart noise: supports that differ, infinite loss."""
    theorem = "Theorem 6.3.5: ||Theta_hat - Theta*||_F = O(d^2/(n epsilon))"
    sizes = (8e3, 1.6e4, 3.2e4, 6.4e4)
    return Case(
        id="diss-6.3.51-W1",
        forms={
            "corrected": _form(wishart_covariance_perturbation, TURNED, statistic=leaning),
            # a zero record against e_1, whose matrices are never below e_1 e_1^T/n: Theta_11 is at
            # most n under the second data set (Theta^-1 is above S' there)
            "printed": _form(
                errata.printed,
                one_record(2, [0.0, 0.0], [1.0, 0.0]),
                statistic=lambda theta: float(theta[0, 0]),
                violates={
                    "accounting": "diss-6.3.51-W1/E1",
                    "privacy_loss": "diss-6.3.51-W1/E1",
                    "black_box": "diss-6.3.51-W1/E1",
                },
            ),
        },
        scaling=(along("n", sizes, -1.0, error=_error, repetitions=16, claim=theorem, dear=True),),
        real_data=(
            real_data(
                wishart_covariance_perturbation,
                penalty=0.01,
                name="fair (statsmodels), eight columns",
                load=_survey,
                neighbour=_corner,
                baseline=lambda data: graphical_lasso(second_moment(data), penalty=0.01),
                error=relative_distance,
                epsilons=(0.1, 0.3, 1.0, 3.0),
                metric="relative error of the precision matrix, Frobenius",
            ),
        ),
        mutants={
            "clipping dropped": _form(
                unclipped, (2 * TURNED[0], 2 * TURNED[1]), no_black_box="a mutant"
            )
        },
    )


CASES = {"diss-6.3.51-W1": precision}
