"""Losses of a linear model, f(x; a, y) = phi(<a, x>, y), with their constants G and L.

A record is a feature vector a and a label y; the data are a pair of arrays, features of shape
(n, p) and labels of shape (n,). Every private algorithm calibrates its noise by
:attr:`Loss.lipschitz`, so the bound on the features that it rests on is checked by
:meth:`Loss.validate` and never assumed.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from scipy.special import expit

from reference._validation import FloatArray, IntArray, require_array, require_positive

Records = tuple[FloatArray, FloatArray]
FeatureNorm = Literal["l2", "l-infinity"]


class Loss(Protocol):
    """What an empirical-risk algorithm needs to know about f(x, z)."""

    @property
    def lipschitz(self) -> float:
        """G: the gradient of every record is at most this in :attr:`gradient_norm`."""
        ...

    @property
    def smoothness(self) -> float:
        """L: Lipschitz constant of the gradient, from the dual of :attr:`gradient_norm` to it."""
        ...

    @property
    def gradient_norm(self) -> FeatureNorm:
        """Norm in which gradients are bounded; l2 gives Definition 3.0.1 of seed 004."""
        ...

    def validate(self, data: Any, dimension: int) -> Any:
        """Return the data as records of this loss, or raise; n is ``size`` of the result."""
        ...

    def size(self, records: Any) -> int:
        """Return the number n of records."""
        ...

    def gradient(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return the mean of the records' gradients (of those listed) at x, shape (p,)."""
        ...


@dataclass(frozen=True)
class LinearModelLoss(ABC):
    """A loss of one inner product: f(x; a, y) = phi(<a, x>, y).

    Parameters
    ----------
    feature_bound : float
        B > 0: every feature vector has norm at most B.
    feature_norm : {"l2", "l-infinity"}
        Norm of that bound. With ``"l2"`` the loss is Lipschitz and smooth in l2 (seed 004,
        Definitions 3.0.1, 3.0.2); with ``"l-infinity"`` it is so in l1 (Assumption 4.1.4).
    """

    feature_bound: float = 1.0
    feature_norm: FeatureNorm = "l2"

    def __post_init__(self) -> None:
        require_positive("feature_bound", self.feature_bound)
        if self.feature_norm not in ("l2", "l-infinity"):
            raise ValueError(
                f"feature_norm must be 'l2' or 'l-infinity', got {self.feature_norm!r}"
            )

    @property
    @abstractmethod
    def slope_bound(self) -> float:
        """Largest |phi'|."""

    @property
    @abstractmethod
    def curvature_bound(self) -> float:
        """Largest |phi''|."""

    @abstractmethod
    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray: ...

    def _check_labels(self, labels: FloatArray) -> None:
        if not np.isin(labels, (-1.0, 1.0)).all():
            bad = labels[~np.isin(labels, (-1.0, 1.0))][0]
            raise ValueError(f"labels must be -1 or 1, got {bad:g}")

    @property
    def gradient_norm(self) -> FeatureNorm:
        """The gradient phi' a is bounded in the norm in which a is."""
        return self.feature_norm

    @property
    def lipschitz(self) -> float:
        """G = max |phi'| B."""
        return self.slope_bound * self.feature_bound

    @property
    def smoothness(self) -> float:
        """L = max |phi''| B^2."""
        return self.curvature_bound * self.feature_bound**2

    def validate(self, data: Any, dimension: int) -> Records:
        """Return (features, labels) as float arrays of shapes (n, dimension) and (n,), or raise.

        Raises
        ------
        TypeError, ValueError
            If the data are not such a pair, are not finite, a label is outside its range or a
            feature vector is longer than ``feature_bound``.
        """
        if not isinstance(data, (tuple, list)) or len(data) != 2:
            raise TypeError(f"data must be a pair (features, labels), got {type(data).__name__}")
        features = require_array("features", data[0], ndim=2, shape=(None, dimension))
        labels = require_array("labels", data[1], ndim=1, shape=(len(features),))
        self._check_labels(labels)
        largest = float(np.abs(features).max())
        if self.feature_norm == "l2" and largest <= self.feature_bound:
            largest = float(np.linalg.norm(features, axis=1).max())
        # rows normalised in floating point may exceed the bound by a few units in the last place
        if largest > self.feature_bound * (1 + 1e-12):
            raise ValueError(
                f"features must have {self.feature_norm} norm <= {self.feature_bound:g}, "
                f"got {largest:g}; scale them by public constants first"
            )
        return features, labels

    def size(self, records: Records) -> int:
        """Return n."""
        return len(records[1])

    def values(self, records: Records, x: FloatArray) -> FloatArray:
        """Return f(x; a_i, y_i) for every record, shape (n,)."""
        features, labels = records
        return self._phi(features @ x, labels)

    def gradients(self, records: Records, x: FloatArray) -> FloatArray:
        """Return the gradient in x of every record, shape (n, p)."""
        features, labels = records
        gradients: FloatArray = self._slope(features @ x, labels)[:, None] * features
        return gradients

    def gradient(
        self, records: Records, x: FloatArray, indices: IntArray | None = None
    ) -> FloatArray:
        """Return the mean gradient, over all records or over those at ``indices``."""
        features, labels = records
        if indices is not None:
            features, labels = features[indices], labels[indices]
        mean: FloatArray = self._slope(features @ x, labels) @ features / len(labels)
        return mean


@dataclass(frozen=True)
class Logistic(LinearModelLoss):
    """log(1 + exp(-y <a, x>)), y = -1 or 1: convex, G = B, L = B^2/4. Seed 004 l.822."""

    @property
    def slope_bound(self) -> float:
        """|phi'| < 1."""
        return 1.0

    @property
    def curvature_bound(self) -> float:
        """The second derivative s(1-s) is at most 1/4."""
        return 0.25

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return np.logaddexp(0.0, -labels * score)

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        slope: FloatArray = -labels * expit(-labels * score)
        return slope


@dataclass(frozen=True)
class Sigmoid(LinearModelLoss):
    """1/(1 + exp(y <a, x>)), y = -1 or 1: non-convex, G = B/4, L = B^2/(6 sqrt 3).

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`.
    as_printed : bool, default False
        Use the printed 1/(1 + exp(-y <a, x>)), which *grows* with the margin, so that its
        minimiser is the worst classifier (erratum diss-4.1.16/6; seed 004 l.2877, l.4102).
    """

    as_printed: bool = False

    @property
    def slope_bound(self) -> float:
        """s(1-s) <= 1/4, attained at 0."""
        return 0.25

    @property
    def curvature_bound(self) -> float:
        """|s(1-s)(1-2s)| <= 1/(6 sqrt 3), attained at s = (1 +- 1/sqrt 3)/2."""
        return 1 / (6 * math.sqrt(3))

    def _margin(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        margin: FloatArray = labels * score
        return -margin if self.as_printed else margin

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return np.asarray(expit(-self._margin(score, labels)))

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        sign = labels if self.as_printed else -labels
        slope: FloatArray = sign * expit(score) * expit(-score)
        return slope


@dataclass(frozen=True)
class Linear(LinearModelLoss):
    """y <a, x>, y = -1 or 1: G = B. The worst case of every gradient's sensitivity.

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`.
    declared_curvature : float, default 1.0
        The loss is L-smooth for every L >= 0; this L/B^2 is the one it reports, since step
        sizes such as 1/(2L) need one above 0.
    """

    declared_curvature: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("declared_curvature", self.declared_curvature)

    @property
    def slope_bound(self) -> float:
        """|phi'| = |y| = 1."""
        return 1.0

    @property
    def curvature_bound(self) -> float:
        """``declared_curvature``; phi'' is 0."""
        return self.declared_curvature

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = labels * score
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        del score
        return labels


@dataclass(frozen=True)
class Huber(LinearModelLoss):
    """Huber's function of the residual <a, x> - y, any real y: convex, G = c B, L = B^2.

    r^2/2 for |r| <= c, c |r| - c^2/2 beyond.

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`.
    threshold : float, default 1.0
        c > 0.
    """

    threshold: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("threshold", self.threshold)

    @property
    def slope_bound(self) -> float:
        """|phi'| <= c."""
        return self.threshold

    @property
    def curvature_bound(self) -> float:
        """The second derivative is 1 inside the threshold and 0 outside."""
        return 1.0

    def _check_labels(self, labels: FloatArray) -> None:
        """Accept every real label."""

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        size = np.abs(score - labels)
        inside = np.minimum(size, self.threshold)
        # c (r - c/2) beyond the threshold, r^2/2 within it, in one expression
        value: FloatArray = inside * (size - inside / 2)
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return np.clip(score - labels, -self.threshold, self.threshold)


def empirical_risk(loss: LinearModelLoss, data: Any, x: FloatArray) -> float:
    """Return F(x, D), the mean loss. Seed 004, Definition 3.1.1 without the regulariser.

    Parameters
    ----------
    loss : LinearModelLoss
    data : (features, labels)
        As in :meth:`LinearModelLoss.validate`.
    x : ndarray of shape (p,)
    """
    return float(loss.values(loss.validate(data, x.size), x).mean())
