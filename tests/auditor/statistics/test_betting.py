"""Bets against a claim: each payoff is fair, and looking often does not raise false alarms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from auditor.statistics.betting import STAKES, Bets, Round
from auditor.statistics.claims import Claim, Concentrated, EpsilonDelta, Gaussian, Renyi

CLAIMS: list[Claim] = [
    EpsilonDelta(1.0),
    EpsilonDelta(0.5, 0.05),
    EpsilonDelta(0.0),
    Gaussian(1.0),
    Renyi(2.0, 0.5),
    Concentrated(0.3),
]


def test_a_round_counts_pairs() -> None:
    first = np.array([True, True, False, False, True])
    second = np.array([True, False, True, False, False])
    assert Round.of(first, second, 0.3) == Round(1, 2, 1, 1, 0.3)


def test_the_growth_of_a_round_by_hand() -> None:
    # claim: P <= e Q. One pair in the event on the first side only, one on the second only
    e = math.e
    growth = Round(0, 1, 1, 0, 0.1).log_growth(EpsilonDelta(1.0))
    expected = np.log(1 + STAKES / e) + np.log(1 - STAKES)
    np.testing.assert_allclose(growth, expected, rtol=1e-12)
    # without delta, a pair of which none is in the event says nothing
    np.testing.assert_allclose(Round(0, 0, 0, 50, 0.1).log_growth(EpsilonDelta(1.0)), 0, atol=1e-12)


def test_the_capital_is_the_average_over_the_stakes() -> None:
    bets = Bets()
    for played in (Round(0, 3, 0, 0, 0.1), Round(0, 2, 1, 0, 0.1)):
        bets.add(played)
    capital = np.mean((1 + STAKES / math.e) ** 5 * (1 - STAKES))
    first = np.mean((1 + STAKES / math.e) ** 3)
    assert bets.p_value(EpsilonDelta(1.0)) == pytest.approx(1 / max(first, capital))


@pytest.mark.parametrize("claim", CLAIMS, ids=Claim.describe)
@pytest.mark.parametrize("expected", [1e-4, 0.02, 0.4, 0.9])
def test_no_payoff_favours_the_gambler_while_the_claim_holds(claim: Claim, expected: float) -> None:
    q = np.linspace(0, 1, 201)
    p = claim.ceiling(q)  # the worst that the claim allows
    outcomes = {
        Round(1, 0, 0, 0, expected): p * q,
        Round(0, 1, 0, 0, expected): p * (1 - q),
        Round(0, 0, 1, 0, expected): (1 - p) * q,
        Round(0, 0, 0, 1, expected): (1 - p) * (1 - q),
    }
    mean = sum(
        np.exp(played.log_growth(claim))[:, None] * chance for played, chance in outcomes.items()
    )
    assert np.all(mean <= 1 + 1e-9)
    # and it is nearly fair where the line was drawn, so no power is given away there
    nearest = int(np.argmin(np.abs(q - expected)))
    assert np.all(mean[:, nearest] > 0.97)


def test_bets_on_a_true_claim_rarely_win_at_any_look() -> None:
    # randomized response of epsilon 1, at its claim exactly; 12 looks; alpha = 0.05.
    # A correct test fails here with probability below 1e-6
    claim, alarms, repetitions = EpsilonDelta(1.0), 0, 1000
    rng = np.random.default_rng(1)
    p, q = 1 / (1 + math.exp(-1)), 1 / (1 + math.e)
    for _ in range(repetitions):
        bets = Bets()
        for look in range(12):
            size = 20 + 10 * look
            bets.add(Round.of(rng.random(size) < p, rng.random(size) < q, q))
        alarms += bets.p_value(claim) <= 0.05
    assert alarms <= stats.binom.isf(1e-6, repetitions, 0.05)


def test_a_p_value_is_the_smallest_of_all_looks() -> None:
    claim, bets = EpsilonDelta(1.0), Bets()
    assert bets.certified_level(EpsilonDelta(0.0), 0.01, top=8.0) == 0.0
    seen = [bets.p_value(claim)]
    assert seen == [1.0]
    for first, second in ((60, 2), (3, 30), (0, 40)):
        bets.add(Round(0, first, second, 10, 0.3))
        seen.append(bets.p_value(claim))
    assert seen[1] < 0.05
    assert seen[1] == seen[2] == seen[3]


@pytest.mark.parametrize("claim", [EpsilonDelta(1.0), EpsilonDelta(0.5, 0.05)])
def test_bets_on_a_false_claim_win(claim: EpsilonDelta) -> None:
    rng = np.random.default_rng(2)
    q, p = 0.1, math.exp(1.3)
    bets = Bets()
    for _ in range(10):
        bets.add(Round.of(rng.random(2000) < p * q + claim.delta, rng.random(2000) < q, q))
    assert bets.p_value(claim) < 1e-6


def test_a_certified_level_is_where_the_capital_suffices() -> None:
    rng = np.random.default_rng(3)
    mu, q = 1.0, 0.2
    for family, truth in ((EpsilonDelta(0.0), 1.2), (Gaussian(0.0), mu)):
        p = float(ndtr(ndtri(q) + mu)) if truth == mu else q * math.exp(truth)
        bets = Bets()
        for _ in range(6):
            bets.add(Round.of(rng.random(5000) < p, rng.random(5000) < q, q))
        level = bets.certified_level(family, 1e-3, top=8.0)
        assert 0.85 * truth < level < truth
        assert bets.p_value(family.at(level)) <= 1e-3
        assert bets.p_value(family.at(level + 0.01)) > 1e-3
        assert bets.certified_level(family, 1e-3, top=level / 2) == level / 2
