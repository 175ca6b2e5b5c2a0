"""The privacy curve of Wishart noise: against other formulas, sampled losses, and all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf
from numpy.typing import NDArray
from scipy import stats
from scipy.integrate import quad
from scipy.special import roots_genlaguerre, roots_hermitenorm, roots_laguerre

from reference.matrices.wishart_covariance_perturbation_approximate import constants_for
from reference.privacy.accounting import Charge, Composition
from reference.privacy.calibration import smallest_wishart_degrees
from reference.privacy.ledger import Ledger
from reference.privacy.mechanisms import Cost, Wishart, wishart_delta
from reference.privacy.mechanisms.wishart import (
    _coming_delta,
    _leaving_delta,
    _rounding,
    _turning_delta,
)

Array = NDArray[np.float64]
POINTS = [(2, 1.0, 0.5), (5, 1.0, 0.5), (5.5, 2.0, 0.1), (20, 1.0, 0.5), (300, 1.0, 0.1)]
"""K = degrees - d, sensitivity/scale, epsilon."""


def integrated(first: float, second: float, excess: float, epsilon: float) -> float:
    """Return the integral of (p - e^epsilon p')_+ of chi-squares that start at two points."""
    law = stats.chi2(excess + 1)

    def positive(x: float) -> float:
        return max(0.0, law.pdf(x - first) - math.exp(epsilon) * law.pdf(x - second))

    size = max(first, second)
    cuts = [size, law.mean() / 2, law.mean(), 1.5 * law.mean()]
    top = law.isf(1e-16) + size
    return float(quad(positive, 0, top, points=cuts, limit=400, epsabs=1e-12)[0])


@pytest.mark.parametrize(("excess", "size", "epsilon"), [*POINTS, (3, 4.0, 0.2), (3, 0.5, 2.0)])
def test_one_coordinate_is_a_pair_of_chi_squares(
    excess: float, size: float, epsilon: float
) -> None:
    leaving, coming = integrated(0, size, excess, epsilon), integrated(size, 0, excess, epsilon)
    # abs: the integrand has a kink
    assert _leaving_delta(excess, size, epsilon) == pytest.approx(leaving, abs=1e-8)
    assert _coming_delta(excess, size, epsilon) == pytest.approx(coming, abs=1e-8)
    worse = wishart_delta(excess + 1, size, dimension=1, epsilon=epsilon)
    assert worse == pytest.approx(max(leaving, coming), abs=1e-8)


@pytest.mark.parametrize(
    ("excess", "size", "epsilon"), [*POINTS, (10, 1.0, 3.0), (10, 1.0, 10.0), (12, 0.1, 0.05)]
)
def test_two_coordinates_by_another_formula(excess: float, size: float, epsilon: float) -> None:
    """Given a and g, R < k is a bound on the chi-square q: no function of the code is used."""
    rate = 2 * epsilon / (excess - 1)
    of_a, of_q = stats.chi2(excess + 2), stats.chi2(excess + 1)
    ends = np.log([of_a.ppf(1e-12), of_a.isf(1e-14)])
    a = np.exp(np.arange(*ends, 0.2 * math.sqrt(2 / excess)))[:, None]
    masses = (of_a.pdf(a) * a).ravel()
    shift, root = size / (2 * np.sqrt(a)), 2 * size * np.sqrt(a)
    g = np.arange(-9, 9, 2e-3)
    towards = of_q.cdf(root * np.maximum(g + shift, 0) / (-math.expm1(-rate) * a))
    away = of_q.cdf(root * np.maximum(g - shift, 0) / (math.expm1(rate) * a))
    inner = (towards - math.exp(epsilon) * away) @ stats.norm.pdf(g) * 2e-3
    exact = float(masses @ inner / masses.sum())
    assert _turning_delta(excess, size, epsilon) == pytest.approx(exact, rel=1e-7)


@pytest.mark.parametrize(("excess", "size", "epsilon"), [(14.4, 5.26, 30.1), (30.0, 12.0, 20.0)])
def test_a_large_epsilon_takes_no_digits(excess: float, size: float, epsilon: float) -> None:
    """delta = P(L > epsilon + X), X ~ Exp(1): nothing is subtracted, or multiplied by e^epsilon."""
    a, a_mass = roots_genlaguerre(60, excess / 2)
    q, q_mass = roots_genlaguerre(60, (excess - 1) / 2)
    x, x_mass = roots_laguerre(40)
    near = -np.expm1(-2 * (epsilon + x[:, None, None]) / (excess - 1))
    root = np.sqrt(2 * a)[:, None]
    tails = stats.norm.sf((near * root**2 * 2 * q - size**2) / (2 * size * root))
    mean = np.einsum("ijk,i,j,k->", tails, x_mass, a_mass, q_mass) / a_mass.sum() / q_mass.sum()
    assert _turning_delta(excess, size, epsilon) == pytest.approx(float(mean), rel=1e-6)


def loss_of(shift: Array, runs: int, excess: float, seed: int) -> Array:
    """Draw ln p(X)/p'(X) where X = W ~ W_3 and p' belongs to W + shift."""
    law = Wishart(excess + 3, 1.0, 3)
    zero = np.zeros((runs, 3, 3))
    x = law.output(zero, law.draw(zero, np.random.default_rng(seed)))
    return law.log_density(x, zero, 1) - law.log_density(x, np.broadcast_to(shift, x.shape), 1)


@pytest.mark.parametrize(
    ("shift", "attains"),
    [
        (np.diag([1.0, 0, 0]), _leaving_delta),
        (np.diag([1.0, -1.0, 0]), _turning_delta),
        (np.diag([0, 0.6, -0.9]), None),
        (np.outer([0.6, 0.8, 0], [0.6, 0.8, 0]) - np.diag([0, 0, 0.7]), None),
    ],
)
def test_sampled_losses_in_space_cost_what_the_curve_says(shift, attains) -> None:
    excess, epsilon, runs = 5.5, 0.4, 40_000
    gain = -np.expm1(np.minimum(0.0, epsilon - loss_of(shift, runs, excess, 1)))
    # means of numbers in [0, 1]: six standard errors, a false alarm with probability 2e-9
    error = 6 * gain.std() / math.sqrt(runs)
    if attains is not None:
        assert gain.mean() == pytest.approx(attains(excess, 1.0, epsilon), abs=error)
    assert gain.mean() <= wishart_delta(8.5, 1.0, dimension=3, epsilon=epsilon) + error


def delta_of_eigenvalues(up: float, down: float, excess: float, epsilon: float) -> float:
    """Return delta of Y against Y - A, A = diag(up, -down), Y ~ W_2(K + 2, I).

    With Bartlett's a, g and q det(Y + A)/det Y is u + c/q with u = 1 + up/a and c = up g^2/a -
    down u, so that given a and g its events are bounds on the chi-square q. The other side's event
    is one of det(Y - A)/det Y.
    """
    a, a_mass = roots_genlaguerre(60, excess / 2)
    g, g_mass = roots_hermitenorm(60)
    law = stats.chi2(excess + 1)
    level = math.exp(-2 * (epsilon - (up - down) / 2) / (excess - 1))

    def below(u: Array, c: Array, level: float) -> Array:
        """P(u + c/q < level)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = c / (level - u)
        return np.where(
            u < level, np.where(c > 0, law.sf(cut), 1.0), np.where(c < 0, law.cdf(cut), 0.0)
        )

    share, square = up / (2 * a[:, None]), up / (2 * a[:, None]) * g**2
    first = below(1 + share, square - down * (1 + share), level)
    second = below(share - 1, square - down * (1 - share), -1 / level)
    mean = a_mass @ (first - math.exp(epsilon) * second) @ g_mass
    return float(mean / (a_mass.sum() * g_mass.sum()))


def test_either_corner_can_be_the_worst() -> None:
    assert _turning_delta(20, 1.0, 0.5) > 1.3 * _leaving_delta(20, 1.0, 0.5)
    assert _leaving_delta(10, 1.0, 3.0) > 1.2 * _turning_delta(10, 1.0, 3.0)
    for excess, epsilon in ((20, 0.5), (10, 3.0)):
        one, two = (wishart_delta(excess + d, 1.0, dimension=d, epsilon=epsilon) for d in (1, 2))
        assert one == _leaving_delta(excess, 1.0, epsilon) + _rounding(excess)
        assert two == max(one, _turning_delta(excess, 1.0, epsilon) + _rounding(excess))
        assert two == wishart_delta(excess + 400, 1.0, dimension=400, epsilon=epsilon)


def test_d_plus_one_degrees_are_the_limit_of_more() -> None:
    flat = -math.expm1(-0.4)
    for epsilon in (0.0, 1.0, 30.0):
        assert wishart_delta(4, 0.8, dimension=3, epsilon=epsilon) == pytest.approx(flat)
    # an infinite loss alone: up to the size
    assert wishart_delta(4 + 1e-9, 0.8, dimension=3, epsilon=1.0) == pytest.approx(flat, rel=1e-6)
    assert wishart_delta(8, 0.8, dimension=3, epsilon=1e4) == pytest.approx(stats.chi2.cdf(0.8, 6))


@pytest.mark.parametrize("excess", [1.5, 3.0, 40.0, 1e4, 1e8])
def test_the_curve_falls_in_epsilon_and_degrees_and_grows_with_the_size(excess: float) -> None:
    def delta(more: float, size: float, epsilon: float) -> float:
        return wishart_delta(excess + more + 2, size, dimension=2, epsilon=epsilon)

    for epsilon in (0.0, 1e-3, 0.3, 5.0):
        assert 0 <= delta(0, 1.0, 1.5 * epsilon + 1e-3) <= delta(0, 1.0, epsilon) <= 1
        # more degrees have more rounding
        assert delta(1, 1.0, epsilon) <= delta(0, 1.0, epsilon) + 1e-16
        assert delta(0, 1.0, epsilon) <= delta(0, 1.1, epsilon)


@pytest.mark.parametrize("degrees", [3.0, 3.5, 12.0, 1e9, 1e14, 1e139])
def test_extremes_are_probabilities(degrees: float) -> None:
    for size in (1e-300, 1e-6, 1.0, 1e6, 1e99, 1e120, 1e300):
        for epsilon in (0.0, 1e-12, 1.0, 1e6):
            delta = wishart_delta(degrees, size, dimension=2, epsilon=epsilon)
            assert 0 <= delta <= 1
            if size >= 1e99:
                assert delta == 1


# ------------------------------------------------------------------- account and calibration


def test_one_release_has_its_curve_and_two_have_none() -> None:
    cost = Wishart(14.5, 0.5, 4).cost(0.4)
    assert cost == Cost(wishart=(14.5, 0.8, 4))
    single = Composition([Charge(cost)])
    exact = wishart_delta(14.5, 0.8, dimension=4, epsilon=0.7)
    assert single.delta(0.7).delta == exact
    assert single.delta(0.7).method == "exact Wishart"
    assert single.epsilon(exact).epsilon == pytest.approx(0.7, rel=1e-9)
    # below the probability of an infinite loss no epsilon will do
    assert single.epsilon(stats.chi2.cdf(0.8, 11.5) * 0.99).epsilon == math.inf
    assert single.epsilon(0.0).epsilon == math.inf
    assert Composition([Charge(cost)] * 2).epsilon(0.5).epsilon == math.inf
    assert Wishart(4.9, 0.5, 4).cost(0.4) == Cost()


def test_a_ledger_charges_the_curve() -> None:
    ledger = Ledger(0)
    ledger.wishart(np.eye(3), sensitivity=0.1, degrees=20.5, scale=0.1)
    exact = wishart_delta(20.5, 1.0, dimension=3, epsilon=0.5)
    assert ledger.spent(epsilon=0.5).delta == exact


@pytest.mark.parametrize(
    ("epsilon", "delta", "excess"),
    [(0.5, 1e-2, 15), (0.5, 1e-5, 73), (0.1, 1e-5, 969), (0.99, 0.3, 2), (10.0, 1e-5, 12)],
)
def test_the_smallest_degrees_are_enough_and_one_less_is_not(
    epsilon: float, delta: float, excess: int
) -> None:
    degrees = smallest_wishart_degrees(epsilon, delta, sensitivity=0.1, scale=0.1, dimension=7)
    assert degrees == 7 + excess
    assert wishart_delta(degrees, 1.0, dimension=7, epsilon=epsilon) <= delta
    assert wishart_delta(degrees - 1, 1.0, dimension=7, epsilon=epsilon) > delta
    # Theorem 6.3.6
    if epsilon < 1:
        assert excess < 14 / epsilon**2 * math.log(4 / delta) / 9


def test_degrees_beyond_what_doubles_resolve_are_refused() -> None:
    with pytest.raises(ValueError, match=r"need at most d \+ 1e\+12 degrees of noise"):
        smallest_wishart_degrees(1e-9, 1e-9, sensitivity=1.0, scale=1.0, dimension=3)
    for changes, name in (
        ({"sensitivity": 0.0}, "sensitivity"),
        ({"scale": -1.0}, "scale"),
        ({"dimension": 0}, "dimension"),
    ):
        with pytest.raises(ValueError, match=f"{name} must be"):
            smallest_wishart_degrees(
                1.0, 0.1, **{"sensitivity": 1.0, "scale": 1.0, "dimension": 2, **changes}
            )


@pytest.mark.parametrize("delta", [1e-100, 2.8e-46, 0.999e-12])
def test_a_delta_that_the_curve_does_not_resolve_is_refused(delta: float) -> None:
    with pytest.raises(ValueError, match=r"delta must be >= 1e-12 for Wishart noise"):
        constants_for(n=1000, dimension=2, epsilon=1.0, delta=delta)
    account = Composition([Charge(Wishart(500.0, 1.0, 2).cost(1.0))])
    assert account.epsilon(delta).epsilon == math.inf
    assert account.epsilon(1e-12).epsilon < 10


def test_the_smallest_delta_is_met_in_truth() -> None:
    found = constants_for(n=1000, dimension=2, epsilon=1.0, delta=1e-12)
    excess = found.degrees - 2
    with mp.workdps(50):
        goes = leaving_truth(excess, 1.0, 1.0)
    assert goes <= 1e-12
    assert turning_truth(excess, 1.0, 1.0) <= 1e-12


def leaving_truth(excess: float, size: float, epsilon: float) -> mpf:
    """Return delta of q against q + size at the precision of mpmath."""
    k, s, e = mpf(excess), mpf(size), mpf(epsilon)
    below = s / mp.expm1((e + s / 2) * 2 / (k - 1))
    near, far = (mp.gammainc((k + 1) / 2, 0, x / 2, regularized=True) for x in (below + s, below))
    return near - mp.exp(e) * far


def turning_truth(excess: float, size: float, epsilon: float) -> float:
    """Return the turning delta from steps half as large over a range that is 1e20 times rarer."""
    rate = 2 * epsilon / (excess - 1)

    def nodes(freedom: float) -> tuple[Array, Array]:
        width = math.sqrt(2 / freedom)
        logs = np.arange(-20 * width, 12 * width, 0.15 * width)
        masses = np.exp(freedom / 2 * (logs - np.expm1(logs)))
        return freedom * np.exp(logs), masses / masses.sum()

    (a, a_mass), (q, q_mass) = nodes(excess + 2), nodes(excess + 1)
    root, product = np.sqrt(a)[:, None], a[:, None] * q
    towards = (-np.expm1(-rate) * product - size**2) / (2 * size * root)
    away = (np.expm1(rate) * product + size**2) / (2 * size * root)
    return float(
        a_mass @ (stats.norm.sf(towards) - math.exp(epsilon) * stats.norm.sf(away)) @ q_mass
    )


def test_no_curve_of_one_coordinate_is_below_the_truth() -> None:
    rng = np.random.default_rng(8)
    for _ in range(150):
        degrees = 2 + float(10 ** rng.uniform(-2, 5))
        excess = degrees - 1
        size = float(10 ** rng.uniform(-2, 2))
        deviation = size / math.sqrt(excess / 2)
        epsilon = float(rng.choice([deviation * rng.uniform(0, 8), 10 ** rng.uniform(-12, 2)]))
        with mp.workdps(50):
            exact = leaving_truth(excess, size, epsilon)
        # what the code works with, degrees - dimension, which doubles hold here
        assert exact <= wishart_delta(degrees, size, dimension=1, epsilon=epsilon)
        assert _leaving_delta(excess, size, epsilon) == pytest.approx(
            float(exact), abs=_rounding(excess) / 2
        )
