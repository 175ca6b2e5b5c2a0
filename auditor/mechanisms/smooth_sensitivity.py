"""Noise whose scale is a smooth bound on the local sensitivity."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import mpmath
import numpy as np
from scipy.stats import norm

from auditor.mechanisms.pairs import LARGEST_LOG_ODDS, Attained, Two, threshold_pair
from auditor.mechanisms.release_kind import ReleaseKind, differences
from reference._validation import FloatArray
from reference.privacy.mechanisms import SmoothSensitivity


class SmoothSensitivityKind(ReleaseKind[SmoothSensitivity]):
    """A release with a data-dependent scale."""

    tilted: ClassVar[bool] = True

    def exact_distance(self, other: SmoothSensitivity, x: Any, y: Any) -> mpmath.mpf:
        """Return the larger of |value change|/S and |log S/S'|/t."""
        mine, theirs = (mpmath.mpf(m.smooth_bound) for m in (self.mechanism, other))
        shift = mpmath.sqrt(sum(d**2 for d in differences(x, y).ravel()))
        change = abs(mpmath.log(mine / theirs)) / mpmath.mpf(self.mechanism.smoothness)
        return max(shift / min(mine, theirs), change)

    def rounding_allowance(self, other: FloatArray, gamma: float, n: int, bound: float) -> float:
        """Allow for the value in units of S, and for log S in units of t."""
        size = float(np.linalg.norm(self.value) + np.linalg.norm(other))
        smooth = self.mechanism.smooth_bound
        return 2 * gamma * ((size + n * smooth) / smooth + 1 / self.mechanism.smoothness)

    def pair(self, tilt: float) -> Attained:
        """Leave the smooth bound and move the value by it."""
        half = self.mechanism.divisor * self.claim.sensitivity / 2
        if self.mechanism.noise == "gaussian":
            return Attained("gaussian", 2 * min(half, LARGEST_LOG_ODDS))
        return threshold_pair(half, tilt, _arsinh_normal)


def _arsinh_normal(x: float) -> Two:
    z = math.asinh(x)
    return float(norm.logcdf(z)), float(norm.logcdf(-z))
