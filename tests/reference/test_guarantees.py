"""Guarantees as values: every conversion against the definition, at high precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp
from scipy.optimize import minimize_scalar

from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    Model,
    PureDP,
    Relation,
    RenyiDP,
    add_remove_to_replace_one,
    gaussian_dp_delta,
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    gaussian_to_zcdp,
    laplace_delta,
    laplace_epsilon,
    largest_pure_epsilon,
    largest_zcdp_rho,
    pure_to_zcdp,
    smallest_epsilon,
    to_approximate,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
    zcdp_to_renyi,
)

DELTAS = (1e-300, 1e-100, 1e-15, 1e-5, 0.1, 0.5, 0.9)


def exact_gaussian_delta(mu: float, epsilon: float) -> mp.mpf:
    # the two terms agree in about as many bits as mu is small
    with mp.workprec(400 + 2 * int(abs(math.log2(mu)))):
        m, e = mp.mpf(mu), mp.mpf(epsilon)

        def phi(x: mp.mpf) -> mp.mpf:
            return mp.erfc(-x / mp.sqrt(2)) / 2

        return phi(m / 2 - e / m) - mp.exp(e) * phi(-m / 2 - e / m)


@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 3.0, 10.0, 40.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.1, 1.0, 5.0, 100.0, 1e3])
def test_gaussian_delta_is_exact_to_nine_digits_however_small(mu: float, epsilon: float) -> None:
    exact = exact_gaussian_delta(mu, epsilon)
    computed = gaussian_dp_delta(mu, epsilon)
    if exact > mp.mpf("1e-300"):
        assert computed == pytest.approx(float(exact), rel=1e-9)
    else:
        assert computed <= 1e-300


@pytest.mark.parametrize("mu", [1e-300, 1e-100, 1e-16, 1e-9, 1e-4, 0.5, 0.70, 0.71, 30.0, 1e3])
@pytest.mark.parametrize("low", [-20.0, -1e-3, 0.0, 1e-3, 0.4, 5.0, 20.0])
def test_gaussian_delta_does_not_cancel(mu: float, low: float) -> None:
    # the smaller mu, the closer the two terms of the formula: at (1e-16, 0) no digit was right
    epsilon = max(0.0, mu * (low + mu / 2))
    exact = exact_gaussian_delta(mu, epsilon)
    if exact > mp.mpf("1e-300"):
        assert float(gaussian_dp_delta(mu, epsilon) / exact) == pytest.approx(1, rel=1e-9)


def claims(count: int) -> list[tuple[float, float]]:
    """Return corners of epsilon in 1e-12..1e6 and delta in 1e-300..1 - 1e-12, and points inside."""
    rng = np.random.default_rng(0)
    corners = [(e, d) for e in (1e-12, 1e-6, 1.0, 1e6) for d in (1e-300, 1e-12, 0.5, 1 - 1e-12)]
    inside = [
        (
            10 ** rng.uniform(-12, 6),
            (10 ** rng.uniform(-300, 0), 1 - 10 ** rng.uniform(-12, 0))[k % 2],
        )
        for k in range(count)
    ]
    # beyond the range it must at least end
    return corners + inside + [(1e-14, 1e-5), (1e-300, 1e-300), (1e-15, 1e-17)]


@pytest.mark.parametrize(("epsilon", "delta"), claims(60))
def test_gaussian_calibration_meets_delta_to_nine_digits(epsilon: float, delta: float) -> None:
    mu = gaussian_dp_mu(epsilon, delta)
    exact = exact_gaussian_delta(mu, epsilon)
    assert float(exact / mp.mpf(delta)) == pytest.approx(1, rel=1e-9)
    if delta > 0.5:
        assert float((1 - exact) / (1 - mp.mpf(delta))) == pytest.approx(1, rel=1e-9)
    again = gaussian_dp_epsilon(mu, delta)
    assert float(exact_gaussian_delta(mu, again) / mp.mpf(delta)) == pytest.approx(1, rel=1e-9)


def test_gaussian_limits() -> None:
    assert gaussian_dp_delta(0.0, 1.0) == 0.0
    assert gaussian_dp_delta(math.inf, 1.0) == 1.0
    assert gaussian_dp_delta(1e9, 1.0) == 1.0
    assert gaussian_dp_epsilon(math.inf, 1e-5) == math.inf
    assert gaussian_dp_epsilon(0.1, 0.5) == 0.0
    assert GaussianDP(1.0).epsilon_at(0) == math.inf


def test_known_gaussian_number_of_the_cards() -> None:
    # card diss-2.zcdp and DESIGN: noise by zCDP for (1, 1e-5) spends 0.7416 exactly
    mu = math.sqrt(2 * zcdp_rho(1, 1e-5))
    assert gaussian_dp_epsilon(mu, 1e-5) == pytest.approx(0.7416, abs=5e-5)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", [1e-8, 1e-3, 1.0, 100.0, 1e6])
def test_zcdp_budget_is_the_inverse_of_lemma_2_1_10(epsilon: float, delta: float) -> None:
    rho = zcdp_rho(epsilon, delta)
    assert zcdp_epsilon(rho, delta) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("rho", [1e-8, 1e-4, 0.01, 0.5, 5.0, 1000.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.3, 1.0, 30.0, 1e4])
def test_zcdp_delta_is_the_best_order(rho: float, epsilon: float) -> None:
    def log_delta(log_excess: float) -> float:
        x = math.exp(log_excess)
        ratio = log_excess - math.log1p(x)
        return x * ((1 + x) * rho - epsilon) - log_excess + (1 + x) * ratio

    grid = np.linspace(-40, 40, 4001)
    start = grid[int(np.argmin([log_delta(u) for u in grid]))]
    best = minimize_scalar(log_delta, bounds=(start - 0.1, start + 0.1), method="bounded").fun
    assert zcdp_delta(rho, epsilon) == pytest.approx(math.exp(min(0.0, best)), rel=1e-6, abs=1e-307)


@pytest.mark.parametrize(
    ("rho", "epsilon"), [(1e-280, 1e-140), (1e-30, 1e-15), (1e-26, 1e-12), (1e-20, 1e-9)]
)
def test_zcdp_delta_keeps_its_digits_at_large_orders(rho: float, epsilon: float) -> None:
    """Delta is e^(a^2 rho - a epsilon - 1)/a for orders a >> 1; least at 2a rho - epsilon = 1/a."""
    a = (epsilon + math.sqrt(epsilon**2 + 8 * rho)) / (4 * rho)
    expected = math.exp(a * (a * rho - epsilon) - 1) / a
    assert zcdp_delta(rho, epsilon) == pytest.approx(expected, rel=1e-7, abs=0)


def test_zcdp_delta_never_exceeds_the_seed_conversion_and_covers_the_gaussian() -> None:
    for rho in (1e-4, 0.1, 2.0):
        for delta in (1e-12, 1e-5, 0.3):
            epsilon = zcdp_epsilon(rho, delta)
            assert zcdp_delta(rho, epsilon) <= delta
            for e in (0.0, epsilon / 3, epsilon):
                assert gaussian_dp_delta(math.sqrt(2 * rho), e) <= zcdp_delta(rho, e)


def test_zcdp_extremes() -> None:
    assert zcdp_delta(0.0, 1.0) == 0.0
    assert zcdp_delta(math.inf, 1.0) == 1.0
    assert zcdp_delta(1e20, 1.0) == 1.0
    assert zcdp_delta(1e-12, 1.0) == 0.0
    assert ZCDP(0.5).epsilon_at(0) == math.inf
    assert ZCDP(1e18).epsilon_at(1e-5) == math.inf


def test_pure_curve_is_randomised_response() -> None:
    for budget in (0.1, 1.0, 6.0):
        keep = 1 / (1 + math.exp(-budget))
        for epsilon in (0.0, budget / 3, budget, 2 * budget):
            exact = max(0.0, keep - math.exp(epsilon - budget) * keep)
            assert PureDP(budget).delta_at(epsilon) == pytest.approx(exact, abs=1e-12)
    assert PureDP(1e3).delta_at(999.0) == pytest.approx(1 - math.exp(-1))
    assert PureDP(1.0).epsilon_at(0) == 1.0
    assert PureDP(1.0).epsilon_at(0.999) == 0.0


def curves() -> list[Guarantee]:
    return [PureDP(0.7), ApproximateDP(0.5, 1e-5), ZCDP(0.1), RenyiDP(3.0, 0.2), GaussianDP(0.8)]


@pytest.mark.parametrize("guarantee", curves(), ids=lambda g: type(g).__name__)
@pytest.mark.parametrize("delta", [2e-5, 1e-3, 0.05, 0.9])
def test_epsilon_is_the_smallest_at_its_delta(guarantee: Guarantee, delta: float) -> None:
    epsilon = guarantee.epsilon_at(delta)
    assert guarantee.delta_at(epsilon) <= delta * (1 + 1e-9)
    if epsilon > 0:
        assert guarantee.delta_at(epsilon * (1 - 1e-6)) > delta * (1 - 1e-12)


def test_approximate_curve_has_its_own_delta_as_floor() -> None:
    guarantee = ApproximateDP(0.5, 1e-5)
    assert guarantee.delta_at(0.5) == 1e-5
    assert guarantee.delta_at(50.0) == 1e-5
    assert guarantee.epsilon_at(1e-5) == 0.5
    assert guarantee.epsilon_at(0.9e-5) == math.inf


def test_laplace_curve_against_its_definition() -> None:
    for size in (0.3, 1.0, 4.0):
        for epsilon in (0.0, size / 2, size, size + 1):
            # values 0 and 1 on the event {x <= 1/2 - epsilon/(2 size)}, where the ratio exceeds
            t = mp.mpf(1) / 2 - mp.mpf(epsilon) / (2 * size)
            if epsilon >= size:
                exact = 0.0
            else:
                seen = 1 - mp.exp(-size * t) / 2
                exact = float(seen - mp.exp(epsilon) * mp.exp(-size * (1 - t)) / 2)
            assert laplace_delta(size, epsilon) == pytest.approx(exact, abs=1e-14)
        assert laplace_epsilon(size, laplace_delta(size, size / 3)) == pytest.approx(size / 3)
        assert laplace_epsilon(size, 0.0) == size


def test_smallest_epsilon_stops_at_a_jump_and_at_infinity() -> None:
    assert smallest_epsilon(lambda e: 0.0 if e >= 0.375 else 1.0, 0.1) == pytest.approx(0.375)
    assert smallest_epsilon(lambda e: 0.0 if e >= 3.0 else 1.0, 0.1) >= 3.0
    # far out doubles are too coarse for the digits that are asked for at 1
    assert smallest_epsilon(lambda e: 0.0 if e >= 1e5 else 1.0, 0.1) == pytest.approx(1e5)
    assert smallest_epsilon(lambda e: 0.5, 0.1) == math.inf
    assert smallest_epsilon(lambda e: 0.05, 0.1) == 0.0


def test_conversions_keep_model_and_relation() -> None:
    local = PureDP(1.0, model=Model.LOCAL, relation=Relation.ADD_OR_REMOVE_ONE)
    assert pure_to_zcdp(local) == ZCDP(0.5, model=Model.LOCAL, relation=Relation.ADD_OR_REMOVE_ONE)
    assert zcdp_to_renyi(ZCDP(0.5), 4.0) == RenyiDP(4.0, 2.0)
    assert gaussian_to_zcdp(GaussianDP(2.0)) == ZCDP(2.0)
    converted = to_approximate(ZCDP(0.5, model=Model.LOCAL), 1e-5)
    assert converted.model is Model.LOCAL
    assert converted.epsilon == pytest.approx(ZCDP(0.5).epsilon_at(1e-5))


def test_group_privacy_of_two_steps() -> None:
    relation = Relation.ADD_OR_REMOVE_ONE
    assert add_remove_to_replace_one(PureDP(0.5, relation=relation)) == PureDP(1.0)
    assert add_remove_to_replace_one(ZCDP(0.5, relation=relation)) == ZCDP(2.0)
    assert add_remove_to_replace_one(GaussianDP(0.5, relation=relation)) == GaussianDP(1.0)
    approximate = add_remove_to_replace_one(ApproximateDP(0.5, 1e-5, relation=relation))
    assert isinstance(approximate, ApproximateDP)
    assert approximate.epsilon == 1.0
    assert approximate.delta == pytest.approx((1 + math.exp(0.5)) * 1e-5)
    with pytest.raises(ValueError, match="not an add/remove-one"):
        add_remove_to_replace_one(PureDP(0.5))
    with pytest.raises(ValueError, match="no group-privacy rule"):
        add_remove_to_replace_one(RenyiDP(2.0, 0.5, relation=relation))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PureDP(0.0), "epsilon must be a finite number > 0, got 0"),
        (lambda: PureDP(math.nan), "epsilon must be"),
        (lambda: ApproximateDP(1.0, 0.0), r"delta must be in \(0, 1\), got 0"),
        (lambda: ApproximateDP(1.0, 1.0), r"delta must be in \(0, 1\)"),
        (lambda: ZCDP(-1.0), "rho must be"),
        (lambda: RenyiDP(1.0, 1.0), r"alpha must be in \(1, inf\)"),
        (lambda: RenyiDP(math.inf, 1.0), r"alpha must be in \(1, inf\)"),
        (lambda: GaussianDP(math.inf), "mu must be"),
        (lambda: to_approximate(PureDP(1.0), 0.9), "choose another delta"),
        (lambda: to_approximate(PureDP(1.0), 1.5), "delta must be in"),
    ],
)
def test_bad_input_is_named(build: object, message: str) -> None:
    assert callable(build)
    with pytest.raises(ValueError, match=message):
        build()


def test_a_guarantee_describes_itself_as_the_papers_do() -> None:
    assert ApproximateDP(1.0, 1e-5).describe() == "(1, 1e-05)-DP (central, replace-one)"
    assert PureDP(2.0, model=Model.LOCAL).describe() == "2-DP (local, replace-one)"
    assert "0.5-zCDP" in ZCDP(0.5).describe()
    assert "(2, 0.5)-Renyi" in RenyiDP(2.0, 0.5).describe()
    assert "0.3-Gaussian DP" in GaussianDP(0.3).describe()


@pytest.mark.parametrize("delta", [1e-300, 1e-15, 1e-5, 0.3, 0.999])
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 4.0, 1e3])
def test_the_largest_rho_and_pure_epsilon_of_a_claim(epsilon, delta):
    rho = largest_zcdp_rho(epsilon, delta)
    assert zcdp_delta(rho, epsilon) <= delta
    assert zcdp_delta(rho * (1 + 1e-9), epsilon) > delta
    assert rho >= zcdp_rho(epsilon, delta)
    pure = largest_pure_epsilon(epsilon, delta)
    # a double near epsilon moves delta by as much as doubles there are apart
    assert PureDP(pure).delta_at(epsilon) == pytest.approx(delta, rel=1e-9, abs=16 * math.ulp(pure))
    assert PureDP(pure).delta_at(epsilon) <= delta
    assert pure >= epsilon


def test_what_is_kept_of_a_claim_in_single_precision_is_not_that_of_one_in_double() -> None:
    exact = gaussian_dp_mu.__wrapped__(0.5, 1e-5)
    assert gaussian_dp_mu(np.float32(0.5), 1e-5) == pytest.approx(exact, rel=1e-5)
    assert gaussian_dp_mu(0.5, 1e-5) == exact


@pytest.mark.parametrize("epsilon", [1e-200, 1e-60, 1e120])
def test_the_largest_rho_of_an_extreme_claim_is_that_of_the_lemma(epsilon):
    assert largest_zcdp_rho(epsilon, 1e-5) == zcdp_rho(epsilon, 1e-5)
