"""Wishart noise on symmetric matrices."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
from scipy import special
from scipy.stats import chi2

from auditor.kinds.kind import EDGE, Kind, differences
from auditor.kinds.pairs import Attained
from reference._validation import FloatArray
from reference.privacy.mechanisms import Wishart


class WishartKind(Kind[Wishart]):
    """A release with Wishart noise."""

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
        """Return the mass of the outputs that lie above 0 but not above a matrix u u' of the claim.

        W lies above u u' iff u' W^-1 u <= 1, and |u|^2/(u' W^-1 u) is scale times a chi-square
        with degrees - d + 1 degrees of freedom (Muirhead 1982, Theorem 3.2.12).
        """
        m = self.mechanism
        freedom = m.degrees - m.dimension + 1
        mass = float(chi2.cdf(self.claim.sensitivity / m.scale, freedom))
        mass = min(max(mass, 1e-300), 1 - 1e-12)
        outcomes = (math.log(mass), math.log1p(-mass))
        return Attained("outcomes", first=outcomes, second=(-math.inf, 0.0))
