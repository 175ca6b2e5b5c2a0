"""Metric learning: its loss by hand and by differences, its constants, the algorithms on it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from reference.constraint_sets import L2Ball, PositiveSemidefiniteBall
from reference.pairwise.finite_buffer import fb_on_pair_strongly_convex
from reference.pairwise.finite_buffer_convex import fb_on_pair_convex
from reference.pairwise.losses import MetricLearning, PairwiseLoss, Regularized
from reference.pairwise.offline import off_pair_strongly_convex
from reference.pairwise.offline_convex import off_pair_convex
from reference.pairwise.online import on_pair_strongly_convex
from reference.pairwise.online_convex import on_pair_convex
from reference.privacy.ledger import Ledger, NoiselessLedger, RecordingLedger

CONVEX: list[tuple[Any, dict[str, Any]]] = [
    (on_pair_convex, {}),
    (fb_on_pair_convex, {"buffer_size": 3}),
    (off_pair_convex, {}),
]
STRONGLY_CONVEX: list[tuple[Any, dict[str, Any]]] = [
    (on_pair_strongly_convex, {}),
    (fb_on_pair_strongly_convex, {"buffer_size": 3}),
    (off_pair_strongly_convex, {}),
]
BALL = PositiveSemidefiniteBall(1.0)


def records(n: int = 40, width: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return classes that differ in the first coordinate alone, with noise in the others."""
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1.0, 1.0], n)
    features = 0.3 * rng.standard_normal((n, width))
    features[:, 0] = 0.45 * labels + 0.05 * rng.standard_normal(n)
    return features, labels


def risk(features: np.ndarray, labels: np.ndarray, metric: np.ndarray) -> float:
    """Return the mean loss of all pairs, one pair after the other."""
    total = 0.0
    for i in range(len(labels)):
        for j in range(len(labels)):
            if i != j:
                a = features[i] - features[j]
                total += math.log1p(math.exp(-labels[i] * labels[j] * (1 - a @ metric @ a)))
    return total / (len(labels) * (len(labels) - 1))


# ------------------------------------------------------------------------------------- the loss


def test_gradient_by_hand() -> None:
    """x - x' = (1, 2), W = I: M = 5. Equal labels: 1/(1 + e^-4), others: -1/(1 + e^4)."""
    features = np.array([[0.5, 1.0], [-0.5, -1.0]])
    loss, metric = MetricLearning(feature_bound=9.0), np.eye(2).ravel()
    outer = np.array([1.0, 2.0, 2.0, 4.0])
    for label, weight in ((1.0, 1 / (1 + math.exp(-4))), (-1.0, -1 / (1 + math.exp(4)))):
        data = loss.validate((features, np.array([1.0, label])), 4)
        assert loss.gradient(data, metric, 0, np.array([1])) == pytest.approx(weight * outer)


def test_gradients_are_those_of_the_risk_by_differences() -> None:
    rng = np.random.default_rng(1)
    features, labels = records(7, 3)
    loss = MetricLearning(feature_bound=2.0)
    data = loss.validate((features, labels), 9)
    metric = rng.standard_normal((3, 3))  # need not be symmetric

    def value(flat: np.ndarray) -> float:
        a = features[0] - features[[1, 3, 6]]
        squared = np.einsum("ij,jk,ik->i", a, flat.reshape(3, 3), a)
        return float(np.logaddexp(0, -labels[0] * labels[[1, 3, 6]] * (1 - squared)).mean())

    steps = 1e-6 * np.eye(9)
    numeric = [(value(metric.ravel() + e) - value(metric.ravel() - e)) / 2e-6 for e in steps]
    found = loss.gradient(data, metric.ravel(), 0, np.array([1, 3, 6]))
    assert found == pytest.approx(numeric, abs=1e-8)
    assert found.reshape(3, 3) == pytest.approx(found.reshape(3, 3).T)


def one_pair(loss: MetricLearning, rng: np.random.Generator, width: int) -> Any:
    """Draw two records of norm B, often opposite, of any labels."""
    first = rng.standard_normal(width)
    second = -first + rng.choice([0.0, 1.0]) * rng.standard_normal(width)
    features = 100 * np.stack([first, second])
    return loss.validate((features, rng.choice([-1.0, 1.0], 2)), width**2)


@pytest.mark.parametrize(("bound", "radius"), [(1.0, 1.0), (0.5, 1.0), (0.3, 4.0)])
def test_constants_hold_in_a_search_and_are_attained_in_the_ball(
    bound: float, radius: float
) -> None:
    rng, loss, width = np.random.default_rng(2), MetricLearning(feature_bound=bound), 2
    ball, cone = L2Ball(radius), PositiveSemidefiniteBall(radius)
    largest = {ball: 0.0, cone: 0.0}
    bent = 0.0
    for _ in range(600):
        data, other = one_pair(loss, rng, width), np.array([1])
        a = data[0][0] - data[0][1]
        # multiples of a a^T, and matrices around them
        along = radius * rng.choice([-1.0, 0.0, 1.0]) * np.outer(a, a).ravel() / (a @ a)
        w = along + rng.choice([0.0, 1.0]) * rng.standard_normal(width**2)
        for constraint in (ball, cone):
            at = constraint.project(w)
            g = loss.gradient(data, at, 0, other)
            largest[constraint] = max(largest[constraint], float(np.linalg.norm(g)))
        # near the bend M = 1
        v = np.outer(a, a).ravel() / (a @ a) ** 2
        move = 1e-4 * v / np.linalg.norm(v)
        change = loss.gradient(data, v + move, 0, other) - loss.gradient(data, v - move, 0, other)
        bent = max(bent, float(np.linalg.norm(change)) / 2e-4)
        far = rng.standard_normal(width**2)
        change = loss.gradient(data, w, 0, other) - loss.gradient(data, far, 0, other)
        assert np.linalg.norm(change) <= loss.smoothness * np.linalg.norm(w - far) + 1e-12
        assert change @ (w - far) >= -1e-12
    squared = 4 * bound**2
    assert largest[ball] <= loss.lipschitz(radius) * (1 + 1e-12)
    assert largest[ball] == pytest.approx(loss.lipschitz(radius), rel=1e-9)
    # of semidefinite W no pair has more than this, and one has it
    within = squared * float(expit(max(1.0, squared * radius - 1)))
    assert largest[cone] == pytest.approx(within, rel=1e-9)
    assert largest[cone] < loss.lipschitz(radius) < squared
    assert bent <= loss.smoothness * (1 + 1e-9)
    assert bent == pytest.approx(loss.smoothness, rel=1e-3)


def test_the_constants_of_the_unit_ball_are_below_the_papers_four() -> None:
    loss = MetricLearning()
    assert loss.lipschitz(1.0) == pytest.approx(4 / (1 + math.exp(-5)))
    assert (loss.smoothness, loss.strong_convexity) == (4.0, 0.0)
    assert isinstance(loss, PairwiseLoss)


def test_bad_input() -> None:
    features, labels = records(5)
    with pytest.raises(ValueError, match="W must have a square number of entries, got 3"):
        MetricLearning().validate((features, labels), 3)
    with pytest.raises(ValueError, match="features"):
        MetricLearning().validate((features, labels), 9)
    with pytest.raises(TypeError, match="data must be a pair"):
        MetricLearning().validate(features, 4)
    with pytest.raises(ValueError, match="labels must be -1 or 1"):
        MetricLearning().validate((features, 0 * labels), 4)
    with pytest.raises(ValueError, match="feature_bound"):
        MetricLearning(feature_bound=0.0)
    with pytest.raises(ValueError, match="initial must lie in the constraint set"):
        learn(off_pair_convex, initial=-np.eye(2).ravel() / 2)


# ------------------------------------------------------------------------------- the algorithms


def learn(function: Any, data: Any = None, **options: Any) -> np.ndarray:
    data = records() if data is None else data
    bound = options.pop("bound", 0.5)
    size = data[0].shape[1] ** 2
    chosen: dict[str, Any] = {
        "initial": np.zeros(size), "epsilon": 1.0, "delta": 1e-2, "strength": 0.05,
        "ledger": Ledger(0), **options,
    }  # fmt: skip
    loss: Any = MetricLearning(feature_bound=bound)
    if function in [strongly for strongly, _ in STRONGLY_CONVEX]:
        loss = Regularized(loss, chosen.pop("strength"), np.zeros(size))
    found: np.ndarray = function(data, loss, BALL, **chosen)
    return found


@pytest.mark.parametrize(("function", "options"), CONVEX + STRONGLY_CONVEX)
def test_every_algorithm_learns_a_metric(function: Any, options: dict[str, Any]) -> None:
    found = learn(function, records(40, 3), epsilon=0.5, ledger=Ledger(1), **options)
    for metric in np.atleast_2d(found):
        assert BALL.contains(metric)


def test_the_average_comes_near_the_optimum_that_scipy_finds() -> None:
    """W = L L^T with ||W||_F <= 1 by a penalty-free solver; classes differ in one coordinate."""
    features, labels = MetricLearning(feature_bound=0.5).validate(records(400), 4)
    i, j = np.triu_indices(len(labels), 1)
    a, signs = features[i] - features[j], labels[i] * labels[j]

    def value(metric: np.ndarray) -> float:
        squared = np.einsum("ij,jk,ik->i", a, metric, a)
        return float(np.logaddexp(0, -signs * (1 - squared)).mean())

    assert value(np.diag([0.4, 0.2])) == pytest.approx(
        risk(features, labels, np.diag([0.4, 0.2])), rel=1e-12
    )

    def product(root: np.ndarray) -> np.ndarray:
        root = root.reshape(2, 2)
        return root @ root.T

    inside = {"type": "ineq", "fun": lambda root: 1 - (product(root) ** 2).sum()}
    best = minimize(
        lambda root: value(product(root)), [0.5, 0.1, -0.1, 0.5], method="SLSQP",
        constraints=[inside], options={"ftol": 1e-12},
    )  # fmt: skip
    metric = learn(
        off_pair_convex, (features, labels), strength=0.01, ledger=NoiselessLedger()
    ).reshape(2, 2)
    start = value(np.zeros((2, 2)))
    assert best.fun < start - 0.05
    assert best.fun - 1e-9 <= value(metric) < best.fun + 0.15 * (start - best.fun)
    assert metric[0, 0] > 5 * abs(metric[1, 1])


def test_no_record_moves_a_metric_more_than_is_claimed() -> None:
    """Neighbours at random, and one far from all others, replaced early and late."""
    rng, n = np.random.default_rng(3), 30
    claimed = RecordingLedger(0)
    shared: dict[str, Any] = {"strength": 1.0, "initial": 0.3 * np.eye(2).ravel()}
    learn(on_pair_convex, records(n), ledger=claimed, **shared)
    bounds = [release.claim.sensitivity for release in claimed.transcript.releases]
    first_phase, largest = n - len(bounds), 0.0
    for index in (first_phase, first_phase + 1, 15, n - 1):
        for worst in (False, True):
            features = 0.5 * rng.standard_normal((n, 2))
            labels = rng.choice([-1.0, 1.0], n)
            if worst:
                features[:], labels[:] = [-0.5, 0.0], 1.0
                features[index] = [0.5, 0.0]
            changed = labels.copy()
            changed[index] *= -1
            paths = [
                learn(on_pair_convex, (features, y), ledger=NoiselessLedger(), **shared)
                for y in (labels, changed)
            ]
            moved = np.linalg.norm(paths[0] - paths[1], axis=1)[first_phase:]
            assert (moved <= np.array(bounds) * (1 + 1e-9)).all()
            largest = max(largest, float((moved / bounds).max()))
    # at M = 0.3 a label moves s |a|^2 by 1/(1 + e^0.7) + 1/(1 + e^-0.7) = 1; the claim is 2G =
    # 2/(1 + e^-2), and 2 (2 alpha) for the regulariser, which no record moves
    assert largest == pytest.approx(1 / (2 * expit(2.0) + 4), rel=1e-6)
