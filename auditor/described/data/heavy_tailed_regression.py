"""Linear models whose features or noise have few moments, and records that are huge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from statsmodels.datasets import randhie

from auditor import Data, Everything, Form, Product, form, replace_record
from reference._validation import FloatArray
from reference.losses import Records

HUGE = 1e6
"""Size of a record's entries, far beyond every truncation but that of a mutant."""

EVERYTHING = 1e300
"""Largest entry that a search tries."""


def any_regression_record(dimension: int) -> Product:
    """Return the domain of records (x, y) without a bound."""
    return Product((Everything((dimension,), EVERYTHING), Everything((), EVERYTHING)))


def student(freedom: int, size: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Draw from Student's t, scaled to variance 1."""
    return rng.standard_t(freedom, size) / math.sqrt(freedom / (freedom - 2))


def linear_model(features: FloatArray, noise: FloatArray) -> tuple[Records, FloatArray]:
    """Return records of y = <w*, x> + noise/2, and w* = (0.5, -0.3, 0.2, 0, ...).

    Where the entries of x and the noise are independent, of mean 0 and variance 1, the excess risk
    of w over the unit l1 ball is ||w - w*||^2, as ||w*||_1 = 1.
    """
    best = np.zeros(features.shape[1])
    best[:3] = 0.5, -0.3, 0.2
    return (features, features @ best + noise / 2), best


def pulled_apart(n: int, signs: FloatArray, replaced: int = 0) -> tuple[Data, Data]:
    """Return records (1, ..., 1) HUGE with label -HUGE, and record ``replaced`` in two versions.

    It has the given signs, or the opposite ones; where a sign is 0, it is as the others are.
    """
    data = np.full((n, signs.size), HUGE), np.full(n, -HUGE)
    first, second = (
        replace_record(data, replaced, (np.where(signs == 0, HUGE, side * HUGE), -HUGE))
        for side in (signs, -signs)
    )
    return first, second


def thresholding_form(
    function: Callable[..., Any],
    pair: tuple[Data, Data],
    *arguments: Any,
    signs: FloatArray,
    **options: Any,
) -> Form:
    """Return a form of two steps with noisy hard thresholding, with the black box on one step.

    Its statistic counts the picked coordinates, with signs: a projection hides their size.
    """
    return form(
        function,
        pair,
        *arguments,
        statistic=lambda w: float(signs @ (w != 0)),
        box={"n_iterations": 1},
        by_zcdp=True,
        **{"epsilon": 1.0, "delta": 1e-2, "n_iterations": 2, **options},
    )


def equal_entries(dimension: int, sparsity: int, norm: float) -> FloatArray:
    """Return the vector with ``sparsity`` equal entries and the given norm."""
    vector = np.zeros(dimension)
    vector[:sparsity] = norm / math.sqrt(sparsity)
    return vector


VISITS = "randhie (statsmodels), outpatient visits"
"""The RAND health insurance experiment: up to 77 visits, 16 standard deviations, a heavy tail."""


def visits() -> Records:
    """Return its nine covariates and the visits."""
    table = randhie.load_pandas()
    return table.exog.to_numpy(dtype=np.float64), table.endog.to_numpy(dtype=np.float64)
