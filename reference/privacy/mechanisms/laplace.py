"""Laplace noise on every coordinate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from reference._validation import FloatArray
from reference.privacy.guarantees import laplace_rho
from reference.privacy.mechanisms.additive import Additive
from reference.privacy.mechanisms.mechanism import Cost, Draw, Output, flatten_units, ratio


@dataclass(frozen=True)
class Laplace(Additive):
    """Independent Lap(scale), density exp(-|x|/scale)/(2 scale); l1. Wang (2020), Def. 2.1.2."""

    scale: float
    kind: ClassVar[str] = "laplace"
    norm: ClassVar[str] = "l1"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.laplace(size=value.shape)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        return np.asarray(-flatten_units(np.abs(output - value) / self.scale, axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(flatten_units(np.abs(value - other), axes).sum(axis=-1))

    def rescaled(self, factor: float) -> Laplace:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        epsilon = ratio(sensitivity, self.scale)
        # one scalar Laplace dominates any vector of the same l1 sensitivity, in its curve and rho
        return Cost(pure=epsilon, rho=laplace_rho(epsilon), laplace=epsilon)

    def residual_law(self) -> str:
        return "laplace"
