import numpy as np
import pytest
from scipy.optimize import minimize

from reference.catalogue import entry
from reference.constraint_sets import L1Ball, L2Ball, frank_wolfe_gap
from reference.losses import Linear, Logistic, Sigmoid
from reference.nonconvex.frank_wolfe_l2 import constants_for, dp_frank_wolfe_l2
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger


def problem(n=40, p=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, rng.choice([-1.0, 1.0], n)


def run(data, loss=Sigmoid(), constraint=L2Ball(1.0), **options):  # noqa: B008
    options = {
        "initial": np.zeros(data[0].shape[1]),
        "epsilon": 1.0,
        "delta": 1e-2,
        "n_iterations": 5,
        "ledger": Ledger(0),
        **options,
    }
    return dp_frank_wolfe_l2(data, loss, constraint, **options)


def test_two_noiseless_steps_by_hand():
    """Linear loss with gradient (.6, .8)/2: v = -(.6, .8), gamma = sqrt(2/2)/2 = 1/2."""
    data = (np.array([[0.6, 0.8], [0.0, 0.0]]), np.ones(2))
    result = run(data, Linear(), n_iterations=2, ledger=NoiselessLedger(0))
    np.testing.assert_allclose(
        result.path, [[0, 0], [-0.3, -0.4], [-0.45, -0.6]], rtol=1e-15, atol=1e-15
    )
    np.testing.assert_array_equal(result.output, result.path[result.index - 1])


@pytest.mark.parametrize("constraint", [L2Ball(0.5), L1Ball(0.5)], ids=["l2", "l1"])
def test_algorithm_4_2_23_has_the_same_outputs(constraint):
    """Its box (l.3605-3617): v_t = argmax <v, -(grad + noise)>, w_{t+1} = w_t + gamma (v_t - w_t).

    With the noise of the run; the largest inner product is searched over the ball's boundary.
    """
    assert entry("diss-4.2.23") is entry("diss-4.1.17")
    assert entry("diss-4.2.23").function is dp_frank_wolfe_l2
    data, ledger = problem(p=2), RecordingLedger(3)
    path = run(data, constraint=constraint, n_iterations=6, ledger=ledger).path
    angles = np.linspace(0, 2 * np.pi, 100_001)
    boundary = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    order = 2 if isinstance(constraint, L2Ball) else 1
    boundary *= 0.5 / np.linalg.norm(boundary, ord=order, axis=1, keepdims=True)
    w, gamma = np.zeros(2), np.sqrt(2 / 6)  # sqrt(2/T)/diameter, the diameter is 1
    for release, after in zip(ledger.transcript.releases[:6], path[1:], strict=True):
        noise = release.output - release.value
        gradient = Sigmoid().gradient(data, w)
        v = boundary[np.argmax(boundary @ -(gradient + noise))]
        w = w + gamma * (v - w)
        np.testing.assert_allclose(after, w, atol=1e-4)


@pytest.mark.parametrize("constraint", [L2Ball(0.5), L1Ball(0.5)], ids=["l2", "l1"])
def test_the_noiseless_limit_is_the_minimum_on_the_ball(constraint):
    """Convex, so that the gap bounds the excess risk; scipy finds nothing lower."""
    data, loss = problem(), Logistic()
    result = run(data, loss, constraint, n_iterations=8000, ledger=NoiselessLedger(0))
    last = result.path[-1]
    assert frank_wolfe_gap(constraint, last, loss.gradient(data, last)) < 0.01

    def risk(x):
        return float(loss.values(data, constraint.project(x)).mean())

    best = minimize(risk, np.zeros(3), method="Nelder-Mead", options={"fatol": 1e-10}).fun
    assert best - 1e-9 <= risk(last) <= best + 0.01


def test_every_iterate_stays_in_the_ball_whatever_the_noise():
    result = run(problem(), epsilon=0.01, constraint=L2Ball(0.2), n_iterations=40)
    assert np.linalg.norm(result.path, axis=1).max() <= 0.2 * (1 + 1e-12)


def test_the_step_size_is_at_most_one():
    sizes = {"n": 10, "epsilon": 1.0, "delta": 1e-2}
    assert constants_for(Sigmoid(), 0.01, n_iterations=1, **sizes).step_size == 1.0
    assert constants_for(Sigmoid(), 2.0, n_iterations=8, **sizes).step_size == 0.125
