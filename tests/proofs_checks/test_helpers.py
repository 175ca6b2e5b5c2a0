"""Helpers of the checks, against simulations, libraries and by hand.

Fixed seeds; a simulation agrees within 5.5 standard errors (error probability below 4e-8 each).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_checks.balls import ball
from proofs_checks.em import missing as em_missing
from proofs_checks.em import regressions as em_regressions
from proofs_checks.paper_002 import populations, section_3_1
from proofs_checks.paper_002.section_3_1_batches import sign_test_delta
from proofs_checks.paper_004 import section_3_2_3, section_3_2_6_trimmed_mean
from proofs_checks.paper_004.section_4_1_2 import maximum_moments
from proofs_checks.paper_004.section_4_1_4 import response_delta
from proofs_checks.paper_004.section_5_1 import exact_tail
from reference.em.models import GaussianMixture, MixtureOfRegressions
from reference.errata.em.models import PrintedMissingCovariates, PrintedMixture, PrintedRegressions
from reference.privacy.guarantees import laplace_delta


def within(sample: Any, expected: Any) -> bool:
    """Return whether a mean agrees, in every coordinate."""
    error = sample.std(axis=0) / math.sqrt(len(sample))
    return bool((np.abs(sample.mean(axis=0) - expected) <= 5.5 * error).all())


def test_the_tail_of_a_sum_of_laplace_variables() -> None:
    assert float(exact_tail(1, 3)) == pytest.approx(math.exp(-3))
    sums = np.abs(np.random.default_rng(0).laplace(size=(200_000, 7)).sum(axis=1))
    assert within(sums >= 5, float(exact_tail(7, 5)))


def test_the_loss_of_a_released_value() -> None:
    z = np.random.default_rng(1).laplace(size=400_000)
    losses = np.abs(z + 1.7) - np.abs(z)
    mean, variance = (float(moment.mid()) for moment in section_3_1._value_loss_moments(ball(1.7)))
    assert within(losses, mean)
    assert within((losses - mean) ** 2, variance)


def test_the_sign_test_of_laplace_values() -> None:
    # one release at epsilon = 0: the sign of the distance to the midpoint is the best test
    assert sign_test_delta(0.7, 1, 0.0) == pytest.approx(laplace_delta(0.7, 0.0))
    p = 1 - math.exp(-0.5) / 2
    both, either = p**2 - math.exp(0.5) * (1 - p) ** 2, 2 * p - p**2 - math.exp(0.5) * (1 - p**2)
    assert sign_test_delta(1.0, 2, 0.5) == pytest.approx(max(both, either, 0))


def test_randomised_responses() -> None:
    # one response of log-odds a: delta = (1 - e^(epsilon - a)) e^a/(1 + e^a)
    expected = -math.expm1(0.3 - 1) * math.e / (1 + math.e)
    assert response_delta(0.3, 1, 1.0) == pytest.approx(expected)
    assert response_delta(5.0, 4, 1.0) == 0


@pytest.mark.parametrize("printed", [False, True])
def test_the_population_maps_are_those_of_the_models(printed: bool) -> None:
    rng, n, factor = np.random.default_rng(1), 200_000, 0.5 if printed else 1.0
    truth, beta = np.array([1.2, 0.0]), np.array([0.8, 0.5])
    mixture = PrintedMixture(1.0) if printed else GaussianMixture(1.0)
    gradients = mixture.gradients(mixture.sample(truth, n, rng), beta)
    assert within(gradients, populations.mixture_map(beta, truth, factor) - beta)
    assert not within(gradients, populations.mixture_map(beta, truth, 1.5 - factor) - beta)
    regressions = PrintedRegressions(1.0) if printed else MixtureOfRegressions(1.0)
    gradients = regressions.gradients(regressions.sample(truth, n, rng), beta)
    assert within(gradients, populations.regression_map(beta, truth, factor) - beta)
    assert not within(gradients, populations.regression_map(beta, truth, 1.5 - factor) - beta)


@pytest.mark.parametrize("j", [0, 1, 2])
def test_the_laws_of_gradients_are_those_of_the_models(j: int) -> None:
    rng, truth, beta = np.random.default_rng(1), np.array([0.6, 0.3, 0]), np.array([0.4, 0.5, 0.2])
    law, model = em_regressions.regression_law(beta, truth), MixtureOfRegressions(1.0)
    gradient = model.gradients(model.sample(truth, 200_000, rng), beta)[:, j]
    mean = law.population_map()[j] - beta[j]
    assert within(gradient, mean)
    assert within(gradient**2, law.second_moment(j))
    assert within(np.exp(0.05 * (gradient - mean)), math.exp(law.log_mgf(j, 0.05)))
    missing = PrintedMissingCovariates(0.8, 0.3)
    gradient = missing.gradients(missing.sample(truth, 200_000, rng), beta)[:, j]
    mean = populations.missing_gradient(beta, beta, truth, 0.8, 0.3)[j]
    assert within(gradient, mean)
    value = em_missing.log_mgf(beta, truth, 0.8, 0.3, j, 0.1)
    assert within(np.exp(0.1 * (gradient - mean)), math.exp(value))


@pytest.mark.parametrize("u", [0.15, -0.15])
def test_gaussians_of_different_scales(u: float) -> None:
    d, shift, epsilon = 6, 0.7, 0.2
    x = np.random.default_rng(0).standard_normal((400_000, d))
    moved = x - shift * np.eye(d)[0]
    loss = ((moved**2).sum(axis=1) * math.exp(-2 * u) - (x**2).sum(axis=1)) / 2 + d * u
    share = np.maximum(1 - np.exp(epsilon - loss), 0)
    assert within(share, section_3_2_3._scaled_gaussian_delta(d, epsilon, shift, u))


def test_the_noise_of_the_trimmed_mean() -> None:
    divergence = section_3_2_6_trimmed_mean.arsinh_normal_divergence
    assert divergence(2.0, 0.0, 0.0, 4001) == pytest.approx(0, abs=1e-12)
    # alpha c^2/2 times the Fisher information of the location, E((y + tanh y)/cosh y)^2
    y = np.random.default_rng(2).standard_normal(400_000)
    information = divergence(2.0, 0.02, 0.0, 4001) / 0.02**2
    assert within(((y + np.tanh(y)) / np.cosh(y)) ** 2, information)


def test_trimmed_extremes_by_hand() -> None:
    # n = 3, m = 1: the median; |mean| <= 1/3 allows (-1, 1, 1), mean 0 allows (-1, 1/2, 1/2)
    extreme = section_3_2_6_trimmed_mean._trimmed_extreme
    assert extreme(3, 1, Fraction(1, 3)) == 1
    assert extreme(3, 1, Fraction(0)) == Fraction(1, 2)
    assert extreme(3, 0, Fraction(1, 4)) == Fraction(1, 4)


def test_the_largest_of_normal_variables() -> None:
    first, second = maximum_moments(1)
    assert (first, second) == pytest.approx((math.sqrt(2 / math.pi), 1.0), rel=1e-6)
    largest = np.abs(np.random.default_rng(3).standard_normal((50_000, 10))).max(axis=1)
    assert within(largest, maximum_moments(10)[0])
