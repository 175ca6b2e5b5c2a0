"""The errors of doubles in draws, as shares of the margins that are kept for them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from reference.privacy.exact import noise
from reference.privacy.exact.sources import KnownBytes, RandomBits

ROUNDING, WHOLE = 0.1, 0.51
"""Shares of the margin: what rounding may take, and what it and the digits to come may.

By the bounds in the head of the module these are 7.1/16 and, for rare words of many zeros, 1/2 and
rounding. Largest in 300,000 words: 0.037 and 0.47.
"""

EDGES = [0, 1, 2, 3, 2**52, 2**53 - 1, 2**53 + 1, 2**62, 2**62 + 1, 2**63 - 2**10, 2**63 - 1]


class Edges(KnownBytes):
    """Bytes that begin with the words at which errors are largest, if any."""

    def take(self, count: int) -> bytes:
        words = np.frombuffer(super().take(count), dtype=np.uint64).copy()
        edges = np.array([*EDGES, *(2**63 + x for x in EDGES)], dtype=np.uint64)
        words[: edges.size] = edges if self._calls == 1 else edges[::-1]
        return words.tobytes()


def _shares(kind: Any, size: int) -> tuple[float, float]:
    """Return the largest errors of doubles over their margins: at the middles of cells, and at all.

    A cell is where the uniform number of a word may yet be.
    """
    draws = kind(RandomBits(Edges(1)), size)
    assert (draws.margins > 0).all()
    rounding, whole = 0.0, 0.0
    with flint.ctx.workprec(160):
        for i in np.flatnonzero(np.isfinite(draws.margins)):
            cells = [_ball(uniform) for uniform in draws.uniforms(int(i))]
            margin, found = float(draws.margins[i]), flint.arb(float(draws.values[i]))
            far = abs(_number(draws, i, cells) - found).upper()
            near = abs(_number(draws, i, [cell.mid() for cell in cells]) - found).upper()
            whole, rounding = max(whole, float(far) / margin), max(rounding, float(near) / margin)
    return rounding, whole


def _ball(uniform: Any) -> Any:
    """Return the ball of all numbers in the cell of a uniform number."""
    whole = flint.arb(2 * uniform.digits + 1, 1)
    return whole / (flint.arb(2) ** (uniform.length + 1))


def _number(draws: Any, i: int, cells: list[Any]) -> Any:
    if len(cells) == 1:
        return -cells[0].log() * int(draws.signs[i])
    half = draws._half
    wave = (cells[1] / 2).cos_pi() if i < half else (cells[1] / 2).sin_pi()
    return (-2 * cells[0].log()).sqrt() * wave * int(draws.signs[i])


@pytest.mark.parametrize("size", [5000, 100_000])
@pytest.mark.parametrize("kind", [noise.Laplaces, noise.Normals])
def test_no_error_takes_more_of_its_margin_than_is_said(kind: Any, size: int) -> None:
    rounding, whole = _shares(kind, size)
    assert 0.01 < rounding < ROUNDING
    assert whole < WHOLE


@pytest.mark.parametrize("kind", [noise.Laplaces, noise.Normals])
@pytest.mark.parametrize("size", [1.0, 1.4 * 2.0**30])
def test_sums_are_within_their_margins(kind: Any, size: float) -> None:
    """Take the draws for exact: only the error of the sum is left."""
    draws = kind(RandomBits(KnownBytes(3)), 3000)
    draws.margins = np.zeros(3000)
    shift = np.random.default_rng(3).uniform(-0.5, 0.5, 3000)
    sums, margins = noise._double_sums(shift, size, draws)
    exact = [
        Fraction(v) + Fraction(size) * Fraction(x)
        for v, x in zip(shift.tolist(), draws.values.tolist(), strict=True)
    ]
    far = [abs(float(Fraction(s) - e)) for s, e in zip(sums.tolist(), exact, strict=True)]
    assert 0.3 < max(np.array(far) / margins) <= 1


@pytest.mark.parametrize("sinh", [False, True])
def test_smooth_sums_are_within_their_margins(sinh: bool) -> None:
    size, value = 2000, np.random.default_rng(4).uniform(-3.0, 3.0, 2000)
    draws = noise.Normals(RandomBits(KnownBytes(4)), size)
    sums, margins = noise._double_smooth_sums(value, 1 / 3, draws, sinh)
    worst = 0.0
    with flint.ctx.workprec(160):
        for i in range(size):
            exact = _number(draws, i, [_ball(uniform).mid() for uniform in draws.uniforms(i)])
            exact = exact.sinh() if sinh else exact
            far = abs(exact * flint.arb(1 / 3) + flint.arb(value[i]) - flint.arb(sums[i])).upper()
            worst = max(worst, float(far) / margins[i])
    assert 0.01 < worst < ROUNDING


@pytest.mark.parametrize("function", ["log", "cos"])
def test_a_less_accurate_function_is_seen(function: str, monkeypatch: Any) -> None:
    usual = getattr(np, function)
    monkeypatch.setattr(noise.np, function, lambda x: usual(x) * (1 + 2.0**-49))
    rounding, _ = _shares(noise.Normals, 2000)
    assert rounding > ROUNDING


def _share_of_exponentials(size: int) -> float:
    """Return the largest error of exp(-x) as a share of what coins and selections keep for it."""
    x = np.random.default_rng(2).exponential(5.0, size)
    chances, worst = np.exp(-x), 0.0
    with flint.ctx.workprec(160):
        for given, found in zip(x.tolist(), chances.tolist(), strict=True):
            far = abs((-flint.arb(given)).exp() - flint.arb(found)).upper()
            worst = max(worst, float(far) / noise.SLACK)
    return worst


@pytest.mark.parametrize("size", [5000, 100_000])
def test_exponentials_are_as_near_as_coins_need_them(size: int) -> None:
    assert 0.001 < _share_of_exponentials(size) < 0.1
