"""Populations whose labels follow a generalised linear model, and excess risks on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reference._validation import FloatArray, IntArray
from reference.losses import GeneralizedLinear, Records

POINTS = 400
"""Points of which the features are drawn uniformly: expectations are sums over them."""

ITERATES = 50
"""Iterates over which the mean that stands for the expectation over R is taken."""


def iterates(path: FloatArray) -> IntArray:
    """Return evenly spaced indices of x_1, ..., x_T, the path without its end."""
    return np.unique(np.linspace(0, len(path) - 2, ITERATES).astype(np.int64))


@dataclass(frozen=True)
class Population:
    """Features drawn from a few points, E[y|a] = sigma(<truth, a>) (Assumption 4.2.2)."""

    loss: GeneralizedLinear
    points: FloatArray
    truth: FloatArray

    def sample(self, rng: np.random.Generator, n: int) -> Records:
        """Return n records."""
        features = self.points[rng.integers(len(self.points), size=n)]
        labels = rng.random(n) < self.loss.mean(features @ self.truth)
        return features, labels.astype(float)

    def excess_risk(self, path: FloatArray) -> float:
        """Return E over R of L_P(x_R) - L_P(truth) = E(sigma(<x_R, a>) - sigma(<truth, a>))^2.

        The expectation over R is that over :func:`iterates`.
        """
        means = self.loss.mean(path[iterates(path)] @ self.points.T)
        return float(((means - self.loss.mean(self.points @ self.truth)) ** 2).mean())


def sphere_population(dimension: int) -> Population:
    """Return one with points on the unit sphere of the first four coordinates, |truth| = 1/2.

    Of the other coordinates only the noise knows: the same problem in every dimension.
    """
    points = np.zeros((POINTS, dimension))
    points[:, :4] = np.random.default_rng(4221).standard_normal((POINTS, 4))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    truth = np.where(np.arange(dimension) < 4, 0.25, 0.0)
    return Population(GeneralizedLinear(link="probit"), points, truth)


def cube_population(dimension: int, size: float) -> Population:
    """Return one with points in {-1, 1}^d, the truth of the given size along the first axis."""
    points = np.random.default_rng(4222).choice([-1.0, 1.0], (POINTS, dimension))
    loss = GeneralizedLinear(link="probit", feature_norm="l-infinity")
    return Population(loss, points, size * np.eye(dimension)[0])
