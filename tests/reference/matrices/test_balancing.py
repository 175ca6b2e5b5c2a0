"""Looks at, and changes of, the constant of the alternating direction method."""

from __future__ import annotations

import numpy as np
import pytest

from reference.matrices.balancing import balanced, next_look


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        (10, [10, 20, 30, 40, 50, 60, 72, 86, 103, 123, 147, 176]),
        (1, [*range(1, 51), 60, 72, 86, 103, 123, 147, 176]),
    ],
)
def test_looks_by_hand(distance, expected):
    looks = [distance]
    while looks[-1] < 150:
        looks.append(next_look(looks[-1], distance))
    assert looks == expected


@pytest.mark.parametrize(
    ("primal", "dual", "expected"),
    [
        (10.5, 1.0, 6.0),
        (1.0, 10.5, 1.5),
        (10.0, 1.0, 3.0),
        (1.0, 10.0, 3.0),
        (1.0, 0.0, 6.0),
        (0.0, 1.0, 1.5),
        (0.0, 0.0, 3.0),
    ],
)
def test_the_constant_follows_the_larger_residual_and_the_multiplier_stays(primal, dual, expected):
    scaled = np.array([[0.0, 5.0], [5.0, -1.0]])
    constant, rescaled = balanced(3.0, scaled, primal, dual)
    assert constant == expected
    np.testing.assert_array_equal(constant * rescaled, 3.0 * scaled)
