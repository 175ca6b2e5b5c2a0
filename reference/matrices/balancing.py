"""Changes of the constant of the alternating direction method of multipliers."""

from __future__ import annotations

from reference._validation import FloatArray

EVEN = 50
"""Iterations with looks at equal distances."""
APART = 10
"""The constant is changed where the residuals differ by more than this factor."""


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


def balanced(
    constant: float, scaled: FloatArray, primal: float, dual: float
) -> tuple[float, FloatArray]:
    """Return the constant after a look, and the scaled multiplier that goes with it.

    Parameters
    ----------
    constant : float
        > 0, of the quadratic term.
    scaled : ndarray
        The multiplier divided by the constant; their product stays as it is.
    primal, dual : float
        >= 0. Residuals: how far apart the two copies are, how far the second one moved.
    """
    if primal > APART * dual:
        return 2 * constant, scaled / 2
    if dual > APART * primal:
        return constant / 2, 2 * scaled
    return constant, scaled
