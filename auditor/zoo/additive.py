"""Numbers released with noise."""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike

from auditor.zoo import noise
from auditor.zoo.exact import (
    Masses,
    epsilon_of_masses,
    laplace_excess,
    laplace_mass,
    opposite_losses_epsilon,
    truth_of,
)
from auditor.zoo.specimen import Specimen
from reference._validation import FloatArray, IntArray
from reference.privacy.guarantees import (
    gaussian_dp_epsilon,
    gaussian_dp_mu,
    laplace_epsilon,
    smallest_epsilon,
)

# ----------------------------------------------------------------------------- Laplace


def laplace_count(count: float, rng: np.random.Generator, size: int, *, scale: float) -> FloatArray:
    """Release a count with Laplace noise.

    For counts one apart, in units of the scale, the loss |x - a| - |x| is at most a = 1/scale, and
    is a on a half-line: the smallest epsilon at delta 0 is a. At delta > 0 the worst event is a
    half-line with P = 1 - e^((epsilon - a)/2)/2 and e^epsilon Q = e^((epsilon - a)/2)/2, so
    delta(epsilon) = 1 - e^((epsilon - a)/2), whose inverse is a + 2 log(1 - delta).
    """
    return noise.laplace(count, scale, rng, size)


def clipped_mean(
    records: ArrayLike, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the mean of n records, clipped to [0, 1], with Laplace noise of scale 1/(n epsilon).

    Replacing a record moves the mean by at most 1/n, epsilon times the scale, and by that much if
    it goes from 0 or less to 1 or more: the law is that of :func:`laplace_count`, at a = epsilon.
    """
    values = np.clip(np.asarray(records, dtype=np.float64), 0.0, 1.0)
    return noise.laplace(values.mean(), 1 / (values.size * epsilon), rng, size)


def suppressed_count(
    count: float, rng: np.random.Generator, size: int, *, epsilon: float, least: float
) -> FloatArray:
    """Release a count with Laplace noise of scale 1/epsilon; NaN where it is below ``least``.

    See :func:`suppressed_count_truth`.
    """
    released = noise.laplace(count, 1 / epsilon, rng, size)
    released[released < least] = math.nan
    return released


def suppressed_count_truth(
    counts: tuple[float, float], epsilon: float, least: float, delta: float
) -> float:
    """Return the truth of :func:`suppressed_count`.

    The outcome NaN has the Laplace probabilities of (-inf, least) and hence one loss; beyond
    ``least`` the loss is that of the densities. So delta(e) is (P(NaN) - e^e Q(NaN))_+ plus the
    integral of (p - e^e q)_+ over (least, inf). At delta 0, in one of the two orders the largest
    loss is epsilon, attained by large outputs.
    """
    laws = [(count, 1 / epsilon) for count in counts]

    def profile(e: float) -> float:
        return max(
            max(
                0.0,
                laplace_mass(p, -math.inf, least)
                - math.exp(min(e, 700.0)) * laplace_mass(q, -math.inf, least),
            )
            + laplace_excess(p, q, e, low=least)
            for p, q in (laws, laws[::-1])
        )

    return smallest_epsilon(profile, delta) if delta > 0 else epsilon


# ---------------------------------------------------------------------------- integers


def geometric_count(count: int, rng: np.random.Generator, size: int, *, epsilon: float) -> IntArray:
    """Release a count with two-sided geometric noise: P(k) proportional to e^(-epsilon |k|).

    Against the next count, all outputs at or below ``count`` have the loss epsilon and all others
    -epsilon. The former have the probability 1/(1 + e^-epsilon) here and 1/(1 + e^epsilon) there:
    to an adversary the release is worth as much as randomized response.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms" (2009).
    """
    noisy = noise.two_sided_geometric(epsilon, rng, (size,))
    noisy += count
    return noisy


def clamped_geometric_count(
    count: int, rng: np.random.Generator, size: int, *, epsilon: float, top: int
) -> IntArray:
    """Release :func:`geometric_count`, clamped to 0..top, so that the ends are atoms.

    The truth is by enumeration: see :func:`clamped_geometric_masses`.
    """
    return np.clip(geometric_count(count, rng, size, epsilon=epsilon), 0, top)


def clamped_geometric_masses(count: int, epsilon: float, top: int) -> FloatArray:
    """Return the probabilities of the outputs 0..top of :func:`clamped_geometric_count`.

    With a = e^-epsilon, an output k inside has the probability (1 - a)/(1 + a) a^|k - count|, and
    the ends have the tails: the sum of a^j (1 - a)/(1 + a) over j >= d is a^d/(1 + a).
    """
    a = math.exp(-epsilon)
    distance = np.abs(np.arange(top + 1) - count)
    masses = (1 - a) / (1 + a) * a**distance
    masses[[0, -1]] = a ** distance[[0, -1]] / (1 + a)
    return masses


def discrete_gaussian_count(
    count: int, rng: np.random.Generator, size: int, *, sigma: float
) -> IntArray:
    """Release a count with discrete Gaussian noise: P(k) proportional to exp(-k^2/(2 sigma^2))."""
    noisy = noise.discrete_gaussian(sigma, rng, size)
    noisy += count
    return noisy


def discrete_gaussian_truth(sigma: float, delta: float) -> float:
    """Return the truth of :func:`discrete_gaussian_count`, by summation.

    Against the next count the output k has the loss (1 - 2k)/(2 sigma^2), which is not bounded:
    there is no epsilon at delta 0. Outputs 40 sigma away, of probability e^-800, are left out.
    """
    return math.inf if delta == 0 else epsilon_of_masses(_discrete_gaussian_masses(sigma), delta)


@lru_cache(maxsize=8)
def _discrete_gaussian_masses(sigma: float) -> Masses:
    reach = math.ceil(40 * sigma)
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
    weights /= weights.sum()
    return np.append(weights, 0.0)[:-1], np.append(0.0, weights)[:-1]


# ----------------------------------------------------------------- Gaussian, staircase


def gaussian_count(
    count: float, rng: np.random.Generator, size: int, *, sigma: float
) -> FloatArray:
    """Release a count with Gaussian noise.

    For counts one apart and mu = 1/sigma, the loss is N(mu^2/2, mu^2) under D and half-lines are
    the worst events: delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)
    (Balle and Wang, 2018, Theorem 8). Sigma is the smallest that makes it delta at epsilon. There
    is no epsilon at delta 0.
    """
    return noise.gaussian(count, sigma, rng, size)


def gaussian_truth(mu: float, delta: float) -> float:
    """Return the inverse of delta(epsilon) in :func:`gaussian_count`, mu = distance/sigma."""
    return math.inf if delta == 0 else gaussian_dp_epsilon(mu, delta)


def staircase_count(
    count: float, rng: np.random.Generator, size: int, *, epsilon: float, gamma: float
) -> FloatArray:
    """Release a count with staircase noise.

    The density of the noise is a(gamma) e^(-epsilon j) at distances in [j, j + gamma), and
    a(gamma) e^(-epsilon (j + 1)) in [j + gamma, j + 1), for j = 0, 1, ... The sampler draws the
    sign, the step j, the half of the step and the place in it.

    References
    ----------
    Geng and Viswanath, "The optimal noise-adding mechanism in differential privacy" (2016),
    Algorithm 1.
    """
    upper = rng.random(size) >= gamma / (gamma + (1 - gamma) * math.exp(-epsilon))
    distance = rng.random(size)
    distance *= np.where(upper, 1 - gamma, gamma)
    distance += gamma * upper
    distance += rng.geometric(-math.expm1(-epsilon), size=size) - 1
    distance *= rng.choice([-1.0, 1.0], size=size)
    distance += count
    return noise.on_grid(distance)


def staircase_truth(epsilon: float, gamma: float, delta: float) -> float:
    """Return the truth of :func:`staircase_count` for counts one apart, by enumeration.

    Centre the noise at 0 under D and at 1 under D'. Left of 0 a point is one step further from 1
    than from 0, so the loss is epsilon, on a set of probability 1/2 under D; right of 1 it is
    -epsilon, on a set of probability e^-epsilon/2 under D. Between, both densities are constant on
    the pieces that gamma and 1 - gamma cut.
    """
    height = -math.expm1(-epsilon) / (2 * (gamma + (1 - gamma) * math.exp(-epsilon)))
    edges = np.unique([0.0, gamma, 1 - gamma, 1.0])
    middle = (edges[:-1] + edges[1:]) / 2
    near = np.diff(edges) * height
    first = near * np.where(middle < gamma, 1.0, math.exp(-epsilon))
    second = near * np.where(1 - middle < gamma, 1.0, math.exp(-epsilon))
    far = 0.5 * math.exp(-epsilon)
    masses = np.concatenate([[0.5], first, [far]]), np.concatenate([[far], second, [0.5]])
    return epsilon_of_masses(masses, delta)


# --------------------------------------------------------------------------- specimens

_GAUSSIAN_MU = gaussian_dp_mu(1.0, 1e-5)

SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        "laplace",
        partial(laplace_count, scale=1.0),
        (41.0, 42.0),
        partial(laplace_epsilon, 1.0),
        "Dwork, McSherry, Nissim and Smith (2006)",
    ),
    Specimen(
        "laplace-clipped-mean",
        partial(clipped_mean, epsilon=0.5),
        (np.r_[-5.0, np.full(9, 0.25)], np.r_[7.0, np.full(9, 0.25)]),
        partial(laplace_epsilon, 0.5),
        "Dwork, McSherry, Nissim and Smith (2006)",
        epsilon=0.5,
    ),
    Specimen(
        "suppressed-count",
        partial(suppressed_count, epsilon=1.0, least=20.4),
        (20.0, 21.0),
        partial(suppressed_count_truth, (20.0, 21.0), 1.0, 20.4),
        "post-processing of Laplace; NaN is an ordinary outcome",
    ),
    Specimen(
        "geometric",
        partial(geometric_count, epsilon=1.0),
        (7, 8),
        partial(opposite_losses_epsilon, 1.0),
        "Ghosh, Roughgarden and Sundararajan (2009)",
    ),
    Specimen(
        "clamped-geometric",
        partial(clamped_geometric_count, epsilon=2.0, top=5),
        (0, 1),
        truth_of(*(clamped_geometric_masses(count, 2.0, 5) for count in (0, 1))),
        "Ghosh, Roughgarden and Sundararajan (2009)",
        epsilon=2.0,
    ),
    Specimen(
        "discrete-gaussian",
        partial(discrete_gaussian_count, sigma=2.0),
        (7, 8),
        partial(discrete_gaussian_truth, 2.0),
        "Canonne, Kamath and Steinke (2020)",
        epsilon=discrete_gaussian_truth(2.0, 1e-3),
        delta=1e-3,
    ),
    Specimen(
        "analytic-gaussian",
        partial(gaussian_count, sigma=1 / _GAUSSIAN_MU),
        (41.0, 42.0),
        partial(gaussian_truth, _GAUSSIAN_MU),
        "Balle and Wang (2018)",
        delta=1e-5,
    ),
    Specimen(
        "staircase",
        partial(staircase_count, epsilon=2.0, gamma=0.3),
        (41.0, 42.0),
        partial(staircase_truth, 2.0, 0.3),
        "Geng and Viswanath (2016)",
        epsilon=2.0,
    ),
)
