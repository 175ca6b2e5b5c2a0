"""Thresholds by smooth estimates: nearer to the best than those by counts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import auditor
from auditor.events import learning
from auditor.events.learning import Aim, learn_event
from auditor.events.smoothing import FEW_SCORES, _Cells, smoother_choice
from auditor.events.thresholds import ThresholdChoice, choose_threshold
from auditor.statistics.claims import EpsilonDelta, certified_level
from auditor.zoo import specimens
from reference._validation import FloatArray

PURE = EpsilonDelta(0.0)
ALPHA, RUNS = 0.1, 4000
Sides = tuple[FloatArray, FloatArray]


def normal(seed: int, n: int = RUNS) -> Sides:
    rng = np.random.default_rng(seed)
    return rng.normal(0.3, 1, n), rng.normal(0, 1, n)


def both(scores: Sides) -> tuple[ThresholdChoice, ThresholdChoice]:
    """Return the choices by counts and by smooth estimates."""
    counted = choose_threshold(*scores, PURE, ALPHA, RUNS)
    return counted, smoother_choice(counted, scores, PURE, ALPHA, RUNS)


def shown(choice: ThresholdChoice) -> float:
    """Return what the event of a choice certifies in :func:`normal`'s runs, in expectation."""
    above = [stats.norm.sf(choice.threshold, mean) for mean in (0.3, 0.0)]
    likely, unlikely = ((round(above[k] * RUNS), RUNS) for k in (choice.side, 1 - choice.side))
    return certified_level(PURE, likely, unlikely, ALPHA)


def test_smooth_estimates_choose_better_thresholds_than_counts() -> None:
    pairs = [both(normal(seed)) for seed in range(20)]
    levels = np.array([[shown(choice) for choice in pair] for pair in pairs])
    best = max(shown(ThresholdChoice(t, 0)) for t in np.linspace(-3, 3, 200))
    assert levels[:, 1].mean() > 1.05 * levels[:, 0].mean()
    assert levels[:, 1].mean() > 0.9 * best


def test_the_errors_of_smooth_estimates_are_as_large_as_they_are_said_to_be() -> None:
    errors = []
    for seed in range(20):
        cells = _Cells.of(*normal(seed), 0.0)
        assert cells is not None
        p, q, p_error, q_error = cells.events()
        truth = [stats.norm.sf(cells.cuts, mean) for mean in (0.3, 0.0)]
        found, real = (2 * np.arcsin(np.sqrt(side)) for side in ((p, q), truth))
        # the two err in opposite directions; what runs of both sides have in common cancels
        error = ((found[0] - found[1]) - (real[0] - real[1])) / (p_error + q_error)
        errors.extend(error.tolist())
    assert 0.6 < np.sqrt(np.mean(np.square(errors))) < 1.5


def test_what_counts_promise_more_of_stays() -> None:
    counted, smooth = both(normal(0))
    lucky = replace(counted, promise=smooth.promise + 0.01)
    assert smoother_choice(lucky, normal(0), PURE, ALPHA, RUNS) is lucky


def test_a_shift_of_all_scores_shifts_the_threshold() -> None:
    first, second = normal(0)
    _, smooth = both((first, second))
    _, shifted = both((first + 100, second + 100))
    assert shifted.threshold == pytest.approx(smooth.threshold + 100, abs=1e-6)
    assert shifted.promise == pytest.approx(smooth.promise)


def test_log_ratios_are_of_probabilities_also_where_a_side_has_more_runs() -> None:
    first, second = normal(0)
    cells = _Cells.of(first, second[:1000], 0.0)
    assert cells is not None
    found, _ = cells.log_ratios()
    assert np.allclose(found, 0.3 * cells.score - 0.045, atol=0.25)  # as of N(0.3, 1) and N(0, 1)


def test_a_choice_by_counts_has_the_merits_of_its_counts() -> None:
    scores, aim = normal(0), Aim(PURE, ALPHA, RUNS)
    for sides in (scores, scores[::-1]):
        choice = aim.choose(*sides)
        assert aim.counted(choice, sides) == choice


def test_a_few_outputs_that_are_impossible_on_the_other_side_are_not_smoothed_away() -> None:
    for seed in range(3):
        first, second = np.random.default_rng(seed).normal(size=(2, RUNS))
        first[:60] += 100
        _, smooth = both((first, second))
        assert 5 < smooth.threshold < 100
        assert smooth.side == 0


@pytest.mark.parametrize("reason", ["few scores", "few runs", "an infinite score", "no number"])
def test_counts_choose_where_nothing_can_be_smoothed(reason: str) -> None:
    first, second = normal(0, 190 if reason == "few runs" else RUNS)
    if reason == "few scores":
        first, second = (np.clip(np.round(4 * x), -10, FEW_SCORES - 11) for x in (first, second))
    elif reason in ("an infinite score", "no number"):
        second[7] = math.inf if reason == "an infinite score" else math.nan
    counted, smooth = both((first, second))
    assert smooth is counted


def test_the_likelier_side_is_found_whichever_it_is() -> None:
    first, second = normal(1)
    there, back = both((first, second))[1], both((second, first))[1]
    assert (there.side, back.side) == (0, 1)
    assert there.threshold == pytest.approx(back.threshold, abs=1e-9)


def test_counts_choose_the_threshold_of_a_value() -> None:
    """The log-ratio of Laplace noise stops rising: a line through it leads too far out."""
    rng = np.random.default_rng(0)
    scores = rng.laplace(1.0, 0.25, RUNS), rng.laplace(0.0, 0.25, RUNS)
    counted, smooth = both(scores)
    assert smooth.threshold != counted.threshold
    for aim in (Aim(PURE, ALPHA, RUNS, smooth=True), Aim(PURE, ALPHA, RUNS)):
        event = learn_event(*scores, aim, effort="full", rng=np.random.default_rng(0))
        assert event.threshold == counted.threshold


def test_a_smooth_threshold_follows_a_score_that_is_fitted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(RUNS, 4)) + 0.2, rng.normal(size=(RUNS, 4))
    shares: list[tuple[float, float]] = []

    def recorded(choice: ThresholdChoice, scores: Sides, *terms: object) -> ThresholdChoice:
        smooth = smoother_choice(choice, scores, *terms)  # type: ignore[arg-type]
        above = (np.mean(np.concatenate(scores) > one.threshold) for one in (choice, smooth))
        shares.append((float(next(above)), float(next(above))))
        return smooth

    monkeypatch.setattr(learning, "smoother_choice", recorded)
    aim = Aim(PURE, ALPHA, RUNS, smooth=True)
    event = learn_event(first, second, aim, effort="full", rng=rng)
    inside = np.mean(np.concatenate([event.contains(side) for side in (first, second)]))
    by_counts, smooth = np.abs(np.array(shares) - inside).T
    assert smooth.min() < 1e-3 < 1e-2 < by_counts.min()


def test_what_smooth_estimates_promise_must_stand_when_the_score_is_fitted_again() -> None:
    """Scores of outputs that recur are few: none may have the share of the runs above it."""
    keys = specimens()["frequent-keys"]
    found = auditor.measure(keys, pair=keys.pair, confidence=0.95, batched=True)
    assert 0.9 * keys.truth(0.0) < found.epsilon_lower < keys.truth(0.0)


def test_only_a_measurement_has_smooth_thresholds_and_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def smooth(choice: ThresholdChoice, *terms: object) -> ThresholdChoice:
        asked.append("smooth")
        return choice

    def several(choice: ThresholdChoice, *terms: object) -> list[ThresholdChoice]:
        asked.append("several")
        return [choice]

    monkeypatch.setattr(learning, "smoother_choice", smooth)
    monkeypatch.setattr(learning, "several_thresholds", several)
    rng = np.random.default_rng(4)
    outputs = rng.normal(size=(2000, 4)) + 0.2, rng.normal(size=(2000, 4))
    auditor.check_samples(*outputs, epsilon=1.0, delta=0.1)
    assert not asked
    auditor.measure_samples(*outputs)
    assert {"smooth", "several"} <= set(asked)


def test_several_thresholds_follow_a_score_that_is_fitted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each has as many of the runs above it as it had of those that did not fit the score."""
    shares: list[float] = []

    def several(choice: ThresholdChoice, scores: Sides, *terms: object) -> list[ThresholdChoice]:
        values = np.concatenate(scores)
        others = [replace(choice, threshold=float(np.quantile(values, q))) for q in (0.3, 0.8)]
        shares[:] = [float(np.mean(values > one.threshold)) for one in (choice, *others)]
        return [choice, *others]

    monkeypatch.setattr(learning, "several_thresholds", several)
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(RUNS, 4)) + 0.2, rng.normal(size=(RUNS, 4))
    aim = Aim(PURE, ALPHA, RUNS, smooth=True)
    event = learn_event(first, second, aim, effort="full", rng=rng)
    outputs = np.concatenate([first, second])
    found = [float(np.mean(one.contains(outputs))) for one in event.all()]
    assert found == pytest.approx(shares, abs=1e-3)
