"""Convex losses of a margin as means of absolute values (Wang (2020), Lemma 5.1.9).

A loss f(y <w, x>) is a function of the margin t = y <w, x> in [-1, 1]. On it,

    f(t) = (b - a)/2 E|t - s| + (a + b)/2 t + c,    a = f'(-1), b = f'(1), s ~ Q.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from reference._validation import FloatArray, ParameterValueError, require_array, require_count

_BISECTIONS = 55
"""Bisections that take [-1, 1] down to the spacing of doubles near 1."""


@dataclass(frozen=True)
class MarginLoss:
    """A convex 1-Lipschitz function f on [-1, 1].

    Parameters
    ----------
    value : callable
        f, of an array of margins in [-1, 1].
    right_derivative : callable
        f'_+, of an array of margins in [-1, 1); never falls, and lies in [-1, 1].

    Raises
    ------
    ValueError
        If the slopes at the ends are not finite, in [-1, 1] and in this order.
    """

    value: Callable[[FloatArray], FloatArray]
    right_derivative: Callable[[FloatArray], FloatArray]

    def __post_init__(self) -> None:
        low, high = self.slopes
        if not -1 <= low <= high <= 1:
            raise ParameterValueError(
                "right_derivative", "rise from -1 or more to 1 or less", got=f"{low!r} to {high!r}"
            )

    @property
    def slopes(self) -> tuple[float, float]:
        """The slopes at the ends, a = f'(-1) from the right and b = f'(1) from the left."""
        ends = np.array([-1.0, math.nextafter(1.0, 0.0)])
        low, high = np.asarray(self.right_derivative(ends), dtype=float)
        return float(low), float(high)

    def thresholds(self, slopes: FloatArray) -> FloatArray:
        """Return the largest s of which each slope u is a subgradient: inf{s: f'_+(s) > u}.

        Parameters
        ----------
        slopes : ndarray
            u in [a, b].

        Returns
        -------
        ndarray
            In [-1, 1], to the spacing of doubles near 1.
        """
        wanted = require_array("slopes", slopes, ndim=1)
        low, high = np.full(wanted.shape, -1.0), np.ones(wanted.shape)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            above = np.asarray(self.right_derivative(middle)) > wanted
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return high


def sample_thresholds(loss: MarginLoss, size: int, rng: np.random.Generator) -> FloatArray:
    """Draw s from Q, as Lemma 5.1.9 does (l.5084-5091): u uniform on [a, b], then s(u).

    If f is linear, a = b, the absolute values have weight 0 and every s is as good.

    Parameters
    ----------
    loss : MarginLoss
        f.
    size : int
        Number of independent draws, >= 1.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (size,)
    """
    require_count("size", size)
    return loss.thresholds(rng.uniform(*loss.slopes, size))


def _hinge(margin: FloatArray) -> FloatArray:
    return np.maximum(0.0, 0.5 - margin)


def _hinge_slope(margin: FloatArray) -> FloatArray:
    return np.where(margin < 0.5, -1.0, 0.0)


def _logistic(margin: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, -margin)


def _logistic_slope(margin: FloatArray) -> FloatArray:
    slope: FloatArray = -expit(-margin)
    return slope


HINGE = MarginLoss(_hinge, _hinge_slope)
"""[1/2 - t]_+, the hinge loss of Wang (2020), l.4995."""
LOGISTIC = MarginLoss(_logistic, _logistic_slope)
"""log(1 + exp(-t))."""
