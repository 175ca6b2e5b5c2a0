"""The smallest noise for a claim: the accounting, solved for the noise. Logarithms are natural.

The papers' own formulas, where they are not private for every claim, are in
:mod:`reference.errata.privacy.calibration`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Literal

import scipy

from reference._validation import (
    ParameterValueError,
    require_count,
    require_delta,
    require_epsilon,
    require_positive,
)
from reference.privacy.accounting import (
    NOISE_SHARES,
    Charge,
    Composition,
    Sampling,
    renyi_accountant,
)
from reference.privacy.guarantees import (
    ULPS,
    gaussian_dp_mu,
    largest_pure_epsilon,
    largest_zcdp_rho,
    zcdp_rho,
)
from reference.privacy.mechanisms import (
    SMALLEST_WISHART_DELTA,
    Gaussian,
    Laplace,
    Mechanism,
    wishart_delta,
)

Method = Literal["gaussian-dp", "zcdp", "pld"]
StepMethod = Literal["accountant", "zcdp"]
MOST_SAMPLED_RELEASES = 10**7
"""Largest number of sampled releases of one account, which lists them."""
MOST_WISHART_DEGREES = 10**12
"""Largest number of Wishart degrees beyond the dimension."""


def smallest_gaussian_scale(
    epsilon: float,
    delta: float,
    *,
    sensitivity: float,
    releases: int = 1,
    method: Method = "gaussian-dp",
) -> float:
    """Return the smallest sigma at which adaptive Gaussian releases are (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        From 1e-12 to 1e6, as everywhere here.
    delta : float
        In (0, 1).
    sensitivity : float
        l2 sensitivity of every release, > 0.
    releases : int
        Number T of adaptive releases, >= 1.
    method : {"gaussian-dp", "zcdp", "pld"}
        ``"gaussian-dp"`` is exact (Balle and Wang 2018; T releases are one of sensitivity
        sqrt(T) times larger). ``"zcdp"`` is the papers' rule: sigma^2 = T sensitivity^2/(2 rho)
        with rho of :func:`~reference.privacy.guarantees.zcdp_rho`. ``"pld"`` is the discretised
        privacy loss distribution, slightly above the exact value, or that where it would be a tenth
        above.

    Returns
    -------
    float
    """
    require_epsilon(epsilon)
    require_delta(delta)
    require_positive("sensitivity", sensitivity)
    require_count("releases", releases)
    total = sensitivity * math.sqrt(releases)
    if method == "gaussian-dp":
        return total / gaussian_dp_mu(epsilon, delta)
    if method == "zcdp":
        return total / math.sqrt(2 * zcdp_rho(epsilon, delta))
    if method == "pld":
        exact = total / gaussian_dp_mu(epsilon, delta)
        found = _smallest(
            lambda scale: _repeated_delta(Gaussian(scale), sensitivity, releases, epsilon),
            delta,
            exact,
            largest=1.1 * exact,
        )
        return found if found < math.inf else exact
    raise ParameterValueError("method", "be 'gaussian-dp', 'zcdp' or 'pld'", method)


@lru_cache(maxsize=64)
def smallest_sampled_gaussian_scale(
    epsilon: float,
    delta: float,
    *,
    population: int,
    size: int,
    sensitivity: float,
    background_sensitivity: float = 0.0,
    releases: int = 1,
    method: Literal["pld", "renyi"] = "pld",
) -> float:
    """Return sigma for Gaussian releases that each read a fresh subsample without replacement.

    The smallest sigma, to a relative 1e-3, that the method certifies, or the exact one that
    ignores the sampling if that is smaller. Cached.

    Parameters
    ----------
    epsilon, delta : float
        > 0 and in (0, 1).
    population, size : int
        ``size`` of ``population`` records are drawn, 1 <= size < population.
    sensitivity, background_sensitivity : float
        As for :meth:`reference.privacy.ledger.Ledger.gaussian`.
    releases : int
        Number of adaptive releases, from 1 to :data:`MOST_SAMPLED_RELEASES`.
    method : {"pld", "renyi"}
        ``"pld"`` composes the losses of :mod:`reference.privacy.subsampling`: some 0.1 to 2
        seconds on one core. ``"renyi"`` is the bound of Wang, Balle and Kasiviswanathan (2019) in
        dp-accounting: up to 1.8 times the noise.

    Returns
    -------
    float
    """
    without = smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, releases=releases)
    require_count("population", population, at_least=2)
    require_count("size", size, at_most=population - 1)
    require_count("releases", releases, at_most=MOST_SAMPLED_RELEASES)

    def charges(log_scale: float) -> tuple[Charge, ...]:
        mechanism = Gaussian(math.exp(log_scale))
        sampling = Sampling(population, size, False, mechanism, sensitivity, background_sensitivity)
        return (Charge(mechanism.cost(sensitivity), sampling),) * releases

    def delta_excess(log_scale: float) -> float:
        spent = _pld_delta(Composition(charges(log_scale)), epsilon)
        return math.log(max(spent, sys.float_info.min) / delta)

    def epsilon_excess(log_scale: float, share: float) -> float:
        spent = float(renyi_accountant(charges(log_scale), share).get_epsilon(delta))
        # orders that overflow give infinity, which a root finder cannot use
        return math.log(min(max(spent, 1e-9), 1e9) / epsilon)

    if method == "pld":
        return math.exp(_smallest_logarithm(delta_excess, math.log(without)))
    if method != "renyi":
        raise ParameterValueError("method", "be 'pld' or 'renyi'", method)
    best = math.log(without)
    for share in NOISE_SHARES:
        best = _smallest_logarithm(partial(epsilon_excess, share=share), best)
    return math.exp(best)


def _smallest_logarithm(excess: Callable[[float], float], known: float) -> float:
    """Return the root of a decreasing curve from above, to 1e-3, or ``known`` if that is less."""
    tolerance = 1e-3
    if excess(known - tolerance) > 0:  # no better than what is known
        return known
    low = known - tolerance
    while excess(low) <= 0:
        low -= 1.0
    root = float(scipy.optimize.brentq(excess, low, min(known, low + 1.0), xtol=tolerance / 2))
    return min(known, root + tolerance / 2)


def smallest_laplace_scale(
    epsilon: float, delta: float, *, sensitivity: float, releases: int = 1
) -> float:
    """Return the smallest Laplace scale for (epsilon, delta)-DP over adaptive releases.

    Parameters
    ----------
    epsilon : float
        > 0.
    delta : float
        In [0, 1). 0 gives the pure rule releases * sensitivity / epsilon (Lemma 2.1.4).
    sensitivity : float
        l1 sensitivity of every release, > 0.
    releases : int
        Number T of adaptive releases, >= 1. One is inverted exactly, more by the privacy loss
        distribution to a relative 1e-6.

    Returns
    -------
    float
    """
    require_epsilon(epsilon)
    require_positive("sensitivity", sensitivity)
    require_count("releases", releases)
    pure = releases * sensitivity / epsilon
    if delta == 0:
        return pure
    require_delta(delta)
    if releases == 1:
        # a little more, so that the curve, which is rounded up, is within the claim
        return sensitivity / (epsilon - 2 * math.log1p(-delta)) * (1 + 64 * ULPS)
    return min(
        pure,
        _smallest(
            lambda scale: _repeated_delta(Laplace(scale), sensitivity, releases, epsilon),
            delta,
            pure / math.sqrt(releases),
            largest=pure,
        ),
    )


@lru_cache(maxsize=64)
def smallest_wishart_degrees(
    epsilon: float, delta: float, *, sensitivity: float, scale: float, dimension: int
) -> int:
    """Return the smallest whole number of degrees at which Wishart noise is (epsilon, delta)-DP.

    Whole, so that the noise is a sum of that many v v' with Gaussian v: then one degree more is one
    more independent term, which does not cost anything, and bisection finds the smallest.

    Parameters
    ----------
    epsilon : float
        > 0.
    delta : float
        In [1e-12, 1): what is smaller the curve does not resolve.
    sensitivity : float
        The matrix changes by sensitivity (v v' - w w') with |v|, |w| <= 1; > 0.
    scale : float
        C = scale I, > 0.
    dimension : int
        d >= 1.

    Returns
    -------
    int
        At least d + 1 and at most d + 10^12; ValueError where that is too few.
    """
    require_epsilon(epsilon)
    if require_delta(delta) < SMALLEST_WISHART_DELTA:
        raise ParameterValueError(
            "delta",
            f"be >= {SMALLEST_WISHART_DELTA:g} for Wishart noise, as doubles resolve its "
            "curve no further",
            delta,
        )
    size = require_positive("sensitivity", sensitivity) / require_positive("scale", scale)
    require_count("dimension", dimension)

    def enough(excess: int) -> bool:
        degrees = dimension + excess
        return wishart_delta(degrees, size, dimension=dimension, epsilon=epsilon) <= delta

    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_WISHART_DEGREES:
            raise ParameterValueError(
                "epsilon and delta",
                f"need at most d + {MOST_WISHART_DEGREES:.0e} degrees of noise at this scale",
                got=f"{epsilon!r} and {delta!r}",
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return dimension + high


def exponential_step_epsilon(
    epsilon: float, delta: float, *, releases: int, method: StepMethod = "accountant"
) -> float:
    """Per-step epsilon of adaptive exponential mechanisms; a step is epsilon_0^2/8-zCDP.

    Parameters
    ----------
    epsilon, delta : float
        > 0 and in (0, 1).
    releases : int
        Number T of adaptive steps, >= 1.
    method : {"accountant", "zcdp"}
        ``"accountant"`` is the larger of what zCDP with its best conversion and pure DP allow:
        sqrt(8 rho/T) for the largest rho that is (epsilon, delta)-DP, and the largest pure epsilon
        over T. ``"zcdp"`` is the papers' rule, card diss-4.1.19: sqrt(8 rho/T) with rho of
        :func:`~reference.privacy.guarantees.zcdp_rho`, the inverse of Lemma 2.1.10. Of epsilon
        0.5, 1 and 4 at delta 1e-5 it spends 78%, 81% and 88% in 20 steps or more, and 41%, 40% and
        39% in one.

    Returns
    -------
    float
    """
    require_epsilon(epsilon)
    require_delta(delta)
    require_count("releases", releases)
    if method == "zcdp":
        return math.sqrt(8 * zcdp_rho(epsilon, delta) / releases)
    if method == "accountant":
        by_zcdp = math.sqrt(8 * largest_zcdp_rho(epsilon, delta) / releases)
        return max(by_zcdp, largest_pure_epsilon(epsilon, delta) / releases)
    raise ParameterValueError("method", "be 'accountant' or 'zcdp'", method)


# ------------------------------------------------------------------------------- helpers


def _repeated_delta(
    mechanism: Mechanism, sensitivity: float, releases: int, epsilon: float
) -> float:
    return _pld_delta(Composition([Charge(mechanism.cost(sensitivity))] * releases), epsilon)


def _pld_delta(composition: Composition, epsilon: float) -> float:
    known = composition.loss_distribution()
    return 1.0 if known is None else known[0].delta_at(epsilon)


def _smallest(
    delta_of_scale: Callable[[float], float], delta: float, start: float, *, largest: float
) -> float:
    """Smallest scale at which a decreasing curve is at most ``delta``, from above, by bisection.

    Infinity if it is above ``largest``.
    """
    if delta_of_scale(largest) > delta:
        return math.inf
    low = high = min(start, largest)
    while delta_of_scale(high) > delta:
        low, high = high, min(1.5 * high, largest)
    while delta_of_scale(low) <= delta:
        low, high = low / 1.5, low
    while high > low * (1 + 1e-6):
        middle = math.sqrt(low * high)
        if delta_of_scale(middle) <= delta:
            high = middle
        else:
            low = middle
    return high
