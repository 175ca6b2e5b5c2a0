"""Exact confidence bounds and tests of proportions.

Every bound is valid at the sample size at hand (no normal approximation), because an audit that
flags a true claim is worth nothing. ``alpha`` is always the probability with which that one bound,
or that one test, may be wrong.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.optimize import brentq

from auditor.statistics.combination import fisher_product
from reference._validation import FloatArray


def clopper_pearson(
    successes: ArrayLike, trials: int, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return the exact lower and upper confidence bounds of a proportion.

    Parameters
    ----------
    successes : int or array_like of int
        In [0, trials].
    trials : int
        >= 1.
    alpha : float
        Error probability of *each* bound, in (0, 1).

    Returns
    -------
    lower, upper : ndarray
    """
    k = np.asarray(successes, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        lower = np.where(k > 0, special.betaincinv(np.maximum(k, 1), trials - k + 1, alpha), 0.0)
        upper = np.where(
            k < trials,
            special.betaincinv(k + 1, np.maximum(trials - k, 1), 1 - alpha),
            1.0,
        )
    return lower, upper


_LEVELS = np.geomspace(1.0, 1e-40, 1501)


def two_sample_p_value(
    first: tuple[int, int], second: tuple[int, int], ceiling: Callable[[FloatArray], FloatArray]
) -> float:
    """Return the p-value of "the first proportion is at most ``ceiling`` of the second", exact.

    For the true second proportion q, the tails P(Bin(n1, ceiling(q)) >= k1) and
    P(Bin(n2, q) <= k2) are independent p-values, which Fisher's product combines; the result is
    the supremum over q. The supremum is bounded from above on a fine grid by the monotonicity of
    the two tails, so the p-value errs on the side of the claim (by at most 7%).

    Parameters
    ----------
    first, second : (int, int)
        Successes and trials of the two independent samples.
    ceiling : callable
        Nondecreasing on [0, 1], vectorised: the largest proportion that the hypothesis allows on
        the first side. For (epsilon, delta)-DP: ``min(1, e^epsilon q + delta)``.

    Returns
    -------
    float
    """
    (k1, n1), (k2, n2) = first, second
    if k1 == 0 or k2 == n2:
        return 1.0
    # grid of q by the levels of its own tail: P(Bin(n2, q) <= k2) = _LEVELS
    q = special.betainccinv(k2 + 1, n2 - k2, _LEVELS)
    towards = special.betainc(k1, n1 - k1 + 1, np.clip(ceiling(q), 0.0, 1.0))
    products = np.append(towards[1:], 1.0) * _LEVELS
    return fisher_product(float(products.max()))


def rejected_curve(
    first: tuple[int, int], second: tuple[int, int], alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return points (p, q) such that a ceiling below all of them is rejected, and no other.

    The inverse of :func:`two_sample_p_value`: the hypothesis "the first proportion is at most
    ``ceiling`` of the second" has a p-value of at most ``alpha`` exactly if ``ceiling(q) <= p`` at
    every point.

    Parameters
    ----------
    first, second : (int, int)
        Successes and trials of the two independent samples.
    alpha : float
        In (0, 1).

    Returns
    -------
    p, q : ndarray
        Of equal length, in [0, 1]. ``([0], [1])``, below no ceiling, where nothing is rejected.
    """
    (k1, n1), (k2, n2) = first, second
    product = brentq(lambda x: fisher_product(x) - alpha, 0.0, 1.0, xtol=1e-300, rtol=1e-12)
    if k1 == 0 or k2 == n2 or _LEVELS[-1] > product:
        return np.zeros(1), np.ones(1)
    q = special.betainccinv(k2 + 1, n2 - k2, _LEVELS)[1:]
    share = product / _LEVELS[:-1]
    binding = share < 1
    p = special.betaincinv(k1, n1 - k1 + 1, share[binding])
    return np.asarray(p), np.asarray(q[binding])
