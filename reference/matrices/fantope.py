"""The Fantope, and how far from the maximum of (6.5) a point is. Source: Wang (2020), l.7434-7446.

The Fantope is {X: 0 <= X <= I, tr X = k}; (6.5) maximises <S, X> - lambda sum_ij |X_ij| over it.
"""

from __future__ import annotations

import numpy as np

from reference._validation import FloatArray


def duality_gap(
    feasible: FloatArray, dual: FloatArray, matrix: FloatArray, rank: int, penalty: float
) -> float:
    """Return how far the objective of (6.5) at X can be below its maximum: at most this.

    Parameters
    ----------
    feasible : ndarray of shape (p, p)
        X in the Fantope.
    dual : ndarray of shape (p, p)
        Any symmetric matrix; cut to [-lambda, lambda] it is W.
    """
    w = np.clip(dual, -penalty, penalty)
    bound = float(np.linalg.eigvalsh(matrix - w)[-rank:].sum())
    objective = float(np.sum(matrix * feasible)) - penalty * float(np.abs(feasible).sum())
    return bound - objective


def project_on_fantope(matrix: FloatArray, rank: int) -> FloatArray:
    """Return the nearest matrix of {0 <= X <= I, tr X = k} in the Frobenius norm.

    It has the eigenvectors of the symmetric matrix and the eigenvalues of :func:`capped_weights`
    (l.7442, exact).
    """
    values, vectors = np.linalg.eigh(matrix)
    projected = (vectors * capped_weights(values, rank)) @ vectors.T
    symmetric: FloatArray = (projected + projected.T) / 2
    return symmetric


def capped_weights(values: FloatArray, total: int) -> FloatArray:
    """Return min(max(values - theta, 0), 1) with the theta for which they add up to ``total``.

    The sum falls from the number of values to 0, linearly between the points at which a value
    starts or stops to count; it is computed at all of them, and solved for theta between two.

    Parameters
    ----------
    values : ndarray of shape (p,)
    total : int
        In [1, p].
    """
    points = np.sort(np.concatenate([values, values - 1]))
    sums = np.clip(values - points[:, None], 0.0, 1.0).sum(axis=1)
    right = max(int(np.argmax(sums <= total)), 1)  # the last sum is 0
    high, low = sums[right - 1], sums[right]
    share = (high - total) / (high - low) if high > low else 0.0
    theta = points[right - 1] + share * (points[right] - points[right - 1])
    weights: FloatArray = np.clip(values - theta, 0.0, 1.0)
    return weights
