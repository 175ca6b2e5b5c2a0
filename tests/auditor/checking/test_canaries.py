"""``measure_canaries``: as often wrong as promised, close to the truth, and plain refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import auditor
from auditor import CanaryMeasurement, InputError, measure_canaries
from auditor.checking.canaries import read_scores
from auditor.statistics.canaries import epsilon_lower, epsilon_p_value, mu_lower
from reference.privacy import GaussianDP

RUNS = 2_000
CONFIDENCE = 0.9
MOST_WRONG = int(stats.binom.isf(1e-5, RUNS, 1 - CONFIDENCE))
"""A bound that keeps its promise is above the truth more often with probability below 1e-5. Of the
fourteen counts of this file any fails so with probability below 1.5e-4; the seeds are fixed."""

Scores = Callable[[np.random.Generator, np.ndarray[Any, Any]], np.ndarray[Any, Any]]


def audited(rng: np.random.Generator, canaries: int, scores: Scores, **options: Any) -> Any:
    """Measure one run of a mechanism that makes scores of coins."""
    coins = rng.random(canaries) < 0.5
    found = scores(rng, coins)
    return measure_canaries(found[coins], found[~coins], **options)


def randomized_response(epsilon: float) -> Scores:
    """Tell each coin with probability e^epsilon / (1 + e^epsilon), else its opposite."""

    def scores(rng: np.random.Generator, coins: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.where(rng.random(coins.size) < 1 / (1 + math.exp(-epsilon)), coins, ~coins)

    return scores


def gaussian(mu: float) -> Scores:
    return lambda rng, coins: mu * coins + rng.normal(size=coins.size)


def worst(epsilon: float, delta: float, guesses: int, right: int) -> Scores:
    """Tell some coins by randomized response, as far as delta allows until ``right`` are right.

    Half of those told are said to be included and half not, so that (epsilon, delta) holds up to
    the small difference that a coin makes to how many canaries there are to choose from.
    """

    law = stats.binom(guesses, 1 / (1 + math.exp(-epsilon)))
    cumulative = law.cdf(np.arange(guesses + 1))
    tail, point = law.sf(right - 1), law.pmf(right)

    def scores(rng: np.random.Generator, coins: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        again = rng.random() < coins.size * delta * tail / (right * point)
        told = int(np.searchsorted(cumulative, 1 - rng.random() * (tail if again else 1)))
        high = rng.hypergeometric(told, guesses - told, guesses // 2)
        found = np.zeros(coins.size)
        inside, outside = (rng.permutation(np.flatnonzero(coins == side)) for side in (1, 0))
        low = told - high
        found[inside[:high]], found[inside[high : high + guesses // 2 - low]] = 1, -1
        found[outside[:low]], found[outside[low : low + guesses // 2 - high]] = -1, 1
        return found

    return scores


def wrong(
    scores: Scores, canaries: int, above: Callable[[CanaryMeasurement], bool], **options: Any
):
    """Return in how many runs a bound is above the truth."""
    rng = np.random.default_rng(1)
    options = {"confidence": CONFIDENCE, **options}
    return sum(above(audited(rng, canaries, scores, **options)) for _ in range(RUNS))


@pytest.mark.parametrize(
    ("scores", "options", "epsilon", "mu"),
    [
        (randomized_response(1.0), {}, 1.0, math.inf),
        (gaussian(0.0), {}, 0.0, 0.0),
        (gaussian(0.0), {"guesses": (20, 0)}, 0.0, 0.0),
        (gaussian(1.0), {"delta": 0.02}, GaussianDP(1.0).epsilon_at(0.02), 1.0),
        (lambda rng, coins: np.zeros(coins.size), {}, 0.0, 0.0),
    ],
    ids=["randomized response", "nothing", "nothing, one kind", "Gaussian", "all the same"],
)
def test_a_bound_is_above_the_truth_as_rarely_as_promised(
    scores: Scores, options: dict[str, Any], epsilon: float, mu: float
) -> None:
    assert wrong(scores, 100, lambda found: found.epsilon_lower > epsilon, **options) <= MOST_WRONG
    assert wrong(scores, 100, lambda found: found.mu_lower > mu, **options) <= MOST_WRONG


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_the_worst_mechanism_is_flagged_as_often_as_promised_and_no_less(delta: float) -> None:
    # 6.5% of the runs for delta = 0, and 13% with it
    share = epsilon_p_value(1.0, delta, exposed=1000, guesses=20, right=18) * (1 + 1e-6)
    options = {"delta": delta, "guesses": 20, "confidence": 1 - share}
    scores = worst(1.0, delta, 20, 18)
    found = wrong(scores, 1000, lambda found: found.epsilon_lower > 1.0, **options)
    law = stats.binom(RUNS, share)
    assert law.ppf(1e-5) <= found <= law.isf(1e-5), (found, RUNS * share)


@pytest.mark.parametrize(("epsilon", "share"), [(0.5, 0.85), (1.0, 0.9), (2.0, 0.93), (4.0, 0.9)])
def test_randomized_response_of_many_canaries_is_measured_closely(
    epsilon: float, share: float
) -> None:
    rng = np.random.default_rng(2)
    found = audited(rng, 10_000, randomized_response(epsilon), delta=1e-6)
    assert share * epsilon < found.epsilon_lower < epsilon
    assert found.epsilon_most > epsilon


def test_a_fixed_number_of_guesses_has_all_of_the_confidence() -> None:
    rng = np.random.default_rng(3)
    coins = rng.random(1000) < 0.5
    scores = coins + rng.normal(0, 0.5, 1000)
    one = measure_canaries(scores[coins], scores[~coins], guesses=250)
    tried = measure_canaries(scores[coins], scores[~coins])
    assert one.tried == ((125, 125),)
    assert tried.tried == ((500, 500), (250, 250), (125, 125), (63, 62), (31, 31))
    assert one.epsilon_lower > tried.epsilon_lower
    shared = measure_canaries(scores[coins], scores[~coins], guesses=250, confidence=0.998)
    assert shared.epsilon_lower == tried.epsilon_lower
    assert (tried.epsilon_guesses, tried.epsilon_right) == (one.tried[0], shared.epsilon_right)


def test_the_counts_are_those_of_the_scores() -> None:
    inside = np.array([5.0, 4.0, 3.0, -9.0] * 5)
    outside = np.array([-5.0, -4.0, 9.0] * 6)
    found = measure_canaries(inside, outside, guesses=(16, 12))
    # above: 6 of 9.0, wrong, and 10 of 5.0 and 4.0; below: 5 of -9.0, wrong, 6 of -5.0, 1 of -4.0
    assert (found.epsilon_right, found.mu_right) == (17, 17)
    assert (found.canaries, found.included) == (38, 20)
    assert found.epsilon_guesses == found.mu_guesses == (16, 12)


@pytest.mark.parametrize(
    ("guesses", "exposed"), [((60, 40), 1000), ((100, 0), 500), ((0, 100), 500)]
)
def test_guesses_of_one_kind_expose_half_of_the_canaries(
    guesses: tuple[int, int], exposed: int
) -> None:
    found = measure_canaries(np.arange(500) + 400, np.arange(500), guesses=guesses, delta=1e-4)
    counts = {"exposed": exposed, "guesses": 100, "right": found.epsilon_right}
    assert found.epsilon_right == 100
    assert found.epsilon_lower == pytest.approx(epsilon_lower(1e-4, 0.01, **counts), rel=1e-9)
    assert found.mu_lower == pytest.approx(mu_lower(0.01, **counts), rel=1e-9)


def test_the_order_of_equal_scores_tells_no_coin_and_the_answer_is_repeatable() -> None:
    found = [measure_canaries([1.0] * 500, [1.0] * 500, seed=seed) for seed in (0, 0, 1)]
    assert found[0] == found[1]
    assert found[0] != found[2]
    assert max(one.epsilon_lower for one in found) < 0.2


def test_the_scores_are_left_as_they_are() -> None:
    inside, outside = np.arange(50.0)[::-1].copy(), [float("-inf"), *map(float, range(39)), True]
    kept = inside.copy(), list(outside)
    found = measure_canaries(inside, outside)
    assert (inside == kept[0]).all()
    assert outside == kept[1]
    with pytest.raises(FrozenInstanceError):
        found.delta = 0.5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("inside", "outside", "options", "words"),
    [
        ([1.0], [math.nan], {}, r"scores_out\[0\] is NaN; give every canary a score"),
        ([[1.0]], [1.0], {}, "scores_in must be an array or list of at most 1000000 numbers, got"),
        (["1"], [1.0], {}, "scores_in must be an array or list of at most 1000000 numbers, got"),
        ([], [], {}, "the number of canaries must be a whole number from 1 to"),
        ([1.0] * 50, [], {}, "50 and 0 canaries; fair coins are so uneven with probability 2e-15"),
        ([1.0], [2.0], {"guesses": 3}, "guesses must be a whole number from 1 to 2, or two such"),
        (
            [1.0],
            [2.0],
            {"guesses": (2, 1)},
            "guesses, together, must be a whole number from 1 to 2",
        ),
        (
            [1.0],
            [2.0],
            {"guesses": (0, 0)},
            "guesses, together, must be a whole number from 1 to 2",
        ),
        ([1.0], [2.0], {"delta": 1.0}, r"delta must be .*\[0, 1\)"),
        ([1.0], [2.0], {"confidence": 0.4}, "confidence must be in"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    inside: list[Any], outside: list[Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words) as caught:
        measure_canaries(inside, outside, **options)
    assert "\n" not in str(caught.value)


def test_a_claim_is_judged_by_the_bounds() -> None:
    found = measure_canaries(np.arange(500.0) + 1000, np.arange(500.0), delta=1e-5)
    assert found.epsilon_lower == found.epsilon_most == pytest.approx(5.08, abs=0.01)
    assert found.judge(epsilon=5.0) == ("violated", "epsilon >= 5.076, claimed 5")
    assert found.judge(mu=1.0)[0] == "violated"
    status, reason = found.judge(epsilon=5.1)
    assert status == "inconclusive"
    assert "1000 canaries certify epsilon >= 5.076 if all guesses are right, claimed 5.1" in reason
    large = measure_canaries(np.arange(500.0) + 1000, np.arange(500.0), delta=0.01)
    assert large.epsilon_most == 0  # who is (0, delta)-private may tell all coins that often
    assert large.judge(epsilon=1.0)[1].endswith("take a delta well below 1 - confidence")
    nothing = measure_canaries(np.arange(500.0), np.arange(500.0))
    assert nothing.judge(epsilon=5.0) == ("holds", "nothing contradicts epsilon 5")
    for claims in ({}, {"epsilon": 1.0, "mu": 1.0}):
        with pytest.raises(InputError, match="give exactly one claim"):
            found.judge(**claims)
    with pytest.raises(InputError, match=r"mu must be in \(0, inf\), got 0"):
        found.judge(mu=0)


def test_the_summary_has_the_figures() -> None:
    found = measure_canaries(np.arange(50.0) + 50, np.arange(50.0), delta=1e-3, guesses=100)
    assert found.summary == (
        "epsilon >= 3.031 at delta 0.001 with confidence 0.99: 100 of 100 guesses are right; "
        "mu >= 1.327 with the same confidence: 100 of 100 (100 canaries, 50 of them included; "
        "numbers of guesses tried: 100)"
    )


# ------------------------------------------------------------------------------- from a file


def test_a_file_of_scores_is_read(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_bytes('\ufeffscore,name, included\r\n1.5,a,1\n\n-inf,"b,\nc",0\n 2e3 ,d,1 '.encode())
    inside, outside = read_scores(file)
    assert inside.tolist() == [1.5, 2000.0]
    assert outside.tolist() == [-math.inf]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: there is no such file"),
        ("", "must begin with a line that names its columns, included and score, once each"),
        ("included,scores\n1,2\n", "it begins with 'included,scores'"),
        ("score,score,included\n1,2,1\n", "once each; it begins with 'score,score,included'"),
        ("included,score\n1,2\nyes,3\n", "line 3: included must be 0 or 1, got 'yes'"),
        ("included,score\n1,2\n0\n", "line 3: score must be a number, got ''"),
        ("included,score\n1,two\n", "line 2: score must be a number, got 'two'"),
        ('included,score\n1,"2\n', "line 2, is no CSV: unexpected end of data"),
    ],
)
def test_a_file_that_is_none_is_refused_by_its_line(
    tmp_path: Path, text: str | None, words: str
) -> None:
    file = tmp_path / "scores.csv"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read_scores(file)
    assert str(file) in str(caught.value)


def test_the_names_are_public() -> None:
    assert {"measure_canaries", "CanaryMeasurement"} <= set(auditor.__all__)
