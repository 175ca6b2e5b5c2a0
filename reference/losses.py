"""Losses f(x; z), mostly of a linear model, f(x; a, y) = phi(<a, x>, y).

In a linear model a record is a feature vector a and a label y; the data are a pair of arrays,
features of shape (n, p) and labels of shape (n,). An algorithm that calibrates its noise by
:attr:`Loss.lipschitz` rests on a bound on the features, to which :meth:`Loss.validate` cuts them
down. One for heavy-tailed data bounds every record's gradient itself and takes any
:class:`RecordLoss`; its losses have ``feature_bound=math.inf``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy
from scipy.special import expit, ndtr

from reference._validation import (
    FloatArray,
    IntArray,
    SparseMatrix,
    real_array,
    require_array,
    require_in_interval,
    require_kind,
    require_magnitude,
    require_positive,
    require_sparse_matrix,
)
from reference.basic.sums import rounded_mean, rounded_mean_product
from reference.clipping import clip_entries, clip_rows, clip_sparse_rows, with_entries

Records = tuple[FloatArray, FloatArray]
SparseRecords = tuple[SparseMatrix, FloatArray]
FeatureNorm = Literal["l2", "l-infinity"]


@runtime_checkable
class Loss(Protocol):
    """What an empirical-risk algorithm needs to know about f(x, z).

    A guarantee rests on what is declared here, for every record that :meth:`validate` returns and
    every x. :func:`require_loss` refuses a loss that lacks any of it.
    """

    @property
    def convex(self) -> bool:
        """Whether f is convex in x; False where that is not known."""
        ...

    @property
    def lipschitz(self) -> float:
        """G: records' gradients at one x differ by at most 2G in :attr:`gradient_norm`.

        As they do where each is at most G; infinite where there is no bound.
        """
        ...

    @property
    def smoothness(self) -> float:
        """L: Lipschitz constant of the gradient, from the dual of :attr:`gradient_norm` to it."""
        ...

    @property
    def gradient_norm(self) -> FeatureNorm:
        """Norm in which gradients are bounded; l2 gives Definition 3.0.1 of Wang (2020)."""
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


@runtime_checkable
class SecondOrderLoss(Loss, Protocol):
    """What an algorithm that reads Hessians needs to know; its M is :attr:`smoothness`."""

    @property
    def hessian_lipschitz(self) -> float:
        """rho: Lipschitz constant of every record's Hessian, from l2 to the spectral norm."""
        ...

    def hessian_change(self, dimension: int) -> float:
        """Return a bound on the l2 norm of the upper triangle of two records' Hessians' difference.

        2 M sqrt(p) holds of any loss (Wang (2020), proof of Theorem 4.3.2, l.4296), and less of
        Hessians of rank 1.
        """
        ...

    def hessian(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return the mean of the records' Hessians (of those listed) at x, shape (p, p)."""
        ...


@runtime_checkable
class RecordLoss(Protocol):
    """What an algorithm that bounds every record's gradient itself needs to know about f(x, z)."""

    def validate(self, data: Any, dimension: int) -> Any:
        """Return the data as records of this loss, an array or a tuple of arrays, or raise."""
        ...

    def size(self, records: Any) -> int:
        """Return the number n of records."""
        ...

    def values(self, records: Any, x: FloatArray) -> FloatArray:
        """Return f(x; z_i) for every record, shape (n,)."""
        ...

    def gradients(self, records: Any, x: FloatArray) -> FloatArray:
        """Return the gradient in x of every record, shape (n, p).

        A row depends on its own record alone. Where its arithmetic overflows it holds infinities
        or NaN, without a warning: no record may make a release fail.
        """
        ...


def _pair(data: Any) -> Any:
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise TypeError(f"data must be a pair (features, labels), got {type(data).__name__}")
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
        raise TypeError(
            "features must be an array of real numbers unless the loss is one of a linear model, "
            f"got {type(data[0]).__name__}; give its toarray()"
        )
    return loss.validate(data, dimension)


def require_loss(loss: Any, *, norm: FeatureNorm = "l2", convex: bool = False) -> None:
    """Raise unless ``loss`` declares what a guarantee rests on.

    Parameters
    ----------
    loss : Any
    norm : {"l2", "l-infinity"}, default "l2"
        Norm in which gradients must be bounded; a bound in l2 is one in l-infinity.
    convex : bool, default False
        Whether the guarantee rests on convexity.

    Raises
    ------
    TypeError, ValueError
        If it is no :class:`Loss`, its gradients have no bound in that norm, or it is not convex.
    """
    examples = "a loss with bounded gradients, such as reference.losses.Logistic()"
    require_kind("loss", loss, Loss, examples)
    if loss.gradient_norm not in ("l2", norm):
        raise ValueError(f"loss must bound gradients in {norm}, got {loss.gradient_norm}")
    require_positive("loss.lipschitz", loss.lipschitz)
    if convex and loss.convex is not True:
        raise ValueError(f"loss must be convex, got {type(loss).__name__}")


def require_second_order_loss(loss: Any, dimension: int) -> None:
    """Raise unless ``loss`` declares bounds on gradients and on Hessians, both in l2.

    Parameters
    ----------
    loss : Any
    dimension : int
        p, of which the bound on the Hessians may be a function.

    Raises
    ------
    TypeError, ValueError
        If it is no :class:`SecondOrderLoss`, or its gradients or Hessians have no bound.
    """
    examples = "a loss with Hessians, such as reference.losses.Sigmoid()"
    require_kind("loss", loss, SecondOrderLoss, examples)
    require_loss(loss)
    require_positive("loss.hessian_change", loss.hessian_change(dimension))


def require_record_loss(loss: Any) -> None:
    """Raise TypeError unless ``loss`` is a :class:`RecordLoss`."""
    require_kind("loss", loss, RecordLoss, "a loss, such as reference.losses.SquaredError()")


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
            raise ValueError(
                f"feature_norm must be 'l2' or 'l-infinity', got {self.feature_norm!r}"
            )

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
        if not np.isin(labels, (-1.0, 1.0)).all():
            raise ValueError("labels must be -1 or 1")

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
        kept: FloatArray = 1 - np.minimum(((score - labels) / self.threshold) ** 2, 1.0)
        return kept

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        value: FloatArray = self.threshold**2 / 6 * (1 - self._kept(score, labels) ** 3)
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        # 0 beyond the threshold, also where the residual has overflowed
        residual = np.clip(score - labels, -self.threshold, self.threshold)
        slope: FloatArray = residual * self._kept(score, labels) ** 2
        return slope


class _Link(NamedTuple):
    """sigma, sigma', and the largest |phi'| and |phi''| of phi = (sigma - y)^2, y = 0 or 1."""

    value: Callable[[FloatArray], FloatArray]
    derivative: Callable[[FloatArray], FloatArray]
    slope_bound: float
    curvature_bound: float


def _normal_density(score: Any) -> Any:
    return np.exp(-(score**2) / 2) / math.sqrt(2 * math.pi)


def _sigmoid_link() -> _Link:
    """With q = sigma: 2 q^2 (1-q) has its maximum at 2/3, 2 q^2 (1-q)(2-3q) at (15-sqrt 33)/24.

    That is y = 0; sigma(-s) = 1 - sigma(s) makes y = 1 its mirror image, here and for the probit.
    """
    q = (15 - math.sqrt(33)) / 24
    return _Link(expit, lambda s: expit(s) * expit(-s), 8 / 27, 2 * q**2 * (1 - q) * (2 - 3 * q))


def _probit_link() -> _Link:
    """2 phi Phi has its maximum where phi = s Phi, 2 phi (phi - s Phi) where (s^2-1) Phi = 3 s phi.

    Of the two solutions of the last equation the one below 0 gives the larger size.
    """

    def root(equation: Callable[[float], float], low: float, high: float) -> float:
        return float(scipy.optimize.brentq(equation, low, high, xtol=1e-15))

    density = _normal_density
    s = root(lambda s: density(s) - s * ndtr(s), 0.0, 1.0)
    t = root(lambda t: (t**2 - 1) * ndtr(t) - 3 * t * density(t), -1.0, 0.0)
    return _Link(
        ndtr,
        density,
        float(2 * density(s) * ndtr(s)),
        float(2 * density(t) * (density(t) - t * ndtr(t))),
    )


def _identity_link() -> _Link:
    """sigma(s) = s on [-1, 1]: |2 (s - y)| is 4 at s = -1, y = 1."""
    return _Link(lambda s: np.clip(s, -1.0, 1.0), np.ones_like, 4.0, 2.0)


_LINKS = {"sigmoid": _sigmoid_link, "probit": _probit_link, "identity": _identity_link}


@cache
def _link(name: str) -> _Link:
    return _LINKS[name]()


@dataclass(frozen=True)
class GeneralizedLinear(LinearModelLoss):
    """(sigma(<a, x>) - y)^2, y = 0 or 1: non-convex unless sigma(s) = s. Wang (2020), l.3273.

    G/B is 8/27 for the sigmoid, 0.4869 for the probit, 4 for the identity; Wang's bound with the
    factor 2 that (4.50) loses, 2 C_sigma (B + 1), is at least as large (l.3683).

    Parameters
    ----------
    feature_bound, feature_norm
        See :class:`LinearModelLoss`.
    link : {"sigmoid", "probit", "identity"}
        sigma: 1/(1 + e^{-s}), the normal distribution function, or s. The identity is meant for
        scores in [-1, 1]; beyond them its loss goes on along the tangent.
    """

    link: Literal["sigmoid", "probit", "identity"] = "sigmoid"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.link not in _LINKS:
            raise ValueError(f"link must be one of {', '.join(_LINKS)}, got {self.link!r}")

    @property
    def convex(self) -> bool:
        """For the identity alone: phi' = 2 (clip(s) - y) never falls."""
        return self.link == "identity"

    @property
    def slope_bound(self) -> float:
        """Largest |2 (sigma - y) sigma'|."""
        return _link(self.link).slope_bound

    @property
    def curvature_bound(self) -> float:
        """Largest |2 sigma'^2 + 2 (sigma - y) sigma''|."""
        return _link(self.link).curvature_bound

    def mean(self, score: FloatArray) -> FloatArray:
        """Return sigma(score), which is E[y|a] at the true parameter (Assumption 4.2.2)."""
        return _link(self.link).value(score)

    def _check_labels(self, labels: FloatArray) -> None:
        if not np.isin(labels, (0.0, 1.0)).all():
            raise ValueError("labels must be 0 or 1")

    def _phi(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        residual = self.mean(score) - labels
        value: FloatArray = residual**2
        if self.link == "identity":
            value = value + 2 * residual * (score - np.clip(score, -1.0, 1.0))
        return value

    def _slope(self, score: FloatArray, labels: FloatArray) -> FloatArray:
        slope: FloatArray = 2 * (self.mean(score) - labels) * _link(self.link).derivative(score)
        return slope


def require_population_loss(loss: Any) -> None:
    """Raise unless ``loss`` is one of Wang (2020), section 4.2.2, on features of norm <= 1."""
    kinds = (GeneralizedLinear, Biweight)
    require_kind("loss", loss, kinds, "a GeneralizedLinear or a Biweight of feature_bound 1.0")
    require_in_interval("loss.feature_bound", loss.feature_bound, 0.0, 1.0, closed=True)


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


def empirical_risk(loss: RecordLoss, data: Any, x: FloatArray) -> float:
    """Return F(x, D), the mean loss. Wang (2020), Definition 3.1.1 without the regulariser.

    Parameters
    ----------
    loss : RecordLoss
    data
        As in its ``validate``.
    x : ndarray of shape (p,)
    """
    return float(loss.values(loss.validate(data, x.size), x).mean())
