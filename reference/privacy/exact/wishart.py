"""Wishart matrices as functions of uniform numbers: Bartlett's factors, whatever the degrees."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from reference._validation import FloatArray
from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.lazy import Uniform, agreed, nearest, negative, settle
from reference.privacy.exact.noise import Normals, grid_exponent
from reference.privacy.exact.sources import RandomBits


@dataclass(frozen=True)
class _Gamma:
    """A gamma number of shape d + 1/3: d (1 + X/(3 sqrt d))^3 of a normal number X."""

    d: Fraction
    normal: Normals

    def root(self, bits: int) -> Interval:
        """Return the cube root of v."""
        step = Interval.of(1 / (9 * self.d), bits).sqrt()
        return Interval.of(1, bits) + self.normal.interval(0, bits) * step

    def interval(self, bits: int) -> Interval:
        """Return the number."""
        root = self.root(bits)
        return (root * root * root).times(self.d)


def _gamma(bits: RandomBits, shape: Fraction) -> _Gamma:
    """Draw a gamma number of shape >= 1 (Marsaglia and Tsang, 2000).

    X is kept where v > 0 and log U < X^2/2 + d (1 - v + log v).
    """
    d = shape - Fraction(1, 3)
    while True:
        gamma, uniform = _Gamma(d, Normals(bits, 1)), Uniform(bits.word)
        if settle([*gamma.normal.uniforms(0), uniform], partial(_kept, gamma, uniform)):
            return gamma


def _kept(gamma: _Gamma, uniform: Uniform, bits: int) -> bool | None:
    root, x = gamma.root(bits), gamma.normal.interval(0, bits)
    if root.high <= 0:
        return False
    if root.low <= 0:
        return None
    bound = Interval.of(1, bits) - root * root * root + root.log().times(3)
    bound = (x * x).times(Fraction(1, 2)) + bound.times(gamma.d)
    return agreed(uniform.interval(bits).log() - bound, negative)


class _ChiSquare:
    """The root of a chi-square number of any degrees > 0.

    Twice a gamma number of half the degrees a; for a < 1, one of a + 1 times U^(1/a).
    """

    def __init__(self, bits: RandomBits, degrees: Fraction) -> None:
        self._half = degrees / 2
        self._power = None if self._half >= 1 else Uniform(bits.word)
        self._gamma = _gamma(bits, self._half + (self._power is not None))

    def uniforms(self) -> list[Uniform]:
        own = [] if self._power is None else [self._power]
        return [*own, *self._gamma.normal.uniforms(0)]

    def root(self, bits: int) -> Interval:
        square = self._gamma.interval(bits).times(2)
        if self._power is not None:
            square = square * self._power.interval(bits).log().times(1 / self._half).exp()
        return square.sqrt()


def rounded_wishart(
    bits: RandomBits, value: FloatArray, *, degrees: float, scale: float
) -> FloatArray:
    """Return value + scale L L', entries rounded to the grid of the scale.

    L is lower triangular, with roots of chi-square numbers of degrees - i on the diagonal and
    normal numbers below: L L' has the law W_d(degrees, I).
    """
    size = value.shape[-1]
    roots = [_ChiSquare(bits, Fraction(degrees) - i) for i in range(size)]
    below = Normals(bits, size * (size - 1) // 2)
    uniforms = [uniform for root in roots for uniform in root.uniforms()]
    for i in range(below.values.size):
        uniforms += below.uniforms(i)
    unit = Fraction(2) ** int(grid_exponent(scale))
    base = [[Fraction(entry) / unit for entry in row] for row in value]

    def attempt(digits: int) -> list[list[int]] | None:
        lower = _factor(roots, below, digits)
        found = []
        for i in range(size):
            row = [
                _entry(base[i][j], lower[i][: j + 1], lower[j][: j + 1], Fraction(scale) / unit)
                for j in range(i + 1)
            ]
            if None in row:
                return None
            found.append([entry for entry in row if entry is not None])
        return found

    out = np.zeros((size, size))
    for i, row in enumerate(settle(uniforms, attempt)):
        for j, steps in enumerate(row):
            out[i, j] = out[j, i] = float(steps * unit)
    return out


def _factor(roots: list[_ChiSquare], below: Normals, digits: int) -> list[list[Interval]]:
    """Return the rows of L, from the digits that are known."""
    rows, k = [], 0
    for i, root in enumerate(roots):
        rows.append([*(below.interval(k + j, digits) for j in range(i)), root.root(digits)])
        k += i
    return rows


def _entry(base: Fraction, one: list[Interval], two: list[Interval], scale: Fraction) -> int | None:
    """Return the integer nearest to base + scale times two rows' product, if it is certain."""
    bits = one[0].bits
    total = Interval(0, 0, bits)
    for a, b in zip(one, two, strict=True):
        total = total + a * b
    return agreed(Interval.of(base, bits) + total.times(scale), nearest)
