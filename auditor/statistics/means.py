"""Tests and bounds of the mean of a variable with values in [0, 1], by betting.

Valid at the sample size at hand, like those of :mod:`auditor.statistics.proportions`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from reference._validation import FloatArray


def _small_shares(size: int) -> FloatArray:
    """Return stakes 1/2, 1/4, ..., about 1/(4 size): for values that are mostly 0."""
    return np.asarray(0.5 ** np.arange(1, 3 + math.ceil(math.log2(size))))


def _large_shares(size: int) -> FloatArray:
    """Return stakes 1 - 1/2, 1 - 1/4, ..., 1 and a few small ones: for values mostly 1."""
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
        return float(np.logaddexp.reduce(logs) - math.log(self.shares.size))


def _unit_sample(sample: ArrayLike) -> FloatArray:
    values = np.asarray(sample, dtype=np.float64).ravel()
    if values.size == 0:
        raise ValueError("sample must not be empty")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("sample must lie in [0, 1]")
    return values


def mean_p_value(sample: ArrayLike, mean: float) -> float:
    """Return the p-value of "the expectation is at most ``mean``", of values in [0, 1].

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
