"""Losses of a linear model's residual <a, x> - y, for any real label y."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reference._validation import FloatArray, require_magnitude
from reference.losses.linear_models import LinearModelLoss


@dataclass(frozen=True)
class Huber(LinearModelLoss):
    """Huber's function of the residual <a, x> - y, any real y: convex, G = c B, L = B^2.

    r^2/2 for |r| <= c, c |r| - c^2/2 beyond.

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`.
    threshold : float, default 1.0
        c > 0.
    """

    threshold: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_magnitude("threshold", self.threshold)

    convex: ClassVar[bool] = True
    """The slope never falls."""

    @property
    def slope_bound(self) -> float:
        """Largest slope: |phi'| <= c."""
        return self.threshold

    curvature_bound: ClassVar[float] = 1.0
    """The second derivative is 1 inside the threshold and 0 outside."""

    def _check_labels(self, labels: FloatArray) -> None:
        """Accept every real label."""

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        size = np.abs(score - labels)
        inside = np.minimum(size, self.threshold)
        # c (r - c/2) beyond the threshold, r^2/2 within it, in one expression
        value: FloatArray = inside * (size - inside / 2)
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return np.clip(score - labels, -self.threshold, self.threshold)


@dataclass(frozen=True)
class SquaredError(LinearModelLoss):
    """(<a, x> - y)^2, any real y: convex, no Lipschitz constant, L = 2 B^2.

    Hu, Ni, Xiao and Wang (2022), l.224.

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`; unbounded by default.
    """

    feature_bound: float = math.inf

    convex: ClassVar[bool] = True
    """The second derivative is 2."""
    slope_bound: ClassVar[float] = math.inf
    """The slope 2 (<a, x> - y) has no bound."""
    curvature_bound: ClassVar[float] = 2.0
    """The second derivative in the score is 2."""

    def _check_labels(self, labels: FloatArray) -> None:
        """Accept every real label."""

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = (score - labels) ** 2
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        slope: FloatArray = 2 * (score - labels)
        return slope


@dataclass(frozen=True)
class Biweight(LinearModelLoss):
    """Tukey's biweight of the residual r = <a, x> - y, any real y: non-convex, L = B^2.

    (c^2/6)(1 - (1 - (r/c)^2)^3) for |r| <= c, c^2/6 beyond. Hu, Ni, Xiao and Wang (2022), footnote
    4 (l.237).

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`; unbounded by default.
    threshold : float, default 4.0
        c > 0.
    """

    feature_bound: float = math.inf
    threshold: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_magnitude("threshold", self.threshold)

    convex: ClassVar[bool] = False
    """The slope falls where c/sqrt 5 < |r| < c."""

    @property
    def slope_bound(self) -> float:
        """The slope r (1 - (r/c)^2)^2 is largest at r = c/sqrt 5."""
        return self.threshold * 16 / (25 * math.sqrt(5))

    curvature_bound: ClassVar[float] = 1.0
    """The second derivative is largest in size at 0."""

    def _check_labels(self, labels: FloatArray) -> None:
        """Accept every real label."""

    def _kept(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        """Return 1 - min((r/c)^2, 1)."""
        kept: FloatArray = 1 - (self._cut(score, labels) / self.threshold) ** 2
        return kept

    def _cut(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        """Return the residual, cut to [-c, c] before its square can overflow."""
        return np.clip(score - labels, -self.threshold, self.threshold)

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = self.threshold**2 / 6 * (1 - self._kept(score, labels) ** 3)
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        # 0 beyond the threshold, also where the residual has overflowed
        slope: FloatArray = self._cut(score, labels) * self._kept(score, labels) ** 2
        return slope
