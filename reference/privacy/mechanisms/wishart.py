"""Wishart noise on symmetric matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from reference._validation import FloatArray
from reference.privacy.mechanisms.mechanism import (
    REACH,
    Cost,
    Draw,
    Mechanism,
    Output,
    flatten_units,
)


@dataclass(frozen=True)
class Wishart(Mechanism):
    """Positive definite noise W_d(degrees, scale I); spectral norm. Wang (2020), Lemma 6.3.2.

    The output lies above the value in the positive definite order, so neighbours have different
    supports: the loss can be infinite.
    """

    degrees: float
    scale: float
    dimension: int
    kind: ClassVar[str] = "wishart"
    norm: ClassVar[str] = "spectral"

    @property
    def reach(self) -> float:
        return REACH * self.scale

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        # Bartlett: L lower triangular, L_ii^2 ~ chi^2 with degrees - i (0-based), L_ij ~ N(0, 1)
        size = value.shape[-1]
        lower = np.tril(rng.standard_normal((*value.shape[:-2], size, size)), -1)
        squares = rng.chisquare(self.degrees - np.arange(size), size=(*value.shape[:-2], size))
        index = np.arange(size)
        lower[..., index, index] = np.sqrt(squares)
        return lower

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        lower = np.asarray(draw)
        noisy: FloatArray = value + self.scale * (lower @ np.swapaxes(lower, -1, -2))
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        noise = np.asarray(output) - value
        size = value.shape[-1]
        smallest = np.linalg.eigvalsh(noise)[..., 0]
        inside = smallest > 0
        safe = np.where(inside[..., None, None], noise, np.eye(size))
        log_det = np.linalg.slogdet(safe)[1]
        density = (self.degrees - size - 1) / 2 * log_det - np.trace(safe, axis1=-2, axis2=-1) / (
            2 * self.scale
        )
        masked = np.where(inside, density, -np.inf)
        return np.asarray(flatten_units(masked[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        spectral = np.abs(np.linalg.eigvalsh(value - other)).max(axis=-1)
        return np.asarray(flatten_units(spectral[..., None], axes).max(axis=-1))

    def rescaled(self, factor: float) -> Wishart:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        """(0, delta)-DP for degrees = d + 1 and changes sensitivity (v v' - w w'), |v|, |w| <= 1.

        The density is then exp(-trace/(2 scale)) on the cone above the value. On the common
        support the ratio of two of them is a constant, so the side of the larger trace wins
        nothing there and 1 - delta is the probability that W + sensitivity (v v' - w w') is
        positive definite: at least P(chi^2_2 > sensitivity/scale), the case v = 0. Other degrees
        have an unbounded ratio and no cost here.
        """
        if self.degrees != self.dimension + 1:
            return Cost()
        return Cost(approximate=(0.0, -math.expm1(-sensitivity / (2 * self.scale))))
