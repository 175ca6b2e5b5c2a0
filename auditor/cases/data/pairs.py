"""A loss of pairs of records that attains its bounds, and streams for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.core.case import Data
from reference._validation import FloatArray, IntArray, require_array
from reference.clipping import clip_rows

ROOM = "the set has room for the step, which adds to G but not to the distance of two gradients"
"""Why a record moves a point by less than 4G/(alpha t), the ``not_attained`` of the forms."""

ROOM_FOR_THE_FIRST = f"{ROOM}, and the first record has no step of its own"
"""That of the forms in which record 0 is replaced."""


@dataclass(frozen=True)
class Target:
    """||w - c(x, x')||^2/2, c = x + x' cut down to norm B: alpha = L = 1 and G = radius + B.

    Among zeros a record of norm B makes the gradients of all its pairs w - x, which replacing it
    by -x moves by 2B: almost 2G where the radius is small.
    """

    feature_bound: float = 1.0
    smoothness: float = 1.0
    strong_convexity: float = 1.0

    def lipschitz(self, radius: float) -> float:
        """Return radius + B."""
        return radius + self.feature_bound

    def validate(self, data: Any, dimension: int) -> FloatArray:
        """Return the vectors, cut down to norm B."""
        return clip_rows(
            require_array("data", data, ndim=2, shape=(None, dimension)), self.feature_bound
        )

    def size(self, records: FloatArray) -> int:
        """Return n."""
        return len(records)

    def gradient(
        self, records: FloatArray, w: FloatArray, index: int, others: IntArray
    ) -> FloatArray:
        """Return w minus the mean of c."""
        targets = clip_rows(records[index] + records[others], self.feature_bound)
        mean: FloatArray = w - targets.mean(axis=0)
        return mean


@dataclass(frozen=True)
class Pull(Target):
    """-<w, c(x, x')>: the linear part of :class:`Target`, alpha = L = 0 and G = B."""

    smoothness: float = 0.0
    strong_convexity: float = 0.0

    def lipschitz(self, radius: float) -> float:
        """Return B."""
        del radius
        return self.feature_bound

    def gradient(
        self, records: FloatArray, w: FloatArray, index: int, others: IntArray
    ) -> FloatArray:
        """Return minus the mean of c."""
        return super().gradient(records, w, index, others) - w


def opposite_record(n: int, length: float = 1.0, index: int = 0) -> tuple[Data, Data]:
    """Return neighbouring streams of zeros in the plane but one record, +-length e_1."""
    first = np.zeros((n, 2))
    first[index, 0] = length
    return first, -first


def opposite_label(n: int, length: float = 1.0, index: int = 0) -> tuple[Data, Data]:
    """Return neighbours of two classes' records in the plane: one at length e_1, -1 against 1.

    All others are at -length e_1 with label 1, so that the one is as far as can be from them.
    """
    features = np.zeros((n, 2))
    features[:, 0] = -length
    features[index, 0] = length
    labels = np.ones(n)
    other = labels.copy()
    other[index] = -1.0
    return (features, other), (features, labels)
