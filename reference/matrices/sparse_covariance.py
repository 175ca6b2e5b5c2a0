"""Sparse covariance matrices by thresholding noisy second moments. Source: Wang (2020), 6.2."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reference._validation import FloatArray, ParameterValueError, require_array
from reference.constants import PositiveConstants
from reference.matrices.positive_semidefinite import positive_part
from reference.parameters import checked_arguments

GAMMA = 2.0
"""The constant of Lemma 6.2.2 that the paper leaves open, for records in the unit ball.

The products x_i x_j of a record lie in an interval of length 1: [-1/2, 1/2] for i != j, [0, 1] for
i = j. So Hoeffding's inequality bounds P(|S_ij - sigma_ij| > t) by 2 exp(-2 n t^2), which is (6.14)
with gamma = 2, C_1 = 2, for every t.
"""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes: the noise on the upper triangle, and what is taken for noise.

    Attributes
    ----------
    sensitivity : float
        l2 norm by which the upper triangle moves, a diagonal entry counted
        1/sqrt(diagonal_variance).
    noise_scale : float
        Standard deviation of an off-diagonal entry.
    threshold : float
        T: entries of the noisy matrix up to this modulus become 0.
    diagonal_variance : float
        Variance of a diagonal entry in units of noise_scale^2.
    """

    sensitivity: float
    noise_scale: float
    threshold: float
    diagonal_variance: float = 1.0


@dataclass(frozen=True)
class SparseCovariance:
    """An estimate of a sparse covariance matrix, before and after its projection.

    Attributes
    ----------
    thresholded : ndarray of shape (p, p)
        Sigma_hat of (6.19): symmetric, with exact zeros. The paper bounds its error in every
        l_w norm.
    positive : ndarray of shape (p, p)
        Sigma^+: its projection on the positive semidefinite cone, the output of the boxes. In the
        spectral norm it is at most twice as far from the truth.
    """

    thresholded: FloatArray
    positive: FloatArray


@checked_arguments
def entry_threshold(*, n: int, dimension: int, deviation: float) -> float:
    """Return T = gamma sqrt(log p/n) + 4 deviation sqrt(log p), gamma = 2, of (6.19) and (6.23).

    The first term is what the mean of n records misses an entry by, the second what noise of this
    standard deviation adds: each is exceeded with probability at most 2 p^-8.

    Parameters
    ----------
    n : int
        >= 1.
    dimension : int
        p >= 2.
    deviation : float
        >= 0, of the noise of an entry; where the diagonal has more, of that.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If p is 1: nothing would be taken for noise.
    """
    if dimension < 2:
        raise ParameterValueError("dimension", "be an integer >= 2", dimension)
    return (GAMMA / math.sqrt(n) + 4 * deviation) * math.sqrt(math.log(dimension))


def require_records(data: object) -> FloatArray:
    """Return records of at least two coordinates, or raise."""
    records = require_array("data", data, ndim=2)  # type: ignore[arg-type]
    if records.shape[1] < 2:
        raise ParameterValueError("data", "have at least 2 columns", got=f"shape {records.shape}")
    return records


def sparse_covariance(noisy: FloatArray, threshold: float) -> SparseCovariance:
    """Set entries of modulus up to ``threshold`` to 0, the diagonal's too, and project the rest."""
    thresholded = np.where(np.abs(noisy) > threshold, noisy, 0.0)
    return SparseCovariance(thresholded, positive_part(thresholded))
