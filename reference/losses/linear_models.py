"""Losses of a linear model, f(x; a, y) = phi(<a, x>, y)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterTypeError,
    ParameterValueError,
    SparseMatrix,
    require_array,
    require_magnitude,
    require_sparse_matrix,
)
from reference.basic.sums import rounded_mean, rounded_mean_product
from reference.clipping import clip_entries, clip_rows, clip_sparse_rows, with_entries
from reference.losses.protocols import FeatureNorm

Records = tuple[FloatArray, FloatArray]
SparseRecords = tuple[SparseMatrix, FloatArray]


def _pair(data: Any) -> Any:
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ParameterTypeError(
            "data", "be a pair (features, labels)", got=f"{type(data).__name__}"
        )
    return data


@dataclass(frozen=True)
class LinearModelLoss(ABC):
    """A loss of one inner product: f(x; a, y) = phi(<a, x>, y).

    Parameters
    ----------
    feature_bound : float
        B > 0: longer feature vectors are cut down to norm B. ``math.inf``: nothing bounds them,
        and only an algorithm that bounds the gradients itself can use the loss.
    feature_norm : {"l2", "l-infinity"}
        Norm of that bound. With ``"l2"`` the loss is Lipschitz and smooth in l2 (Wang (2020),
        Definitions 3.0.1, 3.0.2); with ``"l-infinity"`` it is so in l1 (Assumption 4.1.4).
    """

    feature_bound: float = 1.0
    feature_norm: FeatureNorm = "l2"

    def __post_init__(self) -> None:
        if self.feature_bound != math.inf:
            require_magnitude("feature_bound", self.feature_bound)
        if self.feature_norm not in ("l2", "l-infinity"):
            raise ParameterValueError("feature_norm", "be 'l2' or 'l-infinity'", self.feature_norm)

    @property
    @abstractmethod
    def convex(self) -> bool:
        """True if phi is convex in the score, for every label."""

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
        if not (np.abs(labels) == 1).all():
            raise ParameterValueError("labels", "be -1 or 1")

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

        A feature vector longer than ``feature_bound`` is cut down to it: scaled in l2, entry by
        entry in l-infinity. To refuse it would tell of one record. Scale the features by public
        constants first, so that few are.

        Raises
        ------
        TypeError, ValueError
            If the data are not such a pair, are not finite or a label is outside its range.
        """
        features = require_array("features", _pair(data)[0], ndim=2, shape=(None, dimension))
        labels = self._valid_labels(data[1], len(features))
        if self.feature_bound == math.inf:
            return features, labels
        if self.feature_norm == "l2":
            return clip_rows(features, self.feature_bound), labels
        return clip_entries(features, self.feature_bound), labels

    def validate_sparse(self, data: Any, dimension: int) -> SparseRecords:
        """Return (features, labels) as :meth:`validate` does, the features by rows and sparse.

        An algorithm that reads its records through :meth:`size`, :meth:`values` and
        :meth:`gradient` alone can take these as well; no array of shape (n, dimension) is made.

        Raises
        ------
        TypeError, ValueError
            As there, or if a row's indices do not fit the shape.
        """
        matrix = require_sparse_matrix("features", _pair(data)[0], shape=(None, dimension))
        labels = self._valid_labels(data[1], matrix.shape[0])
        if self.feature_bound == math.inf:
            return matrix, labels
        if self.feature_norm == "l2":
            return clip_sparse_rows(matrix, self.feature_bound), labels
        return with_entries(matrix, clip_entries(matrix.data, self.feature_bound)), labels

    def _valid_labels(self, labels: Any, n: int) -> FloatArray:
        valid = require_array("labels", labels, ndim=1, shape=(n,))
        self._check_labels(valid)
        return valid

    def size(self, records: Records | SparseRecords) -> int:
        """Return n."""
        return len(records[1])

    def values(self, records: Records | SparseRecords, x: FloatArray) -> FloatArray:
        """Return f(x; a_i, y_i) for every record, shape (n,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._phi(np.asarray(records[0] @ x), records[1])

    def gradients(self, records: Records, x: FloatArray) -> FloatArray:
        """Return the gradient in x of every record, shape (n, p)."""
        features, labels = records
        with np.errstate(over="ignore", invalid="ignore"):
            gradients: FloatArray = self._slope(features @ x, labels)[:, None] * features
        return gradients

    def gradient(
        self, records: Records | SparseRecords, x: FloatArray, indices: IntArray | None = None
    ) -> FloatArray:
        """Return the mean gradient, over all records or over those at ``indices``.

        By :func:`~reference.basic.sums.rounded_mean` if gradients are bounded; else nothing can be
        released of it.
        """
        features, labels = records
        if indices is not None:
            features, labels = features[indices], labels[indices]
        slopes = self._slope(np.asarray(features @ x), labels)
        if math.isfinite(self.lipschitz):
            return rounded_mean(features, bound=self.lipschitz, weights=slopes)
        mean: FloatArray = np.asarray(slopes @ features) / len(labels)
        return mean


class TwiceDifferentiable(LinearModelLoss):
    """A linear model with a Lipschitz phi'': the Hessian of a record is phi'' a a^T."""

    @property
    @abstractmethod
    def third_bound(self) -> float:
        """Lipschitz constant of phi''."""

    @abstractmethod
    def _curvature(self, score: FloatArray, labels: FloatArray) -> FloatArray: ...

    @property
    def hessian_lipschitz(self) -> float:
        """Rho = B^3 times that of phi''."""
        return self.third_bound * self.feature_bound**3

    def hessian_change(self, dimension: int) -> float:
        """Return 2 M in every dimension: the norm of phi'' a a^T is at most M.

        Attained by two records with the same a = B e_1 where phi'' takes both signs.
        """
        del dimension
        return 2 * self.smoothness

    def hessian(
        self, records: Records, x: FloatArray, indices: IntArray | None = None
    ) -> FloatArray:
        """Return the mean Hessian, over all records or over those at ``indices``, symmetric."""
        features, labels = records
        if indices is not None:
            features, labels = features[indices], labels[indices]
        curvature = self._curvature(features @ x, labels)[:, None]
        bounds = (self.curvature_bound * self.feature_bound, self.feature_bound)
        mean = rounded_mean_product(curvature * features, features, bounds=bounds)
        return (mean + mean.T) / 2


@dataclass(frozen=True)
class Logistic(TwiceDifferentiable):
    """log(1 + exp(-y <a, x>)), y = -1 or 1: convex, G = B, L = B^2/4. Wang (2020), l.822."""

    convex: ClassVar[bool] = True
    """The second derivative s(1-s) is above 0."""
    slope_bound: ClassVar[float] = 1.0
    """|phi'| < 1."""
    curvature_bound: ClassVar[float] = 0.25
    """The second derivative s(1-s) is at most 1/4."""
    third_bound: ClassVar[float] = 1 / (6 * math.sqrt(3))
    """|s(1-s)(1-2s)| <= 1/(6 sqrt 3), attained at s = (1 +- 1/sqrt 3)/2."""

    def hessian_change(self, dimension: int) -> float:
        """Return sqrt(2) M.

        ||s a a^T - t b b^T||_F^2 <= s^2 + t^2 for s, t >= 0, where <a, b> = 0.
        """
        del dimension
        return math.sqrt(2) * self.smoothness

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return np.logaddexp(0.0, -labels * score)

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        slope: FloatArray = -labels * expit(-labels * score)
        return slope

    def _curvature(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        del labels
        return np.asarray(expit(score) * expit(-score))


@dataclass(frozen=True)
class Sigmoid(TwiceDifferentiable):
    """1/(1 + exp(y <a, x>)), y = -1 or 1: non-convex, G = B/4, L = B^2/(6 sqrt 3).

    Wang (2020), l.2877, l.4102, with the sign that makes it fall with the margin.
    """

    convex: ClassVar[bool] = False
    """The second derivative takes both signs."""
    slope_bound: ClassVar[float] = 0.25
    """s(1-s) <= 1/4, attained at 0."""
    curvature_bound: ClassVar[float] = 1 / (6 * math.sqrt(3))
    """|s(1-s)(1-2s)| <= 1/(6 sqrt 3), attained at s = (1 +- 1/sqrt 3)/2."""
    third_bound: ClassVar[float] = 0.125
    """|s(1-s)(1 - 6s(1-s))| <= 1/8, attained at s = 1/2."""

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        return np.asarray(expit(-labels * score))

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        slope: FloatArray = -labels * expit(score) * expit(-score)
        return slope

    def _curvature(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        # s(1-s)(1-2s) at s = expit(-y score), where 1 - 2s = y tanh(score/2)
        curvature: FloatArray = labels * expit(score) * expit(-score) * np.tanh(score / 2)
        return curvature


@dataclass(frozen=True)
class Cosine(TwiceDifferentiable):
    """cos(<a, x> + y)/2, any real phase y: non-convex, G = B/2, L = B^2/2, rho = B^3/2.

    All three are attained. Records e_1 with phase 0 and e_2 with phase pi make 0 a strict saddle.
    """

    convex: ClassVar[bool] = False
    """The second derivative takes both signs."""
    slope_bound: ClassVar[float] = 0.5
    """The sine is at most 1."""
    curvature_bound: ClassVar[float] = 0.5
    """The cosine is at most 1."""
    third_bound: ClassVar[float] = 0.5
    """The sine is at most 1."""

    def _check_labels(self, labels: FloatArray) -> None:
        """Accept every real phase."""

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = np.cos(score + labels) / 2
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        slope: FloatArray = -np.sin(score + labels) / 2
        return slope

    def _curvature(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        curvature: FloatArray = -np.cos(score + labels) / 2
        return curvature


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
        require_magnitude("declared_curvature", self.declared_curvature)

    convex: ClassVar[bool] = True
    """The second derivative is 0."""
    slope_bound: ClassVar[float] = 1.0
    """|phi'| = |y| = 1."""

    @property
    def curvature_bound(self) -> float:
        """The number ``declared_curvature``; phi'' is 0."""
        return self.declared_curvature

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = labels * score
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        del score
        return labels
