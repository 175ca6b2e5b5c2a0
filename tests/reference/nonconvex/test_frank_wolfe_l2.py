from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from auditor.described.data.linear_models import distinct_records
from reference.catalogue import entry
from reference.constraint_sets import L1Ball, L2Ball, frank_wolfe_gap
from reference.losses import Linear, Logistic, Sigmoid
from reference.nonconvex.frank_wolfe_l2 import constants_for, dp_frank_wolfe_l2
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

DATA, CLAIM = distinct_records(40, 3, "l2", flipped=0.5), {"epsilon": 1.0, "delta": 1e-2}
on_balls = pytest.mark.parametrize("ball", [L2Ball(0.5), L1Ball(0.5)], ids=["l2", "l1"])
run = partial(dp_frank_wolfe_l2, **CLAIM)


def test_two_noiseless_steps_by_hand():
    """Linear loss with gradient (.6, .8)/2: v = -(.6, .8), gamma = sqrt(2/2)/2 = 1/2."""
    data, start = (np.array([[0.6, 0.8], [0.0, 0.0]]), np.ones(2)), np.zeros(2)
    quiet = NoiselessLedger(0)
    result = run(data, Linear(), L2Ball(1.0), initial=start, n_iterations=2, ledger=quiet)
    expected = [[0, 0], [-0.3, -0.4], [-0.45, -0.6]]
    np.testing.assert_allclose(result.path, expected, rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(result.output, result.path[result.index - 1])


@on_balls
def test_algorithm_4_2_23_has_the_same_outputs(ball):
    """Its box (l.3605-3617): v_t = argmax <v, -(grad + noise)>, w_{t+1} = w_t + gamma (v_t - w_t).

    With the noise of the run; the largest inner product is searched over the ball's boundary.
    """
    assert entry("diss-4.2.23") is entry("diss-4.1.17")
    assert entry("diss-4.2.23").function is dp_frank_wolfe_l2
    data, w, ledger = (DATA[0][:, :2], DATA[1]), np.zeros(2), RecordingLedger(3)
    path = run(data, Sigmoid(), ball, initial=w, n_iterations=6, ledger=ledger).path
    angles = np.linspace(0, 2 * np.pi, 100_001)
    boundary = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    order = 2 if isinstance(ball, L2Ball) else 1
    boundary *= 0.5 / np.linalg.norm(boundary, ord=order, axis=1, keepdims=True)
    for release, after in zip(ledger.transcript.releases[:6], path[1:], strict=True):
        noise = release.output - release.value
        v = boundary[np.argmax(boundary @ -(Sigmoid().gradient(data, w) + noise))]
        w = w + np.sqrt(2 / 6) * (v - w)  # sqrt(2/T)/diameter, the diameter is 1
        np.testing.assert_allclose(after, w, atol=1e-4)


@on_balls
def test_the_noiseless_limit_is_the_minimum_on_the_ball(ball):
    """Convex, so that the gap bounds the excess risk; scipy finds nothing lower."""
    loss, quiet = Logistic(), NoiselessLedger(0)
    result = run(DATA, loss, ball, initial=np.zeros(3), n_iterations=8000, ledger=quiet)
    last = result.path[-1]
    assert frank_wolfe_gap(ball, last, loss.gradient(DATA, last)) < 0.01

    def risk(x):
        return float(loss.values(DATA, ball.project(x)).mean())

    options = {"maxiter": 4000, "fatol": 1e-12, "xatol": 1e-9}
    best = minimize(risk, last / 2, method="Nelder-Mead", options=options).fun
    assert best - 1e-9 <= risk(last) <= best + 0.01


def test_every_iterate_stays_in_the_ball_whatever_the_noise():
    options = {"epsilon": 0.01, "n_iterations": 40, "initial": np.zeros(3), "ledger": Ledger(0)}
    path = run(DATA, Sigmoid(), L2Ball(0.2), **options).path
    assert np.linalg.norm(path, axis=1).max() <= 0.2 * (1 + 1e-12)


def test_the_step_size_is_at_most_one():
    assert constants_for(Sigmoid(), 0.01, n=10, n_iterations=1, **CLAIM).step_size == 1.0
    assert constants_for(Sigmoid(), 2.0, n=10, n_iterations=8, **CLAIM).step_size == 0.125
