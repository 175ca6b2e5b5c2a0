"""Randomised response over several categories."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reference._validation import FloatArray
from reference.privacy.mechanisms.mechanism import (
    COIN,
    Cost,
    Draw,
    Mechanism,
    Output,
    flatten_units,
    half_square,
    largest_epsilon,
    require_representable,
)


@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """Keep a category with probability e^eps/(e^eps + k - 1), else one of the others, uniformly.

    The distance counts the answers of a unit that differ (Hamming). An ``epsilon`` beyond 27.6, at
    which a false answer is too rare for a coin of doubles, is refused.
    """

    epsilon: float
    categories: int = 2
    kind: ClassVar[str] = "randomized response"
    norm: ClassVar[str] = "number of answers that differ"

    def __post_init__(self) -> None:
        require_representable(self.epsilon, self.categories)

    @property
    def keep_probability(self) -> float:
        """Probability of reporting the truth, less what a coin of doubles may add to it."""
        return 1.0 / (1.0 + (self.categories - 1) * math.exp(-self.epsilon)) - COIN

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.random(value.shape)

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        keep = self.keep_probability
        truth = value.astype(np.int64)
        # the excess of the uniform over keep picks one of the k - 1 other categories
        excess = np.clip((np.asarray(draw) - keep) / (1 - keep), 0.0, np.nextafter(1.0, 0.0))
        shift = 1 + (excess * (self.categories - 1)).astype(np.int64)
        return np.where(np.asarray(draw) < keep, truth, (truth + shift) % self.categories)

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return value.astype(np.int64)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        log_keep = -math.log1p((self.categories - 1) * math.exp(-self.epsilon))
        each = np.where(np.asarray(output) == value, log_keep, log_keep - self.epsilon)
        return np.asarray(flatten_units(each[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        differ = (value != other).astype(np.float64)
        return np.asarray(flatten_units(differ[..., None], axes).sum(axis=-1))

    def rescaled(self, factor: float) -> RandomizedResponse:
        return replace(self, epsilon=min(self.epsilon / factor, largest_epsilon(self.categories)))

    def cost(self, sensitivity: float) -> Cost:
        answers = math.ceil(sensitivity)
        return Cost(pure=self.epsilon * answers, rho=answers * half_square(self.epsilon))
