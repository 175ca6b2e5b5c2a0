"""Mirror maps of balls: a gradient step in the ball's norm and a step in its geometry.

Wang (2020), section 3.1.5 and l.2815-2826: w is 1-strongly convex with respect to
||.||_C, the norm whose unit ball is C, and V(x, z) = w(x) - w(z) - <grad w(z), x - z>.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from reference._validation import FloatArray, ParameterValueError, require_kind
from reference.constraint_sets import L1Ball, L2Ball
from reference.proximal import soft_threshold


@runtime_checkable
class MirrorMap(Protocol):
    """The geometry of a ball C."""

    @property
    def ball(self) -> L1Ball | L2Ball:
        """C, centred at the origin."""
        ...

    def gradient_step(self, x: FloatArray, gradient: FloatArray, smoothness: float) -> FloatArray:
        """Return argmin_{y in C} (smoothness/2) ||y - x||_C^2 + <gradient, y - x>."""
        ...

    def mirror_step(
        self, z: FloatArray, gradient: FloatArray, step_size: float, weight: float = 0.0
    ) -> FloatArray:
        """Return argmin_{u in C} V(u, z) + step_size (<gradient, u - z> + weight ||u||_1)."""
        ...

    def divergence(self, x: FloatArray, z: FloatArray) -> float:
        """Return V(x, z)."""
        ...


def require_mirror_map(mirror_map: Any) -> None:
    """Raise TypeError unless ``mirror_map`` is a :class:`MirrorMap`."""
    examples = "a mirror map, such as reference.mirror_maps.Euclidean(1.0)"
    require_kind("mirror_map", mirror_map, MirrorMap, examples)


@dataclass(frozen=True)
class Euclidean:
    """w(x) = ||x||_2^2/(2 R^2) on the l2 ball of radius R; both steps are projections.

    Parameters
    ----------
    radius : float
        R > 0.
    """

    radius: float

    def __post_init__(self) -> None:
        L2Ball(self.radius)

    @property
    def ball(self) -> L2Ball:
        """The l2 ball of radius R."""
        return L2Ball(self.radius)

    def gradient_step(self, x: FloatArray, gradient: FloatArray, smoothness: float) -> FloatArray:
        """Return the projection of x - (R^2/smoothness) gradient."""
        return self.ball.project(x - self.radius**2 / smoothness * gradient)

    def mirror_step(
        self, z: FloatArray, gradient: FloatArray, step_size: float, weight: float = 0.0
    ) -> FloatArray:
        """Return the projection of z - step_size R^2 gradient, soft-thresholded first."""
        length = step_size * self.radius**2
        return self.ball.project(soft_threshold(z - length * gradient, length * weight))

    def divergence(self, x: FloatArray, z: FloatArray) -> float:
        """Return ||x - z||_2^2/(2 R^2)."""
        return float((x - z) @ (x - z)) / (2 * self.radius**2)


@dataclass(frozen=True)
class QNorm:
    """w(x) = (a/2) ||x||_q^2 on the l1 ball of radius R in p >= 3 dimensions.

    q = 1 + 1/log p and a = log(p) p^{2/(1 + log p)}/R^2: ||.||_q^2/2 is (q-1)-strongly convex in
    ||.||_q, and ||x||_1 <= p^{1 - 1/q} ||x||_q with 1 - 1/q = 1/(1 + log p).

    Parameters
    ----------
    radius : float
        R > 0.
    """

    radius: float

    def __post_init__(self) -> None:
        L1Ball(self.radius)

    @property
    def ball(self) -> L1Ball:
        """The l1 ball of radius R."""
        return L1Ball(self.radius)

    def _exponent_and_scale(self, dimension: int) -> tuple[float, float]:
        if dimension < 3:
            raise ParameterValueError(
                "dimension", "be 3 or more for the mirror map of the q-norm", dimension
            )
        logarithm = math.log(dimension)
        scale = logarithm * dimension ** (2 / (1 + logarithm)) / self.radius**2
        return 1 + 1 / logarithm, scale

    def gradient_step(self, x: FloatArray, gradient: FloatArray, smoothness: float) -> FloatArray:
        """Move mass to the largest entry of the gradient, at falling returns.

        A unit of ||y - x||_1 gains |g_j|, j the largest, while ||y||_1 < R; then half of it has to
        come off another entry i, and it gains (|g_j| + sign(x_i) g_i)/2. The t-th unit costs
        smoothness t/R^2.
        """
        j = int(np.argmax(np.abs(gradient)))
        best, direction = abs(float(gradient[j])), -np.sign(gradient[j])
        y, moved = x.copy(), 0.0
        price = smoothness / self.radius**2

        def affordable(gain: float, length: float) -> float:
            return min(max(gain / price - moved, 0.0), length)

        # its own mass on the wrong side first, which also makes room
        room = max(self.radius - float(np.abs(x).sum()), 0.0)
        wrong = max(-direction * float(x[j]), 0.0)
        own = affordable(best, room + 2 * wrong)
        y[j] += direction * own
        moved += own
        gains = np.sign(x) * gradient
        for i in np.argsort(-gains, kind="stable"):
            if i == j or x[i] == 0 or best + gains[i] <= 0:
                continue
            pair = affordable((best + float(gains[i])) / 2, 2 * abs(float(x[i])))
            y[i] -= np.sign(x[i]) * pair / 2
            y[j] += direction * pair / 2
            moved += pair
        return y

    def mirror_step(
        self, z: FloatArray, gradient: FloatArray, step_size: float, weight: float = 0.0
    ) -> FloatArray:
        """Step in the dual, soft-threshold until ||u||_1 <= R, and come back."""
        q, scale = self._exponent_and_scale(z.size)
        dual = self._gradient(z, q, scale) - step_size * gradient

        def back(threshold: float) -> FloatArray:
            return self._gradient(soft_threshold(dual, threshold), q / (q - 1), 1 / scale)

        low = step_size * weight
        point = back(low)
        if self.ball.contains(point):
            return point
        high = float(np.abs(dual).max())
        for _ in range(100):  # bisection, to the last bit
            middle = (low + high) / 2
            low, high = (
                (low, middle) if np.abs(back(middle)).sum() <= self.radius else (middle, high)
            )
        return back(high)

    def divergence(self, x: FloatArray, z: FloatArray) -> float:
        """Return V(x, z)."""
        q, scale = self._exponent_and_scale(z.size)
        norms = [float(np.linalg.norm(point, ord=q)) ** 2 for point in (x, z)]
        return scale / 2 * (norms[0] - norms[1]) - float(self._gradient(z, q, scale) @ (x - z))

    @staticmethod
    def _gradient(x: FloatArray, exponent: float, scale: float) -> FloatArray:
        """Return the gradient of (scale/2) ||x||^2 in the norm of that exponent, or its inverse."""
        largest = float(np.abs(x).max(initial=0.0))
        if largest == 0:
            return np.zeros_like(x)
        unit = np.abs(x) / largest
        norm = float((unit**exponent).sum()) ** (1 / exponent)
        gradient: FloatArray = (
            scale * largest * np.sign(x) * unit ** (exponent - 1) * norm ** (2 - exponent)
        )
        return gradient
