"""Gradient EM on disjoint blocks (wang-2); see also test_private_algorithms."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from reference.em.models import GaussianMixture
from reference.em.split_gradient_em import constants_for, split_gradient_em
from reference.errata.em.split_gradient_em import printed, printed_mean
from reference.heavy_tailed.truncation import truncated_mean
from reference.privacy import NoiselessLedger

MODEL = GaussianMixture(1.0)
DATA = MODEL.sample(np.array([1.0, 0.5]), 62, np.random.default_rng(0))
CLAIM: dict[str, Any] = {
    "epsilon": 0.9,
    "delta": 1e-5,
    "second_moment": 2.0,
    "failure_probability": 0.05,
}


def quiet(function: Any = split_gradient_em, data: Any = DATA, **changes: Any) -> np.ndarray:
    arguments: dict[str, Any] = {
        "initial": [0.8, 0.1],
        "step_size": 1.0,
        "n_iterations": 3,
        "ledger": NoiselessLedger(),
    }
    return function(data, MODEL, **CLAIM, **{**arguments, **changes})


def test_constants_against_the_card() -> None:
    # form 1 of sigma^2 at (n, T, d, zeta, epsilon, delta, tau) = (1e4, 10, 10, .05, 1, 1e-5, 1)
    setting = {**CLAIM, "epsilon": 1.0, "second_moment": 1.0, "n_iterations": 10}
    found = constants_for(n=10_000, dimension=10, method="zcdp", **setting)
    log_term, root_rho = math.log(200), math.sqrt(math.log(1e5) + 1) - math.sqrt(math.log(1e5))
    assert found.truncation_scale == pytest.approx(math.sqrt(1000 * root_rho) / (2 * log_term))
    assert found.precision == pytest.approx(math.sqrt(log_term))
    assert found.noise_scale**2 == pytest.approx(0.001097, rel=1e-3)
    s = found.truncation_scale
    assert found.sensitivity == pytest.approx(4 * math.sqrt(20) / 3 * s / 1000)
    # the smallest noise: delta(1) of N(0, 1) against N(mu, 1) is 1e-5
    exact = constants_for(n=10_000, dimension=10, **setting)
    mu = exact.sensitivity / exact.noise_scale
    delta = stats.norm.cdf(mu / 2 - 1 / mu) - math.e * stats.norm.cdf(-mu / 2 - 1 / mu)
    assert delta == pytest.approx(1e-5, rel=1e-6)
    assert found.noise_scale / exact.noise_scale == pytest.approx(1.3136, rel=1e-4)
    assert exact.truncation_scale == s


class TestPrinted:
    def test_mean_is_the_closed_form_of_moderate_values(self) -> None:
        values = np.random.default_rng(1).standard_normal((50, 2))
        found = printed_mean(values, 3.0, 2.0, correction_factor=3.0 / 50)
        expected = truncated_mean(values, scale=3.0, precision=2.0)
        np.testing.assert_allclose(found, expected, rtol=1e-10)

    def test_agrees_with_one_block_of_moderate_records(self) -> None:
        np.testing.assert_allclose(quiet(printed, n_iterations=1), quiet(n_iterations=1), 1e-10)

    def test_leaves_a_cubic_behind_with_two_blocks(self) -> None:
        data = DATA[:2].copy()
        data[0] = (50.0, 50.0)
        assert np.abs(quiet(printed, data, n_iterations=2)).max() > 1e3
        assert np.abs(quiet(data=data, n_iterations=2)).max() < 10

    def test_is_unbounded_in_doubles_even_with_one_block(self) -> None:
        # erratum wang-phi/E2
        # the rounding error of the cubes is 0 at some magnitudes, so try a few
        largest = 0.0
        for size in (1e8, 1.3e8, 1.7e8, 2.2e8, 3e8):
            data = DATA.copy()
            data[0] = (size, size)
            largest = max(largest, float(np.abs(quiet(printed, data, n_iterations=1)).max()))
            assert np.abs(quiet(data=data, n_iterations=1)).max() < 10
        assert largest > 1e3
