"""Gradient EM with hard thresholding, without privacy.

The sparse baseline of Zhang and Zhang (2021).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_magnitude,
    require_steps,
)
from reference.em.models import LatentModel, require_model


def hard_threshold(vector: FloatArray, sparsity: int) -> FloatArray:
    """Return the vector with all but its ``sparsity`` largest entries set to 0; ties: the first."""
    kept = np.argsort(-np.abs(vector), kind="stable")[:sparsity]
    sparse = np.zeros_like(vector)
    sparse[kept] = vector[kept]
    return sparse


def hard_thresholding_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    sparsity: int,
    step_size: float,
    n_iterations: int,
) -> FloatArray:
    """Return beta^T of gradient EM that keeps the s largest entries in every step. Not private.

    All records are read in every iteration, and nothing is truncated.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``.
    model : LatentModel
    initial : array_like of shape (d,)
        beta^0.
    sparsity : int
        s, 1 <= s <= d.
    step_size : float
        eta > 0.
    n_iterations : int
        T >= 1.

    Returns
    -------
    ndarray of shape (d,)
        At most s entries are not 0.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range.

    References
    ----------
    Wang, Gu, Ning and Liu (2015), the non-private baseline of Zhang and Zhang (2021), Section 6
    (l.480-494, epsilon = infinity in Table 3).
    """
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_count("sparsity", sparsity, at_most=beta.size)
    require_magnitude("step_size", step_size)
    for _ in range(require_steps("n_iterations", n_iterations)):
        step = step_size * model.gradients(records, beta).mean(axis=0)
        beta = hard_threshold(beta + step, sparsity)
    return beta
