"""One bit whose probability is computed from the record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reference._validation import FloatArray
from reference.privacy.mechanisms.mechanism import (
    Cost,
    Draw,
    Mechanism,
    Output,
    flatten_units,
    half_square,
    ratio,
)


@dataclass(frozen=True)
class Bit(Mechanism):
    """One bit per unit, equal to one with a probability computed from the unit's record.

    The distance is the larger log-ratio of the two bit values. Source: Wang (2020), Alg. 5.1.32.
    """

    kind: ClassVar[str] = "bit"
    norm: ClassVar[str] = "log-ratio of the bit's probabilities"
    temperature: float = 1.0

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.random(value.shape)

    def _probability(self, value: FloatArray) -> FloatArray:
        if self.temperature == 1.0:
            return value
        with np.errstate(over="ignore", divide="ignore"):
            logit = np.log(value) - np.log1p(-value)
            sharpened: FloatArray = 1 / (1 + np.exp(-logit / self.temperature))
        return sharpened

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        return (np.asarray(draw) < self._probability(value)).astype(np.int64)

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return (value >= 0.5).astype(np.int64)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        p = self._probability(value)
        with np.errstate(divide="ignore"):
            each = np.where(np.asarray(output) == 1, np.log(p), np.log1p(-p))
        return np.asarray(flatten_units(each[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        p, q = self._probability(value), self._probability(other)
        with np.errstate(divide="ignore", invalid="ignore"):
            one = np.abs(np.log(p) - np.log(q))
            zero = np.abs(np.log1p(-p) - np.log1p(-q))
        ratio = np.where(p == q, 0.0, np.maximum(one, zero))
        return np.asarray(flatten_units(ratio[..., None], axes).sum(axis=-1))

    def rescaled(self, factor: float) -> Bit:
        return replace(self, temperature=self.temperature * factor)

    def cost(self, sensitivity: float) -> Cost:
        epsilon = ratio(sensitivity, self.temperature)
        return Cost(pure=epsilon, rho=half_square(epsilon))
