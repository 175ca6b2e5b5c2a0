"""Proofs by interval arithmetic: inequalities on whole boxes, not on grids.

A function written with the operations of ``mpmath.iv`` returns, for intervals as arguments, an
interval that certainly contains every value it takes there. :func:`prove_nonnegative` halves a
box until that enclosure shows f >= 0 on every piece: a proof for *all* parameters of the box, up
to the correctness of mpmath's directed rounding.

How to use it:

* Write the inequality as f >= 0 with ``iv.exp``, ``iv.log``, ``iv.sqrt``, ``iv.sin``, ``iv.cos``,
  ``iv.gamma``, ``iv.loggamma``, ``+ - * /``, integer ``**`` and :func:`iv_ndtr` only. Everything
  else in ``iv`` (``erf``, ``ncdf``, ``gammainc``, quadrature, ...) runs mpmath's ordinary
  algorithms and is *not* an enclosure; hyperbolic functions are missing: write them with exp.
* Mention every variable as few times as possible: intervals forget that two mentions are the
  same number (x - x is not 0). :func:`monotone` gives the exact range of a monotone function.
* Equality inside the box cannot be proved by halving. Divide the factor that vanishes out (prove
  (e^x - 1)/x >= 1 as a series, not e^x - 1 - x >= 0 at x = 0), or give the ``gradient``: where
  its signs are constant the smallest value is at a corner, and a corner is evaluated exactly.
* Cover unbounded or tiny ranges by a substitution (x = 1/y, delta = exp(-s)); a side whose ends
  are positive and far apart is halved geometrically.

Examples
--------
x (1 - x) <= 0.26 on the whole of [0, 1], but not <= 0.24:

>>> prove_nonnegative(lambda x: interval("0.26") - x * (1 - x), [(0, 1)]).proved
True
>>> prove_nonnegative(lambda x: interval("0.24") - x * (1 - x), [(0, 1)]).counterexample
((0.5, 0.5),)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpmath import iv, mp

Interval = Any  # an mpmath ``iv.mpf``
End = int | float | str | Fraction  # a decimal string is enclosed; a float is taken exactly


@dataclass(frozen=True)
class Subdivision:
    """Result of a proof by subdivision; true in a boolean context if the claim is proved.

    Attributes
    ----------
    proved : bool
        f >= 0 on every point of the box.
    boxes : int
        Sub-boxes examined.
    depth : int
        Largest number of halvings used.
    counterexample : tuple of (float, float) or None
        A sub-box (or a point, as a box without width) on *all* of which f < 0.
    unresolved : tuple of (float, float) or None
        A sub-box on which the limits were reached with the sign undecided.
    """

    proved: bool
    boxes: int
    depth: int
    counterexample: tuple[tuple[float, float], ...] | None = None
    unresolved: tuple[tuple[float, float], ...] | None = None

    def __bool__(self) -> bool:
        return self.proved

    @property
    def refuted(self) -> bool:
        """Whether f < 0 somewhere for certain."""
        return self.counterexample is not None

    def describe(self) -> str:
        """Return one line for an outcome's detail."""
        if self.proved:
            return f"proved on {self.boxes} boxes, {self.depth} halvings deep"
        if self.refuted:
            return f"negative on the whole box {_printed(self.counterexample)}"
        return f"undecided on {_printed(self.unresolved)} after {self.boxes} boxes"


def _printed(box: tuple[tuple[float, float], ...] | None) -> str:
    return " x ".join(f"[{low:.8g}, {high:.8g}]" for low, high in box or ())


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set the working precision of ``iv`` and ``mp`` inside a ``with`` block."""
    before = iv.prec, mp.prec
    iv.prec = mp.prec = bits
    try:
        yield
    finally:
        iv.prec, mp.prec = before


def interval(low: End, high: End | None = None) -> Interval:
    """Return the smallest interval that contains [low, high] (or the number ``low``).

    Parameters
    ----------
    low, high : int, float, str or Fraction
        Floats are taken exactly as they are in binary; write decimals as strings
        (``interval("0.1")`` contains 1/10, ``interval(0.1)`` does not).
    """
    first = _enclose(low)
    return first if high is None else hull(first, _enclose(high))


def _enclose(end: End) -> Interval:
    if isinstance(end, Fraction):
        return iv.mpf(end.numerator) / iv.mpf(end.denominator)
    return iv.mpf(end if isinstance(end, str | int) else float(end))


def lower(x: Interval) -> Any:
    """Return the lower end of an interval as an ``mp.mpf``."""
    return mp.make_mpf(iv.convert(x)._mpi_[0])


def upper(x: Interval) -> Any:
    """Return the upper end of an interval as an ``mp.mpf``."""
    return mp.make_mpf(iv.convert(x)._mpi_[1])


def hull(x: Interval, y: Interval) -> Interval:
    """Return the smallest interval that contains both."""
    return iv.mpf([min(lower(x), lower(y)), max(upper(x), upper(y))])


def maximum(x: Interval, y: Interval) -> Interval:
    """Return an enclosure of max(x, y); for (x)_+ use ``maximum(x, iv.mpf(0))``."""
    return iv.mpf([max(lower(x), lower(y)), max(upper(x), upper(y))])


def minimum(x: Interval, y: Interval) -> Interval:
    """Return an enclosure of min(x, y)."""
    return iv.mpf([min(lower(x), lower(y)), min(upper(x), upper(y))])


def monotone(function: Callable[[Interval], Interval], x: Interval) -> Interval:
    """Return the range of a function that is known to be monotone on ``x``.

    The caller must know the monotonicity; only the two ends are evaluated, so that repeated
    mentions of the variable do not widen the result.
    """
    return hull(function(iv.mpf(lower(x))), function(iv.mpf(upper(x))))


def prove_nonnegative(
    function: Callable[..., Interval],
    box: Sequence[tuple[End, End]],
    max_depth: int = 40,
    *,
    gradient: Callable[..., Sequence[Interval]] | None = None,
    max_boxes: int = 50_000,
) -> Subdivision:
    """Try to prove f >= 0 on a box by interval arithmetic and subdivision.

    Parameters
    ----------
    function : callable
        Takes one ``iv`` interval per side of the box and returns an interval that contains every
        value of f on them.
    box : sequence of (low, high)
        The closed box; see :func:`interval` for the kinds of ends. It is enclosed outward.
    max_depth : int, default 40
        Largest number of halvings of a sub-box, over all its sides.
    gradient : callable, optional
        Takes the same intervals and returns enclosures of the partial derivatives. Used where the
        plain enclosure is undecided: the mean-value form around the centre, or along a side whose
        derivative has one sign, the end where f is smallest. Proves f >= 0 with equality at a
        corner.
    max_boxes : int, default 50000
        Give up after this many sub-boxes.

    Returns
    -------
    Subdivision
        ``proved``; or ``counterexample``, a sub-box or point where f < 0 for certain; or
        ``unresolved``, a sub-box where a limit was reached (the claim may be true).
    """
    if not box:
        raise ValueError("box must have at least one side")
    sides = []
    for low, high in box:
        side = interval(low, high)
        sides.append((lower(side), upper(side)))
    stack = [(tuple(sides), 0)]
    examined = deepest = 0
    while stack:
        current, depth = stack.pop()
        examined += 1
        deepest = max(deepest, depth)
        bounds = _bounds(function, gradient, current)
        if lower(bounds) >= 0:
            continue
        if upper(bounds) < 0:
            return Subdivision(False, examined, deepest, counterexample=_floats(current))
        centre = tuple(((low + high) / 2,) * 2 for low, high in current)
        if upper(function(*(iv.mpf(low) for low, _ in centre))) < 0:
            return Subdivision(False, examined, deepest, counterexample=_floats(centre))
        if depth >= max_depth or examined >= max_boxes:
            return Subdivision(False, examined, deepest, unresolved=_floats(current))
        stack.extend((half, depth + 1) for half in _halves(current))
    return Subdivision(True, examined, deepest)


def _bounds(
    function: Callable[..., Interval],
    gradient: Callable[..., Sequence[Interval]] | None,
    sides: tuple[tuple[Any, Any], ...],
) -> Interval:
    """Enclose f on a box; with a gradient, only its lower end is sharpened."""
    arguments = [iv.mpf([low, high]) for low, high in sides]
    plain = function(*arguments)
    if gradient is None or lower(plain) >= 0 or upper(plain) < 0:
        return plain
    slopes = gradient(*arguments)
    # slide every side with a slope of one sign to the end where f is smallest
    base = []
    correction = iv.mpf(0)
    for (low, high), argument, slope in zip(sides, arguments, slopes, strict=True):
        if lower(slope) >= 0:
            base.append(iv.mpf(low))
        elif upper(slope) <= 0:
            base.append(iv.mpf(high))
        else:
            centre = iv.mpf((low + high) / 2)
            base.append(centre)
            correction += slope * (argument - centre)
    smallest = function(*base) + correction
    return iv.mpf([max(lower(plain), lower(smallest)), upper(plain)])


def _halves(sides: tuple[tuple[Any, Any], ...]) -> Iterator[tuple[tuple[Any, Any], ...]]:
    """Halve the side that is widest relative to its distance from zero."""
    widths = [(high - low) / (1 + min(abs(low), abs(high))) for low, high in sides]
    # a positive side over several orders of magnitude counts by its ratio
    for index, (low, high) in enumerate(sides):
        if low > 0 and high > 4 * low:
            widths[index] = max(widths[index], mp.log(high / low))
    widest = widths.index(max(widths))
    low, high = sides[widest]
    middle = mp.sqrt(low * high) if low > 0 and high > 4 * low else (low + high) / 2
    for half in ((low, middle), (middle, high)):
        yield (*sides[:widest], half, *sides[widest + 1 :])


def _floats(sides: tuple[tuple[Any, Any], ...]) -> tuple[tuple[float, float], ...]:
    return tuple((float(low), float(high)) for low, high in sides)


def iv_ndtr(x: Interval) -> Interval:
    """Enclose the standard normal distribution function Phi on an interval.

    Phi increases, so the two ends suffice. At a point 0 <= x < 4 it is the series
    1/2 + phi(x) sum_k x^(2k+1)/(1 3 5 ... (2k+1)), whose terms are positive and whose remainder
    is below a geometric series; beyond 4, 1 - phi(x) R(x) with Mills' ratio R between two
    successive convergents of Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/(x + ...)))),
    whose even convergents increase and odd ones decrease towards R. For x < 0 it is the upper
    tail, with full *relative* accuracy: ``iv.log(iv_ndtr(x))`` is safe however small Phi is.

    Parameters
    ----------
    x : iv.mpf
        Any finite interval.

    Returns
    -------
    iv.mpf
        Contains Phi(t) for every t in ``x``.
    """
    x = iv.convert(x)
    return iv.mpf([lower(_ndtr_point(lower(x))), upper(_ndtr_point(upper(x)))])


def iv_npdf(x: Interval) -> Interval:
    """Enclose the standard normal density on an interval."""
    return iv.exp(-(iv.convert(x) ** 2) / 2) / iv.sqrt(2 * iv.pi)


def _ndtr_point(point: Any) -> Interval:
    if point >= 0:
        return 1 - _upper_tail(point)
    return _upper_tail(-point)


def _upper_tail(point: Any) -> Interval:
    """Enclose 1 - Phi at a point >= 0."""
    if point >= 4:
        return iv_npdf(iv.mpf(point)) * _mills_ratio(iv.mpf(point))
    bits = iv.prec
    # 1/2 minus the series loses up to 15 bits at x = 4
    with precision(bits + 30):
        x = iv.mpf(point)
        square = x**2
        term = total = x
        k = 0
        while upper(term) > mp.ldexp(1, -bits - 25) or k < 12:
            k += 1
            term = term * square / (2 * k + 1)
            total += term
        # later terms shrink at least by the factor square/(2k + 3) < 1
        ratio = square / (2 * k + 3)
        remainder = term * ratio / (1 - ratio)
        total += iv.mpf([0, max(upper(remainder), 0)])
        tail = iv.mpf(1) / 2 - iv_npdf(x) * total
    return +tail


def _mills_ratio(x: Interval) -> Interval:
    """Enclose (1 - Phi)/phi at a point >= 4 between two convergents."""

    def convergent(n: int) -> Interval:
        value = x
        for k in range(n, 0, -1):
            value = x + k / value
        return 1 / value

    terms, bounds = 8, hull(convergent(8), convergent(9))
    # at x = 4 about (bits/12)^2 terms are needed, fewer beyond
    while upper(bounds) - lower(bounds) > mp.ldexp(upper(bounds), 2 - iv.prec) and terms < 4096:
        terms *= 2
        bounds = hull(convergent(terms), convergent(terms + 1))
    return bounds
