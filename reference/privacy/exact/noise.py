"""Laplace and normal numbers as functions of uniform ones, and sums with them, rounded.

A word is a sign and the first 63 digits of a uniform number U. E = -log U is exponential, a sign
times E is a standard Laplace number, and sqrt(2E) cos(V pi/2), sqrt(2E) sin(V pi/2), each with a
sign of its own, are two independent standard normal ones (Box and Muller, 1958).

*The margin of the doubles.* One unit is 2^-52. The test-suite of numpy holds its logarithms,
exponentials, sines and cosines of doubles to 1 unit in the last place, as the GNU C library
documents; 4 are allowed for here. IEEE 754 rounds sums, products, quotients and roots to half of
one. With the 63 digits as an integer w:

* U as a double is (w + 1/2) 2^-63 but for a relative unit, and the digits to come move it by 2^-64:
  E is off by at most 1 + 4E units, and 1/w. The margin is :data:`SLACK` (1 + E) + 1/w, 16 units.
* sqrt(2E) is off by the error of 2E over the root, and a unit of itself, the angle by 2.1 units,
  sine and cosine by 4 more: the product by 7.1 units of the root. The margin is 16.
* A value plus scale times noise, in steps of the grid, adds half a unit of each of two roundings,
  and 2^-1074 where a value is less than that in steps. The margin is one unit of the sum, and of 1.

``touchstone proofs exact`` decides these bounds step by step. A test compares many words with the
ball arithmetic of another library, and asks how much of the margin their errors take.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.lazy import Uniform, agreed, nearest, settle
from reference.privacy.exact.sources import WORD, RandomBits, RandomWords

GRID_BITS = 30
"""The grid of a release is 2^-30 of the largest power of two that is not above its scale."""

SIGNIFICANT = 30
"""Bits of an output whose scale is private, so that no grid may follow from it."""

UNIT = 2.0**-52
SLACK = 16 * UNIT
"""Sixteen times what numpy's functions of doubles may be off by, relative to their values."""

_TAIL = WORD - 1
_SIGN = np.uint64(_TAIL)
_REST = np.uint64(2**_TAIL - 1)


def grid_exponent(scale: FloatArray | float) -> Any:
    """Return the exponent of the grid of a public scale: floor(log2 scale) - GRID_BITS."""
    return np.frexp(scale)[1] - 1 - GRID_BITS


def signs(words: RandomWords) -> FloatArray:
    """Return -1.0 for words whose first bit is set, 1.0 for others."""
    return np.where(words >> _SIGN, -1.0, 1.0)


class Draws(ABC):
    """Independent standard numbers: doubles, how far off they may be, and the exact ones.

    Attributes
    ----------
    values, margins : ndarray of float, shape (size,)
    """

    values: FloatArray
    margins: FloatArray

    def __init__(self, bits: RandomBits) -> None:
        self._bits = bits
        self._known: dict[tuple[int, int], Uniform] = {}

    @abstractmethod
    def uniforms(self, i: int) -> list[Uniform]:
        """Return the uniform numbers that number ``i`` depends on."""

    @abstractmethod
    def interval(self, i: int, bits: int) -> Interval:
        """Return an interval around number ``i``, from the digits that are known."""

    def _uniform(self, words: RandomWords, kind: int, i: int) -> Uniform:
        """Return the uniform number of a word, always the same object."""
        digits = int(words[i]) & (2**_TAIL - 1)
        return self._known.setdefault((kind, i), Uniform(self._bits.word, digits, _TAIL))


class Laplaces(Draws):
    """Standard Laplace numbers, density exp(-abs(x))/2."""

    def __init__(self, bits: RandomBits, size: int) -> None:
        super().__init__(bits)
        self._words = bits.words(size)
        sizes, self.margins = exponentials(self._words)
        self.signs = signs(self._words)
        self.values = self.signs * sizes

    def uniforms(self, i: int) -> list[Uniform]:
        """Return the one whose logarithm the number is."""
        return [self._uniform(self._words, 0, i)]

    def interval(self, i: int, bits: int) -> Interval:
        """Return sign times -log U."""
        log = self.uniforms(i)[0].interval(bits).log()
        return log if self.signs[i] < 0 else -log


class Normals(Draws):
    """Standard normal numbers; the first half are cosines, the second half the sines to them."""

    def __init__(self, bits: RandomBits, size: int) -> None:
        super().__init__(bits)
        self._half = (size + 1) // 2
        self._radii, self._angles = bits.words(self._half), bits.words(self._half)
        squares, margins = exponentials(self._radii)
        radii = np.sqrt(2 * squares)
        turns = (self._angles & _REST) * (2.0**-_TAIL * math.pi / 2)
        self.signs = np.concatenate([signs(self._radii), signs(self._angles)])
        self.values = self.signs * np.concatenate([radii * np.cos(turns), radii * np.sin(turns)])
        self.values = self.values[:size]
        with np.errstate(divide="ignore"):
            far = 2 * margins / radii + SLACK * radii
        self.margins = np.concatenate([far, far])[:size]

    def uniforms(self, i: int) -> list[Uniform]:
        """Return those of the radius and of the angle, which two numbers share."""
        j = i % self._half
        return [self._uniform(self._radii, 0, j), self._uniform(self._angles, 1, j)]

    def interval(self, i: int, bits: int) -> Interval:
        """Return sign times sqrt(-2 log U) times the cosine or sine of V pi/2."""
        square, turn = (uniform.interval(bits) for uniform in self.uniforms(i))
        wave = turn.quarter_cosine() if i < self._half else turn.quarter_sine()
        size = square.log().times(-2).sqrt() * wave
        return -size if self.signs[i] < 0 else size


def exponentials(words: RandomWords) -> tuple[FloatArray, FloatArray]:
    """Return -log of the uniform numbers that begin with the last 63 bits of words, and margins."""
    whole = (words & _REST).astype(np.float64)
    sizes = np.abs(np.log((whole + 0.5) * 2.0**-_TAIL))  # of 1 it is 0, not -0, as roots divide
    with np.errstate(divide="ignore"):  # a number that may be 0 has no bound
        return sizes, SLACK * (1 + sizes) + 1 / whole


def rounded_sums(value: FloatArray, scale: FloatArray | float, draws: Draws) -> FloatArray:
    """Return value + scale X, rounded to the grid of the scale, for independent numbers X.

    Where a multiple of the grid is no double, it is rounded to one: a function of the multiple.

    Parameters
    ----------
    value : ndarray of shape (size,)
    scale : ndarray of shape (size,), or float
        Public.
    draws : Draws
        Of as many numbers.
    """
    exponent = grid_exponent(scale)
    value_steps, scale_steps = np.ldexp(value, -exponent), np.ldexp(scale, -exponent)
    base = np.rint(value_steps)
    sums, margins = _double_sums(value_steps - base, scale_steps, draws)
    whole = np.rint(sums)
    for i in np.flatnonzero(~(0.5 - np.abs(sums - whole) > margins)):
        grid, size = (np.broadcast_to(x, value.shape)[i] for x in (exponent, scale_steps))
        shift = Fraction(value[i]) / Fraction(2) ** int(grid) - int(base[i])
        whole[i] = _settled_sum(int(i), shift, Fraction(size), draws)
    return np.asarray(np.ldexp(base + whole, exponent))


def _double_sums(
    shift: FloatArray, size: FloatArray | float, draws: Draws
) -> tuple[FloatArray, FloatArray]:
    """Return shift + size X as doubles, and how far off they may be."""
    sums = shift + size * draws.values
    return sums, size * draws.margins + UNIT * (np.abs(sums) + 1)


def _settled_sum(i: int, shift: Fraction, size: Fraction, draws: Draws) -> int:
    """Return the integer nearest to shift + size X_i."""

    def attempt(bits: int) -> int | None:
        total = Interval.of(shift, bits) + draws.interval(i, bits).times(size)
        return agreed(total, nearest)

    return settle(draws.uniforms(i), attempt)


def significant_sums(
    value: FloatArray, scale: Fraction, draws: Normals, *, sinh: bool
) -> FloatArray:
    """Return value + scale X, or + scale sinh X, rounded to :data:`SIGNIFICANT` bits.

    Parameters
    ----------
    value : ndarray of shape (size,)
    scale : Fraction
        Private.
    draws : Normals
        Of as many numbers.
    sinh : bool
        Whether the noise is the hyperbolic sine of a normal number.
    """
    sums, margins = _double_smooth_sums(value, float(scale), draws, sinh)
    mantissa, exponent = np.frexp(sums)
    steps = mantissa * 2.0**SIGNIFICANT
    whole = np.rint(steps)
    with np.errstate(over="ignore"):
        off = np.ldexp(margins, SIGNIFICANT - exponent)
    out = np.ldexp(whole, exponent - SIGNIFICANT)
    sure = (0.5 - np.abs(steps - whole) > off) & (off < 0.125) & (sums != 0)
    for i in np.flatnonzero(~sure):
        out[i] = _settled_significant(int(i), Fraction(value[i]), scale, draws, sinh)
    return np.asarray(out)


def _double_smooth_sums(
    value: FloatArray, scale: float, draws: Normals, sinh: bool
) -> tuple[FloatArray, FloatArray]:
    """Return value + scale X, or + scale sinh X, as doubles, and how far off they may be."""
    noise, far = draws.values, draws.margins
    if sinh:
        far = np.cosh(noise) * (far * (1 + 2 * far) + SLACK)
        noise = np.sinh(noise)
    sums = value + scale * noise
    return sums, scale * far + 4 * UNIT * (np.abs(value) + np.abs(sums)) + 2.0**-1000


def _settled_significant(
    i: int, value: Fraction, scale: Fraction, draws: Normals, sinh: bool
) -> float:
    def attempt(bits: int) -> float | None:
        noise = draws.interval(i, bits)
        if sinh:
            noise = (noise.exp() - (-noise).exp()).times(Fraction(1, 2))
        # in units of the scale's own size, so that tiny scales have digits
        unit = Fraction(2) ** (math.frexp(float(scale))[1])
        total = Interval.of(value / unit, bits) + noise.times(scale / unit)
        low, high = (_significant(end, bits) for end in (total.low, total.high))
        return float(low * unit) if low == high else None

    return settle(draws.uniforms(i), attempt)


def _significant(number: int, bits: int) -> Fraction:
    """Return number 2^-bits, rounded to :data:`SIGNIFICANT` bits."""
    drop = max(0, abs(number).bit_length() - SIGNIFICANT)
    return Fraction(nearest(number, drop) << drop, 1 << bits)
