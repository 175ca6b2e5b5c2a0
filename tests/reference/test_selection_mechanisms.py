"""Selections by noisy scores: their law, their loss at the worst pair, and extremes.

Statistical tests use fixed seeds; each states its false-alarm probability.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from reference.privacy.mechanisms import (
    Cost,
    Exponential,
    IntervalExponential,
    Mechanism,
    NoisyMax,
    laplace_argmax_log_probability,
)

Array = NDArray[np.float64]


def loss(mechanism: Mechanism, output: object, value: Array, other: Array, axes: int = 0) -> float:
    """Largest loss over the units."""
    mine = mechanism.log_density(output, value, axes)
    return float(np.max(mine - mechanism.log_density(output, other, axes)))


def test_exponential_frequencies_and_density() -> None:
    mechanism, scores = Exponential(0.8), np.array([1.0, 0.0, 2.5, -1.0])
    p = np.exp(0.8 * scores) / np.exp(0.8 * scores).sum()
    density = [float(mechanism.log_density(i, scores, 0)) for i in range(4)]
    np.testing.assert_allclose(np.exp(density), p)
    many = np.broadcast_to(scores, (20_000, 4))
    chosen = mechanism.output(many, mechanism.draw(many, np.random.default_rng(11)))
    # chi-square test at 1e-6
    counts = np.bincount(chosen, minlength=4)
    assert stats.chisquare(counts, 20_000 * p).pvalue > 1e-6
    assert int(mechanism.noiseless(scores)) == 2
    assert mechanism.output(scores, np.array([0.0, 9.0, 0.0, 0.0])) == 1


def test_exponential_worst_pair_approaches_epsilon() -> None:
    epsilon, k = 1.3, 100_000
    mechanism = Exponential(epsilon / 2)
    value, other = np.zeros(k), np.ones(k)
    value[0], other[0] = 1.0, 0.0
    assert float(mechanism.distance(value, other, 0)) == 1.0
    assert 0.9999 * epsilon < loss(mechanism, 0, value, other) <= epsilon
    assert mechanism.cost(1.0) == Cost(pure=epsilon, rho=epsilon**2 / 8)


STEPS = np.array([[1.0, 0.0, 9.0, 2.5, -1.0], [-1.0, 0.5, 0.75, 0.75, 1.0]])
"""Scores and left ends of five pieces of [-1, 3), of which the third has no length."""


def test_interval_exponential_law_and_density() -> None:
    mechanism = IntervalExponential(0.8, -1.0, 3.0)
    density = np.exp([1.0 * 0.8, 0.0, 2.5 * 0.8, -0.8])
    lengths = np.array([1.5, 0.25, 0.25, 2.0])
    density /= density @ lengths
    points, far = [-1.0, 0.5, 0.75, 2.999], [-1.0001, 3.0, 5.0]
    found = [float(mechanism.log_density(np.asarray(x), STEPS, 0)) for x in points]
    np.testing.assert_allclose(np.exp(found), density)
    assert {float(mechanism.log_density(np.asarray(x), STEPS, 0)) for x in far} == {-math.inf}
    rng = np.random.default_rng(16)
    drawn = [float(mechanism.output(STEPS, mechanism.draw(STEPS, rng))) for _ in range(5000)]
    edges = np.array([-1.0, 0.5, 0.75, 1.0, 3.0])
    # chi-square test of the pieces, then Kolmogorov-Smirnov of the whole, at 1e-6 each
    counts = np.histogram(drawn, edges)[0]
    assert stats.chisquare(counts, 5000 * density * lengths).pvalue > 1e-6
    mass = np.concatenate([[0.0], np.cumsum(density * lengths)])
    assert stats.kstest(drawn, lambda x: np.interp(x, edges, mass)).pvalue > 1e-6


def test_interval_exponential_from_given_draws_and_without_noise() -> None:
    mechanism = IntervalExponential(0.8, -1.0, 3.0)
    level = -mechanism.log_masses(STEPS)
    level[2] = 0.0
    for piece, middle in ((0, -0.25), (1, 0.625), (3, 0.875), (4, 2.0)):
        gumbel = level + 0.1 * (np.arange(5) == piece)
        assert float(mechanism.output(STEPS, (gumbel, 0.5))) == middle
        ends = [float(mechanism.output(STEPS, (gumbel, u))) for u in (0.0, 1 - 2**-40)]
        assert STEPS[1, piece] == ends[0] < ends[1] < mechanism.ends(STEPS)[piece]
    # the best score has no length
    assert float(mechanism.noiseless(STEPS)) == 0.875
    # a piece of one double: what is rounded to its end is its start
    narrow = np.array([[0.0, 0.0, 0.0], [-1.0, 1.0, np.nextafter(1.0, 2.0)]])
    for u in (0.0, 0.25, 0.75, 1 - 2**-53):
        assert float(mechanism.output(narrow, (np.array([0.0, 99.0, 0.0]), u))) == 1.0


def test_interval_exponential_distance_is_the_largest_change_at_a_point() -> None:
    mechanism = IntervalExponential(0.8, -1.0, 3.0)
    moved = STEPS.copy()
    moved[1, 1] = 0.6  # 1.0 for 0.0 on [0.5, 0.6)
    assert float(mechanism.distance(STEPS, moved, 0)) == 1.0
    moved = STEPS.copy()
    moved[0, 2] = -50.0  # of a piece without length nothing is seen
    assert float(mechanism.distance(STEPS, moved, 0)) == 0.0
    moved[1, 3] = 0.7500001  # now it has one: -50.0 for 2.5
    moved[0, 3] = 2.0
    assert float(mechanism.distance(STEPS, moved, 0)) == 52.5
    assert float(mechanism.distance(moved, STEPS, 0)) == 52.5
    # a break of one inside a piece of the other
    whole = np.array([[1.0, 1.0], [-1.0, 0.0]])
    broken = np.array([[1.0, 4.0], [-1.0, 0.5]])
    for one, other in ((whole, broken), (broken, whole)):
        assert float(mechanism.distance(one, other, 0)) == 3.0
    last = STEPS.copy()
    last[:, 4] = [7.0, 3.0]  # at the end of the interval, 2.5 for -1.0 before it
    assert float(mechanism.distance(STEPS, last, 0)) == 3.5


def test_interval_exponential_worst_pair_approaches_epsilon() -> None:
    epsilon, short = 1.3, 1e-6
    mechanism = IntervalExponential(epsilon / 2, 0.0, 1.0)
    value = np.array([[1.0, 0.0], [0.0, short]])
    other = np.array([[0.0, 1.0], [0.0, short]])
    assert float(mechanism.distance(value, other, 0)) == 1.0
    seen = loss(mechanism, np.asarray(short / 2), value, other)
    assert (1 - 1e-5) * epsilon < seen <= epsilon
    assert mechanism.cost(1.0) == Cost(pure=epsilon, rho=epsilon**2 / 8)


def test_noisy_max_probability_by_simulation_and_in_closed_form() -> None:
    # two candidates: the difference of two Laplace variables has P(> -t) = 1 - e^-t (2 + t)/4
    for t in (0.0, 0.5, 3.0, 30.0):
        exact = math.log1p(-math.exp(-t) * (2 + t) / 4)
        assert laplace_argmax_log_probability(np.array([t, 0.0]), 0) == pytest.approx(
            exact, rel=1e-9, abs=1e-15
        )
        lower = -t + math.log((2 + t) / 4)
        assert laplace_argmax_log_probability(np.array([t, 0.0]), 1) == pytest.approx(lower)
    scores = np.array([0.0, 0.7, -2.0, 0.7, 1.5])
    p = np.exp([laplace_argmax_log_probability(scores, i) for i in range(5)])
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    assert p[1] == pytest.approx(p[3])
    rng = np.random.default_rng(12)
    winners = np.argmax(scores + rng.laplace(size=(20_000, 5)), axis=1)
    assert stats.chisquare(np.bincount(winners), 20_000 * p).pvalue > 1e-6


def test_noisy_max_probability_in_the_far_tail_and_for_tiny_noise() -> None:
    # three candidates 0, 55 and 60 scales apart, against mpmath quadrature
    far = np.array([0.0, -55.0, -60.0])
    assert laplace_argmax_log_probability(far, 1) == pytest.approx(-52.3433611771051)
    assert laplace_argmax_log_probability(far, 2) == pytest.approx(-57.3520934756736)
    apart = np.array([0.0, 1e9, -3e9])
    assert laplace_argmax_log_probability(apart, 1) == 0.0
    assert laplace_argmax_log_probability(apart, 0) == pytest.approx(-1e9, rel=1e-6)
    assert laplace_argmax_log_probability(np.array([2.0]), 0) == 0.0


def test_noisy_max_excludes_and_costs_twice_the_sensitivity() -> None:
    mechanism = NoisyMax(2.0, excluded=(1,))
    scores = np.array([0.0, 50.0, 3.0])
    assert int(mechanism.noiseless(scores)) == 2
    assert int(mechanism.output(scores, np.zeros(3))) == 2
    assert float(mechanism.log_density(1, scores, 0)) == -math.inf
    two = laplace_argmax_log_probability(np.array([0.0, 1.5]), 1)
    assert float(mechanism.log_density(2, scores, 0)) == pytest.approx(two)
    assert mechanism.cost(0.5) == Cost(pure=0.5, rho=0.125)
    # up by one for the winner, down for the others: the loss tends to 2/scale
    value, other = np.full(3000, -1.0), np.full(3000, 1.0)
    value[0], other[0] = 1.0, -1.0
    seen = loss(NoisyMax(20.0), 0, value, other)
    assert 0.8 * 0.2 < seen <= NoisyMax(20.0).cost(2.0).pure + 1e-9
    assert float(mechanism.distance(scores, scores + 0.25, 0)) == 0.25
