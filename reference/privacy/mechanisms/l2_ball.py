"""The l2-ball randomiser of Duchi, Jordan and Wainwright."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from reference._validation import FloatArray
from reference.privacy.mechanisms.mechanism import (
    Cost,
    Draw,
    Mechanism,
    Output,
    flatten_units,
    half_square,
    largest_epsilon,
    require_representable,
)
from reference.privacy.mechanisms.randomized_response import RandomizedResponse


@dataclass(frozen=True)
class L2BallRandomizer(Mechanism):
    """The l2-ball randomiser of Duchi, Jordan and Wainwright. Wang (2020), (5.75), l.6463-6469.

    Values are vectors (last axis) of norm at most ``radius``; the output has norm B. The claim
    is only that the vectors lie in the ball: the distance is the larger norm over the radius.
    """

    radius: float
    epsilon: float
    kind: ClassVar[str] = "l2 ball"
    norm: ClassVar[str] = "norm of the vector over the radius"

    def __post_init__(self) -> None:
        require_representable(self.epsilon)

    @property
    def _truth(self) -> float:
        return RandomizedResponse(self.epsilon).keep_probability

    def output_norm(self, dimension: int) -> float:
        """B = r coth(eps/2) sqrt(pi) Gamma((p+1)/2)/Gamma(p/2), which makes the output unbiased."""
        log_ratio = float(gammaln((dimension + 1) / 2) - gammaln(dimension / 2))
        return self.radius / math.tanh(self.epsilon / 2) * math.sqrt(math.pi) * math.exp(log_ratio)

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return (
            rng.random(value.shape[:-1]),
            rng.random(value.shape[:-1]),
            rng.standard_normal(value.shape),
        )

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        coin, truth, direction = (np.asarray(part) for part in draw)
        inside = value / self.radius  # whose squares are doubles, whatever the radius
        norm = np.linalg.norm(inside, axis=-1)
        # a zero vector has no direction: any fixed one will do, the coin is then fair
        fixed = np.zeros(value.shape[-1])
        fixed[0] = 1.0
        unit = np.where(
            norm[..., None] > 0, inside / np.where(norm > 0, norm, 1.0)[..., None], fixed
        )
        sign = np.where(coin < 0.5 + norm / 2, 1.0, -1.0)
        side = np.where(truth < self._truth, 1.0, -1.0)
        sphere = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
        inner = np.einsum("...i,...i->...", sphere, unit)
        flip = np.where(np.where(inner > 0, 1.0, -1.0) == sign * side, 1.0, -1.0)
        scaled: FloatArray = self.output_norm(value.shape[-1]) * flip[..., None] * sphere
        return scaled

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        norm = np.linalg.norm(value, axis=-1)
        inner = np.einsum("...i,...i->...", np.asarray(output), value)
        towards = np.clip(0.5 + norm / (2 * self.radius), 0.0, 1.0)
        agree = np.where(inner > 0, towards, 1 - towards)
        with np.errstate(divide="ignore"):
            # log(agree t + (1 - agree)(1 - t)) with t/(1 - t) = exp(epsilon), however large
            density = np.logaddexp(np.log(agree), np.log1p(-agree) - self.epsilon)
            density -= math.log1p(math.exp(-self.epsilon))
        return np.asarray(flatten_units(density[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        larger = np.maximum(np.linalg.norm(value, axis=-1), np.linalg.norm(other, axis=-1))
        same = np.all(value == other, axis=-1)
        ratio = np.where(same, 0.0, larger / self.radius)
        return np.asarray(flatten_units(ratio[..., None], axes).max(axis=-1))

    def rescaled(self, factor: float) -> L2BallRandomizer:
        return replace(self, epsilon=min(self.epsilon / factor, largest_epsilon()))

    def cost(self, sensitivity: float) -> Cost:
        # the truth probability caps the ratio whatever the norm; sensitivity > 1 only biases
        del sensitivity
        loss = RandomizedResponse(self.epsilon).loss  # of the coin that tells the true side
        return Cost(pure=loss, rho=half_square(loss))
