"""Squared errors behind a link, and the losses of Wang (2020), section 4.2.2."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy
from scipy.special import expit, ndtr

from reference._validation import FloatArray, ParameterValueError, require_in_interval, require_kind
from reference.losses.linear_models import LinearModelLoss
from reference.losses.residuals import Biweight


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
    """Return the probit link with its largest sizes.

    2 phi Phi has its maximum where phi = s Phi, 2 phi (phi - s Phi) where (s^2-1) Phi = 3 s phi.

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
    """Return the link sigma(s) = s on [-1, 1]: |2 (s - y)| is 4 at s = -1, y = 1."""
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
            raise ParameterValueError("link", f"be one of {', '.join(_LINKS)}", self.link)

    @property
    def convex(self) -> bool:
        """True for the identity alone: phi' = 2 (clip(s) - y) never falls."""
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
            raise ParameterValueError("labels", "be 0 or 1")

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
