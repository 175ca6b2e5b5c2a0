"""Linear models whose features or noise have few moments, and records that are huge."""

from __future__ import annotations

import math

import numpy as np
from statsmodels.datasets import randhie

from auditor.core.neighbours import Everything, Product
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


def equal_entries(dimension: int, sparsity: int, norm: float) -> FloatArray:
    """Return the vector with ``sparsity`` equal entries and the given norm."""
    vector = np.zeros(dimension)
    vector[:sparsity] = norm / math.sqrt(sparsity)
    return vector


def visits(unit: float = 4.0) -> Records:
    """Return the RAND health insurance experiment: covariates, and outpatient visits over ``unit``.

    Up to 77 visits, 16 standard deviations: a heavy tail.
    """
    table = randhie.load_pandas()
    covariates = table.exog.to_numpy(dtype=np.float64)
    return covariates, table.endog.to_numpy(dtype=np.float64) / unit
