"""The one-coin model of a crowd (Wang (2020), l.8993-9003): chances, known abilities, exact errors.

A worker's *chance* is the probability that one of its answers, as the server sees it, is right: the
ability p* for raw answers, (7.22) for flipped ones.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from scipy.special import expit, logit

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterValueError,
    require_array,
    require_count,
    require_in_interval,
)
from reference.parameters import checked_arguments

MOST_OUTCOMES = 10**6
"""Outcomes that :func:`oracle_error` adds up at most."""


def sample_crowd(
    abilities: FloatArray, n_tasks: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw from the one-coin model (l.8993-9003): worker i is right with probability p*_i.

    Parameters
    ----------
    abilities : ndarray of shape (n,)
        p*_i in [0, 1].
    n_tasks : int
        m >= 1.
    rng : Generator

    Returns
    -------
    truth : ndarray of int, shape (m,)
        y*, fair coins.
    answers : ndarray of int, shape (n, m)
    """
    abilities = _require_chances("abilities", abilities)
    truth = rng.integers(0, 2, size=require_count("n_tasks", n_tasks))
    right = rng.random((abilities.size, n_tasks)) < abilities[:, None]
    return truth, np.where(right, truth, 1 - truth)


def experts_and_spammers(n_workers: int, exponent: float) -> FloatArray:
    """Return the abilities of Theorem 7.1.4's instance (l.9146): ceil(n^delta) ones, the rest 1/2.

    Parameters
    ----------
    n_workers : int
        n >= 1.
    exponent : float
        delta in (0, 1/2). A power that is within 1e-12 of an integer is that integer.
    """
    require_count("n_workers", n_workers)
    require_in_interval("exponent", exponent, 0.0, 0.5)
    experts = math.ceil(n_workers**exponent * (1 - 1e-12))
    return np.where(np.arange(n_workers) < experts, 1.0, 0.5)


@checked_arguments
def perturbed_chances(abilities: FloatArray, *, epsilon: float) -> FloatArray:
    """Return the chances after randomized response: tanh(epsilon/2) p* + 1/(e^epsilon + 1), (7.22).

    Parameters
    ----------
    abilities : ndarray of shape (n,)
        p*_i in [0, 1].
    epsilon : float
    """
    abilities = _require_chances("abilities", abilities)
    return expit(epsilon) * abilities + expit(-epsilon) * (1 - abilities)


def majority_error(chances: FloatArray) -> tuple[float, float]:
    """Return the exact probabilities that a majority vote is wrong.

    Parameters
    ----------
    chances : ndarray of shape (n,)
        In [0, 1].

    Returns
    -------
    if_zero, if_one : float
        For a task with y* = 0, where a tie is wrong, and with y* = 1, where it is right.
    """
    right = np.ones(1)  # law of the number of right answers, one group of equal chances at a time
    for chance, size in zip(*_groups(chances), strict=True):
        right = np.convolve(right, scipy.stats.binom.pmf(np.arange(size + 1), size, chance))
    n = right.size - 1
    return math.fsum(right[: n // 2 + 1]), math.fsum(right[: (n + 1) // 2])


def oracle_vote(answers: IntArray, chances: FloatArray) -> IntArray:
    """Return the likelier label of every task given the chances: the rule that knows the abilities.

    Parameters
    ----------
    answers : ndarray of int, shape (n, m)
        Row i holds worker i's answers in {0, 1}.
    chances : ndarray of shape (n,)
        In (0, 1): weights are their log-odds. Ties are 1.
    """
    chances = _require_chances("chances", chances)
    if not ((chances > 0) & (chances < 1)).all():
        raise ParameterValueError("chances", "lie in (0, 1): at 0 and 1 the weights are infinite")
    votes: IntArray = (logit(chances) @ (2.0 * answers - 1) >= 0).astype(np.int64)
    return votes


def oracle_error(chances: FloatArray) -> float:
    """Return the exact error of :func:`oracle_vote` where y* is a fair coin: the least of any rule.

    That of no rule is smaller, whatever it knows of the chances and of other tasks: it is the Bayes
    error, half of sum_x min(P(x | 0), P(x | 1)). Answers of equal chances enter by their number.

    Parameters
    ----------
    chances : ndarray of shape (n,)
        In [0, 1].

    Raises
    ------
    ValueError
        If the numbers of right answers in the groups of equal chances have more than 10^6 outcomes.
    """
    values, sizes = _groups(chances)
    if math.prod(int(size) + 1 for size in sizes) > MOST_OUTCOMES:
        raise ParameterValueError(
            "chances", f"have few different values: more than {MOST_OUTCOMES} outcomes"
        )
    one, zero = np.ones(1), np.ones(1)
    for chance, size in zip(values, sizes, strict=True):
        ones = scipy.stats.binom.pmf(
            np.arange(size + 1), size, chance
        )  # law of the number of answers 1
        one = np.multiply.outer(one, ones).ravel()
        zero = np.multiply.outer(zero, ones[::-1]).ravel()
    return float(np.minimum(one, zero).sum() / 2)


def _require_chances(name: str, chances: FloatArray) -> FloatArray:
    chances = require_array(name, chances, ndim=1)
    if not ((chances >= 0) & (chances <= 1)).all():
        raise ParameterValueError(name, "lie in [0, 1]")
    return chances


def _groups(chances: FloatArray) -> tuple[FloatArray, IntArray]:
    values, sizes = np.unique(_require_chances("chances", chances), return_counts=True)
    return values, sizes
