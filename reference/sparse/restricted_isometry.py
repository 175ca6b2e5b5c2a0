"""Restricted isometry of given features: what Assumptions 5.3.1 and 5.3.2 ask for, searched.

The constant itself is NP-hard to compute. A support found is a certificate of a lower bound, and
Gershgorin's circles or the whole spectrum give an upper one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, IntArray, require_array, require_count
from reference.constraint_sets import SparseVectors

MOST_SUPPORTS = 3_000
"""Supports that are all tried; where there are more, some are searched."""
_ROUNDS = 30


@dataclass(frozen=True)
class RestrictedIsometry:
    """Bounds on Delta_s, the least Delta with | ||Xv||^2/n - ||v||^2 | <= Delta ||v||^2.

    For all v with at most s entries that are not 0.

    Attributes
    ----------
    lower : float
        Delta_s is at least this: an eigenvalue of the Gram matrix of ``support`` is this far from
        1.
    upper : float
        Delta_s is at most this. Equal to ``lower`` where all supports were tried.
    support : ndarray of int, at most s of them
        Columns, ascending.
    """

    lower: float
    upper: float
    support: IntArray


def restricted_isometry(
    features: ArrayLike,
    sparsity: int,
    *,
    n_starts: int = 50,
    rng: np.random.Generator,
) -> RestrictedIsometry:
    """Bound the restricted isometry constant Delta_s of a matrix from both sides.

    Parameters
    ----------
    features : array_like of shape (n, p)
        X, which is divided by sqrt(n) as in Assumption 5.3.2 of Wang (2020).
    sparsity : int
        s >= 1; at p and above the constant is that of all columns.
    n_starts : int, default 50
        How many random starts the search has in addition to the most correlated columns, for the
        largest and for the smallest eigenvalue each.
    rng : Generator
        Of these starts: a longer search can find a larger bound, never a wrong one.

    Returns
    -------
    RestrictedIsometry

    References
    ----------
    Wang (2020), Assumptions 5.3.1 (l.6492) and 5.3.2 (l.6541), for s = 17 s*.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice([-1.0, 1.0], size=(500, 200))
    >>> found = restricted_isometry(x, 17, rng=rng)
    >>> bool(found.lower > 2 / 7)  # too few records for the theorems
    True
    """
    x = require_array("features", features, ndim=2)
    return isometry_of_gram(x.T @ x / len(x), sparsity, n_starts=n_starts, rng=rng)


def isometry_of_gram(
    gram: FloatArray, sparsity: int, *, n_starts: int = 50, rng: np.random.Generator
) -> RestrictedIsometry:
    """Return what :func:`restricted_isometry` does, of X^T X/n, which can be added up in parts."""
    p = len(gram)
    s = min(require_count("sparsity", sparsity), p)
    require_count("n_starts", n_starts)
    few = math.comb(p, s) <= MOST_SUPPORTS
    supports = _all_supports(p, s) if few else _searched(gram, s, n_starts, rng)
    lower, support = max(
        ((_distance(gram, support), support) for support in supports), key=lambda found: found[0]
    )
    return RestrictedIsometry(lower, lower if few else _upper(gram, s), support)


def _all_supports(p: int, s: int) -> Iterator[IntArray]:
    return (np.array(support) for support in combinations(range(p), s))


def _distance(gram: FloatArray, support: IntArray) -> float:
    """Return how far the eigenvalues of the support's Gram matrix are from 1."""
    values = np.linalg.eigvalsh(gram[np.ix_(support, support)])
    return float(max(values[-1] - 1, 1 - values[0]))


def _upper(gram: FloatArray, s: int) -> float:
    """Return the lesser of two bounds: Gershgorin's circles of s columns, and all eigenvalues."""
    off = np.abs(gram - np.diag(np.diag(gram)))
    largest = np.sort(off, axis=1)[:, ::-1][:, : s - 1].sum(axis=1)
    circles = float((np.abs(np.diag(gram) - 1) + largest).max())
    return min(circles, _distance(gram, np.arange(len(gram))))


def _searched(
    gram: FloatArray, s: int, n_starts: int, rng: np.random.Generator
) -> Iterator[IntArray]:
    """Yield supports that truncated power iterations end at, for either end of the spectrum."""
    p = len(gram)
    spread = np.linalg.eigvalsh(gram)[-1]
    correlated = np.argsort(-np.abs(gram - np.diag(np.diag(gram))).max(axis=1))[:n_starts]
    starts = [*np.eye(p)[correlated], *rng.standard_normal((n_starts, p))]
    for matrix in (gram, spread * np.eye(p) - gram):  # both positive semidefinite
        for start in starts:
            yield _truncated_power(matrix, start, SparseVectors(s))


def _truncated_power(matrix: FloatArray, vector: FloatArray, sparse: SparseVectors) -> IntArray:
    """Return the support that v -> Trunc(A v, s) stays on, or is on at last."""
    support: IntArray = np.arange(sparse.sparsity)
    for _ in range(_ROUNDS):
        found = np.flatnonzero(sparse.project(matrix @ vector))
        if found.size == 0 or np.array_equal(found, support):
            break
        support = found
        _, vectors = np.linalg.eigh(matrix[np.ix_(support, support)])
        vector = np.zeros(len(matrix))
        vector[support] = vectors[:, -1]  # the best on its support
    return support
