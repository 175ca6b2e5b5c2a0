"""Laplace noise on every coordinate."""

from __future__ import annotations

from typing import Any

import mpmath

from auditor.mechanisms.pairs import Attained
from auditor.mechanisms.release_kind import ReleaseKind, differences
from reference.privacy.mechanisms import Laplace


class LaplaceKind(ReleaseKind[Laplace]):
    """A release with Laplace noise."""

    def exact_distance(self, other: Laplace, x: Any, y: Any) -> mpmath.mpf:
        """Return the l1 distance."""
        return mpmath.mpf(sum(abs(d) for d in differences(x, y).ravel()))

    def pair(self, tilt: float) -> Attained:
        """Move one coordinate by the sensitivity."""
        return Attained("laplace", self.claim.sensitivity / self.mechanism.scale)
