"""False alarms: the Monte Carlo test has probability below 1e-5, the rest is exact."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from reference.errata.sparse.peeling import printed_noise_scale
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger
from reference.privacy.accounting import Charge, Composition
from reference.privacy.guarantees import ZCDP, PureDP, laplace_rho, zcdp_epsilon, zcdp_rho
from reference.privacy.mechanisms import Laplace, NoisyMax, laplace_argmax_log_probability
from reference.sparse.peeling import (
    ENTRY,
    Constants,
    constants_for,
    noise_scale,
    noisy_hard_thresholding,
)

PRIVACY = {"sensitivity": 0.5, "epsilon": 1.0, "delta": 1e-5}


def plain_hard_thresholding(vector, sparsity):
    kept = np.zeros(len(vector))
    top = np.argsort(-np.abs(vector))[:sparsity]
    kept[top] = vector[top]
    return kept


# ------------------------------------------------------------------ the selection's law


@pytest.mark.parametrize("gap", [0.0, 1e-6, 0.3, 1.0, 7.0, 55.0, 130.0, 600.0])
def test_argmax_of_two_against_the_closed_form(gap):
    # the difference of two standard Laplace variables has survival (1/2)(1 + x/2) exp(-x)
    loses = math.log(0.5 * (1 + gap / 2)) - gap
    wins = math.log1p(-math.exp(loses))
    scores = np.array([3.0 + gap, 3.0])
    assert laplace_argmax_log_probability(scores, 1) == pytest.approx(loses, rel=1e-12, abs=1e-12)
    assert laplace_argmax_log_probability(scores, 0) == pytest.approx(wins, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("d", [2, 3, 10, 60])
def test_argmax_probabilities_sum_to_one(d):
    scores = np.random.default_rng(d).normal(0, 3, d)
    total = sum(math.exp(laplace_argmax_log_probability(scores, j)) for j in range(d))
    assert total == pytest.approx(1.0, abs=1e-12)


def test_argmax_against_monte_carlo():
    rng = np.random.default_rng(1)
    scores, runs = np.array([0.0, 1.5, 1.0, -2.0, 1.5]), 200_000
    winners = np.argmax(scores + rng.laplace(size=(runs, scores.size)), axis=1)
    for j in range(scores.size):
        p = math.exp(laplace_argmax_log_probability(scores, j))
        z = ((winners == j).mean() - p) / math.sqrt(p * (1 - p) / runs)
        assert abs(z) < norm.isf(5e-7)  # five two-sided tests: 5e-6


def test_a_round_is_twice_the_sensitivity_over_the_scale_and_no_less():
    # card: |v| = (2, ..., 2) against (3, 1, ..., 1), 2 lambda/b = 0.6
    losses = []
    for d in (2, 10, 100):
        before, after = np.full(d, 2.0), np.array([3.0] + [1.0] * (d - 1))
        losses.append(
            laplace_argmax_log_probability(0.3 * after, 0)
            - laplace_argmax_log_probability(0.3 * before, 0)
        )
    assert losses == pytest.approx([0.252, 0.588, 0.600], abs=5e-4)
    assert NoisyMax(1 / 0.3).cost(1.0).pure == pytest.approx(0.6)


# ------------------------------------------------------------------ the noise


def test_printed_scale_by_hand():
    # s = 3, log(1/delta) = 4, epsilon = 2: 2 * 0.5 * sqrt(36) / 2
    found = printed_noise_scale(2.0, math.exp(-4), sparsity=3, sensitivity=0.5)
    assert found == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "s", "same"),
    [
        (1.0, 1e-5, 50, True),  # epsilon <= 0.418 log(1/delta) = 4.8
        (4.8, 1e-5, 50, True),
        (4.9, 1e-5, 50, False),
        (60.0, 1e-5, 15, True),  # s <= (4/3) log(1/delta) = 15.4
        (60.0, 1e-5, 16, False),
        (60.0, 0.1, 12, False),
    ],
)
def test_the_paper_s_scale_is_kept_where_it_is_certified(epsilon, delta, s, same):
    scales = [
        scale(epsilon, delta, sparsity=s, sensitivity=1.0)
        for scale in (printed_noise_scale, noise_scale)
    ]
    assert (scales[0] == scales[1]) is same
    assert scales[1] >= scales[0]


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0, 60.0, 1000.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-2, 0.9])
@pytest.mark.parametrize("s", [1, 7, 300])
def test_the_default_scale_is_certified_everywhere(epsilon, delta, s):
    b = noise_scale(epsilon, delta, sparsity=s, sensitivity=1.0)
    by_zcdp = zcdp_epsilon(2.5 * s / b**2, delta)
    assert min(by_zcdp, 3 * s / b) <= epsilon * (1 + 1e-9)


def test_at_small_epsilon_the_scale_is_up_to_a_tenth_too_large():
    # the docstring: by zCDP sqrt(24/5)/2 = 1.0954 of what is needed, whatever s and delta
    b = noise_scale(1e-3, 1e-5, sparsity=20, sensitivity=1.0)
    needed = math.sqrt(2.5 * 20 / zcdp_rho(1e-3, 1e-5))
    assert b / needed == pytest.approx(math.sqrt(24 / 5) / 2, rel=1e-4)


def certified(scale, s, delta):
    costs = [NoisyMax(scale).cost(1.0), Laplace(scale).cost(1.0)] * s
    return Composition([Charge(cost) for cost in costs]).epsilon(delta).epsilon


@pytest.mark.parametrize(
    ("s", "epsilon", "spent", "ratio"),
    [
        (1, 0.5, 0.26, 0.26),
        (1, 4.0, 0.26, 0.26),
        (5, 0.5, 0.55, 0.57),
        (5, 4.0, 0.57, 0.57),
        (20, 0.5, 0.63, 0.73),
        (20, 1.0, 0.66, 0.77),
        (20, 4.0, 0.75, 0.88),
    ],
)
def test_how_loose_the_paper_s_scale_is(s, epsilon, spent, ratio):
    """The figures of the docstring; the accountant's scale meets the claim and is smaller."""
    paper = noise_scale(epsilon, 1e-5, sparsity=s, sensitivity=1.0)
    assert certified(paper, s, 1e-5) / epsilon == pytest.approx(spent, abs=0.006)
    chosen = constants_for(
        sparsity=s, sensitivity=2.0, epsilon=epsilon, delta=1e-5, method="accountant"
    )
    smaller = chosen.noise_scale / 2.0
    assert smaller / paper == pytest.approx(ratio, abs=0.006)
    assert certified(smaller, s, 1e-5) <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 5.0, 1000.0])
@pytest.mark.parametrize("delta", [1e-9, 0.9])
@pytest.mark.parametrize("s", [1, 7, 300])
def test_the_accountants_scale_is_certified_and_never_larger(epsilon, delta, s):
    chosen = {"sparsity": s, "sensitivity": 1.0, "method": "accountant"}
    b = noise_scale(epsilon, delta, **chosen)
    assert b <= noise_scale(epsilon, delta, sparsity=s, sensitivity=1.0)
    by_zcdp = ZCDP(2.5 * s / b**2).epsilon_at(delta)
    by_pure_dp = PureDP(3 * s / b).epsilon_at(delta)
    assert min(by_zcdp, by_pure_dp) == pytest.approx(epsilon, rel=1e-9)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="method must be 'paper' or 'accountant', got 'magic'"):
        noise_scale(1.0, 1e-5, sparsity=1, sensitivity=1.0, method="magic")


# ------------------------------------------------------------------ the algorithm


@pytest.mark.parametrize(("d", "s"), [(1, 1), (5, 2), (40, 39), (7, 7)])
def test_without_noise_it_is_hard_thresholding(d, s):
    vector = np.random.default_rng(d).normal(size=d)
    found = noisy_hard_thresholding(vector, sparsity=s, ledger=NoiselessLedger(), **PRIVACY)
    assert np.array_equal(found.vector, plain_hard_thresholding(vector, s))
    assert np.array_equal(found.values, vector[found.support])
    assert np.all(np.diff(np.abs(found.values)) <= 0)  # largest first


def test_given_draws_by_hand():
    # b = 1: |v| + w = (2.5, 4) then (3, -); values 2 + 0.5 and -1 + 0.25
    draws = [[0.5, 3.0], [1.0, 9.0], 0.25, 0.5]
    found = noisy_hard_thresholding(
        [2.0, -1.0], sparsity=2, constants=Constants(1.0), ledger=GivenDrawsLedger(draws), **PRIVACY
    )
    assert found.support.tolist() == [1, 0]
    assert found.values == pytest.approx([-0.75, 2.5])
    assert found.vector == pytest.approx([2.5, -0.75])


def test_the_releases_are_s_selections_and_s_values():
    ledger = RecordingLedger(3)
    found = noisy_hard_thresholding(np.arange(6.0), sparsity=3, ledger=ledger, **PRIVACY)
    releases = ledger.transcript.releases
    b = noise_scale(1.0, 1e-5, sparsity=3, sensitivity=0.5)
    support = found.support.tolist()
    assert [r.mechanism for r in releases] == [
        NoisyMax(b, ()),
        NoisyMax(b, tuple(support[:1])),
        NoisyMax(b, tuple(support[:2])),
        *[Laplace(b)] * 3,
    ]
    assert {r.claim.sensitivity for r in releases} == {0.5}
    # what the calibration takes for the values, size^2/2, is a little more than they cost
    rho = sum(r.mechanism.cost(r.claim.sensitivity).rho for r in releases)
    assert rho == pytest.approx(3 * (2 * 0.25 / b**2 + laplace_rho(0.5 / b)))
    assert 0.99 * 2.5 * 3 * 0.25 / b**2 < rho < 2.5 * 3 * 0.25 / b**2


def test_no_coordinate_is_selected_twice_however_noisy():
    for seed in range(50):
        found = noisy_hard_thresholding(np.zeros(5), sparsity=5, ledger=Ledger(seed), **PRIVACY)
        assert sorted(found.support) == [0, 1, 2, 3, 4]


def test_scaling_the_statistic_scales_the_result():
    vector = np.random.default_rng(0).normal(size=9)
    first, second = (
        noisy_hard_thresholding(
            factor * vector, sparsity=4, sensitivity=0.5 * factor, epsilon=1.0, delta=1e-5,
            ledger=Ledger(4),
        )
        for factor in (1.0, 8.0)
    )  # fmt: skip
    assert np.array_equal(first.support, second.support)
    assert second.vector == pytest.approx(8 * first.vector, rel=1e-14)


def test_permuting_the_coordinates_permutes_the_result():
    rng = np.random.default_rng(5)
    vector, order = rng.normal(size=12), rng.permutation(12)
    first, second = (
        noisy_hard_thresholding(v, sparsity=4, ledger=NoiselessLedger(), **PRIVACY).vector
        for v in (vector, vector[order])
    )
    assert np.array_equal(second, first[order])


def test_the_input_is_not_changed():
    vector = np.array([3.0, -4.0])
    noisy_hard_thresholding(vector, sparsity=1, ledger=Ledger(0), **PRIVACY)
    assert vector.tolist() == [3.0, -4.0]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"vector": []}, ValueError, "vector must not be empty"),
        ({"vector": [[1.0]]}, ValueError, "vector must have 1 dimension"),
        ({"vector": [1.0, math.nan]}, ValueError, "vector must be finite"),
        ({"vector": ["a"]}, TypeError, "vector must be an array of real numbers"),
        ({"sparsity": 0}, ValueError, "sparsity must be an integer >= 1, got 0"),
        ({"sparsity": 4}, ValueError, "sparsity must be an integer >= 1 and <= 3, got 4"),
        ({"sparsity": 1.5}, TypeError, "sparsity must be an integer"),
        ({"sensitivity": 0.0}, ValueError, "sensitivity must be a finite number > 0"),
        ({"epsilon": -1.0}, ValueError, "epsilon must be a finite number > 0"),
        ({"delta": 1.0}, ValueError, r"delta must be in \(0, 1\)"),
        ({"constants": 1.0}, TypeError, "constants must be a reference.sparse.peeling.Constants"),
        ({"ledger": 7}, TypeError, "ledger must be a Ledger"),
    ],
)
def test_bad_input_is_refused_before_any_release(change, error, message):
    ledger = Ledger(0)
    arguments = {"vector": [1.0, 2.0, 3.0], "sparsity": 1, "ledger": ledger, **PRIVACY, **change}
    with pytest.raises(error, match=message):
        noisy_hard_thresholding(**arguments)
    assert len(ledger.transcript) == 0


def test_the_entry_names_both_sources():
    assert [source.paper for source in ENTRY.sources] == ["002", "003"]
