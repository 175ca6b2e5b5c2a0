"""Gaussian noise on every coordinate."""

from __future__ import annotations

from typing import Any

import mpmath

from auditor.mechanisms.release_kind import ReleaseKind, differences
from reference.privacy.mechanisms import Gaussian


class GaussianKind(ReleaseKind[Gaussian]):
    """A release with Gaussian noise."""

    def exact_distance(self, other: Gaussian, x: Any, y: Any) -> mpmath.mpf:
        """Return the l2 distance."""
        return mpmath.sqrt(sum(d**2 for d in differences(x, y).ravel()))
