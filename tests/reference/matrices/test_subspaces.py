"""Principal subspaces and their distance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from reference.matrices.subspaces import principal_subspace, sin_theta_squared


def orthonormal(p, k, rng):
    return np.linalg.qr(rng.standard_normal((p, k)))[0]


def test_sin_theta_agrees_with_the_principal_angles():
    rng = np.random.default_rng(1)
    for p, k in ((2, 1), (5, 2), (8, 7), (9, 4)):
        v, w = orthonormal(p, k, rng), orthonormal(p, k, rng)
        expected = np.sum(np.sin(subspace_angles(v, w)) ** 2)
        assert sin_theta_squared(v, w) == pytest.approx(expected, abs=1e-12)
        assert sin_theta_squared(w, v) == pytest.approx(expected, abs=1e-12)
        # half of what the paper's first equality says (erratum diss-6.1.46/E6)
        assert np.sum((v @ v.T - w @ w.T) ** 2) / 2 == pytest.approx(expected, abs=1e-12)


def test_sin_theta_of_tiny_angles_does_not_cancel():
    angle = 1e-9
    line, turned = np.array([[1.0], [0.0]]), np.array([[np.cos(angle)], [np.sin(angle)]])
    assert sin_theta_squared(line, turned) == pytest.approx(angle**2, rel=1e-6)


def test_only_the_span_matters():
    rng = np.random.default_rng(2)
    v, w = orthonormal(6, 3, rng), orthonormal(6, 3, rng)
    rotation = orthonormal(3, 3, rng)
    assert sin_theta_squared(v @ rotation, w) == pytest.approx(sin_theta_squared(v, w))
    assert sin_theta_squared(v, v @ rotation) == pytest.approx(0.0, abs=1e-14)


def test_largest_signed_eigenvalues_are_taken():
    basis = principal_subspace(np.diag([1.0, -5.0, 3.0, 0.5]), 2)
    assert basis == pytest.approx(np.eye(4)[:, [2, 0]])


def test_basis_is_reproducible():
    rng = np.random.default_rng(3)
    square = rng.standard_normal((7, 7))
    matrix = square + square.T
    basis = principal_subspace(matrix, 4)
    assert basis.T @ basis == pytest.approx(np.eye(4), abs=1e-12)
    largest = np.argmax(np.abs(basis), axis=0)
    assert (basis[largest, np.arange(4)] > 0).all()
    values = np.einsum("ik,ij,jk->k", basis, matrix, basis)
    assert values == pytest.approx(np.linalg.eigvalsh(matrix)[:-5:-1])
