"""The cost of Gaussian releases of a secret subsample, under replace-one.

A batch of m of n records is drawn without replacement, q = m/n; for a record of the batch replaced
by another, the release is mu-Gaussian DP. With P_0 the law of the output where the differing
record is not in the batch, and P_1 and P_2 its laws where it is, two neighbours give
(1-q) P_0 + q P_1 and (1-q) P_0 + q P_2. Let H_g be the hockey-stick divergence, g >= 1,
h = 1 + (g-1)/q and b = g/h. By advanced joint convexity (Balle, Barthe and Gaboardi, 2018)

    H_g((1-q) P_0 + q P_1 || (1-q) P_0 + q P_2) = q H_h(P_1 || (1-b) P_0 + b P_2)
                                              <= q ((1-b) H_h(P_1 || P_0) + b H_h(P_1 || P_2)).

A batch with the record becomes one without it when another record takes its place, so P_1 and P_0
are mixtures of pairs that differ in one record, as P_1 and P_2 are: with delta_mu the curve of the
release, both divergences are at most delta_mu(ln h). Hence the curve of the sampled release is

    delta(epsilon) = q delta_mu(ln(1 + (e^epsilon - 1)/q))             for epsilon >= 0,
    delta(epsilon) = 1 - e^epsilon + e^epsilon delta(-epsilon)         for epsilon < 0,

the second line since the roles of the neighbours may be exchanged. P_2 = P_0 attains the first.

A function of g = e^epsilon that is convex, falls from 1 at g = 0 and is at least 1 - g is the curve
of some pair of distributions, and the pairs of adaptive releases compose to a pair that bounds the
composition (Zhu, Dong and Wang, 2022). This one is convex: the halves are, and at g = 1 the slope
is -Phi(-mu/2) on the right and smaller by (1-q)(1 - 2 Phi(-mu/2)) on the left. The pair is the same
both ways round, so that one composition covers both directions of the adjacency.

The pair of the mixtures themselves, (1-q) P_0 + q P_1 against P_0, must not be composed in its
stead: it bounds one direction, and not all neighbours even there (Lebeda, Regehr, Kamath and
Steinke, 2024).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from scipy.special import ndtri

from reference._validation import FloatArray
from reference.privacy.guarantees import (
    ULPS,
    gaussian_dp_delta,
    gaussian_dp_deltas,
    gaussian_dp_epsilon,
)


def sampled_gaussian_delta(mu: float, probability: float, epsilon: float) -> float:
    """Return delta of one sampled release at ``epsilon`` >= 0, see the head of the module.

    Never below it, and above it by at most a relative 1e-9.
    """
    inner = float(_inner_epsilon(probability, epsilon)) * (1 - ULPS)
    return min(1.0, probability * gaussian_dp_delta(mu, inner) * (1 + ULPS))


def sampled_gaussian_epsilon(mu: float, probability: float, delta: float) -> float:
    """Return the inverse of :func:`sampled_gaussian_delta`, rounded up as that is."""
    if delta == 0:
        return math.inf
    if delta >= probability:
        return 0.0
    inner = gaussian_dp_epsilon(mu, delta / probability * (1 - ULPS))
    return float(_outer_epsilon(probability, inner)) * (1 + ULPS)


def sampled_gaussian_deltas(mu: float, probability: float, epsilons: FloatArray) -> FloatArray:
    """Return :func:`sampled_gaussian_delta` of many epsilons."""
    inner = epsilons if probability == 1 else _inner_epsilon(probability, epsilons)
    return np.asarray(probability * gaussian_dp_deltas(mu, np.maximum(inner, 0.0)))


def largest_loss(mu: float, probability: float, tail: float) -> float:
    """Return an epsilon at which the delta of one sampled release is at most ``tail``."""
    # delta_mu(epsilon) is at most the probability of a larger loss, whose law is N(mu^2/2, mu^2)
    return float(_outer_epsilon(probability, mu * mu / 2 - mu * float(ndtri(tail))))


def loss_deviation(mu: float, probability: float) -> float:
    """Return about the standard deviation of the loss of one sampled release."""
    # q times that of the ratio of the densities, which is larger for large mu
    return min(mu, probability * math.sqrt(math.expm1(min(mu * mu, 700.0))))


@lru_cache(maxsize=256)
def noise_share(mu: float, background: float, probability: float) -> float:
    """Return the share of the variance at which the two parts of a release cost least, about.

    A release N(f, s^2) whose value has a sampled part and one that every record moves is a
    post-processing of the two parts released with variances share s^2 and (1-share) s^2. Any share
    is valid.

    Parameters
    ----------
    mu, background : float
        Sensitivity of the sampled part and of the other one in units of s, >= 0.
    probability : float
        q.
    """
    if background == 0:
        return 1.0

    def variance(share: float) -> float:
        sampled = loss_deviation(mu / math.sqrt(share), probability)
        return sampled**2 + background**2 / (1 - share)

    found = scipy.optimize.minimize_scalar(
        variance, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-3}
    )
    return float(found.x)


def _inner_epsilon(probability: float, epsilon: Any) -> Any:
    """Return ln(1 + (e^epsilon - 1)/q), to a few units in the last place, without overflow."""
    small = np.log1p(np.expm1(np.minimum(epsilon, 1.0)) / probability)
    large = epsilon - math.log(probability) + np.log1p(-(1 - probability) * np.exp(-epsilon))
    return np.where(np.less(epsilon, 1.0), small, large)


def _outer_epsilon(probability: float, epsilon: Any) -> Any:
    """Return ln(1 + q (e^epsilon - 1)), to a few units in the last place, without overflow."""
    small = np.log1p(probability * np.expm1(np.minimum(epsilon, 700.0)))
    rest = (1 - probability) / probability * np.exp(-np.asarray(epsilon))
    large = epsilon + math.log(probability) + np.log1p(rest)
    return np.where(np.less(epsilon, 700.0), small, large)
