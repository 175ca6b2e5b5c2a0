"""Ball arithmetic: functions whose value certainly contains the true one (python-flint's Arb).

A ball is a number with a radius; every operation returns a ball that contains all values that the
exact operation takes on its arguments. Special functions of Arb (``erfc``, ``lgamma``, ...) are
enclosures too, unlike those of ``mpmath.iv``.

* Write decimals as strings: ``ball("0.1")`` contains 1/10, ``ball(0.1)`` the double.
* The radius of a ball has 30 bits and is rounded up: a ball for [0, 1] reaches a little below 0.
* Mention a variable as few times as possible: balls forget that two mentions are the same number
  (x - x is not 0). :func:`monotone` gives the range of a monotone function from its two ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from proofs_checks.extras import flint

Ball = Any  # a flint.arb; the library has no type hints
End = int | float | str | Fraction  # a decimal string is enclosed; a float is taken exactly


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set the working precision of balls inside a ``with`` block."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def ball(low: End | Ball, high: End | Ball | None = None) -> Ball:
    """Return a ball that contains [low, high] (or the number ``low``)."""
    first = _enclose(low)
    return first if high is None else first.union(_enclose(high))


def _enclose(end: End | Ball) -> Ball:
    if isinstance(end, Fraction):
        return flint.arb(end.numerator) / end.denominator
    if isinstance(end, str) and "/" in end:
        return _enclose(Fraction(end))
    return flint.arb(end)


def lower(x: Ball) -> Ball:
    """Return a lower bound of a ball, as a ball without radius."""
    return x.lower()


def upper(x: Ball) -> Ball:
    """Return an upper bound of a ball, as a ball without radius."""
    return x.upper()


def maximum(x: Ball, y: Ball) -> Ball:
    """Return an enclosure of max(x, y)."""
    return x.max(y)


def minimum(x: Ball, y: Ball) -> Ball:
    """Return an enclosure of min(x, y)."""
    return x.min(y)


def monotone(function: Callable[[Ball], Ball], x: Ball) -> Ball:
    """Return the range on ``x`` of a function that is known to be monotone there.

    The caller must know the monotonicity; only the two ends are evaluated, so that repeated
    mentions of the variable do not widen the result.
    """
    return function(lower(x)).union(function(upper(x)))


def cos(x: Ball) -> Ball:
    """Enclose cos(x)."""
    return x.cos()


def exp(x: Ball) -> Ball:
    """Enclose e^x."""
    return flint.arb(x).exp()


def expm1(x: Ball) -> Ball:
    """Enclose e^x - 1, with relative accuracy near 0."""
    return flint.arb(x).expm1()


def log(x: Ball) -> Ball:
    """Enclose the natural logarithm."""
    return flint.arb(x).log()


def log1p(x: Ball) -> Ball:
    """Enclose log(1 + x), with relative accuracy near 0."""
    return flint.arb(x).log1p()


def sqrt(x: Ball) -> Ball:
    """Enclose the square root of a number that is not negative; what a ball adds below 0 is cut."""
    x = flint.arb(x)
    if lower(x) < 0 <= upper(x):
        return ball(0, upper(upper(x).sqrt()))
    return x.sqrt()


def loggamma(x: Ball) -> Ball:
    """Enclose the logarithm of the gamma function."""
    return flint.arb(x).lgamma()


def pi() -> Ball:
    """Enclose pi."""
    return flint.arb.pi()


def ndtr(x: Ball) -> Ball:
    """Enclose the standard normal distribution function Phi, with relative accuracy in its tail."""
    root = sqrt(flint.arb(2))
    return monotone(lambda t: (-t / root).erfc() / 2, flint.arb(x))


def npdf(x: Ball) -> Ball:
    """Enclose the standard normal density."""
    x = flint.arb(x)
    return exp(-(x * x) / 2) / sqrt(2 * pi())
