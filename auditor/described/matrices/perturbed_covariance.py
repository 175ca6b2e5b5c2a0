"""The perturbed covariance matrix (diss-6.2-NAIVE): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Data,
    Everything,
    Form,
    Setting,
    along,
    form,
    noise_slope,
    rate_slope,
    real_data,
)
from auditor.described.data import fair
from auditor.described.data.calls import arguments_of
from auditor.described.data.second_moments import SURVEY, as_guessed, corner, survey
from auditor.described.data.small_matrices import ALONG_AXES, SPREAD, TWO
from auditor.described.data.sparse_covariances import block, block_signs, on_axes, signed_axes
from auditor.described.data.vectors import relative_distance
from reference._validation import FloatArray
from reference.errata.matrices import perturbed_covariance as errata
from reference.matrices.local_gaussian_pca import constants_for_diagonal, constants_for_scaled
from reference.matrices.perturbed_covariance import Constants, constants_for, perturbed_covariance
from reference.matrices.second_moments import second_moment
from reference.privacy.ledger import Ledger

DELTA = 1e-5
TOO_RARE = "events that break the claim have the probability of delta; the exact loss is sampled"
RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}
SMALL: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-8}
"""Parameters, epsilon <= 1, that show sensitivity 1 for sqrt 2 best: delta(1) = 63 delta."""


def first_against_second(estimate: FloatArray) -> float:
    """S_11 - S_22, all that tells e_1 from e_2."""
    return float(estimate[0, 0] - estimate[1, 1])


def _form(function: Any = perturbed_covariance, *, length: float = 1.0, **options: Any) -> Form:
    """Ten records on the axes of the plane; e_1 against e_2 moves the upper triangle by sqrt 2."""
    first, second = on_axes((5, 5))
    return form(
        function,
        (length * first, length * second),
        domain=Everything((2,)),
        **{"statistic": first_against_second, **options},
    )


def _calibrated(calibrate: Any) -> Form:
    return _form(constants=constants_for(n=10, calibrate=calibrate, **RIGHT), **RIGHT)


def unclipped(data: Data, *, epsilon: float, delta: float, ledger: Ledger) -> FloatArray:
    """Run the algorithm on records of any norm."""
    noise = constants_for(n=len(data), epsilon=epsilon, delta=delta)
    return ledger.symmetric_gaussian(
        data.T @ data / len(data), sensitivity=noise.sensitivity, scale=noise.noise_scale
    )


def _missed(data: FloatArray, covariance: FloatArray, epsilon: float, ledger: Ledger) -> float:
    """Return ||Sigma~ - Sigma||_2."""
    estimate = perturbed_covariance(data, epsilon=epsilon, delta=DELTA, ledger=ledger)
    return float(np.linalg.norm(estimate - covariance, 2))


def _noise(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float = 1000,
    p: float = 8,
    epsilon: float = 1.0,
) -> float:
    """Return the error on records whose second moment is their covariance: that of the noise."""
    covariance = block(int(p), 2, 1 / 3)
    return _missed(block_signs(rng, int(n), covariance), covariance, epsilon, ledger)


def _sampled(rng: np.random.Generator, ledger: Ledger, n: float, factor: float = 1.0) -> float:
    """Return the error at epsilon = 16 on records +-e_1, ..., +-e_10: nearly the sample's."""
    return _missed(signed_axes(rng, int(n / factor), 10), np.eye(10) / 10, 16.0, ledger)


def _norm(p: float) -> float:
    """Return about the median of ||N||_2 for entries of variance 1.

    It tends to 2 sqrt p, but is below it for small p; within 1% of simulations from p = 8 on.
    """
    return 2 * math.sqrt(p) - math.pow(p, -1 / 6) / 2 - 1.5 / math.sqrt(p)


def perturbed() -> Case:
    """Say how it is audited: a sensitivity off by sqrt 2, and a sample that misses too."""
    theorem = "(6.17): ||Sigma~ - Sigma||_2 = O(sqrt(p log(1/delta))/(n epsilon)), the noise's part"
    sizes, dimensions, epsilons = (1e3, 2e3, 4e3, 8e3), (8, 16, 32, 64), (0.125, 0.25, 0.5, 1.0)
    recipe = partial(along, error=_noise, repetitions=6, claim=theorem)
    return Case(
        id="diss-6.2-NAIVE",
        forms={
            "corrected": _form(**RIGHT),
            "corrected-scaled": _calibrated(constants_for_scaled),
            "corrected-diagonal": _calibrated(constants_for_diagonal),
            "printed": _form(
                errata.printed,
                no_black_box=TOO_RARE,
                violates=dict.fromkeys(("sensitivity", "privacy_loss"), "diss-6.2-NAIVE/E2"),
                **SMALL,
            ),
        },
        scaling=(
            recipe("n", sizes, -1.0),
            recipe("p", dimensions, rate_slope(dimensions, _norm)),
            recipe("epsilon", epsilons, noise_slope(epsilons, DELTA, 1)),
            along(
                "n",
                (1e3, 4e3, 1.6e4, 6.4e4),
                -0.5,
                name="n of a sample",
                error=_sampled,
                repetitions=8,
                claim="corrected: the sample's part, O(sqrt(lambda_1 log(p)/n))",
                inflates="the records for each one that is read,",
            ),
            along(
                "n",
                (1e3, 4e3, 1.6e4, 6.4e4),
                -1.0,
                name="n of a sample, as printed",
                error=_sampled,
                repetitions=12,
                claim="(6.17), as printed: O(1/n)",
                erratum="diss-6.2-NAIVE/E1",
                form="printed",
            ),
        ),
        real_data=(
            real_data(
                perturbed_covariance,
                delta=DELTA,
                name=SURVEY,
                load=survey,
                neighbour=corner,
                baseline=second_moment,
                error=relative_distance,
                epsilons=(0.01, 0.03, 0.1, 0.3),
                metric="relative error of the covariance matrix (the zero matrix has 1), Frobenius",
                trivial=as_guessed(lambda moment: moment, len(fair.RANGES), beaten_at=0.1),
            ),
        ),
        mutants={
            "clipping dropped": _form(unclipped, length=2.0, no_black_box="a mutant", **RIGHT)
        },
    )


def settings() -> tuple[Setting, ...]:
    """Perturbed covariance."""
    run = partial(arguments_of, perturbed_covariance)
    by_hand, diagonal = Constants(0.75, 0.5), Constants(0.5, 1.0, 4.0)
    return (
        Setting(
            "by-hand",
            "Two records, one of which is scaled to norm 1; noise on the upper triangle by rows.",
            run(TWO, epsilon=1.0, delta=1e-5, constants=by_hand),
        ),
        Setting(
            "middle",
            "Records that are not centred, some longer than 1.",
            run(SPREAD + 0.25, epsilon=1.0, delta=1e-5),
            seed=2,
        ),
        Setting(
            "diagonal-variance",
            "Four times the variance on the diagonal.",
            run(ALONG_AXES, epsilon=0.5, delta=1e-2, constants=diagonal),
        ),
    )


CASES = {"diss-6.2-NAIVE": perturbed}
SETTINGS = {"diss-6.2-NAIVE": settings}
