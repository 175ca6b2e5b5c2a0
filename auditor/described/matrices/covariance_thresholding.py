"""DP-Thresholding (diss-6.2.48): audit and settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Case,
    Data,
    Everything,
    Form,
    Model,
    RealData,
    Scaling,
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
from auditor.described.data.small_matrices import ALONG_AXES, ONE_LARGE, SPREAD, first_draws, wines
from auditor.described.data.sparse_covariances import (
    block,
    block_signs,
    on_axes,
    relative_to_zero,
    spectral_error,
)
from auditor.described.data.vectors import relative_distance
from reference._validation import FloatArray
from reference.errata.matrices import covariance_thresholding as errata
from reference.matrices.covariance_thresholding import constants_for, covariance_thresholding
from reference.matrices.local_gaussian_pca import constants_for_diagonal
from reference.matrices.second_moments import second_moment
from reference.matrices.sparse_covariance import (
    Constants,
    SparseCovariance,
    entry_threshold,
    sparse_covariance,
)
from reference.privacy.ledger import Ledger

COUNTS = (85, 80, 35)
"""Records e_1, e_2, e_3: two entries above the threshold of the corrected forms, one below it."""
DELTA = 1e-5
DIMENSION, SPARSITY = 8, 4
TOO_RARE = "events that break the claim have the probability of delta; the exact loss is sampled"
RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}
SMALL: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-8}
"""Parameters, epsilon <= 1, that show sensitivity 1 for sqrt 2 best: delta(1) = 63 delta."""


def first_against_second(estimate: SparseCovariance) -> float:
    """Return the difference of the first two variances, all that tells e_1 from e_2."""
    return float(estimate.positive[0, 0] - estimate.positive[1, 1])


def _form(function: Any = covariance_thresholding, *, length: float = 1.0, **options: Any) -> Form:
    """Two hundred records on three axes; e_1 against e_2 moves the upper triangle by sqrt 2."""
    first, second = on_axes(COUNTS)
    return form(
        function,
        (length * first, length * second),
        domain=Everything((3,)),
        **{"statistic": first_against_second, **options},
    )


def _calibrated(calibrate: Any) -> Form:
    constants = constants_for(n=sum(COUNTS), dimension=3, calibrate=calibrate, **RIGHT)
    return _form(constants=constants, **RIGHT)


def unclipped(data: Data, *, epsilon: float, delta: float, ledger: Ledger) -> SparseCovariance:
    """Run the algorithm on records of any norm."""
    n, p = data.shape
    noise = constants_for(n=n, dimension=p, epsilon=epsilon, delta=delta)
    noisy = ledger.symmetric_gaussian(
        data.T @ data / n, sensitivity=noise.sensitivity, scale=noise.noise_scale
    )
    return sparse_covariance(noisy, noise.threshold)


def error_on_a_block(
    rng: np.random.Generator,
    ledger: Ledger,
    covariance: FloatArray,
    *,
    n: float,
    constants: Constants,
) -> float:
    """Return ||Sigma_hat - Sigma||_2^2 over that of the zero matrix, of one run.

    The claim is that of the constants, which are for n records.
    """
    records = block_signs(rng, int(n), covariance)
    found = covariance_thresholding(
        records, epsilon=1.0, delta=DELTA, constants=constants, ledger=ledger
    )
    return relative_to_zero(covariance, spectral_error(found.thresholded, covariance)) ** 2


FULL = block(DIMENSION, SPARSITY, 1 / (SPARSITY + 1))
"""The block with the largest entries."""


def rates(
    constants_of: Callable[[int, int, float], Constants],
    claims: tuple[str, str],
    *,
    along_n: tuple[Any, float],
    epsilons: Any,
    large: tuple[int, float],
    small: tuple[int, float],
) -> tuple[Scaling, ...]:
    """Return the recipes of a thresholded covariance.

    Entries are large along n and epsilon, and those of T along s and p. As proved, T^2 has the
    factor (s + 1)^2: the diagonal entry counts as well.

    Parameters
    ----------
    constants_of : callable
        The constants at n, p and epsilon.
    claims : (str, str)
        With large entries, and with those of T.
    along_n : (sequence of float, float)
        The values of n, and the slope.
    large, small : (int, float)
        n and epsilon, where they are held.
    """

    def above(
        rng: np.random.Generator,
        ledger: Ledger,
        *,
        n: float = large[0],
        epsilon: float = large[1],
    ) -> float:
        constants = constants_of(int(n), DIMENSION, epsilon)
        return error_on_a_block(rng, ledger, FULL, n=n, constants=constants)

    def at(
        rng: np.random.Generator,
        ledger: Ledger,
        *,
        p: float = 16,
        s: float = 2,
        factor: float = 1.0,
    ) -> float:
        """Return ||Sigma_hat - Sigma||_2^2 where every entry of the block is T: s^2 T^2."""
        right, rows = constants_of(small[0], int(p), small[1]), round(s) + 1
        noise, level = factor * right.noise_scale, factor * right.threshold
        constants = replace(right, noise_scale=noise, threshold=level)
        covariance = block(int(p), rows - 1, level)
        relative = error_on_a_block(rng, ledger, covariance, n=small[0], constants=constants)
        return relative * rows**2 * level**2

    sparsities, dimensions = (1, 2, 3, 5), (8, 16, 32, 64)
    in_s = rate_slope(sparsities, lambda s: (s + 1) ** 2)
    in_p = rate_slope(dimensions, math.log)
    inflates = "the noise and its threshold"
    recipe = partial(along, error=above, claim=claims[0], repetitions=10)
    at_level = partial(along, error=at, claim=claims[1], expensive=True)
    return (
        recipe("n", *along_n),
        recipe("epsilon", epsilons, noise_slope(epsilons, DELTA, 2)),
        at_level("s", sparsities, in_s, repetitions=20, inflates=inflates),
        at_level("p", dimensions, in_p, repetitions=10, inflation=1.0),
    )


def _constants(n: int, dimension: int, epsilon: float) -> Constants:
    return constants_for(n=n, dimension=dimension, epsilon=epsilon, delta=DELTA)


def _without_noise(data: FloatArray) -> FloatArray:
    n, p = data.shape
    level = entry_threshold(n=n, dimension=p, deviation=0.0)
    return sparse_covariance(second_moment(data), level).positive


def on_survey(
    function: Any, *, epsilons: Sequence[float], beaten_at: float, model: Model
) -> RealData:
    """Return the audit on the survey, compared with a guess: independent uniform columns."""
    return real_data(
        function,
        delta=DELTA,
        name=SURVEY,
        load=survey,
        neighbour=corner,
        baseline=_without_noise,
        error=lambda found, baseline: relative_distance(found.positive, baseline),
        epsilons=epsilons,
        metric="relative error of the covariance matrix (the zero matrix has 1), Frobenius",
        trivial=as_guessed(lambda moment: moment, len(fair.RANGES), beaten_at=beaten_at),
        model=model,
    )


def thresholding() -> Case:
    """Say how it is audited: a sensitivity off by sqrt 2, and errors over that of doing nothing."""
    theorem = (
        "as proved for Theorem 6.2.2: E||Sigma_hat - Sigma||_2^2 = O((s + 1)^2 T^2), T^2 = log(p) "
    )
    theorem += "O(1/n + log(1/delta)/(n^2 epsilon^2)); "
    above = theorem + "over that of the zero matrix, the noise's part"
    at = theorem + "entries of T"
    return Case(
        id="diss-6.2.48",
        forms={
            "corrected": _form(**RIGHT),
            "corrected-diagonal": _calibrated(constants_for_diagonal),
            "printed": _form(
                errata.printed,
                no_black_box=TOO_RARE,
                violates={"sensitivity": "diss-6.2.48/E1", "privacy_loss": "diss-6.2.48/E1"},
                **SMALL,
            ),
        },
        scaling=rates(
            _constants,
            (above, at),
            along_n=((2e3, 4e3, 8e3, 1.6e4), -2.0),
            epsilons=(0.5, 1.0, 2.0, 4.0),
            large=(2000, 1.0),
            small=(20_000, 0.05),
        ),
        real_data=(
            on_survey(
                covariance_thresholding,
                epsilons=(0.03, 0.1, 0.3, 1.0),
                beaten_at=1.0,
                model=Model.CENTRAL,
            ),
        ),
        mutants={
            "clipping dropped": _form(unclipped, length=2.0, no_black_box="a mutant", **RIGHT)
        },
    )


REAL = Constants(sensitivity=0.03, noise_scale=0.05, threshold=0.1)


def settings() -> tuple[Setting, ...]:
    """DP-Thresholding."""
    run = partial(arguments_of, covariance_thresholding)
    tie = Constants(0.75, 1.0, float(np.abs(first_draws(1, 3)[1])))
    low, diagonal = Constants(0.1, 0.25, 0.15), Constants(0.5, 0.125, 0.125, 4.0)
    return (
        Setting(
            "by-hand",
            "Records along the axes, the first scaled to norm 1. The entry beside the diagonal is "
            "its noise, and exactly at the threshold: it becomes 0.",
            run([[3.0, 0.0], [0.0, 1.0]], epsilon=1.0, delta=1e-5, constants=tie),
        ),
        Setting(
            "middle",
            "The threshold of theory, which leaves one variance.",
            run(ONE_LARGE, epsilon=20.0, delta=1e-3),
            seed=2,
        ),
        Setting(
            "nothing-left",
            "The threshold of theory, which leaves nothing of so few records.",
            run(SPREAD, epsilon=1.0, delta=1e-5),
        ),
        Setting(
            "indefinite",
            "What is above the threshold has a negative eigenvalue, which the projection sets to "
            "0; entries of both signs are kept.",
            run(SPREAD, epsilon=1.0, delta=1e-2, constants=low),
            seed=2,
        ),
        Setting(
            "diagonal-variance",
            "Four times the variance on the diagonal, and a block that stands alone.",
            run(ALONG_AXES, epsilon=0.5, delta=1e-2, constants=diagonal),
            seed=5,
        ),
        Setting(
            "real-data",
            "Four measurements of every fourth wine, and noise that leaves some entries.",
            run(wines(4), epsilon=10.0, delta=1e-3, constants=REAL),
            seed=3,
        ),
    )


CASES = {"diss-6.2.48": thresholding}
SETTINGS = {"diss-6.2.48": settings}
LEFT_OUT = {"diss-6.2.48": {"loop": "three steps"}}
