"""The arithmetic of truths against definitions: sums and integrals, and closed forms."""

from __future__ import annotations

import math
from itertools import product as cartesian

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.optimize import brentq

from auditor.statistics.claims import EpsilonDelta, certified_level
from auditor.zoo.exact import (
    LossLattice,
    bernoulli,
    best_event_epsilon,
    composed_laplace,
    epsilon_of_masses,
    laplace_excess,
    laplace_mass,
    opposite_losses_epsilon,
    opposite_losses_masses,
    product,
    sampled_gaussian,
)
from tests.auditor.zoo.laws import by_definition

DELTAS = (0.0, 1e-6, 1e-3, 0.02, 0.2, 0.9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("delta", DELTAS)
def test_masses_agree_with_the_definition(seed: int, delta: float) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.full(30, 0.5), size=2)
    assert epsilon_of_masses((p, q), delta) == pytest.approx(by_definition(p, q, delta), abs=1e-9)


def test_the_best_event_by_hand() -> None:
    p, q = np.array([0.7, 0.2, 0.1]), np.array([0.95, 0.01, 0.04])
    for delta, sides in ((0.0, (p, q)), (0.1, (q, p))):
        claim = EpsilonDelta(0.0, delta)
        # the second outcome, the second and third, and on the other side the first
        counts = [(200, 10), (300, 50), (950, 700)]
        levels = [certified_level(claim, (k, 1000), (m, 1000), 0.05) for k, m in counts]
        found = best_event_epsilon(sides, delta, 1000, 0.95)
        assert max(levels) == levels[0]
        assert found == pytest.approx(levels[0], abs=1e-3)


def test_the_best_event_nears_the_truth_from_below() -> None:
    p, q = np.random.default_rng(0).dirichlet(np.full(30, 2.0), size=2)
    truth = epsilon_of_masses((p, q), 0.0)
    found = [best_event_epsilon((p, q), 0.0, runs, 0.95) for runs in (10**3, 10**5, 10**9)]
    assert found == sorted(found)
    assert truth - 0.01 < found[-1] < truth


def test_by_hand() -> None:
    p, q = np.array([0.3, 0.3, 0.4]), np.array([0.06, 0.1, 0.84])
    assert epsilon_of_masses((p, q), 0.0) == pytest.approx(math.log(5.0))
    assert epsilon_of_masses((p, q), 0.1) == pytest.approx(math.log(0.2 / 0.06))
    # two outcomes together are worse than the first alone, log(0.1/0.06)
    assert epsilon_of_masses((p, q), 0.2) == pytest.approx(math.log(0.4 / 0.16))
    # the other way round is worse
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7])
    assert epsilon_of_masses((p, q), 0.45) == pytest.approx(math.log(0.25 / 0.2))
    assert epsilon_of_masses((q, p), 0.45) == pytest.approx(math.log(0.25 / 0.2))


def test_impossible_outcomes_cost_delta_and_no_more() -> None:
    p, q = np.array([0.1, 0.9, 0.0]), np.array([0.0, 0.9, 0.1])
    assert epsilon_of_masses((p, q), 0.0) == math.inf
    assert epsilon_of_masses((p, q), 0.0999) == math.inf
    assert epsilon_of_masses((p, q), 0.1) == 0.0
    assert epsilon_of_masses((p, p), 0.0) == 0.0


def test_product_is_the_law_of_independent_outcomes() -> None:
    one, other = bernoulli(0.3, 0.4), bernoulli(0.9, 0.2)
    both = product(one, other)
    for side in (0, 1):
        expected = [a * b for a, b in cartesian(one[side], other[side])]
        assert both[side] == pytest.approx(expected, abs=0)


def test_opposite_losses() -> None:
    p, q = opposite_losses_masses(1.3)
    assert np.log(p / q) == pytest.approx([1.3, -1.3])
    assert p.sum() == pytest.approx(1)
    assert q.sum() == pytest.approx(1)
    for delta in DELTAS:
        expected = max(0.0, math.log(max((p[0] - delta) / q[0], 1e-300)))
        assert opposite_losses_epsilon(1.3, delta) == pytest.approx(expected)


# ------------------------------------------------------------------------------- Laplace


@pytest.mark.parametrize(("low", "high"), [(-3.0, 1.0), (0.2, 5.0), (-9.0, -2.0), (40.0, 41.0)])
def test_laplace_mass(low: float, high: float) -> None:
    density = stats.laplace(0.5, 1.7).pdf
    expected = integrate.quad(density, low, high, points=[0.5] if low < 0.5 < high else None)[0]
    assert laplace_mass((0.5, 1.7), low, high) == pytest.approx(expected, rel=1e-9)
    assert laplace_mass((0.5, 1.7), -math.inf, math.inf) == 1


@pytest.mark.parametrize("second", [(1.0, 1.0), (0.3, 1.4), (0.0, 0.6), (-1.2, 2.0)])
@pytest.mark.parametrize("epsilon", [-0.7, 0.25, 0.9, 2.0])
@pytest.mark.parametrize(("low", "high"), [(-math.inf, math.inf), (0.4, math.inf), (-2.0, 0.1)])
def test_laplace_excess(
    second: tuple[float, float], epsilon: float, low: float, high: float
) -> None:
    x = np.linspace(max(low, -40.0), min(high, 40.0), 200_001)
    p, q = stats.laplace(0.0, 1.0).pdf(x), stats.laplace(*second).pdf(x)
    expected = integrate.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0.0), x)
    found = laplace_excess((0.0, 1.0), second, epsilon, low, high)
    assert found == pytest.approx(expected, abs=1e-7)


# --------------------------------------------------------------------------- composition


def test_one_laplace_on_the_lattice_is_the_closed_form() -> None:
    lattice = composed_laplace((1000,), 1e-3)
    for delta in (1e-9, 1e-4, 0.1, 0.3):
        assert lattice.epsilon(delta) == pytest.approx(1 + 2 * math.log1p(-delta), abs=1e-7)
    assert lattice.epsilon(0.5) == 0


def test_two_laplaces_on_the_lattice_are_the_integral() -> None:
    """The loss of the first of two, integrated over, leaves one Laplace release's curve."""
    a, b = 1.0, 0.5

    def one(size: float, epsilon: float) -> float:  # of either sign
        if epsilon < 0:
            return -math.expm1(epsilon) + math.exp(epsilon) * one(size, -epsilon)
        return -math.expm1(min(0.0, (epsilon - size) / 2))

    def both(epsilon: float) -> float:
        inside = integrate.quad(
            lambda loss: 0.25 * math.exp((loss - a) / 2) * one(b, epsilon - loss),
            -a,
            a,
            points=[epsilon - b, epsilon, epsilon + b],
            limit=200,
        )[0]
        return 0.5 * one(b, epsilon - a) + 0.5 * math.exp(-a) * one(b, epsilon + a) + float(inside)

    lattice = composed_laplace((2000, 1000), 5e-4)
    for delta in (1e-4, 1e-2, 0.1):
        expected = brentq(lambda e, d=delta: both(e) - d, 0.0, 1.5, xtol=1e-13)
        assert lattice.epsilon(delta) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("rate", [0.05, 0.25, 0.9])
def test_one_sampled_gaussian_on_the_lattice_is_the_threshold_curve(rate: float) -> None:
    """The loss increases in x: the best events are half-lines, whose best is searched for."""
    mu = 1.25
    x = np.linspace(-9, 10.25, 400_001)
    upper = stats.norm.sf(x), (1 - rate) * stats.norm.sf(x) + rate * stats.norm.sf(x - mu)
    lower = stats.norm.cdf(x), (1 - rate) * stats.norm.cdf(x) + rate * stats.norm.cdf(x - mu)
    for delta in (1e-5, 1e-3, 0.03):
        with np.errstate(divide="ignore", invalid="ignore"):
            forth = np.nanmax(np.log((upper[1] - delta) / upper[0]))
            back = np.nanmax(np.log((lower[0] - delta) / lower[1]))
        expected = max(forth, back, 0.0)
        found = sampled_gaussian(mu, rate, 2.0**-11).epsilon(delta)
        assert found == pytest.approx(expected, abs=2e-6)


def test_lattice_keeps_both_totals() -> None:
    for lattice in (composed_laplace((300, 500), 1e-3), sampled_gaussian(1.1, 0.3, 1e-3)):
        loss = lattice.step * (lattice.first + np.arange(lattice.p.size))
        assert lattice.p.sum() == pytest.approx(1, abs=1e-12)
        assert (lattice.p * np.exp(-loss)).sum() == pytest.approx(1, abs=1e-12)


def test_bins_are_split_without_bias() -> None:
    # one bin [0.3, 0.4] with the loss 0.37 throughout
    lattice = LossLattice.of_bins(0.1, 3, np.array([0.5]), np.array([0.5 * math.exp(-0.37)]))
    assert lattice.p.sum() == pytest.approx(0.5)
    assert lattice.p @ np.exp([-0.3, -0.4]) == pytest.approx(0.5 * math.exp(-0.37))
    assert (lattice.p > 0).all()
