"""Principal subspaces and the distance between them. Source: Wang (2020), l.7325-7342."""

from __future__ import annotations

import numpy as np

from reference._validation import FloatArray


def principal_subspace(matrix: FloatArray, n_components: int) -> FloatArray:
    """Return an orthonormal basis of the eigenspace of the largest (signed) eigenvalues.

    Parameters
    ----------
    matrix : ndarray of shape (p, p)
        Symmetric, not necessarily positive semidefinite.
    n_components : int
        k, in [1, p].

    Returns
    -------
    ndarray of shape (p, k)
        Columns in decreasing order of eigenvalue; the entry of largest magnitude of each is
        positive, which makes the basis reproducible. Only its span has a meaning.
    """
    _, vectors = np.linalg.eigh(matrix)
    basis = vectors[:, ::-1][:, :n_components]
    largest = np.argmax(np.abs(basis), axis=0)
    signs = np.sign(basis[largest, np.arange(n_components)])
    oriented: FloatArray = basis * signs
    return oriented


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
