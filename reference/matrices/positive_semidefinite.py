"""The projection on the cone of positive semidefinite matrices.

Used on noisy matrices by the algorithms of Wang (2020), sections 6.2 and 6.3: it reads nothing
but what was released.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, IntArray, ParameterValueError, require_array


def positive_part(matrix: ArrayLike) -> FloatArray:
    """Return the Frobenius projection of a symmetric matrix on the positive semidefinite cone.

    Negative eigenvalues become 0. The result depends neither on signs nor on the order of
    eigenvectors, nor on their choice where eigenvalues are equal, and is continuous in the matrix:
    two platforms differ by rounding.

    Parameters
    ----------
    matrix : array_like of shape (p, p)
        Symmetric to the last bit, with entries up to 1e300.

    Returns
    -------
    ndarray of shape (p, p)
        Symmetric to the last bit. A block of rows that is apart from all others (the entries in
        between are 0) is projected alone: it stays apart, and as it is if it has no negative
        eigenvalue. Multiples by a power of 2 have the multiple as projection, above underflow.

    Raises
    ------
    ValueError, TypeError
        If the matrix is not finite, square and symmetric.
    """
    given = require_array("matrix", matrix, ndim=2)
    if given.shape[0] != given.shape[1] or not np.array_equal(given, given.T):
        raise ParameterValueError("matrix", "be symmetric", got=f"shape {given.shape}")
    projected = np.zeros_like(given)
    first_of = _first_rows(given)
    for first in np.unique(first_of):
        rows = np.flatnonzero(first_of == first)
        cells = np.ix_(rows, rows)
        projected[cells] = _projected(given[cells])
    return projected


def _first_rows(matrix: FloatArray) -> IntArray:
    """Return of every row the first one of its block: the smallest that entries lead to."""
    linked = (matrix != 0) | np.eye(len(matrix), dtype=bool)
    first, before = np.arange(len(matrix)), None
    while before is None or (first != before).any():
        before = first
        first = np.where(linked, before, len(matrix)).min(axis=1)
    return first


def _projected(block: FloatArray) -> FloatArray:
    """Project one block, brought to the scale of 1 first, so that no product overflows."""
    if len(block) == 1:
        return np.maximum(block, 0.0)
    exponent = math.frexp(float(np.abs(block).max()))[1]
    values, vectors = np.linalg.eigh(np.ldexp(block, -exponent))
    if values[0] >= 0:
        return block
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    product = root @ root.T
    symmetric: FloatArray = np.ldexp((product + product.T) / 2, exponent)
    return symmetric
