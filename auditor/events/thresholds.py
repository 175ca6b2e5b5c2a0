"""Threshold events: chosen on a quarter of the runs, certified on the rest.

Used on the statistic of a black box and on the low-order bits of its output. The choice costs no
validity because the two parts are independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from auditor.statistics.claims import Claim, EpsilonDelta, certified_level
from auditor.statistics.proportions import two_sample_p_value
from reference._validation import FloatArray

CERTIFIED = 0.75
"""Share of the runs that certify; the others choose the event."""

SURE = 3.0
"""Standard errors by which the runs that choose a rare event must exceed the claim."""

SEVERAL = 3
"""Thresholds, at most, that share alpha where the runs that choose do not tell which is best."""
RESAMPLES = 60
"""Times that these runs are drawn again to see what the choice would have been."""


# --------------------------------------------------------------------------------- events


@dataclass(frozen=True)
class Event:
    """The event "statistic > threshold" (``above``) or "statistic <= threshold"."""

    threshold: float
    above: bool

    def count(self, statistics: FloatArray) -> int:
        """Return how many statistics are in the event."""
        above = int(np.count_nonzero(statistics > self.threshold))
        return above if self.above else statistics.size - above

    def describe(self) -> str:
        """Return e.g. ``statistic > 0.25``."""
        return f"statistic {'>' if self.above else '<='} {self.threshold:.12g}"


@dataclass(frozen=True)
class ThresholdChoice:
    """A threshold on a score, and what it promises.

    Attributes
    ----------
    threshold : float
        The event is "score > threshold"; infinite if no threshold splits the scores.
    side : int
        The sample, 0 or 1, on which the event is the likelier.
    promise : float
        See :func:`promised_level`.
    excess : float
        The level that the runs themselves show with :data:`SURE` standard errors to spare if that
        is above the one to refute, else 0.
    """

    threshold: float = math.inf
    side: int = 0
    promise: float = -math.inf
    excess: float = 0.0

    def merits(self, refute: float) -> tuple[int, float]:
        """Return by what choices are compared, the larger the better, if a level is to be refuted.

        An event that promises a level above the one to refute comes first. Next comes one that
        promises less, being rare, but whose excess is beyond doubt. Without a level to refute
        (infinity) only promises matter.
        """
        if self.promise > refute:
            return 2, self.promise
        return (1, self.excess) if self.excess > 0 else (0, self.promise)


def promised_level(
    first: tuple[ArrayLike, int],
    second: tuple[ArrayLike, int],
    family: Claim,
    alpha: float,
    certifying: int,
) -> FloatArray:
    """Return the level that an event promises, given its counts in the runs that choose it.

    The promise is the level, e.g. log((p - delta)/q), with p and q moved by what the certificate
    will ask for and by what the best of many events is merely lucky, which keeps a choice from
    chasing rare events. The bounds are the normal ones for arcsin(sqrt(p)), whose variance does
    not depend on p: good enough to choose by.

    Parameters
    ----------
    first, second : (int or array_like, int)
        Runs in the event, and runs, on the side where it is likelier and on the other.
    family : Claim
        What will be certified; its own level does not matter.
    alpha : float
        Error probability of the certificate.
    certifying : int
        Runs a side that will certify.

    Returns
    -------
    ndarray
        Where nothing can be certified it is below -1, and still larger for larger differences of
        the two probabilities.
    """
    n, size = first[1], second[1]
    # the deviation that alpha asks for, shared by the two sides
    doubt = float(ndtri(1 - alpha)) / math.sqrt(2 * max(certifying, 1))
    # about the largest of sqrt(n) normal deviates, shared likewise: found best by trial
    luck = math.sqrt(math.log(min(n, size) + 1) / 2)
    doubts = doubt + luck / math.sqrt(n), doubt + luck / math.sqrt(size)
    level = _counted_level(first, second, family, doubts)
    difference = np.asarray(first[0]) / n - np.asarray(second[0]) / size
    return np.where(level > family.loss(0.0, 0.0), level, difference - 2.0)


def excess_level(
    first: tuple[ArrayLike, int], second: tuple[ArrayLike, int], family: Claim, refute: float
) -> FloatArray:
    """Return the level shown with :data:`SURE` standard errors to spare, or 0 if it is not above.

    Parameters
    ----------
    first, second, family
        As of :func:`promised_level`.
    refute : float
        The level that is to be refuted.
    """
    doubts = SURE / math.sqrt(2 * first[1]), SURE / math.sqrt(2 * second[1])
    level = _counted_level(first, second, family, doubts)
    return np.where(level > refute, level, 0.0)


def _counted_level(
    first: tuple[ArrayLike, int],
    second: tuple[ArrayLike, int],
    family: Claim,
    doubts: tuple[float, float],
) -> FloatArray:
    """Return the level of events, given their counts, whose angles are moved by doubts."""
    (k, n), (m, size) = first, second
    # one more run outside, one more inside, as Clopper and Pearson's bounds have it
    p, q = np.asarray(k) / (n + 1), (np.asarray(m) + 1) / (size + 1)
    return doubted_level(p, q, family, doubts)


def doubted_level(
    p: FloatArray, q: FloatArray, family: Claim, doubts: tuple[ArrayLike, ArrayLike]
) -> FloatArray:
    """Return the level of events whose angles 2 arcsin(sqrt(p)) are moved by doubts."""
    low = np.arcsin(np.sqrt(p)) - np.asarray(doubts[0]) / 2
    high = np.arcsin(np.sqrt(q)) + np.asarray(doubts[1]) / 2
    lower = np.sin(np.maximum(low, 0.0)) ** 2
    upper = np.sin(np.minimum(high, math.pi / 2)) ** 2
    return family.loss(lower, upper)


def choose_threshold(
    first: ArrayLike,
    second: ArrayLike,
    family: Claim,
    alpha: float,
    certifying: int | None = None,
    refute: float = math.inf,
) -> ThresholdChoice:
    """Return the threshold on a score that promises most, see :meth:`ThresholdChoice.merits`.

    Complements need no trying, because a claim's level covers them.

    Parameters
    ----------
    first, second : array_like of shape (N,), (M,)
        Scores of the two samples. NaN is above no threshold.
    family : Claim
        What will be certified; its own level does not matter.
    alpha : float
        Error probability of the certificate.
    certifying : int, optional
        Runs a side that will certify. Three times the size of ``first`` by default.
    refute : float
        The level to refute, if there is one.
    """
    samples = [np.sort(np.asarray(sample, dtype=np.float64)) for sample in (first, second)]
    n, size = (sample.size for sample in samples)
    samples = [sample[: sample.size - np.isnan(sample).sum()] for sample in samples]
    between = _thresholds(*samples)
    if between.size == 0:
        return ThresholdChoice()
    runs = 3 * n if certifying is None else certifying
    k, m = (s.size - np.searchsorted(s, between, side="right") for s in samples)
    swapped = k / n < m / size
    one, two = (k, n), (m, size)
    promise = np.where(
        swapped,
        promised_level(two, one, family, alpha, runs),
        promised_level(one, two, family, alpha, runs),
    )
    best, excess = int(np.argmax(promise)), np.zeros(1)
    if promise[best] <= refute < math.inf:
        excess = np.where(
            swapped,
            excess_level(two, one, family, refute),
            excess_level(one, two, family, refute),
        )
        best = int(np.argmax(excess)) if excess.any() else best
    return ThresholdChoice(
        float(between[best]), int(swapped[best]), float(promise[best]), float(excess.max())
    )


def several_thresholds(
    choice: ThresholdChoice,
    scores: tuple[FloatArray, FloatArray],
    family: Claim,
    alpha: float,
    certifying: int,
    rng: np.random.Generator,
) -> list[ThresholdChoice]:
    """Return a choice and others, with which the best of all, at equal parts of alpha, is better.

    In other runs another threshold would have promised most. Such runs are drawn from these; the
    next threshold is the one that adds most to what the best of those chosen promises in them, in
    the mean, and of one, two, ... thresholds as many are returned as promise most.

    Parameters
    ----------
    choice : ThresholdChoice
        The best of all.
    scores : (ndarray, ndarray)
        Of the two sides, equally many. NaN is above no threshold.
    family, alpha, certifying
        As of :func:`choose_threshold`.
    rng : Generator
    """
    if math.isinf(choice.threshold):
        return [choice]
    samples = [np.sort(s[~np.isnan(s)]) for s in scores]
    between = np.union1d(_thresholds(*samples), [choice.threshold])
    runs = scores[0].size
    above = [s.size - np.searchsorted(s, between, side="right") for s in samples]
    swapped = np.where(between == choice.threshold, choice.side == 1, above[0] < above[1])
    counts = [_resampled(k, runs, rng) for k in above]
    one, two = ((np.where(swapped, counts[1 - k], counts[k]), runs) for k in (0, 1))

    def promised(parts: int) -> FloatArray:
        return promised_level(one, two, family, alpha / parts, certifying)

    chosen = [int(np.searchsorted(between, choice.threshold))]
    means = [promised(1)[:, chosen[0]].mean()]
    while len(chosen) < SEVERAL:
        levels = promised(len(chosen) + 1)
        best = np.maximum(levels, levels[:, chosen].max(axis=1, keepdims=True)).mean(axis=0)
        chosen.append(int(np.argmax(best)))
        means.append(best[chosen[-1]])
    kept = chosen[1 : int(np.argmax(means)) + 1]
    return [choice, *(ThresholdChoice(float(between[i]), int(swapped[i])) for i in kept)]


def _resampled(above: NDArray[Any], size: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return how many are above each threshold where as many runs are drawn again, row by row."""
    cells = -np.diff(above, prepend=size, append=0)
    return size - rng.multinomial(size, cells / size, size=RESAMPLES).cumsum(axis=1)[:, :-1]


def _thresholds(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return thresholds between the values of two sorted samples, finer in the tails."""
    values = np.unique(np.concatenate([_tails(first), _tails(second)]))
    # halfway to the next value: no tie, and no harm from the digits a report drops
    following = np.full(values.size, math.inf)
    for sample in (first, second):
        index = np.searchsorted(sample, values, side="right")
        inside = index < sample.size
        following[inside] = np.minimum(following[inside], sample[index[inside]])
    last = max((sample[-1] for sample in (first, second) if sample.size), default=-math.inf)
    values, following = values[values < last], following[values < last]
    with np.errstate(invalid="ignore"):
        between = values / 2 + following / 2
    return np.where((between >= values) & (between < following), between, values)


def _tails(sample: FloatArray) -> FloatArray:
    """Return a sorted sample's values, or some 300 of many."""
    if sample.size <= 300:
        return sample
    index = np.unique(np.geomspace(1, sample.size / 2, 150).astype(np.int64))
    return np.concatenate([sample[index - 1], sample[sample.size - index]])


def choose_event(
    likely: ArrayLike,
    unlikely: ArrayLike,
    family: Claim,
    alpha: float,
    certifying: int | None = None,
) -> Event:
    """Return :func:`choose_threshold`'s event, or its complement, whichever is likely on the first.

    Parameters
    ----------
    likely, unlikely : array_like of shape (N,)
        Statistics from the two sides; the event should be likely on the first.
    family : Claim
        What will be certified; its own level does not matter.
    alpha : float
        Error probability of the certificate.
    certifying : int, optional
        Runs a side that will certify.
    """
    choice = choose_threshold(likely, unlikely, family, alpha, certifying)
    return Event(choice.threshold, choice.side == 0 and math.isfinite(choice.threshold))


# ---------------------------------------------------------------------------- certificates


@dataclass(frozen=True)
class Certificate:
    """The counts of one event in the certifying runs.

    Attributes
    ----------
    event : Event
    first, second : (int, int)
        Runs in the event, and runs, on the likely and on the unlikely side.
    p_value : float
        Of "the claim holds for this event".
    """

    event: Event
    first: tuple[int, int]
    second: tuple[int, int]
    p_value: float

    def epsilon(self, delta: float, alpha: float) -> float:
        """Return a lower confidence bound of epsilon at ``delta``."""
        return certified_level(EpsilonDelta(0.0, delta), self.first, self.second, alpha)

    def level(self, family: Claim, alpha: float) -> float:
        """Return a lower confidence bound of the level of a family of claims."""
        return certified_level(family, self.first, self.second, alpha)


def certified_from(runs: int) -> int:
    """Return the index of the first run that certifies; the runs before it choose the event."""
    return runs - int(CERTIFIED * runs)


def certify(likely: ArrayLike, unlikely: ArrayLike, claim: Claim, alpha: float) -> Certificate:
    """Choose an event on the first quarter of two samples and certify it on the rest.

    Parameters
    ----------
    likely, unlikely : array_like of shape (N,)
        Statistics of independent runs on the two data sets.
    claim : Claim
    alpha : float
        Error probability for which the event is chosen.
    """
    first, second = np.asarray(likely, dtype=float), np.asarray(unlikely, dtype=float)
    cut, other_cut = certified_from(first.size), certified_from(second.size)
    event = choose_event(first[:cut], second[:other_cut], claim, alpha)
    held, other_held = first[cut:], second[other_cut:]
    one = event.count(held), held.size
    two = event.count(other_held), other_held.size
    return Certificate(event, one, two, two_sample_p_value(one, two, claim.ceiling))
