"""The mechanisms of chapter 2, side by side: their tests are the same."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from reference.basic.exponential import exponential_mechanism
from reference.basic.gaussian import constants_for, gaussian_mechanism
from reference.basic.laplace import laplace_mechanism
from reference.basic.randomized_response import randomized_response
from reference.privacy.guarantees import gaussian_dp_delta
from reference.privacy.ledger import Ledger

DATA = np.array([[0.5, -2.0], [0.25, 0.5], [3.0, 0.0]])
CLAIMS = {
    laplace_mechanism: {"epsilon": 1.0},
    gaussian_mechanism: {"epsilon": 1.0, "delta": 1e-2},
    exponential_mechanism: {"epsilon": 1.0},
}


def run(mechanism, data=DATA, **options):
    return mechanism(data, **{"bound": 1.0, "ledger": Ledger(0), **CLAIMS[mechanism], **options})


def test_laplace_noise_has_the_law_of_the_definition():
    """Kolmogorov and Smirnov on 4,000 draws, fixed seed; a false alarm has probability 1e-4."""
    noise = run(laplace_mechanism, np.zeros((1, 4000)), bound=1 / 8000, epsilon=2.0)
    assert stats.kstest(noise, stats.laplace(scale=0.5).cdf).pvalue > 1e-4


def test_the_gaussian_scale_is_on_the_exact_curve():
    for epsilon, delta in ((0.1, 1e-6), (1.0, 1e-2), (50.0, 1e-5)):
        chosen = constants_for(dimension=9, epsilon=epsilon, delta=delta, bound=0.5)
        assert chosen.sensitivity == 3.0
        exact = gaussian_dp_delta(chosen.sensitivity / chosen.noise_scale, epsilon)
        assert exact == pytest.approx(delta, rel=1e-9)


def test_selections_have_the_law_of_the_definition():
    """P(r) proportional to exp(epsilon u/4) at bound 1; chi-square, false alarm 1e-4."""
    data, ledger = np.array([[0.5, -1.0, 1.0], [1.0, 0.0, -0.5]]), Ledger(1)
    found = [run(exponential_mechanism, data, epsilon=3.0, ledger=ledger) for _ in range(3000)]
    weights = np.exp(3.0 * data.sum(axis=0) / 4)
    counts = np.bincount(found, minlength=3)
    assert stats.chisquare(counts, 3000 * weights / weights.sum()).pvalue > 1e-4


def test_a_reported_bit_is_true_with_the_definitions_probability():
    bits = np.tile([0.0, 1.0], 20_000)
    found = randomized_response(bits, epsilon=1.0, ledger=Ledger(0))
    assert found.reports.shape == (40_000,)
    assert set(np.unique(found.reports)) == {0, 1}
    truthful = int((found.reports == bits).sum())
    # false alarm 1e-4
    assert stats.binomtest(truthful, 40_000, math.e / (1 + math.e)).pvalue > 1e-4


def test_the_mean_is_unbiased_with_the_stated_variance():
    """500 runs of 200 users, 60 of whom have the bit; six standard errors."""
    bits, ledger = np.repeat([0.0, 1.0], [140, 60]), Ledger(2)
    means = [randomized_response(bits, epsilon=0.8, ledger=ledger).mean for _ in range(500)]
    variance = math.exp(0.8) / (math.exp(0.8) - 1) ** 2 / 200
    assert np.mean(means) == pytest.approx(0.3, abs=6 * math.sqrt(variance / 500))
    assert np.var(means) == pytest.approx(variance, rel=6 * math.sqrt(2 / 500))


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1.0, 27.0])
def test_the_mean_keeps_its_digits_at_every_epsilon(epsilon):
    """(mean of the reports - q)/(p - q), p and q = 1 - p the probabilities of a true and a lie."""
    found = randomized_response(np.ones(9), epsilon=epsilon, ledger=Ledger(1))
    with mpmath.workdps(40):
        truth = 1 / (1 + mpmath.exp(-epsilon))
        wanted = (mpmath.mpf(int(found.reports.sum())) / 9 - (1 - truth)) / (2 * truth - 1)
    assert found.mean == pytest.approx(float(wanted), rel=1e-14)
