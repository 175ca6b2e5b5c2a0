"""The textbook methods, with which the auditor is compared, must be valid and no straw men."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from benchmarks.peers.textbook import (
    METHODS,
    Unsupported,
    attack,
    best_threshold,
    cell_counts,
    classifier,
    counted,
    shown,
    simple_scores,
)

ALPHA = 0.05


def laplace(epsilon, size, seed):
    rng = np.random.default_rng(seed)
    return rng.laplace(epsilon, 1, size), rng.laplace(0, 1, size)


def colours(size, seed):
    """Randomized response among three colours, epsilon log 3."""
    rng = np.random.default_rng(seed)
    names = np.array(["red", "green", "blue"])
    return [list(names[rng.choice(3, size=size, p=p)]) for p in ([0.6, 0.2, 0.2], [0.2, 0.6, 0.2])]


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_shown_is_the_smallest_epsilon_that_allows_the_probabilities(delta):
    p, q = np.random.default_rng(0).uniform(0.02, 0.98, size=(2, 50))
    for likely, unlikely, epsilon in zip(p, q, shown(p, q, delta), strict=True):
        for level, allowed in [(epsilon + 1e-9, True), (epsilon - 1e-6, False)]:
            if level >= 0:
                growth = math.exp(level)
                event = likely <= growth * unlikely + delta + 1e-12
                complement = 1 - unlikely <= growth * (1 - likely) + delta + 1e-12
                assert (event and complement) == allowed


def test_counted_shares_alpha_between_two_one_sided_bounds():
    low = binomtest(70, 100).proportion_ci(1 - ALPHA).low
    high = binomtest(30, 100).proportion_ci(1 - ALPHA).high
    assert counted(70, 30, 100, 0.0, ALPHA) == pytest.approx(math.log(low / high))


@pytest.mark.parametrize("name", METHODS)
def test_not_above_the_truth_more_often_than_alpha(name):
    """A valid method fails with probability below 1e-4."""
    audits = 100
    for epsilon in (0.0, 1.0):
        above = sum(
            METHODS[name](*laplace(epsilon, 120, seed), 0.0, ALPHA) > epsilon + 1e-12
            for seed in range(audits)
        )
        assert above <= binom.isf(1e-4, audits, ALPHA)


def noise(rng):
    return rng.normal(size=(80, 30))


def rare_outcomes(rng):
    return [f"outcome {number}" for number in rng.integers(300, size=80)]


@pytest.mark.parametrize("method", [best_threshold, classifier])
@pytest.mark.parametrize("draw", [noise, rare_outcomes])
def test_a_classifier_is_not_certified_by_the_runs_that_trained_it(method, draw):
    """On its own training runs any classifier looks good, on these the more so."""
    audits = 40
    above = 0
    for seed in range(audits):
        rng = np.random.default_rng(seed)
        above += method(draw(rng), draw(rng), 0.0, ALPHA) > 0
    assert above <= binom.isf(1e-4, audits, ALPHA)


def test_everything_is_paid_for():
    """Sides that never share an outcome: the bounds, too careful to be tested by rates, by hand."""
    apart = ["a"] * 1000, ["b"] * 1000  # 900 runs counted, in cells a, b and the rest
    radius = math.sqrt(math.log(4 * 3 / ALPHA) / (2 * 900))
    assert METHODS["histogram, Hoeffding"](*apart, 0.0, ALPHA) == pytest.approx(
        math.log((1 - radius) / radius)
    )
    low = (ALPHA / (4 * 3)) ** (1 / 900)
    assert METHODS["histogram, Clopper-Pearson"](*apart, 0.0, ALPHA) == pytest.approx(
        math.log(low / (1 - low))
    )
    radius = math.sqrt(math.log(2 / (ALPHA / 2)) / (2 * 1000))
    numbers = np.zeros(1000), np.ones(1000)
    assert METHODS["all thresholds, DKW"](*numbers, 0.0, ALPHA) == pytest.approx(
        math.log((1 - radius) / radius)
    )


LEAST = {
    "histogram, Hoeffding": 0.5,
    "histogram, Clopper-Pearson": 0.75,
    "fixed threshold, Clopper-Pearson": 0.75,
    "all thresholds, DKW": 0.85,
    "best threshold on one half": 0.8,
    "classifier": 0.7,
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("swapped", [False, True])
def test_certifies_most_of_the_truth_either_way_round(name, swapped):
    first, second = laplace(1.0, 20_000, 1)
    if swapped:
        first, second = second, first
    assert METHODS[name](first, second, 0.0, ALPHA) > LEAST[name]


@pytest.mark.parametrize("name", [name for name in METHODS if not name.startswith("histogram")])
def test_delta_is_respected(name):
    """Laplace noise at epsilon 1 is (1 + 2 log(1 - delta), delta)-DP."""
    bound = METHODS[name](*laplace(1.0, 20_000, 1), 0.1, ALPHA)
    assert 0.4 < bound < 1 + 2 * math.log(0.9)


@pytest.mark.parametrize(
    "name",
    ["histogram, Hoeffding", "histogram, Clopper-Pearson", "best threshold on one half"],
)
def test_outcomes_that_are_no_numbers(name):
    for delta, truth in [(0.0, math.log(3)), (0.1, math.log(0.5 / 0.2))]:
        bound = METHODS[name](*colours(20_000, 3), delta, ALPHA)
        assert truth - 0.2 < bound < truth


def test_every_counted_run_is_in_a_cell():
    many = [f"outcome {number % 50}" for number in range(1000)]
    for first, second in (laplace(1.0, 1000, 0), colours(1000, 0), (many, many)):
        p, q, runs = cell_counts(first, second)
        assert p.sum() == q.sum() == runs == 900


def test_numbers_are_turned_so_that_the_first_side_is_higher():
    first, second = laplace(1.0, 1000, 0)
    scores = simple_scores(second, first)
    assert scores.held == 0
    assert np.array_equal(scores.first, -second)


def test_vectors_are_scored_by_a_classifier_and_half_is_held():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2000, 5)), rng.normal(size=(2000, 5))
    first[:, 3] -= 1
    scores = attack(first, second)
    assert scores.held == 1000
    assert scores.first.mean() > scores.second.mean() + 0.5


def test_what_a_method_cannot_treat_is_said():
    vectors = np.zeros((100, 3))
    for name in ("histogram, Hoeffding", "all thresholds, DKW"):
        with pytest.raises(Unsupported):
            METHODS[name](vectors, vectors, 0.0, ALPHA)
    with pytest.raises(Unsupported, match="finite"):
        classifier(np.full(100, np.nan), np.zeros(100), 0.0, ALPHA)
