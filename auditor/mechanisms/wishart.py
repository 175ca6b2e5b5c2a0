"""Wishart noise on symmetric matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import mpmath
import numpy as np
from scipy import special
from scipy.stats import chi2

from auditor.mechanisms.pairs import Attained
from auditor.mechanisms.release_kind import EDGE, ReleaseKind, differences
from reference._validation import FloatArray
from reference.privacy.mechanisms import Wishart


class WishartKind(ReleaseKind[Wishart]):
    """A release with Wishart noise."""

    tilted: ClassVar[bool] = True

    def exact_distance(self, other: Wishart, x: Any, y: Any) -> mpmath.mpf:
        """Return the spectral norm of the difference."""
        matrix = mpmath.matrix(differences(x, y).tolist())
        return max(abs(e) for e in mpmath.eigsy(matrix, eigvals_only=True))

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Use the Cholesky factor, whose entries are independent (Bartlett)."""
        m = self.mechanism
        noise = (np.asarray(self.release.output) - self.value) / m.scale
        size = noise.shape[-1]
        try:
            lower = np.linalg.cholesky((noise + np.swapaxes(noise, -1, -2)) / 2)
        except np.linalg.LinAlgError:  # impossible under the declared law
            return np.full(size * (size + 1) // 2, EDGE)
        index = np.arange(size)
        squares = special.chdtr(m.degrees - index, lower[..., index, index] ** 2)
        rows, columns = np.tril_indices(size, -1)
        return np.concatenate([squares.ravel(), special.ndtr(lower[..., rows, columns]).ravel()])

    def pair(self, tilt: float) -> Attained:
        """Return the outputs whose loss exceeds the tilt where a matrix u u' of the claim goes.

        One coordinate tells 0 and u u' apart: a chi-square q with K + 1 degrees, K = degrees - d,
        against q + |u|^2/scale. The loss of q is (K - 1)/2 log(q/(q - s)) - s/2 and infinite up to
        s, see :func:`reference.privacy.mechanisms.wishart_delta`. With d + 1 degrees or fewer only
        the latter is counted.
        """
        m = self.mechanism
        size, excess = self.claim.sensitivity / m.scale, m.degrees - m.dimension
        rate = 2 * (tilt + size / 2) / (excess - 1) if excess > 1 else math.inf
        below = size / math.expm1(rate) if rate < 700 else 0.0
        without = float(chi2.cdf(below + size, excess + 1))
        without = min(max(without, 1e-300), 1 - 1e-12)
        seen = min(float(chi2.cdf(below, excess + 1)), without)
        outcomes = (math.log(without), math.log1p(-without))
        return Attained(
            "outcomes",
            first=outcomes,
            second=(math.log(seen) if seen else -math.inf, math.log1p(-seen)),
        )
