import numpy as np
import pytest
from scipy.optimize import minimize

from reference.constraint_sets import L1Ball, L2Ball
from reference.proximal import L1Norm, NoRegularizer, Ridge, proximal_step, soft_threshold

REGULARIZERS = [NoRegularizer(), L1Norm(0.4), Ridge(1.5)]


def test_soft_threshold_by_hand():
    np.testing.assert_array_equal(
        soft_threshold(np.array([3.0, -0.5, -2.0, 1.0]), 1.0), [2.0, 0.0, -1.0, 0.0]
    )


def test_prox_by_hand():
    point = np.array([3.0, -1.0])
    np.testing.assert_array_equal(NoRegularizer().prox(point, 2.0), point)
    np.testing.assert_array_equal(L1Norm(0.5).prox(point, 2.0), [2.0, 0.0])
    np.testing.assert_array_equal(Ridge(0.5).prox(point, 2.0), [1.5, -0.5])
    assert L1Norm(0.5).value(point) == 2.0
    assert Ridge(0.5).value(point) == 2.5
    assert NoRegularizer().value(point) == 0.0


def objective(u, x, gradient, step_size, regularizer):
    return gradient @ u + ((u - x) ** 2).sum() / (2 * step_size) + regularizer.value(u)


@pytest.mark.parametrize("constraint", [None, L2Ball(0.8), L1Ball(0.8)], ids=repr)
@pytest.mark.parametrize("regularizer", REGULARIZERS, ids=repr)
def test_the_step_minimises_its_objective(regularizer, constraint):
    """No feasible point near or far is better; the objective is 1/gamma-strongly convex."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        x, gradient = rng.standard_normal(4), rng.standard_normal(4)
        found = proximal_step(
            x, gradient, step_size=0.7, regularizer=regularizer, constraint=constraint
        )
        best = objective(found, x, gradient, 0.7, regularizer)
        others = np.concatenate(
            [found + s * rng.standard_normal((200, 4)) for s in (1e-4, 1e-2, 1.0)]
        )
        if constraint is not None:
            assert constraint.contains(found)
            others = np.array([constraint.project(u) for u in others])
        gaps = np.array([objective(u, x, gradient, 0.7, regularizer) for u in others]) - best
        # strong convexity: the gap is at least the squared distance over 2 gamma
        bound = ((others - found) ** 2).sum(axis=1) / (2 * 0.7)
        assert (gaps >= bound - 1e-12).all()


def test_the_step_agrees_with_a_general_solver():
    """l1 norm on the l2 ball, written as a smooth problem in positive and negative parts."""
    rng = np.random.default_rng(4)
    x, gradient = rng.standard_normal(3), rng.standard_normal(3)
    regularizer, ball = L1Norm(0.3), L2Ball(0.5)

    def split(parts):
        u = parts[:3] - parts[3:]
        smooth = gradient @ u + ((u - x) ** 2).sum() / (2 * 0.9)
        return smooth + 0.3 * parts.sum()

    solution = minimize(
        split,
        np.full(6, 0.1),
        bounds=[(0, None)] * 6,
        constraints={"type": "ineq", "fun": lambda v: 0.25 - ((v[:3] - v[3:]) ** 2).sum()},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    found = proximal_step(x, gradient, step_size=0.9, regularizer=regularizer, constraint=ball)
    np.testing.assert_allclose(solution.x[:3] - solution.x[3:], found, atol=1e-6)


@pytest.mark.parametrize("make", [L1Norm, Ridge])
def test_bad_weights_are_refused(make):
    with pytest.raises(ValueError, match="must be a finite number > 0, got -1"):
        make(-1)
    with pytest.raises(TypeError, match="must be a real number"):
        make("1")
