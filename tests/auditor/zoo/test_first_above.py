"""Sparse vectors that release a number: their laws, integrated again, and what they draw."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from auditor.zoo.first_above import FirstAbove
from tests.auditor.zoo.laws import ZOO, assert_counts, outputs

FIRST_ABOVE = tuple(name for name in ZOO if ZOO[name].source.endswith("SVT"))
BARE = [name for name in FIRST_ABOVE if ZOO[name].broken]
RARE = 1e-6
STEP = 1 / 64
MIDDLES = np.arange(-160 + STEP / 2, 200, STEP)
"""Middles of cells, at whose ends the densities jump or have their kinks."""
RHO = np.arange(-60 + 1 / 1024, 60, 1 / 512)

Floats = np.ndarray[Any, np.dtype[np.float64]]


def law_of(name: str) -> FirstAbove:
    return ZOO[name].truth.__self__  # type: ignore[attr-defined, no-any-return]


def scales(name: str) -> tuple[float, float, float]:
    """Return the scales of the noise of the threshold, of a comparison and of a rough one."""
    epsilon = ZOO[name].epsilon
    if name.startswith("numerical"):
        return 3 / epsilon, 6 / epsilon, math.nan
    return 2 / epsilon, 4 / epsilon, 8 / epsilon


@cache
def density(name: str, side: int, j: int, bare: bool) -> Callable[[float], float]:
    """Return the density of a released number after j answers below, by a trapezoidal rule."""
    threshold, epsilon = ZOO[name].mechanism.keywords["threshold"], ZOO[name].epsilon  # type: ignore[attr-defined]
    gaps = np.asarray(ZOO[name].pair[side]) - threshold
    of_rho, of_query, of_rough = scales(name)
    rho, far = RHO / epsilon, 16 / epsilon
    adaptive = name.startswith("adaptive")
    prior = stats.laplace.pdf(rho, scale=of_rho)
    for gap in gaps[:j]:
        prior = prior * stats.laplace.cdf(rho, gap, of_query)
        if adaptive:
            prior = prior * stats.laplace.cdf(rho + far, gap, of_rough)
    gap = gaps[j]

    def at(value: float) -> float:
        if name.startswith("numerical"):
            above = prior * stats.laplace.sf(rho, gap, of_query)
            return float(integrate.trapezoid(above, rho) * stats.laplace.pdf(value, gap, of_rho))
        fine = stats.laplace.pdf(value + rho, gap, of_query) * (value >= 0)
        rough = stats.laplace.pdf(value + rho, gap, of_rough) * (value >= far)
        if bare:
            scale, least = (of_rough, far) if adaptive else (of_query, 0.0)
            shown = stats.laplace.pdf(value, gap, scale) * (value - rho >= least)
        elif adaptive:
            fine = fine * stats.laplace.cdf(rho + far, gap, of_rough)
            shown = fine if ZOO[name].broken else fine + rough
        else:
            shown = fine
        return float(integrate.trapezoid(prior * shown, rho))

    return at


def rows(name: str) -> list[tuple[int, bool]]:
    """Return (answers below, whether the number is an answer itself) of every row of the law."""
    k = len(ZOO[name].pair[0])
    released = [False, True] if name.startswith("adaptive") and name in BARE else [name in BARE]
    return [(j, bare) for bare in released for j in range(k)]


@pytest.mark.parametrize("name", FIRST_ABOVE)
@pytest.mark.parametrize("side", [0, 1])
def test_densities_by_another_integration(name: str, side: int) -> None:
    epsilon = ZOO[name].epsilon
    values = (
        np.array([-9.0, -2.0, 0.5, 3.0, 15.0, 17.0, 30.0]) + STEP
    )  # on the ends of cells of RHO
    found = law_of(name).densities(side, values)
    expected = [
        [density(name, side, j, bare)(x / epsilon) / epsilon for x in values]
        for j, bare in rows(name)
    ]
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-9)


@pytest.mark.parametrize("name", FIRST_ABOVE)
@pytest.mark.parametrize("delta", [1e-3, 0.03])
def test_the_truth_by_integration(name: str, delta: float) -> None:
    law = law_of(name)
    p, q = (STEP * law.densities(side, MIDDLES) for side in (0, 1))
    never = [float(law.masses[side][-1]) for side in (0, 1)]
    growth = math.exp(ZOO[name].truth(delta))
    over = [
        np.maximum(a - growth * b, 0).sum() + max(rest, 0)
        for a, b, rest in (
            (p, q, never[0] - growth * never[1]),
            (q, p, never[1] - growth * never[0]),
        )
    ]
    assert max(over) == pytest.approx(delta, rel=2e-3)


@pytest.mark.parametrize("name", FIRST_ABOVE)
def test_outputs_have_the_law(name: str) -> None:
    spec, law, runs = ZOO[name], law_of(name), 100_000
    k, threshold = len(spec.pair[0]), spec.mechanism.keywords["threshold"]  # type: ignore[attr-defined]
    for side in (0, 1):
        drawn = outputs(name, side, runs)
        assert all(x is None for one in drawn for x in one[:-1])
        places = np.array([k if one[-1] is None else len(one) - 1 for one in drawn])
        values = np.array([np.nan if one[-1] is None else one[-1] for one in drawn])
        shown = values > 500 if name.startswith("adaptive") else np.full(runs, spec.broken)
        counted = shown | name.startswith("numerical")
        values = spec.epsilon * np.where(counted, values - threshold, values)
        masses = STEP * law.densities(side, MIDDLES)
        chances = masses.sum(axis=1)
        chosen = [(places == j) & (shown == bare) for j, bare in rows(name)]
        never = law.masses[side][-1]
        assert sum(chances) + never == pytest.approx(1, abs=1e-5)
        assert_counts([one.sum() for one in chosen], runs, chances)
        assert_counts([np.sum(places == k)], runs, [never])
        uniform = [
            np.interp(values[one], MIDDLES + STEP / 2, row / row[-1])
            for one, row in zip(chosen, masses.cumsum(axis=1), strict=True)
        ]
        assert stats.kstest(np.concatenate(uniform), "uniform").pvalue > RARE


@pytest.mark.parametrize("name", BARE)
def test_what_a_bare_answer_tells_is_bounded_and_attained(name: str) -> None:
    law, most = law_of(name), ZOO[name].truth(0.0)
    values = np.linspace(-100, 100, 4001)
    p, q = (law.densities(side, values) for side in (0, 1))
    possible = (p > 0) & (q > 0)
    losses = np.log(p[possible] / q[possible])
    assert np.abs(losses).max() <= most * (1 + 1e-9)
    assert losses.max() >= most * (1 - 1e-6)
    assert abs(math.log(law.masses[0][-1] / law.masses[1][-1])) < most


@pytest.mark.parametrize("name", [name for name in FIRST_ABOVE if name not in BARE])
def test_right_programs_lose_most_of_what_they_claim(name: str) -> None:
    assert 0.7 * ZOO[name].epsilon < ZOO[name].truth(0.0) < ZOO[name].epsilon
