"""Sparse principal subspaces: the Fantope and (6.5). Source: Wang (2020), l.7434-7466."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_non_negative,
    require_positive,
)
from reference.matrices.balancing import balanced, next_look
from reference.proximal import soft_threshold

BALANCED = 10
"""Iterations between the first looks at the constant rho."""


@dataclass(frozen=True)
class PenalisedProjection:
    """The best point found for (6.5), with the proof of how good it is.

    Attributes
    ----------
    feasible : ndarray of shape (p, p)
        X in the Fantope (up to rounding).
    sparse : ndarray of shape (p, p)
        Y, which is X within the tolerance, with exact zeros.
    gap : float
        No matrix of the Fantope has an objective more than this above that of X.
    n_iterations : int
    """

    feasible: FloatArray
    sparse: FloatArray
    gap: float
    n_iterations: int


def penalised_projection(
    matrix: ArrayLike,
    *,
    rank: int,
    penalty: float,
    tolerance: float = 1e-6,
    max_iterations: int = 20_000,
) -> PenalisedProjection:
    """Maximise <S, X> - lambda sum_ij |X_ij| over the Fantope 0 <= X <= I, tr X = k: (6.5).

    Parameters
    ----------
    matrix : array_like of shape (p, p)
        Symmetric S.
    rank : int
        k, in [1, p].
    penalty : float
        lambda >= 0.
    tolerance : float
        > 0, in units of sqrt k for the distance of X and Y and the step of Y, of k max |S_ij| for
        the duality gap (which is then far smaller: it is of second order).
    max_iterations : int
        >= 1. If they run out, the gap may be above the tolerance.

    Raises
    ------
    ValueError, TypeError
        If S is not symmetric or a parameter is out of range.

    Notes
    -----
    The alternating direction method of Algorithm 6.1.47, steps 6-12. Its constant rho starts at
    max |S_ij|; it is doubled or halved where X - Y and the step of Y differ by more than a factor
    10, without which some problems take many times as many iterations, at looks that become rarer
    (:mod:`reference.matrices.balancing`), without which some do not end. The maximum is at most the
    sum of the k largest eigenvalues of S - W for every symmetric W with entries in
    [-lambda, lambda], and rho U is such a W: hence the gap. Where lambda is at least all |S_ij|,
    i != j, no step is needed: W may have them, so that k unit vectors are optimal.
    """
    s = require_array("matrix", matrix, ndim=2)
    if s.shape[0] != s.shape[1] or not np.allclose(s, s.T, rtol=1e-9, atol=0.0):
        raise ParameterValueError("matrix", "be symmetric", got=f"shape {s.shape}")
    p = len(s)
    k = require_count("rank", rank, at_most=p)
    require_non_negative("penalty", penalty)
    require_positive("tolerance", tolerance)
    require_count("max_iterations", max_iterations)

    if penalty >= float(np.abs(s - np.diag(np.diag(s))).max()):
        return _diagonal(s, k, penalty)
    largest = float(np.abs(s).max())
    rho, look = largest, BALANCED
    y, u = np.zeros((p, p)), np.zeros((p, p))  # step 6
    for t in range(1, max_iterations + 1):  # step 7
        x = project_on_fantope(y - u + s / rho, k)  # step 8
        previous, y = y, soft_threshold(x + u, penalty / rho)  # step 9
        u = u + x - y  # step 10
        apart, moved = float(np.linalg.norm(x - y)), float(np.linalg.norm(y - previous))
        if max(apart, moved) <= tolerance * np.sqrt(k):
            gap = duality_gap(x, rho * u, s, k, penalty)
            if gap <= tolerance * k * largest:
                break  # step 11
        if t == look:
            look = next_look(t, BALANCED)
            rho, u = balanced(rho, u, apart, moved)
    return PenalisedProjection(x, y, duality_gap(x, rho * u, s, k, penalty), t)


def _diagonal(s: FloatArray, k: int, penalty: float) -> PenalisedProjection:
    """Return the coordinates of the k largest diagonal entries, the first of equal ones."""
    x = np.zeros_like(s)
    chosen = np.argsort(-np.diag(s), kind="stable")[:k]
    x[chosen, chosen] = 1.0
    dual = s.copy()
    np.fill_diagonal(dual, penalty)
    return PenalisedProjection(x, x, duality_gap(x, dual, s, k, penalty), 0)


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
