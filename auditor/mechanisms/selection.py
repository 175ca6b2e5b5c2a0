"""Shared by mechanisms that select a candidate by its score."""

from __future__ import annotations

from typing import Any, ClassVar

import mpmath
import numpy as np

from auditor.mechanisms.release_kind import M, ReleaseKind, differences, placed
from reference._validation import FloatArray


class SelectionKind(ReleaseKind[M]):
    """The selection of one of several candidates."""

    tilted: ClassVar[bool] = True

    def exact_distance(self, other: M, x: Any, y: Any) -> mpmath.mpf:
        """Return the largest change of a score."""
        return max(abs(d) for d in differences(x, y).ravel())

    def candidates(self) -> int:
        """Return the number of candidates (2 if the values are not recorded)."""
        value = self.release.value
        return 2 if value is None else int(value.shape[-1])

    def pure(self) -> float:
        """Return 0 if there is nothing to choose."""
        return 0.0 if self.candidates() < 2 else super().pure()


def selected(probabilities: FloatArray, chosen: int, rng: np.random.Generator) -> FloatArray:
    """Return a point of the chosen candidate's interval, the candidates by falling probability."""
    ahead = probabilities > probabilities[chosen]
    ahead[:chosen] |= probabilities[:chosen] == probabilities[chosen]
    before = np.asarray([probabilities[ahead].sum()])
    return placed(before, probabilities[chosen : chosen + 1], rng)
