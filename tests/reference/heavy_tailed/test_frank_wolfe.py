"""Frank-Wolfe with robust gradients (hu-1) and on shrunken data (hu-2, the LASSO).

Their settings say what they give without noise.
"""

import math

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from reference.constraint_sets import L1Ball, Polytope
from reference.errata.heavy_tailed.lasso import printed_score_sensitivity
from reference.errata.nonconvex.frank_wolfe_l1 import printed_step_epsilon
from reference.heavy_tailed.frank_wolfe import (
    heavy_tailed_frank_wolfe,
    l1_diameter,
    recommended_iterations,
    recommended_truncation_scale,
)
from reference.heavy_tailed.lasso import (
    constants_for,
    heavy_tailed_lasso,
    recommended_truncation_level,
)
from reference.losses import SquaredError, empirical_risk
from reference.privacy.accounting import Charge, Composition
from reference.privacy.guarantees import zcdp_epsilon
from reference.privacy.ledger import NoiselessLedger, RecordingLedger

SEGMENT = Polytope([[101.0, 100.0], [100.0, 101.0]])


def problem(n=40):
    rng = np.random.default_rng(0)
    features = rng.standard_t(5, (n, 3))
    return features, features @ np.array([0.8, -0.6, 0.0]) + rng.standard_t(3, n)


def lasso(data, **options):
    usual = {"truncation_level": 2.0, "epsilon": 1.0, "delta": 1e-2, "n_iterations": 5}
    return heavy_tailed_lasso(data, **{**usual, **options})


# ------------------------------------------------------------------------------ robust gradients


def test_noiseless_limit_is_the_constrained_optimum():
    """Against SLSQP in positive and negative parts; 2 C/(T + 2), C = alpha diameter^2."""
    data, ball, loss, steps = problem(), L1Ball(1.0), SquaredError(), 500
    copies = np.tile(data[0], (steps, 1)), np.tile(data[1], steps)
    w = heavy_tailed_frank_wolfe(
        copies,
        loss,
        ball,
        initial=np.zeros(3),
        epsilon=1.0,
        truncation_scale=1e7,
        n_iterations=steps,
        ledger=NoiselessLedger(0),
    )
    best = minimize(
        lambda v: empirical_risk(loss, data, v[:3] - v[3:]),
        np.full(6, 0.1),
        bounds=[(0, None)] * 6,
        constraints={"type": "ineq", "fun": lambda v: 1 - v.sum()},
        options={"ftol": 1e-12},
    )
    smoothness = 2 * np.linalg.eigvalsh(data[0].T @ data[0] / 40)[-1]
    assert ball.contains(w)
    gap = empirical_risk(loss, data, w) - best.fun
    assert -1e-9 <= gap <= 2 * smoothness * 4 / (steps + 2)
    assert gap < 0.05  # the zero vector's is above 1
    assert empirical_risk(loss, data, np.zeros(3)) - best.fun > 1


def test_l1_diameter():
    assert l1_diameter(L1Ball(1.5), 1) == 3.0
    assert l1_diameter(Polytope(L1Ball(1.5).vertices(4)), 4) == 3.0
    assert l1_diameter(SEGMENT, 2) == 2.0
    # not between neighbours in the list, nor from the first point
    assert l1_diameter(Polytope([[0, 0], [1, 2], [5, 0], [-3, 4]]), 2) == 12.0


SETTING = {
    "second_moment": 8.0,
    "n": 10_000,
    "dimension": 100,
    "n_vertices": 200,
    "epsilon": 1.0,
    "failure_probability": 0.1,
    "precision": 1.5,
}


def step_error(s, n_iterations, epsilon=1.0):
    """The bound on the error of a step over ||W||_1, term by term."""
    m, beta, t = SETTING["n"] // n_iterations, 1.5, n_iterations
    noise_scale = 2 * 4 * math.sqrt(2) * s / (3 * m * epsilon)  # Lemma 1: 2 Delta/epsilon
    return (
        8.0 * (1 + 1 / beta) / (2 * s)
        + s * (beta / 2 + math.log(2 * 100 * t / 0.05)) / m
        + noise_scale * (math.log(200) + math.log(t / 0.05))
    )


@pytest.mark.parametrize("epsilon", [1e-2, 1.0, 1e6])
def test_recommended_truncation_scale_minimises_the_bound(epsilon):
    best = minimize_scalar(lambda s: step_error(s, 8, epsilon), bounds=(1, 1000), method="bounded")
    found = recommended_truncation_scale(n_iterations=8, **{**SETTING, "epsilon": epsilon})
    assert found == pytest.approx(best.x, rel=1e-4)


def test_recommended_iterations_minimise_the_bound():
    """2 alpha D^2/T + D step_error, with log n for log T, which moves the optimum little."""
    found = recommended_iterations(smoothness=2.0, diameter=2.0, **SETTING)

    def bound(steps):
        best = recommended_truncation_scale(n_iterations=steps, **SETTING)
        return 2 * 2.0 * 4 / steps + 2 * step_error(best, steps)

    bounds = {steps: bound(steps) for steps in range(1, 100)}
    assert bounds[found] < 1.02 * min(bounds.values())


def test_recommended_values_do_not_depend_on_units():
    """w = c w' turns alpha, tau, ||W||_1 into c^2 alpha, c^2 tau, ||W||_1/c (erratum hu-1/E1)."""
    one = recommended_iterations(smoothness=2.0, diameter=2.0, **SETTING)
    moment = {**SETTING, "second_moment": 8.0 * 49}
    assert recommended_iterations(smoothness=2.0 * 49, diameter=2 / 7, **moment) == one
    assert recommended_truncation_scale(n_iterations=9, **moment) == pytest.approx(
        7 * recommended_truncation_scale(n_iterations=9, **SETTING), rel=1e-14
    )


def test_recommended_iterations_are_between_1_and_n():
    few = {**SETTING, "n": 3}
    assert recommended_iterations(smoothness=1e9, diameter=1e9, **few) == 3
    assert recommended_iterations(smoothness=1e-9, diameter=1.0, **SETTING) == 1


def test_recommendations_refuse_bad_parameters():
    with pytest.raises(ValueError, match="n_iterations must be an integer >= 1 and <= 10000"):
        recommended_truncation_scale(n_iterations=10_001, **SETTING)
    with pytest.raises(ValueError, match=r"diameter must be a finite number > 0, got 0\.0"):
        recommended_iterations(smoothness=1.0, diameter=0.0, **SETTING)


# --------------------------------------------------------------------------------- bad input


# ---------------------------------------------------------------------------- on shrunken data


@pytest.mark.parametrize("n_iterations", [1, 6, 40])
def test_corrected_budget_spends_exactly_the_claim(n_iterations):
    """As the accountant has it; the seed's conversion asks for less to be spent."""
    for epsilon in (0.5, 8.0):
        ledger = RecordingLedger(0)
        lasso(problem(), epsilon=epsilon, n_iterations=n_iterations, ledger=ledger)
        made = ledger.transcript.releases
        assert [r.claim.records for r in made] == [None] * n_iterations
        costs = [r.mechanism.cost(r.claim.sensitivity) for r in made]
        spent = Composition([Charge(cost) for cost in costs]).epsilon(1e-2).epsilon
        assert 0.98 * epsilon < spent <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 0.99])
def test_printed_budget_is_enough_up_to_delta_0979(epsilon):
    """epsilon <= 48 log(1/delta): exactly at delta = exp(-epsilon/48), whatever T (hu-2/E2)."""
    for delta, within in ((0.979, True), (math.exp(-epsilon / 48) + 1e-4, False)):
        step = printed_step_epsilon(epsilon, delta, n_iterations=7)
        spent = zcdp_epsilon(7 * step**2 / 8, delta)
        assert (spent <= epsilon) == within


def test_sensitivities_by_hand():
    given = {"epsilon": 1.0, "delta": 1e-5, "n_iterations": 1}
    by_hand = constants_for(n=10, radius=1.0, truncation_level=3.0, **given)
    assert by_hand.sensitivity == pytest.approx(8 * 9 / 10)
    assert printed_score_sensitivity(10, radius=1.0, truncation_level=3.0) == 16 * 9 / 10
    for radius in (0.5, 3.0, 10.0):
        right = constants_for(n=7, radius=radius, truncation_level=2.0, **given).sensitivity
        claimed = printed_score_sensitivity(7, radius=radius, truncation_level=2.0)
        assert right / claimed == pytest.approx((1 + radius) / 4, rel=1e-14)


def test_the_noiseless_limit_on_shrunken_data_is_scikit_learns_lasso():
    """Its optimum is that of the ball of its own l1 norm; 2 C/(T + 2), C = alpha (2 R)^2."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, labels = data = problem(200)
    fit = linear_model.Lasso(alpha=0.2, fit_intercept=False, tol=1e-12).fit(features, labels)
    radius = float(np.abs(fit.coef_).sum())
    quiet = {"n_iterations": 4000, "ledger": NoiselessLedger(0)}
    w = lasso(data, radius=radius, truncation_level=1e6, **quiet)
    smoothness = 2 * np.linalg.eigvalsh(features.T @ features / 200)[-1]
    gap = empirical_risk(SquaredError(), data, w) - empirical_risk(SquaredError(), data, fit.coef_)
    assert -1e-9 <= gap <= 2 * smoothness * (2 * radius) ** 2 / 4002
    np.testing.assert_allclose(w, fit.coef_, atol=2e-3)


def test_recommended_truncation_level():
    """(M n epsilon)^(1/4)/T^(1/8), in the units of the data."""
    by_hand = recommended_truncation_level(10_000, epsilon=1.0, n_iterations=256)
    assert by_hand == pytest.approx(10 / 2, rel=1e-14)
    moved = recommended_truncation_level(
        10_000, epsilon=0.5, n_iterations=256, fourth_moment=2.0 * 81
    )
    assert moved == pytest.approx(3 * by_hand, rel=1e-14)


@pytest.mark.parametrize("huge", [0, 1, 500, 1000])
def test_a_level_whose_sums_overflow_is_refused_whatever_the_records(huge):
    """Or how many records are huge would decide whether it runs."""
    features, labels = np.ones((1000, 3)), -np.ones(1000)
    features[:huge], labels[:huge] = 1e300, -1e300
    with pytest.raises(ValueError, match="truncation_level must be from 1e-50"):
        lasso((features, labels), truncation_level=3e153)
    assert lasso((features, labels), truncation_level=1e50).shape == (3,)


def test_the_recommended_level_refuses_bad_parameters():
    with pytest.raises(ValueError, match="fourth_moment must be a finite number > 0"):
        recommended_truncation_level(10, epsilon=1.0, n_iterations=5, fourth_moment=-1.0)
