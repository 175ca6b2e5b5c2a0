"""Latent-variable models for gradient EM: per-record gradients of Q(.; beta) at beta.

Sources: seed 000, (4)-(11), l.98-139; seed 004, l.9456-9494. A model is a callable
``gradients(data, beta) -> array of shape (n, d)``; row i is nabla q_i(beta; beta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_non_negative, require_positive


class LatentModel(Protocol):
    """What gradient EM needs to know about a model."""

    def validate(self, data: ArrayLike, dimension: int) -> FloatArray:
        """Return the data as an array of records, or raise."""
        ...

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return nabla q_i(beta; beta) for every record, shape (n, d)."""
        ...


@dataclass(frozen=True)
class GaussianMixture:
    """Y = Z beta + V with a fair sign Z and V ~ N(0, noise_scale^2 I).

    Parameters
    ----------
    noise_scale : float
        Known standard deviation sigma of the components, > 0.
    as_published : bool, default False
        Use the printed weight 1/(1+exp(-<beta,y>/sigma^2)). It is not the posterior of the model:
        the exponent lacks a factor 2, so the true parameter is not a fixed point (erratum
        model-gmm/1; seed 000 l.109, seed 004 l.9466, seed 002 l.231).
    """

    noise_scale: float
    as_published: bool = False

    def __post_init__(self) -> None:
        require_positive("noise_scale", self.noise_scale)

    def validate(self, data: ArrayLike, dimension: int) -> FloatArray:
        """Return records y_i as rows, shape (n, dimension)."""
        return require_array("data", data, ndim=2, shape=(None, dimension))

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return (2 w_beta(y_i) - 1) y_i - beta, with 2w - 1 = tanh(<beta, y>/sigma^2)."""
        factor = 0.5 if self.as_published else 1.0
        # near the largest double the inner product may be infinite, or inf - inf: then w = 1/2,
        # for no record may make a release fail
        with np.errstate(over="ignore", invalid="ignore"):
            exponents = factor * (data @ beta) / self.noise_scale**2
        sign = np.tanh(np.where(np.isnan(exponents), 0.0, exponents))
        gradients: FloatArray = sign[:, None] * data - beta
        return gradients

    def sample(self, beta: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n records from the model with parameter ``beta``."""
        signs = rng.choice([-1.0, 1.0], size=n)
        noise = rng.standard_normal((n, beta.size))
        data: FloatArray = signs[:, None] * beta + self.noise_scale * noise
        return data

    def moment_bound(self, beta: FloatArray, radius: float) -> float:
        """Return tau with E(nabla_j q(b; b))^2 <= tau for every j and ||b - beta||_2 <= radius.

        (sqrt(||beta||_inf^2 + sigma^2) + ||beta||_inf + radius)^2, when the data follow the model
        with parameter ``beta``: Minkowski's inequality, |2w - 1| <= 1. Seed 000, Lemma 4 claims
        O(||beta||_inf^2 + sigma^2), which lacks the radius (erratum ledger:000 Lemma 4/1).
        """
        require_non_negative("radius", radius)
        largest = float(np.abs(beta).max())
        return (math.hypot(largest, self.noise_scale) + largest + radius) ** 2
