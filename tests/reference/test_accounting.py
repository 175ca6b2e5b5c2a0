"""The account of a run against closed forms, against dp-accounting, and against brute force."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from itertools import product
from typing import cast

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from scipy.special import logsumexp

from reference.privacy.accounting import (
    Charge,
    Composition,
    Sampling,
    compositions,
    record_profiles,
    renyi_accountant,
    spent,
)
from reference.privacy.accounting_rules import distribution_rule
from reference.privacy.composed_losses import ComposedLoss
from reference.privacy.guarantees import (
    OUTWARD,
    PureDP,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    laplace_delta,
    zcdp_delta,
)
from reference.privacy.mechanisms import (
    Cost,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    NoisyMax,
    RandomizedResponse,
    Wishart,
)

REPLACE_ONE = dp_accounting.NeighboringRelation.REPLACE_ONE


def charge(mechanism: Mechanism, sensitivity: float = 1.0) -> Charge:
    return Charge(mechanism.cost(sensitivity))


def sampled(
    scale: float,
    *,
    population: int = 1000,
    size: int = 10,
    replace: bool = False,
    background: float = 0.0,
    position: int | None = None,
) -> Charge:
    mechanism = Gaussian(scale)
    sampling = Sampling(population, size, replace, mechanism, 1.0, background, position)
    return Charge(mechanism.cost(1.0), sampling)


# ----------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize("count", [1, 7])
def test_gaussians_are_one_gaussian(count: int) -> None:
    account = Composition([charge(Gaussian(3.0))] * count)
    mu = math.sqrt(count) / 3
    result = account.epsilon(1e-5)
    assert result.method == "exact Gaussian DP"
    assert result.epsilon == pytest.approx(gaussian_dp_epsilon(mu, 1e-5), rel=1e-9)
    assert account.delta(0.4).delta == pytest.approx(gaussian_dp_delta(mu, 0.4))
    assert account.epsilon(0).epsilon == math.inf


def test_one_laplace_is_exact_and_never_worse_than_the_distribution() -> None:
    account = Composition([charge(Laplace(0.8))])
    for epsilon in (0.0, 0.5, 1.2):
        exact = laplace_delta(1.25, epsilon)
        assert account.delta(epsilon).delta == pytest.approx(exact, rel=1e-12)
        assert account.rules()["privacy loss distribution"].delta_at(epsilon) == pytest.approx(
            exact, rel=1e-4
        )
    assert account.epsilon(0).epsilon == 1.25
    assert account.epsilon(0.01).epsilon == pytest.approx(1.25 + 2 * math.log(0.99))


def test_two_laplaces_reach_their_closed_form_from_above() -> None:
    # delta = 1 - e^(-c/2) (1 + c/4) with c = 2 a - epsilon; derived in proofs_checks
    account = Composition([charge(Laplace(2.0))] * 2)
    for epsilon in (0.1, 0.5, 0.9):
        c = 1 - epsilon
        exact = 1 - math.exp(-c / 2) * (1 + c / 4)
        certified = account.delta(epsilon)
        assert certified.method == "privacy loss distribution"
        assert exact <= certified.delta <= exact + 1e-8


@pytest.mark.parametrize("count", [1, 5])
def test_generic_pure_releases_reach_the_optimal_composition(count: int) -> None:
    # the exact delta of count randomised responses, by enumeration
    account = Composition([charge(RandomizedResponse(0.3))] * count)
    keep = 1 / (1 + math.exp(-0.3))
    for epsilon in (0.0, 0.25, 0.7):
        exact = 0.0
        for lies in product((0, 1), repeat=count):
            k = sum(lies)
            p = keep ** (count - k) * (1 - keep) ** k
            q = (1 - keep) ** (count - k) * keep**k
            exact += max(0.0, p - math.exp(epsilon) * q)
        certified = account.delta(epsilon).delta
        # the loss grid of dp-accounting is 1e-4 wide and rounds up
        assert exact - 1e-12 <= certified <= exact + 1e-4
    assert account.epsilon(0).epsilon == pytest.approx(0.3 * count)


def test_one_pure_release_has_the_curve_of_randomised_response() -> None:
    account = Composition([charge(Exponential(0.5))])
    assert account.delta(0.4).delta <= PureDP(1.0).delta_at(0.4)
    assert account.epsilon(0.05).epsilon <= PureDP(1.0).epsilon_at(0.05)


def test_zcdp_covers_what_has_only_a_rho() -> None:
    account = Composition([Charge(Cost(rho=0.05)), charge(Gaussian(4.0))])
    assert account.rho == pytest.approx(0.05 + 1 / 32)
    result = account.epsilon(1e-6)
    assert result.method == "zCDP"
    assert zcdp_delta(account.rho, result.epsilon) == pytest.approx(1e-6, rel=1e-6)


def test_approximate_releases_compose_with_pure_and_gaussian_ones() -> None:
    wishart = Wishart(3.0, 1.0, 2)  # (0, 1 - e^-0.05)-DP at sensitivity 0.1
    _, failure = wishart.cost(0.1).approximate
    assert failure >= -math.expm1(-0.05)
    assert Composition([charge(wishart, 0.1)]).delta(0.3).delta == pytest.approx(failure)
    assert Composition([charge(wishart, 0.1)]).epsilon(failure).epsilon == 0.0
    assert Composition([charge(wishart, 0.1)]).epsilon(failure / 2).epsilon == math.inf
    pure = Composition([charge(wishart, 0.1), charge(RandomizedResponse(1.0))])
    # the failure or else randomised response
    exact = failure + (1 - failure) * PureDP(1.0).delta_at(0.4)
    assert pure.delta(0.4).delta == pytest.approx(exact, rel=1e-6)
    assert pure.epsilon(failure).epsilon == pytest.approx(1.0, abs=1e-3)
    mixed = Composition([charge(wishart, 0.1), charge(Gaussian(1.0))])
    exact = failure + (1 - failure) * gaussian_dp_delta(1.0, 0.7) / (1 + OUTWARD)
    assert exact <= mixed.delta(0.7).delta <= exact * (1 + 1e-3)


def test_nothing_and_the_unaccountable() -> None:
    assert Composition([]).epsilon(0).epsilon == 0.0
    assert Composition([]).delta(0.0).delta == 0.0
    unknown = Composition([Charge(Cost()), charge(Gaussian(1.0))])
    assert unknown.epsilon(0.1).epsilon == math.inf
    assert unknown.delta(10.0).delta == 1.0
    assert unknown.epsilon(0.1).method == "no rule applies at this delta"


@pytest.mark.parametrize("mechanism", [Gaussian(1e-9), Laplace(1e-9), Exponential(1e9)])
def test_vanishing_noise_is_not_private_but_no_error(mechanism: Mechanism) -> None:
    for charges in ([charge(mechanism)], [charge(mechanism), charge(Laplace(1.0))]):
        account = Composition(charges)
        assert account.epsilon(1e-5).epsilon > 1e6
        assert account.delta(1.0).delta == pytest.approx(1.0)
    one = Charge(mechanism.cost(1.0), Sampling(100, 1, False, mechanism, 1.0, 0.0))
    assert Composition([one] * 3).epsilon(1e-5).epsilon > 1e6


def test_extreme_deltas() -> None:
    for mechanism in (Gaussian(2.0), Laplace(2.0)):
        account = Composition([charge(mechanism), charge(Laplace(5.0))])
        tiny, large = account.epsilon(1e-100).epsilon, account.epsilon(0.999).epsilon
        assert large == 0.0
        assert 0.5 < tiny < 100


# -------------------------------------------------------------------------- dp-accounting


def test_mixed_run_equals_dp_accounting() -> None:
    account = Composition([charge(Gaussian(5.0))] * 3 + [charge(Laplace(8.0))] * 4)
    direct = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
    direct.compose(dp_accounting.GaussianDpEvent(5.0), 3)
    direct.compose(dp_accounting.LaplaceDpEvent(8.0), 4)
    assert account.epsilon(1e-6).epsilon == pytest.approx(direct.get_epsilon(1e-6), rel=1e-6)
    assert account.delta(0.5).delta == pytest.approx(direct.get_delta(0.5), rel=1e-6)


def test_distribution_of_gaussians_is_just_above_the_exact_value() -> None:
    account = Composition([charge(Gaussian(5.0))] * 6)
    known = account.loss_distribution()
    assert known is not None
    mu = math.sqrt(6) / 5
    for epsilon in (0.2, 1.0, 2.0):
        exact = gaussian_dp_delta(mu, epsilon) / (1 + OUTWARD)
        assert exact <= known[0].delta_at(epsilon) <= exact * (1 + 1e-4)


def test_sampled_gaussians_equal_the_renyi_accountant() -> None:
    steps = 50
    account = Composition([sampled(1.5)] * steps)
    direct = RdpAccountant(orders=range(2, 65), neighboring_relation=REPLACE_ONE)
    direct.compose(
        dp_accounting.SampledWithoutReplacementDpEvent(
            1000, 10, dp_accounting.GaussianDpEvent(1.5)
        ),
        steps,
    )
    rules = account.rules()
    renyi = rules["Renyi DP with sampling"].epsilon_at(1e-5)
    assert renyi == pytest.approx(direct.get_epsilon(1e-5), rel=0.02)
    assert renyi < rules["Gaussian DP without amplification"].epsilon_at(1e-5) / 5
    result = account.epsilon(1e-5)
    assert result.method == "privacy loss distribution"
    assert result.epsilon < 0.7 * renyi
    # far below the rounding of a transform that is not tilted
    assert account.epsilon(1e-90).method == "privacy loss distribution"


# ------------------------------------------------------------------------------ subsampling


@pytest.mark.parametrize("scale", [0.8, 1.5])
@pytest.mark.parametrize("q", [0.01, 0.2])
def test_renyi_bound_is_above_the_exact_divergence_of_the_worst_triangle(
    scale: float, q: float
) -> None:
    """Values with the record, with its replacement and with neither: sides of length one."""
    x, y = np.meshgrid(np.linspace(-14, 16, 700), np.linspace(-14, 16, 700))
    cell = math.log((30 / 699) ** 2)
    corners = ((0.0, 0.0), (1.0, 0.0), (0.5, math.sqrt(3) / 2))
    logs = [
        -((x - a) ** 2 + (y - b) ** 2) / (2 * scale**2) - math.log(2 * math.pi * scale**2)
        for a, b in corners
    ]
    neither, record, other = logs
    p = np.logaddexp(math.log1p(-q) + neither, math.log(q) + record)
    r = np.logaddexp(math.log1p(-q) + neither, math.log(q) + other)
    accountant = renyi_accountant((sampled(scale, population=1000, size=int(1000 * q)),), 0.5)
    orders = list(accountant._orders)
    for order in (2, 3, 4, 8):
        exact = float(logsumexp(order * p + (1 - order) * r) + cell) / (order - 1)
        bound = float(accountant._rdp[orders.index(order)])
        assert 0 < exact <= bound


def test_single_sampled_gaussian_is_exact_amplification() -> None:
    account = Composition([sampled(0.7, population=100, size=5)])
    for epsilon in (0.0, 0.1, 1.0):
        inner = math.log1p(math.expm1(epsilon) / 0.05)
        exact = 0.05 * gaussian_dp_delta(1 / 0.7, inner)
        result = account.delta(epsilon)
        assert result.delta == pytest.approx(exact, rel=1e-9)
        assert result.method == "exact sampled Gaussian"
        back = account.rules()["exact sampled Gaussian"].epsilon_at(exact)
        assert back == pytest.approx(epsilon, abs=1e-9)
    assert account.epsilon(0.05).epsilon == 0.0
    assert account.epsilon(0).epsilon == math.inf


def test_sampled_pure_release_is_amplified_only_without_replacement() -> None:
    laplace = Laplace(0.5)

    def account(size: int, replace: bool) -> Composition:
        return Composition(
            [Charge(laplace.cost(1.0), Sampling(50, size, replace, laplace, 1.0, 0.0, 0))]
        )

    amplified = math.log1p(math.expm1(2.0) / 50)
    assert account(1, False).pure == pytest.approx(amplified)
    assert account(1, True).pure == pytest.approx(amplified)
    assert account(2, True).pure == 2.0
    assert account(5, False).pure == pytest.approx(math.log1p(math.expm1(2.0) / 10))
    assert account(1, False).rho == pytest.approx(amplified**2 / 2)


def test_releases_of_one_subsample_are_amplified_together() -> None:
    laplace = Laplace(0.5)
    twice = [
        Charge(laplace.cost(1.0), Sampling(50, 1, False, laplace, 1.0, 0.0, 3)) for _ in range(2)
    ]
    assert Composition(twice).pure == pytest.approx(math.log1p(math.expm1(4.0) / 50))
    # two Gaussians of one sample are one of multiplier 1/sqrt 2, not two samples
    together = Composition([sampled(1.0, position=4)] * 2)
    apart = Composition([sampled(1.0, position=4), sampled(1.0, position=5)])
    one = Composition([sampled(1 / math.sqrt(2), position=4)])
    key = "Renyi DP with sampling"
    assert together.rules()[key].epsilon_at(1e-5) == pytest.approx(
        one.rules()[key].epsilon_at(1e-5), rel=1e-9
    )
    assert together.rules()[key].epsilon_at(1e-5) > apart.rules()[key].epsilon_at(1e-5)


def test_background_is_never_cheaper_than_none_and_bounded_by_no_amplification() -> None:
    steps = 40
    results = [
        Composition([sampled(3.0, background=b)] * steps).epsilon(1e-5).epsilon
        for b in (0.0, 0.01, 0.3, 0.999)
    ]
    assert results == sorted(results)
    unamplified = gaussian_dp_epsilon(math.sqrt(steps) / 3, 1e-5)
    # next to all of the release is background
    background = gaussian_dp_epsilon(0.999 * math.sqrt(steps) / 3, 1e-5)
    assert background < results[-1] <= unamplified
    assert results[0] < unamplified / 5


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_the_noise_of_a_background_is_shared(share: float) -> None:
    # N(0, 9) is N(0, 9 share) on the sampled part 0.7 plus N(0, 9 (1 - share)) on the background
    accountant = renyi_accountant((sampled(3.0, background=0.3),) * 5, share)
    direct = RdpAccountant(orders=accountant._orders, neighboring_relation=REPLACE_ONE)
    part = dp_accounting.GaussianDpEvent(3.0 * math.sqrt(share) / 0.7)
    direct.compose(dp_accounting.SampledWithoutReplacementDpEvent(1000, 10, part), 5)
    direct.compose(dp_accounting.GaussianDpEvent(3.0 * math.sqrt(1 - share) / 0.3), 5)
    np.testing.assert_allclose(accountant._rdp, direct._rdp, rtol=1e-9)


def test_a_sampled_release_with_a_background_covers_its_exact_mixture() -> None:
    # outputs N(0, 1) against (1 - q) N(b, 1) + q N(1, 1), the worst case in one dimension
    q, b = 0.01, 0.1
    account = Composition([sampled(1.0, background=b)])
    x = np.linspace(-12, 14, 200_001)

    def density(mean: float) -> np.ndarray:
        return np.exp(-((x - mean) ** 2) / 2) / math.sqrt(2 * math.pi)

    mixture, zero = (1 - q) * density(b) + q * density(1.0), density(0.0)
    for epsilon in (0.2, 0.5):
        exact = max(
            float(np.trapezoid(np.maximum(u - math.exp(epsilon) * v, 0), x))
            for u, v in ((mixture, zero), (zero, mixture))
        )
        assert exact <= account.delta(epsilon).delta


def test_unsampled_releases_join_sampled_ones() -> None:
    both = Composition([sampled(2.0)] * 20 + [charge(Laplace(10.0)), charge(Gaussian(10.0))])
    alone = Composition([sampled(2.0)] * 20)
    result = both.epsilon(1e-5)
    assert result.method == "privacy loss distribution"
    assert result.epsilon > alone.epsilon(1e-5).epsilon
    # the exact account of the two that read everybody
    assert result.epsilon > Composition(both.charges[20:]).epsilon(1e-5).epsilon
    # what is not amplified enters by rho = 1/200 each
    direct = RdpAccountant(orders=range(2, 65), neighboring_relation=REPLACE_ONE)
    direct.compose(
        dp_accounting.SampledWithoutReplacementDpEvent(
            1000, 10, dp_accounting.GaussianDpEvent(2.0)
        ),
        20,
    )
    direct.compose(dp_accounting.ZCDpEvent(0.01))
    renyi = both.rules()["Renyi DP with sampling"].epsilon_at(1e-5)
    assert renyi == pytest.approx(direct.get_epsilon(1e-5), rel=0.02)
    assert result.epsilon < renyi


def test_sampling_with_replacement_is_not_amplified() -> None:
    account = Composition([sampled(2.0, replace=True)] * 4)
    assert account.epsilon(1e-5).epsilon == pytest.approx(gaussian_dp_epsilon(1.0, 1e-5))


# ------------------------------------------------------------------------------- extreme sizes


@pytest.mark.parametrize("delta", [2e-17, 8e-17, 1e-100, 1e-5, 0.3])
@pytest.mark.parametrize("epsilon", [0.5, 60.0])
@pytest.mark.parametrize("count", [2, 7])
def test_small_deltas_are_not_lost_and_the_bound_is_not_below(
    delta: float, epsilon: float, count: int
) -> None:
    account = Composition([Charge(Cost(approximate=(epsilon, delta)))] * count)
    basic = account.rules()["basic composition"].delta_at(epsilon * count)
    exact = 1 - (1 - Fraction(delta)) ** count
    assert exact <= Fraction(basic) <= exact * (1 + Fraction(1, 10**14))
    assert account.delta(epsilon * count).delta == pytest.approx(float(exact), rel=1e-3)


@pytest.mark.parametrize("kind", [Gaussian, Laplace, NoisyMax])
@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-170, 1e170, 1e200, 1e300])
def test_any_scale_has_an_account(kind: type[Mechanism], scale: float) -> None:
    account = Composition([charge(kind(scale))] * 2)  # type: ignore[call-arg]
    if scale > 1:
        assert account.epsilon(1e-5).epsilon == 0.0
        # a Gaussian one is never of pure DP
        assert account.delta(1.0).delta <= math.ulp(0.0)
    else:
        assert account.epsilon(1e-5).epsilon > 1e100
        assert account.delta(1.0).delta == 1.0


def test_a_tiny_cost_is_still_counted() -> None:
    one, two = (Composition([charge(Gaussian(1e170))] * n).delta(0.0).delta for n in (1, 2))
    assert one == pytest.approx(1e-170 / math.sqrt(2 * math.pi))
    assert two == pytest.approx(math.sqrt(2) * one)
    assert Composition([charge(Laplace(1e200))] * 3).epsilon(0).epsilon == pytest.approx(3e-200)
    assert 0 < Composition([charge(Laplace(1e300), 1e-300)] * 3).pure < 1e-300


# ----------------------------------------------------------------------------------- records


def test_profiles_are_distinct_and_in_a_fixed_order() -> None:
    laplace = charge(Laplace(1.0))
    charges: list[tuple[Charge, slice | np.ndarray | None]] = [
        (laplace, slice(i, i + 1)) for i in range(50)
    ]
    assert len(compositions(charges)) == 1
    charges.append((charge(Laplace(2.0)), np.array([3, 4])))
    first = [c.pure for c in compositions(charges)]
    assert sorted(first) == [1.0, 1.5]
    assert first == [c.pure for c in compositions(charges)]


def test_profiles_cost_what_the_blocks_cost_not_the_records() -> None:
    # a table of releases by records took a gigabyte and a minute
    items = [(i, slice(1000 * i, 1000 * (i + 1))) for i in range(1000)]
    tracemalloc.start()
    profiles = record_profiles([*items, (-1, None), (-2, slice(500, 1500))])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e7
    assert len(profiles) == 1002
    assert {(-1, 0, -2), (-1, 1, -2), (-1, 0), (-1, 999)} <= set(profiles)


def test_profiles_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        items: list[tuple[int, slice | np.ndarray | None]] = []
        for i in range(int(rng.integers(0, 6))):
            start, stop = sorted(int(x) for x in rng.integers(0, 13, size=2))
            choices = (
                None,
                slice(start, stop),
                slice(None, stop),
                slice(start, stop, int(rng.integers(1, 4))),
                rng.integers(0, 12, size=int(rng.integers(0, 6))),
            )
            items.append((i, choices[int(rng.integers(5))]))
        borne = [
            tuple(i for i, r in items if r is None)
            + tuple(i for i, r in items if r is not None and record in np.arange(12)[r])
            for record in range(12)
        ]
        found = record_profiles(items)
        assert len(found) == len(set(found))
        # a record beyond all that are named bears what is common, and need not be listed
        common = tuple(i for i, r in items if r is None)
        assert set(found) | {common} == set(borne) | {common}


def test_spent_refuses_bad_arguments() -> None:
    charges: list[tuple[Charge, slice | np.ndarray | None]] = [(charge(Laplace(1.0)), None)]
    for bad in ({}, {"delta": 0.1, "epsilon": 1.0}):
        with pytest.raises(ValueError, match="exactly one"):
            spent(charges, **bad)
    for delta in (-0.1, 1.0, math.nan):
        with pytest.raises(ValueError, match="delta must be in"):
            spent(charges, delta=delta)
    with pytest.raises(ValueError, match="epsilon must be"):
        spent(charges, epsilon=math.inf)


def test_what_a_failure_leaves_of_a_delta_is_for_the_losses() -> None:
    class Losses:
        def delta_at(self, epsilon: float) -> float:
            return 1.0

        def epsilon_at(self, delta: float) -> float:
            return delta

    rule = distribution_rule(cast(ComposedLoss, Losses()), 0.5)
    assert rule.delta_at(1.0) == 1.0  # rounded up, and a probability
    assert rule.epsilon_at(0.75) == 0.5 * (1 - 2**-50)
    assert rule.epsilon_at(0.5) == math.inf
