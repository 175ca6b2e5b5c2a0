"""Every randomiser: law, density, distance, cost at the exact worst pair, and extremes.

Statistical tests use fixed seeds; each states its false-alarm probability.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from numpy.typing import NDArray
from scipy import stats
from scipy.integrate import quad

from reference.privacy.guarantees import gaussian_dp_delta, laplace_rho
from reference.privacy.mechanisms import (
    Cost,
    Gaussian,
    Laplace,
    Mechanism,
    SmoothSensitivity,
    SymmetricGaussian,
    SymmetricLaplace,
    Wishart,
    dilation_delta,
    smooth_gaussian_delta,
)

Array = NDArray[np.float64]
SYMMETRIC = np.array([[1.0, 0.5, -1.0], [0.5, 2.0, 0.0], [-1.0, 0.0, 3.0]])
ADDITIVE: list[tuple[Mechanism, Array]] = [
    (Gaussian(0.7), np.array([1.0, -2.0, 3.0])),
    (Laplace(0.7), np.array([1.0, -2.0, 3.0])),
    (SymmetricGaussian(0.7), SYMMETRIC),
    (SymmetricGaussian(0.7, diagonal_variance=2.0), SYMMETRIC),
    (SymmetricLaplace(0.7), SYMMETRIC),
    (SmoothSensitivity(0.4, 0.1, 2.0, 0.5), np.array([1.0, -2.0, 3.0])),
    (
        SmoothSensitivity(0.4, 0.1, 2.0, math.inf, "gaussian", 1.0, 3),
        np.array([1.0, -2.0, 3.0]),
    ),
]


def loss(mechanism: Mechanism, output: object, value: Array, other: Array, axes: int = 0) -> float:
    """Largest loss over the units."""
    mine = mechanism.log_density(output, value, axes)
    return float(np.max(mine - mechanism.log_density(output, other, axes)))


# ----------------------------------------------------------------------------------------- additive


@pytest.mark.parametrize(("mechanism", "value"), ADDITIVE, ids=lambda x: type(x).__name__)
def test_residuals_have_the_declared_law(mechanism: Mechanism, value: Array) -> None:
    # Kolmogorov-Smirnov at a false-alarm probability of 1e-6
    rng = np.random.default_rng(1)
    stacked = np.broadcast_to(value, (700, *value.shape)).copy()
    output = mechanism.output(stacked, mechanism.draw(stacked, rng))
    residual = mechanism.residual(output, stacked)
    assert residual is not None
    law = mechanism.residual_law()
    assert law is not None
    assert stats.kstest(residual.ravel(), law).pvalue > 1e-6
    assert output.shape == stacked.shape


@pytest.mark.parametrize(("mechanism", "value"), ADDITIVE, ids=lambda x: type(x).__name__)
def test_output_of_given_draws_noiseless_and_rescaled(mechanism: Mechanism, value: Array) -> None:
    draw = mechanism.draw(value, np.random.default_rng(2))
    output = mechanism.output(value, draw)
    np.testing.assert_allclose(mechanism.residual(output, value), draw, rtol=1e-12)
    np.testing.assert_array_equal(mechanism.noiseless(value), value)
    assert mechanism.noiseless(value) is not value
    tripled = mechanism.rescaled(3.0).output(value, draw)
    np.testing.assert_allclose(tripled - value, 3 * (output - value), rtol=1e-12)
    np.testing.assert_array_equal(mechanism.output(value, 0 * draw), value)


@pytest.mark.parametrize(
    "mechanism",
    [
        Gaussian(0.7),
        Laplace(0.7),
        SmoothSensitivity(0.4, 0.1, 2.0, 0.5),
        SmoothSensitivity(0.4, 0.1, 2.0, 0.5, "gaussian"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_scalar_density_is_proportional_to_the_histogram(mechanism: Mechanism) -> None:
    value = np.array([0.3])
    grid = np.linspace(-40, 40, 160_001)[:, None]
    density = np.exp([float(mechanism.log_density(x, value, 0)) for x in grid[::40]])
    mass = np.trapezoid(density, grid[::40, 0])
    below = np.trapezoid(density[grid[::40, 0] <= 1.0], grid[::40, 0][grid[::40, 0] <= 1.0]) / mass
    rng = np.random.default_rng(3)
    many = np.full((40_000, 1), 0.3)
    seen = np.mean(mechanism.output(many, mechanism.draw(many, rng)) <= 1.0)
    # six standard errors (2e-9) plus the grid's 0.002
    assert abs(seen - below) < 6 * math.sqrt(0.25 / 40_000) + 0.002


def test_gaussian_worst_pair_attains_the_exact_curve() -> None:
    mechanism, mu, epsilon = Gaussian(2.0), 1.5, 0.8
    assert mechanism.cost(3.0) == Cost(rho=mu**2 / 2, gaussian=mu)
    value, other = np.array([3.0, 0.0]), np.array([0.0, 0.0])

    def excess(x: float) -> float:
        gap = loss(mechanism, np.array([x, 1.3]), value, other)
        return float(stats.norm.pdf(x, 3, 2)) * max(0.0, -math.expm1(epsilon - gap))

    assert quad(excess, -20, 30, limit=200)[0] == pytest.approx(
        gaussian_dp_delta(mu, epsilon), rel=1e-6
    )


def test_laplace_loss_is_epsilon_and_never_more() -> None:
    mechanism = Laplace(2.0)
    value, other = np.array([1.0, -0.5]), np.array([0.0, 0.0])
    assert mechanism.cost(1.5) == Cost(pure=0.75, rho=laplace_rho(0.75), laplace=0.75)
    assert loss(mechanism, np.array([5.0, -3.0]), value, other) == pytest.approx(0.75)
    outputs = np.random.default_rng(4).normal(scale=3, size=(500, 2))
    assert max(loss(mechanism, x, value, other) for x in outputs) <= 0.75 + 1e-12


def test_distances_of_the_additive_mechanisms() -> None:
    value, other = np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 4.0], [0.0, 0.0]])
    assert float(Gaussian(1.0).distance(value, other, 0)) == pytest.approx(math.sqrt(26))
    np.testing.assert_allclose(Gaussian(1.0).distance(value, other, 1), [5.0, 1.0])
    np.testing.assert_allclose(Gaussian(1.0).distance(value, other, 2), [[3, 4], [0, 1]])
    np.testing.assert_allclose(Laplace(1.0).distance(value, other, 1), [7.0, 1.0])
    difference = np.array([[2.0, 3.0], [3.0, 5.0]])
    zero = np.zeros((2, 2))
    # the upper triangle 2, 3, 5 once each
    assert SymmetricGaussian(1.0).distance(difference, zero, 0) == pytest.approx(math.sqrt(38))
    # diagonal entries have twice the variance: Frobenius norm over sqrt 2
    assert SymmetricGaussian(1.0, 2.0).distance(difference, zero, 0) == pytest.approx(
        np.linalg.norm(difference) / math.sqrt(2)
    )
    assert SymmetricLaplace(1.0).distance(difference, zero, 0) == pytest.approx(10.0)


def test_units_of_a_value_are_separate() -> None:
    rng = np.random.default_rng(5)
    value = rng.normal(size=(4, 3))
    for mechanism in (Gaussian(0.5), Laplace(0.5)):
        output = mechanism.output(value, mechanism.draw(value, rng))
        whole = mechanism.log_density(output, value, 0)
        rows = mechanism.log_density(output, value, 1)
        cells = mechanism.log_density(output, value, 2)
        assert rows.shape == (4,)
        assert cells.shape == (4, 3)
        np.testing.assert_allclose(rows, cells.sum(axis=1))
        assert float(whole) == pytest.approx(float(rows.sum()))
    flat = rng.normal(size=4)
    assert Gaussian(1.0).distance(flat, flat + 1, 1).shape == (4,)


def test_symmetric_noise_is_symmetric_with_the_declared_variances() -> None:
    mechanism = SymmetricGaussian(1.0, diagonal_variance=2.0)
    value = np.zeros((4000, 3, 3))
    output = mechanism.output(value, mechanism.draw(value, np.random.default_rng(6)))
    np.testing.assert_array_equal(output, np.swapaxes(output, 1, 2))
    # chi-square with 4000 degrees of freedom: 6 standard errors are 0.134 relative (2e-9)
    variance = output.var(axis=0)
    np.testing.assert_allclose(variance, np.ones((3, 3)) + np.eye(3), rtol=0.14)


@pytest.mark.parametrize(
    ("mechanism", "law", "on_the_diagonal"),
    [
        (Gaussian(0.7), stats.norm, 1.0),
        (Laplace(0.7), stats.laplace, 1.0),
        (SymmetricGaussian(0.7), stats.norm, 1.0),
        (SymmetricGaussian(0.7, diagonal_variance=2.0), stats.norm, math.sqrt(2)),
        (SymmetricLaplace(0.7), stats.laplace, 1.0),
    ],
)
def test_losses_of_additive_noise_are_those_of_scipy(
    mechanism: Mechanism, law: stats.rv_continuous, on_the_diagonal: float
) -> None:
    rng = np.random.default_rng(0)
    output, value, other = (part + part.T for part in rng.standard_normal((3, 4, 4)))
    loss = mechanism.log_density(output, value, 0) - mechanism.log_density(output, other, 0)
    scales = 0.7 * np.where(np.eye(4), on_the_diagonal, 1.0)
    terms = law.logpdf(output, value, scales) - law.logpdf(output, other, scales)
    symmetric = isinstance(mechanism, SymmetricGaussian | SymmetricLaplace)
    assert loss == pytest.approx((np.triu(terms) if symmetric else terms).sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("mechanism", "laws"),
    [
        (SymmetricGaussian(0.3, 4.0), (stats.norm(scale=0.6), stats.norm(scale=0.3))),
        (SymmetricLaplace(0.3), (stats.laplace(scale=0.3), stats.laplace(scale=0.3))),
    ],
)
def test_the_density_of_a_symmetric_matrix_is_that_of_its_upper_triangle(
    mechanism: SymmetricGaussian | SymmetricLaplace, laws: tuple[Any, Any]
) -> None:
    diagonal, off = laws
    output = np.array([[[0.2, 0.5], [0.5, -0.4]]])
    one, other = np.zeros((1, 2, 2)), np.array([[[0.1, -0.2], [-0.2, 0.3]]])

    def exact(value: NDArray[np.float64]) -> float:
        moved = (output - value)[0]
        return float(
            diagonal.logpdf(moved[0, 0]) + diagonal.logpdf(moved[1, 1]) + off.logpdf(moved[0, 1])
        )

    loss = mechanism.log_density(output, one, 1) - mechanism.log_density(output, other, 1)
    assert loss.item() == pytest.approx(exact(one) - exact(other))


@pytest.mark.parametrize("size", [1e-6, 0.03, 0.5, 1.0, 4.0, 30.0])
def test_laplace_is_zcdp_at_the_divergence_of_order_one(size: float) -> None:
    rho = laplace_rho(size)
    with mp.workdps(60):
        x = mp.mpf(size)
        for excess in np.geomspace(1e-6, 1e4, 60):
            t = mp.mpf(float(excess))
            moment = (1 + t) * mp.exp(t * x) + t * mp.exp(-(1 + t) * x)
            divergence = mp.log(moment / (1 + 2 * t)) / t
            assert divergence / (1 + t) <= rho
        # attained as the order falls to 1
        t = mp.mpf("1e-15")
        moment = (1 + t) * mp.exp(t * x) + t * mp.exp(-(1 + t) * x)
        assert mp.log(moment / (1 + 2 * t)) / t / (1 + t) >= rho * (1 - 1e-12)
    assert Laplace(1.0).cost(size).rho == SymmetricLaplace(1.0).cost(size).rho == rho


# ------------------------------------------------------------------------------------------ Wishart


def test_wishart_draws_have_mean_and_determinant_of_the_law() -> None:
    d, degrees, scale, runs = 3, 6.5, 0.4, 6000
    mechanism = Wishart(degrees, scale, d)
    value = np.zeros((runs, d, d))
    output = mechanism.output(value, mechanism.draw(value, np.random.default_rng(7)))
    # E W = k s I, entries with standard deviation at most s sqrt(2 k); six standard errors
    error = 6 * scale * math.sqrt(2 * degrees / runs)
    np.testing.assert_allclose(output.mean(axis=0), degrees * scale * np.eye(d), atol=error)
    # the determinant over s^d is a product of independent chi-squares of k, k-1, k-2 degrees
    log_det = np.linalg.slogdet(output / scale)[1]
    rng = np.random.default_rng(8)
    other = sum(np.log(rng.chisquare(degrees - i, size=runs)) for i in range(d))
    assert stats.ks_2samp(log_det, other).pvalue > 1e-6


def test_wishart_density_up_to_a_constant() -> None:
    mechanism = Wishart(6.5, 0.4, 3)
    value = np.diag([1.0, 2.0, 3.0])
    rng = np.random.default_rng(9)
    law = stats.wishart(df=6.5, scale=0.4 * np.eye(3))
    outputs = [value + law.rvs(random_state=rng) for _ in range(5)]
    constants = [float(mechanism.log_density(x, value, 0)) - law.logpdf(x - value) for x in outputs]
    np.testing.assert_allclose(constants, constants[0], rtol=1e-10)


def test_wishart_supports_differ_with_the_probability_of_the_cost() -> None:
    d, scale, runs = 3, 0.5, 20_000
    mechanism = Wishart(d + 1, scale, d)
    epsilon, delta = mechanism.cost(0.6).approximate or (math.nan, math.nan)
    assert epsilon == 0.0
    assert delta == pytest.approx(1 - math.exp(-0.6))
    value, other = np.zeros((d, d)), 0.6 * np.eye(d)[:1].T @ np.eye(d)[:1]
    stacked = np.broadcast_to(value, (runs, d, d))
    output = mechanism.output(stacked, mechanism.draw(stacked, np.random.default_rng(10)))
    density = mechanism.log_density(output, np.broadcast_to(other, (runs, d, d)), 1)
    impossible = np.isneginf(density)
    # six binomial standard errors (2e-9)
    assert abs(impossible.mean() - delta) < 6 * math.sqrt(0.25 / runs)
    mine = mechanism.log_density(output, stacked, 1)
    gap = mine[~impossible] - density[~impossible]
    # on the common support the ratio is a constant, here below one
    np.testing.assert_allclose(gap, -0.6 / (2 * scale), rtol=1e-9)


def test_wishart_of_fewer_degrees_has_no_cost_and_its_distance_is_spectral() -> None:
    assert Wishart(3.9, 1.0, 3).cost(0.1) == Cost()
    assert Wishart(5.0, 1.0, 3).cost(0.1) == Cost(wishart=(5.0, 0.1, 3))
    assert Wishart(4.0, 1.0, 3).distance(np.diag([1.0, -3.0]), np.zeros((2, 2)), 0) == 3.0
    assert Wishart(4.0, 2.0, 3).rescaled(0.5) == Wishart(4.0, 1.0, 3)


# ------------------------------------------------------------------------------- smooth sensitivity


def test_smooth_distance_is_the_larger_of_both_claims() -> None:
    first = SmoothSensitivity(1.0, 0.1, 2.0, 0.5)
    value = np.array([1.0])
    assert first.smooth_distance(value, first, value + 0.7) == pytest.approx(0.7)
    grown = SmoothSensitivity(math.exp(0.05), 0.1, 2.0, 0.5)
    assert first.smooth_distance(value, grown, value) == pytest.approx(0.5)
    assert first.smooth_distance(value, grown, value + 0.7) == pytest.approx(0.7)
    jumped = SmoothSensitivity(2.0, 0.1, 2.0, 0.5)
    assert first.smooth_distance(value, jumped, value) == pytest.approx(math.log(2) / 0.1)
    # the scale is data-dependent, hence not a public parameter
    assert first.public_parameters() == jumped.public_parameters()
    assert first.scale == 0.5
    assert first.cost(1.0) == Cost(rho=0.5)
    assert first.rescaled(0.5).cost(1.0) == Cost(rho=2.0)
    with pytest.raises(NotImplementedError, match="smooth_distance"):
        first.distance(value, value, 0)


def hockey_stick(shift: float, log_ratio: float, dimension: int, epsilon: float) -> float:
    """Exact delta(epsilon) of N(0, I) against N(shift e_1, e^{2 log_ratio} I), the worse way round.

    The likelihood ratio is monotone in the distance from a point c on the line of the means.
    """
    wide, gap = math.exp(2 * log_ratio), -math.expm1(-2 * log_ratio)
    c = -shift / (gap * wide)

    def squared_radius(threshold: float) -> float:
        constant = shift**2 / (2 * gap * wide**2) + shift**2 / (2 * wide) + dimension * log_ratio
        return max(0.0, 2 / gap * (constant - threshold))

    def narrow_mass(square: float) -> float:
        return float(stats.ncx2(dimension, c**2).cdf(square))

    def wide_mass(square: float) -> float:
        return float(stats.ncx2(dimension, (shift - c) ** 2 / wide).cdf(square / wide))

    ball, hole = squared_radius(epsilon), squared_radius(-epsilon)
    return max(
        narrow_mass(ball) - math.exp(epsilon) * wide_mass(ball),
        1 - wide_mass(hole) - math.exp(epsilon) * (1 - narrow_mass(hole)),
    )


def test_the_reference_hockey_stick_is_an_integral() -> None:
    for shift, log_ratio, epsilon in [(0.8, 0.3, 0.5), (0.1, 0.4, 0.2), (1.5, 0.05, 1.0)]:
        first, second = stats.norm(), stats.norm(shift, math.exp(log_ratio))
        x = np.linspace(-40, 40, 400_001)
        p, q = first.pdf(x), second.pdf(x)
        both = [np.maximum(a - math.exp(epsilon) * b, 0).sum() * 2e-4 for a, b in ((p, q), (q, p))]
        assert hockey_stick(shift, log_ratio, 1, epsilon) == pytest.approx(max(both), abs=1e-8)


@pytest.mark.parametrize("dimension", [1, 3, 20])
def test_dilation_delta_is_exact_and_grows(dimension: int) -> None:
    for log_ratio, epsilon in [(0.2, 0.1), (0.4, 1.0), (0.05, 0.3)]:
        exact = hockey_stick(1e-9, log_ratio, dimension, epsilon)
        assert dilation_delta(log_ratio, dimension, epsilon) == pytest.approx(exact, abs=1e-9)
    grown = [dilation_delta(t, dimension, 0.2) for t in np.linspace(1e-3, 2, 200)]
    assert np.all(np.diff(grown) >= 0)
    assert 0 <= grown[0] < 1e-6
    assert grown[-1] > 0.3


@pytest.mark.parametrize("dimension", [1, 2, 10])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_smooth_gaussian_delta_bounds_every_smaller_change(dimension: int, epsilon: float) -> None:
    for shift, log_ratio in [(0.3 * epsilon, 0.05 * epsilon), (0.1, 0.3), (1.0, 0.01)]:
        bound = smooth_gaussian_delta(shift, log_ratio, dimension=dimension, epsilon=epsilon)
        for s, t in product(
            np.linspace(1e-9, shift, 5), np.linspace(1e-3 * log_ratio, log_ratio, 5)
        ):
            assert hockey_stick(s, t, dimension, epsilon) <= bound * (1 + 1e-9) + 1e-9
    # tight where only one of the two changes
    slide = smooth_gaussian_delta(1.0, 1e-9, dimension=1, epsilon=1.0)
    assert slide == pytest.approx(gaussian_dp_delta(1.0, 0.95))
    dilation = smooth_gaussian_delta(1e-9, 0.5, dimension=2, epsilon=0.5)
    assert dilation == pytest.approx(math.exp(0.025) * dilation_delta(0.5, 2, 0.475))


def test_gaussian_noise_of_a_smooth_bound_costs_a_delta_at_one_epsilon() -> None:
    mechanism = SmoothSensitivity(3.0, 0.1, 0.2, math.inf, "gaussian", 1.0, 2)
    whole = smooth_gaussian_delta(0.2, 0.1, dimension=2, epsilon=1.0)
    assert mechanism.cost(1.0) == Cost(approximate=(1.0, whole))
    half = smooth_gaussian_delta(0.1, 0.05, dimension=2, epsilon=1.0)
    assert mechanism.cost(0.5) == Cost(approximate=(1.0, half))
    assert half < whole < mechanism.rescaled(0.5).cost(1.0).approximate[1]  # type: ignore[index]
    louder = SmoothSensitivity(9.0, 0.1, 0.2, math.inf, "gaussian", 1.0, 2)
    assert louder.public_parameters() == mechanism.public_parameters()
    other = SmoothSensitivity(3.0, 0.1, 0.2, math.inf, "gaussian", 2.0, 2)
    assert other.public_parameters() != mechanism.public_parameters()


def test_smooth_density_of_a_huge_output_is_finite() -> None:
    mechanism = SmoothSensitivity(1e-3, 0.1, 2.0, 0.5)
    assert math.isfinite(float(mechanism.log_density(np.array([1e300]), np.array([0.0]), 0)))
