"""Evidence from runs: what is certified is true, early stops are paid for, memory is bounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditor.checking import examination
from auditor.checking.evidence import TELLING, enough_runs, rarest, rarest_noticed
from auditor.checking.examination import count_event, examine
from auditor.runs.blocks import joined
from auditor.runs.sampling import FunctionSampler, RecordedSampler
from auditor.statistics.betting import Bets, Round
from auditor.statistics.claims import EpsilonDelta, Gaussian, certified_level
from auditor.statistics.proportions import two_sample_p_value


def laplace(scale: float) -> Callable[[float, np.random.Generator, int], Any]:
    return lambda data, rng, size: data + rng.laplace(scale=scale, size=size)


def sampler(scale: float, seed: int = 0) -> FunctionSampler:
    return FunctionSampler(laplace(scale), (0.0, 1.0), seed=seed, batched=True)


def test_a_gross_violation_stops_after_a_few_hundred_runs() -> None:
    for seed in range(5):
        found = examine(
            sampler(0.2, seed), EpsilonDelta(1.0), alpha=0.01, samples=100_000, seed=seed
        )
        assert found.p_value(EpsilonDelta(1.0)) <= 0.01
        assert found.samples <= 512
        assert not found.complete
        assert 1.0 < found.epsilon(0.0) < 5.0


def test_a_true_claim_uses_the_whole_budget() -> None:
    found = examine(sampler(1.0), EpsilonDelta(1.0), alpha=0.01, samples=20_000, seed=0)
    assert found.complete
    assert found.samples == 20_000
    assert found.first[1] == found.second[1] == 20_000 - found.trained
    assert found.p_value(EpsilonDelta(1.0)) > 0.01
    assert 0.85 < found.epsilon(0.0) < 1.0


def test_a_mechanism_far_below_its_claim_stops_when_rare_outputs_would_show() -> None:
    ask = {"alpha": 0.01, "samples": 100_000, "seed": 0}
    # epsilon 1 of a claimed 4: one run in 20 impossible on the other side would be noticed early
    found = examine(sampler(1.0), EpsilonDelta(4.0), rare=0.05, **ask)
    assert found.samples < 60_000
    assert not found.complete
    assert found.p_value(EpsilonDelta(4.0)) > 0.01
    assert 0.8 < found.epsilon(0.0) < 1.0
    assert found.rarest(EpsilonDelta(4.0)) <= 0.05
    # unless rarer ones are to be seen, or the claim is near
    assert examine(sampler(1.0), EpsilonDelta(4.0), rare=0.0, **ask).complete
    assert examine(sampler(1.0), EpsilonDelta(1.05), rare=0.05, **ask).complete


def test_the_p_value_and_the_certified_level_agree() -> None:
    for scale, samples in ((0.8, 4000), (1.0, 4000), (0.4, 4000)):
        found = examine(sampler(scale), EpsilonDelta(1.0), alpha=0.01, samples=samples, seed=0)
        level = found.certified_level(EpsilonDelta(0.0))
        assert found.p_value(EpsilonDelta(level - 1e-3)) <= 0.01
        assert found.p_value(EpsilonDelta(level + 1e-3)) > 0.01


def test_the_final_test_and_the_bets_share_one_error_probability() -> None:
    """Rejecting at alpha in either way has probability alpha at most: the two levels add up."""
    claim, alpha = EpsilonDelta(1.0), 0.05
    nothing = examine(sampler(1.0), claim, alpha=alpha, samples=400, seed=0)
    by_counts = replace(nothing, first=(70, 100), second=(10, 100), complete=True, bets=Bets())
    bets = Bets()
    bets.add(Round(both=0, first_only=30, second_only=2, neither=10, expected=0.2))
    by_bets = replace(nothing, complete=False, bets=bets)
    counted = two_sample_p_value((70, 100), (10, 100), claim.ceiling)
    # what the p-value of either has to reach for one of 1
    levels = counted / by_counts.p_value(claim), bets.p_value(claim) / by_bets.p_value(claim)
    assert min(levels) > 0
    assert sum(levels) == pytest.approx(1.0)
    # and the bounds are certified at the same two levels
    family = EpsilonDelta(0.0)
    exact = certified_level(family, (70, 100), (10, 100), levels[0] * alpha)
    assert by_counts.certified_level(family) == pytest.approx(exact)
    exact = bets.certified_level(family, levels[1] * alpha, top=20.0)
    assert by_bets.certified_level(family) == pytest.approx(exact)
    # without bets the final test has everything, and before the last run there is no final test
    alone = replace(by_counts, sequential=False)
    assert alone.p_value(claim) == pytest.approx(counted)
    assert alone.certified_level(family) == certified_level(family, (70, 100), (10, 100), alpha)
    assert replace(alone, complete=False).p_value(claim) == 1.0
    assert replace(alone, complete=False).certified_level(family) == 0.0


def test_certifying_runs_do_not_choose_the_event() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.laplace(size=4000), 1 + rng.laplace(size=4000)
    terms: dict[str, Any] = {"alpha": 0.01, "samples": 4000, "seed": 0, "sequential": False}
    one = examine(RecordedSampler(first, second), EpsilonDelta(0.0), **terms)
    changed = first.copy()
    changed[one.trained :] = 50.0
    two = examine(RecordedSampler(changed, second), EpsilonDelta(0.0), **terms)
    assert one.event.describe() == two.event.describe()
    assert one.event.side == two.event.side
    assert (one.first, one.second) != (two.first, two.second)


@pytest.mark.parametrize("sequential", [True, False])
def test_every_run_is_drawn_once_on_either_side(watched: Any, sequential: bool) -> None:
    rng = np.random.default_rng(0)
    drawn = watched(rng.laplace(size=3001), rng.laplace(size=3001))
    examine(drawn, EpsilonDelta(1.0), alpha=0.01, samples=3001, seed=0, sequential=sequential)
    for side in (0, 1):
        assert drawn.runs(side) == list(range(3001))


@pytest.mark.parametrize("kept", [700, 10_000])
def test_the_first_scores_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    monkeypatch.setattr(examination, "KEPT_SCORES", kept)
    rng = np.random.default_rng(0)
    outputs = rng.laplace(size=4000), 1 + rng.laplace(size=4000)
    found = examine(RecordedSampler(*outputs), EpsilonDelta(1.0), alpha=0.01, samples=4000, seed=0)
    assert found.samples - found.trained > 2 * 700  # in several looks
    for side, scores in enumerate(found.scores):
        certifying = outputs[side][found.trained : found.trained + kept]
        np.testing.assert_array_equal(scores, found.event.scores(certifying))


def test_blocks_are_small_where_outputs_are_large(
    watched: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "BLOCK_BYTES", 2**16)
    wide = np.zeros((3000, 20))
    wide[:, 0] = np.random.default_rng(0).laplace(size=3000)
    drawn = watched(wide, wide[::-1])
    examine(drawn, EpsilonDelta(1.0), alpha=0.01, samples=3000, seed=0, sequential=False)
    assert max(block.size for block in drawn.blocks) == 2**16 // (20 * 8)


@pytest.mark.parametrize("kind", ["far", "within"])
def test_a_rare_output_is_noticed_as_often_as_promised(kind: str) -> None:
    """The event must be chosen first: of outputs as rare as was promised, few were noticed."""
    claim, value = EpsilonDelta(1.0), {"far": 1e3, "within": 0.25}[kind]
    terms: dict[str, Any] = {"alpha": 0.01, "samples": 4000}
    promised = examine(sampler(5.0), claim, seed=0, **terms).rarest(claim)
    assert promised < 0.05

    def telling(data: float, rng: np.random.Generator, size: int) -> Any:
        outputs = data + rng.laplace(scale=5.0, size=size)
        return np.where((rng.random(size) < promised) & (data > 0), value, outputs)

    rejected = [
        examine(
            FunctionSampler(telling, (0.0, 1.0), seed=seed, batched=True), claim, seed=seed, **terms
        ).p_value(claim)
        <= 0.01
        for seed in range(40)
    ]
    # at 0.9 a fixed seed is unlucky with probability 1e-4
    assert sum(rejected) >= stats.binom.ppf(1e-4, 40, 0.9)


def test_without_certifying_runs_nothing_is_promised() -> None:
    claim = EpsilonDelta(1.0)
    found = examine(sampler(1.0), claim, alpha=0.01, samples=400, seed=0)
    nothing = replace(found, first=(0, 0), second=(0, 0))
    assert nothing.rarest(claim) == 1.0
    assert nothing.noticeable(claim) == (np.inf, 0.0)


def test_the_rarest_noticeable_output() -> None:
    for claim in (EpsilonDelta(1.0), EpsilonDelta(1.0, 0.01), Gaussian(1.0)):
        share = rarest(claim, 5000, 0.01)
        count = round(share * 5000)
        assert two_sample_p_value((count, 5000), (0, 5000), claim.ceiling) <= 0.01
        assert two_sample_p_value((count - 1, 5000), (0, 5000), claim.ceiling) > 0.01
    assert rarest(EpsilonDelta(8.0), 100, 0.01) == 1.0


@pytest.mark.parametrize("claim", [EpsilonDelta(1.0), EpsilonDelta(4.0)])
def test_enough_runs_notice_what_is_in_half_of_them_and_are_no_more(claim: EpsilonDelta) -> None:
    runs = enough_runs(claim, 0.01)
    for size, at_most in ((runs, True), (runs // 2, False)):
        rest = {"trained": size // 4, "certifying": size - size // 4, "refute": claim.level}
        share = rarest_noticed(claim, (0, -np.inf), alpha=0.01, **rest)
        assert (share <= TELLING) is at_most


def test_joining_blocks() -> None:
    np.testing.assert_array_equal(joined([np.zeros(2), np.ones(1)]), [0, 0, 1])
    assert joined([np.zeros(1), ["a", None]]) == [0.0, "a", None]
    assert joined([["a"], [None]]) == ["a", None]


def test_an_event_is_counted_in_fresh_runs() -> None:
    found = examine(sampler(0.5), EpsilonDelta(1.0), alpha=0.01, samples=2000, seed=0)
    (k, n), (m, size) = count_event(sampler(0.5, seed=1), found.event, 5000)
    assert n == size == 5000
    assert EpsilonDelta(0.0).loss(k / n, m / size) > 1.2
