"""Broken mechanisms whose releases are right one by one, and paid for too cheaply together."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from auditor.zoo import noise
from auditor.zoo.exact import epsilon_of_masses
from auditor.zoo.noise import Bits
from auditor.zoo.specimen import Broken, Specimen
from auditor.zoo.vectors import geometric_log_ratio
from reference._validation import FloatArray, IntArray
from reference.privacy.guarantees import laplace_epsilon, smallest_epsilon

# ----------------------------------------------------------------------- two releases


def budget_spent_twice(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the sum of values in [0, 1] twice, each time with all of the budget.

    The scale is 1/epsilon and the sums of D and D' are one apart: :func:`two_laplace_truth` with
    a = epsilon. Relation: replace one record.

    Returns
    -------
    ndarray of shape (size, 2)
    """
    total = np.clip(data, 0.0, 1.0).sum()
    return noise.laplace([total, total], 1 / epsilon, rng, size)


def two_laplace_truth(size: float, delta: float) -> float:
    """Return the smallest epsilon of two Laplace releases whose centres move by ``size`` scales.

    The loss of one is a = size with probability 1/2, -a with probability e^-a/2, and a - 2x at x
    in (0, a), where its density is e^-x/2. One release has the excess d(e) = 1 - e^((e - a)/2) for
    |e| <= a, also of negative e, and none from a on. Given the first loss l, two have d(epsilon -
    l): with t = a - epsilon/2 the mean is

        (1 - e^-t)/2 + integral over (0, t) of (e^-x - e^-t)/2 = 1 - (1 + t/2) e^-t.

    The direction of either move does not matter, since the law is symmetric. The smallest epsilon
    at delta = 0 is 2a.
    """

    def excess(epsilon: float) -> float:
        t = max(0.0, size - epsilon / 2)
        return -math.expm1(-t) - t / 2 * math.exp(-t)

    return 2 * size if delta == 0 else smallest_epsilon(excess, delta)


# ------------------------------------------------------------------------ many releases


def composition_by_square_root(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> IntArray:
    """Release k counts with two-sided geometric noise at epsilon/sqrt(k) each: delta = 0 claimed.

    The square root is that of advanced composition, which needs a delta > 0. The data are a binary
    table whose columns are counted; one row may have a one in every column, so all counts may be
    one larger on D'. For one count, c on D, the loss is e = epsilon/sqrt(k) where the output is
    at most c, with probability 1/(1 + a), a = e^-e, and -e elsewhere: a randomized response. Of k
    of them the loss is (2J - k) e with J binomial. Relation: replace one record.

    Returns
    -------
    ndarray of shape (size, k)
    """
    counts = data.sum(axis=0)
    share = epsilon / math.sqrt(counts.size)
    return np.asarray(counts + noise.two_sided_geometric(share, rng, (size, counts.size)))


def randomized_responses_truth(epsilon: float, times: int, delta: float) -> float:
    """Return the smallest epsilon of ``times`` binary randomized responses of e^epsilon each."""
    keep, kept = 1 / (1 + math.exp(-epsilon)), np.arange(times + 1)
    masses = binom.pmf(kept, times, keep), binom.pmf(kept, times, 1 - keep)
    return epsilon_of_masses(masses, delta)


def unary_encoding_at_full_budget(
    data: int, rng: np.random.Generator, size: int, *, epsilon: float, categories: int
) -> Bits:
    """Release a bit vector with a one at a category, each bit kept with odds e^epsilon.

    Two bits differ between categories: the budget of each must be epsilon/2. Two randomized
    responses. Local model: one user with another category.

    Returns
    -------
    ndarray of shape (size, categories)
    """
    truth = (np.arange(categories) == data).astype(np.uint8)
    lies = (rng.random((size, categories)) < 1 / (1 + math.exp(epsilon))).astype(np.uint8)
    return np.asarray(truth ^ lies)


def unary_encoding_log_ratio(epsilon: float, first: int, second: int, outputs: Any) -> FloatArray:
    """Return the exact log-ratio of bit vectors between two categories."""
    bits = np.asarray(outputs, dtype=np.float64)
    return np.asarray(2 * epsilon * (bits[:, first] - bits[:, second]))


# -------------------------------------------------------------------------- sampling


def amplified_by_a_fixed_sample(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float, sample: int
) -> FloatArray:
    """Release the sum of values in [0, 1] of the first records, at epsilon.

    The designer claims log(1 + q (e^epsilon - 1)) with q = ``sample``/n, which holds for a sample
    drawn in secret for every run. The first records are always the same ones: those in it are
    protected by epsilon alone. Relation: replace one record, of the sample.
    """
    total = np.clip(data[:sample], 0.0, 1.0).sum()
    return noise.laplace(total, 1 / epsilon, rng, size)


# -------------------------------------------------------------------------- the specimens

_OFF = np.array([0.0, 0.5, 1.0, 0.25, 0.25, 1.0, 0.0, 0.0, 0.75, 0.5])
_ON = np.array([1.0, 0.5, 1.0, 0.25, 0.25, 1.0, 0.0, 0.0, 0.75, 0.5])
_ROWS = np.arange(80).reshape(4, 20) % 2
_NONE, _ALL = (np.vstack([np.full(20, bit), _ROWS]) for bit in (0, 1))

SPECIMENS: tuple[Specimen, ...] = (
    Broken(
        "budget-spent-twice",
        partial(budget_spent_twice, epsilon=1.0),
        (_OFF, _ON),
        partial(two_laplace_truth, 1.0),
        "a budget that is checked at every call and never drawn down",
    ),
    Broken(
        "composition-by-square-root",
        partial(composition_by_square_root, epsilon=1.0),
        (_NONE, _ALL),
        partial(randomized_responses_truth, 1 / math.sqrt(20), 20),
        "advanced composition (Dwork, Rothblum and Vadhan, 2010) without its delta",
        log_ratio=partial(
            geometric_log_ratio, _NONE.sum(axis=0), _ALL.sum(axis=0), 1 / math.sqrt(20)
        ),
    ),
    Broken(
        "unary-encoding-at-full-budget",
        partial(unary_encoding_at_full_budget, epsilon=1.0, categories=16),
        (3, 11),
        partial(randomized_responses_truth, 1.0, 2),
        "symmetric unary encoding (Wang, Blocki, Li and Jha, 2017) with e^epsilon for "
        "e^(epsilon/2)",
        log_ratio=partial(unary_encoding_log_ratio, 1.0, 3, 11),
    ),
    Broken(
        "amplified-by-a-fixed-sample",
        partial(amplified_by_a_fixed_sample, epsilon=1.0, sample=2),
        (_OFF, _ON),
        partial(laplace_epsilon, 1.0),
        "amplification by sampling (Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith, "
        "2008) without a secret sample",
        epsilon=math.log1p(0.2 * math.expm1(1.0)),
    ),
)
