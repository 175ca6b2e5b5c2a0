"""Curves of privacy, delta as a function of epsilon, and their inverses; all rounded outwards.

Every conversion names its statement. All logarithms are natural.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from scipy.special import erfcx, log_ndtr, ndtr, ndtri_exp

from reference._validation import FloatArray


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Epsilon of rho-zCDP by the paper's conversion, rho + 2 sqrt(rho log(1/delta)).

    Source: Wang (2020), Lemma 2.1.10 (l.426).
    """
    return rho + 2 * math.sqrt(rho * -math.log(delta))


def zcdp_rho(epsilon: float, delta: float) -> float:
    """Exact inverse of :func:`zcdp_epsilon`: (sqrt(log(1/delta)+epsilon) - sqrt(log(1/delta)))^2.

    Source: Wang, Ding, Hu, Xie, Pan and Xu (2020), Algorithm 2 (its square root is the paper's
    tilde-epsilon); Wang (2020), l.2738.
    """
    log_inverse = -math.log(delta)
    # epsilon / (sum of roots) equals the difference of roots without the cancellation
    return (epsilon / (math.sqrt(log_inverse + epsilon) + math.sqrt(log_inverse))) ** 2


def zcdp_delta(rho: float, epsilon: float) -> float:
    """Smallest delta certified for rho-zCDP by optimising the Renyi order; rounded up.

    Minimises exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)^a over a > 1. Source: Canonne,
    Kamath, Steinke, "The discrete Gaussian for differential privacy" (2020), Proposition 12.
    """
    if rho == 0:
        return 0.0
    if math.isinf(rho):
        return 1.0
    rho = max(rho, 1e-290)  # an upper bound; the orders of a smaller one overflow

    def log_share(log_excess: float) -> float:
        # log(1 - 1/a), without the difference of two logarithms where it is small
        if log_excess > 0:
            return -math.log1p(math.exp(-log_excess))
        return log_excess - math.log1p(math.exp(log_excess))

    def slope(log_excess: float) -> float:
        # derivative of log delta in the order a = 1 + exp(log_excess); it increases
        excess = math.exp(log_excess)
        return (2 * excess + 1) * rho - epsilon + log_share(log_excess)

    # log(1 - 1/a) lies between -1/(a - 1) and log(a - 1), which brackets the root of the slope
    gap = epsilon - rho
    root = math.hypot(gap, math.sqrt(8 * rho))
    upper = (gap + root) / (4 * rho) if gap > 0 else 2 / (root - gap)
    # for a - 1 < 1 the slope is below 3 rho - epsilon + log(a - 1)
    lower = min(0.0, epsilon - 3 * rho, math.log(upper)) - 1
    log_excess = float(scipy.optimize.brentq(slope, lower, math.log(upper) + 1, xtol=1e-12))
    excess = math.exp(log_excess)
    share = (1 + excess) * log_share(log_excess)
    log_delta = excess * ((1 + excess) * rho - epsilon) - log_excess + share
    # whatever order was found is valid; what is left is the rounding of the terms
    terms = excess * ((1 + excess) * rho + epsilon) + abs(log_excess) - share
    return math.exp(min(0.0, log_delta + 2 * ULPS * (1 + terms)))


@lru_cache(maxsize=64, typed=True)
def largest_zcdp_rho(epsilon: float, delta: float) -> float:
    """Largest rho at which :func:`zcdp_delta` is at most ``delta``, to 1e-12 from below.

    Never below :func:`zcdp_rho`, the inverse of Lemma 2.1.10. Cached, since every run of an
    algorithm asks for its own.
    """
    lower = zcdp_rho(epsilon, delta)
    if not 1e-100 < lower < 1e100:  # where a root finder would run out of doubles
        return lower
    upper = 2 * lower
    while zcdp_delta(upper, epsilon) <= delta:
        lower, upper = upper, 2 * upper

    def excess(rho: float) -> float:
        # below by more than the rounding of the curve, which is much where delta is near 1
        return math.log(max(zcdp_delta(rho, epsilon), math.ulp(0.0)) / (delta * (1 - 64 * ULPS)))

    root = float(scipy.optimize.brentq(excess, lower, upper, xtol=0.5e-12 * lower)) * (1 - 1e-12)
    while zcdp_delta(root, epsilon) > delta:  # where delta is so near 1 that it hardly moves
        root *= 1 - 1e-12
    return root


def largest_pure_epsilon(epsilon: float, delta: float) -> float:
    """Largest epsilon_0 at which every epsilon_0-DP mechanism is (epsilon, delta)-DP; from below.

    ln((e^epsilon + delta)/(1 - delta)), the inverse of :meth:`PureDP.delta_at`, to 1e-13.
    """
    more = math.log1p(delta * math.exp(-epsilon)) - math.log1p(-delta)
    return max(epsilon, epsilon + more * (1 - 64 * ULPS) - ULPS * (epsilon + more))


OUTWARD = 2.0**-40
"""Part of delta, and of 1 - delta from 1/2 on, by which a curve is raised.

The rounding of a curve was at most half of that at 2,000 points compared with 60 digits, down to
delta 1e-100; arguments are rounded to the safe side before. So what is certified is never below the
truth, and calibrated noise, which allows for four times that, never costs more than it claims."""
ULPS = 2.0**-50
"""Part of a number by which a sum, product or quotient of two is moved to be on the safe side."""


def gaussian_dp_delta(mu: float, epsilon: float) -> float:
    """Return delta of mu-Gaussian DP: Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).

    Never below that, and above it by at most a relative 1e-9 for epsilon up to 1e6, whatever mu
    and however small delta; a delta below the smallest double is 0.

    Source: the exact curve of the Gaussian mechanism of sensitivity/scale mu (Balle and Wang,
    2018, Theorem 8; used on every Gaussian card of the catalogue).
    """
    if mu == 0 or math.isinf(mu):
        return 1.0 if mu else 0.0
    low = _low(mu, epsilon)
    delta = math.exp(_log_delta_beyond(low, mu))
    complement = 1.0 if delta < 0.5 else math.exp(_log_complement_beyond(low, mu))
    return raised(delta, complement, OUTWARD)


def gaussian_dp_deltas(mu: float, epsilons: FloatArray) -> FloatArray:
    """Return :func:`gaussian_dp_delta` of many epsilons, raised by :data:`OUTWARD` of itself."""
    a, h = _low(mu, epsilons) / math.sqrt(2), mu / math.sqrt(2)
    if h <= 0.5:
        t = a[:, None] + h / 2 * (1 + _NODES)
        slopes = 2 / math.sqrt(math.pi) - 2 * t * erfcx(t)
        difference = h / 2 * (slopes * _WEIGHTS).sum(axis=1)  # a product of BLAS wakes all threads
    else:
        with np.errstate(over="ignore"):
            difference = erfcx(a) - erfcx(a + h)
    with np.errstate(invalid="ignore"):
        below = np.exp(-a * a) * difference / 2
    above = ndtr(-a * math.sqrt(2)) - 0.5 * erfcx(a + h) * np.exp(-a * a)
    deltas = np.where((a <= 0) & (h > 0.5), above, below)
    return np.asarray(np.minimum(deltas * (1 + OUTWARD), 1.0))


def _low(mu: float, epsilon: Any) -> Any:
    """Return epsilon/mu - mu/2, rounded down: a smaller one has the larger delta."""
    quotient = epsilon / mu
    return quotient - mu / 2 - ULPS * (quotient + mu / 2)


def raised(delta: float, complement: float, part: float) -> float:
    """Return a delta raised by a part; from 1/2 on, its complement is what is lowered by that."""
    if delta < 0.5:
        return delta * (1 + part)
    complement *= 1 - part
    delta = 1.0 - complement
    return delta if 1.0 - delta <= complement else math.nextafter(delta, 1.0)


# below exp(-_FLOOR) delta is as good as zero, and infinities would stop a root finder
_FLOOR = 1e4
_RTOL = 4 * float(np.finfo(float).eps)  # the smallest that the root finder takes
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def _log_delta_beyond(low: float, mu: float) -> float:
    """Return log(Phi(-low) - e^epsilon Phi(-low - mu)) at epsilon = mu (low + mu/2) >= 0.

    That is log((erfcx(a) - erfcx(a + h))/2) - a^2 with a = low/sqrt 2 and h = mu/sqrt 2.
    """
    if low * low > 2 * _FLOOR and low > 0:
        return -math.inf
    a, h = low / math.sqrt(2), mu / math.sqrt(2)
    if h <= 0.5:
        # the difference would cancel: integrate -erfcx'(t) = 2/sqrt(pi) - 2 t erfcx(t) > 0
        t = a + h / 2 * (1 + _NODES)
        slope = 2 / math.sqrt(math.pi) - 2 * t * erfcx(t)
        # the factors apart, since their product may be too small for a double
        return math.log(h) + math.log(float(_WEIGHTS @ slope) / 4) - a * a
    if low <= 0:
        # e^epsilon Phi(-low - mu) with the exponents added before they overflow or vanish
        return math.log(float(ndtr(-low)) - 0.5 * float(erfcx(a + h)) * math.exp(-a * a))
    return math.log(float(erfcx(a) - erfcx(a + h)) / 2) - a * a


def _log_complement_beyond(low: float, mu: float) -> float:
    """Return log(1 - delta) where :func:`_log_delta_beyond` is log delta; for delta >= 1/2."""
    # low < 0 here, where neither term overflows
    high = (low + mu) / math.sqrt(2)
    tail = float(log_ndtr(low))
    rest = math.log(0.5 * float(erfcx(high))) - low * low / 2 if high < 1e100 else -math.inf
    return float(np.logaddexp(tail, rest))


def _excess(low: float, mu: float, delta: float, margin: float) -> float:
    """Return log(delta(low, mu)/delta), or the same of 1 - delta, negated, where that says more.

    Raised by ``margin``.
    """
    log_delta = _log_delta_beyond(low, mu)
    if delta <= 0.5 or log_delta < math.log(0.5):
        return max(log_delta, -_FLOOR) - math.log(delta) + margin
    return math.log1p(-delta) - max(_log_complement_beyond(low, mu), -_FLOOR) + margin


def gaussian_dp_epsilon(mu: float, delta: float) -> float:
    """Return an epsilon >= 0 at which mu-Gaussian DP has at most the given delta.

    The smallest one, but for a relative 1e-9 of delta (it is smaller where epsilon is 0).
    """
    if math.isinf(mu):
        return math.inf
    if mu == 0 or _excess(-mu / 2, mu, delta, OUTWARD) <= 0:
        return 0.0
    # epsilon = mu (low + mu/2), and delta < Phi(-low); a little more is for rounding
    upper = 1e-3 - float(ndtri_exp(math.log(delta)))
    given = (mu, delta, OUTWARD)
    low = float(scipy.optimize.brentq(_excess, -mu / 2, upper, given, xtol=1e-15, rtol=_RTOL))
    # the root is right to rounding, and so is what follows
    return max(0.0, mu * (low + mu / 2 + 2 * ULPS * (abs(low) + mu / 2)))


@lru_cache(maxsize=64, typed=True)
def gaussian_dp_mu(epsilon: float, delta: float) -> float:
    """Return the largest mu such that mu-Gaussian DP is (epsilon, delta)-DP.

    It solves Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) = delta.

    From below: the curve and its inverse, both rounded outwards, stay within the claim, as they do
    for a few more roundings of mu. The delta there is the given one to a relative 1e-9, and mu the
    largest to 1e-14, for epsilon up to 1e6. Cached, since every run of an algorithm asks for its
    own.
    """

    def excess(mu: float) -> float:
        return _excess(_low(mu, epsilon), mu, delta, 4 * OUTWARD)

    # sufficient: delta(mu) <= mu/sqrt(2 pi), and by zCDP
    lower = max(
        math.sqrt(2 * math.pi) * delta * (1 - 1e-9), math.sqrt(2 * zcdp_rho(epsilon, delta))
    )
    upper = 2 * lower
    while excess(upper) < 0:
        lower, upper = upper, 2 * upper
    accuracy = max(_RTOL * lower, math.ulp(0.0))
    root = float(scipy.optimize.brentq(excess, lower, upper, xtol=accuracy, rtol=_RTOL))
    return root * (1 - 8 * ULPS)


def laplace_delta(size: float, epsilon: float) -> float:
    """Exact delta of the Laplace mechanism of l1 sensitivity/scale ``size``, any dimension.

    1 - exp((epsilon - size)/2) for 0 <= epsilon <= size: the scalar mechanism on the event that
    the output lies beyond the midpoint of the two values plus epsilon scale/2. A vector of the
    same l1 sensitivity is never easier to tell apart (checked in ``proofs_checks``). Rounded up.
    """
    exponent = min(0.0, (epsilon - size) / 2)
    return raised(-math.expm1(exponent), math.exp(exponent), 16 * ULPS)


def laplace_epsilon(size: float, delta: float) -> float:
    """Exact inverse of :func:`laplace_delta`, rounded up."""
    return reduced(size, -2 * math.log1p(-delta))


def laplace_rho(size: float) -> float:
    """Return the smallest rho of Laplace noise of l1 sensitivity/scale ``size``, rounded up.

    It is size + e^-size - 1, the divergence of order 1, in any dimension: 0.7 of size^2/2 at size
    1.2, half of it at 2.6.

    *Proof.* Let t = alpha - 1 > 0, x = e^size, r = size + 1/x - 1, and M(t) = E e^(tL) over the
    loss L under the first law, so that D_alpha = ln(M)/t. One scalar has (1 + 2t) M =
    (1 + t) x^t + t x^(-1-t). Of t(1 + t) r - ln M, which is 0 at size 0, the slope in size is h(x)
    times a positive factor, h(x) = t x^(2+2t) + (1 + t) x - (1 + t) x^(1+2t) - t. Here h(1) = 0 and
    h' = (1 + t) k with k(1) = 0 and k' = 2t(1 + 2t) x^(2t-1) (x - 1) >= 0. So
    D_alpha <= alpha r, and D_alpha tends to r as alpha does to 1. Divergences of independent
    coordinates add up, and r(a) + r(b) = r(a + b) - (1 - e^-a)(1 - e^-b), so that no vector of the
    same l1 sensitivity costs more (checked in ``proofs_checks``).
    """
    if size >= 1:
        return (size + math.expm1(-size)) * (1 + 4 * ULPS)
    # without the difference: size^2 (1/2 - size/3! + size^2/4! - ..)
    series = 0.0
    for power in range(20, 1, -1):
        series = 1 / math.factorial(power) - size * series
    return max(size * size * series * (1 + 4 * ULPS), math.ulp(0.0))


def reduced(epsilon: float, by: float) -> float:
    """Return epsilon - by, rounded up: epsilon itself if ``by`` is 0, never below 0 or above it."""
    return max(0.0, min(epsilon, epsilon - by + ULPS * (epsilon + by)))


def smallest_epsilon(delta_of: Callable[[float], float], delta: float) -> float:
    """Smallest epsilon >= 0 with ``delta_of(epsilon) <= delta`` for a nonincreasing curve.

    Bisection, since a curve may jump or be flat; the value returned meets the condition.
    """
    if delta_of(0.0) <= delta:
        return 0.0
    lower, upper = 0.0, 1.0
    while delta_of(upper) > delta:
        lower, upper = upper, 2 * upper
        if upper > 1e9:
            return math.inf
    while upper - lower > 1e-13 * max(1.0, upper):
        middle = (lower + upper) / 2
        if delta_of(middle) <= delta:
            upper = middle
        else:
            lower = middle
    return upper
