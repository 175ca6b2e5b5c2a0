"""Confidence bounds and tests shared by the statistical questions.

Every bound here is valid at the sample size at hand (no normal approximation), because an audit
that flags a true claim is worth nothing. ``alpha`` is always the probability with which that one
bound, or that one test, may be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.optimize import brentq
from statsmodels.stats.multitest import multipletests

from reference._validation import FloatArray

# ---------------------------------------------------------------------------- proportions


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


def fisher_product(product: float) -> float:
    """Return P(U V <= product) for independent uniform U and V (Fisher's combination)."""
    return 0.0 if product <= 0 else min(1.0, product * (1 - math.log(min(product, 1.0))))


_LEVELS = np.geomspace(1.0, 1e-40, 1501)


def two_sample_p_value(
    first: tuple[int, int], second: tuple[int, int], ceiling: Callable[[FloatArray], FloatArray]
) -> float:
    """p-value of "the first proportion is at most ``ceiling`` of the second", exact.

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


# ------------------------------------------------- mean of a variable with values in [0, 1]


def _small_shares(size: int) -> FloatArray:
    """Stakes 1/2, 1/4, ..., about 1/(4 size): for values that are mostly 0."""
    return np.asarray(0.5 ** np.arange(1, 3 + math.ceil(math.log2(size))))


def _large_shares(size: int) -> FloatArray:
    """Stakes 1 - 1/2, 1 - 1/4, ..., 1, and a few small ones: for values that are mostly 1."""
    return np.concatenate([1 - _small_shares(size), [1.0], 0.5 ** np.arange(2.0, 7.0)])


class _Bet:
    """The betting test of a mean, prepared for many hypothetical means of one sample."""

    def __init__(self, sample: FloatArray, shares: FloatArray) -> None:
        self.values, self.counts = np.unique(sample, return_counts=True)
        self.shares = shares[:, None]

    def log_capital(self, mean: float) -> float:
        growth = 1 - self.shares + self.shares * (self.values / mean)
        with np.errstate(divide="ignore"):  # a stake of everything may lose everything
            logs = np.log(growth) @ self.counts
        return float(special.logsumexp(logs) - math.log(self.shares.size))


def _unit_sample(sample: ArrayLike) -> FloatArray:
    values = np.asarray(sample, dtype=np.float64).ravel()
    if values.size == 0:
        raise ValueError("sample must not be empty")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("sample must lie in [0, 1]")
    return values


def mean_p_value(sample: ArrayLike, mean: float) -> float:
    """p-value of "the expectation is at most ``mean``" for independent values in [0, 1].

    A gambler who stakes the share s of the capital on every value x multiplies it by
    1 - s + s x/mean, whose expectation is at most 1 under the hypothesis; so is that of the
    average over several s (a mixture), and Markov's inequality gives 1/capital as a p-value.
    Unlike a Clopper-Pearson bound it uses the variance of a variable that is not binary, and
    unlike Hoeffding's it is good for rare ones. The values need not be identically distributed
    as long as every expectation is at most ``mean``.

    Parameters
    ----------
    sample : array_like
        Independent values in [0, 1]. Their order does not matter.
    mean : float
        In [0, 1].

    Returns
    -------
    float

    References
    ----------
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (2024),
    with constant stakes and a mixture over them (their section 4.3 stakes predictably instead).
    """
    values = _unit_sample(sample)
    if mean <= 0:
        return 0.0 if values.any() else 1.0
    bet = _Bet(values, _small_shares(values.size))
    return math.exp(min(0.0, -bet.log_capital(mean)))


def mean_lower(sample: ArrayLike, alpha: float) -> float:
    """Return a lower confidence bound of an expectation, by inverting :func:`mean_p_value`.

    The bound is nondecreasing in every value of the sample.

    Parameters
    ----------
    sample : array_like
        Independent values in [0, 1].
    alpha : float
        Error probability, in (0, 1).
    """
    values = _unit_sample(sample)
    return _inverted(values, _small_shares(values.size), alpha)


def mean_upper(sample: ArrayLike, alpha: float) -> float:
    """Return an upper confidence bound of an expectation: the bets of :func:`mean_lower` on 1 - x.

    Parameters
    ----------
    sample : array_like
        Independent values in [0, 1].
    alpha : float
        Error probability, in (0, 1).
    """
    values = 1.0 - _unit_sample(sample)
    return 1.0 - _inverted(values, _large_shares(values.size), alpha)


def _inverted(values: FloatArray, shares: FloatArray, alpha: float) -> float:
    """Return the largest mean that the bets reject, rounded down."""
    average = float(values.mean())
    if average < 1e-200:  # 0 is a valid bound, and nothing below can overflow
        return 0.0
    bet = _Bet(values, shares)
    need = math.log(1 / alpha)

    def excess(log_mean: float) -> float:
        return bet.log_capital(math.exp(log_mean)) - need

    high = math.log(average)  # no stake wins against the average: the logarithm is concave
    low = high - 0.5
    while excess(low) <= 0:
        low -= 2 * (high - low)
    return math.exp(float(brentq(excess, low, high, xtol=1e-12)) - 1e-11)


# ------------------------------------------------------------------------- several tests


def bonferroni(p_values: Sequence[float]) -> float:
    """Return the p-value of "all hypotheses hold": the smallest times their number, at most 1."""
    return min(1.0, len(p_values) * min(p_values)) if p_values else 1.0


def holm(p_values: Sequence[float], alpha: float) -> list[bool]:
    """Return which hypotheses Holm's method rejects, in the given order.

    Any true one is rejected with probability at most ``alpha``, whatever the dependence.
    """
    if not len(p_values):
        return []
    return [bool(rejected) for rejected in multipletests(p_values, alpha, method="holm")[0]]
