"""Sensitivities and noise of perturbed second moments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reference.matrices.second_moments import (
    GAUSSIAN_SENSITIVITY,
    laplace_sensitivity,
    outer_products,
    second_moment,
)
from reference.privacy.mechanisms import SymmetricGaussian, SymmetricLaplace


def pairs(largest: float = 1e6) -> st.SearchStrategy[np.ndarray]:
    """Two records of the same dimension, inside and far outside the unit ball."""
    return st.integers(1, 5).flatmap(
        lambda d: hnp.arrays(np.float64, (2, d), elements=st.floats(-largest, largest))
    )


@given(pairs())
@settings(max_examples=200)
def test_no_pair_exceeds_the_claimed_sensitivities(records):
    first, second = outer_products(records)
    d = records.shape[1]
    plain = SymmetricGaussian(1.0).distance(first, second, 0)
    doubled = SymmetricGaussian(1.0, diagonal_variance=2.0).distance(first, second, 0)
    absolute = SymmetricLaplace(1.0).distance(first, second, 0)
    assert plain <= GAUSSIAN_SENSITIVITY * (1 + 1e-12)
    assert doubled <= 1 + 1e-12
    assert absolute <= laplace_sensitivity(d) * (1 + 1e-12)


def test_gaussian_sensitivity_is_attained_by_orthogonal_axes():
    first, second = outer_products(np.eye(3)[:2])
    assert SymmetricGaussian(1.0).distance(first, second, 0) == pytest.approx(math.sqrt(2))
    doubled = SymmetricGaussian(1.0, diagonal_variance=2.0)
    assert doubled.distance(first, second, 0) == pytest.approx(1.0)


@pytest.mark.parametrize("d", [2, 4, 6])
def test_laplace_sensitivity_is_nearly_attained(d):
    # card diss-6.3.51-L: the top and bottom eigenvectors of signs + on one half, - on the other
    half = d // 2
    signs = np.ones((d, d))
    signs[half:, half:] = -1
    np.fill_diagonal(signs, 2 * np.diag(signs))
    vectors = np.linalg.eigh(signs)[1]
    first, second = outer_products(vectors[:, [0, -1]].T)
    attained = SymmetricLaplace(1.0).distance(first, second, 0)
    assert attained == pytest.approx(math.sqrt(d**2 / 2 + d + 1))
    assert attained <= laplace_sensitivity(d) + 1e-12 <= 1.05 * attained


def test_laplace_sensitivity_in_one_dimension_is_one():
    assert laplace_sensitivity(1) == 1.0


def test_rows_outside_the_ball_are_scaled_to_its_boundary():
    data = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    products = outer_products(data)
    assert np.trace(products, axis1=1, axis2=2) == pytest.approx([1.0, 0.25, 0.0])
    assert products[0] == pytest.approx(np.outer([0.6, 0.8], [0.6, 0.8]))
    assert second_moment(data) == pytest.approx(products.mean(axis=0))
