"""Estimates from draws of the privacy loss: delta(epsilon), epsilon, trade-off curves, mu.

From N independent draws of L = log p(outputs | D) - log p(outputs | D') follow

* delta(epsilon) = E[(1 - e^(epsilon - L))_+], the mean of a variable in [0, 1], with confidence
  bounds (:func:`delta_bounds`);
* the largest epsilon that can be certified at a delta (:func:`epsilon_lower`);
* the trade-off curve of testing D against D' (:func:`trade_off_curve`);
* where every release is Gaussian and the shift between D and D' is the same on every path, the
  parameter mu of L ~ N(mu^2/2, mu^2) (:func:`fit_gaussian`), which sees far below 1/N.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import ncx2

from auditor.statistics.means import mean_lower, mean_p_value, mean_upper
from reference._validation import FloatArray
from reference.privacy.guarantees import Guarantee


def excess(losses: ArrayLike, epsilon: float) -> FloatArray:
    """Return (1 - e^(epsilon - L))_+ for every loss; its expectation is delta(epsilon)."""
    margin = np.minimum(epsilon - np.asarray(losses, dtype=np.float64), 0.0)
    return np.asarray(-np.expm1(margin))


def delta_bounds(losses: ArrayLike, epsilon: float, alpha: float) -> tuple[float, float]:
    """Return lower and upper confidence bounds of delta(epsilon).

    Parameters
    ----------
    losses : array_like of shape (N,)
        Independent privacy losses; infinity where the output is impossible under the neighbour.
    epsilon : float
        >= 0.
    alpha : float
        Error probability of each bound, in (0, 1).

    Returns
    -------
    lower, upper : float
        See :func:`auditor.statistics.means.mean_lower`.
    """
    values = excess(losses, epsilon)
    return mean_lower(values, alpha), mean_upper(values, alpha)


def epsilon_lower(losses: ArrayLike, delta: float, alpha: float) -> float:
    """Return a lower confidence bound of the smallest epsilon that holds at ``delta``.

    The bound is the largest epsilon at which "delta(epsilon) <= delta" is rejected at ``alpha``.
    No correction for trying many epsilons is needed: (1 - e^(epsilon - L))_+ decreases in epsilon
    for every loss and the test is monotone in its sample, so any false rejection at an epsilon
    above the true one implies the rejection of the true one, which has probability alpha.

    Parameters
    ----------
    losses : array_like of shape (N,)
    delta : float
        In [0, 1). At 0 any loss seen is a lower bound, with certainty.
    alpha : float
        In (0, 1).

    Returns
    -------
    float
        >= 0; infinity if even infinite losses alone exceed ``delta``.
    """
    values = np.asarray(losses, dtype=np.float64)
    if delta == 0:
        return max(0.0, float(values.max()))
    return _largest(values, lambda e: alpha - mean_p_value(excess(values, e), delta))


def epsilon_estimate(losses: ArrayLike, delta: float) -> float:
    """Return the epsilon at which the average of :func:`excess` is ``delta``; no confidence."""
    values = np.asarray(losses, dtype=np.float64)
    if delta == 0:
        return max(0.0, float(values.max()))
    return _largest(values, lambda e: float(excess(values, e).mean()) - delta)


def _largest(losses: FloatArray, surplus: Any) -> float:
    """Return the largest epsilon >= 0 with ``surplus`` (nonincreasing) >= 0, or 0."""
    if surplus(0.0) < 0:
        return 0.0
    finite = losses[np.isfinite(losses)]
    top = max(float(finite.max()), 0.0) if finite.size else 0.0
    if surplus(top) >= 0:
        # from here on only infinite losses count, and they count the same at every epsilon
        return math.inf if np.isinf(losses).any() else top
    return float(brentq(surplus, 0.0, top, xtol=1e-9))


def trade_off_curve(
    losses: ArrayLike, reverse_losses: ArrayLike, alpha: float, type_1: ArrayLike
) -> dict[str, FloatArray]:
    """Return the trade-off curve of testing D (null) against D', with a simultaneous band.

    The tests that reject D when its log-likelihood ratio is small are the best ones (Neyman and
    Pearson). Both error probabilities are empirical distribution functions; the band holds for
    all thresholds at once with probability 1 - alpha (Dvoretzky-Kiefer-Wolfowitz).

    Parameters
    ----------
    losses : array_like of shape (N,)
        L of transcripts drawn on D, against D'.
    reverse_losses : array_like of shape (N,)
        L of transcripts drawn on D', against D.
    alpha : float
        Error probability of the whole band.
    type_1 : array_like
        Type I errors at which to evaluate, in [0, 1].

    Returns
    -------
    dict
        ``"estimate"``, ``"lower"`` and ``"upper"``: type II errors.
    """
    x = np.asarray(type_1, dtype=np.float64)
    under_d = np.sort(np.asarray(losses, dtype=np.float64))
    under_other = np.sort(-np.asarray(reverse_losses, dtype=np.float64))
    thresholds = np.unique(np.concatenate([[-math.inf], under_d, under_other]))
    false_alarm = np.searchsorted(under_d, thresholds, side="right") / under_d.size
    missed = 1 - np.searchsorted(under_other, thresholds, side="right") / under_other.size
    # no threshold at all: never reject
    false_alarm, missed = np.append(0.0, false_alarm), np.append(1.0, missed)
    width = math.sqrt(math.log(4 / alpha) / (2 * min(under_d.size, under_other.size)))
    # a point of the curve bounds it from below to its left and from above to its right
    left = np.searchsorted(false_alarm - width, x, side="left")
    right = np.searchsorted(false_alarm + width, x, side="right") - 1
    return {
        "estimate": np.interp(x, false_alarm, missed),
        "lower": np.maximum(np.append(missed - width, 0.0)[left], 0.0),
        "upper": np.minimum(np.where(right < 0, 1.0, missed[right] + width), 1 - x),
    }


def claimed_trade_off(claim: Guarantee, type_1: ArrayLike, epsilons: ArrayLike) -> FloatArray:
    """Return the least type II errors the claim allows, from its delta at the given epsilons.

    Every (epsilon, delta) gives max(0, 1 - delta - e^epsilon x, e^-epsilon (1 - delta - x))
    (Wasserman and Zhou 2010; Dong, Roth, Su 2022, Proposition 2.5).
    """
    x = np.asarray(type_1, dtype=np.float64)
    least = np.zeros_like(x)
    for epsilon in np.asarray(epsilons, dtype=np.float64):
        free = 1 - claim.delta_at(float(epsilon))
        least = np.maximum(least, free - math.exp(min(epsilon, 700.0)) * x)
        least = np.maximum(least, math.exp(-epsilon) * (free - x))
    return least


@dataclass(frozen=True)
class GaussianFit:
    """Maximum-likelihood mu of losses N(mu^2/2, mu^2), with confidence bounds."""

    mu: float
    lower: float
    upper: float


def gaussian_tails(losses: ArrayLike, mu: float) -> tuple[float, float]:
    """Return p-values of "the losses are N(m^2/2, m^2)" with m <= mu and with m >= mu; exact.

    The sum of squares is sufficient (mean and variance depend on the same parameter), and
    sum L^2 / mu^2 is noncentral chi-square with N degrees of freedom and noncentrality N mu^2/4.
    For mu > 5 nearly everything is in the mean, which is normal.

    Parameters
    ----------
    losses : array_like of shape (N,)
        Finite.
    mu : float
        > 0.
    """
    values = np.asarray(losses, dtype=np.float64)
    return _gaussian_tail(values, mu, upper=True), _gaussian_tail(values, mu, upper=False)


def _gaussian_tail(values: FloatArray, mu: float, *, upper: bool) -> float:
    """Return the first or the second p-value of :func:`gaussian_tails`."""
    size = values.size
    if mu > 5:
        z = (float(values.mean()) - mu**2 / 2) * math.sqrt(size) / mu
        return float(ndtr(-z if upper else z))
    tail = ncx2.sf if upper else ncx2.cdf
    return float(tail(float(values @ values) / mu**2, size, size * mu**2 / 4))


def fit_gaussian(losses: ArrayLike, alpha: float) -> GaussianFit:
    """Fit mu to losses N(mu^2/2, mu^2), with bounds by inverting :func:`gaussian_tails`.

    Parameters
    ----------
    losses : array_like of shape (N,)
        Finite.
    alpha : float
        Error probability of each bound.
    """
    values = np.asarray(losses, dtype=np.float64)
    mu = math.sqrt(2 * (math.sqrt(1 + float(values @ values) / values.size) - 1))
    if mu == 0:
        return GaussianFit(0.0, 0.0, 0.0)
    low, high = mu, mu

    def excess_below(m: float) -> float:
        return _gaussian_tail(values, m, upper=True) - alpha

    def excess_above(m: float) -> float:
        return _gaussian_tail(values, m, upper=False) - alpha

    while excess_below(low) > 0:
        low /= 1.1
    while excess_above(high) > 0:
        high *= 1.1
    lower = brentq(excess_below, low, mu, rtol=1e-14)
    upper = brentq(excess_above, mu, high, rtol=1e-14)
    return GaussianFit(mu, float(lower), float(upper))
