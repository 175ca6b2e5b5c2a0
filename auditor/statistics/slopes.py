"""Tests whether an error rises against a claimed rate, by the exponent of its median or mean.

Errors e_ij at values v_1 < ... < v_k, r repetitions each, all independent. The claim is that a
functional of the error (its median, its mean) follows C v^s for some C and some s <= ``claimed``,
so that the functional of e/v^claimed does not rise along the grid. *That* is the hypothesis tested
here. The mere inequality "functional <= C v^claimed for some C" is true of any errors on a finite
grid; what a test can contradict is that the rate describes the error between the values at hand.

*Median.* Let the medians m_i of e_ij/v_i^claimed not rise. Then some c lies between the medians of
the lower half of the grid (all >= c) and those of the upper half (all <= c), and every error of
the lower half is below c, every one of the upper half above c, with probability 1/2 at most, all
independently. With scores w_i > 0, the score L(c) of the errors of the lower half below c is
therefore stochastically at most a sum of w_i times fair coins, and so is U(c), of the upper half
above c. Both tails are exact; their product is at most x with the probability that Fisher's
combination gives. As c is not known, the p-value is the largest over all c. It is valid for any
distributions, sample size, spread and ties; the scores |2i - k - 1| (0 in the middle of an odd
grid) give distant values the weight that a regression on an even grid would. The best p-value that
r repetitions can reach is that of 2^(-r floor(k/2)): no test of medians can do much better, since
the errors of one half may all be above their median by chance.

*Mean.* No test of means is valid for all distributions (Bahadur and Savage, 1956). Here the slope
of the logarithms of the k means is studentised, with the largest of the k relative variances
standing for all of them (where the spread shrinks, a small sample of the wide end hides its
variance just when it hides its mean), and the p-value is not below that of the median's test:
means that rise while the distribution keeps its shape take the medians with them. Its level is
measured, not proved: 1% holds except for heavy tails whose spread shrinks (up to 5%), see
``benchmarks/scaling_level.py`` and ``docs/measured/scaling.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from auditor.core.rates import Functional
from auditor.statistics.combination import fisher_product
from auditor.statistics.stages import SCREEN
from reference._validation import FloatArray

INTERVAL = 0.8
"""Confidence of the intervals that are shown: three repetitions of four values can give one."""

_BISECTIONS = 40
_FARTHEST = 1e3
"""A slope beyond this from the fitted one is reported as infinite."""

_fisher = np.frompyfunc(fisher_product, 1, 1)


def median_p_value(values: FloatArray, errors: FloatArray, claimed: float) -> FloatArray:
    """Return the p-value of "the medians of errors/values^claimed do not rise"; exact.

    Parameters
    ----------
    values : ndarray of shape (k,)
        > 0, at least two different ones.
    errors : ndarray of shape (..., k, r)
        > 0, ``r`` independent repetitions for every value.
    claimed : float
        The exponent that the claim allows.

    Returns
    -------
    ndarray of shape (...)
    """
    rates = np.log(values)
    order = np.argsort(rates, kind="stable")
    logs = (np.log(errors) - claimed * rates[:, None])[..., order, :]
    k, repetitions = logs.shape[-2:]
    half = k // 2
    scores = _scores(k)
    lower, upper = (_flat(part) for part in (logs[..., :half, :], logs[..., k - half :, :]))
    # equal errors: those of the upper half first, so that neither counts at a c that equals both
    order = np.argsort(np.concatenate([upper, lower], axis=-1), axis=-1, kind="stable")
    points, nothing = np.repeat(scores, repetitions), np.zeros(half * repetitions, dtype=np.int64)
    of_upper = np.concatenate([points[::-1], nothing])[order]
    of_lower = np.concatenate([nothing, points])[order]
    # c at every error in turn: between them both scores are as large or larger
    above = points.sum() - np.cumsum(of_upper, axis=-1)
    below = np.cumsum(of_lower, axis=-1) - of_lower
    tail = _coin_tail(k, repetitions)
    return np.asarray(_fisher((tail[below] * tail[above]).max(axis=-1)), dtype=np.float64)


def least_repetitions(k: int, level: float) -> int:
    """Return the fewest repetitions of ``k`` values with which a p-value can reach ``level``."""
    repetitions = 1
    while fisher_product(0.5 ** (repetitions * (k // 2))) > level:
        repetitions += 1
    return repetitions


def mean_p_value(values: FloatArray, errors: FloatArray, claimed: float) -> FloatArray:
    """Return the p-value of "the mean of errors/values^claimed does not rise"; approximate.

    Parameters, shapes and result as in :func:`median_p_value`, ``r`` at least 2.
    """
    k, repetitions = errors.shape[-2:]
    centred = np.log(values) - np.log(values).mean()
    means = errors.mean(axis=-1)
    relative = (errors.var(axis=-1, ddof=1) / means**2).max(axis=-1) / repetitions
    leverage = centred @ centred
    rise = np.log(means) @ centred / leverage - claimed
    deviation = np.sqrt(relative / leverage)
    # errors without any spread: a rise is certain, or there is none
    certain = np.where(rise > 0, np.inf, -np.inf)
    studentised = np.divide(rise, deviation, out=certain, where=deviation > 0)
    student = stats.t.sf(studentised, k * (repetitions - 1))
    p_values: FloatArray = np.maximum(student, median_p_value(values, errors, claimed))
    return p_values


_TESTS: dict[Functional, Callable[[FloatArray, FloatArray, float], FloatArray]] = {
    "median": median_p_value,
    "mean": mean_p_value,
}


def slope_p_value(
    values: FloatArray, errors: FloatArray, claimed: float, functional: Functional = "median"
) -> float:
    """Return the p-value that a verdict may use; of the mean, at least :data:`SCREEN`.

    The level of the mean's test is measured down to there; more stages on fresh runs reach lower.

    Parameters
    ----------
    values : ndarray of shape (k,)
    errors : ndarray of shape (k, r)
    claimed : float
    functional : {"median", "mean"}

    Raises
    ------
    ValueError
        If a value or an error is not a finite number > 0, or all values are equal.
    """
    _require_positive(values, errors)
    return float(p_values(values, errors, claimed, functional))


def p_values(
    values: FloatArray, errors: FloatArray, claimed: float, functional: Functional = "median"
) -> FloatArray:
    """Return what :func:`slope_p_value` does for many sets of errors, of shape (..., k, r)."""
    found = _TESTS[functional](values, errors, claimed)
    return found if functional == "median" else np.maximum(SCREEN, found)


def stages_needed(functional: Functional, alpha: float) -> int:
    """Return how many stages can reach a level, one where its p-values have no floor."""
    stages = 1
    while functional == "mean" and alpha < SCREEN**stages:
        stages += 1
    return stages


@dataclass(frozen=True)
class Slope:
    """The fitted exponent of an error.

    Attributes
    ----------
    slope, intercept : float
        Least squares through the logarithms of the functional, over log(value).
    interval : (float, float)
        The exponents that the test rejects from neither side; infinite where repetitions are too
        few for a bound.
    """

    slope: float
    intercept: float
    interval: tuple[float, float]


def fit_slope(
    values: FloatArray,
    errors: FloatArray,
    functional: Functional = "median",
    confidence: float = INTERVAL,
) -> Slope:
    """Fit the exponent of a functional of the error.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Parameter values, > 0, at least two different ones.
    errors : ndarray of shape (k, r)
        ``r`` repetitions for every value, > 0.
    functional : {"median", "mean"}
    confidence : float
        Of the two-sided interval, in (0, 1); that of the median holds at any sample size.

    Returns
    -------
    Slope

    Raises
    ------
    ValueError
        If a value or an error is not a finite number > 0, or all values are equal.
    """
    _require_positive(values, errors)
    slope, intercept = least_squares(values, errors, functional)
    test, alpha = _TESTS[functional], (1 - confidence) / 2
    low = _least_kept(lambda s: float(test(values, errors, s)) <= alpha, slope)
    high = -_least_kept(lambda s: float(test(1 / values, errors, s)) <= alpha, -slope)
    return Slope(slope, intercept, (low, high))


def least_squares(
    values: FloatArray, errors: FloatArray, functional: Functional
) -> tuple[float, float]:
    """Return slope and intercept of the logarithms of the functional over log(value)."""
    located = (np.median if functional == "median" else np.mean)(errors, axis=1)
    slope, intercept = np.polyfit(np.log(values), np.log(located), 1)
    return float(slope), float(intercept)


def _least_kept(rejected: Callable[[float], bool], start: float) -> float:
    """Return the smallest exponent that is not rejected; rejection is monotone."""
    low, high = start - _FARTHEST, start + _FARTHEST
    if not rejected(low):
        return -np.inf
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return high


def _scores(k: int) -> npt.NDArray[np.int64]:
    """Return the scores of the lower half of k values, the farthest first."""
    return k - 1 - 2 * np.arange(k // 2)


def _flat(part: FloatArray) -> FloatArray:
    return part.reshape(*part.shape[:-2], -1)


@cache
def _coin_tail(k: int, repetitions: int) -> FloatArray:
    """Return P(S >= t) for t = 0, 1, ...: S sums k's scores, each times Binomial(r, 1/2)."""
    probability = np.ones(1)
    counts = stats.binom.pmf(np.arange(repetitions + 1), repetitions, 0.5)
    for score in _scores(k):
        spread = np.zeros(score * repetitions + 1)
        spread[::score] = counts
        probability = np.convolve(probability, spread)
    # summed from the far end, so that small tails keep their digits
    tail: FloatArray = np.minimum(1.0, np.cumsum(probability[::-1])[::-1])
    tail.setflags(write=False)  # it is kept
    return tail


def _require_positive(values: FloatArray, errors: FloatArray) -> None:
    if not (np.isfinite(values).all() and (values > 0).all()) or np.unique(values).size < 2:
        raise ValueError("scaling values must be finite numbers > 0, at least two different ones")
    if not (np.isfinite(errors).all() and (errors > 0).all()):
        raise ValueError("scaling errors must be finite numbers > 0")
