"""Noisy copies of users' records, and estimates of a margin's polynomial from them.

What Algorithms 5.1.33 and 5.1.34 of Wang (2020) share: the noise, and products of independent
copies, which estimate a Bernstein polynomial without bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from reference._validation import (
    FloatArray,
    ParameterTypeError,
    ParameterValueError,
    require_array,
    require_count,
)
from reference.clipping import clip_entries, clip_rows
from reference.constants import PositiveConstants
from reference.constraint_sets import require_ball
from reference.parameters import checked_arguments
from reference.privacy.guarantees import gaussian_dp_mu

SENSITIVITY = math.sqrt(8)
"""l2 distance of two records (x, y) with ||x|| <= 1 and |y| <= 1: (e_1, 1) and (-e_1, -1)."""
LARGEST_GRADIENT = 1e300
"""Entries beyond it are cut to it: doubles hold the sum of 10^7 of them."""
MOST_DEGREE = 100
"""A user sends d(d + 1) + 1 copies of its record."""
_THIRD_DERIVATIVE = 0.75 / 1.25**2.5
"""Largest third derivative of (x + sqrt(x^2 + beta^2))/2, times beta^2: .42933 at x = +-beta/2."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    pair_noise_scale : float
        Standard deviation in slot 0, whose x and y make the factor y x of a gradient.
    factor_noise_scale : float
        Standard deviation in the d(d + 1) slots whose margins are multiplied.
    gradient_deviation : float
        sigma of the oracle: a bound on the root mean square of ||G(w)||_2 for ||w||_2 <= 1.
    """

    pair_noise_scale: float
    factor_noise_scale: float
    gradient_deviation: float


@checked_arguments
def noise_scales(*, epsilon: float, delta: float, degree: int) -> tuple[float, float]:
    """Return the smallest noise of slot 0 and of each other slot, for every epsilon > 0.

    A user's record moves slot k by sqrt 8, so mu^2 = 8/s_0^2 + 8 d(d + 1)/s^2 (Gaussian DP,
    exact). Each of the two terms is given one half of it.

    Parameters
    ----------
    epsilon, delta : float
        Budget of every user.
    degree : int
        d.
    """
    mu = gaussian_dp_mu(epsilon, delta)
    slots = require_degree(degree) * (degree + 1)
    pair = SENSITIVITY * math.sqrt(2) / mu
    return pair, pair * math.sqrt(slots)


def estimate_deviation(
    *, dimension: int, degree: int, pair_noise: float, factor_noise: float, width: float = 2.0
) -> tuple[float, float]:
    """Return bounds on the root mean squares of ||y_0 x_0||_2 and of the polynomial's estimate.

    E ||y_0 x_0||^2 <= (1 + s_0^2)(1 + p s_0^2). A factor's variance is that of y_k <w, x_k> over
    width^2, and v = s^2 (y^2 ||w||^2 + <w, x>^2) + s^4 ||w||^2 <= 2 s^2 + s^4; so the estimate of
    t^j (1 - t)^(d - j) has root mean square at most (t + r)^j (1 - t + r)^(d - j), r = sqrt(v)/
    width. With coefficients in [-1, 1] the estimates add up to at most (1 + 2r)^d.

    Parameters
    ----------
    dimension, degree : int
        p and d.
    pair_noise, factor_noise : float
        s_0 and s.
    width : float, default 2
        What a margin is divided by, so that the polynomial's argument lies in [0, 1].

    Returns
    -------
    pair, polynomial : float

    Raises
    ------
    ValueError
        If the second is beyond what doubles hold.
    """
    pair = math.sqrt(
        (1 + pair_noise**2) * (1 + require_count("dimension", dimension) * pair_noise**2)
    )
    spread = factor_noise * math.sqrt(2 + factor_noise**2)
    logarithm = degree * math.log1p(2 * spread / width) + math.log(pair)
    if logarithm > math.log(LARGEST_GRADIENT):
        raise ParameterValueError(
            "degree",
            f"be smaller: doubles do not hold gradients of degree {degree} with noise "
            f"{factor_noise:g}, which epsilon and delta ask for",
        )
    return pair, math.exp(logarithm) / pair


def require_degree(degree: Any) -> int:
    """Return the degree d of a Bernstein polynomial, or raise."""
    return require_count("degree", degree, at_most=MOST_DEGREE)


@checked_arguments
def degree_for(*, accuracy: float, smoothing: float) -> int:
    """Return the least d known to bring the Bernstein polynomial within alpha/4 on [-1, 1].

    |B_d g - g| <= max |g''|/(8d) on [0, 1], and g(t) = f'_beta(2t - 1) has
    |g''| <= 4 max |f'''_beta| = 4 (.42933)/beta^2: d >= .8587/(beta^2 alpha).

    Parameters
    ----------
    accuracy : float
        alpha > 0.
    smoothing : float
        beta in (0, 1].
    """
    require_smoothing(smoothing)
    return math.ceil(2 * _THIRD_DERIVATIVE / (smoothing**2 * accuracy))


def require_smoothing(smoothing: float) -> None:
    """Raise ValueError if beta is above 1."""
    if smoothing > 1:
        raise ParameterValueError("smoothing", "be <= 1", smoothing)


def require_unit_set(constraint: Any) -> None:
    """Raise unless ||C||_2 <= 1 (Assumption 2): margins beyond 1 are outside the polynomial's."""
    require_ball(constraint, convex=True, bounded=True)
    if constraint.largest_norm > 1:
        raise ParameterValueError(
            "constraint",
            "be within the unit ball, where margins are in [-1, 1]",
            got=f"largest_norm {constraint.largest_norm!r}",
        )


def records_of(data: Any) -> FloatArray:
    """Return every user's (x, y) as a row, x scaled down to norm 1 and y cut to [-1, 1].

    Parameters
    ----------
    data : (features, labels)
        Of shapes (n, p) and (n,).

    Returns
    -------
    ndarray of shape (n, p + 1)
    """
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ParameterTypeError(
            "data", "be a pair (features, labels)", got=f"{type(data).__name__}"
        )
    features = require_array("features", data[0], ndim=2)
    labels = require_array("labels", data[1], ndim=1, shape=(len(features),))
    return np.hstack([clip_rows(features, 1.0), clip_entries(labels, 1.0)[:, None]])


@dataclass(frozen=True)
class NoisyCopies:
    """The noisy copies of the users' records, all that the server has of them.

    Attributes
    ----------
    pair : ndarray of shape (n, p + 1)
        Slot 0: x_{i,0} and y_{i,0}.
    factors : ndarray of shape (n, d + 1, d, p + 1)
        Slots k = jd + 1, ..., jd + d at [i, j].
    """

    pair: FloatArray
    factors: FloatArray

    def margins(self, user: int, w: FloatArray) -> FloatArray:
        """Return y_{i,k} <w, x_{i,k}> for every k > 0, shape (d + 1, d): independent estimates."""
        copies = self.factors[user]
        return np.asarray(copies[..., -1] * (copies[..., :-1] @ w))

    def gradient(self, user: int, slope: float) -> FloatArray:
        """Return the slope's estimate times y_{i,0} x_{i,0}, its entries cut."""
        features, label = self.pair[user, :-1], self.pair[user, -1]
        with np.errstate(over="ignore", invalid="ignore"):
            return clip_entries(slope * (label * features), LARGEST_GRADIENT)


def bernstein_estimate(arguments: FloatArray, weights: FloatArray) -> float:
    """Return sum_j c_j C(d, j) t_j s_j, t_j = prod_(k <= j) t_jk, s_j = prod_(k > j) (1 - t_jk).

    If all t_jk are independent with mean t, its mean is the Bernstein polynomial at t: slots of
    different j, and the two products of one j, have no copy in common.

    Parameters
    ----------
    arguments : ndarray of shape (d + 1, d)
        t_jk.
    weights : ndarray of shape (d + 1,)
        c_j C(d, j), of :func:`bernstein_weights`.
    """
    rows, columns = arguments.shape
    first = np.tri(rows, columns, -1, dtype=bool)  # k <= j, with k counted from 1
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.where(first, arguments, 1 - arguments).prod(axis=1) @ weights)


def bernstein_weights(values: FloatArray) -> FloatArray:
    """Return c_j C(d, j) for the values c_j at the nodes, j = 0..d."""
    degree = len(values) - 1
    return np.asarray(values * scipy.special.comb(degree, np.arange(degree + 1)))


def nodes(degree: int) -> FloatArray:
    """Return the nodes 2j/d - 1 of the Bernstein polynomial on [-1, 1], j = 0..d."""
    return 2 * np.arange(degree + 1) / degree - 1


def smoothed_step(x: FloatArray, smoothing: float) -> FloatArray:
    """Return h'_beta(x) = (1 + x/sqrt(x^2 + beta^2))/2, the slope of (x + sqrt(x^2 + beta^2))/2."""
    return (1 + x / np.hypot(x, smoothing)) / 2
