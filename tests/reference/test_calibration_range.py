"""The whole documented range: every claim is calibrated, and certified at 60 digits."""

from __future__ import annotations

import itertools
import math
from functools import partial

import mpmath as mp
import pytest

from reference.convex.variance_reduction import gradient_constants_for
from reference.losses import Logistic
from reference.nonconvex.stochastic_trust_region import noise_per_sensitivity
from reference.privacy.accounting import Charge, Composition, Sampling
from reference.privacy.calibration import (
    MOST_SAMPLED_RELEASES,
    exponential_step_epsilon,
    smallest_gaussian_scale,
    smallest_laplace_scale,
    smallest_sampled_gaussian_scale,
)
from reference.privacy.mechanisms import Gaussian
from reference.sparse.peeling import noise_scale

EPSILONS = (1e-12, 1e-9, 1e-8, 1e-5, 1.0, 30.0, 1e3, 1e6)
DELTAS = (1e-100, 1e-13, 1e-7, 1e-3, 0.5, 1 - 1e-9)
RELEASES = (1, 1000, 10**6)
ACCURACY = 1 + 1e-9  # of the accounting

pytestmark = pytest.mark.filterwarnings("error")


def exact_delta(mu: float, epsilon: float, probability: float = 1.0) -> mp.mpf:
    """Return the delta of a Gaussian release, of a subsample if its probability is below 1."""
    with mp.workdps(60 + int(min(epsilon, 1e4))):
        inner = mp.log1p(mp.expm1(mp.mpf(epsilon)) / mp.mpf(probability))
        mu = mp.mpf(mu)
        tails = mp.ncdf(mu / 2 - inner / mu) - mp.exp(inner) * mp.ncdf(-mu / 2 - inner / mu)
        return mp.mpf(probability) * tails


@pytest.mark.parametrize("releases", RELEASES)
@pytest.mark.parametrize("method", ["gaussian-dp", "zcdp"])
def test_gaussian_scales(method: str, releases: int) -> None:
    # as many digits as epsilon are needed: not for 1e3 and 1e6
    for epsilon, delta in itertools.product(EPSILONS[:-2], DELTAS):
        scale = smallest_gaussian_scale(
            epsilon, delta, sensitivity=2.0, releases=releases, method=method
        )
        mu = 2 * math.sqrt(releases) / scale / ACCURACY
        assert exact_delta(mu, epsilon) <= delta


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1e-12, 1e-100), (1e-12, 1e-13), (1e-5, 1e-100), (1.0, 1e-15)]
)
def test_a_claim_that_the_distribution_cannot_resolve_has_the_exact_scale(epsilon, delta) -> None:
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=1.0, method="pld")
    assert exact_delta(1 / scale / ACCURACY, epsilon) <= delta
    assert scale <= 1.1 * smallest_gaussian_scale(epsilon, delta, sensitivity=1.0) * ACCURACY


def test_laplace_scales() -> None:
    for epsilon, delta in itertools.product(EPSILONS, (0.0, *DELTAS)):
        scale = smallest_laplace_scale(epsilon, delta, sensitivity=1.0)
        with mp.workdps(60):
            spent = 1 / mp.mpf(scale) / ACCURACY
            assert 1 - mp.exp((epsilon - spent) / 2) <= delta
    for epsilon, delta in ((1e-12, 1e-100), (1e-9, 1e-13), (1e6, 1e-100)):
        assert smallest_laplace_scale(epsilon, delta, sensitivity=1.0, releases=2) <= 2 / epsilon


@pytest.mark.parametrize("releases", RELEASES)
def test_exponential_steps_and_peeling(releases: int) -> None:
    for epsilon, delta in itertools.product(EPSILONS, DELTAS):
        for method in ("accountant", "zcdp"):
            step = exponential_step_epsilon(epsilon, delta, releases=releases, method=method)
            assert 0 < step < math.inf
        for method in ("paper", "accountant"):
            scale = noise_scale(epsilon, delta, sparsity=releases, sensitivity=1.0, method=method)
            assert 0 < scale < math.inf


@pytest.mark.parametrize(("population", "size"), [(2, 1), (10**6, 1000)])
@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1.0, 1e3])
def test_a_sampled_release_is_certified_by_its_exact_curve(population, size, epsilon) -> None:
    for delta in (1e-100, 1e-13):
        scale = smallest_sampled_gaussian_scale(
            epsilon, delta, population=population, size=size, sensitivity=1.0, method="renyi"
        )
        assert exact_delta(1 / scale / ACCURACY, epsilon, size / population) <= delta


@pytest.mark.parametrize("epsilon", [1e-12, 1e-9, 1e-8])
@pytest.mark.parametrize("releases", [1, 300])
def test_tiny_claims_of_sampled_gradients(epsilon: float, releases: int) -> None:
    """For noise beyond 1e8 sensitivities dp-accounting's bound took the logarithm of 0."""
    found = gradient_constants_for(
        Logistic(), n=1000, epsilon=epsilon, delta=1e-13, releases=releases
    )
    mu = math.sqrt(releases) * found.sensitivity / found.noise_scale / ACCURACY
    assert exact_delta(mu, epsilon) <= 1e-13  # without amplification already


def test_the_smallest_claim_of_the_trust_region() -> None:
    scale = noise_per_sensitivity(1e-9, 1e-12, n=20, batch_size=1, n_iterations=1)
    assert exact_delta(math.sqrt(2) / scale / ACCURACY, 1e-9) <= 1e-12


@pytest.mark.parametrize("multiplier", [1e3, 1e6, 1e8, 1e12])
@pytest.mark.parametrize("releases", [1, 10])
def test_the_account_of_huge_noise_is_a_bound_and_no_error(multiplier, releases) -> None:
    """One release by its exact curve; ten cost at least as much as one and at most the sum."""
    mechanism = Gaussian(multiplier)
    charge = Charge(mechanism.cost(1.0), Sampling(1000, 10, False, mechanism, 1.0, 0.0))
    rules = Composition([charge] * releases).rules()
    rule = rules["Renyi DP with sampling"]
    for epsilon in (0.0, 1e-9, 1.0):
        delta = rule.delta_at(epsilon)
        assert exact_delta(1 / multiplier, epsilon, 0.01) <= delta <= 1
        # the least at which the accountant certifies the epsilon
        assert rule.epsilon_at(delta) <= epsilon
        if delta > 1e-300:
            assert rule.epsilon_at(delta * (1 - 1e-6)) > epsilon
    assert all(rule.delta_at(1e-9) <= 1 for rule in rules.values())


def test_an_account_that_cannot_be_listed_is_refused() -> None:
    sample = {"population": 10, "size": 1, "sensitivity": 1.0}
    with pytest.raises(ValueError, match=r"^releases must be .* <= 10000000"):
        smallest_sampled_gaussian_scale(1.0, 1e-5, releases=MOST_SAMPLED_RELEASES + 1, **sample)


@pytest.mark.parametrize("size", [0, 10, -1, 1.5, True])
def test_a_sample_of_no_part_of_the_population_is_refused(size) -> None:
    calibrate = partial(smallest_sampled_gaussian_scale, 1.0, 1e-5, population=10, sensitivity=1.0)
    with pytest.raises((ValueError, TypeError), match=r"^size must be"):
        calibrate(size=size)
