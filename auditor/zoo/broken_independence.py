"""Broken mechanisms whose numbers have the right noise one by one, but not together."""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import k0e

from auditor.zoo import noise
from auditor.zoo.broken_disclosure import told_apart
from auditor.zoo.exact import truth_of
from auditor.zoo.specimen import Broken, Specimen
from reference._validation import FloatArray, IntArray
from reference.privacy.guarantees import smallest_epsilon


def one_key_for_two_releases(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> IntArray:
    """Release how many records have each bit, and how many do not, with noise of the same key.

    Either release has two-sided geometric noise at epsilon/2. But the difference of the two is
    that of the counts, exactly. The data are a binary table with three columns. Relation: replace
    one record.

    Returns
    -------
    ndarray of shape (size, 2, 3)
    """
    ones = data.sum(axis=0)
    drawn = noise.two_sided_geometric(epsilon / (2 * data.shape[1]), rng, (size, 1, data.shape[1]))
    return np.asarray(np.stack([ones, len(data) - ones]) + drawn)


def noise_reused_for_missing_values(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float, share: float
) -> FloatArray:
    """Release the sums of three columns in [0, 1] with Laplace noise of scale 3/epsilon.

    A missing value counts as 0. Where there is one, the draw for the last column fails in a share
    s of the runs, and the noise of the first is taken for it. Here both columns have the same sum
    with and without the missing value, so the last output equals the first with probability s on D
    and never on D'; otherwise the laws are the same. No epsilon is enough below delta = s, and 0
    is enough from there on. Relation: replace one record.

    Returns
    -------
    ndarray of shape (size, 3)
        Not on a grid, on which two numbers could be equal by chance.
    """
    drawn = noise.standard_laplace(rng, (size, data.shape[1])) * (data.shape[1] / epsilon)
    if np.isnan(data).any():
        failed = rng.random(size) < share
        drawn[failed, -1] = drawn[failed, 0]
    return np.asarray(np.nansum(np.clip(data, 0.0, 1.0), axis=0) + drawn)


def noise_correlated_by_a_record(
    data: int, rng: np.random.Generator, size: int, *, columns: int, rho: float
) -> FloatArray:
    """Answer questions with 0 and standard Gaussian noise, correlated for two of them.

    The noise of the third and of the third last answer has correlation rho if the user's bit is 1,
    else -rho; every single answer has the same law. The log-ratio is 2 rho x y/(1 - rho^2) in
    those two, without bound. Local model: one user.

    Returns
    -------
    ndarray of shape (size, columns)
    """
    drawn = rng.standard_normal((size, columns))
    signed = rho if data else -rho
    drawn[:, -3] = signed * drawn[:, 2] + math.sqrt(1 - rho**2) * drawn[:, -3]
    return noise.on_grid(drawn)


@lru_cache(maxsize=64)
def noise_correlated_by_a_record_truth(rho: float, delta: float) -> float:
    """Return the smallest epsilon of :func:`noise_correlated_by_a_record`.

    The product z of the two has density exp(rho z/(1 - rho^2)) K_0(|z|/(1 - rho^2)) over
    pi sqrt(1 - rho^2); the sides are alike but for the sign of z.
    """
    if delta == 0:
        return math.inf
    rest = 1 - rho**2
    per = 2 * rho / rest

    def excess(level: float) -> float:
        def part(z: float) -> float:
            density = math.exp(-z / (1 + rho)) * k0e(z / rest) / (math.pi * math.sqrt(rest))
            return float(density * -math.expm1(level - per * z))

        return float(quad(part, level / per, math.inf, epsabs=1e-13, epsrel=1e-11, limit=200)[0])

    return smallest_epsilon(excess, delta)


# -------------------------------------------------------------------------- the specimens

_BITS = (
    np.array([[0, 1, 1], [1, 1, 1], [1, 0, 0], [0, 1, 0]]),
    np.array([[0, 1, 1], [1, 1, 1], [1, 0, 0], [0, 1, 1]]),
)
_COMPLETE = np.array([[0.0, 0.0, 0.0], [0.5, 1.0, 0.5], [1.0, 0.0, 1.0]])
_MISSING = np.vstack([[0.0, math.nan, 0.0], _COMPLETE[1:]])

SPECIMENS: tuple[Specimen, ...] = (
    Broken(
        "one-key-for-two-releases",
        partial(one_key_for_two_releases, epsilon=1.0),
        _BITS,
        told_apart,
        "a generator with explicit keys that is handed the same one twice",
    ),
    Broken(
        "noise-reused-for-missing-values",
        partial(noise_reused_for_missing_values, epsilon=1.0, share=0.02),
        (_MISSING, _COMPLETE),
        truth_of(np.array([0.02, 0.98]), np.array([0.0, 1.0])),
        "a failed draw that falls back on an earlier one",
    ),
    Broken(
        "noise-correlated-by-a-record",
        partial(noise_correlated_by_a_record, columns=20, rho=0.8),
        (1, 0),
        partial(noise_correlated_by_a_record_truth, 0.8),
        "noise shaped like the covariance of the data",
        delta=0.01,
    ),
)
