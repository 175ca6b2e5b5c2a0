"""Randomised response as doubles sample it: the exact law of the coin, by counting its doubles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from numpy.typing import NDArray

from reference.privacy import Ledger
from reference.privacy.mechanisms import L2BallRandomizer, RandomizedResponse
from reference.privacy.mechanisms.mechanism import largest_epsilon

DOUBLES = 2**53
"""The coin shows each of 0, 1, ... times 2^-53 with the same probability."""


def first(coin: RandomizedResponse, shifts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first double, in units of 2^-53, whose answer is the truth + a shift or later.

    The doubles of an answer are consecutive: those that tell the truth, then each lie in its turn.
    """
    low, high = np.zeros_like(shifts), np.full_like(shifts, DOUBLES)
    while (low < high).any():
        middle = (low + high) // 2
        answers = coin.output(np.zeros(shifts.shape), np.ldexp(middle.astype(float), -53))
        later = (answers >= shifts) & (low < high)
        low, high = np.where(later | (low == high), low, middle + 1), np.where(later, middle, high)
    return low


def shown(coin: RandomizedResponse, shifts: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """Return of how many doubles the answer is the truth, and of how many it is each lie."""
    last = shifts == coin.categories - 1
    ends = np.where(last, DOUBLES, first(coin, np.where(last, shifts, shifts + 1)))
    return int(first(coin, np.array([1]))[0]), ends - first(coin, shifts)


def sampled_loss(coin: RandomizedResponse, shifts: NDArray[np.int64]) -> mpf:
    """Return the largest log-ratio of the probabilities of an answer, given these lies."""
    truth, lies = shown(coin, shifts)
    if coin.categories <= 3:
        assert truth + lies.sum() == DOUBLES
    most, least = int(lies.max()), int(lies.min())
    # an answer may be the truth of one and the lie of the other, or with k > 2 a lie of both
    ratios = [mpf(truth) / least, mpf(most) / truth, mpf(most) / least]
    return mp.log(max(ratios[: 2 if coin.categories == 2 else 3]))


CATEGORIES = st.sampled_from([2, 3, 4, 5, 8, 10, 100, 1000]) | st.integers(2, 10**12 - 10**6)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(CATEGORIES, st.floats(-20, 1.45), st.integers(1, 10**12))
@example(1000, 1.45, 7)  # 1.07e-4 more than epsilon, of 9007 doubles
@example(2, -16.5, 1)  # the lie is likelier than the truth
@example(10**6, -9.0, 10**5)  # two lies differ by more than epsilon
def test_what_is_charged_is_no_less_than_what_doubles_lose(
    categories: int, exponent: float, lie: int
) -> None:
    epsilon = min(10**exponent, largest_epsilon(categories))
    coin = RandomizedResponse(epsilon, categories)
    if categories <= 1000:
        shifts = np.arange(1, categories)
    else:
        near = lie % (categories - 20) + np.arange(1, 9)
        shifts = np.concatenate([np.arange(1, 9), near, np.arange(categories - 8, categories)])
    with mp.workdps(40):
        lost = sampled_loss(coin, shifts)
        charged = mpf(coin.cost(1.0).pure)
        assert lost <= charged
        # nor is it much more: 10 doubles of the rarest answer, and the rounding of a logarithm
        rarest = min(shown(coin, shifts)[0], *map(int, shown(coin, shifts)[1]))
        assert charged <= max(mpf(epsilon), lost) + mpf(20) / rarest + mpf(2) ** -45
    assert coin.cost(3.0).pure == pytest.approx(3 * float(charged), rel=1e-15)
    assert coin.cost(1.0).rho >= float(charged) ** 2 / 2


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.floats(-14.5, 1.44))
def test_two_categories_are_charged_epsilon_itself(exponent: float) -> None:
    for coin in (RandomizedResponse(10**exponent), L2BallRandomizer(1.0, 10**exponent)):
        assert coin.cost(1.0).pure == 10**exponent


@pytest.mark.parametrize("epsilon", [1e-140, 1e-17, 4e-16, 1e-15, 1e-3, 1.0, 27.6])
def test_the_side_of_a_vector_is_told_by_a_coin_that_is_charged(epsilon: float) -> None:
    # vectors of norm 1 opposite each other, and noise along the first: the truth is the first coin
    ball, unit = L2BallRandomizer(1.0, epsilon), np.array([1.0, 0.0])
    low, high = 0, DOUBLES
    while low < high:
        middle = (low + high) // 2
        told = ball.output(unit, (np.array(0.0), np.array(np.ldexp(float(middle), -53)), unit))
        low, high = (middle + 1, high) if told[0] > 0 else (low, middle)
    with mp.workdps(40):
        lost = mp.log(mpf(max(low, DOUBLES - low)) / min(low, DOUBLES - low))
        assert lost <= ball.cost(1.0).pure


def test_a_ledger_charges_what_its_coin_loses() -> None:
    ledger = Ledger(0, limit=(27.6, 0.0))
    with pytest.raises(RuntimeError, match="would exceed the limit"):
        ledger.randomized_response([0, 1], epsilon=27.6, categories=1000)
    ledger.randomized_response([0, 1], epsilon=27.6)
    assert ledger.spent(delta=0).epsilon == 27.6
