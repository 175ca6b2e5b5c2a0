"""Losses of records that are no pairs of features and a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reference._validation import FloatArray, require_array, require_magnitude
from reference.losses.protocols import RecordLoss


@dataclass(frozen=True)
class SquaredDistance:
    """||x - a||_2^2 for records a in R^p: its minimiser is their mean.

    Hu, Ni, Xiao and Wang (2022), l.337, l.381.
    """

    def validate(self, data: Any, dimension: int) -> FloatArray:
        """Return the data as a float array of shape (n, dimension), or raise."""
        return require_array("data", data, ndim=2, shape=(None, dimension))

    def size(self, records: FloatArray) -> int:
        """Return n."""
        return len(records)

    def values(self, records: FloatArray, x: FloatArray) -> FloatArray:
        """Return ||x - a_i||_2^2 for every record, shape (n,)."""
        with np.errstate(over="ignore"):
            values: FloatArray = ((x - records) ** 2).sum(axis=1)
        return values

    def gradients(self, records: FloatArray, x: FloatArray) -> FloatArray:
        """Return 2 (x - a_i) for every record, shape (n, p)."""
        with np.errstate(over="ignore"):
            gradients: FloatArray = 2 * (x - records)
        return gradients


@dataclass(frozen=True)
class RidgeRegularized:
    """Another loss plus (strength/2) ||x||_2^2 on every record.

    Parameters
    ----------
    loss : RecordLoss
    strength : float
        > 0.
    """

    loss: RecordLoss
    strength: float

    def __post_init__(self) -> None:
        require_magnitude("strength", self.strength)

    def validate(self, data: Any, dimension: int) -> Any:
        """Return the data as records of the loss, or raise."""
        return self.loss.validate(data, dimension)

    def size(self, records: Any) -> int:
        """Return n."""
        return self.loss.size(records)

    def values(self, records: Any, x: FloatArray) -> FloatArray:
        """Return f(x; z_i) + (strength/2) ||x||_2^2 for every record, shape (n,)."""
        values: FloatArray = self.loss.values(records, x) + self.strength / 2 * float(x @ x)
        return values

    def gradients(self, records: Any, x: FloatArray) -> FloatArray:
        """Return the gradient of every record, shape (n, p)."""
        gradients: FloatArray = self.loss.gradients(records, x) + self.strength * x
        return gradients
