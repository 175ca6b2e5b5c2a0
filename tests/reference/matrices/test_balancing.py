"""When the constant of the alternating direction method is looked at."""

from __future__ import annotations

import pytest

from reference.matrices.balancing import next_look


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
