"""Estimates from draws of the privacy-loss variable against closed forms. Seeds are fixed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from auditor.statistics.means import mean_lower, mean_upper
from auditor.transcript.estimates import (
    claimed_trade_off,
    delta_bounds,
    epsilon_estimate,
    epsilon_lower,
    excess,
    fit_gaussian,
    gaussian_tails,
    trade_off_curve,
)
from auditor.transcript.judgement import claim_points, largest_mu
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
    gaussian_dp_delta,
)


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 0.0), (1.0, 1.0), (2.0, 3.0)])
def test_delta_bounds_surround_the_exact_delta(mu: float, epsilon: float) -> None:
    losses = np.random.default_rng(0).normal(mu**2 / 2, mu, size=3000)
    exact = gaussian_dp_delta(mu, epsilon)
    lower, upper = delta_bounds(losses, epsilon, 1e-6)
    assert lower < exact < upper
    assert upper - lower < 0.6 * exact + 0.02
    values = excess(losses, epsilon)
    assert values.mean() == pytest.approx(exact, rel=0.25)
    # either bound has the error that is asked for
    assert (lower, upper) == (mean_lower(values, 1e-6), mean_upper(values, 1e-6))


def test_infinite_losses_count_in_full() -> None:
    losses = [math.inf, 1.0, -3.0, -math.inf]
    np.testing.assert_allclose(excess(losses, 0.0), [1.0, -math.expm1(-1.0), 0.0, 0.0])
    np.testing.assert_allclose(excess(losses, 1e6), [1.0, 0.0, 0.0, 0.0])


def test_epsilon_lower_inverts_the_test_of_delta() -> None:
    losses = np.random.default_rng(3).normal(0.5, 1.0, size=1000)
    found = epsilon_lower(losses, 0.01, 1e-4)
    assert delta_bounds(losses, found - 1e-6, 1e-4)[0] > 0.01 > delta_bounds(losses, found, 1e-4)[0]
    assert found < epsilon_estimate(losses, 0.01)
    assert excess(losses, epsilon_estimate(losses, 0.01)).mean() == pytest.approx(0.01, rel=1e-6)


def test_epsilon_lower_at_the_edges() -> None:
    losses = np.concatenate([np.zeros(900), np.full(100, math.inf)])
    assert epsilon_lower(losses, 0.01, 1e-4) == math.inf
    assert epsilon_lower(losses[:900], 0.01, 1e-4) == 0
    assert epsilon_lower([0.3, 0.7, -0.2], 0.0, 0.5) == 0.7
    assert epsilon_lower([-0.3], 0.0, 0.5) == 0
    # 100 infinite losses in 1000 do not certify that delta(any epsilon) > 0.1
    assert math.isfinite(epsilon_lower(losses, 0.1, 1e-4))


def test_epsilon_lower_rarely_exceeds_the_truth() -> None:
    # one bound for all epsilons at once: at alpha = 0.05, more than 40 of 300 has probability 4e-8
    exact = GaussianDP(1.0).epsilon_at(0.02)
    rng = np.random.default_rng(4)
    certified = [epsilon_lower(rng.normal(0.5, 1.0, size=300), 0.02, 0.05) for _ in range(300)]
    assert sum(found > exact for found in certified) <= stats.binom.isf(1e-7, 300, 0.05)
    assert np.median(certified) > exact / 2


def test_trade_off_curve_has_the_exact_one_in_its_band() -> None:
    mu = 1.0
    rng = np.random.default_rng(5)
    forward, backward = (rng.normal(mu**2 / 2, mu, size=2000) for _ in range(2))
    x = np.linspace(0, 1, 101)
    exact = ndtr(ndtri(1 - x) - mu)
    curve = trade_off_curve(forward, backward, 1e-6, x)
    assert (curve["lower"] <= exact + 1e-12).all()
    assert (exact <= curve["upper"] + 1e-12).all()
    assert (curve["lower"] <= curve["estimate"] + 1e-12).all()
    np.testing.assert_allclose(curve["estimate"], exact, atol=0.05)
    # at x = 1/2 the slope is -0.61, and the band sqrt(log(4e6)/4000) = 0.062 on either side
    assert curve["upper"][50] - curve["lower"][50] < 2 * 0.062 * 1.61 + 0.02


@pytest.mark.parametrize(
    ("runs", "reverse_runs", "alpha"),
    [(2000, 2000, 0.3), (2000, 2000, 1e-3), (500, 3000, 1e-3), (3000, 500, 0.3)],
)
def test_the_band_of_the_trade_off_curve_is_as_wide_as_both_samples_ask(
    runs: int, reverse_runs: int, alpha: float
) -> None:
    # all supports are disjoint, so the upper curve falls to the width of the band, at that width
    x = np.linspace(0, 0.25, 250_001)
    curve = trade_off_curve(
        np.full(runs, math.inf), np.full(reverse_runs, math.inf), alpha, type_1=x
    )
    np.testing.assert_array_equal(curve["estimate"], 0.0)
    width = float(curve["upper"].min())
    assert curve["upper"][x < width - 1e-5] == pytest.approx(1 - x[x < width - 1e-5])
    # either empirical distribution function leaves its band with the exact probability of
    # Kolmogorov's statistic; both together at alpha, and not much more rarely for equal sizes
    outside = sum(float(stats.kstwo.sf(width, size)) for size in (runs, reverse_runs))
    assert outside <= alpha
    if runs == reverse_runs:
        assert outside > 0.8 * alpha


def test_claimed_trade_off() -> None:
    x = np.linspace(0, 1, 21)
    pure = claimed_trade_off(PureDP(1.0), x, [1.0])
    np.testing.assert_allclose(
        pure, np.maximum.reduce([0 * x, 1 - math.e * x, (1 - x) / math.e]), atol=1e-12
    )
    curve = claimed_trade_off(GaussianDP(1.0), x, np.linspace(0, 4, 400))
    np.testing.assert_allclose(curve, ndtr(ndtri(1 - x) - 1.0), atol=2e-3)


@pytest.mark.parametrize("mu", [0.05, 1.0, 4.0, 30.0, 1e6])
def test_gaussian_fit_finds_mu(mu: float) -> None:
    assert fit_gaussian(np.zeros(10), 0.01).upper == 0
    losses = np.random.default_rng(6).normal(mu**2 / 2, mu, size=1000)
    fit = fit_gaussian(losses, 1e-7)
    assert fit.lower < mu < fit.upper
    assert fit.lower < fit.mu < fit.upper
    assert fit.upper - fit.lower < 0.35 * min(mu, 1.4)
    assert gaussian_tails(losses, fit.lower)[0] == pytest.approx(1e-7, rel=1e-3)
    assert gaussian_tails(losses, fit.upper)[1] == pytest.approx(1e-7, rel=1e-3)


def test_gaussian_tails_by_hand() -> None:
    # one loss l of N(m^2/2, m^2): the tail of its square
    for m, loss in ((0.5, 0.8), (2.0, -3.0), (4.0, 11.0)):
        ends = (np.array([abs(loss), -abs(loss)]) - m**2 / 2) / m
        upper = float(stats.norm.sf(ends[0]) + stats.norm.cdf(ends[1]))
        assert gaussian_tails([loss], m) == pytest.approx((upper, 1 - upper))
    # beyond mu = 5, of the mean of 50, which is normal
    for deviate in (-2.0, 0.5, 3.0):
        losses = np.full(50, 8**2 / 2 + deviate * 8 / math.sqrt(50))
        exact = stats.norm.sf(deviate), stats.norm.cdf(deviate)
        assert gaussian_tails(losses, 8.0) == pytest.approx(exact)


@pytest.mark.parametrize(
    ("claim", "exact"),
    [
        (ApproximateDP(1.0, 1e-3), None),
        (GaussianDP(0.7), 0.7),
        # the Renyi divergence of N(0, 1) from N(mu, 1) of order alpha is alpha mu^2/2
        (ZCDP(0.32), 0.8),
        (RenyiDP(4.0, 1.28), 0.8),
    ],
)
def test_a_claim_is_tested_where_its_largest_gaussian_meets_it(
    claim: Guarantee, exact: float | None
) -> None:
    mu = largest_mu(claim)
    assert mu is not None
    points = claim_points(claim)
    for epsilon, delta in points:
        assert delta == pytest.approx(claim.delta_at(epsilon))
        assert gaussian_dp_delta(mu, epsilon) <= delta * (1 + 1e-9)
    if exact is None:
        assert gaussian_dp_delta(mu, points[0][0]) == pytest.approx(points[0][1])
    else:
        assert mu == pytest.approx(exact)
    assert largest_mu(PureDP(1.0)) is None
    assert claim_points(PureDP(1.0)) == [(1.0, 0.0)]
