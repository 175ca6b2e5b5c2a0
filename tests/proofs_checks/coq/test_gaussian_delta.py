"""The delta of the Gaussian theorem, an integral, is the one by which the code calibrates."""

from __future__ import annotations

import mpmath
import pytest

from reference.privacy.calibration import smallest_gaussian_scale


def gaussian_delta(mu: float, epsilon: float) -> mpmath.mpf:
    """Integrate max(phi(x - mu) - e^epsilon phi(x), 0), as ``GaussianDP.v`` defines it."""

    def gap(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.npdf(x, mu) - mpmath.exp(epsilon) * mpmath.npdf(x)

    start = mpmath.mpf(epsilon) / mu + mpmath.mpf(mu) / 2  # where the difference is 0
    assert abs(gap(start)) < mpmath.mpf(10) ** -25
    assert gap(start - 1) < 0 < gap(start + 1)
    return mpmath.quad(gap, [start + k for k in range(0, 40, 2)])


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.parametrize("releases", [1, 7])
def test_the_calibrated_scale_spends_delta_and_no_more(
    epsilon: float, delta: float, releases: int
) -> None:
    sensitivity = 0.3
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, releases=releases)
    with mpmath.workdps(30):
        mu = mpmath.sqrt(releases) * sensitivity / scale
        assert delta * (1 - 1e-6) < gaussian_delta(mu, epsilon) <= delta
        assert gaussian_delta(1.01 * mu, epsilon) > delta
