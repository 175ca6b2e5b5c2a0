import math
from dataclasses import replace

import numpy as np
import pytest

from reference.constraint_sets import L2Ball
from reference.losses import Cosine
from reference.nonconvex.constrained_descent import constants_for, dp_constrained_descent
from reference.nonconvex.trust_region_subproblem import solve_in_half_ball, solve_trust_region
from reference.privacy.ledger import Ledger, NoiselessLedger

SADDLE = (np.eye(2), np.array([0.0, np.pi]))
LOSS, BALL = Cosine(), L2Ball(0.5)
CLAIM = {"epsilon": 1.0, "delta": 1e-2, "accuracy": 0.01, "n_iterations": 10}


def run(data=SADDLE, constraint=BALL, **options):
    options = {"initial": np.zeros(2), "ledger": NoiselessLedger(0), **CLAIM, **options}
    return dp_constrained_descent(data, LOSS, constraint, **options)


# ------------------------------------------------------------------------------- the subproblem


def test_the_local_minimum_that_is_not_global_is_found_where_only_it_will_do():
    """q = -(u_1 + 0.05)^2 + u_2^2 is smallest at e_1, which the cut u_1 <= -0.04 removes."""
    hessian, center = np.diag([-1.0, 1.0]), np.array([-0.05, 0.0])
    found = solve_trust_region(-2 * hessian @ center, 2 * hessian, 1.0).step
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-12)
    u = solve_in_half_ball(hessian, center, 1.0, np.array([1.0, 0.0]), 0.01)
    np.testing.assert_allclose(u, [-1.0, 0.0], atol=1e-8)


@pytest.mark.parametrize("shift", [1e-6, 1e-12, 1e-18, 1e-300, 0.0, -0.0])
def test_a_nearly_symmetric_subproblem(shift):
    """The multiplier of the other minimum is within rounding of -d_1, or is it, yet it is found."""
    center, direction = np.array([-shift, 0.0]), np.array([1.0, 0.0])
    u = solve_in_half_ball(np.diag([-5.0, 1.0]), center, 0.4, direction, 0.01)
    np.testing.assert_allclose(u, [-0.4, 0.0], atol=1e-8)


# --------------------------------------------------------------------------- the algorithm


def test_a_run_of_second_order_steps_spends_exactly_epsilon():
    """At the saddle's gradient of 0 every step releases both."""
    ledger, right = Ledger(0), constants_for(LOSS, BALL, n=2, dimension=2, **CLAIM)
    chosen = replace(right, slope_threshold=1e9, curvature_threshold=1e-9, cut=1e9)
    assert run(constants=chosen, ledger=ledger).output is None
    assert ledger.spent(delta=1e-2).epsilon == pytest.approx(1.0, rel=1e-9)


def test_every_noiseless_step_descends_as_promised():
    """(4.72) and (4.73), from the saddle into the ball's boundary point that is stationary."""
    radius, alpha = 0.5, 0.01
    found = run(n_iterations=4000)
    values = np.array([float(LOSS.values(SADDLE, w).mean()) for w in found.path])
    diameter, M, rho = 2 * radius, 0.5, 0.5
    first = alpha**2 / (16 * diameter**2 * M)
    second = (rho * alpha) ** 1.5 / (48 * rho**2 * diameter**6)
    assert (np.diff(values) <= -min(first, second)).all()
    w = found.output
    assert np.linalg.norm(w) <= radius * (1 + 1e-12)
    gradient, hessian = LOSS.gradient(SADDLE, w), LOSS.hessian(SADDLE, w)
    # the definition's slope, and curvature along the directions that leave the slope as it is
    assert radius * np.linalg.norm(gradient) + gradient @ w <= alpha
    flat = np.array([-gradient[1], gradient[0]]) / np.linalg.norm(gradient)
    reach = math.sqrt(radius**2 - (w @ w - (flat @ w) ** 2)) + abs(flat @ w)
    assert min(flat @ hessian @ flat, 0.0) * reach**2 >= -math.sqrt(rho * alpha)


def test_a_first_order_step_by_hand():
    """F = cos(w)/2 at pi/6 in [-1, 1]: F' = -1/4, v = 1, slope -(1 - pi/6)/4 < -alpha/2."""
    found = run((np.ones((1, 1)), np.zeros(1)), L2Ball(1.0), initial=[np.pi / 6], n_iterations=1)
    eta = 0.01 / (2 * 4 * 0.5)
    np.testing.assert_allclose(found.path[1], [np.pi / 6 + eta * (1 - np.pi / 6)], rtol=1e-14)
    assert found.output is None


def test_the_proofs_constants():
    chosen = constants_for(LOSS, BALL, n=7, dimension=2, **CLAIM)
    assert chosen.step_size == pytest.approx(0.01)
    assert chosen.curvature_step_size == pytest.approx(math.sqrt(0.02) / 2)
    assert chosen.cut == pytest.approx(0.01 / 72)
    assert chosen.curvature_threshold == pytest.approx(math.sqrt(0.005) / 2)
