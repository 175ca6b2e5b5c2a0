"""Sums of bounded records: a record moves them as in real numbers, but for one rounding.

A sum of n doubles that is rounded at every step may move by n 2^-53 times its size when a record of
it is replaced, which can exceed the sensitivity of the sum of real numbers (Casacuberta, Shoemate,
Vadhan and Wagaman, 2022). Here every term is cut to a grid on which no partial sum is rounded.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from reference._validation import FloatArray, SparseMatrix, require_array
from reference.clipping import clip_entries

RESOLUTION = 1e-6
"""Part of a sensitivity by which the rounding of a released number may add to it."""
_BLOCK = 2**14  # entries summed at a time: what stays in a processor's cache


def bounded_records(data: ArrayLike, bound: float) -> FloatArray:
    """Return records of shape (n, p) with their entries cut to [-bound, bound], or raise.

    Replacing a record then moves every entry of their sum by at most 2 bound: the sum by
    2 p bound in l1 and 2 sqrt(p) bound in l2.

    Parameters
    ----------
    data : array_like of shape (n, p)
    bound : float
        > 0, public.
    """
    records = require_array("data", data, ndim=2)
    return clip_entries(records, bound)


def rounded_sum(
    vectors: FloatArray | SparseMatrix, *, bound: float, weights: FloatArray | None = None
) -> FloatArray:
    """Return the sum over axis 0 of terms that were cut to a public grid, rounded once.

    Let u be the smallest power of two with n bound < 2^52 u, and 2^b the largest with n 2^b <=
    2^52. Every entry of a term is moved towards 0 to the next multiple of u/2^b. It is the sum of a
    multiple of u and a smaller multiple of u/2^b. All partial sums of the former and of the latter
    are integers below 2^53 of these units, which doubles hold: only the sum of the two sums is
    rounded. Terms that lie in a box with 0 in it, or in an l1 or l2 ball around 0, stay there: what
    a replacement moves the sum by is bounded as in real numbers, but for that rounding. It adds
    2^-52 n bound at most to an entry, n 2^-53 of a sensitivity of 2 bound.

    Parameters
    ----------
    vectors : ndarray of shape (n, ...), or sparse matrix by rows
        n >= 1 terms. As partial sums are exact, those of a sparse matrix and of its ``toarray()``
        are the same to the last bit.
    bound : float
        > 0, public: the largest size of an entry of a term; one above it by no more than rounding
        does no harm. The grid depends on it and on n alone.
    weights : ndarray of shape (n,), optional
        The terms are weights[i] vectors[i]; by default the vectors.

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> terms = np.array([[1.0], [2.0**-53], [-1.0]])
    >>> terms.sum(axis=0).item() == 0, rounded_sum(terms, bound=1.0).item() == 2.0**-53
    (True, True)
    """
    n = vectors.shape[0]
    unit = math.ldexp(1.0, math.frexp(n * bound)[1] - 52)
    finer = math.ldexp(1.0, 52 - (n - 1).bit_length())
    # 1/unit is a power of two: weights times it are exact, and so is what they multiply
    factors = np.full(n, 1 / unit) if weights is None else weights * (1 / unit)
    if scipy.sparse.issparse(vectors):
        sum_high, sum_low = _sparse_parts(vectors, factors, finer)
        return (sum_high + sum_low / finer) * unit
    rows = vectors.reshape(n, -1)
    size = max(1, _BLOCK // rows.shape[1])
    ones = np.ones(min(n, size))
    sum_high = sum_low = np.zeros(rows.shape[1])
    for start in range(0, n, size):
        part = slice(start, start + size)
        low = rows[part] * factors[part, None]
        high = _cut(low, finer)
        sum_high = sum_high + ones[: len(low)] @ high
        sum_low = sum_low + ones[: len(low)] @ low
    rounded: FloatArray = (sum_high + sum_low / finer) * unit
    return rounded.reshape(vectors.shape[1:])


def _cut(low: FloatArray, finer: float) -> FloatArray:
    """Return the integer parts; leave in ``low`` what is left of them, in units of 1/finer."""
    high: FloatArray = np.trunc(low)
    low -= high
    low *= finer
    np.trunc(low, out=low)
    return high


def _sparse_parts(
    matrix: SparseMatrix, factors: FloatArray, finer: float
) -> tuple[FloatArray, FloatArray]:
    """Return the sums over the rows of both parts of the entries that are stored."""
    low = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    high = _cut(low, finer)
    sums = [np.bincount(matrix.indices, part, minlength=matrix.shape[1]) for part in (high, low)]
    return np.asarray(sums[0], dtype=np.float64), np.asarray(sums[1], dtype=np.float64)


def rounded_mean(
    vectors: FloatArray | SparseMatrix, *, bound: float, weights: FloatArray | None = None
) -> FloatArray:
    """Return :func:`rounded_sum` over n, which is rounded once more.

    Parameters are those of :func:`rounded_sum`. The two roundings add 2^-51 bound at most to what a
    replacement moves an entry by, n 2^-52 of a sensitivity of 2 bound/n.
    """
    mean: FloatArray = rounded_sum(vectors, bound=bound, weights=weights) / vectors.shape[0]
    return mean


def rounded_mean_product(
    left: FloatArray, right: FloatArray, *, bounds: tuple[float, float]
) -> FloatArray:
    """Return the mean of the outer products left_i right_i^T, of vectors cut to a public grid.

    As in :func:`rounded_sum` entries are moved towards 0, here those of the vectors, to b bits with
    b = 52 - log2 n: what bounds an outer product, or the difference of two, bounds those of the
    moved vectors as well. They are sums of two integers of b/2 bits, up to a power of two, and no
    product of such integers, nor their sum over n records, is rounded. Symmetric if left is right.

    Parameters
    ----------
    left, right : ndarrays of shape (n, p) and (n, q)
    bounds : tuple of two floats
        > 0, public: the largest size of an entry of either.

    Returns
    -------
    ndarray of shape (p, q)
        Rounded three times, at the end.
    """
    n, p = left.shape
    q = right.shape[1]
    bits = (52 - (n - 1).bit_length()) // 2
    units = [math.ldexp(1.0, math.frexp(bound)[1] - bits) for bound in bounds]
    products = np.zeros((2 * p, 2 * q))
    size = max(1, _BLOCK // max(p, q))
    for start in range(0, n, size):
        rows = slice(start, start + size)
        first = _split(left[rows], units[0], bits)
        second = first if left is right else _split(right[rows], units[1], bits)
        products += first.T @ second
    mixed, low = products[:p, q:] + products[p:, :q], products[p:, q:]
    step = math.ldexp(1.0, -bits)
    total = products[:p, :q] + step * (mixed + step * low)
    mean: FloatArray = total * (units[0] * units[1]) / n
    return mean


def rounding_factor(point: FloatArray, *, sensitivity: float) -> float:
    """Return by how much the rounding of point + step adds to the sensitivity of the step.

    Both sums are rounded by one distance of doubles at the point at most, unless the step is the
    larger of the two, whose own rounding :func:`rounded_sum` counts. Noise and claim are multiplied
    by the factor, so that a release costs what it would cost in real numbers.

    Parameters
    ----------
    point : ndarray of shape (d,)
        Public: the starting point, or what was released before.
    sensitivity : float
        > 0, of an entry of the step.

    Returns
    -------
    float
        1 + 2 u/sensitivity, u the distance of doubles at the largest entry of the point; 1 where
        that adds no more than :data:`RESOLUTION`.
    """
    added = 2 * float(np.spacing(np.abs(point).max())) / sensitivity
    return 1 + added if added > RESOLUTION else 1.0


def _split(vectors: FloatArray, unit: float, bits: int) -> FloatArray:
    """Return integers h and l side by side with v = unit (h + l/2^bits), but for what is cut."""
    scaled = vectors * (1 / unit)
    high = np.trunc(scaled)
    low = np.trunc((scaled - high) * math.ldexp(1.0, bits))
    return np.hstack([high, low])
