"""The loss of a subsample's releases: above every attack, below Renyi DP, right by brute force."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.pld.common import self_convolve
from scipy.special import ndtr

from reference.privacy.accounting import Charge, Composition, Sampling
from reference.privacy.composed_losses import ComposedLoss, GridLoss, LawPair, join_dots
from reference.privacy.mechanisms import Gaussian, Laplace
from reference.privacy.subsampling import (
    loss_deviation,
    noise_share,
    sampled_gaussian_delta,
    sampled_gaussian_epsilon,
)

PAIRS = [(1.0, 0.01), (0.3, 0.2), (3.0, 0.05), (1e-4, 0.5), (6.0, 0.1), (1.0, 1.0)]


def exact_delta(mu: float, q: float, epsilon: float) -> mp.mpf:
    """The curve at any epsilon, with 60 digits."""
    with mp.workdps(60):
        if epsilon < 0:
            return 1 - mp.exp(epsilon) + mp.exp(epsilon) * exact_delta(mu, q, -epsilon)
        inner = mp.log(1 + mp.expm1(mp.mpf(epsilon)) / q)
        return q * (
            mp.ncdf(mp.mpf(mu) / 2 - inner / mu) - mp.exp(inner) * mp.ncdf(-mu / 2 - inner / mu)
        )


def sampled(scale: float, population: int, size: int, background: float = 0.0) -> Charge:
    mechanism = Gaussian(scale)
    sampling = Sampling(population, size, False, mechanism, 1.0, background)
    return Charge(mechanism.cost(1.0), sampling)


def delta_of(loss: GridLoss, interval: float, epsilon: float) -> float:
    losses = (np.arange(len(loss.masses)) - loss.reach) * interval
    return loss.infinite + float(loss.masses @ np.maximum(-np.expm1(epsilon - losses), 0))


# ----------------------------------------------------------------------------- one release


@pytest.mark.parametrize(("mu", "q"), PAIRS)
def test_the_curve_of_one_release(mu: float, q: float) -> None:
    for multiple in (0.0, 0.5, 3.0):
        epsilon = multiple * loss_deviation(mu, q)
        exact = float(exact_delta(mu, q, epsilon))
        assert sampled_gaussian_delta(mu, q, epsilon) == pytest.approx(exact, rel=1e-9)
        assert sampled_gaussian_epsilon(mu, q, exact) == pytest.approx(epsilon, rel=1e-6, abs=1e-11)


@pytest.mark.parametrize(("mu", "q"), PAIRS)
def test_the_distribution_meets_the_curve_at_its_points_and_is_above_it_between(
    mu: float, q: float
) -> None:
    interval = 0.05 * loss_deviation(mu, q)
    loss = join_dots(LawPair("gaussian", mu, q), interval, 1)
    for steps in (-40, -3, -1, 0, 1, 2, 30):
        exact = float(exact_delta(mu, q, steps * interval))
        found = delta_of(loss, interval, steps * interval)
        assert exact * (1 - 1e-15) <= found <= exact * (1 + 1e-7)
        between = (steps + 0.5) * interval
        exact = float(exact_delta(mu, q, between))
        found = delta_of(loss, interval, between)
        assert exact <= found <= exact * 1.02


@pytest.mark.parametrize(("mu", "q"), PAIRS)
def test_the_curve_is_one_of_a_pair_of_distributions(mu: float, q: float) -> None:
    """In g = e^epsilon it is convex, decreasing and at least 1 - g, at g = 1 as elsewhere."""
    g = 1 + np.linspace(-0.9, 0.9, 37) * min(1.0, 8 * loss_deviation(mu, q))
    curve = [exact_delta(mu, q, float(np.log(x))) for x in g]
    slopes = [(b - a) / (y - x) for a, b, x, y in zip(curve, curve[1:], g, g[1:], strict=False)]
    assert all(a <= b + 1e-15 for a, b in pairwise(slopes))
    assert all(value >= max(0, 1 - x) - 1e-15 for value, x in zip(curve, g, strict=True))
    # left and right of g = 1, as the head of the module says
    step = mp.mpf(10) ** -12
    with mp.workdps(60):
        right = (exact_delta(mu, q, mp.log1p(step)) - exact_delta(mu, q, 0)) / step
        left = (exact_delta(mu, q, 0) - exact_delta(mu, q, mp.log1p(-step))) / step
        assert float(right) == pytest.approx(-float(mp.ncdf(-mu / 2)), rel=1e-5)
        jump = (1 - q) * (1 - 2 * mp.ncdf(-mp.mpf(mu) / 2))
        assert float(right - left) == pytest.approx(float(jump), abs=1e-6)


def largest_divergence(
    neither: np.ndarray, record: np.ndarray, other: np.ndarray, q: float, epsilon: float
) -> float:
    p, r = (1 - q) * neither + q * record, (1 - q) * neither + q * other
    return max(float(np.maximum(u - math.exp(epsilon) * v, 0).sum()) for u, v in ((p, r), (r, p)))


@pytest.mark.parametrize("scale", [0.8, 1.5])
@pytest.mark.parametrize("q", [0.01, 0.2, 0.7])
def test_the_curve_is_above_every_triangle(scale: float, q: float) -> None:
    """Outputs without the record, with it and with its replacement, at most one apart."""
    x, y = np.meshgrid(np.linspace(-12, 14, 500), np.linspace(-12, 14, 500))
    cells = [
        np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * scale**2))
        * (26 / 499) ** 2
        / (2 * math.pi * scale**2)
        for a, b in ((0.0, 0.0), (1.0, 0.0), (0.5, math.sqrt(3) / 2))
    ]
    for epsilon in (0.01, 0.1, 0.5):
        exact = largest_divergence(cells[0], cells[1], cells[2], q, epsilon)
        assert exact < sampled_gaussian_delta(1 / scale, q, epsilon)


@pytest.mark.parametrize("scale", [0.8, 1.5])
@pytest.mark.parametrize("q", [0.01, 0.2, 0.7])
def test_the_curve_is_attained_where_the_replacement_is_like_the_others(
    scale: float, q: float
) -> None:
    x = np.linspace(-14, 15, 250_001)
    line = [np.exp(-((x - a) ** 2) / (2 * scale**2)) for a in (0.0, 1.0, 0.5)]
    line = [density / density.sum() for density in line]
    for epsilon in (0.01, 0.1, 0.5):
        bound = sampled_gaussian_delta(1 / scale, q, epsilon)
        attained = largest_divergence(line[0], line[1], line[0], q, epsilon)
        assert attained == pytest.approx(bound, rel=1e-7)
        assert largest_divergence(line[2], line[0], line[1], q, epsilon) < bound


# --------------------------------------------------------------------------- compositions


def test_two_releases_by_brute_force() -> None:
    """All pairs of losses of the curve joined at coarse points, at 60 digits."""
    mu, q, interval = 1.0, 0.2, 0.25
    pair = LawPair("gaussian", mu, q)
    size = join_dots(pair, interval, 2).reach
    curve = [exact_delta(mu, q, steps * interval) for steps in range(-size, size + 1)]
    with mp.workdps(60):
        # between neighbouring points the curve is delta = a - b g: a of the mass lies above
        g = [mp.exp(steps * interval) for steps in range(-size, size + 1)]
        above = [
            (d * h - e * f) / (h - f)
            for d, e, f, h in zip(curve, curve[1:], g, g[1:], strict=False)
        ]
        above = [mp.mpf(1), *above, curve[-1]]
        masses = [x - y for x, y in pairwise(above)]
        losses = range(-size, size + 1)
        infinite = 1 - (1 - curve[-1]) ** 2

        def brute(epsilon: float) -> float:
            total = infinite
            for (x, p), (y, r) in product(zip(losses, masses, strict=True), repeat=2):
                gap = (x + y) * mp.mpf(interval) - epsilon
                if gap > 0:
                    total += p * r * -mp.expm1(-gap)
            return float(total)

        two = ComposedLoss([(pair, 2)], interval)
        for epsilon in (0.0, 0.4, 1.0, 2.5, 12.0):
            exact = brute(epsilon)
            assert exact <= two.delta_at(epsilon) <= exact * (1 + 1e-6)


def attacked_delta(
    epsilon: float, *, scale: float, q: float, background: float, releases: int
) -> float:
    """Delta, from below, of (1-q) N(background, scale^2) + q N(1, scale^2) against N(0, scale^2).

    The loss grows with the output: it is taken at the lower end of 20,000 cells, rounded down.
    """
    interval = 0.01 / releases
    x = np.linspace(-9 * scale, 9 * scale + 1, 20_001)
    cells = (1 - q) * np.diff(ndtr((x - background) / scale)) + q * np.diff(ndtr((x - 1) / scale))
    losses = np.logaddexp(
        math.log1p(-q) + background * (x - background / 2) / scale**2,
        math.log(q) + (x - 0.5) / scale**2,
    )
    steps = np.floor(losses[:-1] / interval).astype(int)
    masses = np.bincount(steps - steps[0], cells)
    first, total = self_convolve(masses, releases, 1e-13)
    composed = (np.arange(len(total)) + first + releases * steps[0]) * interval
    above = composed > epsilon
    return float(np.asarray(total)[above] @ -np.expm1(epsilon - composed[above])) - 1e-12


RUNS = [
    # scale, population, size, releases, background
    (1.0, 100, 1, 200, 0.0),
    (2.0, 1000, 100, 50, 0.0),
    (2.0, 10, 5, 5, 0.0),
    (0.5, 100, 5, 4, 0.0),
    (2.0, 1000, 10, 500, 0.005),
    (1.0, 100, 5, 20, 0.1),
    (3.0, 50, 5, 30, 0.05),
]


@pytest.mark.parametrize("run", RUNS)
def test_above_an_attack_and_below_renyi_dp(run: tuple[float, int, int, int, float]) -> None:
    """The attack: all other records contribute 0, one contributes the whole sensitivity."""
    scale, population, size, releases, background = run
    q = size / population
    rules = Composition([sampled(scale, population, size, background)] * releases).rules()
    attack = partial(attacked_delta, scale=scale, q=q, background=background, releases=releases)
    for delta in (1e-2, 1e-5, 1e-8):
        value = rules["privacy loss distribution"].epsilon_at(delta)
        assert value <= rules["Renyi DP with sampling"].epsilon_at(delta)
        assert value <= rules["Gaussian DP without amplification"].epsilon_at(delta)
        assert attack(value) <= delta
        assert rules["privacy loss distribution"].delta_at(value) == pytest.approx(delta, rel=1e-4)
        if background == 0:  # an epsilon smaller by a tenth is refuted
            assert attack(0.85 * value - 0.05) > delta


def test_a_monte_carlo_attack_on_three_releases() -> None:
    """In the plane, three values one apart; (P(A) - e^epsilon P'(A)) <= delta up to five sigma.

    The chance that five sigma are exceeded on nine points is below 3e-6.
    """
    q, scale, runs, rng = 0.2, 1.0, 400_000, np.random.default_rng(5)
    account = Composition([sampled(scale, 10, 2)] * 3)
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(3) / 2]])

    def log_density(x: np.ndarray, corner: int) -> np.ndarray:
        parts = [-((x - corners[c]) ** 2).sum(axis=-1) / 2 for c in (0, corner)]
        return np.logaddexp(math.log(1 - q) + parts[0], math.log(q) + parts[1])

    drawn = np.where(rng.random((runs, 3)) < q, 1, 0)
    x = corners[drawn] + rng.standard_normal((runs, 3, 2))
    for other in (0, 2):
        loss = (log_density(x, 1) - log_density(x, other)).sum(axis=1)
        for epsilon in (0.0, 0.5, 1.0):
            part = np.maximum(-np.expm1(epsilon - loss), 0)
            assert part.mean() - 5 * part.std() / math.sqrt(runs) <= account.delta(epsilon).delta
            if other == 0:
                assert part.mean() > 0.8 * account.delta(epsilon).delta


def test_the_pair_of_the_mixtures_would_not_do_for_both_directions() -> None:
    """Composed the wrong way round, its loss is below what the right way round attains."""
    mixture = pld.from_mixture_gaussian_mechanism(
        1.0, [0.0, 1.0], [0.9, 0.1], value_discretization_interval=1e-2
    )
    wrong = mixture._pmf_add.self_compose(10).get_delta_for_epsilon(1.0)
    attained = attacked_delta(1.0, scale=1.0, q=0.1, background=0.0, releases=10)
    assert wrong < 0.9 * attained
    account = Composition([sampled(1.0, 10, 1)] * 10)
    assert account.rules()["privacy loss distribution"].delta_at(1.0) >= attained


def test_a_finer_grid_changes_next_to_nothing() -> None:
    values = []
    for share in (1.0, 0.25):
        interval = 0.05 * share * loss_deviation(1.0, 0.01)
        pair = LawPair("gaussian", 1.0, 0.01)
        values.append(ComposedLoss([(pair, 300)], interval).delta_at(1.0))
    assert values[1] <= values[0] <= values[1] * 1.01


def test_sampled_pure_releases_join_by_their_amplified_epsilon() -> None:
    laplace = Laplace(0.5)
    pure = Charge(laplace.cost(1.0), Sampling(50, 1, False, laplace, 1.0, 0.0))
    gaussians = [sampled(2.0, 50, 1)] * 20
    together = Composition([*gaussians, pure]).epsilon(1e-5)
    assert together.method == "privacy loss distribution"
    alone = Composition(gaussians).epsilon(1e-5).epsilon
    assert alone < together.epsilon <= alone + math.log1p(math.expm1(2.0) / 50) + 1e-4


@pytest.mark.parametrize(("mu", "background", "q"), [(1.0, 0.01, 0.02), (0.3, 0.1, 0.1)])
def test_the_noise_is_shared_about_as_well_as_possible(
    mu: float, background: float, q: float
) -> None:
    assert noise_share(mu, 0.0, q) == 1.0

    def variance(share: float) -> float:
        sampled_part = q**2 * math.expm1(mu**2 / share)
        return sampled_part + background**2 / (1 - share)

    chosen = variance(noise_share(mu, background, q))
    assert chosen <= 1.001 * min(variance(share) for share in np.linspace(0.1, 0.99, 90))
