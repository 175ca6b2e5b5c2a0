"""Symmetric matrices with noise on the upper triangle."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from reference._validation import FloatArray
from reference.privacy.mechanisms.gaussian import Gaussian
from reference.privacy.mechanisms.laplace import Laplace
from reference.privacy.mechanisms.mechanism import (
    REACH,
    Cost,
    Draw,
    Mechanism,
    Output,
    flatten_units,
)


class _Symmetric(Mechanism):
    """Symmetric matrix noise: the upper triangle is drawn, the lower one mirrors it."""

    scale: float

    @property
    def reach(self) -> float:
        return REACH * self.scale

    def _weights(self, size: int) -> FloatArray:
        """Per-entry multiple of the scale on the upper triangle, diagonal included."""
        return np.ones(size * (size + 1) // 2)

    def _mirror(self, upper: FloatArray, size: int) -> FloatArray:
        rows, columns = np.triu_indices(size)
        matrix = np.zeros((*upper.shape[:-1], size, size))
        matrix[..., rows, columns] = upper
        matrix[..., columns, rows] = upper
        return matrix

    def _upper(self, matrix: FloatArray) -> FloatArray:
        """Upper triangle in units of the noise."""
        rows, columns = np.triu_indices(matrix.shape[-1])
        upper: FloatArray = matrix[..., rows, columns] / self._weights(matrix.shape[-1])
        return upper

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        size = value.shape[-1]
        noisy = self._mirror(np.asarray(draw) * self._weights(size), size)
        noisy *= self.scale  # in place: with many users, matrices are most of all memory
        noisy += value
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def residual(self, output: Output, value: FloatArray) -> FloatArray:
        noise: FloatArray = self._upper(np.asarray(output) - value) / self.scale
        return noise


@dataclass(frozen=True)
class SymmetricGaussian(_Symmetric):
    """Symmetric Gaussian noise on the upper triangle; l2 of the released upper triangle.

    Off-diagonal entries have variance scale^2, diagonal ones ``diagonal_variance`` times that.
    The distance is in units of the off-diagonal noise (Mahalanobis when the diagonal differs).
    Source: Wang (2020), Algorithm 6.1.46 (diagonal_variance = 1).
    """

    scale: float
    diagonal_variance: float = 1.0
    kind: ClassVar[str] = "symmetric gaussian"
    norm: ClassVar[str] = "l2 of the upper triangle"

    @property
    def reach(self) -> float:
        return REACH * self.scale * min(1.0, math.sqrt(self.diagonal_variance))

    def _weights(self, size: int) -> FloatArray:
        rows, columns = np.triu_indices(size)
        return np.where(rows == columns, math.sqrt(self.diagonal_variance), 1.0)

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        size = value.shape[-1]
        return rng.standard_normal((*value.shape[:-2], size * (size + 1) // 2))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        z = flatten_units(self._upper(np.asarray(output) - value) / self.scale, axes)
        density: FloatArray = -0.5 * np.einsum("...i,...i->...", z, z)
        return density

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(np.linalg.norm(flatten_units(self._upper(value - other), axes), axis=-1))

    def rescaled(self, factor: float) -> SymmetricGaussian:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        return Gaussian(self.scale).cost(sensitivity)

    def residual_law(self) -> str:
        return "norm"


@dataclass(frozen=True)
class SymmetricLaplace(_Symmetric):
    """Symmetric Laplace noise on the upper triangle; l1 of the upper triangle.

    Source: Wang (2020), Theorem 6.3.5.
    """

    scale: float
    kind: ClassVar[str] = "symmetric laplace"
    norm: ClassVar[str] = "l1 of the upper triangle"

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        size = value.shape[-1]
        return rng.laplace(size=(*value.shape[:-2], size * (size + 1) // 2))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        upper = self._upper(np.asarray(output) - value)
        return np.asarray(-flatten_units(np.abs(upper) / self.scale, axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(flatten_units(np.abs(self._upper(value - other)), axes).sum(axis=-1))

    def rescaled(self, factor: float) -> SymmetricLaplace:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        return Laplace(self.scale).cost(sensitivity)

    def residual_law(self) -> str:
        return "laplace"
