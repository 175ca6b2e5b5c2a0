"""The law of a release: digits that are drawn on demand decide as all digits do.

Notation of :mod:`reference.privacy.exact.lazy`: a draw is D(f(U)), f a real function of uniform
numbers and D a step function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from proofs_checks.balls import Ball, ball
from proofs_checks.extras import flint, z3
from proofs_checks.outcome import Outcome
from proofs_checks.statement import statement
from proofs_checks.vocabulary import derived, exactly, for_all, less, reals
from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.lazy import Uniform, agreed, nearest, settle

DIGITS, WORDS = 3, 4
"""Digits of a word and words of a sequence, where all sequences are tried."""


class _NoDigitsLeft(Exception):
    """The digits of a sequence do not decide."""


def _shares(decide: Callable[[Uniform], int]) -> tuple[dict[int, Fraction], Fraction]:
    """Return the share of all sequences of digits that decide for each value, and of the others."""
    shares = defaultdict[int, Fraction](Fraction)
    undecided, stack = Fraction(0), list[tuple[int, ...]]([()])
    while stack:
        prefix = stack.pop()
        digits = iter(prefix)

        def draw(digits: Iterator[int] = digits) -> int:
            for word in digits:
                return word
            raise _NoDigitsLeft

        share = Fraction(1, 2 ** (DIGITS * len(prefix)))
        try:
            shares[decide(Uniform(draw, size=DIGITS))] += share
        except _NoDigitsLeft:
            if len(prefix) == WORDS:
                undecided += share
            else:
                stack += [(*prefix, word) for word in range(2**DIGITS)]
    return shares, undecided


def _rounded(shift: Fraction, size: Fraction, slip: int, uniform: Uniform) -> int:
    """Return the integer nearest to shift + size U; the cell is off by ``slip`` of its units."""

    def attempt(bits: int) -> int | None:
        cell = uniform.interval(bits)
        moved = Interval(cell.low + (slip << (bits - uniform.length)), cell.high, bits)
        return agreed(Interval.of(shift, bits) + moved.times(size), nearest)

    return settle([uniform], attempt)


def _enumerated(slip: int) -> Outcome:
    """Compare shares of all sequences with the law of the nearest integer to shift + size U.

    That integer is j with probability the length of [j - 1/2, j + 1/2] within the range of the
    sum, over size. A cell is undecided only if it touches one of the steps: two cells each.
    """
    half = Fraction(1, 2)

    def cases() -> Iterator[tuple[dict[str, Any], Fraction, Fraction]]:
        for shift, size in (("0", "3/2"), ("1/2", "5/3"), ("-3/10", "7/2"), ("1/7", "1/9")):
            low, high = Fraction(shift), Fraction(shift) + Fraction(size)
            shares, left = _shares(partial(_rounded, low, Fraction(size), slip))
            for j in range(-1, 5):
                law = max(Fraction(0), min(high, j + half) - max(low, j - half)) / Fraction(size)
                point = {"shift": shift, "size": size, "j": j}
                yield point, shares[j], law
                yield point, law, shares[j] + left
            steps = sum(low <= j + half <= high for j in range(-1, 5))
            most = (2 * steps + 1) * Fraction(1, 2 ** (DIGITS * WORDS))
            yield {"shift": shift, "size": size, "undecided": float(left)}, left, most

    return exactly(cases(), note=f"all sequences of {WORDS} words of {DIGITS} digits")


@statement(
    "exact Theorem 1",
    kind="identity",
    printed="P(settle returns j) = P(D(f(U)) = j) for every j, if P(f(U) lies on a step of D) = 0",
    refuses={
        "a word has one value more than its digits write": {"values": 1},
        "two ends whose values are neighbours agree": {"apart": 1},
        "a cell begins one unit of its last digit further on": {"slip": 1},
    },
    unchecked={
        "D, f, U": "in the steps d is the value of D at f(U), whatever the two functions",
    },
)
def lazily_refined(values: int = 0, apart: int = 0, slip: int = 0) -> Outcome:
    """Follow the cells of the uniform numbers and the enclosures of f.

    After n digits it is known that U lies in [k, k + 1]/2^n. A word w below W = 2^64 leaves
    [k W + w, k W + w + 1]/(2^n W), which is within it, and the cells of all words cover it without
    overlap; so a cell has the probability that is its length [step "cells"]. The enclosure [low,
    high] holds f(U), whatever the digits to come. D is monotone: if it has one value at both ends,
    it has this value d at x = f(U) [step "agreed"]. So on every sequence of digits on which settle
    ends, it returns D(f(U)). Let p be the probability that this has happened with value j after so
    many words, and left that nothing was returned: then p and the law are both between p and
    p + left, and so is what settle returns in the end, so that they differ by left at most [step
    "squeezed"]. The enclosures shrink to f(U), and left to the probability that f(U) lies on a step
    of D, or f is not continuous: 0. All sequences of short words, with the code itself, are as
    said, and a cell stays undecided only if it touches a step [step "enumerated"].
    """
    k, w, size, scale = reals("k w W scale")
    inside = z3.And(
        k * scale <= (k * size + w) / size * scale,
        (k * size + w + 1) / size * scale <= (k + 1) * scale,
    )
    d, low, high = reals("d D_low D_high")
    p, law, returned, left = reals("p law returned left")
    return derived(
        cells=for_all(inside, w >= 0, w <= size - 1 + values, size >= 2, scale > 0, k >= 0),
        agreed=for_all(d == low, low <= d, d <= high, high - low <= apart),
        squeezed=for_all(
            z3.And(law - returned <= left, returned - law <= left),
            *(p >= 0, left >= 0, p <= law, law <= p + left, p <= returned, returned <= p + left),
        ),
        enumerated=_enumerated(slip),
    )


# ---------------------------------------------------------------------------------- enclosures

BUDGET = {"steps": 2000, "each": 4, "squarings": 2**13}
"""Figures of the argument in :mod:`reference.privacy.exact.intervals`."""


def _exact_functions() -> dict[str, tuple[Callable[[Interval], Interval], Callable[[Ball], Ball]]]:
    return {
        "log": (Interval.log, lambda x: x.log()),
        "exp": (Interval.exp, lambda x: x.exp()),
        "sine": (Interval.quarter_sine, lambda x: (x / 2).sin_pi()),
    }


def _function_values(inner: int) -> Outcome:
    """Compare the ends of functions of single numbers with balls, at several precisions."""

    def cases() -> Iterator[tuple[dict[str, Any], int, int]]:
        for name, (ours, theirs) in _exact_functions().items():
            for bits in (64, 160, 700, 5000):
                with flint.ctx.workprec(2 * bits + 200):
                    for text in ("1/3", "1/1000000007", "999/1000", "2/3", "1/17"):
                        x = Interval.of(Fraction(text), bits)
                        number = ball(Fraction(x.low, 1 << bits))
                        unit = theirs(number) * ball(2) ** bits
                        found = ours(Interval(x.low, x.low, bits))
                        point = {"function": name, "x": text, "bits": bits}
                        below = int(unit.floor().unique_fmpz())
                        yield point, found.low + inner, below
                        yield point, below + 1, found.high - inner

    return exactly(cases(), note="ends of functions against balls, in units")


@statement(
    "exact Lemma 1",
    kind="approximation",
    printed="r - 1 <= y <= r + 2 if r is what an integer function returns for y, and products of "
    "intervals enclose the products of their numbers",
    refuses={
        "corners of equal ends alone": {"corners": 2},
        "four guard digits instead of 48": {"guard": 4},
        "an error of 2 units is enclosed": {"units": 2},
        "bounds that are 2 units narrower at both ends": {"inner": 2},
    },
)
def enclosed(corners: int = 4, guard: int = 48, units: int = 0, inner: int = 0) -> Outcome:
    """Bound a product on a box by its corners, and count what the integer functions cut off.

    A product x y is linear in either factor, so that its least and largest value on [a, b] x [c, e]
    are among a c, a e, b c, b e [step "product"]. Let s = z^2 <= 1/9 be the factor of the series of
    the logarithm. A power that is off by E units becomes off by at most s E + (2 |z| + 1)/3 + 1, z
    being rounded to a unit, its square to (2 |z| + 1) units and the power being 1/3 at most: it
    stays within 2 units [step "power"]. A term, the power over k rounded down, is then off by 3
    units at most, less than the 4 that are counted. Up to 6000 digits 2000 terms are enough, each
    being a ninth of the one before at most [step "terms"]. What all lose, times the 2^13 of the
    squarings of the exponential or of multiples of log 2, is below 2^26 units of the further 48
    digits [step "budget"], a 2^22th of a unit: the last shift rounds down to r, and y lies in
    [r - 1, r + 2] [step "shift"]. The ends that the code returns enclose the numbers
    themselves by balls of twice the precision [step "ends"].
    """
    a, b, c, e, x, y = reals("a b c e x y")
    products = [a * c, b * e, a * e, b * c][:corners]
    above, below = [x * y >= at for at in products], [x * y <= at for at in products]
    z, error, more, off, r = reals("z E more error r")
    total = BUDGET["steps"] * BUDGET["each"] * BUDGET["squarings"]
    return derived(
        product=for_all(z3.And(z3.Or(above), z3.Or(below)), a <= x, x <= b, c <= y, y <= e),
        power=for_all(
            more <= 2,
            *(z >= 0, 3 * z <= 1, error >= 0, error <= 2 + units),
            more <= z * z * error + (2 * z + 1) / 3 + 1,
        ),
        terms=less(ball(2) ** (6000 + 2 * guard), ball(9) ** BUDGET["steps"]),
        budget=less(ball(total), ball(2) ** (guard - 22)),
        shift=for_all(
            z3.And(r - 1 <= y, y <= r + 2),
            *(r <= y + off, y + off < r + 1),
            *(2**22 * off <= 1 + units * 2**22, 2**22 * off >= -1 - units * 2**22),
        ),
        ends=_function_values(inner),
    )
