"""One bit whose probability is computed from the record."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from auditor.mechanisms.pairs import Attained
from auditor.mechanisms.release_kind import ReleaseKind, exact, odds, placed
from reference._validation import FloatArray
from reference.privacy.mechanisms import Bit


class BitKind(ReleaseKind[Bit]):
    """One randomised bit per unit."""

    def exact_distance(self, other: Bit, x: Any, y: Any) -> mpmath.mpf:
        """Return the larger log-ratio of the bit's two values, summed over the bits."""
        total = mpmath.mpf(0)
        for p, q in zip(exact(x).ravel(), exact(y).ravel(), strict=True):
            if p == q:
                continue
            if min(p, q) <= 0 or max(p, q) >= 1:
                return mpmath.inf
            # the sharper bit of a mutant: odds to the power 1/temperature
            power = 1 / mpmath.mpf(self.mechanism.temperature)
            p, q = (1 / (1 + ((1 - v) / v) ** power) for v in (p, q))
            total += max(abs(mpmath.log(p / q)), abs(mpmath.log((1 - p) / (1 - q))))
        return total

    def rounding_allowance(self, other: FloatArray, gamma: float, n: int, bound: float) -> float:
        """Use |d log p| = |d p|/p."""
        changed = self.value != other
        both = np.concatenate([self.value[changed].ravel(), other[changed].ravel()])
        return float(2 * gamma / np.minimum(both, 1 - both).min())

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Lay out the likelier bit first: deviations of units with different values add up."""
        value = self.value
        one = odds(self.mechanism, np.ones(value.shape), np.zeros(value.shape), value, value.ndim)
        likely = np.maximum(one, 1 - one)
        is_likely = (np.asarray(self.release.output) == 1) == (one >= 0.5)
        before = np.where(is_likely, 0.0, likely)
        return placed(before, np.where(is_likely, likely, 1 - likely), rng)

    def pair(self, tilt: float) -> Attained:
        """Return the log-odds that the claim allows."""
        return Attained("odds", self.claim.sensitivity / self.mechanism.temperature, 0.0)
