"""Claims about events: ceilings, losses, chords, certified levels."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from auditor.core.errors import InputError
from auditor.statistics.claims import (
    Claim,
    Concentrated,
    EpsilonDelta,
    Gaussian,
    Renyi,
    TradeOff,
    binary_divergence,
    certified_level,
    claim_of,
    decode_claim,
    encode_claim,
)
from auditor.statistics.proportions import clopper_pearson, two_sample_p_value
from reference.privacy.guarantees import ZCDP, ApproximateDP, GaussianDP, PureDP, RenyiDP


def one_dp(x: np.ndarray) -> np.ndarray:
    return np.maximum.reduce([0 * x, 1 - math.e * x, (1 - x) / math.e])


CLAIMS: list[Claim] = [
    EpsilonDelta(1.0),
    EpsilonDelta(0.5, 0.03),
    Gaussian(0.8),
    Renyi(2.0, 0.4),
    Concentrated(0.3),
    TradeOff(one_dp),
]
Q = np.linspace(0.001, 0.999, 400)


@pytest.mark.parametrize("claim", CLAIMS, ids=Claim.describe)
def test_a_ceiling_is_concave_increasing_and_allows_equal_distributions(claim: Claim) -> None:
    ceiling = claim.ceiling(Q)
    assert (ceiling >= Q).all()
    assert (ceiling <= 1).all()
    assert (np.diff(ceiling) >= -1e-12).all()
    assert (np.diff(ceiling, 2) <= 1e-9).all()


@pytest.mark.parametrize("claim", CLAIMS, ids=Claim.describe)
def test_the_loss_on_the_ceiling_is_the_level(claim: Claim) -> None:
    inside = claim.ceiling(Q) < 1 - 1e-9
    found = claim.loss(claim.ceiling(Q)[inside], Q[inside])
    np.testing.assert_allclose(found, claim.level, rtol=1e-6)
    # a claim at another level has its own ceiling
    other = claim.over(0.1)
    assert other.level == pytest.approx(1.1 * claim.level)
    assert (other.ceiling(Q)[inside] > claim.ceiling(Q)[inside]).all()


@pytest.mark.parametrize("claim", CLAIMS, ids=Claim.describe)
@pytest.mark.parametrize("q", [1e-6, 0.01, 0.5, 0.9, 0.9999])
def test_a_chord_lies_above_the_ceiling_and_close_to_it_at_its_place(
    claim: Claim, q: float
) -> None:
    slope, intercept = claim.chord(q)
    points = np.concatenate([np.geomspace(1e-10, 1, 801), np.linspace(0, 1, 801)])
    gap = slope * points + intercept - claim.ceiling(points)
    assert gap.min() >= -1e-12
    # 1-DP has a corner, where a finite difference leaves a gap of the size of its step; and where
    # everything is allowed no line is needed
    assert float(claim.ceiling(q)) == 1 or slope * q + intercept - float(claim.ceiling(q)) <= 2e-4


def test_the_divergence_of_two_coins_is_scipys_sum() -> None:
    p, q = np.array([0.3, 0.7]), np.array([0.6, 0.4])
    for alpha in (1.5, 2.0, 9.0):
        expected = math.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1)
        assert float(binary_divergence(alpha, 0.3, 0.6)) == pytest.approx(expected)
    assert float(binary_divergence(2.0, 0.2, 0.0)) == math.inf
    assert float(binary_divergence(2.0, 0.0, 0.2)) == pytest.approx(-math.log(0.8))
    # towards order 1 it is the Kullback-Leibler divergence
    kl = stats.entropy([0.3, 0.7], [0.6, 0.4])
    assert float(binary_divergence(1 + 1e-7, 0.3, 0.6)) == pytest.approx(kl, rel=1e-5)


def test_a_divergence_is_that_of_the_worse_order_of_the_pair() -> None:
    there, back = binary_divergence(2.0, 0.999, 0.9), binary_divergence(2.0, 0.9, 0.999)
    assert back > there
    assert float(Renyi(2.0, 0.4).loss(0.999, 0.9)) == float(back)
    assert float(Renyi(2.0, 0.4).loss(0.1, 0.001)) == float(binary_divergence(2.0, 0.1, 0.001))


def test_a_gaussian_pair_meets_its_own_concentrated_claim_but_not_a_smaller_one() -> None:
    mu = 1.0
    power = ndtr(ndtri(Q) + mu)
    assert (power <= Concentrated(mu**2 / 2).ceiling(Q)).all()
    assert (power > Concentrated(0.3 * mu**2).ceiling(Q)).any()


@pytest.mark.parametrize("claim", CLAIMS, ids=Claim.describe)
@pytest.mark.parametrize("counts", [((400, 1000), (100, 1000)), ((60, 900), (0, 1100))])
def test_the_certified_level_is_where_the_test_stops_rejecting(
    claim: Claim, counts: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    one, two = counts
    level = certified_level(claim, one, two, 1e-4)
    assert level > 0
    at = two_sample_p_value(one, two, claim.at(level).ceiling)
    assert at == pytest.approx(1e-4, rel=0.02)
    assert two_sample_p_value(one, two, claim.at(1.05 * level).ceiling) > 1e-4
    assert two_sample_p_value(one, two, claim.at(0.95 * level).ceiling) < 1e-4


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_certified_epsilon_beats_two_clopper_pearson_bounds(delta: float) -> None:
    found = certified_level(EpsilonDelta(0.0, delta), (400, 1000), (100, 1000), 1e-4)
    assert 0 < found < math.log((0.4 - delta) / 0.1)
    lower = float(clopper_pearson(400, 1000, 5e-5)[0])
    upper = float(clopper_pearson(100, 1000, 5e-5)[1])
    assert found > math.log((lower - delta) / upper)


def test_certified_levels_at_the_edges() -> None:
    assert certified_level(EpsilonDelta(0.0), (0, 100), (50, 100), 0.01) == 0
    assert certified_level(EpsilonDelta(0.0), (50, 100), (100, 100), 0.01) == 0
    assert certified_level(Gaussian(0.0), (50, 100), (50, 100), 0.01) == 0
    everything = 10**9
    found = certified_level(EpsilonDelta(0.0), (everything, everything), (0, everything), 0.5)
    assert 15 < found < math.inf


@pytest.mark.parametrize(
    ("guarantee", "claim"),
    [
        (PureDP(1.0), EpsilonDelta(1.0)),
        (ApproximateDP(1.0, 0.1), EpsilonDelta(1.0, 0.1)),
        (ZCDP(0.5), Concentrated(0.5)),
        (RenyiDP(2.0, 0.5), Renyi(2.0, 0.5)),
        (GaussianDP(2.0), Gaussian(2.0)),
    ],
)
def test_claims_follow_from_guarantees_and_come_back(guarantee: Any, claim: Claim) -> None:
    assert claim_of(guarantee) == claim
    assert decode_claim(json.loads(json.dumps(encode_claim(claim)))) == claim


def test_a_trade_off_function_is_a_claim_that_does_not_come_back() -> None:
    assert claim_of(one_dp) == TradeOff(one_dp)
    with pytest.raises(InputError, match="give claim"):
        decode_claim(encode_claim(TradeOff(lambda x: 1 - x)))
    with pytest.raises(InputError, match="must be PureDP"):
        claim_of(3.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: -x, "0 <= f"),
        (lambda x: 1 - x / 2, "f\\(x\\) <= 1 - x"),
        (lambda x: np.minimum(1 - x, 0.3), "convex"),
        (lambda x: 0.5, "array"),
        (lambda x: 1 / 0, "failed"),
    ],
)
def test_a_bad_trade_off_function_is_refused(function: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TradeOff(function)  # type: ignore[arg-type]
