"""No certificate of a single release is below the truth, and calibrated noise stays in its claim.

Random points of everything that is accepted, against the same curves at 60 digits or more.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from mpmath import mp, mpf

from reference.privacy.calibration import smallest_gaussian_scale, smallest_laplace_scale
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    PureDP,
    RenyiDP,
    gaussian_dp_delta,
    gaussian_dp_deltas,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    laplace_delta,
    laplace_epsilon,
    largest_pure_epsilon,
    largest_zcdp_rho,
    smallest_epsilon,
    zcdp_delta,
)
from reference.privacy.mechanisms import dilation_delta
from reference.privacy.subsampling import (
    _inner_epsilon,
    _outer_epsilon,
    sampled_gaussian_delta,
    sampled_gaussian_epsilon,
)

SMALLEST = mpf(10) ** -100
"""Smaller deltas are not accepted."""
POINTS = 300
"""Points of every curve; ten times as many, with other seeds, showed nothing else."""

Truth = Callable[[float], mpf]


@pytest.fixture(autouse=True)
def _many_digits():
    with mp.workdps(150):
        yield


def random_epsilon(rng: np.random.Generator) -> float:
    return float(10 ** rng.uniform(-12, 2))


def random_delta(rng: np.random.Generator) -> float:
    if rng.random() < 0.5:
        return float(10 ** rng.uniform(-100, 0))
    return float(1 - 10 ** rng.uniform(-12, 0))


def gaussian_truth(mu: float) -> Truth:
    def delta(epsilon: float) -> mpf:
        # the two terms agree in as many digits as mu and epsilon are small, and more
        with mp.workdps(250):
            m, e = mpf(mu), mpf(epsilon)
            beyond, within = (mp.erfc((e / m + sign * m / 2) / mp.sqrt(2)) / 2 for sign in (-1, 1))
            return beyond - mp.exp(e) * within

    return delta


def pure_truth(own: float) -> Truth:
    def delta(epsilon: float) -> mpf:
        large, small = mp.exp(mpf(own)), mp.exp(mpf(epsilon))
        return max(mpf(0), (large - small) / (1 + large))

    return delta


def approximate_truth(own: float, failure: float) -> Truth:
    pure = pure_truth(own)
    return lambda epsilon: mpf(failure) + (1 - mpf(failure)) * pure(epsilon)


def laplace_truth(size: float) -> Truth:
    return lambda epsilon: max(mpf(0), -mp.expm1((mpf(epsilon) - mpf(size)) / 2))


def renyi_truth(alpha: float, divergence: float) -> Truth:
    a = mpf(alpha)

    def delta(epsilon: float) -> mpf:
        gap = mpf(divergence) - mpf(epsilon)
        return min(mpf(1), mp.exp((a - 1) * gap) / (a - 1) * (1 - 1 / a) ** a)

    return delta


def sampled_truth(mu: float, q: float) -> Truth:
    full = gaussian_truth(mu)
    return lambda epsilon: mpf(q) * full(mp.log1p(mp.expm1(mpf(epsilon)) / mpf(q)))


def check(
    truth: Truth,
    delta_at: Callable[[float], float],
    epsilon_at: Callable[[float], float],
    epsilon: float,
    delta: float,
    *,
    loose: float = 1e-9,
) -> None:
    """Assert that a curve and its inverse are never below the truth, the curve hardly above."""
    exact = truth(epsilon)
    if exact >= SMALLEST:
        assert exact <= delta_at(epsilon) <= min(1, exact * (1 + mpf(loose)))
    found = epsilon_at(delta)
    assert found == math.inf or truth(found) <= delta


def near_the_curve(rng: np.random.Generator, mu: float) -> float:
    """Return an epsilon at which delta is neither 0 nor 1, or any."""
    epsilon = mu * (rng.uniform(-10, 21) + mu / 2)
    return float(epsilon) if 1e-12 <= epsilon <= 1e6 else random_epsilon(rng)


def test_gaussian() -> None:
    rng = np.random.default_rng(0)
    for _ in range(POINTS):
        mu = float(10 ** rng.uniform(-12, 3))
        epsilon, delta = near_the_curve(rng, mu), random_delta(rng)
        truth = gaussian_truth(mu)
        check(
            truth,
            lambda e, mu=mu: gaussian_dp_delta(mu, e),
            lambda d, mu=mu: gaussian_dp_epsilon(mu, d),
            epsilon,
            delta,
        )
        if truth(epsilon) >= SMALLEST:
            assert gaussian_dp_deltas(mu, np.array([epsilon]))[0] >= truth(epsilon)


def test_calibrated_gaussian_noise_is_within_its_claim() -> None:
    rng = np.random.default_rng(1)
    for _ in range(POINTS):
        epsilon, delta = random_epsilon(rng), random_delta(rng)
        mu = gaussian_dp_mu.__wrapped__(epsilon, delta)
        exact = gaussian_truth(mu)(epsilon)
        assert delta * (1 - 1e-9) <= exact <= delta
        # as it is accounted for, after the rounding of the scale
        size = 0.7 / smallest_gaussian_scale(epsilon, delta, sensitivity=0.7)
        assert gaussian_dp_delta(size, epsilon) <= delta
        assert gaussian_dp_epsilon(size, delta) <= epsilon


def test_pure_and_approximate() -> None:
    rng = np.random.default_rng(2)
    for _ in range(POINTS):
        own, delta, failure = random_epsilon(rng), random_delta(rng), random_delta(rng)
        share = 1 - 10 ** rng.uniform(-12, 0)
        epsilon = random_epsilon(rng) if rng.random() < 0.5 else own * share
        pure, approximate = PureDP(own), ApproximateDP(own, failure)
        check(pure_truth(own), pure.delta_at, pure.epsilon_at, epsilon, delta)
        truth = approximate_truth(own, failure)
        check(truth, approximate.delta_at, approximate.epsilon_at, epsilon, delta)
        most = largest_pure_epsilon(own, delta)
        assert pure_truth(most)(own) <= delta
        assert PureDP(most).delta_at(own) <= delta
        assert PureDP(most).epsilon_at(delta) <= own


def test_laplace() -> None:
    rng = np.random.default_rng(3)
    for _ in range(POINTS):
        size, delta = random_epsilon(rng), random_delta(rng)
        epsilon = size * float(1 - 10 ** rng.uniform(-12, 0))
        check(
            laplace_truth(size),
            lambda e, size=size: laplace_delta(size, e),
            lambda d, size=size: laplace_epsilon(size, d),
            epsilon,
            delta,
        )
        spent = 1.7 / smallest_laplace_scale(epsilon, delta, sensitivity=1.7)
        assert laplace_delta(spent, epsilon) <= delta
        assert laplace_epsilon(spent, delta) <= epsilon


def test_renyi() -> None:
    rng = np.random.default_rng(4)
    for _ in range(POINTS):
        alpha, divergence = 1 + float(10 ** rng.uniform(-6, 3)), random_epsilon(rng)
        guarantee = RenyiDP(alpha, divergence)
        check(
            renyi_truth(alpha, divergence),
            guarantee.delta_at,
            guarantee.epsilon_at,
            random_epsilon(rng),
            random_delta(rng),
        )


def best_order(rho: float, epsilon: float) -> mpf:
    """Return the least bound on delta of rho-zCDP over all orders: a root of its slope."""
    r, e = mpf(rho), mpf(epsilon)
    low, high = mpf(-200), mpf(200)  # of log(order - 1)
    for _ in range(140):
        middle = (low + high) / 2
        x = mp.exp(middle)
        rising = (2 * x + 1) * r - e + mp.log(x / (1 + x)) > 0
        low, high = (low, middle) if rising else (middle, high)
    x = mp.exp(low)
    return min(mpf(1), mp.exp(x * ((1 + x) * r - e) + (1 + x) * mp.log(x / (1 + x))) / x)


def test_zcdp() -> None:
    rng = np.random.default_rng(5)
    for _ in range(POINTS // 3):
        epsilon, delta = random_epsilon(rng), random_delta(rng)
        rho = largest_zcdp_rho.__wrapped__(epsilon, delta)
        with mp.workdps(60):
            exact = best_order(rho, epsilon)
        assert exact <= zcdp_delta(rho, epsilon) <= delta
        assert zcdp_delta(rho, epsilon) <= exact * (1 + mpf("1e-9"))
        assert smallest_epsilon(ZCDP(rho).delta_at, delta) <= epsilon * (1 + 1e-13) + 1e-13


def test_sampled_gaussian() -> None:
    rng = np.random.default_rng(6)
    for _ in range(POINTS):
        mu = float(10 ** rng.uniform(-6, math.log10(50)))
        tiny = float(10 ** rng.uniform(-12, 0))
        q = tiny if rng.random() < 0.5 else 1 - tiny
        inner = mpf(mu * (rng.uniform(-mu / 2, 21) + mu / 2))
        epsilon = min(100.0, max(1e-12, float(mp.log1p(mpf(q) * mp.expm1(inner)))))
        check(
            sampled_truth(mu, q),
            lambda e, mu=mu, q=q: sampled_gaussian_delta(mu, q, e),
            lambda d, mu=mu, q=q: sampled_gaussian_epsilon(mu, q, d),
            epsilon,
            random_delta(rng),
        )
        odds = mp.expm1(mpf(epsilon))
        assert float(_inner_epsilon(q, epsilon) / mp.log1p(odds / mpf(q))) == pytest.approx(
            1, rel=1e-15
        )
        assert float(_outer_epsilon(q, epsilon) / mp.log1p(odds * mpf(q))) == pytest.approx(
            1, rel=1e-15
        )


def test_the_sampled_curve_does_not_cancel_near_no_sampling() -> None:
    # it said a fifth of this
    exact = sampled_truth(3.2e-7, 8.7e-11)(1e-17)
    found = sampled_gaussian_delta(3.2e-7, 8.7e-11, 1e-17)
    assert float(found / exact) == pytest.approx(1, rel=1e-11)


def dilation_truth(log_ratio: float, dimension: int, epsilon: float) -> mpf:
    t, e, shape = mpf(log_ratio), mpf(epsilon), mpf(dimension) / 2
    lost, narrowed = -mp.expm1(-2 * t), mp.exp(-2 * t)
    outside = (e + dimension * t) / lost  # half of the squared radius
    inside = max(mpf(0), (dimension * t - e) / lost)

    def beyond(x: mpf) -> mpf:
        return mp.gammainc(shape, x, mp.inf, regularized=True)

    wide = beyond(narrowed * outside) - mp.exp(e) * beyond(outside)
    narrow = 1 - beyond(inside) - mp.exp(e) * (1 - beyond(narrowed * inside))
    return max(wide, narrow)


def test_dilation() -> None:
    rng = np.random.default_rng(7)
    for _ in range(POINTS):
        dimension, log_ratio = int(10 ** rng.uniform(0, 2)), float(10 ** rng.uniform(-6, 0.3))
        deviation = log_ratio * math.sqrt(2 * dimension)
        epsilon = min(100.0, deviation * rng.uniform(0, 20))
        exact = dilation_truth(log_ratio, dimension, epsilon)
        if exact < SMALLEST:
            continue
        found = dilation_delta(log_ratio, dimension, epsilon)
        assert exact <= found <= min(1, exact * (1 + mpf("1e-12") * (1 + 1 / mpf(log_ratio)) * 100))
