"""Regularisers with their proximal maps. Wang (2020), l.606 and (4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from reference._validation import FloatArray, require_kind, require_magnitude
from reference.constraint_sets import Ball


@runtime_checkable
class Regularizer(Protocol):
    """A public r with a proximal map; convex for the utility of all that use it."""

    def value(self, x: FloatArray) -> float:
        """Return r(x)."""
        ...

    def prox(self, point: FloatArray, step_size: float) -> FloatArray:
        """Return argmin_u ||u - point||_2^2/2 + step_size r(u)."""
        ...


def require_regularizer(regularizer: Any) -> None:
    """Raise TypeError unless ``regularizer`` is a :class:`Regularizer`."""
    examples = "a regularizer, such as reference.proximal.L1Norm(0.1)"
    require_kind("regularizer", regularizer, Regularizer, examples)


@dataclass(frozen=True)
class NoRegularizer:
    """r = 0."""

    def value(self, x: FloatArray) -> float:
        """Return 0."""
        del x
        return 0.0

    def prox(self, point: FloatArray, step_size: float) -> FloatArray:
        """Return the point itself."""
        del step_size
        return point


@dataclass(frozen=True)
class L1Norm:
    """r(x) = weight ||x||_1. The paper's experiments use weight = lambda/2 (l.2877).

    Parameters
    ----------
    weight : float
        > 0.
    """

    weight: float

    def __post_init__(self) -> None:
        require_magnitude("weight", self.weight)

    def value(self, x: FloatArray) -> float:
        """Return weight ||x||_1."""
        return self.weight * float(np.abs(x).sum())

    def prox(self, point: FloatArray, step_size: float) -> FloatArray:
        """Soft-threshold at step_size weight."""
        return soft_threshold(point, step_size * self.weight)


@dataclass(frozen=True)
class Ridge:
    """r(x) = strength/2 ||x||_2^2, which is strength-strongly convex.

    Parameters
    ----------
    strength : float
        mu > 0.
    """

    strength: float

    def __post_init__(self) -> None:
        require_magnitude("strength", self.strength)

    def value(self, x: FloatArray) -> float:
        """Return strength/2 ||x||_2^2."""
        return self.strength / 2 * float(x @ x)

    def prox(self, point: FloatArray, step_size: float) -> FloatArray:
        """Return point/(1 + step_size strength)."""
        shrunk: FloatArray = point / (1 + step_size * self.strength)
        return shrunk


def soft_threshold(point: FloatArray, threshold: float) -> FloatArray:
    """Return sign(point) max(|point| - threshold, 0), coordinate by coordinate."""
    shrunk: FloatArray = np.sign(point) * np.maximum(np.abs(point) - threshold, 0.0)
    return shrunk


def proximal_step(
    x: FloatArray,
    gradient: FloatArray,
    *,
    step_size: float,
    regularizer: Regularizer,
    constraint: Ball | None = None,
) -> FloatArray:
    """Return argmin_{u in C} <gradient, u> + ||u - x||_2^2/(2 step_size) + r(u).

    The step of Wang (2020), (4.2). The proximal map followed by the projection is that minimiser
    for the regularisers of this module and balls centred at the origin: the optimality
    conditions of r + indicator give the proximal point shrunk radially (l2 ball) or
    soft-thresholded further (l1 ball), which is what the projection does.

    Parameters
    ----------
    x, gradient : ndarray of shape (p,)
    step_size : float
        gamma > 0.
    regularizer : Regularizer
    constraint : L2Ball or L1Ball, optional
        C; ``None`` means the whole space.
    """
    point = regularizer.prox(x - step_size * gradient, step_size)
    return point if constraint is None else constraint.project(point)
