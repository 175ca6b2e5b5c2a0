"""Symmetric matrices with noise on the upper triangle."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from auditor.mechanisms.pairs import Attained
from auditor.mechanisms.release_kind import ExactArray, ReleaseKind, differences
from reference.privacy.mechanisms import SymmetricGaussian, SymmetricLaplace


def _split(x: Any, y: Any) -> tuple[ExactArray, ExactArray]:
    """Return the differences on the diagonal and those above it."""
    difference = differences(x, y)
    above = difference[np.triu_indices(difference.shape[-1], 1)]
    return np.diagonal(difference), above


class SymmetricGaussianKind(ReleaseKind[SymmetricGaussian]):
    """A symmetric release with Gaussian noise."""

    def exact_distance(self, other: SymmetricGaussian, x: Any, y: Any) -> mpmath.mpf:
        """Return the l2 distance of the upper triangles, the diagonal in units of its noise."""
        diagonal, above = _split(x, y)
        variance = mpmath.mpf(self.mechanism.diagonal_variance)
        return mpmath.sqrt(sum(d**2 / variance for d in diagonal) + sum(d**2 for d in above))


class SymmetricLaplaceKind(ReleaseKind[SymmetricLaplace]):
    """A symmetric release with Laplace noise."""

    def exact_distance(self, other: SymmetricLaplace, x: Any, y: Any) -> mpmath.mpf:
        """Return the l1 distance of the upper triangles."""
        diagonal, above = _split(x, y)
        return mpmath.mpf(sum(abs(d) for d in diagonal) + sum(abs(d) for d in above))

    def pair(self, tilt: float) -> Attained:
        """Move one entry by the sensitivity."""
        return Attained("laplace", self.claim.sensitivity / self.mechanism.scale)
