import math

import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from scipy.optimize import minimize

from reference.nonconvex.trust_region_subproblem import solve_trust_region


def value(gradient, hessian, h):
    return gradient @ h + h @ hessian @ h / 2


def symmetric(rng, p, eigenvalues=None):
    basis, _ = np.linalg.qr(rng.standard_normal((p, p)))
    chosen = rng.standard_normal(p) if eigenvalues is None else np.asarray(eigenvalues)
    matrix = (basis * chosen) @ basis.T
    return (matrix + matrix.T) / 2, basis


def instances():
    """Random ones, and those on which solvers fail: hard, nearly hard, singular, huge and tiny."""
    rng = np.random.default_rng(0)
    for p in (1, 2, 5, 30):
        for scale in (1e-6, 1.0, 1e6):
            yield scale * rng.standard_normal(p), symmetric(rng, p)[0], 0.7
    hessian, basis = symmetric(rng, 4, [-1.0, 0.5, 2.0, 3.0])
    for lowest in (0.0, 1e-300, 1e-20, 1e-12, 1e-6):  # hard and nearly hard
        yield basis @ np.array([lowest, 0.1, 0.1, 0.1]), hessian, 5.0
        yield np.array([lowest, 0.1]), np.diag([-1.0, 1.0]), 5.0
    yield np.array([0.0, 3.0]), np.diag([-1.0, 1.0]), 1.0  # orthogonal, yet not hard
    yield np.zeros(3), np.diag([-2.0, -2.0, 1.0]), 1.0  # a double lowest eigenvalue
    yield np.zeros(3), np.diag([1.0, 2.0, 3.0]), 1.0
    yield np.zeros(2), np.zeros((2, 2)), 1.0
    for radius in np.linspace(0.1, 1.0, 8):  # one dimension: both ends of the bracket are lambda
        yield np.array([-0.3]), np.array([[-0.62]]), float(radius)
    yield np.array([1.0, 0.0]), np.diag([0.0, 1.0]), 2.0  # singular
    yield np.array([0.0, 1.0]), np.diag([0.0, 1.0]), 2.0
    yield np.array([1e-160, 1.0]), np.diag([1e-160, 1.0]), 1e8
    yield np.array([1.0, -2.0]), np.diag([-1e-9, 1e9]), 1e-6
    yield np.array([1.0, -2.0]), np.diag([1e12, 1e12 + 1]), 1e-12  # Newton just outside


@pytest.mark.parametrize("instance", list(instances()))
def test_the_optimality_conditions_hold_in_ball_arithmetic(instance):
    """Lemma 4.3.1's conditions, which suffice, with rounding errors of the solver only.

    With A = H + lambda I: the residual A h + g is at most 1e-9 of its terms, A plus 1e-12 of its
    size is positive definite, ||h|| <= r and, where lambda > 0, ||h|| = r. All four are decided
    by balls that contain the exact values.
    """
    gradient, hessian, radius = instance
    step, multiplier = solve_trust_region(gradient, hessian, radius)
    before, ctx.prec = ctx.prec, 400
    try:
        p = len(gradient)
        size = arb(float(np.abs(np.linalg.eigvalsh(hessian)).max()) + multiplier)
        matrix = arb_mat(hessian.tolist()) + arb(multiplier) * arb_mat(np.eye(p).tolist())
        h, g = arb_mat([[x] for x in step]), arb_mat([[x] for x in gradient])
        residual = matrix * h + g
        terms = size * arb(radius) + arb(float(np.linalg.norm(gradient)))
        assert all(abs(residual[i, 0]) <= terms * arb("1e-9") for i in range(p))
        shifted = matrix + (size * arb("1e-12") + arb("1e-300")) * arb_mat(np.eye(p).tolist())
        entries = shifted.tolist()  # Sylvester's criterion
        for k in range(1, p + 1):
            assert arb_mat([row[:k] for row in entries[:k]]).det() > 0
        length = sum((h[i, 0] ** 2 for i in range(p)), arb(0)).sqrt()
        assert length <= arb(radius) * (1 + arb("1e-9"))
        if multiplier > 0:
            assert length >= arb(radius) * (1 - arb("1e-9"))
    finally:
        ctx.prec = before


@pytest.mark.parametrize("seed", range(6))
def test_no_point_of_the_ball_is_better_by_scipy(seed):
    """A general solver from many starts finds nothing lower, and comes as low."""
    rng = np.random.default_rng(seed)
    gradient, (hessian, _) = rng.standard_normal(3), symmetric(rng, 3)
    step, _ = solve_trust_region(gradient, hessian, 1.0)
    found = [
        minimize(
            lambda h: value(gradient, hessian, h),
            rng.standard_normal(3) / 3,
            jac=lambda h: gradient + hessian @ h,
            constraints={"type": "ineq", "fun": lambda h: 1 - h @ h, "jac": lambda h: -2 * h},
            method="SLSQP",
            options={"ftol": 1e-14},
        ).fun
        for _ in range(10)
    ]
    assert min(found) == pytest.approx(value(gradient, hessian, step), rel=1e-7)


def test_by_hand():
    # Newton step inside
    step, multiplier = solve_trust_region(np.array([-1.0, 0.0]), np.diag([2.0, 1.0]), 1.0)
    np.testing.assert_allclose(step, [0.5, 0.0])
    assert multiplier == 0.0
    # on the sphere: (1 + lambda) h = 3 e_1, ||h|| = 1
    step, multiplier = solve_trust_region(np.array([-3.0, 0.0]), np.eye(2), 1.0)
    np.testing.assert_allclose(step, [1.0, 0.0], atol=1e-15)
    assert multiplier == pytest.approx(2.0, rel=1e-14)
    # the hard case: h_2 = -1/(1 + 1), lambda = 1, the rest along e_1
    step, multiplier = solve_trust_region(np.array([0.0, 1.0]), np.diag([-1.0, 1.0]), 1.0)
    np.testing.assert_allclose(np.abs(step), [math.sqrt(0.75), 0.5], rtol=1e-14)
    assert multiplier == 1.0


def test_scaling_the_model_scales_the_multiplier_only():
    rng = np.random.default_rng(7)
    gradient, (hessian, _) = rng.standard_normal(4), symmetric(rng, 4)
    step, multiplier = solve_trust_region(gradient, hessian, 0.3)
    for factor in (1e-8, 1e8):
        other, scaled = solve_trust_region(factor * gradient, factor * hessian, 0.3)
        np.testing.assert_allclose(other, step, rtol=1e-9)
        assert scaled == pytest.approx(factor * multiplier, rel=1e-9)
