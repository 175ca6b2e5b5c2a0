"""Bounds from one run: exact against the worst mechanism, and no smaller."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.optimize import linprog

from auditor.statistics.canaries import epsilon_lower, epsilon_p_value, mu_lower, refutes_mu
from reference._validation import FloatArray
from reference.privacy.curves import gaussian_dp_deltas


def worst(guesses: int, right: int, epsilons: Sequence[float], budgets: Sequence[float]) -> float:
    """Return the largest P[at least ``right`` right] of a mechanism that makes so many guesses.

    By symmetry over coins and canaries only the number of wrong guesses d counts, with law g. At
    every epsilon the excess of a neighbour's probabilities, added over the canaries, is at most
    the budget, m delta.
    """
    r, total = guesses, guesses + 1 + 2 * guesses * len(epsilons)
    rows, limits = [], []
    for number, (epsilon, budget) in enumerate(zip(epsilons, budgets, strict=True)):
        e, start = math.exp(epsilon), r + 1 + 2 * r * number
        for d in range(r):
            one, other = np.zeros(total), np.zeros(total)
            one[d], one[d + 1], one[start + 2 * d] = r - d, -e * (d + 1), -1
            other[d + 1], other[d], other[start + 2 * d + 1] = d + 1, -e * (r - d), -1
            rows += [one, other]
        spent = np.zeros(total)
        spent[start : start + 2 * r] = 1
        rows.append(spent)
        limits += [0.0] * (2 * r) + [budget]
    gain, law = np.zeros(total), np.zeros(total)
    gain[: r - right + 1], law[: r + 1] = 1, 1
    found = linprog(-gain, A_ub=np.array(rows), b_ub=limits, A_eq=[law], b_eq=[1.0])
    return float(-found.fun)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.03])
def test_the_p_value_is_that_of_the_worst_mechanism(epsilon: float, delta: float) -> None:
    for canaries, guesses in ((1, 1), (4, 2), (12, 12), (30, 20)):
        for right in {1, guesses // 2 + 1, guesses - 1, guesses} - {0}:
            exact = worst(guesses, right, [epsilon], [canaries * delta])
            found = epsilon_p_value(epsilon, delta, exposed=canaries, guesses=guesses, right=right)
            assert found == pytest.approx(exact, abs=1e-6)


def worst_of_all(
    high: int, low: int, canaries: int, right: int, epsilons: FloatArray, deltas: FloatArray
) -> float:
    """Return the same by the law of every output for every setting of the coins, of few canaries.

    The mechanism names ``high`` canaries as included and ``low`` as not; every pair of neighbours
    satisfies every (epsilon, delta).
    """
    coins = list(itertools.product([0, 1], repeat=canaries))
    outputs = [
        answer
        for answer in itertools.product([1, 0, None], repeat=canaries)
        if answer.count(1) == high and answer.count(0) == low
    ]
    n, k = len(coins), len(outputs)
    place = {coin: i * k for i, coin in enumerate(coins)}
    hits = np.array(
        [[sum(a == b for a, b in zip(c, o, strict=True)) for o in outputs] for c in coins]
    )
    pairs = [
        (place[c], place[(*c[:i], 1 - c[i], *c[i + 1 :])]) for c in coins for i in range(canaries)
    ]
    blocks, limits, slack = [], [], 0
    total = n * k + len(pairs) * len(epsilons) * k
    for one, other in pairs:
        for epsilon, delta in zip(epsilons, deltas, strict=True):
            rows = sparse.lil_array((k + 1, total))
            for t in range(k):
                rows[t, one + t], rows[t, other + t] = 1, -math.exp(epsilon)
                rows[t, n * k + slack + t] = -1
                rows[k, n * k + slack + t] = 1
            blocks.append(rows)
            limits += [0.0] * k + [delta]
            slack += k
    sums = sparse.lil_array((n, total))
    for i in range(n):
        sums[i, i * k : (i + 1) * k] = 1
    gain = np.concatenate([(hits >= right).ravel() / n, np.zeros(total - n * k)])
    found = linprog(
        -gain, A_ub=sparse.vstack(blocks).tocsr(), b_ub=limits, A_eq=sums.tocsr(), b_eq=np.ones(n)
    )
    return float(-found.fun)


@pytest.mark.parametrize(("high", "low"), [(1, 0), (2, 0), (3, 0), (1, 1), (1, 2)])
def test_no_mechanism_of_three_canaries_is_better_than_the_p_value(high: int, low: int) -> None:
    exposed = 3 if high and low else 1.5
    for right in range(1, high + low + 1):
        exact = worst_of_all(high, low, 3, right, np.array([0.7]), np.array([0.05]))
        bound = epsilon_p_value(0.7, 0.05, exposed=exposed, guesses=high + low, right=right)
        assert exact <= bound + 1e-9


@pytest.mark.parametrize(("high", "low"), [(1, 0), (1, 1), (2, 1)])
def test_no_gaussian_private_mechanism_is_better_than_the_bound(high: int, low: int) -> None:
    # private on a grid of epsilon, so a mechanism may exceed the curve a little between its points
    epsilons = np.linspace(0, 3, 25)
    deltas = gaussian_dp_deltas(1.0, epsilons)
    exposed = 3 if high and low else 1.5
    for right in range(1, high + low + 1):
        exact = worst_of_all(high, low, 3, right, epsilons, deltas)
        assert not refutes_mu(1.0, exact - 1e-3, exposed=exposed, guesses=high + low, right=right)


def test_the_gaussian_bound_is_close_to_the_worst_mechanism() -> None:
    epsilons = np.linspace(0, 5, 30)
    for mu, canaries, guesses, right in (
        (1.0, 20, 20, 19), (1.0, 40, 20, 20), (1.0, 20, 20, 17), (3.0, 10, 10, 10),
    ):  # fmt: skip
        deltas = gaussian_dp_deltas(mu, epsilons)
        exact = worst(guesses, right, epsilons, canaries * deltas)
        assert not refutes_mu(mu, 0.99 * exact, exposed=canaries, guesses=guesses, right=right)
        assert refutes_mu(mu, 1.3 * exact, exposed=canaries, guesses=guesses, right=right)


def test_steinke_nasr_and_jagielski_say_the_same_without_delta_and_more_with_it() -> None:
    m, r, v, epsilon, delta = 1000, 200, 170, 1.0, 1e-5
    q = 1 / (1 + math.exp(-epsilon))
    beta = float(stats.binom.sf(v - 1, r, q))
    counts = {"exposed": m, "guesses": r, "right": v}
    assert epsilon_p_value(epsilon, 0.0, **counts) == pytest.approx(beta, rel=1e-12)
    i = np.arange(1, v + 1)
    second = 2 * m * delta * max((stats.binom.sf(v - i - 1, r, q) - beta) / i)
    ours = epsilon_p_value(epsilon, delta, **counts) - beta
    assert 0 < ours < second / 4


def test_the_bounds_are_where_the_p_values_cross() -> None:
    counts = {"exposed": 1000, "guesses": 300, "right": 260}
    epsilon = epsilon_lower(1e-4, 0.01, **counts)
    assert epsilon_p_value(epsilon, 1e-4, **counts) == pytest.approx(0.01, rel=1e-6)
    mu = mu_lower(0.01, **counts)
    assert refutes_mu(mu, 0.01, **counts)
    assert not refutes_mu(mu + 1e-6, 0.01, **counts)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_extremes_are_finite(delta: float) -> None:
    for guesses in (1, 10, 10**6):
        for right in (0, 1, guesses):
            counts = {"exposed": 10**6, "guesses": guesses, "right": right}
            assert 0 <= epsilon_lower(delta, 0.01, **counts) < 13
            assert 0 <= mu_lower(0.01, **counts) < 10
    # so many right guesses that their probability is no double: its ratio to the tail still is one
    assert epsilon_p_value(0.0, 1e-6, exposed=10**4, guesses=10**4, right=9000) == pytest.approx(
        1e-2 / (9000 - 1000 * 9000 / 9001), rel=1e-6
    )


@pytest.mark.parametrize("mu", [0.0, 0.5, 1.0, 3.0])
def test_one_guess_about_one_coin_is_right_with_the_probability_of_the_midpoint(mu: float) -> None:
    """By hand: of N(0, 1) and N(mu, 1) as likely, the best guess is right with Phi(mu/2)."""
    best = statistics.NormalDist().cdf(mu / 2)
    one = {"exposed": 1.0, "guesses": 1, "right": 1}
    assert refutes_mu(mu, best + 1e-6, **one)
    assert not refutes_mu(mu, best - 1e-6, **one)
