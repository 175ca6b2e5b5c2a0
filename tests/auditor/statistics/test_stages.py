"""The staged procedure as a whole keeps its level, and loses no violation that it looks at."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from auditor.statistics import stages
from auditor.statistics.stages import (
    FRESH,
    SCREEN,
    confirm,
    confirmation_level,
    looks,
    screen,
    staged_p_value,
)


def test_looks_double_up_to_the_most() -> None:
    assert looks(1000) == (64, 128, 256, 512, 1000)
    assert looks(128) == (64, 128)
    assert looks(64) == (64,)
    assert looks(5) == (5,)
    assert looks(100, 25) == (25, 50, 100)


def test_all_planned_looks_and_both_tests_of_a_confirmation_count() -> None:
    p_values = iter([0.05, 0.02, 0.04])
    screened = screen(looks(1000), lambda runs: (next(p_values), None), lambda runs, *_: runs > 200)
    assert screened.runs == 256
    assert screened.p_value == pytest.approx(5 * 0.02)
    assert confirm(64, lambda size: 0.1 if size == 64 else 0.03, 1e-4)[0] == pytest.approx(0.06)
    assert staged_p_value([0.004, 0.06]) == pytest.approx(SCREEN * 0.06)


def z_test(deviates: np.ndarray, runs: int) -> float:
    return float(stats.norm.sf(deviates[:runs].sum() / math.sqrt(runs)))


def z_lower(deviates: np.ndarray, alpha: float) -> float:
    """Return the largest mean that :func:`z_test` rejects."""
    return float(deviates.mean() - stats.norm.isf(alpha) / math.sqrt(deviates.size))


def staged(
    rng: np.random.Generator, shift: float, *, alpha: float = 1e-4, stop_at: int = 10**9
) -> tuple[float, int]:
    """Return the p-value of "normal deviates have a mean of at most 0", and the runs it took."""
    sizes = looks(512)
    deviates = rng.normal(shift, 1.0, sizes[-1])

    def look(runs: int) -> tuple[float, None]:
        return z_test(deviates, runs), None

    screened = screen(sizes, look, lambda runs, p_value, _: runs >= stop_at and p_value > 0.5)
    p_values, used = [screened.p_value], screened.runs
    if screened.fired:
        fresh = rng.normal(shift, 1.0, FRESH * screened.runs)
        confirmed, runs = confirm(screened.runs, lambda size: z_test(fresh, size), alpha)
        p_values.append(confirmed)
        used += runs
    return staged_p_value(p_values), used


@pytest.mark.parametrize("stop_at", [64, 10**9])
def test_a_true_claim_is_flagged_at_its_level(
    monkeypatch: pytest.MonkeyPatch, stop_at: int
) -> None:
    # with a screen at 20% the confirmation matters at 10% and 2%
    monkeypatch.setattr(stages, "SCREEN", 0.2)
    rng = np.random.default_rng(1)
    for level, least in ((0.02, 3), (0.1, 15), (0.3, 15)):  # the bound is not idle
        found = [staged(rng, 0.0, alpha=level, stop_at=stop_at)[0] for _ in range(600)]
        alarms = sum(p_value <= level for p_value in found)
        assert least <= alarms <= stats.binom.isf(1e-7, 600, level)


def test_a_confirmation_keeps_its_level_though_it_tests_twice() -> None:
    """Unless each of the two counts twice, about 0.45 of true claims are confirmed at 0.3."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(3000):
        fresh = rng.normal(size=4 * FRESH)
        found.append(confirm(4, lambda size, seen=fresh: z_test(seen, size), 0.3 * SCREEN)[0])
    assert 400 < np.count_nonzero(np.array(found) <= 0.3) <= stats.binom.isf(1e-7, 3000, 0.3)


@pytest.mark.parametrize("planned", [0.0, 0.4])
def test_what_all_stages_reject_is_a_bound_at_their_level(
    monkeypatch: pytest.MonkeyPatch, planned: float
) -> None:
    """The claim on the mean is not the truth: every level has been asked about, not the claim."""
    monkeypatch.setattr(stages, "SCREEN", 0.2)
    alpha, sizes, truth = 0.1, looks(512), 0.4
    rng = np.random.default_rng(4)
    above = found = 0
    for _ in range(1500):
        first = rng.normal(truth, 1.0, sizes[-1])
        fresh = rng.normal(truth, 1.0, FRESH * sizes[-1])

        def look(runs: int, seen: np.ndarray = first) -> tuple[float, None]:
            return z_test(seen - planned, runs), None

        screened = screen(sizes, look, lambda *_: False)
        if not screened.fired:
            continue
        _, size = confirm(screened.runs, lambda n, seen=fresh: z_test(seen - planned, n), alpha)
        level = confirmation_level(alpha)
        certified = min(
            z_lower(first[: screened.runs], screened.level), z_lower(fresh[:size], level)
        )
        found += 1
        above += certified > truth
    assert found >= 100
    assert above <= stats.binom.isf(1e-7, 1500, alpha)


def test_a_confirmation_takes_more_runs_only_if_the_first_are_not_enough() -> None:
    asked: list[int] = []

    def test(size: int) -> float:
        asked.append(size)
        return 1e-3 if size == 64 else 1e-9

    assert confirm(64, test, 1e-4) == (2e-3, 64)
    assert asked == [64]
    assert confirm(64, test, 1e-6) == (2e-9, 64 * FRESH)
    assert asked == [64, 64, 64 * FRESH]


def test_a_clear_violation_is_certain_after_the_first_looks() -> None:
    rng = np.random.default_rng(2)
    found = [staged(rng, 0.6, stop_at=128) for _ in range(100)]
    assert max(p_value for p_value, _ in found) <= 1e-4
    assert np.median([used for _, used in found]) == 64 + 64


def test_going_on_stops_where_it_is_pointless() -> None:
    screened = screen(looks(1000), lambda runs: (0.7, runs), lambda runs, *_: runs >= 128)
    assert (screened.seen, screened.runs, screened.p_value) == (128, 128, 1.0)
    assert not screened.fired


@pytest.mark.parametrize("most", [64, 128, 1000])
def test_the_shares_of_all_looks_are_at_most_one(most: int) -> None:
    sizes = looks(most)
    shares = [
        screen(sizes, lambda runs: (1.0, None), lambda runs, p, _, s=size: runs >= s).share
        for size in sizes
    ]
    assert sum(shares) == pytest.approx(1.0 if len(sizes) > 1 else 0.5)
    assert shares[-1] == 0.5


@pytest.mark.parametrize(("p_value", "fires"), [(SCREEN / 5, True), (SCREEN / 4, False)])
def test_a_look_fires_at_its_share_of_the_screen(p_value: float, fires: bool) -> None:
    screened = screen(looks(1000), lambda runs: (p_value, None), lambda *_: False)
    assert (screened.fired, screened.level) == (fires, SCREEN / 5)


def test_a_stage_is_asked_only_if_all_before_it_fired() -> None:
    later = iter([1.5 * SCREEN, 1e-9])
    assert staged_p_value(later) == 1.5 * SCREEN
    assert list(later) == [1e-9]
    assert staged_p_value([SCREEN, 0.5]) == pytest.approx(SCREEN * 0.5)
    assert staged_p_value([SCREEN, 1e-3, 0.5]) == pytest.approx(SCREEN**2 * 0.5)
    # a confirmation at its level is a violation at alpha
    confirmed, _ = confirm(64, lambda runs: confirmation_level(1e-4), 1e-4)
    assert staged_p_value([SCREEN, confirmed]) == pytest.approx(1e-4)
