"""Uniform real numbers whose digits are drawn when they are needed, and decisions about them.

A draw is a function D(f(U_1, .., U_m)) of independent uniform numbers: f has real values (noise
plus a value, say) and D is a step function of them (rounding, say). :func:`settle` returns it
exactly.

*Why the law is exact.* Write U = 0.b_1 b_2 .. with independent fair bits. After some digits it is
known that U lies in a cell, an interval of length 2^-n, and interval arithmetic encloses f on the
product of the cells. A decision is returned only if it is the same for all values of the enclosure,
and so for the true f(U_1, .., U_m), whatever the digits to come. Hence on every sequence of bits on
which :func:`settle` ends, what it returns is D(f(U_1, .., U_m)). It ends unless f(U_1, .., U_m)
lies on a step of D, or f is not continuous there, as the enclosures shrink to the value. That has
probability 0 wherever f has a density. So the law is that of D(f(U_1, .., U_m)), to the last bit.

It does not matter which digits are looked at first, nor that several decisions share uniform
numbers: each is a function of the same infinite sequences. Doubles that decide from the first
digits with a margin that is at least their error return the same as :func:`settle`, and may be used
first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.sources import WORD

T = TypeVar("T")

_PRECISION = 96
"""Bits by which intervals are finer than the cells of the uniform numbers."""


class Uniform:
    """A uniform real number in [0, 1], of which the first digits are known.

    Parameters
    ----------
    draw : callable
        ``draw()`` returns ``size`` fresh random bits as an integer.
    digits, length : int, default 0
        Of the first ``length`` binary digits, the integer that they write.
    size : int, default 64
        Digits that are drawn at a time.
    """

    __slots__ = ("_draw", "_size", "digits", "length")

    def __init__(
        self, draw: Callable[[], int], digits: int = 0, length: int = 0, size: int = WORD
    ) -> None:
        self._draw, self._size = draw, size
        self.digits, self.length = digits, length

    def refine(self) -> None:
        """Draw further digits."""
        self.digits = self.digits << self._size | self._draw()
        self.length += self._size

    def interval(self, bits: int) -> Interval:
        """Return the cell of the number; ``bits`` >= ``length``."""
        shift = bits - self.length
        return Interval(self.digits << shift, (self.digits + 1) << shift, bits)


def settle(uniforms: Sequence[Uniform], attempt: Callable[[int], T | None]) -> T:
    """Return a decision about uniform numbers, drawing as many digits as it needs.

    Parameters
    ----------
    uniforms : sequence of Uniform
        Those that the decision depends on. As long as one may be 0 nothing is attempted, so that
        logarithms exist.
    attempt : callable
        ``attempt(bits)`` returns the decision from intervals of this precision, or ``None`` if they
        do not decide.
    """
    while True:
        if all(uniform.digits for uniform in uniforms):
            bits = max((uniform.length for uniform in uniforms), default=0) + _PRECISION
            decision = attempt(bits)
            if decision is not None:
                return decision
        for uniform in uniforms:
            uniform.refine()


def agreed(interval: Interval, step: Callable[[int, int], T]) -> T | None:
    """Return the value of a monotone step function on an interval, or ``None`` if it has several.

    Parameters
    ----------
    interval : Interval
    step : callable
        Of a number in units of 2^-bits, and of bits.
    """
    low = step(interval.low, interval.bits)
    return low if low == step(interval.high, interval.bits) else None


def nearest(number: int, bits: int) -> int:
    """Return the integer nearest to number 2^-bits."""
    return (number + (1 << bits >> 1)) >> bits


def negative(number: int, bits: int) -> bool:
    """Return whether number 2^-bits is below 0."""
    del bits
    return number < 0
