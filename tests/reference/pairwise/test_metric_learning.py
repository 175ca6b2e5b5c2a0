"""The loss of metric learning: its gradient by differences, and its constants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from reference.constraint_sets import L2Ball, PositiveSemidefiniteBall
from reference.pairwise.losses import MetricLearning, PairwiseLoss


def records(n: int = 40, width: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return classes that differ in the first coordinate alone, with noise in the others."""
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1.0, 1.0], n)
    features = 0.3 * rng.standard_normal((n, width))
    features[:, 0] = 0.45 * labels + 0.05 * rng.standard_normal(n)
    return features, labels


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
