"""The Lasso by coordinate descent, with a certificate. Source: Wang (2020), l.6549.

argmin (1/2n) ||y - X theta||^2 + lambda ||theta||_1, the objective of scikit-learn's ``Lasso``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_magnitude,
    require_positive,
)
from reference.matrices.balancing import next_look
from reference.proximal import soft_threshold

MOST_UPDATES = 1_000_000
"""Updates of a coordinate at most, unless asked for more: some seconds."""
MOST_PASSES = 10_000


@dataclass(frozen=True)
class LassoMinimum:
    """The best point found, with the proof of how good it is.

    Attributes
    ----------
    theta : ndarray of shape (p,)
        With exact zeros.
    gap : float
        No point has an objective more than this below that of theta.
    n_iterations : int
        Passes made.
    """

    theta: FloatArray
    gap: float
    n_iterations: int


def lasso(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    penalty: float,
    tolerance: float = 1e-12,
    max_iterations: int | None = None,
) -> LassoMinimum:
    """Minimise the objective over one coordinate after the other.

    No pass increases it. The gap is computed after each of the first passes, then ever more rarely.

    Parameters
    ----------
    features : array_like of shape (n, p)
        X.
    labels : array_like of shape (n,)
        y.
    penalty : float
        lambda > 0.
    tolerance : float
        > 0; the objective is within this times its value at 0 of the least one.
    max_iterations : int, optional
        >= 1; passes over all coordinates at most. By default :data:`MOST_PASSES`, or fewer that
        make :data:`MOST_UPDATES` updates.

    Returns
    -------
    LassoMinimum
        A minimiser; where there are several (equal columns, say) one of them. Its gap is above the
        tolerance if the passes did not suffice, as where columns are nearly equal.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range.
    """
    x = require_array("features", features, ndim=2)
    y = require_array("labels", labels, ndim=1, shape=(len(x),))
    require_magnitude("penalty", penalty)
    require_positive("tolerance", tolerance)
    n, p = x.shape
    most = min(MOST_PASSES, max(1, MOST_UPDATES // p))
    most = most if max_iterations is None else require_count("max_iterations", max_iterations)

    moments, products = x.T @ x / n, x.T @ y / n
    theta = np.zeros(p)
    used = np.flatnonzero(np.diag(moments) > 0)  # a column of zeros has coefficient 0
    enough, look = tolerance * float(y @ y) / (2 * n), 1
    for t in range(1, most + 1):
        for j in used:
            theta[j] = 0.0
            rest = products[j] - moments[j] @ theta
            theta[j] = soft_threshold(rest, penalty) / moments[j, j]
        if t in (look, most):
            look = next_look(t, 1)
            gap = duality_gap(theta, x, y, penalty)
            if gap <= enough:
                break
    return LassoMinimum(theta, gap, t)


def duality_gap(
    theta: FloatArray, features: FloatArray, labels: FloatArray, penalty: float
) -> float:
    """Return by how much the objective at ``theta`` exceeds its minimum at most.

    The dual is max (||y||^2 - ||y - u||^2)/(2n) over ||X^T u||_infinity <= n lambda; u is the
    residual, scaled down to that.
    """
    n = len(labels)
    residual = labels - features @ theta
    steepest = float(np.abs(features.T @ residual).max(initial=0.0)) / n
    scale = 1.0 if steepest <= penalty else penalty / steepest
    square, product = float(residual @ residual), float(labels @ residual)
    primal = square / (2 * n) + penalty * float(np.abs(theta).sum())
    return primal - (2 * scale * product - scale**2 * square) / (2 * n)
