"""Losses of a linear model, f(x; a, y) = phi(<a, x>, y)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy
from scipy.special import expit

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterTypeError,
    ParameterValueError,
    SparseMatrix,
    real_array,
    require_array,
    require_magnitude,
    require_sparse_matrix,
)
from reference.basic.sums import rounded_mean, rounded_mean_product
from reference.clipping import clip_entries, clip_rows, clip_sparse_rows, with_entries
from reference.losses.protocols import FeatureNorm, Loss
from reference.per_record import is_foreign, require_mean_of_records

Records = tuple[FloatArray, FloatArray]
SparseRecords = tuple[SparseMatrix, FloatArray]


def _pair(data: Any) -> Any:
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ParameterTypeError(
            "data", "be a pair (features, labels)", got=f"{type(data).__name__}"
        )
    return data


def n_features(data: Any) -> int:
    """Return the number of columns of the features of ``(features, labels)``; 1 if there are none.

    Data that are not a pair of arrays are refused by the loss, whatever the dimension.
    """
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        return 1
    features = real_array("features", data[0])
    return features.shape[1] if features.ndim == 2 else 1


def valid_records(loss: Loss, data: Any, dimension: int) -> Any:
    """Return the data as records of a loss, by ``validate_sparse`` if the features are sparse.

    For algorithms that read records through ``size`` and ``gradient`` alone.
    """
    if isinstance(data, (tuple, list)) and len(data) == 2 and scipy.sparse.issparse(data[0]):
        if isinstance(loss, LinearModelLoss):
            return loss.validate_sparse(data, dimension)
        raise ParameterTypeError(
            "features",
            "be an array of real numbers unless the loss is one of a linear model",
            got=f"{type(data[0]).__name__}; give its toarray()",
        )
    return loss.validate(data, dimension)


def probed_records(
    loss: Any,
    data: Any,
    x: FloatArray,
    *,
    hessians: bool = False,
    batches: bool = False,
    sparse: bool = False,
) -> Any:
    """Return the data as records of a loss; probe the means of a user's on made-up ones before.

    A loss is refused if its mean gradient (or Hessian) is not an average of terms of single
    records: see :mod:`reference.per_record` for how far that is tested.

    Parameters
    ----------
    loss : Loss, or SecondOrderLoss for Hessians
    data
        As in its ``validate``.
    x : ndarray of shape (p,)
        Public: the means are probed there and, as some mistakes cannot be seen at 0 nor far out,
        where every coordinate is 1.
    hessians : bool, default False
        Probe mean Hessians too.
    batches : bool, default False
        Probe means over some of the records too, by their indices.
    sparse : bool, default False
        Features may be sparse, as for :func:`valid_records`.
    """
    validate = partial(valid_records, loss) if sparse else loss.validate
    records = validate(data, x.size)
    if not is_foreign(loss):
        return records

    def means(some: Any, at: FloatArray, *indices: IntArray) -> FloatArray:
        gradient: FloatArray = np.ravel(loss.gradient(some, at, *indices)) / loss.lipschitz
        if not hessians:
            return gradient
        hessian = np.ravel(loss.hessian(some, at, *indices)) / loss.hessian_change(x.size)
        return np.concatenate([gradient, hessian])

    require_mean_of_records("loss", validate, means, data, x, np.ones_like(x), batches=batches)
    return records


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
        """Whether phi is convex in the score, for every label."""

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
        """2 M in every dimension: the norm of phi'' a a^T is at most M.

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

    @property
    def convex(self) -> bool:
        """The second derivative s(1-s) is above 0."""
        return True

    @property
    def slope_bound(self) -> float:
        """|phi'| < 1."""
        return 1.0

    @property
    def curvature_bound(self) -> float:
        """The second derivative s(1-s) is at most 1/4."""
        return 0.25

    @property
    def third_bound(self) -> float:
        """|s(1-s)(1-2s)| <= 1/(6 sqrt 3), attained at s = (1 +- 1/sqrt 3)/2."""
        return 1 / (6 * math.sqrt(3))

    def hessian_change(self, dimension: int) -> float:
        """sqrt(2) M: ||s a a^T - t b b^T||_F^2 <= s^2 + t^2 for s, t >= 0, where <a, b> = 0."""
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

    @property
    def convex(self) -> bool:
        """The second derivative takes both signs."""
        return False

    @property
    def slope_bound(self) -> float:
        """s(1-s) <= 1/4, attained at 0."""
        return 0.25

    @property
    def curvature_bound(self) -> float:
        """|s(1-s)(1-2s)| <= 1/(6 sqrt 3), attained at s = (1 +- 1/sqrt 3)/2."""
        return 1 / (6 * math.sqrt(3))

    @property
    def third_bound(self) -> float:
        """|s(1-s)(1 - 6s(1-s))| <= 1/8, attained at s = 1/2."""
        return 0.125

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

    @property
    def convex(self) -> bool:
        """The second derivative takes both signs."""
        return False

    @property
    def slope_bound(self) -> float:
        """The sine is at most 1."""
        return 0.5

    @property
    def curvature_bound(self) -> float:
        """The cosine is at most 1."""
        return 0.5

    @property
    def third_bound(self) -> float:
        """The sine is at most 1."""
        return 0.5

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

    @property
    def convex(self) -> bool:
        """The second derivative is 0."""
        return True

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
        require_magnitude("threshold", self.threshold)

    @property
    def convex(self) -> bool:
        """The slope never falls."""
        return True

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


@dataclass(frozen=True)
class SquaredError(LinearModelLoss):
    """(<a, x> - y)^2, any real y: convex, no Lipschitz constant, L = 2 B^2.

    Hu, Ni, Xiao and Wang (2022), l.224.

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`; unbounded by default.
    """

    feature_bound: float = math.inf

    @property
    def convex(self) -> bool:
        """The second derivative is 2."""
        return True

    @property
    def slope_bound(self) -> float:
        """The slope 2 (<a, x> - y) has no bound."""
        return math.inf

    @property
    def curvature_bound(self) -> float:
        """The second derivative in the score is 2."""
        return 2.0

    def _check_labels(self, labels: FloatArray) -> None:
        """Accept every real label."""

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = (score - labels) ** 2
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        slope: FloatArray = 2 * (score - labels)
        return slope


@dataclass(frozen=True)
class Biweight(LinearModelLoss):
    """Tukey's biweight of the residual r = <a, x> - y, any real y: non-convex, L = B^2.

    (c^2/6)(1 - (1 - (r/c)^2)^3) for |r| <= c, c^2/6 beyond. Hu, Ni, Xiao and Wang (2022), footnote
    4 (l.237).

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`; unbounded by default.
    threshold : float, default 4.0
        c > 0.
    """

    feature_bound: float = math.inf
    threshold: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_magnitude("threshold", self.threshold)

    @property
    def convex(self) -> bool:
        """The slope falls where c/sqrt 5 < |r| < c."""
        return False

    @property
    def slope_bound(self) -> float:
        """The slope r (1 - (r/c)^2)^2 is largest at r = c/sqrt 5."""
        return self.threshold * 16 / (25 * math.sqrt(5))

    @property
    def curvature_bound(self) -> float:
        """The second derivative is largest in size at 0."""
        return 1.0

    def _check_labels(self, labels: FloatArray) -> None:
        """Accept every real label."""

    def _kept(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        """Return 1 - min((r/c)^2, 1)."""
        kept: FloatArray = 1 - (self._cut(score, labels) / self.threshold) ** 2
        return kept

    def _cut(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        """Return the residual, cut to [-c, c] before its square can overflow."""
        return np.clip(score - labels, -self.threshold, self.threshold)

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = self.threshold**2 / 6 * (1 - self._kept(score, labels) ** 3)
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        # 0 beyond the threshold, also where the residual has overflowed
        slope: FloatArray = self._cut(score, labels) * self._kept(score, labels) ** 2
        return slope
