"""Coins, selections by weight, and points of an interval, each decided by one uniform number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, floor, frexp, ldexp, nextafter

import numpy as np
from numpy.typing import NDArray

from reference._validation import FloatArray, IntArray
from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.lazy import Uniform, agreed, negative, settle
from reference.privacy.exact.noise import SLACK, UNIT
from reference.privacy.exact.sources import WORD, RandomBits

POINT_BITS = 52
"""A point of an interval is rounded to 2^-52 of the largest power of two not above its length."""


def coins(
    bits: RandomBits, chances: FloatArray, excess: Callable[[int, Interval], Interval]
) -> NDArray[np.bool_]:
    """Return True with the probability p of each coin: whether U < p.

    Parameters
    ----------
    bits : RandomBits
    chances : ndarray of shape (size,)
        The probabilities as doubles, off by 8 units of 2^-52 at most.
    excess : callable
        ``excess(i, u)`` is below 0 where u < p_i, and grows with u.
    """
    words = bits.words(chances.size)
    gaps = words * 2.0**-WORD - chances
    shown = gaps < 0
    for i in np.flatnonzero(np.abs(gaps) <= SLACK):
        uniform = Uniform(bits.word, int(words[i]), WORD)

        def attempt(digits: int, i: int = int(i), uniform: Uniform = uniform) -> bool | None:
            return agreed(excess(i, uniform.interval(digits)), negative)

        shown[i] = settle([uniform], attempt)
    return shown


def given_coins(bits: RandomBits, chances: FloatArray) -> NDArray[np.bool_]:
    """Return coins whose probabilities are the doubles themselves."""
    return coins(bits, chances, lambda i, u: u - Interval.of(chances[i], u.bits))


def truths(bits: RandomBits, size: int, epsilon: float, categories: int = 2) -> NDArray[np.bool_]:
    """Return coins with probability 1/(1 + (categories - 1) exp(-epsilon))."""
    others = categories - 1

    def excess(_: int, u: Interval) -> Interval:
        lies = Interval.of(-epsilon, u.bits).exp().times(others)
        return u + u * lies - Interval.of(1, u.bits)

    return coins(bits, np.full(size, 1 / (1 + others * exp(-epsilon))), excess)


def choose(
    bits: RandomBits, logits: FloatArray, margin: float, weight: Callable[[int, int], Interval]
) -> int:
    """Return an index with probability proportional to its weight: where the sums exceed U total.

    Parameters
    ----------
    bits : RandomBits
    logits : ndarray of shape (k,)
        Logarithms of the weights; the largest is 0.
    margin : float
        How far off sums of the doubles may be, relative to the total.
    weight : callable
        ``weight(j, bits)``: the exact weights, times any constant.
    """
    return int(choose_by_rows(bits, logits[None, :], margin, lambda _, j, d: weight(j, d))[0])


def choose_by_rows(
    bits: RandomBits, logits: FloatArray, margin: float, weight: Callable[[int, int, int], Interval]
) -> IntArray:
    """Choose for every row of an array, with weights by row and index; see :func:`choose`."""
    sums = np.cumsum(np.exp(np.maximum(logits, -700.0)), axis=1)
    total = sums[:, -1]
    words = bits.words(total.size)
    gaps = sums - (words * 2.0**-WORD * total)[:, None]
    chosen = np.count_nonzero(gaps <= 0, axis=1).astype(np.int64)
    for i in np.flatnonzero(np.abs(gaps).min(axis=1) <= margin * total):
        uniform = Uniform(bits.word, int(words[i]), WORD)

        def attempt(digits: int, i: int = int(i), uniform: Uniform = uniform) -> int | None:
            weights = [weight(i, j, digits) for j in range(logits.shape[1])]
            return _located(uniform.interval(digits), weights)

        chosen[i] = settle([uniform], attempt)
    return np.asarray(chosen)


def _located(u: Interval, weights: list[Interval]) -> int | None:
    """Return how many sums of weights are at most u times their total, if that is certain."""
    sums, total = [], Interval(0, 0, u.bits)
    for weight in weights:
        total = total + weight
        sums.append(total)
    point, count = u * total, 0
    for partial in sums[:-1]:
        if partial.high <= point.low:
            count += 1
        elif partial.low <= point.high:
            return None
    return count


def select_by_rows(bits: RandomBits, scores: FloatArray, rate: float) -> IntArray:
    """Return for each row an index with probability proportional to exp(rate score)."""
    top = scores.max(axis=1)

    def weight(i: int, j: int, digits: int) -> Interval:
        gap = Fraction(scores[i, j]) - Fraction(top[i])
        return Interval.of(Fraction(rate) * gap, digits).exp()

    # a weight is off by 5 units of itself and of 1, a sum of k by k/2 units of the total
    margin = (scores.shape[1] + 32) * UNIT
    return choose_by_rows(bits, rate * (scores - top[:, None]), margin, weight)


def select_point(
    bits: RandomBits, scores: FloatArray, starts: FloatArray, ends: FloatArray, rate: float
) -> float:
    """Return a point with density proportional to exp(rate score), rounded down to a public grid.

    Parameters
    ----------
    bits : RandomBits
    scores, starts, ends : ndarray of shape (k,)
        Of the pieces from left to right; each begins where the one before it ends. The ends of all
        are public.
    rate : float
    """
    kept = np.flatnonzero(ends > starts)
    left, right = starts[kept], ends[kept]
    logits = rate * (scores[kept] - scores[kept].max()) + np.log(right - left)
    best = int(np.argmax(logits))

    def weight(j: int, digits: int) -> Interval:
        gap = Fraction(scores[kept[j]]) - Fraction(scores[kept[best]])
        length, unit = (Fraction(right[k]) - Fraction(left[k]) for k in (j, best))
        return Interval.of(Fraction(rate) * gap, digits).exp().times(length / unit)

    # logarithms of weights that matter are differences of numbers below 4000, off by 4 units each
    margin = (kept.size + 2**15) * UNIT
    piece = choose(bits, logits - logits[best], margin, weight)
    return _point(bits, float(left[piece]), float(right[piece]), float(starts[0]), float(ends[-1]))


def _point(bits: RandomBits, left: float, right: float, lower: float, upper: float) -> float:
    """Return a uniform point of a piece, rounded down to the grid of [lower, upper)."""
    step = Fraction(ldexp(1.0, frexp(upper - lower)[1] - 1 - POINT_BITS))
    start, length = Fraction(left) - Fraction(lower), Fraction(right) - Fraction(left)
    uniform = Uniform(bits.word)

    def attempt(_: int) -> int | None:
        cell = Fraction(1, 1 << uniform.length)
        low = floor((start + uniform.digits * cell * length) / step)
        high = ceil((start + (uniform.digits + 1) * cell * length) / step) - 1
        return low if low == high else None

    point = float(Fraction(lower) + settle([uniform], attempt) * step)
    return min(max(point, lower), nextafter(upper, lower))
