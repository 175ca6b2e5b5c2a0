"""Levels that neighbours attain, as the page of accountants compares them with the charge."""

import math

import pytest
from scipy.integrate import quad
from scipy.stats import norm

from benchmarks.accountants.savings import attained, composed_losses, corner_delta, mixture
from reference.privacy.guarantees import gaussian_dp_epsilon
from reference.privacy.mechanisms.smooth_sensitivity import dilation_delta


@pytest.mark.parametrize(("shift", "log_ratio", "epsilon"), [(0.5, 0.3, 0.4), (1.0, 0.05, 1.0)])
def test_the_delta_of_two_gaussians_is_the_integral_of_the_excess(shift, log_ratio, epsilon):
    narrow, wide = norm(0, 1), norm(shift, math.exp(log_ratio))

    def excess(x, first, second):
        return max(0.0, first.pdf(x) - math.exp(epsilon) * second.pdf(x))

    integrals = [
        quad(excess, -15, 15, args, limit=500, points=(-2, 0, 2))[0]
        for args in ((narrow, wide), (wide, narrow))
    ]
    found = corner_delta(shift, log_ratio, dimension=1, epsilon=epsilon)
    assert found == pytest.approx(max(integrals), rel=1e-6)


@pytest.mark.parametrize("dimension", [1, 7])
def test_without_a_shift_it_is_the_delta_of_two_scales(dimension):
    found = corner_delta(1e-9, 0.2, dimension=dimension, epsilon=0.5)
    assert found == pytest.approx(dilation_delta(0.2, dimension, 0.5), rel=1e-6)


def test_losses_of_a_gaussian_compose_to_those_of_a_gaussian():
    losses, law = composed_losses(mixture(1 - 1e-15, 0.3), mixture(0.5, 0.0), 16, 4.0)
    mean, deviation = 16 * 0.045, 4 * 0.3
    assert law @ losses == pytest.approx(mean, rel=1e-6)
    assert math.sqrt(law @ (losses - mean) ** 2) == pytest.approx(deviation, rel=1e-3)
    assert law[losses > mean].sum() == pytest.approx(0.5, abs=1e-3)


def test_a_record_in_every_sample_attains_gaussian_privacy():
    found = attained(1.0, 1 - 1e-12, 4, 1e-5, gaussian_dp_epsilon(2.0, 1e-5))
    assert found == pytest.approx(gaussian_dp_epsilon(2.0, 1e-5), rel=1e-3)
