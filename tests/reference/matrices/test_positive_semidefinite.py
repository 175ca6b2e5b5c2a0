"""The projection on the positive semidefinite cone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reference._validation import FloatArray
from reference.matrices.positive_semidefinite import positive_part


def symmetric(largest: float = 1e6) -> st.SearchStrategy[FloatArray]:
    """Draw symmetric matrices; of few different entries, so that eigenvalues coincide often."""
    few = st.sampled_from([0.0, 1.0, -1.0, 0.5])
    entries = few | st.floats(-largest, largest)
    squares = st.integers(1, 6).flatmap(lambda p: hnp.arrays(np.float64, (p, p), elements=entries))
    return squares.map(lambda square: np.tril(square) + np.tril(square, -1).T)


@given(symmetric())
@settings(max_examples=200)
def test_it_is_the_nearest_matrix_of_the_cone(matrix: FloatArray) -> None:
    # of all projections on a closed convex cone only the nearest point leaves a residual in the
    # polar cone that is orthogonal to it
    projected = positive_part(matrix)
    size = max(1e-300, float(np.abs(matrix).max()))
    residual = (matrix - projected) / size
    assert np.array_equal(projected, projected.T)
    assert np.linalg.eigvalsh(projected / size)[0] >= -1e-13
    assert np.linalg.eigvalsh(residual)[-1] <= 1e-13
    assert abs(np.sum(residual * projected / size)) <= 1e-12


@given(symmetric(), st.integers(-800, 800))
@settings(max_examples=100)
def test_powers_of_two_come_out_again(matrix: FloatArray, exponent: int) -> None:
    rounded = np.round(matrix, 3)  # nothing so small that it is lost below the smallest double
    shifted = np.ldexp(positive_part(rounded), exponent)
    assert np.allclose(positive_part(np.ldexp(rounded, exponent)), shifted, rtol=0, atol=1e-300)


def test_a_scale_near_the_largest_double_does_not_overflow() -> None:
    unit = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert positive_part(1.7e308 * unit) == pytest.approx(np.full((2, 2), 0.85e308))
    smallest = np.array([[5e-324, 0.0], [0.0, -5e-324]])
    assert positive_part(smallest).tolist() == [[5e-324, 0.0], [0.0, 0.0]]


def _turned(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    basis = np.linalg.qr(rng.standard_normal((values.size, values.size)))[0]
    product = (basis * values) @ basis.T
    made: FloatArray = (product + product.T) / 2
    return made


def _tied(rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield matrices with repeated eigenvalues, positive, negative and 0 to rounding."""
    for values in (
        [1, 1, 1, -2, -2],
        [3, -1, -1, -1, -1],
        [0, 0, 0, 1, -1],
        [1e-9, 1e-9, -1, 2, 2],
    ):
        yield _turned(np.array(values, dtype=float), rng)


def test_equal_eigenvalues_leave_nothing_to_the_choice_of_eigenvectors() -> None:
    rng = np.random.default_rng(0)
    for matrix in _tied(rng):
        projected = positive_part(matrix)
        order = rng.permutation(5)
        # another order of the rows makes another choice, and so does a change in the last bit
        turned = positive_part(matrix[np.ix_(order, order)])
        assert turned == pytest.approx(projected[np.ix_(order, order)], abs=1e-14)
        nudged = matrix * (1 + 1e-15)
        assert positive_part((nudged + nudged.T) / 2) == pytest.approx(projected, abs=1e-14)


def test_blocks_stay_apart_and_what_is_in_the_cone_stays_as_it_is() -> None:
    matrix = np.zeros((6, 6))
    matrix[np.ix_([0, 3], [0, 3])] = [[1.0, 2.0], [2.0, 1.0]]  # eigenvalues 3, -1
    matrix[np.ix_([1, 4], [1, 4])] = [[1e-200, 5e-201], [5e-201, 1e-200]]
    matrix[5, 5] = -4.0
    projected = positive_part(matrix)
    assert projected[np.ix_([0, 3], [0, 3])] == pytest.approx(np.full((2, 2), 1.5))
    projected[np.ix_([0, 3], [0, 3])] = matrix[np.ix_([0, 3], [0, 3])]
    matrix[5, 5] = 0.0
    assert np.array_equal(projected, matrix)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), r"matrix must be symmetric, got shape \(2, 3\)"),
        ([[1.0, 2.0], [2.1, 1.0]], r"matrix must be symmetric, got shape \(2, 2\)"),
        ([[np.inf]], "matrix must be finite"),
        (np.ones(3), r"matrix must have 2 dimension\(s\), got shape \(3,\)"),
        (np.zeros((0, 0)), "matrix must not be empty"),
    ],
)
def test_what_is_not_symmetric_is_refused(matrix: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        positive_part(matrix)
