"""Clipping scales what is too long to the threshold, and leaves everything else as it is."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
import scipy

from reference.clipping import clip_rows, clip_sparse_rows

SIZES = [0.0, 5e-324, 1e-310, 1e-200, 1e-160, 1e-9, 1.0, 3.0, 1e9, 1e154, 1e155, 1e200, 1.7e308]
THRESHOLDS = [1e-50, 0.7, 1e50]


def exact_length(row: list[float]) -> Fraction:
    """Return the l2 norm of a row to 60 digits, in rational numbers."""
    square = sum(Fraction(entry) ** 2 for entry in row)
    scale = 10**60 * (1 if square >= 1 else 10**400)
    return Fraction(isqrt(int(square * scale**2)), scale)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("sparse", [False, True])
def test_every_pair_of_sizes_is_clipped_as_in_exact_arithmetic(threshold, sparse):
    rows = [[a, -b, a] for a in SIZES for b in SIZES]
    matrix = np.array(rows)
    found = (
        clip_sparse_rows(scipy.sparse.csr_array(matrix), threshold).toarray()
        if sparse
        else clip_rows(matrix, threshold)
    )
    for row, clipped in zip(rows, found.tolist(), strict=True):
        length = exact_length(row)
        factor = min(Fraction(1), Fraction(threshold) / length) if length else Fraction(1)
        for entry, got in zip(row, clipped, strict=True):
            wanted = Fraction(entry) * factor
            lost = max(min(Fraction(threshold), length) / 2**1000, Fraction(1, 2**1073))
            assert abs(Fraction(got) - wanted) <= abs(wanted) / 2**50 + lost


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("order", "expected"), [(1, 0.5), (2, 0.5**0.5), (np.inf, 1.0)])
def test_the_largest_doubles_keep_their_direction_in_every_norm(order, expected):
    found = clip_rows(np.array([[1.7e308, -1.7e308]]), 1.0, order=order)
    np.testing.assert_allclose(found, [[expected, -expected]], rtol=1e-15)


def test_rows_within_the_threshold_keep_every_bit():
    rows = np.random.default_rng(0).uniform(-0.5, 0.5, size=(200, 3))
    np.testing.assert_array_equal(clip_rows(rows, 1.0), rows)
