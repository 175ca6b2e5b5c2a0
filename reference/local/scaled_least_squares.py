"""Scaled least squares from noisy moments: what single steps of Algorithms 5.2.39, 5.2.40 share.

w* is close to c w_ols, w_ols = E[x x^T]^{-1} E[x y], with a factor c that depends on the law of x
and on f alone. Users send noisy second moments; the factor is fitted on public features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from reference._validation import (
    FloatArray,
    ParameterTypeError,
    ParameterValueError,
    require_array,
    require_kind,
)
from reference.constants import PositiveConstants
from reference.local.links import Link
from reference.matrices.second_moments import GAUSSIAN_SENSITIVITY
from reference.parameters import checked_arguments
from reference.privacy.calibration import smallest_gaussian_scale

LARGEST_FACTOR = 1e4
"""Beyond it no root is looked for."""
CLOSEST_ROOTS = 0.05
"""Two roots that are closer to each other, relatively, may both be missed."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes: the noise on x x^T and x y, for ||x||_1 <= r and |y| <= B.

    Attributes
    ----------
    matrix_sensitivity : float
        l2 norm by which the upper triangle of x x^T moves, diagonal included; at most sqrt(2) r^2
        (:data:`~reference.matrices.second_moments.GAUSSIAN_SENSITIVITY`), for r e_1 and r e_2.
    vector_sensitivity : float
        l2 norm by which x y moves: 2 r B, for (r e_1, B) and (r e_1, -B).
    matrix_scale, vector_scale : float
        Standard deviations of an entry's noise.
    """

    matrix_sensitivity: float
    vector_sensitivity: float
    matrix_scale: float
    vector_scale: float


@checked_arguments
def constants_for(
    *, epsilon: float, delta: float, radius: float, largest_label: float = 1.0
) -> Constants:
    """Return the smallest noise in the paper's proportion, r to B, that the accountant certifies.

    With scales r^2 s and r B s the two releases together are Gaussian with
    mu^2 = (2 + 4)/s^2. (No pair of inputs attains both sensitivities: the largest is mu^2 = 4/s^2.)
    """
    both = math.hypot(GAUSSIAN_SENSITIVITY, 2.0)
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=both)
    return _scaled(GAUSSIAN_SENSITIVITY, scale, radius, largest_label)


@checked_arguments
def constants_of_theorem(
    *, epsilon: float, delta: float, radius: float, largest_label: float = 1.0
) -> Constants:
    """Return the paper's noise, sqrt(32 log(2.5/delta))/epsilon times r^2 and r B: epsilon <= 1.

    Each release is (epsilon/2, delta/2)-DP by the classical rule, with sensitivity 2 r^2 for the
    matrix (steps 2 and 3, l.5684-5685).
    """
    if epsilon > 1:
        raise ParameterValueError(
            "epsilon", "be <= 1", got=f"{epsilon!r}; constants_for covers every one"
        )
    scale = math.sqrt(32 * (math.log(2.5) - math.log(delta))) / epsilon
    return _scaled(2.0, scale, radius, largest_label)


def _scaled(sensitivity: float, scale: float, radius: float, largest_label: float) -> Constants:
    return Constants(
        matrix_sensitivity=sensitivity * radius**2,
        vector_sensitivity=2 * radius * largest_label,
        matrix_scale=radius**2 * scale,
        vector_scale=radius * largest_label * scale,
    )


@dataclass(frozen=True)
class Estimate:
    """The server's estimate and the numbers that led to it.

    Attributes
    ----------
    coefficients : ndarray of shape (p,), or None
        The factor times ``least_squares``; ``None`` if there is no factor.
    least_squares : ndarray of shape (p,)
        Solution of the noisy normal equations, of least norm if they are singular.
    factor : float or None
        The smallest root c > 0 of c mean_j f'(c <x_j, w_ols>) = 1; ``None`` if none is found up to
        :data:`LARGEST_FACTOR`.
    smallest_eigenvalue : float
        Of the mean of the noisy x x^T. Where it is not positive, or not above the noise (about
        2 sqrt(p/n) times its scale), ``least_squares`` means nothing.
    """

    coefficients: FloatArray | None
    least_squares: FloatArray
    factor: float | None
    smallest_eigenvalue: float


def checked_data(
    data: tuple[ArrayLike, ArrayLike], public_features: ArrayLike, link: Link
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return features (n, p), labels (n,) and public features (m, p), or raise on bad input."""
    if not isinstance(data, tuple) or len(data) != 2:
        raise ParameterTypeError(
            "data", "be a tuple (features, labels)", got=f"{type(data).__name__}"
        )
    features = require_array("features", data[0], ndim=2)
    labels = require_array("labels", data[1], ndim=1)
    if len(labels) != len(features):
        raise ParameterValueError(
            "labels", "be one per row", got=f"{len(labels)} for {len(features)}"
        )
    public = require_array("public_features", public_features, ndim=2)
    if public.shape[1] != features.shape[1]:
        raise ParameterValueError(
            "public_features", f"have {features.shape[1]} columns", got=f"shape {public.shape}"
        )
    require_kind("link", link, Link, "LOGISTIC, CUBIC or IDENTITY of reference.local.links")
    if not link.increasing and not math.isfinite(link.growth):
        raise ParameterValueError("link", "have a finite growth or be increasing", link.name)
    return features, labels, public


def least_squares(second_moment: FloatArray, cross_moment: FloatArray) -> tuple[FloatArray, float]:
    """Return the solution of the noisy normal equations and the matrix's smallest eigenvalue.

    The naive server: nothing is done where noise has made the matrix indefinite.
    """
    solution = np.asarray(np.linalg.lstsq(second_moment, cross_moment, rcond=None)[0], float)
    return solution, float(np.linalg.eigvalsh(second_moment)[0])


def scores(features: FloatArray, w: FloatArray) -> FloatArray:
    """Return <x_j, w> for every row x_j; beyond doubles, the largest double."""
    with np.errstate(over="ignore", invalid="ignore"):
        found: FloatArray = np.nan_to_num(features @ w)
    return found


def smallest_root(link: Link, scores: FloatArray) -> float | None:
    """Return the smallest root c > 0 of c mean_j f'(c t_j) = 1; ``None`` up to LARGEST_FACTOR.

    The "other methods" of step 7: Newton's method, as printed, goes to any of several roots or to
    none. As the left side grows by ``link.growth`` at most, there is no root before the point
    where it would be 1 at that pace: that is the next point to look at, or 5% further if that is
    more, until the sign changes.

    Parameters
    ----------
    link : Link
        Increasing, or of finite growth.
    scores : ndarray of shape (m,)
        t_j = <x_j, w_ols>, of :func:`scores`.
    """

    def excess(c: float) -> float:
        with np.errstate(over="ignore"):
            return c * float(link.derivative(c * scores).mean()) - 1

    low, gap = 0.0, 1.0
    while low < LARGEST_FACTOR:
        if link.increasing:
            high = max(1 / LARGEST_FACTOR, 2 * low)
        else:
            high = max(low + gap / link.growth, (1 + CLOSEST_ROOTS) * low)
        gap = -excess(high)
        if gap == 0:
            return high
        if gap < 0:
            # enough halvings for any two doubles: it converges
            root = brentq(excess, low, high, xtol=1e-300, rtol=1e-14, maxiter=10_000)
            return float(root)
        low = high
    return None
