"""Losses l(w; z, z') of pairs of records.

The privacy of an algorithm on pairs rests on what a :class:`PairwiseLoss` declares, and its
Lipschitz constant on a bound on the features, to which :meth:`PairwiseLoss.validate` cuts them
down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterTypeError,
    ParameterValueError,
    require_array,
    require_kind,
    require_magnitude,
)
from reference.clipping import clip_rows
from reference.losses import Records


@runtime_checkable
class PairwiseLoss(Protocol):
    """A loss l(w; z, z') with what an algorithm needs to know about it."""

    @property
    def smoothness(self) -> float:
        """L: Lipschitz constant in l2 of every pair's gradient."""
        ...

    @property
    def strong_convexity(self) -> float:
        """Alpha: every pair's loss minus alpha ||w||^2/2 is convex; < 0 if the loss is not."""
        ...

    def lipschitz(self, radius: float) -> float:
        """G: every pair's gradient is at most this in l2 where ||w||_2 <= radius."""
        ...

    def validate(self, data: Any, dimension: int) -> Any:
        """Return the data as records of this loss, or raise; n is ``size`` of the result."""
        ...

    def size(self, records: Any) -> int:
        """Return the number n of records."""
        ...

    def gradient(self, records: Any, w: FloatArray, index: int, others: IntArray) -> FloatArray:
        """Return the mean gradient at w of the pairs of record ``index`` with ``others``.

        A pair's gradient depends on no other record. That is probed on made-up records: see
        :mod:`reference.per_record`.
        """
        ...


def require_pairwise_loss(loss: Any) -> None:
    """Raise TypeError unless ``loss`` is a :class:`PairwiseLoss`."""
    examples = "a loss of pairs, such as reference.pairwise.losses.AUC()"
    require_kind("loss", loss, PairwiseLoss, examples)


@dataclass(frozen=True)
class Midpoint:
    """||w - (x + x')/2||^2/2: alpha = L = 1, and G = radius + B.

    A record is a vector; the data are an array of shape (n, p).

    Parameters
    ----------
    feature_bound : float
        B > 0: longer vectors are cut down to norm B.
    """

    feature_bound: float = 1.0

    def __post_init__(self) -> None:
        require_magnitude("feature_bound", self.feature_bound)

    @property
    def smoothness(self) -> float:
        """The Hessian is the identity."""
        return 1.0

    @property
    def strong_convexity(self) -> float:
        """The Hessian is the identity."""
        return 1.0

    def lipschitz(self, radius: float) -> float:
        """Return radius + B: the gradient is w - (x + x')/2."""
        return radius + self.feature_bound

    def validate(self, data: Any, dimension: int) -> FloatArray:
        """Return the vectors, cut down to norm B, or raise."""
        return clip_rows(
            require_array("data", data, ndim=2, shape=(None, dimension)), self.feature_bound
        )

    def size(self, records: FloatArray) -> int:
        """Return n."""
        return len(records)

    def gradient(
        self, records: FloatArray, w: FloatArray, index: int, others: IntArray
    ) -> FloatArray:
        """Return w - (x + mean of x')/2."""
        mean: FloatArray = w - (records[index] + records[others].mean(axis=0)) / 2
        return mean


def _labelled(data: Any, width: int, feature_bound: float) -> Records:
    """Return features of ``width`` columns, cut down to the bound, and labels -1 or 1, or raise."""
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ParameterTypeError(
            "data", "be a pair (features, labels)", got=f"{type(data).__name__}"
        )
    features = require_array("features", data[0], ndim=2, shape=(None, width))
    labels = require_array("labels", data[1], ndim=1, shape=(len(features),))
    if not np.isin(labels, (-1.0, 1.0)).all():
        raise ParameterValueError("labels", "be -1 or 1")
    return clip_rows(features, feature_bound), labels


@dataclass(frozen=True)
class AUC:
    """log(1 + exp(-(y - y') <w, x - x'>)), y = -1 or 1: G = 4B, L = 4B^2. Wang (2020), l.2041.

    The data are a pair of arrays, features of shape (n, p) and labels of shape (n,). Pairs of
    equal labels have the constant loss log 2.

    Parameters
    ----------
    feature_bound : float
        B > 0: longer feature vectors are cut down to norm B.
    """

    feature_bound: float = 1.0

    def __post_init__(self) -> None:
        require_magnitude("feature_bound", self.feature_bound)

    @property
    def smoothness(self) -> float:
        """L = 4 B^2: |(y - y')(x - x')| <= 4B, and (log(1 + e^-t))'' <= 1/4."""
        return 4 * self.feature_bound**2

    @property
    def strong_convexity(self) -> float:
        """The number 0: the loss is not strongly convex."""
        return 0.0

    def lipschitz(self, radius: float) -> float:
        """Return 4B, for every radius."""
        del radius
        return 4 * self.feature_bound

    def validate(self, data: Any, dimension: int) -> Records:
        """Return (features, labels), the features cut down to norm B, or raise."""
        return _labelled(data, dimension, self.feature_bound)

    def size(self, records: Records) -> int:
        """Return n."""
        return len(records[1])

    def gradient(self, records: Records, w: FloatArray, index: int, others: IntArray) -> FloatArray:
        """Return the mean of -a/(1 + exp(<w, a>)), a = (y - y')(x - x')."""
        features, labels = records
        pairs = (labels[index] - labels[others])[:, None] * (features[index] - features[others])
        mean: FloatArray = -expit(-(pairs @ w)) @ pairs / len(pairs)
        return mean


@dataclass(frozen=True)
class MetricLearning:
    """log(1 + exp(-y y' (1 - (x - x')^T W (x - x')))), y = -1 or 1. Wang (2020), l.2039.

    The parameter is the matrix W of shape (d, d), row by row: a vector of length p = d^2, usually
    in a :class:`~reference.constraint_sets.PositiveSemidefiniteBall`. The paper has x - x' on one
    side only, a misprint. The data are a pair of arrays, features of shape (n, d) and labels of
    shape (n,).

    With a = x - x' and M = a^T W a the gradient is s y y' a a^T, s = 1/(1 + exp(y y' (1 - M))),
    of Frobenius norm s |a|^2, and the curvature along V is s (1 - s) (a^T V a)^2. Independent
    noise on the d^2 entries, made symmetric, is that on d (d + 1)/2 coordinates of the symmetric
    matrices: nothing is lost by the entries below the diagonal.

    Parameters
    ----------
    feature_bound : float
        B > 0: longer feature vectors are cut down to norm B.
    """

    feature_bound: float = 1.0

    def __post_init__(self) -> None:
        require_magnitude("feature_bound", self.feature_bound)

    @property
    def smoothness(self) -> float:
        """L = 4 B^4: |a| <= 2B and s (1 - s) <= 1/4, attained at M = 1."""
        return 4 * self.feature_bound**4

    @property
    def strong_convexity(self) -> float:
        """The number 0: the loss is not strongly convex."""
        return 0.0

    def lipschitz(self, radius: float) -> float:
        """Return 4B^2/(1 + exp(-1 - 4B^2 radius)), less than 4B^2.

        s is largest for y y' = -1 and the smallest M >= -|a|^2 radius: opposite labels, |a| = 2B
        and W = -radius a a^T/|a|^2 attain it. Of W >= 0 none does: there s is at most that of M = 0
        and y y' = -1 or of M = 4B^2 radius and y y' = 1, 1/(1 + exp(-max(1, 4B^2 radius - 1))).
        """
        squared = 4 * self.feature_bound**2
        return squared * float(expit(1 + squared * radius))

    def validate(self, data: Any, dimension: int) -> Records:
        """Return (features, labels), the features cut down to norm B, or raise."""
        width = math.isqrt(dimension)
        if width**2 != dimension:
            raise ParameterValueError("W", "have a square number of entries", got=f"{dimension}")
        return _labelled(data, width, self.feature_bound)

    def size(self, records: Records) -> int:
        """Return n."""
        return len(records[1])

    def gradient(self, records: Records, w: FloatArray, index: int, others: IntArray) -> FloatArray:
        """Return the mean of s y y' a a^T, as a vector."""
        features, labels = records
        signs = labels[index] * labels[others]
        differences = features[index] - features[others]
        width = features.shape[1]
        squared = ((differences @ w.reshape(width, width)) * differences).sum(axis=1)
        weights = expit(-signs * (1 - squared)) * signs / len(signs)
        gradient: FloatArray = (differences.T @ (weights[:, None] * differences)).ravel()
        return gradient


@dataclass(frozen=True)
class Regularized:
    """l(w; z, z') + strength ||w - centre||^2/2 (Wang (2020), l.2149).

    Parameters
    ----------
    loss : PairwiseLoss
    strength : float
        > 0.
    centre : ndarray of shape (p,)
        w_0, public.
    """

    loss: PairwiseLoss
    strength: float
    centre: FloatArray

    def __post_init__(self) -> None:
        require_pairwise_loss(self.loss)
        require_magnitude("strength", self.strength)
        require_array("centre", self.centre, ndim=1)

    @property
    def smoothness(self) -> float:
        """L + strength."""
        return self.loss.smoothness + self.strength

    @property
    def strong_convexity(self) -> float:
        """Alpha + strength."""
        return self.loss.strong_convexity + self.strength

    def lipschitz(self, radius: float) -> float:
        """Return G + strength times the ball's diameter, or what a centre outside it makes of that.

        ||w - centre|| <= radius + ||centre||. The paper has the diameter for every centre in C.
        """
        farthest = radius + max(radius, float(np.linalg.norm(self.centre)))
        return self.loss.lipschitz(radius) + self.strength * farthest

    def validate(self, data: Any, dimension: int) -> Any:
        """Return the records of the loss."""
        return self.loss.validate(data, dimension)

    def size(self, records: Any) -> int:
        """Return n."""
        return self.loss.size(records)

    def gradient(self, records: Any, w: FloatArray, index: int, others: IntArray) -> FloatArray:
        """Return that of the loss and strength (w - centre)."""
        own = self.loss.gradient(records, w, index, others)
        return own + self.strength * (w - self.centre)
