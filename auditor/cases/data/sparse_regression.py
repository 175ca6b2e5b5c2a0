"""Sparse linear and monotone regression on signs, and users whose records are far out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import norm as normal

from auditor.core.case import Data
from reference._validation import FloatArray
from reference.losses import Records

FAR = 1e6
"""A label far outside every range."""
NOISE_BOUND = 0.1
"""C of what is drawn."""


def opposite_labels(n: int, dimension: int, label: float = FAR) -> tuple[Data, Data]:
    """Return n users with features (1, .., 1) and label 0, the first with label -l, or l."""

    def users(first: float) -> Records:
        labels = np.zeros(n)
        labels[0] = first
        return np.ones((n, dimension)), labels

    return users(-label), users(label)


def sparse_coefficients(dimension: int, sparsity: int, norm: float) -> FloatArray:
    """Return a vector of the given norm with equal coefficients, evenly spread."""
    vector = np.zeros(dimension)
    vector[:: dimension // sparsity][:sparsity] = norm / math.sqrt(sparsity)
    return vector


def draw_signs(
    rng: np.random.Generator,
    theta: FloatArray,
    n: int,
    mean: Callable[[FloatArray], FloatArray] = np.asarray,
) -> Records:
    """Draw x uniform on {-1, 1}^p and y = f(<theta, x>) + U[-C, C], C = .1."""
    coins = rng.integers(0, 2, size=(n, theta.size), dtype=np.int8)
    features: FloatArray = np.array([-1.0, 1.0])[coins]
    noise = rng.uniform(-NOISE_BOUND, NOISE_BOUND, size=n)
    return features, mean(features @ theta) + noise


def largest_squares(dimension: float, count: int) -> float:
    """Return about the sum of the squares of the largest of p standard normals.

    It is of order count log p, but grows faster where p is not far above the count.
    """
    ranks = np.arange(1, count + 1) - 0.5
    return float(np.sum(normal.isf(ranks / (2 * dimension)) ** 2))


def agrees(theta: Any) -> float:
    """Whether theta points towards (1, .., 1)."""
    return float(np.sum(theta) > 0)
