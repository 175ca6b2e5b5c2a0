"""The exponential mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reference._validation import FloatArray
from reference.privacy.mechanisms.mechanism import (
    REACH,
    Cost,
    Draw,
    Mechanism,
    Output,
    flatten_units,
    half_square,
)


@dataclass(frozen=True)
class Exponential(Mechanism):
    """P(r) proportional to exp(rate * score_r); l-infinity over the scores.

    Wang (2020), Def. 2.1.4. ``rate`` = epsilon / (2 sensitivity). Sampled exactly by Gumbel noise
    and argmax. Noise of doubles lies in [-3.7, 36.8], -ln(-ln u) for u from 2^-53 to 1 - 2^-53: an
    index whose rate * score is 41 below the best is never shown, but may be on a neighbour.
    """

    rate: float
    kind: ClassVar[str] = "exponential"
    norm: ClassVar[str] = "l-infinity of the scores"

    @property
    def reach(self) -> float:
        return REACH / self.rate

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.gumbel(size=value.shape)

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        return np.asarray(np.argmax(self.rate * value + draw, axis=-1))

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return np.asarray(np.argmax(value, axis=-1))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        logits = self.rate * value
        logits = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
        chosen = np.take_along_axis(logits, np.asarray(output)[..., None], axis=-1)
        return np.asarray(flatten_units(chosen, axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(flatten_units(np.abs(value - other), axes).max(axis=-1))

    def rescaled(self, factor: float) -> Exponential:
        return replace(self, rate=self.rate / factor)

    def cost(self, sensitivity: float) -> Cost:
        """Return the cost of epsilon-bounded range, hence epsilon^2/8-zCDP.

        Cesar and Rogers (2021), Lemma 3.2.
        """
        epsilon = max(2 * self.rate * sensitivity, math.ulp(0.0))
        return Cost(pure=epsilon, rho=half_square(epsilon / 2))
