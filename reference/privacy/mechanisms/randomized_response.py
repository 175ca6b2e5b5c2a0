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

_DOUBLES = 2**53
_ROUNDING = 2.0**-51
"""Relative rounding error of a logarithm, and of odds that take three operations on integers."""


@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """Keep a category with probability e^eps/(e^eps + k - 1), else one of the others, uniformly.

    The distance counts the answers of a unit that differ (Hamming). An ``epsilon`` beyond 27.6, at
    which a false answer is too rare for a coin of doubles, is refused.

    What is charged is :attr:`loss`, that of the law which doubles sample. With more than two
    categories it exceeds ``epsilon``, by 1e-14 as a rule and by up to 2e-3 where an answer is as
    rare as allowed: its doubles are then some 9000, of which a few may be missing. An ``epsilon``
    below 1e-15 is less than what doubles resolve, and charged as that.
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

    @property
    def loss(self) -> float:
        """The largest log-ratio of the probabilities that two truths give an answer, from above.

        Of the N = 2^53 doubles that the coin shows, T = ceil(N keep) tell the truth and the others
        lie. With two categories those are all of one answer, and ``COIN`` keeps T/(N - T) at most
        e^epsilon. With k > 2, each of k - 1 answers has (N - T)/(k - 1) of them but for 1 + 1/(k -
        1) + 7 (1 - keep): N keep is T but for 1, a double is in or out, and where the doubles of
        an answer begin, and where they end, is a difference, a quotient and a product, each right
        to 1/N of it; 1 - keep, by which all are divided, is right to 1/N as well.
        """
        truth = math.ceil(_DOUBLES * self.keep_probability)
        others = self.categories - 1
        lie = (_DOUBLES - truth) / others
        if others == 1:
            return self._at_least(lie / truth)
        error = 1 + 1 / others + 7 * (1 - self.keep_probability)
        most, least = lie + error, lie - error
        return self._at_least(max(truth, most) / min(truth, least))

    def _at_least(self, odds: float) -> float:
        """Return ``epsilon``, or the logarithm of the odds, rounded up, if that is more."""
        return max(self.epsilon, math.log(odds) * (1 + _ROUNDING) + _ROUNDING)

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
        answers, loss = math.ceil(sensitivity), self.loss
        return Cost(pure=loss * answers, rho=answers * half_square(loss))
