"""The exponential mechanism."""

from __future__ import annotations

import numpy as np
from scipy import special

from auditor.mechanisms.pairs import NOTHING, Attained, Two, threshold_pair
from auditor.mechanisms.selection import SelectionKind, selected
from reference._validation import FloatArray
from reference.privacy.mechanisms import Exponential


class ExponentialKind(SelectionKind[Exponential]):
    """A selection by the exponential mechanism."""

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Place the chosen candidate; one number for every selection."""
        scores = self.mechanism.rate * self.value
        probabilities = special.softmax(scores, axis=-1).reshape(-1, scores.shape[-1])
        chosen = np.asarray(self.release.output).ravel()
        return np.concatenate(
            [
                selected(row, int(index), rng)
                for row, index in zip(probabilities, chosen, strict=True)
            ]
        )

    def pair(self, tilt: float) -> Attained:
        """Move the scores of two candidates by the sensitivity in opposite directions."""
        if self.candidates() < 2:
            return NOTHING
        return threshold_pair(self.mechanism.rate * self.claim.sensitivity, tilt, logistic)


def logistic(x: float) -> Two:
    """Return the log-probabilities of either of two candidates, at log-odds ``x``."""
    return float(special.log_expit(x)), float(special.log_expit(-x))
