"""The tests of exponents against enumeration, by hand, and under their hypotheses. Fixed seeds."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.core.rates import Functional
from auditor.statistics.slopes import (
    fit_slope,
    least_repetitions,
    mean_p_value,
    median_p_value,
    p_values,
    slope_p_value,
    stages_needed,
)
from auditor.statistics.stages import SCREEN, staged_p_value

VALUES = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])
FOUR = np.array([1.0, 2.0, 4.0, 8.0])


def fisher(product: float) -> float:
    return product * (1 - math.log(product))


def by_enumeration(errors: Any) -> float:
    """The definition: the worst c of Fisher's combination of two sums over fair coins."""
    k, r = errors.shape
    half = k // 2
    scores = [abs(2 * i - (k - 1)) for i in range(k)]
    coins = np.array(list(itertools.product([0, 1], repeat=half * r)))
    sums = coins @ np.repeat(scores[:half], r)
    points = np.unique(errors)
    candidates = [points[0] - 1, *points, *(points[1:] + points[:-1]) / 2, points[-1] + 1]
    worst = 0.0
    for c in candidates:
        low = sum(scores[i] * (errors[i] < c).sum() for i in range(half))
        high = sum(scores[i] * (errors[i] > c).sum() for i in range(k - half, k))
        worst = max(worst, fisher((sums >= low).mean() * (sums >= high).mean()))
    return worst


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_median_test_is_its_definition(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(40):
        # few different errors, so that many are equal
        errors = rng.integers(1, 9, size=(k, 3)) + np.arange(k)[:, None] * rng.integers(0, 4)
        found = median_p_value(2.0 ** np.arange(k), errors.astype(float), 0.0)
        assert float(found) == pytest.approx(by_enumeration(errors), rel=1e-12)


def test_complete_separation_has_the_smallest_p_value() -> None:
    errors = FOUR[:, None] * np.ones((4, 6))
    # c below everything: the twelve coins of the upper half alone
    assert float(median_p_value(FOUR, errors, 0.0)) == pytest.approx(fisher(2.0**-12))
    assert float(median_p_value(FOUR, errors, 2.0)) == 1.0
    # the smallest p-value is the one that decides how many repetitions are enough
    assert least_repetitions(4, SCREEN) == 5
    assert fisher(2.0**-10) < SCREEN < fisher(2.0**-8)


def test_the_order_of_the_values_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    errors = rng.exponential(size=(4, 5)) * FOUR[:, None]
    for shuffled in ([3, 1, 0, 2], [2, 3, 1, 0]):
        for test in (median_p_value, mean_p_value):
            assert test(FOUR[shuffled], errors[shuffled], 0.2) == test(FOUR, errors, 0.2)


def test_many_samples_at_once_are_tested_one_by_one() -> None:
    errors = np.random.default_rng(0).exponential(size=(7, 5, 4))
    for test in (median_p_value, mean_p_value):
        together = test(VALUES, errors, 0.0)
        np.testing.assert_array_equal(together, [test(VALUES, one, 0.0) for one in errors])


def test_the_mean_is_studentised_with_the_largest_relative_variance() -> None:
    rng = np.random.default_rng(0)
    # far from the median's p-value, which is tiny here
    errors = FOUR[:, None] ** 0.6 * np.exp(rng.normal(size=(4, 40)) * [[1.4], [0.2], [0.2], [0.2]])
    slope, _ = np.polyfit(np.log(FOUR), np.log(errors.mean(axis=1)), 1)
    largest = max(row.var(ddof=1) / row.mean() ** 2 for row in errors)
    centred = np.log(FOUR) - np.log(FOUR).mean()
    deviation = math.sqrt(largest / 40 / (centred @ centred))
    expected = stats.t.sf(slope / deviation, 4 * 39)
    assert float(median_p_value(FOUR, errors, 0.0)) < expected
    assert float(mean_p_value(FOUR, errors, 0.0)) == pytest.approx(expected)


def test_means_that_rise_without_their_medians_do_not_count() -> None:
    # one error in ten is huge at the far end: the mean rises, the median does not
    errors = np.random.default_rng(1).normal(1, 0.01, size=(4, 40))
    errors[3, ::4] *= 1000
    assert float(mean_p_value(FOUR, errors, 0.0)) == float(median_p_value(FOUR, errors, 0.0)) > 0.1


def test_the_p_value_of_means_has_a_floor() -> None:
    errors = FOUR[:, None] * np.ones((4, 20))
    assert slope_p_value(FOUR, errors, 0.0, "mean") == SCREEN
    assert slope_p_value(FOUR, errors, 0.0) == pytest.approx(fisher(2.0**-40))
    assert slope_p_value(FOUR, errors, 1.5, "mean") == 1.0


@pytest.mark.parametrize("alpha", [0.1, 0.01, 1 - 0.99, 0.009, 1 - 0.9999, 1e-4, 1e-6, 2e-9])
def test_as_many_stages_as_can_reach_a_level(alpha: float) -> None:
    assert stages_needed("median", alpha) == 1
    stages = stages_needed("mean", alpha)
    assert staged_p_value([SCREEN] * stages) <= alpha
    assert stages == 1 or staged_p_value([SCREEN] * (stages - 1)) > alpha


@pytest.mark.parametrize("functional", ["median", "mean"])
def test_fit_slope_of_an_exact_power_law(functional: Functional) -> None:
    errors = 3.0 * VALUES[:, None] ** -0.7 * np.ones((5, 4))
    fit = fit_slope(VALUES, errors, functional)
    assert fit.slope == pytest.approx(-0.7)
    assert fit.intercept == pytest.approx(math.log(3.0))
    np.testing.assert_allclose(fit.interval, -0.7)
    # three repetitions cannot bound anything at 99%
    assert fit_slope(VALUES, errors[:, :3], functional, 0.99).interval == (-math.inf, math.inf)


@pytest.mark.parametrize("functional", ["median", "mean"])
def test_the_interval_is_what_the_test_does_not_reject(functional: Functional) -> None:
    errors = np.exp(np.random.default_rng(0).normal(size=(5, 12))) * VALUES[:, None] ** -0.5
    test = median_p_value if functional == "median" else mean_p_value
    low, high = fit_slope(VALUES, errors, functional, 0.95).interval
    assert low < -0.5 < high
    assert float(test(VALUES, errors, low - 1e-6)) <= 0.025 < float(test(VALUES, errors, low))
    mirrored = 1 / VALUES
    assert float(test(mirrored, errors, -high - 1e-6)) <= 0.025
    assert float(test(mirrored, errors, -high)) > 0.025


def test_the_fit_goes_through_the_functional_it_is_asked_for() -> None:
    # medians fall as v^-1, means as v^-1/2: the spread grows
    sigma = np.sqrt(np.log(VALUES / 50))
    errors = np.exp(sigma[:, None] * np.random.default_rng(0).normal(size=(5, 4000)))
    errors /= VALUES[:, None]
    assert fit_slope(VALUES, errors).slope == pytest.approx(-1.0, abs=0.1)
    assert fit_slope(VALUES, errors, "mean").slope == pytest.approx(-0.5, abs=0.1)


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ([1.0, 2.0], [[1.0], [0.0]]),
        ([1.0, 2.0], [[1.0], [math.nan]]),
        ([1.0, 2.0], [[1.0], [math.inf]]),
        ([0.0, 2.0], [[1.0], [1.0]]),
        ([2.0, 2.0], [[1.0], [1.0]]),
    ],
)
def test_what_has_no_logarithm_is_refused(values: Any, errors: Any) -> None:
    for refused in (fit_slope, lambda v, e: slope_p_value(v, e, 0.0)):
        with pytest.raises(ValueError, match="must be finite numbers > 0"):
            refused(np.array(values), np.array(errors))


def spread(first: float, last: float, k: int) -> Any:
    return np.geomspace(first, last, k)[:, None]


@pytest.mark.parametrize(("first", "last"), [(0.5, 0.5), (0.2, 1.6), (1.6, 0.2)])
@pytest.mark.parametrize(("k", "r"), [(4, 6), (5, 10), (8, 3)])
def test_the_median_keeps_its_level(first: float, last: float, k: int, r: int) -> None:
    rng = np.random.default_rng(k)
    values = 2.0 ** np.arange(k)
    errors = np.exp(spread(first, last, k) * rng.normal(size=(5000, k, r)))
    found = median_p_value(values, errors * values[:, None] ** -0.5, -0.5)
    for level in (0.1, 1e-2, 1e-3):
        # more alarms than this have probability below 1e-7 at the level
        assert (found <= level).sum() <= stats.binom.isf(1e-7, 5000, level)


def worst_case(rng: Any, runs: int) -> Any:
    """Medians of all values are 1, but the upper half is above the lower as often as it can be."""
    lower = np.full((runs, 2, 8), 1.0)
    upper = np.where(rng.random((runs, 2, 8)) < 0.5, 0.5, 2.0)
    return np.concatenate([lower, upper], axis=1)


def test_the_median_keeps_its_level_where_it_is_hardest() -> None:
    found = median_p_value(FOUR, worst_case(np.random.default_rng(0), 20_000), 0.0)
    for level in (0.1, 1e-2, 1e-3):
        assert (found <= level).sum() <= stats.binom.isf(1e-7, 20_000, level)
    # and a test that forgot to maximise over c would fail here: the halves look separated
    assert (found <= 0.1).sum() > 100


@pytest.mark.parametrize(("first", "last"), [(0.5, 0.5), (0.1, 0.8), (0.8, 0.1), (1.5, 1.5)])
def test_the_mean_keeps_the_level_of_a_screen(first: float, last: float) -> None:
    rng, sigma = np.random.default_rng(0), spread(first, last, 4)
    errors = np.exp(sigma * rng.normal(size=(5000, 4, 10)) - sigma**2 / 2)
    found = mean_p_value(FOUR, errors, 0.0)
    assert (found <= SCREEN).sum() <= stats.binom.isf(1e-7, 5000, SCREEN)


@pytest.mark.parametrize("functional", ["median", "mean"])
def test_a_rise_is_seen(functional: Functional) -> None:
    errors = np.exp(0.5 * np.random.default_rng(0).normal(size=(200, 4, 10))) * FOUR[:, None]
    assert np.mean(p_values(FOUR, errors, 0.25, functional) <= SCREEN) > 0.9
