"""Peeling: its selections, its noise and results by hand. Nothing is left to chance."""

import math

import numpy as np
import pytest

from reference.errata.sparse.peeling import printed_noise_scale
from reference.privacy import GivenDrawsLedger, Ledger, RecordingLedger
from reference.privacy.accounting import Charge, Composition
from reference.privacy.guarantees import ZCDP, PureDP, laplace_rho, zcdp_epsilon, zcdp_rho
from reference.privacy.mechanisms import Laplace, NoisyMax, laplace_argmax_log_probability
from reference.sparse.peeling import (
    Constants,
    constants_for,
    noise_scale,
    noisy_hard_thresholding,
)

PRIVACY = {"sensitivity": 0.5, "epsilon": 1.0, "delta": 1e-5}


# ------------------------------------------------------------------ the selection's law


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


def test_given_draws_by_hand():
    # b = 1: |v| + w = (2.5, 4) then (3, -); values 2 + 0.5 and -1 + 0.25
    draws = [[0.5, 3.0], [1.0, 9.0], 0.25, 0.5]
    found = noisy_hard_thresholding(
        [2.0, -1.0], sparsity=2, constants=Constants(1.0), ledger=GivenDrawsLedger(draws), **PRIVACY
    )
    assert found.support.tolist() == [1, 0]
    assert found.values == pytest.approx([-0.75, 2.5])
    assert found.vector == pytest.approx([2.5, -0.75])


def test_a_run_costs_little_less_than_the_calibration_takes_for_it():
    # what it takes for a value, size^2/2, is a little more than a Laplace draw costs
    ledger = RecordingLedger(3)
    noisy_hard_thresholding(np.arange(6.0), sparsity=3, ledger=ledger, **PRIVACY)
    b = noise_scale(1.0, 1e-5, sparsity=3, sensitivity=0.5)
    rho = sum(r.mechanism.cost(r.claim.sensitivity).rho for r in ledger.transcript.releases)
    assert rho == pytest.approx(3 * (2 * 0.25 / b**2 + laplace_rho(0.5 / b)))
    assert 0.99 * 2.5 * 3 * 0.25 / b**2 < rho < 2.5 * 3 * 0.25 / b**2


def test_no_coordinate_is_selected_twice_however_noisy():
    for seed in range(50):
        found = noisy_hard_thresholding(np.zeros(5), sparsity=5, ledger=Ledger(seed), **PRIVACY)
        assert sorted(found.support) == [0, 1, 2, 3, 4]


def test_no_more_coordinates_than_there_are(refusal):
    assert "sparsity must be an integer >= 1 and <= 6, got 7" in refusal("zhang-1", {"sparsity": 7})
