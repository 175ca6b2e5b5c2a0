"""Gaussian noise on every coordinate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from reference._validation import FloatArray
from reference.privacy.mechanisms.additive import Additive
from reference.privacy.mechanisms.mechanism import (
    Cost,
    Draw,
    Output,
    flatten_units,
    half_square,
    ratio,
)


@dataclass(frozen=True)
class Gaussian(Additive):
    """Independent N(0, scale^2) on every coordinate; l2 sensitivity. Wang (2020), Def. 2.1.3."""

    scale: float
    kind: ClassVar[str] = "gaussian"
    norm: ClassVar[str] = "l2"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.standard_normal(value.shape)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        z = flatten_units((output - value) / self.scale, axes)
        density: FloatArray = -0.5 * np.einsum("...i,...i->...", z, z)
        return density

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(np.linalg.norm(flatten_units(value - other, axes), axis=-1))

    def rescaled(self, factor: float) -> Gaussian:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        mu = ratio(sensitivity, self.scale)
        return Cost(rho=half_square(mu), gaussian=mu)

    def residual_law(self) -> str:
        return "norm"
