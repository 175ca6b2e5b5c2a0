"""Checks: the error probability of every test and bound, and that fresh runs are fresh.

Each test is exact given its seeds; no figure here is a frequency.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor import CheckResult, check, check_samples, measure_samples, rerun
from auditor.checking.black_box import _low_bits
from auditor.checking.evidence import Confirmation
from auditor.checking.examination import examine, examine_twice
from auditor.checking.result import rounded_down
from auditor.checking.source import OutputSource
from auditor.core.errors import InputError
from auditor.core.neighbours import Box
from auditor.events import floating_point
from auditor.events.thresholds import certified_from
from auditor.runs.sampling import RecordedSampler, Sampler
from auditor.statistics.betting import Bets
from auditor.statistics.claims import EpsilonDelta, certified_level
from auditor.statistics.proportions import two_sample_p_value

pytestmark = pytest.mark.usefixtures("unpromised")

Asked = dict[str, Any]


def bits(rng: np.random.Generator, share: float, size: int = 4000) -> np.ndarray:
    """Return zeros and ones: whatever is learned, there is one event."""
    return (rng.random(size) < share).astype(int)


@pytest.fixture
def coins() -> tuple[np.ndarray, np.ndarray]:
    """Outputs somewhat beyond epsilon = 0.2."""
    rng = np.random.default_rng(0)
    return bits(rng, 0.34), bits(rng, 0.25)


def test_a_claim_is_refuted_at_its_level_and_not_above(
    coins: tuple[np.ndarray, np.ndarray],
) -> None:
    p_value = check_samples(*coins, epsilon=0.2, confidence=0.999).p_value
    assert 1e-9 < p_value < 0.01
    for factor in (0.4, 0.8, 1.5):
        alpha = factor * p_value
        found = check_samples(*coins, epsilon=0.2, confidence=1 - alpha)
        assert found.p_value == pytest.approx(p_value)
        assert (found.status == "violated") == (p_value <= alpha)
        # what is certified is what is rejected at alpha
        measured = measure_samples(*coins, confidence=1 - alpha)
        for level in (found.level_lower, found.epsilon_lower, measured.epsilon_lower):
            rejected = two_sample_p_value(found.first, found.second, EpsilonDelta(level).ceiling)
            assert rejected == pytest.approx(alpha, rel=0.02)
        # and half as much where low-order bits count, too
        counted = check_samples(
            *coins, epsilon=0.2, confidence=1 - 2 * alpha, floating_point="count"
        )
        assert (counted.status == "violated") == (p_value <= alpha)


def leaking(rng: np.random.Generator, share: float, size: int) -> np.ndarray:
    """Return two columns of numbers next to 1: they differ in their low-order bits alone."""
    return np.where(rng.random((size, 2)) < [share, 0.45], 1 + 2.0**-51, 1 + 2.0**-52)


def test_low_order_bits_have_half_of_the_error_shared_by_all_columns() -> None:
    rng = np.random.default_rng(0)
    training, claim = [leaking(rng, share, 800) for share in (0.6, 0.45)], EpsilonDelta(0.05)
    alone = floating_point.finding(training[0][:, 0], training[1][:, 0], claim, 0.5, delta=0.0)
    assert alone is not None
    # two columns, two patterns and two directions: each must reach an eighth
    assert _low_bits(training, claim, 0.0, 7.5 * alone["p_value"]) is None
    found = _low_bits(training, claim, 0.0, 8.5 * alone["p_value"])
    assert found is not None
    assert found["p_value"] == alone["p_value"]
    cut = certified_from(800)
    counts = [(int((part[cut:, 0] == 1 + 2.0**-51).sum()), 800 - cut) for part in training]
    level = EpsilonDelta(found["epsilon_lower"])
    rejected = two_sample_p_value(counts[0], counts[1], level.ceiling)
    assert rejected == pytest.approx(8.5 * alone["p_value"] / 8, rel=0.05)


def test_low_order_bits_that_count_have_half_of_the_error() -> None:
    rng = np.random.default_rng(1)
    odd = [rng.random(4000) < share for share in (0.74, 0.5)]
    # the last place is odd or even: nothing else tells the two samples apart
    samples = [1 + (2 * rng.integers(2**51, size=4000) + bit) * 2.0**-52 for bit in odd]

    def ask(alpha: float) -> CheckResult:
        return check_samples(*samples, epsilon=0.3, confidence=1 - alpha, floating_point="count")

    (leak,) = ask(0.5).findings
    assert 1e-9 < leak["p_value"] < 0.01
    # of the half, two patterns in two directions: each has an eighth
    assert ask(7.5 * leak["p_value"]).status == "holds"
    assert ask(8.5 * leak["p_value"]).status == "violated"


def noisy(scale: float) -> Callable[[Any, Any], Any]:
    def mechanism(data: Any, ledger: Any) -> Any:
        return ledger.laplace(data[0], sensitivity=1.0, scale=scale)

    return mechanism


def test_the_questions_about_releases_and_the_outputs_share_one_error_probability() -> None:
    pair = (np.array([0.0]), np.array([1.0]))
    asked: Asked = {"pair": pair, "epsilon": 1.0, "delta": 0.01, "confidence": 0.96}
    found = check(noisy(0.2), samples=2000, **asked)
    assert found.witness is not None
    assert found.witness["alpha"] == pytest.approx(0.02)
    # the other half is shared by the two questions that may be wrong by chance
    evidence = {verdict.question: verdict.evidence for verdict in found.questions}
    assert evidence["samplers"]["confidence"] == pytest.approx(1 - 0.01)
    assert evidence["privacy_loss"]["confidence"] == pytest.approx(1 - 2 * 0.01)

    def plain(data: Any, rng: np.random.Generator) -> Any:
        return data[0] + rng.laplace(scale=0.2)

    alone = check(plain, samples=2000, **asked)
    assert alone.witness is not None
    assert alone.witness["alpha"] == pytest.approx(0.04)


@pytest.mark.parametrize("value", [1.23456, 1.00023456, 0.99999, 2e-9 / 3, 12345.678])
def test_a_lower_bound_is_shown_rounded_down(value: float) -> None:
    for above in (0.0, 1.0):
        shown = float(rounded_down(value, above))
        assert 0.999 * value < shown <= value
        assert shown > above or value < above


# --------------------------------------------------------------------------------- fresh runs


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the seeds of all samplers that are made, in their order."""
    made: list[int] = []
    honest = OutputSource.sampler

    def noted(self: OutputSource, pair: Any, seed: int, clock: Any) -> Sampler:
        made.append(seed)
        return honest(self, pair, seed, clock)

    monkeypatch.setattr(OutputSource, "sampler", noted)
    return made


def biased(data: Any, rng: np.random.Generator) -> int:
    return int(rng.random() < (0.65 if np.sum(data) > 0.5 else 0.25))


def test_the_pair_that_was_searched_is_certified_by_fresh_runs(seeds: list[int]) -> None:
    check(biased, domain=Box((), 0.0, 1.0), n=1, epsilon=3.0, samples=2000, seed=5)
    assert seeds[-1] == 5  # certifies
    assert len(seeds) > 2
    assert 5 not in seeds[:-1]
    assert len(set(seeds[:-1])) > 1


def test_a_witness_is_shown_again_at_its_level_by_fresh_runs(seeds: list[int]) -> None:
    found = check(biased, pair=(0, 1), relation="any", epsilon=0.3, samples=2000)
    assert found.witness is not None
    seeds.clear()
    again = rerun(biased, found.witness, samples=60, seed=4)
    assert seeds == [0, 4]
    with pytest.raises(InputError, match="take another"):
        rerun(biased, found.witness, seed=0)
    assert 1e-9 < again.p_value < 0.1
    for factor in (0.4, 0.8, 1.5):
        alpha = factor * again.p_value
        shown = rerun(biased, {**found.witness, "alpha": alpha}, samples=60, seed=4)
        assert shown.p_value == pytest.approx(again.p_value)
        assert shown.shown == (again.p_value <= alpha)
        ceiling = EpsilonDelta(shown.level_lower).ceiling
        assert two_sample_p_value(shown.first, shown.second, ceiling) == pytest.approx(
            alpha, rel=0.02
        )


def test_what_is_found_is_confirmed_by_runs_that_nothing_has_seen(watched: Any) -> None:
    samples = 600
    rng = np.random.default_rng(30)
    # the runs of the examination are over the claim, all others are not
    over, fresh = (
        [bits(rng, share, size) for share in shares]
        for size, shares in ((samples, (0.36, 0.25)), (9 * samples, (0.25, 0.25)))
    )
    sampler = watched(*(np.concatenate(parts) for parts in zip(over, fresh, strict=True)))
    claim = EpsilonDelta(0.2)
    found = examine_twice(sampler, claim, alpha=0.2, samples=samples, seed=0)
    # the bets stopped it, unconfirmed; so it went on to the end, and what it found then is neither
    assert not found.may_stop
    assert found.complete
    assert found.confirmation is not None
    assert found.p_value(claim) >= found.confirmation.p_value > found.confirmation.level
    confirming = [run for run in sampler.runs(0) if run >= samples]
    assert len(set(confirming)) == len(confirming) > samples


def test_a_confirmation_bounds_what_is_said() -> None:
    claim, family = EpsilonDelta(1.0), EpsilonDelta(0.0)
    rng = np.random.default_rng(0)
    nothing = examine(
        RecordedSampler(bits(rng, 0.3), bits(rng, 0.3)), claim, alpha=0.05, samples=400, seed=0
    )
    found = replace(nothing, first=(70, 100), second=(10, 100), complete=True, bets=Bets())
    for counts, p_value in (((30, 100), 0.4), ((90, 100), 1e-9)):
        confirmation = Confirmation(counts, (10, 100), p_value, 0.05)
        assert confirmation.confirmed == (p_value <= 0.05)
        both = replace(found, confirmation=confirmation)
        assert both.p_value(claim) == (
            found.p_value(claim) if confirmation.confirmed else max(0.4, found.p_value(claim))
        )
        # one of two tests, which share the level of the confirmation
        fresh = certified_level(family, counts, (10, 100), 0.05 / 2)
        assert both.certified_level(family) == min(found.certified_level(family), fresh)


WORDS = ("oak", "fern", "moss", "lime", "beech", "ivy"), ("cod", "eel", "ray", "bass", "ide", "dab")


def test_bets_are_placed_before_the_round_is_seen() -> None:
    # every round has a word of its own on either side: nothing learned before is of any use
    ends = (64, 128, 256, 512, 1024)
    sides = [
        [words[np.searchsorted(ends, i, side="right")] for i in range(1500)] for words in WORDS
    ]
    found = examine(
        RecordedSampler(*sides), EpsilonDelta(1.0), alpha=0.01, samples=1500, seed=0, stop=False
    )
    assert len(found.bets.rounds) > 2
    assert found.bets.p_value(EpsilonDelta(0.0)) > 0.5
