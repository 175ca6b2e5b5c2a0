"""When the alternating direction method of multipliers changes its constant."""

from __future__ import annotations

EVEN = 50
"""Iterations with looks at equal distances."""


def next_look(t: int, distance: int) -> int:
    """Return after which iteration the constant is looked at next, the last time being after t.

    Parameters
    ----------
    t : int
        >= 1.
    distance : int
        In [1, 10]: between looks up to iteration :data:`EVEN`; from then on they are t/5 apart.

    Notes
    -----
    A constant that may be doubled or halved at equal distances for ever can be changed for ever,
    each time before it has done any good, and the method does not converge. Ever rarer changes
    leave a constant, with which it does, for longer and longer.
    """
    return t + distance if t < EVEN else 6 * t // 5
