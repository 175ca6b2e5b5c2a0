"""Interval arithmetic against the ball arithmetic of another library."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import flint
import pytest

from reference.privacy.exact.intervals import Interval

FUNCTIONS = {
    "log": (lambda z: z.log(), lambda x: x.log()),
    "exp": (lambda z: z.exp(), lambda x: x.exp()),
    "sqrt": (lambda z: z.sqrt(), lambda x: x.sqrt()),
    "sine": (lambda z: z.quarter_sine(), lambda x: (x / 2).sin_pi()),
    "cosine": (lambda z: z.quarter_cosine(), lambda x: (x / 2).cos_pi()),
}


def _points(name: str) -> list[Fraction]:
    draw = random.Random(name)
    if name in ("sine", "cosine"):
        return [Fraction(draw.getrandbits(70), 2**70) for _ in range(200)] + [
            Fraction(k, 2) for k in range(3)
        ]
    found = [Fraction(draw.getrandbits(90) + 1, 2 ** draw.randrange(60, 150)) for _ in range(200)]
    found += [Fraction(1), Fraction(2, 3), Fraction(4, 3), Fraction(1, 2**63), Fraction(700)]
    return (
        found if name != "exp" else [x if x < 800 else x % 800 for x in found] + [-x for x in found]
    )


@pytest.mark.parametrize("bits", [70, 160, 400])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_bounds_enclose_the_value_and_are_four_units_wide_at_most(name: str, bits: int) -> None:
    mine, theirs = FUNCTIONS[name]
    with flint.ctx.workprec(bits + 1400):
        for x in _points(name):
            point = Interval.of(x, bits)
            if name == "log" and point.low <= 0:
                continue
            found = mine(point)
            for end, bound in ((point.low, found.low), (point.high, found.high)):
                scale = flint.arb(2) ** bits
                value = theirs(flint.arb(end) / scale) * scale
                assert found.low <= value <= found.high
                if name != "exp" or x < 1:
                    assert abs(value - bound) < 4


def test_operations_enclose_all_reals_of_their_operands() -> None:
    draw = random.Random(1)
    bits = 12

    def one() -> tuple[Interval, list[Fraction]]:
        low = draw.randrange(-(2**14), 2**14)
        high = low + draw.randrange(2**10)
        return Interval(low, high, bits), [
            Fraction(x, 2**bits) for x in (low, (low + high) // 2, high)
        ]

    def holds(interval: Interval, value: Fraction) -> bool:
        return interval.low <= value * 2**bits <= interval.high

    for _ in range(300):
        (x, xs), (y, ys) = one(), one()
        factor = Fraction(draw.randrange(-999, 999), draw.randrange(1, 999))
        for a in xs:
            assert holds(-x, -a)
            assert holds(x.times(factor), a * factor)
            for b in ys:
                assert holds(x + y, a + b)
                assert holds(x - y, a - b)
                assert holds(x * y, a * b)


def test_a_function_of_an_interval_encloses_the_values_at_both_ends() -> None:
    wide = Interval(2**60, 2**62, 64)
    whole: Any = [wide.log(), wide.exp(), wide.sqrt(), wide.quarter_sine(), wide.quarter_cosine()]
    for end in (Interval(2**60, 2**60, 64), Interval(2**62, 2**62, 64)):
        parts = [end.log(), end.exp(), end.sqrt(), end.quarter_sine(), end.quarter_cosine()]
        for all_of_it, part in zip(whole, parts, strict=True):
            assert all_of_it.low <= part.low + 3
            assert part.high - 3 <= all_of_it.high
