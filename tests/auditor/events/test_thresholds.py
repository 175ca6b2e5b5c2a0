"""Threshold events: chosen, certified, calibrated. Seeds are fixed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from auditor.events.thresholds import (
    Certificate,
    Event,
    ThresholdChoice,
    certified_from,
    certify,
    choose_event,
    choose_threshold,
    promised_level,
    several_thresholds,
)
from auditor.statistics.claims import EpsilonDelta, Gaussian
from auditor.statistics.proportions import two_sample_p_value


def test_an_event_counts_what_it_says() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    assert Event(1.0, True).count(values) == 3
    assert Event(1.0, False).count(values) == 2
    assert Event(-1.0, True).count(values) == 5
    assert Event(0.25, True).describe() == "statistic > 0.25"
    assert Event(0.25, False).describe() == "statistic <= 0.25"


def test_choose_event_finds_the_side_and_the_place() -> None:
    rng = np.random.default_rng(0)
    # Laplace with scale 1/2 at 1 and at 0: the ratio is largest, e^2, beyond either centre
    shifted, plain = rng.laplace(1.0, 0.5, 2000), rng.laplace(0.0, 0.5, 2000)
    event = choose_event(shifted, plain, EpsilonDelta(0.0), 1e-3)
    assert event.above
    assert 0.7 < event.threshold < 1.4
    event = choose_event(plain, shifted, EpsilonDelta(0.0), 1e-3)
    assert not event.above
    # for a claim both ways round, an event is as good as its complement
    assert -0.4 < event.threshold < 0.3 or 0.7 < event.threshold < 1.4


def test_choose_event_sees_an_outcome_that_never_happens_on_one_side() -> None:
    likely = np.concatenate([np.zeros(450), np.full(50, 7.0)])
    event = choose_event(likely, np.zeros(500), EpsilonDelta(0.0), 1e-4)
    assert event.above
    assert 0 < event.threshold < 7
    # where nothing can be certified, a larger difference still promises more
    promised = promised_level((np.array([6, 8]), 10), (5, 10), EpsilonDelta(0.0), 0.01, 10)
    np.testing.assert_allclose(promised, [-1.9, -1.7])


def test_a_rare_event_that_surely_exceeds_the_claim_beats_a_solid_one_that_cannot() -> None:
    # scores: a frequent event at the claimed level 1, and beyond it an exact value of one side
    n = 25_000
    first = np.concatenate([np.zeros(n - 16_000), np.ones(15_970), np.full(30, 2.0)])
    second = np.concatenate([np.zeros(n - 6000), np.ones(6000)])
    family = EpsilonDelta(1.0)
    solid = choose_threshold(first, second, family, 0.01)
    assert solid.threshold == 0.5
    assert 0.9 < solid.promise < 1
    assert solid.excess == 0
    rare = choose_threshold(first, second, family, 0.01, refute=1.0)
    assert rare.threshold == 1.5
    assert rare.promise < 1 < rare.excess
    assert rare.merits(1.0) > solid.merits(1.0)
    # with a level to refute that is promised, or out of reach, it is the promise that counts
    assert choose_threshold(first, second, family, 0.01, refute=0.8) == solid
    assert choose_threshold(first, second, family, 0.01, refute=5.0) == solid
    # ten instead of thirty could be luck
    fewer = np.where(np.arange(n) < n - 10, np.minimum(first, 1.0), 2.0)
    assert choose_threshold(fewer, second, family, 0.01, refute=1.0).threshold == 0.5
    assert choose_threshold(second, first, family, 0.01, refute=1.0).side == 1


def _of_counts(*counts: int) -> np.ndarray:
    return np.repeat(np.arange(len(counts), dtype=float), counts)


SIDES = _of_counts(9_000, 500, 450, 50), _of_counts(9_400, 500, 97, 3)
"""10,000 runs a side: what is above 2 has a ratio of 17 and is rare, what is above 1 one of 5."""


def test_a_threshold_that_is_surely_best_has_all_of_alpha() -> None:
    scores = _of_counts(5_000, 5_000), _of_counts(9_000, 1_000)
    choice = choose_threshold(*scores, EpsilonDelta(0.0), 0.1)
    rng = np.random.default_rng(0)
    assert several_thresholds(choice, scores, EpsilonDelta(0.0), 0.1, 30_000, rng) == [choice]


@pytest.mark.parametrize(("rare", "threshold"), [((40, 2), 1.5), ((110, 4), 2.5)])
def test_a_second_threshold_must_be_worth_its_part_of_alpha(
    rare: tuple[int, int], threshold: float
) -> None:
    """In some other runs it would have promised more, but not if it had no more than its part."""
    k, m = rare
    scores = _of_counts(9_000, 500, 500 - k, k), _of_counts(9_400, 500, 100 - m, m)
    pure = EpsilonDelta(0.0)
    choice = choose_threshold(*scores, pure, 0.1, 30_000)
    found = several_thresholds(choice, scores, pure, 0.1, 30_000, np.random.default_rng(0))
    assert [one.threshold for one in found] == [threshold]


def test_without_a_threshold_there_are_no_others() -> None:
    scores = np.zeros(100), np.zeros(100)
    rng = np.random.default_rng(0)
    assert several_thresholds(ThresholdChoice(), scores, EpsilonDelta(0.0), 0.1, 300, rng) == [
        ThresholdChoice()
    ]


@pytest.mark.parametrize("swapped", [False, True])
def test_thresholds_that_other_runs_would_have_chosen_share_alpha(swapped: bool) -> None:
    scores = SIDES[::-1] if swapped else SIDES
    pure = EpsilonDelta(0.0)
    choice = choose_threshold(*scores, pure, 0.1, 30_000)
    first, second = several_thresholds(choice, scores, pure, 0.1, 30_000, np.random.default_rng(0))
    assert first == choice
    assert {first.threshold, second.threshold} == {1.5, 2.5}
    assert first.side == second.side == int(swapped)


def test_certify_uses_only_unseen_runs() -> None:
    # the first quarter alone differs: an honest certificate must not see it
    n = 4000
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=n), rng.normal(size=n)
    cut = certified_from(n)
    assert cut == n // 4
    first[:cut] += 5
    certificate = certify(first, second, EpsilonDelta(0.1), 1e-3)
    # nor may the choice see the runs that certify
    changed = np.concatenate([first[:cut], first[cut:] - 100])
    assert certify(changed, second, EpsilonDelta(0.1), 1e-3).event == certificate.event
    assert certificate.first[1] == certificate.second[1] == n - cut
    assert certificate.p_value > 1e-3
    assert certify(second[::-1] + 3, second, EpsilonDelta(0.1), 1e-3).p_value < 1e-30


def test_a_certificate_rejects_what_it_certifies_at_the_error_that_is_asked_for() -> None:
    certificate = Certificate(Event(0.0, True), (400, 1000), (100, 1000), 1e-9)
    alpha = 1e-3
    claims = [
        EpsilonDelta(certificate.epsilon(0.02, alpha), 0.02),
        Gaussian(certificate.level(Gaussian(0.0), alpha)),
    ]
    for claim in claims:
        p_value = two_sample_p_value(certificate.first, certificate.second, claim.ceiling)
        assert p_value == pytest.approx(alpha, rel=0.02)


def test_claims_met_exactly_are_rarely_flagged() -> None:
    # 300 certificates at alpha = 0.05: more than 41 alarms has probability below 1e-7
    def response(rng: np.random.Generator, epsilon: float) -> np.ndarray:
        return (rng.random(500) < 1 / (1 + math.exp(-epsilon))).astype(float)

    laws = [
        (lambda rng: (rng.laplace(1.0, 1.0, 500), rng.laplace(0.0, 1.0, 500)), 0.0),
        (lambda rng: (response(rng, 1.0), response(rng, -1.0)), 0.0),
        # a Gaussian of mu = 1 at (1, 0.1269)
        (lambda rng: (rng.normal(1.0, 1.0, 500), rng.normal(0.0, 1.0, 500)), 0.12693673750664397),
    ]
    rng = np.random.default_rng(2)
    alarms = 0
    for law, delta in 100 * laws:
        alarms += certify(*law(rng), EpsilonDelta(1.0, delta), 0.05).p_value <= 0.05
    assert alarms <= stats.binom.isf(1e-7, 300, 0.05)
