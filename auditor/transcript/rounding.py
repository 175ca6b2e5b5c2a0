"""What floating-point rounding can have done to a released value, and to a privacy loss."""

from __future__ import annotations

import math

import numpy as np

from reference.privacy.ledger import Release
from reference.privacy.mechanisms import Bit, L2Ball, RandomizedResponse, SmoothSensitivity


def rounding_allowance(first: Release, second: Release, n: int, bound: float) -> float:
    """Bound the part of a distance that the rounding of the query can have made.

    A sum of n terms, each computed in at most 100 operations, has relative error at most
    gamma = m u/(1 - m u), m = n + 100, u = 2^-53, of the sum of the terms' sizes (Higham,
    "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2). The sizes are bounded by
    the value plus n times the claimed sensitivity: a record that may move the sum by the claim is
    itself about that large.

    Parameters
    ----------
    first, second : Release
        The same release under the two data sets.
    n : int
        Number of records.
    bound : float
        Claimed sensitivity.

    Returns
    -------
    float
        In the units of the claimed norm.
    """
    m = (n + 100) * 2.0**-53
    gamma = m / (1 - m)
    mechanism, axes = first.mechanism, first.axes
    assert first.value is not None
    assert second.value is not None
    if isinstance(mechanism, RandomizedResponse):
        return 0.0  # answers are compared, nothing is computed
    if isinstance(mechanism, L2Ball):
        return 2 * gamma
    if isinstance(mechanism, Bit):
        changed = first.value != second.value
        both = np.concatenate([first.value[changed].ravel(), second.value[changed].ravel()])
        # |d log p| = |d p|/p
        return float(2 * gamma / np.minimum(both, 1 - both).min())
    if isinstance(mechanism, SmoothSensitivity):
        size = float(np.linalg.norm(first.value) + np.linalg.norm(second.value))
        smooth = mechanism.smooth_bound
        return 2 * gamma * ((size + n * smooth) / smooth + 1 / mechanism.smoothness)
    zero = np.zeros_like(first.value)
    size = sum(
        float(np.max(mechanism.distance(value, zero, axes)))
        for value in (first.value, second.value)
    )
    return 2 * gamma * (size + n * bound)


def loss_rounding(first: Release, second: Release, n: int) -> float:
    """Bound the part of a release's privacy loss that the rounding of the query can have made.

    What a sensitivity larger by :func:`rounding_allowance` would cost more, for a mechanism of
    finite pure cost; 0 for others.

    Parameters
    ----------
    first, second : Release
        The same release under the two data sets.
    n : int
        Number of records.
    """
    assert first.value is not None
    assert second.value is not None
    claimed = first.sensitivity
    if not math.isfinite(claimed) or np.array_equal(first.value, second.value):
        return 0.0
    with np.errstate(divide="ignore"):  # a bit that is certain under one data set
        allowance = rounding_allowance(first, second, n, claimed)
    cost = first.mechanism.cost(claimed).pure
    if not math.isfinite(cost):
        return 0.0
    return first.mechanism.cost(claimed + allowance).pure - cost
