"""Interval arithmetic on fixed-point integers: bounds that are certain, at any precision.

Every operation returns bounds that enclose the result for all reals of its operands. A function of
one number is computed at both ends with 48 further bits, in which truncations add up to far less
than one unit: at most 2000 steps lose at most 4 of the further units each, and these are multiplied
by at most 2^13 (of :func:`_exp`, by its squarings), so that the error is below 2^26 of the 2^48
further units in a unit. The final shift rounds down by less than one unit. So a result r encloses
the truth as [r - 1, r + 2].

The arithmetic has no state but two constants, cached by precision: any number of threads and signal
handlers may use it at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

_GUARD = 48


@dataclass(frozen=True, slots=True)
class Interval:
    """The real numbers from low to high, in units of 2^-bits.

    Attributes
    ----------
    low, high : int
    bits : int
        Of both operands of an operation, the same.
    """

    low: int
    high: int
    bits: int

    @classmethod
    def of(cls, number: Fraction | float, bits: int) -> Interval:
        """Return the narrowest interval around a rational number."""
        exact = Fraction(number)
        scaled = exact.numerator << bits
        return cls(scaled // exact.denominator, -(-scaled // exact.denominator), bits)

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high, self.bits)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low, self.bits)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low, self.bits)

    def __mul__(self, other: Interval) -> Interval:
        a, b, c, d = (x * y for x in (self.low, self.high) for y in (other.low, other.high))
        return Interval(min(a, b, c, d) >> self.bits, -(-max(a, b, c, d) >> self.bits), self.bits)

    def times(self, factor: Fraction | float) -> Interval:
        """Return the product with a rational number."""
        exact = Fraction(factor)
        one, two = sorted((self.low * exact.numerator, self.high * exact.numerator))
        return Interval(one // exact.denominator, -(-two // exact.denominator), self.bits)

    def sqrt(self) -> Interval:
        """Return the roots of the numbers that are not negative."""
        low, high = (isqrt(max(end, 0) << self.bits) for end in (self.low, self.high))
        return Interval(low, high + 1, self.bits)

    def log(self) -> Interval:
        """Return the natural logarithms; ``low`` must be above 0."""
        return self._monotone(_log)

    def exp(self) -> Interval:
        """Return the exponentials."""
        return self._monotone(_exp)

    def quarter_sine(self) -> Interval:
        """Return sin(x pi/2) of numbers x in [0, 1]."""
        return self._monotone(_quarter_sine)

    def quarter_cosine(self) -> Interval:
        """Return cos(x pi/2) of numbers x in [0, 1]."""
        one = 1 << self.bits
        return Interval(one - self.high, one - self.low, self.bits).quarter_sine()

    def _monotone(self, function: Callable[[int, int], int]) -> Interval:
        low, high = function(self.low, self.bits), function(self.high, self.bits)
        return Interval(low - 1, high + 2, self.bits)


def _log(x: int, bits: int) -> int:
    """Return log(x 2^-bits), x > 0, as 2 atanh((m - 1)/(m + 1)) + k log 2.

    x 2^-bits = m 2^k with m in [2/3, 4/3); abs(k) must be below 2^13.
    """
    work = bits + _GUARD
    length = x.bit_length()
    if 3 * x < 2 << length:
        length -= 1
    one = 1 << length
    z = ((x - one) << work) // (x + one)
    return (2 * _atanh(z, work) + (length - bits) * _log2(work)) >> _GUARD


def _atanh(z: int, work: int) -> int:
    """Return atanh of z 2^-work, abs(z 2^-work) <= 1/3, by its series."""
    square, power, total, k = z * z >> work, z, 0, 1
    while power not in (0, -1):
        total += power // k
        power, k = power * square >> work, k + 2
    return total


@lru_cache(maxsize=64)
def _log2(work: int) -> int:
    """Return log 2 = 2 atanh(1/3), rounded down."""
    more = work + _GUARD
    return 2 * _atanh((1 << more) // 3, more) >> _GUARD


@lru_cache(maxsize=64)
def _pi(work: int) -> int:
    """Return pi = 16 atan(1/5) - 4 atan(1/239) (Machin), to within a unit."""
    more = work + _GUARD
    return (16 * _atan_inverse(5, more) - 4 * _atan_inverse(239, more)) >> _GUARD


def _atan_inverse(n: int, work: int) -> int:
    """Return atan(1/n) by its series."""
    power, total, k = (1 << work) // n, 0, 1
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power, k = power // (n * n), k + 2
    return total


_HALVINGS = 12


def _exp(x: int, bits: int) -> int:
    """Return exp(x 2^-bits) = 2^k exp(r 2^-12)^(2^12), 0 <= r < log 2, by the series.

    ``k`` further bits keep the error of a large result below a unit.
    """
    whole = x >> bits
    if whole < -bits:
        return 0
    work = bits + _GUARD + max(0, 3 * whole // 2)
    k, r = divmod(x << (work - bits), _log2(work))
    r >>= _HALVINGS
    total, term, n = 1 << work, 1 << work, 1
    while term:
        term = (term * r >> work) // n
        total, n = total + term, n + 1
    for _ in range(_HALVINGS):
        total = total * total >> work
    shift = bits - work + k
    return total << shift if shift >= 0 else total >> -shift


def _quarter_sine(x: int, bits: int) -> int:
    """Return sin(x 2^-bits pi/2), 0 <= x 2^-bits <= 1, by the series."""
    work = bits + _GUARD
    angle = (x << _GUARD) * _pi(work) >> (work + 1)
    square, term, total, k = angle * angle >> work, angle, 0, 1
    while term:
        total += term if k % 4 == 1 else -term
        term, k = (term * square >> work) // ((k + 1) * (k + 2)), k + 2
    return total >> _GUARD
