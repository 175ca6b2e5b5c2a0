"""Randomised response over several categories."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np

from auditor.mechanisms.pairs import Attained
from auditor.mechanisms.release_kind import ReleaseKind, placed
from reference._validation import FloatArray
from reference.privacy.mechanisms import RandomizedResponse


class RandomizedResponseKind(ReleaseKind[RandomizedResponse]):
    """Randomised answers."""

    def exact_distance(self, other: RandomizedResponse, x: Any, y: Any) -> mpmath.mpf:
        """Return the number of answers that differ."""
        return mpmath.mpf(int(np.count_nonzero(np.asarray(x) != np.asarray(y))))

    def rounding_allowance(self, other: FloatArray, gamma: float, n: int, bound: float) -> float:
        """Return 0: answers are compared, nothing is computed."""
        return 0.0

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Lay out the truth, then the other categories in the order of their distance from it."""
        m = self.mechanism
        keep = m.keep_probability
        shift = (np.asarray(self.release.output) - self.value) % m.categories
        lie = (1 - keep) / (m.categories - 1)
        before = np.where(shift == 0, 0.0, keep + (shift - 1) * lie)
        return placed(before, np.where(shift == 0, keep, lie), rng)

    def answers(self) -> int:
        """Return the claimed number of answers that may differ."""
        return math.floor(self.claim.sensitivity)

    def pure(self) -> float:
        """Return epsilon for every answer."""
        return self.answers() * self.mechanism.epsilon

    def pair(self, tilt: float) -> Attained:
        """Take two categories; the others are answered with the same probability."""
        m = self.mechanism
        shared = (m.categories - 2) * (1 - m.keep_probability) / (m.categories - 1)
        return Attained("odds", m.epsilon, shared)
