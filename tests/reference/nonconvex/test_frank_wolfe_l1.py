import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from reference.catalogue import entry
from reference.constraint_sets import L1Ball, Polytope, frank_wolfe_gap
from reference.errata.nonconvex.frank_wolfe_l1 import printed, printed_step_epsilon
from reference.losses import Cosine, Linear, Logistic, Sigmoid, empirical_risk
from reference.nonconvex.frank_wolfe_l1 import (
    constants_for,
    constants_for_l1_smooth,
    dp_frank_wolfe_l1,
)
from reference.privacy.calibration import exponential_step_epsilon
from reference.privacy.guarantees import zcdp_epsilon
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger


def problem(n=40, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.uniform(-1, 1, (n, p))
    labels = np.where(features @ np.arange(1.0, p + 1) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1)
    return features, labels


SIGMOID, LINEAR = Sigmoid(feature_norm="l-infinity"), Linear(feature_norm="l-infinity")


CLAIM = {"epsilon": 1.0, "delta": 1e-2, "n_iterations": 5}


def run(data, loss=SIGMOID, constraint=L1Ball(1.0), *, form=dp_frank_wolfe_l1, **options):  # noqa: B008
    options = {"initial": np.zeros(data[0].shape[1]), "ledger": Ledger(0), **CLAIM, **options}
    return form(data, loss, constraint, **options)


def steps_of(step_size, n_iterations, loss=SIGMOID, n=40, p=3):
    """Return the options of a run of so many steps of this size in the unit ball."""
    claim = {**CLAIM, "n_iterations": n_iterations}
    right = constants_for(loss, L1Ball(1.0).vertices(p), n=n, **claim)
    return {"constants": replace(right, step_size=step_size), "n_iterations": n_iterations}


# ------------------------------------------------------------------------------ the budget


def releases(**options):
    ledger = RecordingLedger(0)
    run(problem(), ledger=ledger, **options)
    return ledger.transcript.releases


def test_budget_by_the_seeds_conversion():
    for epsilon in (0.5, 8.0):
        claim = {**CLAIM, "epsilon": epsilon, "method": "zcdp"}
        chosen = constants_for(LINEAR, np.eye(2), n=40, **claim)
        rho = 5 * chosen.step_epsilon**2 / 8
        assert zcdp_epsilon(rho, 1e-2) == pytest.approx(epsilon, rel=1e-12)


def test_claimed_sensitivity_of_a_general_polytope_is_attained():
    """Vertex (1, 1) has l1 norm 2: scores move by 2 G 2/n when a record (1, 1) flips its label."""
    square = Polytope([[1.0, 1.0], [-1.0, -1.0], [0.5, -0.5]])
    ledger = RecordingLedger(0)
    for label in (1.0, -1.0):
        data = (np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([label, 1.0]))
        run(data, LINEAR, square, initial=[1.0, 1.0], n_iterations=1, ledger=ledger)
    first, second = ledger.transcript.releases
    assert first.claim.sensitivity == 2.0
    assert np.abs(first.value - second.value).max() == 2.0


def test_the_printed_budget_is_a_quarter_of_the_zcdp_one_for_small_epsilon():
    """sqrt(8 rho/T) is about 4 epsilon/sqrt(8 T log(1/delta)) (card diss-4.1.19)."""
    release = releases(epsilon=1e-3, form=printed)[0]
    box = release.mechanism.cost(release.claim.sensitivity).pure
    assert box == pytest.approx(printed_step_epsilon(1e-3, 1e-2, n_iterations=5), rel=1e-12)
    by_zcdp = exponential_step_epsilon(1e-3, 1e-2, releases=5, method="zcdp")
    assert by_zcdp / box == pytest.approx(4.0, rel=1e-3)


def test_the_printed_budget_is_the_whole_zcdp_budget_at_48_log_1_over_delta():
    epsilon = 48 * math.log(100)
    made = releases(epsilon=epsilon, form=printed)
    rho = sum(r.mechanism.cost(r.claim.sensitivity).rho for r in made)
    assert zcdp_epsilon(rho, 1e-2) == pytest.approx(epsilon, rel=1e-12)


# --------------------------------------------------------------------------- the algorithm


def test_two_noiseless_steps_by_hand():
    """Linear loss with gradient (.5, -.25): the vertex is -e_1 every time."""
    data = (np.array([[1.0, -0.5], [0.0, 0.0]]), np.ones(2))
    steps = steps_of(0.5, 2, LINEAR, n=2, p=2)
    result = run(data, LINEAR, ledger=NoiselessLedger(0), **steps)
    np.testing.assert_array_equal(result.path, [[0, 0], [-0.5, 0], [-0.75, 0]])


def test_default_step_size_is_the_theorems():
    """sqrt(2/T)/diameter; the unit l1 ball has l2 diameter 2, the simplex sqrt 2."""
    data = (np.array([[1.0, -0.5], [0.0, 0.0]]), np.ones(2))
    quiet, corner = NoiselessLedger(0), {"initial": [1.0, 0.0]}
    path = run(data, LINEAR, n_iterations=8, ledger=quiet).path
    np.testing.assert_allclose(path[1], [-0.25, 0.0], rtol=1e-15)
    simplex = Polytope(np.eye(2))
    path = run(data, LINEAR, simplex, n_iterations=16, ledger=quiet, **corner).path
    np.testing.assert_allclose(path[1], [0.75, 0.25], rtol=1e-12)
    # and never above 1
    assert run(data, LINEAR, simplex, n_iterations=1, **corner).path.shape == (2, 2)


def test_noiseless_limit_is_the_constrained_optimum():
    """Logistic loss on the l1 ball, against scipy's SLSQP in positive and negative parts."""
    data, ball = problem(n=100), L1Ball(1.0)
    loss = Logistic(feature_norm="l-infinity")
    steps = steps_of(0.002, 2000, loss, n=100)
    x = run(data, loss, ball, ledger=NoiselessLedger(0), **steps).path[-1]
    best = minimize(
        lambda v: empirical_risk(loss, data, v[:3] - v[3:]),
        np.full(6, 0.1),
        bounds=[(0, None)] * 6,
        constraints={"type": "ineq", "fun": lambda v: 1 - v.sum()},
        options={"ftol": 1e-12},
    )
    # a constant step leaves at most step L diameter^2/2 with L <= p/4 for the l2 norm
    assert best.fun - 1e-9 <= empirical_risk(loss, data, x) <= best.fun + 0.002 * 0.75 * 4 / 2
    assert frank_wolfe_gap(ball, x, loss.gradient(data, x)) < 0.01


def test_algorithm_4_2_24_has_the_same_outputs():
    """Its box (l.3747-3758): scores -<s, grad>, w_{t+1} = (1 - gamma) w_t + gamma w~_t.

    With the vertices that the run selected, of a polytope that is not symmetric.
    """
    assert entry("diss-4.2.24") is entry("diss-4.1.19")
    assert entry("diss-4.2.24").function is dp_frank_wolfe_l1
    data, ledger = problem(), RecordingLedger(3)
    vertices = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.5], [-0.5, -1.0, 0.0], [0.0, 0.0, -1.0]])
    start, gamma = vertices.mean(axis=0), 0.3
    right = constants_for(SIGMOID, vertices, n=40, **CLAIM)
    options = {"initial": start, "constants": replace(right, step_size=gamma), "ledger": ledger}
    path = run(data, constraint=Polytope(vertices), **options).path
    w = start
    for release, after in zip(ledger.transcript.releases[:5], path[1:], strict=True):
        scores = [-float(s @ SIGMOID.gradient(data, w)) for s in vertices]
        np.testing.assert_allclose(release.value, scores, rtol=1e-12, atol=1e-16)
        w = (1 - gamma) * w + gamma * vertices[int(release.output)]
        np.testing.assert_allclose(after, w, atol=1e-14)


def test_every_iterate_stays_in_the_set():
    ball = L1Ball(0.7)
    assert all(ball.contains(x) for x in run(problem(), constraint=ball, n_iterations=50).path)


def test_a_loss_bounded_in_l2_is_accepted():
    """||g||_inf <= ||g||_2 <= G."""
    data = (problem()[0] / 2, problem()[1])
    assert run(data, Sigmoid()).path.shape == (6, 3)


def test_the_step_of_algorithm_4_2_24_falls_with_the_smoothness_and_the_l1_diameter():
    """M = B^2/2 = 8, T = 100: sqrt(2/(M T)) = 0.05; diameters in l1 1 and 2, in l2 1 and sqrt 2."""
    loss = Cosine(feature_bound=4.0, feature_norm="l-infinity")
    claim = {**CLAIM, "n": 40, "n_iterations": 100}
    for vertices, step, of_4_1_19 in (
        (L1Ball(0.5).vertices(3), 0.05, math.sqrt(0.02)),
        (np.eye(2), 0.025, 0.1),
    ):
        first, second = (
            rule(loss, vertices, **claim) for rule in (constants_for, constants_for_l1_smooth)
        )
        assert first.step_size == pytest.approx(of_4_1_19, rel=1e-12)
        assert second == replace(first, step_size=second.step_size)
        assert second.step_size == pytest.approx(step, rel=1e-12)


def test_the_mean_gap_by_the_step_of_algorithm_4_2_24_is_below_its_bound():
    """(4.54) summed: Delta/(gamma T) + gamma M ||C||_1^2/2 with Delta <= 1, as |cos|/2 <= 1/2."""
    rng = np.random.default_rng(0)
    loss, ball, steps = Cosine(feature_bound=16.0, feature_norm="l-infinity"), L1Ball(1.0), 400
    data = 16 * rng.choice([-1.0, 1.0], (50, 3)), rng.uniform(-3, 3, 50)
    claim = {**CLAIM, "n_iterations": steps}
    chosen = constants_for_l1_smooth(loss, ball.vertices(3), n=50, **claim)
    path = run(data, loss, ball, constants=chosen, ledger=NoiselessLedger(0), **claim).path
    gaps = [frank_wolfe_gap(ball, x, loss.gradient(data, x)) for x in path[:-1]]
    assert 0 < np.mean(gaps) <= 2 * math.sqrt(2 * loss.smoothness / steps)
