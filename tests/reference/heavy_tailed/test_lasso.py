import math

import numpy as np
import pytest
from scipy.special import log_softmax

from reference.errata.heavy_tailed.lasso import printed, printed_score_sensitivity
from reference.errata.nonconvex.frank_wolfe_l1 import printed_step_epsilon
from reference.heavy_tailed.lasso import (
    constants_for,
    heavy_tailed_lasso,
    recommended_truncation_level,
)
from reference.losses import SquaredError, empirical_risk
from reference.privacy.accounting import Charge, Composition
from reference.privacy.calibration import exponential_step_epsilon
from reference.privacy.guarantees import zcdp_epsilon
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger


def problem(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_t(5, (n, d))
    return features, features @ np.array([0.8, -0.6, 0.0])[:d] + rng.standard_t(3, n)


def run(data, function=heavy_tailed_lasso, **options):
    options = {
        "truncation_level": 2.0,
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return function(data, **options)


def releases(data=None, **options):
    ledger = RecordingLedger(0)
    run(problem() if data is None else data, ledger=ledger, **options)
    return ledger.transcript.releases


def constants(**changes):
    given = {"n": 40, "epsilon": 1.0, "delta": 1e-5, "radius": 1.0, "truncation_level": 1.0}
    return constants_for(**{**given, "n_iterations": 1, **changes})


def sign_flip(truncation, others=0):
    """Record ((K, K), -K) or ((K, -K), -K), and others ((0, K), -K)."""
    k = truncation
    rest = np.tile([0.0, k], (others, 1))
    labels = np.full(1 + others, -k)
    return [(np.vstack([[[k, sign * k]], rest]), labels) for sign in (1.0, -1.0)]


def step_laws(pair, **options):
    """Log-probabilities of the vertices in the first step, under both data sets."""
    laws = []
    for data in pair:
        release = releases(data, n_iterations=1, **options)[0]
        laws.append(log_softmax(release.mechanism.rate * release.value))
    return laws


def exact_delta(first, second, epsilon):
    """Return the larger of both hockey-stick divergences of two finite laws."""
    return max(
        float(np.maximum(np.exp(p) - np.exp(epsilon + q), 0.0).sum())
        for p, q in ((first, second), (second, first))
    )


# ------------------------------------------------------------------------------ the budget


@pytest.mark.parametrize("n_iterations", [1, 6, 40])
def test_corrected_budget_spends_exactly_the_claim(n_iterations):
    """As the accountant has it; the seed's conversion asks for less to be spent."""
    for epsilon in (0.5, 8.0):
        made = releases(epsilon=epsilon, n_iterations=n_iterations)
        assert [r.claim.records for r in made] == [None] * n_iterations
        costs = [r.mechanism.cost(r.claim.sensitivity) for r in made]
        spent = Composition([Charge(cost) for cost in costs]).epsilon(1e-2).epsilon
        assert 0.98 * epsilon < spent <= epsilon * (1 + 1e-9)


def test_budget_by_the_seeds_conversion():
    for epsilon in (0.5, 8.0):
        chosen = constants(epsilon=epsilon, delta=1e-2, n_iterations=6, method="zcdp")
        rho = 6 * chosen.step_epsilon**2 / 8
        assert zcdp_epsilon(rho, 1e-2) == pytest.approx(epsilon, rel=1e-12)


def test_printed_budget():
    """epsilon/(2 sqrt(2 T log(1/delta))), T = 5; a quarter of zCDP's for small epsilon."""
    release = releases(epsilon=1e-3, function=printed)[0]
    loose = release.mechanism.cost(release.claim.sensitivity).pure
    assert loose == pytest.approx(1e-3 / (2 * math.sqrt(10 * math.log(100))), rel=1e-12)
    by_zcdp = exponential_step_epsilon(1e-3, 1e-2, releases=5, method="zcdp")
    assert by_zcdp / loose == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 0.99])
def test_printed_budget_is_enough_up_to_delta_0979(epsilon):
    """epsilon <= 48 log(1/delta): exactly at delta = exp(-epsilon/48), whatever T (hu-2/E2)."""
    for delta, within in ((0.979, True), (math.exp(-epsilon / 48) + 1e-4, False)):
        step = printed_step_epsilon(epsilon, delta, n_iterations=7)
        spent = zcdp_epsilon(7 * step**2 / 8, delta)
        assert (spent <= epsilon) == within


def test_printed_budget_fails_for_delta_near_one():
    """delta(0.99) of the exact law is above delta = 1 - 1e-5: erratum hu-2/E2."""
    pair = [(np.ones((1, 1)), np.array([y])) for y in (1.0, -1.0)]
    delta = 1 - 1e-5
    options = {"epsilon": 0.99, "truncation_level": 1.0}
    broken = step_laws(pair, delta=delta, function=printed, **options)
    assert exact_delta(*broken, 0.99) == pytest.approx(1 - 3.618e-6, abs=1e-9)
    assert exact_delta(*broken, 0.99) > delta
    assert exact_delta(*step_laws(pair, delta=delta, **options), 0.99) < delta


# ------------------------------------------------------------------------------ sensitivity


def test_sensitivities_by_hand():
    assert constants(n=10, truncation_level=3.0).sensitivity == pytest.approx(8 * 9 / 10)
    assert printed_score_sensitivity(10, radius=1.0, truncation_level=3.0) == 16 * 9 / 10
    for radius in (0.5, 3.0, 10.0):
        claimed = printed_score_sensitivity(7, radius=radius, truncation_level=2.0)
        ratio = constants(n=7, radius=radius, truncation_level=2.0).sensitivity / claimed
        assert ratio == pytest.approx((1 + radius) / 4, rel=1e-14)


@pytest.mark.parametrize("radius", [0.3, 1.0, 4.0, 50.0])
def test_sensitivity_is_attained(radius):
    pair = sign_flip(3.0, others=4)
    first, second = (
        releases(data, radius=radius, truncation_level=3.0, initial=[radius, 0.0])[0]
        for data in pair
    )
    assert np.abs(first.value - second.value).max() == pytest.approx(
        first.claim.sensitivity, rel=1e-13
    )


@pytest.mark.parametrize("radius", [0.3, 1.0, 4.0])
def test_a_selection_costs_its_whole_budget(radius):
    """The loss tends to the step's budget as the others favour -R e_2."""
    options = {"radius": radius, "initial": [radius, 0.0], "epsilon": 1.0}
    first, second = step_laws(sign_flip(2.0, others=1000), **options)
    budget = releases(sign_flip(2.0)[0], n_iterations=1, **options)[0]
    cost = budget.mechanism.cost(budget.claim.sensitivity).pure
    loss = np.abs(first - second).max()
    assert loss <= cost * (1 + 1e-12)
    assert loss == pytest.approx(cost, rel=1e-6)


@pytest.mark.parametrize(
    ("radius", "others", "delta_at"),
    [(10.0, 60, 0.0), (37.0, 700, 0.0), (39.0, 565, 1.507e-5), (60.0, 180, 0.017065),
     (200.0, 80, 0.41156)],
)  # fmt: skip
def test_printed_sensitivity_breaks_the_claim_of_a_wide_ball(radius, others, delta_at):
    """Exact delta(0.99) of one step against delta = 1e-5 (erratum hu-2/E1)."""
    options = {"radius": radius, "initial": [radius, 0.0], "epsilon": 0.99, "delta": 1e-5}
    pair = sign_flip(2.0, others=others)
    broken = step_laws(pair, function=printed, **options)
    assert exact_delta(*broken, 0.99) == pytest.approx(delta_at, rel=2e-4, abs=1e-15)
    repaired = step_laws(pair, **options)
    assert exact_delta(*repaired, 0.99) == 0.0


# --------------------------------------------------------------------------- the algorithm


def test_two_noiseless_steps_by_hand():
    """Shrunk to 2, the record ((9, 1), 4) is ((2, 1), 2), the other ((-2, 0), 0).

    Gradient at 0: -(2, 1) 2 = (-4, -2), vertex e_1. At (2/3, 0): residuals -2/3 and -4/3,
    (-4/3, -2/3) + (8/3, 0) = (4/3, -2/3), vertex -e_1 after a step of 1/2.
    """
    data = np.array([[9.0, 1.0], [-1e300, 0.0]]), np.array([4.0, 0.0])
    made = releases(data, n_iterations=1)
    np.testing.assert_allclose(made[0].value, [4.0, 2.0, -4.0, -2.0], rtol=1e-15)
    w = run(data, n_iterations=2, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(w, [1 / 3 - 1 / 2, 0.0], rtol=1e-15)


def test_starting_point_and_radius():
    """Radius 3, from (0, 3): gradient (0, 12) of the record ((0, 2), 0), so to (0, -3) by 2/3."""
    data = np.array([[0.0, 2.0]]), np.array([0.0])
    w = run(data, radius=3.0, initial=[0.0, 3.0], n_iterations=1, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(w, [0.0, 1.0 - 2.0], rtol=1e-15)


def test_noiseless_limit_is_scikit_learns_lasso():
    """Its optimum is that of the ball of its own l1 norm; 2 C/(T + 2), C = alpha (2 R)^2."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, labels = data = problem(200, 3)
    fit = linear_model.Lasso(alpha=0.2, fit_intercept=False, tol=1e-12).fit(features, labels)
    radius = float(np.abs(fit.coef_).sum())
    w = run(data, radius=radius, truncation_level=1e6, n_iterations=4000, ledger=NoiselessLedger(0))
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


# --------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"initial": [0.9, 0.2, 0.0]}, "initial must lie in the constraint set"),
        ({"initial": [0.0, 0.0]}, "features must have shape"),
    ],
)
def test_what_does_not_fit_together_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        run(problem(), **options)


@pytest.mark.parametrize("huge", [0, 1, 500, 1000])
def test_a_level_whose_sums_overflow_is_refused_whatever_the_records(huge):
    """Or how many records are huge would decide whether it runs."""
    features, labels = np.ones((1000, 3)), -np.ones(1000)
    features[:huge], labels[:huge] = 1e300, -1e300
    with pytest.raises(ValueError, match="truncation_level must be from 1e-50"):
        run((features, labels), truncation_level=3e153)
    assert run((features, labels), truncation_level=1e50).shape == (3,)


def test_no_data_at_all_are_refused():
    with pytest.raises(TypeError, match="data must be a pair"):
        run(())


def test_the_recommended_level_refuses_bad_parameters():
    with pytest.raises(ValueError, match="fourth_moment must be a finite number > 0"):
        recommended_truncation_level(10, epsilon=1.0, n_iterations=5, fourth_moment=-1.0)
