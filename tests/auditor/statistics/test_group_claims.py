"""Claims about groups of records: no smaller than a chain of neighbours allows, and as printed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from auditor.core.errors import InputError
from auditor.statistics.claims import (
    Claim,
    Concentrated,
    EpsilonDelta,
    Gaussian,
    Renyi,
    TradeOff,
)
from auditor.statistics.groups import group_claim

Q = np.array([1e-9, 1e-5, 0.001, 0.02, 0.1, 0.3, 0.5, 0.9, 0.999])


def one_dp(x: np.ndarray) -> np.ndarray:
    return np.maximum.reduce([0 * x, 1 - math.e * x, (1 - x) / math.e])


class EveryOrder(Concentrated):
    """zCDP at orders so close that those between show nothing more."""

    @property
    def _orders(self) -> Any:
        return 1 + np.geomspace(1e-4, 1e5, 2000)

    _weights = _orders


def chained(claim: Claim, k: int) -> np.ndarray:
    """Return the largest probability k records away.

    Bernoulli(q), Bernoulli(c(q)), ... are a chain of neighbours that meet the claim.
    """
    p = Q
    for _ in range(k):
        p = claim.ceiling(p)
    return p


@pytest.mark.parametrize(
    ("claim", "k", "group"),
    [
        (EpsilonDelta(0.002), 20, EpsilonDelta(0.04)),
        (EpsilonDelta(math.log(2), 0.01), 3, EpsilonDelta(math.log(8), 0.07)),
        (Gaussian(0.1), 20, Gaussian(2.0)),
        (Concentrated(0.01), 7, Concentrated(0.49)),
        (Renyi(8.0, 0.02), 3, Renyi(2.0, 0.18)),
        (Renyi(8.0, 0.02), 4, Renyi(2.0, 0.18)),
        (Renyi(4.0, 0.02), 2, Renyi(2.0, 0.06)),
    ],
)
def test_what_is_claimed_of_a_group(claim: Claim, k: int, group: Any) -> None:
    found = group_claim(claim, k)
    assert type(found) is type(group)
    assert vars(found) == pytest.approx(vars(group))
    assert group_claim(claim, 1) is claim


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(
    "claim",
    [
        EpsilonDelta(0.3),
        EpsilonDelta(0.3, 0.01),
        Gaussian(0.4),
        EveryOrder(0.05),
        Renyi(16.0, 0.1),
        TradeOff(one_dp),
    ],
    ids=lambda claim: type(claim).__name__,
)
def test_a_group_claim_allows_what_a_chain_of_neighbours_does(claim: Claim, k: int) -> None:
    assert (group_claim(claim, k).ceiling(Q) >= chained(claim, k) - 1e-12).all()


@pytest.mark.parametrize("claim", [Gaussian(0.4), TradeOff(one_dp)], ids=["mu", "f"])
def test_a_trade_off_curve_allows_no_more(claim: Claim) -> None:
    assert group_claim(claim, 4).ceiling(Q) == pytest.approx(chained(claim, 4), abs=1e-12)


def test_pairs_of_epsilon_and_delta_are_met_with_equality_where_events_are_rare() -> None:
    claim = EpsilonDelta(0.3, 0.01)
    assert group_claim(claim, 5).ceiling(Q)[:3] == pytest.approx(chained(claim, 5)[:3], rel=1e-9)


@pytest.mark.parametrize(
    ("claim", "k", "words"),
    [
        (EpsilonDelta(1.0, 1e-5), 20, "nothing of 20 records, whose delta would be"),
        (EpsilonDelta(800.0, 0.1), 3, "nothing of 3 records, whose delta would be inf"),
        (Renyi(2.0, 0.1), 2, "only for alpha >= 4"),
        (Renyi(7.9, 0.1), 3, "only for alpha >= 8"),
    ],
)
def test_a_claim_that_says_nothing_of_a_group_is_refused(claim: Claim, k: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        group_claim(claim, k)
