"""Principal subspaces and their distance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from reference.matrices.subspaces import pivoted_basis, principal_subspace, sin_theta_squared


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


def test_equal_eigenvalues_have_the_basis_of_their_space():
    # two platforms may return any two bases of an eigenspace; the result is the same
    rng = np.random.default_rng(4)
    space = orthonormal(6, 3, rng)
    matrix = 2 * space @ space.T
    basis = principal_subspace(matrix, 3)
    assert basis @ basis.T == pytest.approx(space @ space.T, abs=1e-12)
    for _ in range(20):
        turned = space @ orthonormal(3, 3, rng)
        assert pivoted_basis(turned, 3) == pytest.approx(basis, abs=1e-12)


def test_a_tie_at_k_is_broken_by_the_space_and_the_index():
    assert (principal_subspace(np.eye(4), 2) == np.eye(4)[:, :2]).all()
    basis = principal_subspace(np.diag([1.0, 2.0, 1.0, 1.0]), 2)
    assert basis == pytest.approx(np.eye(4)[:, [1, 0]])
    # rounding of the order of 1e-12 changes nothing
    rng = np.random.default_rng(5)
    noise = 1e-12 * rng.standard_normal((4, 4))
    assert principal_subspace(np.eye(4) + noise + noise.T, 2) == pytest.approx(np.eye(4)[:, :2])


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
def test_the_scale_does_not_matter(scale):
    rng = np.random.default_rng(6)
    square = rng.standard_normal((5, 5))
    matrix = square + square.T
    assert principal_subspace(scale * matrix, 2) == pytest.approx(principal_subspace(matrix, 2))


def test_zero_matrix_has_the_first_coordinates():
    assert (principal_subspace(np.zeros((3, 3)), 2) == np.eye(3)[:, :2]).all()
