"""The protocol of a latent-variable model for EM and gradient EM, and shared helpers.

With q_i(b; beta) the i-th record's part of Q_n(b; beta), scaled by sigma^2, EM goes to the
maximiser of Q_n(.; beta) and gradient EM along nabla Q_n(beta; beta).
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_kind
from reference.clipping import clip_entries

LARGEST = 1e300
"""Larger entries of a gradient count as this, so that norms and sums of gradients are finite."""


@runtime_checkable
class LatentModel(Protocol):
    """A model with what EM, gradient EM and their private forms need to know of it."""

    @property
    def standard_deviation(self) -> float:
        """Standard deviation sigma of the observation noise, known."""
        ...

    @property
    def basin(self) -> float:
        """R/||beta*||_2: in this ball around beta* the theory has EM contract (see the lemmas)."""
        ...

    def validate(self, data: ArrayLike, dimension: int) -> FloatArray:
        """Return the data as an array of records, one a row, or raise."""
        ...

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return nabla q_i(beta; beta) for every record, shape (n, d).

        Finite for every record: what overflows, or exceeds 1e300, counts as that.
        """
        ...

    def truncated_gradients(
        self, data: FloatArray, beta: FloatArray, threshold: float
    ) -> FloatArray:
        """Return the gradients with their parts projected on [-T, T], shape (n, d).

        Zhang and Zhang (2021).
        """
        ...

    def truncated_sensitivity(self, threshold: float) -> float:
        """Return the largest change of an entry of :meth:`truncated_gradients` at fixed beta.

        For every ||beta||_inf <= :meth:`iterate_bound`.
        """
        ...

    def iterate_bound(self, threshold: float) -> float:
        """Return the ||beta||_inf up to which the truncated sensitivity holds; maybe infinite."""
        ...

    def objective(self, data: FloatArray, beta: FloatArray, given: FloatArray) -> float:
        """Return Q_n(beta; given), up to a term that does not depend on beta."""
        ...

    def maximiser(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return M_n(given), a maximiser of Q_n(.; given), shape (d,)."""
        ...

    def log_likelihood(self, data: FloatArray, beta: FloatArray) -> float:
        """Return the mean log-density of what is observed, which exact EM never decreases."""
        ...

    def sample(self, beta: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n records from the model with parameter ``beta``."""
        ...

    def moment_bound(self, beta: FloatArray, radius: float) -> float:
        """Return tau with E(nabla_j q(b; b))^2 <= tau for every j and ||b - beta||_2 <= radius.

        For data that follow the model with parameter ``beta``; of the model's own (corrected)
        gradient.
        """
        ...


def require_model(model: Any) -> None:
    """Raise TypeError unless ``model`` is a :class:`LatentModel`."""
    examples = "a latent-variable model, such as reference.em.models.GaussianMixture(1.0)"
    require_kind("model", model, LatentModel, examples)


def finite(values: FloatArray) -> FloatArray:
    """Project on [-1e300, 1e300] what may have overflowed; inf - inf counts as 0.

    No record may make a release fail.
    """
    return clip_entries(values, LARGEST)


def least_squares(matrix: FloatArray, target: FloatArray) -> FloatArray:
    """Return the solution of least norm, where there are several."""
    return np.asarray(np.linalg.lstsq(matrix, target, rcond=None)[0], dtype=np.float64)
