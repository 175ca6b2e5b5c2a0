"""Cases of the heavy-tailed algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.conformance.instance import Instance
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball
from reference.heavy_tailed import (
    known_mean_gradient_descent,
    private_mean,
    sample_and_aggregate,
    trimmed_mean,
)
from reference.losses import Biweight, Records, RidgeRegularized, SquaredDistance, SquaredError

TRUNCATION = "reference.heavy_tailed.truncation"
PRIVATE: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5}

# ------------------------------------------------------------------------------- data


def tails(n: int, seed: int) -> FloatArray:
    """Return numbers of mean 1/2, some of them far out."""
    numbers: FloatArray = np.round(0.5 + np.random.default_rng(seed).standard_t(2, n), 3)
    return numbers


def vectors(n: int, dimension: int, seed: int) -> FloatArray:
    """Return vectors with heavy tails, of mean 1/2 in the first coordinate and 0 elsewhere."""
    records: FloatArray = np.round(np.random.default_rng(seed).standard_t(3, (n, dimension)), 3)
    records[:, 0] += 0.5
    return records


def regression(n: int, dimension: int, seed: int) -> Records:
    """Return features and responses with heavy tails; the first two coefficients are not 0."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_t(4, (n, dimension)), 3)
    noise = 0.5 * rng.standard_t(3, n)
    return features, np.round(0.6 * features[:, 0] - 0.4 * features[:, 1] + noise, 3)


def diabetes() -> Records:
    """Return 40 records of scikit-learn's diabetes data: three features, standardised."""
    from sklearn.datasets import load_diabetes  # loads slowly

    features, progression = load_diabetes(return_X_y=True)
    chosen, response = features[:400:10, [2, 3, 8]], progression[:400:10]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)
    return (
        np.round(standard, 6),
        np.round((response - response.mean()) / response.std(), 6),
    )


# ------------------------------------------------------------------------ truncation


def mean_instances(chosen: private_mean.Constants) -> tuple[Instance, ...]:
    """Return the cases of the mean of numbers, central or local.

    Parameters
    ----------
    chosen : Constants
        Of the case by hand.
    """
    usual = {**PRIVATE, "second_moment": 5.0, "failure_probability": 0.05}
    few = np.array([0.0, 1.0, -0.5, 1e6])
    ends = np.array([1e-12, -1e-12, 1e-4, 0.5, -1.25, 1.5, -4.0, 7.5, 9.0, -20.0, 1e5, -1e8, 1e300])
    return (
        Instance(
            "by-hand",
            "Four numbers at scale 1: a 0 stays 0, a huge one counts as the bound of the "
            "truncation, and the others are bent.",
            {"data": few, **usual, "constants": chosen},
        ),
        Instance(
            "middle",
            "Numbers with heavy tails, with the theory's constants.",
            {"data": tails(40, 1), **usual},
        ),
        Instance(
            "rough",
            "A low precision at numbers from 1e-12 to 1e300: far from 0 the closed form of the "
            "truncation cancels to nothing in doubles.",
            {
                "data": ends,
                **usual,
                "constants": replace(chosen, truncation_scale=1.5, precision=2.3),
            },
        ),
        Instance(
            "sharp",
            "A high precision: the closed form is used up to eight times the scale, and numbers "
            "near the kink at the root of 2 tell its terms apart.",
            {
                "data": np.array([0.25, -0.7, 1.3, 1.38, -1.41, 1.42, 1.5, 2.0, -7.9, 9.5, 13.0]),
                **usual,
                "constants": replace(chosen, truncation_scale=1.0, precision=900.0),
            },
        ),
        Instance(
            "very-sharp",
            "A precision so high that the smoothing noise stays small where the closed form "
            "already cancels to nothing in doubles.",
            {
                "data": np.array([0.5, -1.0, 1.25, 3e4, -1e5, 4e5]),
                **usual,
                "constants": replace(chosen, truncation_scale=1.0, precision=1e12),
            },
        ),
        Instance(
            "small-numbers",
            "Numbers far below the scale, down to ones that underflow when divided by it, are "
            "kept as they are.",
            {
                "data": np.array([3e-9, -1e-12, 5e-11, 2e-290, 1e-13]),
                **usual,
                "constants": replace(
                    chosen, truncation_scale=4.0, sensitivity=1e-12, noise_scale=1e-11
                ),
            },
        ),
    )


def wang_mean() -> tuple[Instance, ...]:
    """Mean by smoothed truncation."""
    chosen = private_mean.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=0.5, noise_scale=0.25
    )
    instances = mean_instances(chosen)
    real = Instance(
        "real-data",
        "The disease progression of forty records of the diabetes data.",
        {"data": diabetes()[1], **PRIVATE, "second_moment": 1.0, "failure_probability": 0.1},
    )
    return (*instances, real)


def wang_ldp_mean() -> tuple[Instance, ...]:
    """Local mean by smoothed truncation."""
    chosen = private_mean.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )
    return mean_instances(chosen)


# --------------------------------------------------------------------- gradient descent


CHOSEN = private_mean.Constants(
    truncation_scale=2.0, precision=4.0, sensitivity=1.0, noise_scale=0.5
)
FEW = np.array([[1.0, 0.0], [0.5, -1.0], [100.0, 0.25], [-1.0, 2.0], [0.0, 0.5]])
"""Five records, one of them far out in its first coordinate."""
HUGE: Records = (
    np.array([[0.5, 0.25], [1.5e308, 0.0], [-1e200, 1e200], [1.0, -0.75]]),
    np.array([0.5, -1.5e308, -1.0, -0.25]),
)
"""Records whose gradients overflow; one of them is infinite times 0 in the second coordinate."""


def diss_3_2_8() -> tuple[Instance, ...]:
    """Robust private gradient descent."""
    usual = {**PRIVATE, "second_moment": 8.0, "failure_probability": 0.05}
    return (
        Instance(
            "by-hand",
            "Two steps on all of five records, of which one is truncated to the bound; the "
            "second step leaves the ball.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.5, 0.0]),
                **usual,
                "step_size": 0.5,
                "n_iterations": 2,
                "constants": CHOSEN,
            },
            seed=2,
        ),
        Instance(
            "middle",
            "Three steps of a least squares regression in an l2 ball, with the theory's constants.",
            {
                "data": regression(40, 4, 1),
                "loss": SquaredError(),
                "constraint": L2Ball(0.65),
                "initial": np.array([0.25, 0.0, 0.0, -0.25]),
                **usual,
                "epsilon": 8.0,
                "step_size": 0.25,
                "n_iterations": 3,
            },
        ),
        Instance(
            "l1-ball",
            "An l1 ball, whose projection sets coordinates to 0, and a regularised loss for which "
            "gross errors have no slope.",
            {
                "data": regression(30, 3, 2),
                "loss": RidgeRegularized(Biweight(threshold=2.0), 0.5),
                "constraint": L1Ball(0.4),
                "initial": np.array([0.25, 0.125, 0.0]),
                **usual,
                "epsilon": 8.0,
                "second_moment": 1.0,
                "step_size": 0.5,
                "n_iterations": 3,
            },
            seed=3,
        ),
        Instance(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0: no record makes a run fail.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "constraint": L2Ball(5.0),
                "initial": np.array([0.5, 0.25]),
                **usual,
                "step_size": 0.5,
                "n_iterations": 2,
                "constants": CHOSEN,
            },
        ),
    )


def diss_rgd() -> tuple[Instance, ...]:
    """Stochastic robust private gradient descent."""
    usual = {**PRIVATE, "second_moment": 8.0, "failure_probability": 0.05}

    return (
        Instance(
            "by-hand",
            "Two batches of two of five records, the last of which is not used; the average of "
            "the two points, without the starting point.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.5, 0.0]),
                **usual,
                "batch_size": 2,
                "step_size": 0.5,
                "constants": CHOSEN,
            },
        ),
        Instance(
            "middle",
            "Four batches of eleven, of which two records are left over, with the theory's "
            "constants and steps of the printed size 1.",
            {
                "data": regression(46, 4, 3),
                "loss": SquaredError(),
                "constraint": L2Ball(1.25),
                "initial": np.zeros(4),
                **usual,
                "epsilon": 8.0,
                "batch_size": 11,
            },
        ),
        Instance(
            "remainder",
            "Batches of seven of thirteen records: one step, and nearly half of the records are "
            "left over.",
            {
                "data": vectors(13, 3, 4),
                "loss": SquaredDistance(),
                "constraint": L1Ball(0.3),
                "initial": np.array([0.125, 0.0, -0.125]),
                **usual,
                "epsilon": 8.0,
                "batch_size": 7,
                "step_size": 0.25,
            },
            seed=2,
        ),
        Instance(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "constraint": L2Ball(5.0),
                "initial": np.array([0.5, 0.25]),
                **usual,
                "batch_size": 2,
                "step_size": 0.5,
                "constants": CHOSEN,
            },
        ),
    )


# ------------------------------------------------------------------------- trimmed mean

TRIMMED = "reference.heavy_tailed.trimmed_mean"


def diss_3_2_6() -> tuple[Instance, ...]:
    """Trimmed mean with smooth sensitivity."""
    chosen = trimmed_mean.Constants(smoothness=0.5, divisor=0.5, rho=2.0)
    numbers = tails(41, 5)
    return (
        Instance(
            "by-hand",
            "Seven numbers, of which two are dropped at either end; the sensitivity is largest "
            "for data sets that differ in a second record.",
            {
                "data": np.array([4.0, -30.0, 1.0, 0.0, 3.0, 9.0, 2.0]),
                "epsilon": 2.0,
                "lower": -5.0,
                "upper": 5.0,
                "trim": 2,
                "constants": chosen,
            },
            version=2,
        ),
        Instance(
            "middle",
            "Numbers with heavy tails, twelve dropped at either end, with the theory's constants.",
            {"data": numbers, "epsilon": 2.0, "lower": -2.0, "upper": 2.0, "trim": 12},
        ),
        Instance(
            "upper-end",
            "A trimmed mean above its range, and one record left: the local sensitivity is capped "
            "by the width of the range.",
            {
                "data": np.array([9.0, 1.0, 30.0, 12.0, 250.0]),
                "epsilon": 8.0,
                "lower": -1.0,
                "upper": 4.0,
                "trim": 2,
            },
            seed=2,
        ),
        Instance(
            "lower-end",
            "A trimmed mean below its range, numbers close together: what counts are the data sets "
            "that differ in more records than are dropped.",
            {
                "data": np.array([-3.0, -3.01, -2.99, -3.02, -2.98, -3.0, -2.995]),
                "epsilon": 4.0,
                "lower": -1.0,
                "upper": 4.0,
                "trim": 1,
            },
            seed=3,
        ),
        Instance(
            "farther",
            "At a large epsilon the sensitivity is largest for data sets that differ in some "
            "records more, fewer than are dropped.",
            {
                "data": np.concatenate([np.linspace(-0.04, 0.06, 21), [40.0, 50.0, -60.0, -70.0]]),
                "epsilon": 4.0,
                "lower": -2.0,
                "upper": 2.0,
                "trim": 7,
            },
            seed=4,
        ),
        Instance(
            "equal-records",
            "Equal records at a large epsilon: the noise is so small that the rounding of a mean "
            "in the range adds to it.",
            {
                "data": np.full(7, 0.5),
                "epsilon": 12.0,
                "lower": -1000.0,
                "upper": 10.0,
                "trim": 3,
            },
            seed=5,
        ),
        Instance(
            "huge-numbers",
            "Numbers of both signs whose sum overflows, though their mean does not.",
            {
                "data": np.array([-8, 0.0, 7.5, 8, -7, -2, -7.25, -7.5, 7, 6.5, -6.75]) * 1e307,
                "epsilon": 4.0,
                "lower": -1.0,
                "upper": 1.0,
                "trim": 1,
            },
            seed=6,
        ),
    )


def diss_3_2_7() -> tuple[Instance, ...]:
    """Gradient descent on privately trimmed gradients."""
    large: dict[str, Any] = {"epsilon": 40.0, "delta": 0.01}

    return (
        Instance(
            "by-hand",
            "Two steps on five records: of every coordinate's derivatives the smallest and the "
            "largest are dropped.",
            {
                "data": FEW,
                "loss": SquaredDistance(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.5, 0.0]),
                **large,
                "lower": -4.0,
                "upper": 4.0,
                "trim": 1,
                "step_size": 0.25,
                "n_iterations": 2,
                "constants": known_mean_gradient_descent.Constants(step_epsilon=4.0),
            },
        ),
        Instance(
            "middle",
            "Three steps of a least squares regression in an l2 ball, with the theory's constants.",
            {
                "data": regression(31, 3, 6),
                "loss": SquaredError(),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.25, 0.0, -0.25]),
                "epsilon": 4.0,
                "delta": 0.01,
                "lower": -6.0,
                "upper": 6.0,
                "trim": 9,
                "step_size": 0.03,
                "n_iterations": 3,
            },
            seed=2,
        ),
        Instance(
            "l1-ball",
            "An l1 ball, and means of derivatives outside the range that is known of them.",
            {
                "data": vectors(25, 3, 7),
                "loss": SquaredDistance(),
                "constraint": L1Ball(1.0),
                "initial": np.array([-1.0, 0.0, 0.0]),
                **large,
                "lower": -0.5,
                "upper": 0.25,
                "trim": 10,
                "step_size": 0.5,
                "n_iterations": 2,
            },
            seed=3,
        ),
        Instance(
            "overflow",
            "Derivatives that overflow count as 1e100 and those that are not a number as 0.",
            {
                "data": HUGE,
                "loss": SquaredError(),
                "constraint": L2Ball(5.0),
                "initial": np.array([0.5, 0.25]),
                **large,
                "lower": -4.0,
                "upper": 4.0,
                "trim": 1,
                "step_size": 0.1,
                "n_iterations": 1,
            },
        ),
    )


# ------------------------------------------------------------------ sample and aggregate


def diss_3_2_5() -> tuple[Instance, ...]:
    """Sample and aggregate."""
    chosen = sample_and_aggregate.Constants(divisor=0.25, decay=0.5)

    huge = np.round(np.random.default_rng(8).standard_normal((30, 2)), 3)
    huge[3], huge[8], huge[21] = (1.5e308, 1.0), (-1.5e308, -1.5e308), (40.0, -30.0)
    huge[9] = (-1.5e308, 1e300)
    apart = np.repeat([0.0, 4.0], [22, 18]) + np.round(np.linspace(-0.25, 0.25, 40), 3)
    return (
        Instance(
            "by-hand",
            "The means of four pairs, two of which are cut to the ball of diameter 1: all are as "
            "good as centres, and the first is released.",
            {
                "data": np.array([1.0, 1.0, 0.0, 0.0, 1.0, -1.0, -1.0, -1.0]),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 20.0,
                "delta": 0.1,
                "diameter": 1.0,
                "n_blocks": 4,
                "constants": chosen,
            },
        ),
        Instance(
            "middle",
            "The means of thirty pairs of vectors, with the theory's constants.",
            {
                "data": vectors(60, 2, 9),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 2.0,
                "delta": 0.1,
                "diameter": 4.0,
                "n_blocks": 30,
            },
        ),
        Instance(
            "two-clusters",
            "Estimates in two clusters, a few records left over: the noise is largest for data "
            "sets that differ in several records.",
            {
                "data": np.append(apart, [100.0, -100.0]),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 2.0,
                "delta": 0.1,
                "diameter": 10.0,
                "n_blocks": 20,
            },
            seed=2,
        ),
        Instance(
            "all-alike",
            "All estimates are 0: no radius is above 0, and the noise is that of the diameter.",
            {
                "data": np.repeat([0.0, 1.0, -1.0], [24, 8, 8])[
                    np.array([*range(24), *np.stack([range(24, 32), range(32, 40)], 1).ravel()])
                ],
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 2.0,
                "delta": 0.1,
                "diameter": 4.0,
                "n_blocks": 20,
            },
            seed=3,
        ),
        Instance(
            "random-subsets",
            "Random pairs of records, drawn in public, of which one record is in up to four.",
            {
                "data": tails(32, 10),
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 20.0,
                "delta": 0.1,
                "diameter": 1.2,
                "n_blocks": 16,
                "disjoint": False,
                "constants": chosen,
            },
            seed=4,
        ),
        Instance(
            "overflow",
            "Estimates that overflow are cut entry by entry before they are scaled to the ball.",
            {
                "data": huge,
                "estimator": sample_and_aggregate.block_mean,
                "epsilon": 20.0,
                "delta": 0.1,
                "diameter": 6.0,
                "n_blocks": 15,
                "constants": chosen,
            },
            seed=5,
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "diss-3.2.5": diss_3_2_5,
    "diss-3.2.6": diss_3_2_6,
    "diss-3.2.7": diss_3_2_7,
    "diss-3.2.8": diss_3_2_8,
    "diss-RGD": diss_rgd,
    "wang-ldp-mean": wang_ldp_mean,
    "wang-mean": wang_mean,
}
