"""The exponential mechanism over an interval."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import mpmath
import numpy as np

from auditor.mechanisms.exponential import logistic
from auditor.mechanisms.pairs import NOTHING, Attained, threshold_pair
from auditor.mechanisms.release_kind import exact
from auditor.mechanisms.selection import SelectionKind, selected
from reference._validation import FloatArray
from reference.privacy.mechanisms import IntervalExponential


class IntervalExponentialKind(SelectionKind[IntervalExponential]):
    """The selection of a point of an interval by a score that is a step function."""

    def exact_distance(self, other: IntervalExponential, x: Any, y: Any) -> mpmath.mpf:
        """Return the largest change of the score at a point of the interval."""
        one, two = ((scores, list(starts)) for scores, starts in (exact(x), exact(y)))
        upper = mpmath.mpf(self.mechanism.upper)
        return max(
            abs(_at(start, *one) - _at(start, *two)) for start in one[1] + two[1] if start < upper
        )

    def rounding_allowance(self, other: FloatArray, gamma: float, n: int, bound: float) -> float:
        """Allow for the scores; the ends of the pieces are no sums."""
        size = sum(float(np.abs(value[0]).max()) for value in (self.value, other))
        return 2 * gamma * (size + n * bound)

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Place the chosen piece, and the point in its piece: two numbers."""
        scores, starts = self.value
        lengths = np.diff(starts, append=self.mechanism.upper)
        # by the formula, not by the mechanism's own masses: it draws with those
        weights = lengths * np.exp(self.mechanism.rate * (scores - scores[lengths > 0].max()))
        output = float(np.asarray(self.release.output))
        piece = bisect_right(starts.tolist(), output) - 1
        chosen = selected(weights / weights.sum(), piece, rng)
        return np.append(chosen, (output - starts[piece]) / lengths[piece])

    def pair(self, tilt: float) -> Attained:
        """Move the scores of two pieces by the sensitivity in opposite directions."""
        if self.candidates() < 2:
            return NOTHING
        return threshold_pair(self.mechanism.rate * self.claim.sensitivity, tilt, logistic)


def _at(point: mpmath.mpf, scores: Any, starts: list[mpmath.mpf]) -> mpmath.mpf:
    """Return the score at a point."""
    return scores[bisect_right(starts, point) - 1]
