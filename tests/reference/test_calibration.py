"""Calibrated noise is valid, and a little less of it is not; the papers' constants are compared."""

from __future__ import annotations

import math
from functools import partial

import pytest

from reference.errata.privacy.calibration import (
    printed_advanced_composition_epsilon,
    printed_composed_gaussian_scale,
    printed_gaussian_scale,
)
from reference.privacy.accounting import Charge, Composition, Sampling
from reference.privacy.calibration import (
    _smallest_logarithm,
    exponential_step_epsilon,
    smallest_gaussian_scale,
    smallest_laplace_scale,
    smallest_sampled_gaussian_scale,
)
from reference.privacy.guarantees import (
    ZCDP,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    largest_pure_epsilon,
    largest_zcdp_rho,
    zcdp_epsilon,
    zcdp_rho,
)
from reference.privacy.mechanisms import Exponential, Gaussian, Laplace
from reference.sparse.peeling import noise_scale

CLAIMS = [(0.1, 1e-6), (1.0, 1e-5), (8.0, 1e-3), (1e3, 1e-100)]


def gaussian_spend(scale: float, sensitivity: float, releases: int, delta: float) -> float:
    return gaussian_dp_epsilon(math.sqrt(releases) * sensitivity / scale, delta)


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
@pytest.mark.parametrize("releases", [1, 30])
def test_exact_gaussian_scale_is_the_smallest(epsilon: float, delta: float, releases: int) -> None:
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=2.5, releases=releases)
    assert gaussian_spend(scale * (1 + 1e-9), 2.5, releases, delta) <= epsilon * (1 + 1e-12)
    assert gaussian_spend(scale * (1 - 1e-6), 2.5, releases, delta) > epsilon


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_zcdp_scale_spends_the_rho_and_is_looser(epsilon: float, delta: float) -> None:
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=2.0, releases=5, method="zcdp")
    rho = 5 * 2.0**2 / (2 * scale**2)
    assert rho == pytest.approx(zcdp_rho(epsilon, delta), rel=1e-12)
    assert zcdp_epsilon(rho, delta) == pytest.approx(epsilon, rel=1e-9)
    assert ZCDP(rho).epsilon_at(delta) < epsilon
    assert scale > smallest_gaussian_scale(epsilon, delta, sensitivity=2.0, releases=5)


def test_loss_distribution_scale_is_just_above_the_exact_one() -> None:
    exact = smallest_gaussian_scale(1.0, 1e-5, sensitivity=1.0, releases=20)
    scale = smallest_gaussian_scale(1.0, 1e-5, sensitivity=1.0, releases=20, method="pld")
    assert exact <= scale <= exact * (1 + 1e-5)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (0.5, 1e-3), (2.0, 0.3)])
def test_one_laplace_release_is_inverted_exactly(epsilon: float, delta: float) -> None:
    scale = smallest_laplace_scale(epsilon, delta, sensitivity=3.0)

    def spends(factor: float) -> float:
        return Composition([Charge(Laplace(scale * factor).cost(3.0))]).epsilon(delta).epsilon

    assert spends(1.0) == pytest.approx(epsilon, rel=1e-12)
    assert spends(1 - 1e-9) > epsilon


def test_many_laplace_releases_beat_the_sum_and_are_minimal() -> None:
    epsilon, delta, releases = 1.0, 1e-5, 20
    scale = smallest_laplace_scale(epsilon, delta, sensitivity=1.0, releases=releases)
    assert smallest_laplace_scale(epsilon, 0, sensitivity=1.0, releases=releases) == 20.0
    assert scale < 16

    def delta_of(value: float) -> float:
        return Composition([Charge(Laplace(value).cost(1.0))] * releases).delta(epsilon).delta

    assert delta_of(scale) <= delta
    assert delta_of(scale * (1 - 1e-4)) > delta


def test_few_laplace_releases_at_tiny_delta_fall_back_to_the_sum() -> None:
    scale = smallest_laplace_scale(1.0, 1e-14, sensitivity=1.0, releases=2)
    assert 0.99 * 2 < scale <= 2


def exponential_spend(step: float, releases: int, delta: float) -> float:
    cost = Exponential(step / 2).cost(1.0)
    return Composition([Charge(cost)] * releases).epsilon(delta).epsilon


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
@pytest.mark.parametrize("releases", [1, 2, 40])
def test_exponential_steps_spend_the_claim(epsilon: float, delta: float, releases: int) -> None:
    step = exponential_step_epsilon(epsilon, delta, releases=releases)
    assert exponential_spend(step, releases, delta) <= epsilon * (1 + 1e-9)
    by_zcdp = math.sqrt(8 * largest_zcdp_rho(epsilon, delta) / releases)
    by_pure_dp = largest_pure_epsilon(epsilon, delta) / releases
    assert step == max(by_zcdp, by_pure_dp)
    assert step > exponential_step_epsilon(epsilon, delta, releases=releases, method="zcdp")


def test_a_single_exponential_step_may_spend_all_as_pure_dp() -> None:
    assert exponential_step_epsilon(1.0, 1e-5, releases=1) == pytest.approx(1.0, abs=2e-5)
    assert exponential_step_epsilon(1.0, 1e-5, releases=1) > 1.0


@pytest.mark.parametrize(
    ("epsilon", "single", "many"), [(0.5, 0.41, 0.78), (1.0, 0.40, 0.81), (4.0, 0.39, 0.88)]
)
def test_the_seeds_exponential_steps_spend_less(epsilon: float, single: float, many: float) -> None:
    for releases, share in ((1, single), (20, many), (50, many)):
        step = exponential_step_epsilon(epsilon, 1e-5, releases=releases, method="zcdp")
        assert releases * step**2 / 8 == pytest.approx(zcdp_rho(epsilon, 1e-5), rel=1e-12)
        assert exponential_spend(step, releases, 1e-5) / epsilon == pytest.approx(share, abs=0.01)


def sampled_spend(rule: str, scale: float, background: float = 0.0) -> float:
    mechanism = Gaussian(scale)
    sampling = Sampling(1000, 10, False, mechanism, 1.0, background)
    account = Composition([Charge(mechanism.cost(1.0), sampling)] * 200)
    return account.rules()[rule].epsilon_at(1e-5)


@pytest.mark.parametrize("background", [0.0, 0.02])
def test_sampled_scale_is_valid_and_minimal_to_its_tolerance(background: float) -> None:
    scales = []
    for method, rule in (
        ("pld", "privacy loss distribution"),
        ("renyi", "Renyi DP with sampling"),
    ):
        scale = smallest_sampled_gaussian_scale(
            1.0,
            1e-5,
            population=1000,
            size=10,
            sensitivity=1.0,
            background_sensitivity=background,
            releases=200,
            method=method,
        )
        assert sampled_spend(rule, scale, background) <= 1.0
        assert sampled_spend(rule, scale * 0.99, background) > 1.0
        scales.append(scale)
    distribution, renyi = scales
    assert distribution < 0.8 * renyi
    assert renyi < smallest_gaussian_scale(1.0, 1e-5, sensitivity=1.0, releases=200) / 3


def test_a_tiny_delta_of_samples_is_calibrated_as_any_other() -> None:
    sample = {"population": 100, "size": 5, "sensitivity": 1.0, "releases": 10}
    scale = smallest_sampled_gaussian_scale(1.0, 1e-30, **sample)
    assert scale < 0.95 * smallest_sampled_gaussian_scale(1.0, 1e-30, method="renyi", **sample)
    assert scale < smallest_gaussian_scale(1.0, 1e-30, sensitivity=1.0, releases=10)


@pytest.mark.filterwarnings("error")
def test_a_large_epsilon_is_calibrated_without_a_warning() -> None:
    """The library's bounds on the tails overflow there, and it passes over those that do."""
    sample = {"population": 40, "size": 10, "sensitivity": 1.0, "releases": 10}
    scale = smallest_sampled_gaussian_scale(1e3, 1e-5, background_sensitivity=0.1, **sample)
    assert 0 < scale < smallest_gaussian_scale(1e3, 1e-5, sensitivity=1.0, releases=10)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-200, 0.9e-12, 1.1e6, 1e200, 1e300])
@pytest.mark.parametrize(
    "calibrate",
    [
        smallest_gaussian_scale,
        smallest_laplace_scale,
        partial(smallest_sampled_gaussian_scale, population=40, size=10),
        partial(noise_scale, sparsity=2),
        partial(noise_scale, sparsity=2, method="accountant"),
    ],
)
def test_an_epsilon_beyond_the_accounting_is_refused(calibrate, epsilon) -> None:
    with pytest.raises(ValueError, match=r"^epsilon must be from 1e-12 to 1e\+06, got"):
        calibrate(epsilon, 1e-5, sensitivity=1.0)


# ------------------------------------------------------------------ the papers' own formulas


def test_classical_gaussian_formula_holds_to_one_and_breaks_at_ten() -> None:
    # card diss-2.gaussian
    def exact(epsilon: float, delta: float) -> float:
        return gaussian_dp_delta(
            1 / printed_gaussian_scale(epsilon, delta, sensitivity=1.0), epsilon
        )

    assert max(exact(e, d) / d for e in (0.01, 0.5, 1.0) for d in (1e-12, 1e-5, 0.9)) < 0.25
    assert exact(10.0, 1e-5) == pytest.approx(2.265e-5, rel=1e-3)
    assert exact(8.4, 1e-5) <= 1e-5 < exact(8.45, 1e-5)


def test_composed_formula_constant_is_tight_at_its_limit() -> None:
    # sensitivity 2 G/n, zCDP: c = 2 (1 + sqrt 2)^2 exactly meets rho at epsilon = log(1/delta)
    delta, n, steps = 1e-5, 100, 50
    limit = math.log(1 / delta)
    constant = 2 * (1 + math.sqrt(2)) ** 2
    assert constant == pytest.approx(11.66, abs=0.005)

    def rho(epsilon: float, c: float) -> float:
        scale = printed_composed_gaussian_scale(
            epsilon, delta, lipschitz=3.0, n=n, releases=steps, constant=c
        )
        return steps * (2 * 3.0 / n) ** 2 / (2 * scale**2)

    assert rho(limit, constant) == pytest.approx(zcdp_rho(limit, delta), rel=1e-12)
    assert rho(limit / 2, constant) < zcdp_rho(limit / 2, delta)
    assert rho(limit * 1.01, constant) > zcdp_rho(limit * 1.01, delta)


def test_no_constant_of_the_composed_formula_holds_for_every_epsilon() -> None:
    for constant in (11.66, 1e3, 1e6):
        epsilon = 1000 * constant
        scale = printed_composed_gaussian_scale(
            epsilon, 1e-5, lipschitz=1.0, n=1, releases=1, constant=constant
        )
        assert gaussian_dp_epsilon(2 / scale, 1e-5) > epsilon


def test_advanced_composition_step() -> None:
    step = printed_advanced_composition_epsilon(0.9, 1e-6, releases=100)
    assert step == pytest.approx(0.9 / (2 * math.sqrt(200 * math.log(2e6))))
    total = math.sqrt(200 * math.log(1e6)) * step + 100 * step * math.expm1(step)
    assert total < 0.5 * 0.9


CLAIM = {"epsilon": 1, "delta": 1e-5}
ONE = {**CLAIM, "sensitivity": 1}


@pytest.mark.parametrize(
    ("calibrate", "arguments", "message"),
    [
        (smallest_gaussian_scale, {**ONE, "epsilon": 0}, "epsilon"),
        (smallest_gaussian_scale, {**ONE, "epsilon": "1"}, "real number"),
        (smallest_gaussian_scale, {**ONE, "delta": 1.5}, "delta"),
        (smallest_gaussian_scale, {**ONE, "sensitivity": 0}, "sensitivity"),
        (smallest_gaussian_scale, {**ONE, "releases": 0}, "releases"),
        (smallest_gaussian_scale, {**ONE, "method": "magic"}, "method must be"),
        (
            smallest_sampled_gaussian_scale,
            {**ONE, "population": 10, "size": 5, "method": "magic"},
            "method must be 'pld' or 'renyi'",
        ),
        (smallest_laplace_scale, {**ONE, "delta": 1.0}, "delta"),
        (smallest_laplace_scale, {**ONE, "releases": 1.5}, "releases"),
        (printed_gaussian_scale, {**ONE, "delta": 0}, "delta"),
        (exponential_step_epsilon, {**CLAIM, "releases": 0}, "releases"),
        (
            exponential_step_epsilon,
            {**CLAIM, "releases": 1, "method": "magic"},
            "method must be 'accountant' or 'zcdp'",
        ),
    ],
)
def test_bad_input_is_named(calibrate, arguments, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        calibrate(**arguments)


@pytest.mark.parametrize("root", [-7.3, -2.0004, -0.77777, -0.01])
def test_a_scale_is_never_below_the_smallest(root: float) -> None:
    # a curve with a step, on which a root finder errs by all of its tolerance
    found = _smallest_logarithm(lambda x: 1.0 if x < root else -1.0, 0.0)
    assert root <= found <= root + 1e-3
