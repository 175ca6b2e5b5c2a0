"""The l2-ball randomiser of Duchi, Jordan and Wainwright."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
from scipy import special

from auditor.mechanisms.pairs import Attained
from auditor.mechanisms.release_kind import EDGE, ReleaseKind, exact, odds
from reference._validation import FloatArray
from reference.privacy.mechanisms import L2BallRandomizer


class L2BallKind(ReleaseKind[L2BallRandomizer]):
    """One randomised vector per user."""

    def exact_distance(self, other: L2BallRandomizer, x: Any, y: Any) -> mpmath.mpf:
        """Return the larger norm over the radius."""
        norms = [mpmath.sqrt(sum(v**2 for v in exact(side).ravel())) for side in (x, y)]
        return max(norms) / mpmath.mpf(self.mechanism.radius)

    def rounding_allowance(self, other: FloatArray, gamma: float, n: int, bound: float) -> float:
        """Allow for one norm relative to the radius."""
        return 2 * gamma

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Use the distribution function of the projection on the user's own vector."""
        m, value = self.mechanism, self.value
        dimension = value.shape[-1]
        norm = np.linalg.norm(value, axis=-1)
        unit = np.where(
            norm[..., None] > 0,
            value / np.where(norm > 0, norm, 1.0)[..., None],
            np.eye(dimension)[0],
        )
        sphere = np.asarray(self.release.output) / m.output_norm(dimension)
        inner = np.einsum("...i,...i->...", sphere, unit)
        # a coordinate t of a uniform point of the sphere: (1 + t)/2 is Beta((d-1)/2, (d-1)/2)
        half = (dimension - 1) / 2
        # in one dimension the projection is just its sign
        tail = (
            special.betainc(half, half, (1 - np.abs(np.clip(inner, -1, 1))) / 2) * 2
            if dimension > 1
            else rng.random(inner.shape)
        )
        towards = odds(m, unit, -unit, value, value.ndim - 1)
        # the declared law is uniform on either half sphere: |t| first, the half sphere second
        numbers = np.where(inner > 0, towards * tail, towards + (1 - towards) * tail)
        impossible = np.abs(np.linalg.norm(sphere, axis=-1) - 1) > 1e-9
        return np.asarray(np.where(impossible, EDGE, numbers))

    def pure(self) -> float:
        """Return the log-odds of the half-space of the larger probability.

        For a vector of the claimed norm.
        """
        towards = 0.5 + min(self.claim.sensitivity, 1.0) / 2
        truth = float(special.expit(self.mechanism.epsilon))
        agree = towards * truth + (1 - towards) * (1 - truth)
        return math.inf if agree == 1 else math.log(agree / (1 - agree))

    def pair(self, tilt: float) -> Attained:
        """Return the two half-spaces."""
        return Attained("odds", self.pure(), 0.0)
