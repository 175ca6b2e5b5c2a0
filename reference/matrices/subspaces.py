"""Principal subspaces and the distance between them. Source: Wang (2020), l.7325-7342."""

from __future__ import annotations

import numpy as np

from reference._validation import FloatArray

TIE = 1e-9
"""Largest gap of equal neighbours, in units of the largest magnitude of an eigenvalue."""
NEARLY = 1 - 1e-6
"""Share of the largest: the first index that reaches it is taken, whatever the last bits say."""


def principal_subspace(matrix: FloatArray, n_components: int, *, tie: float = TIE) -> FloatArray:
    """Return an orthonormal basis of the eigenspace of the largest (signed) eigenvalues.

    Parameters
    ----------
    matrix : ndarray of shape (p, p)
        Symmetric, not necessarily positive semidefinite.
    n_components : int
        k, in [1, p].
    tie : float
        As :data:`TIE`; larger where the matrix is not known to the last digits.

    Returns
    -------
    ndarray of shape (p, k)
        Columns in decreasing order of eigenvalue. Only its span has a meaning, but no sign and no
        order depends on the platform: equal eigenvalues have one basis, which their eigenspace
        alone determines (:func:`pivoted_basis`), and of those that straddle k its first vectors.
    """
    values, vectors = np.linalg.eigh(matrix)
    values, vectors = values[::-1], vectors[:, ::-1]
    apart = values[:-1] - values[1:] > tie * float(np.abs(values).max())
    ends = [*(np.flatnonzero(apart) + 1), len(values)]
    groups, start = [], 0
    for end in ends:
        if start < n_components:
            groups.append(pivoted_basis(vectors[:, start:end], min(end, n_components) - start))
        start = end
    return np.hstack(groups)


def pivoted_basis(basis: FloatArray, count: int) -> FloatArray:
    """Return the first ``count`` vectors of an orthonormal basis that depends on the span alone.

    The column of the projection B B^T of the largest diagonal entry, divided by its norm, then the
    same in what is orthogonal to it. That entry of a column is positive.

    Parameters
    ----------
    basis : ndarray of shape (p, r)
        Any orthonormal basis B of the span.
    count : int
        In [1, r].
    """
    rest, columns = basis, []
    for _ in range(count):
        squares = np.sum(rest**2, axis=1)  # the diagonal of the projection
        index = int(np.flatnonzero(squares >= NEARLY * squares.max())[0])
        direction = rest[index] / np.sqrt(squares[index])
        columns.append(rest @ direction)
        rest = rest - np.outer(columns[-1], direction)
    return np.column_stack(columns)


def sin_theta_squared(first: FloatArray, second: FloatArray) -> float:
    """Return ||sin Theta||_F^2 = k - ||V^T W||_F^2 = ||V V^T - W W^T||_F^2/2.

    Parameters
    ----------
    first, second : ndarray of shape (p, k)
        Orthonormal bases V and W.

    Notes
    -----
    The paper (l.7342) also equates it to ||V V^T - W W^T||_F^2, twice the value (erratum
    diss-6.1.46/E6). Computed as ||(I - V V^T) W||_F^2, which does not cancel for close subspaces.
    """
    residual = second - first @ (first.T @ second)
    return float(np.sum(residual**2))
