"""Wishart noise on symmetric matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import chdtr, chdtrc, gammainccinv, gammaincinv, log_ndtr, ndtr

from reference._validation import FloatArray
from reference.privacy.guarantees import ULPS
from reference.privacy.mechanisms.mechanism import (
    REACH,
    Cost,
    Draw,
    Mechanism,
    Output,
    flatten_units,
    ratio,
)


@dataclass(frozen=True)
class Wishart(Mechanism):
    """Positive definite noise W_d(degrees, scale I); spectral norm. Wang (2020), Lemma 6.3.2.

    The output lies above the value in the positive definite order, so neighbours have different
    supports: the loss can be infinite. What it costs is :func:`wishart_delta`.
    """

    degrees: float
    scale: float
    dimension: int
    kind: ClassVar[str] = "wishart"
    norm: ClassVar[str] = "spectral"

    @property
    def reach(self) -> float:
        return REACH * self.scale

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        # Bartlett: L lower triangular, L_ii^2 ~ chi^2 with degrees - i (0-based), L_ij ~ N(0, 1)
        size = value.shape[-1]
        lower = np.tril(rng.standard_normal((*value.shape[:-2], size, size)), -1)
        squares = rng.chisquare(self.degrees - np.arange(size), size=(*value.shape[:-2], size))
        index = np.arange(size)
        lower[..., index, index] = np.sqrt(squares)
        return lower

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        lower = np.asarray(draw)
        noisy: FloatArray = value + self.scale * (lower @ np.swapaxes(lower, -1, -2))
        return noisy

    def noiseless(self, value: FloatArray) -> FloatArray:
        return value.copy()

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        noise = np.asarray(output) - value
        size = value.shape[-1]
        smallest = np.linalg.eigvalsh(noise)[..., 0]
        inside = smallest > 0
        safe = np.where(inside[..., None, None], noise, np.eye(size))
        log_det = np.linalg.slogdet(safe)[1]
        density = (self.degrees - size - 1) / 2 * log_det - np.trace(safe, axis1=-2, axis2=-1) / (
            2 * self.scale
        )
        masked = np.where(inside, density, -np.inf)
        return np.asarray(flatten_units(masked[..., None], axes).sum(axis=-1))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        spectral = np.abs(np.linalg.eigvalsh(value - other)).max(axis=-1)
        return np.asarray(flatten_units(spectral[..., None], axes).max(axis=-1))

    def rescaled(self, factor: float) -> Wishart:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        """For changes sensitivity (v v' - w w'), |v|, |w| <= 1: see :func:`wishart_delta`.

        With degrees = d + 1 the curve is flat, so that such releases compose. With fewer the
        density is unbounded at the edge of the cone, and there is no cost here.
        """
        if self.degrees < self.dimension + 1:
            return Cost()
        size = ratio(sensitivity, self.scale)
        if self.degrees == self.dimension + 1:
            return Cost(approximate=(0.0, min(1.0, -math.expm1(-size / 2) * (1 + ULPS))))
        return Cost(wishart=(self.degrees, size, self.dimension))


_MOST_DEGREES, _LARGEST_SIZE = 1e12, 1e100
"""Limits within which doubles have the digits that :func:`wishart_delta` needs."""
SMALLEST_WISHART_DELTA = 1e-12
"""Smallest delta of a claim about Wishart noise.

Smaller ones are refused: the rounding of doubles would show.
"""


def _rounding(excess: float) -> float:
    """Return what a curve may be off by: six times the most that was seen in 42,000 comparisons.

    An argument of a chi-square law is off by 1e-16 of itself, and the law as wide as its root.
    """
    return 2e-14 + 1e-16 * math.sqrt(excess)


@lru_cache(maxsize=1024)  # an inversion asks for the same ones again
def wishart_delta(degrees: float, size: float, *, dimension: int, epsilon: float) -> float:
    """Return delta(epsilon) of W_d(degrees, I) for changes size (v v' - w w'), |v|, |w| <= 1.

    Never below it, and above it by less than 1e-13 for up to 10^5 degrees, 2e-10 for 10^12: no
    claim of a delta below :data:`SMALLEST_WISHART_DELTA` is certified. The worst of all such pairs,
    zero vectors included, attains it.

    Parameters
    ----------
    degrees : float
        m >= d + 1, any real number.
    size : float
        Sensitivity over scale, > 0.
    dimension : int
        d >= 1.
    epsilon : float
        >= 0.

    Notes
    -----
    *Which pairs are the worst.* The density f of W_d(m, I) is log-concave for m >= d + 1, so
    g(x, A) = min(f(x - A), e^epsilon f(x)) is log-concave in x and A together and, by Prekopa's
    theorem, its integral G(A) over x is log-concave in A. So delta = 1 - G(A) is quasi-convex: over
    a polytope it is largest at a vertex. A = size (v v' - w w') has an eigenvalue s in [0, size],
    another -t in [-size, 0] and no more, and delta depends on these alone, as the law of W does not
    change under rotations. Every diag(s, -t) of the square is attained, by orthogonal v and w. The
    vertices are A = 0, the record that comes or goes, (size, 0) and (0, -size), and the unit vector
    that becomes one at right angles to it, (size, -size), which needs d >= 2.

    *What they cost.* Let A be 0 but for its first k coordinates. The Schur complement of the others
    in W has the law W_k(m - d + k, I), is independent of all else that determines W, and A shifts
    it and nothing else: d falls out but for K = m - d. One coordinate is :func:`_leaving_delta` and
    :func:`_coming_delta`, two are :func:`_turning_delta`.
    """
    # a smaller size costs no more, nor do degrees that are more by 1 at least, which is one more
    # independent Wishart matrix
    excess, size = degrees - dimension, max(size, 1 / _LARGEST_SIZE)
    if excess > _MOST_DEGREES + 1:
        excess = _MOST_DEGREES
    if size > _LARGEST_SIZE:
        return 1.0
    if excess == 1:  # densities e^(-tr x/2) on a cone: what is impossible is all that tells
        return min(1.0, -math.expm1(-size / 2) * (1 + ULPS))
    corners = [_leaving_delta, _coming_delta, _turning_delta]
    possible = corners if dimension > 1 else corners[:2]
    largest = max(delta(excess, size, epsilon) for delta in possible)
    return min(1.0, largest + _rounding(excess))


def _leaving_delta(excess: float, size: float, epsilon: float) -> float:
    """Return delta of q against q + size, q ~ chi-square of K + 1 degrees, K > 1.

    The loss (K - 1)/2 log(q/(q - size)) - size/2 falls in q and is infinite up to ``size``.
    """
    freedom, half = excess + 1, (excess - 1) / 2
    with np.errstate(over="ignore", divide="ignore"):
        below = size / np.expm1((epsilon + size / 2) / half)
        delta = chdtr(freedom, below + size) - np.exp(epsilon + np.log(chdtr(freedom, below)))
    return float(max(delta, 0.0))


def _coming_delta(excess: float, size: float, epsilon: float) -> float:
    """Return delta of q + size against q: the loss at q is size/2 - (K - 1)/2 log(1 + size/q).

    In every case tried it was below :func:`_leaving_delta`; the largest needs no proof of that.
    """
    if epsilon >= size / 2:
        return 0.0
    freedom, half = excess + 1, (excess - 1) / 2
    with np.errstate(over="ignore", divide="ignore"):
        above = size / np.expm1((size / 2 - epsilon) / half)
        beyond = chdtrc(freedom, above + size)
        delta = chdtrc(freedom, above) - np.exp(epsilon + np.log(beyond))
    return float(max(delta, 0.0))


_TAIL = 1e-16
"""Mass that is cut off at the upper end of the nodes of a chi-square law.

At the lower one, where R > 1/k, it is e^-epsilon times that, but for epsilon > 100: then delta may
come out too large, as what is cut off there would be subtracted.
"""


def _turning_delta(excess: float, size: float, epsilon: float) -> float:
    """Return delta of Y against Y - A, Y ~ W_2(K + 2, I), A = size (e_1 e_2' + e_2 e_1').

    A has the eigenvalues size and -size, and -A is A with an axis turned round, so either side is
    the worse. The loss is -(K - 1)/2 log R, R = det(Y + A)/det Y or, where Y + A is not positive
    definite, 0; with k = e^(-2 epsilon/(K - 1)) delta is P(R < k) - e^epsilon P(R > 1/k), the
    second for -A. By Bartlett Y_11 = a, Y_12 = sqrt(a) g and det Y = a q with independent a ~
    chi-square of K + 2 degrees, q of K + 1, g ~ N(0, 1), so that R = 1 - (2 size sqrt(a) g +
    size^2)/(a q), and either probability is a mean over a and q of one of g.

    The mean is the trapezoidal rule in log a and log q, whose error falls exponentially as the step
    does (tests compare it with other formulas).
    """
    rate = 2 * epsilon / (excess - 1)
    near = -math.expm1(-rate)
    far = math.expm1(rate) if rate < 700 else math.inf
    a, a_mass = _chi_square_nodes(excess + 2, epsilon)
    q, q_mass = _chi_square_nodes(excess + 1, epsilon)
    root, product = np.sqrt(a)[:, None], a[:, None] * q
    towards = (near * product - size**2) / (2 * size * root)
    away = (far * product + size**2) / (2 * size * root)
    delta = a_mass @ (ndtr(-towards) - np.exp(epsilon + log_ndtr(-away))) @ q_mass
    return float(np.clip(delta, 0.0, 1.0))


def _chi_square_nodes(freedom: float, epsilon: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes of a chi-square law, equally far apart in the logarithm, and their masses."""
    least = max(_TAIL * math.exp(-epsilon), 1e-60)
    low = math.log(2 * gammaincinv(freedom / 2, least) / freedom)
    high = math.log(2 * gammainccinv(freedom / 2, _TAIL) / freedom)
    # with steps h the masses have errors of order e^(-pi^2/h) and e^(-2 (pi width/h)^2), and a tail
    # of ndtr, whose argument goes like q, e^(-pi^2/(2 h))
    width = math.sqrt(2 / freedom)
    step = min(0.15, 0.3 * width)
    logs = np.linspace(low, high, math.ceil((high - low) / step) + 1)
    masses = np.exp(freedom / 2 * (logs - np.expm1(logs)))
    return freedom * np.exp(logs), masses / masses.sum()
