"""The Lasso by coordinate descent, with a certificate. Source: Wang (2020), l.6549.

argmin (1/2n) ||y - X theta||^2 + lambda ||theta||_1, the objective of scikit-learn's ``Lasso``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_magnitude,
    require_positive,
)
from reference.proximal import soft_threshold


def lasso(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    penalty: float,
    tolerance: float = 1e-12,
    max_iterations: int = 10_000,
) -> FloatArray:
    """Minimise the objective over one coordinate after the other.

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
    max_iterations : int
        >= 1; passes over all coordinates.

    Returns
    -------
    ndarray of shape (p,)
        A minimiser, with exact zeros; where there are several (equal columns, say) one of them.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range.
    RuntimeError
        If the iterations run out.
    """
    x = require_array("features", features, ndim=2)
    y = require_array("labels", labels, ndim=1, shape=(len(x),))
    require_magnitude("penalty", penalty)
    require_positive("tolerance", tolerance)
    require_count("max_iterations", max_iterations)

    n, p = x.shape
    moments, products = x.T @ x / n, x.T @ y / n
    theta = np.zeros(p)
    used = np.flatnonzero(np.diag(moments) > 0)  # a column of zeros has coefficient 0
    enough = tolerance * float(y @ y) / (2 * n)
    for _ in range(max_iterations):
        for j in used:
            theta[j] = 0.0
            rest = products[j] - moments[j] @ theta
            theta[j] = soft_threshold(rest, penalty) / moments[j, j]
        gap = duality_gap(theta, x, y, penalty)
        if gap <= enough:
            return theta
    raise RuntimeError(
        f"lasso: a duality gap of {gap:g} after {max_iterations} iterations; raise "
        f"tolerance={tolerance:g} or max_iterations"
    )


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
