"""Threshold events: chosen on a quarter of the runs, certified on the rest.

Used on the statistic of a black box and on the low-order bits of its output. The choice costs no
validity because the two parts are independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from auditor.statistics import two_sample_p_value
from reference._validation import FloatArray

CERTIFIED = 0.75
"""Share of the runs that certify; the others choose the event."""

LARGEST_EPSILON = 50.0
"""Epsilon beyond which a certified bound is not resolved."""

Ceiling = Callable[[FloatArray], FloatArray]


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


def choose_event(likely: ArrayLike, unlikely: ArrayLike, delta: float, alpha: float) -> Event:
    """Return the threshold event that promises the largest certified epsilon.

    The promise is log((p - delta)/q) with p and q moved to where these few runs make them
    doubtful, which keeps the choice from chasing rare events; the bounds are the normal ones for
    arcsin(sqrt(p)), whose variance does not depend on p. They are good enough to choose by.

    Parameters
    ----------
    likely, unlikely : array_like of shape (N,)
        Statistics from the two sides; the event should be likely on the first.
    delta : float
        delta at which epsilon will be certified.
    alpha : float
        Error probability of the certificate.
    """
    first, second = np.sort(np.asarray(likely)), np.sort(np.asarray(unlikely))
    pooled = np.unique(np.concatenate([first, second]))
    # every distinct value when there are few, else quantiles: finer in the tails
    if pooled.size > 400:
        tail = np.geomspace(1 / pooled.size, 0.5, 150)
        pooled = np.unique(np.quantile(pooled, np.concatenate([tail, 1 - tail]), method="lower"))
    # thresholds between observed values: no tie, and no harm from the digits a report drops
    between = (pooled[:-1] + pooled[1:]) / 2
    # the deviation that alpha asks for, shared by the two sides
    doubt = float(ndtri(1 - alpha)) / math.sqrt(2)
    best, best_score = Event(math.inf, False), -math.inf
    for above in (True, False):
        k = np.searchsorted(first, between, side="right")
        m = np.searchsorted(second, between, side="right")
        if above:
            k, m = first.size - k, second.size - m
        p, q = (k + 0.375) / (first.size + 0.75), (m + 0.375) / (second.size + 0.75)
        low = np.arcsin(np.sqrt(p)) - doubt / (2 * math.sqrt(first.size))
        high = np.arcsin(np.sqrt(q)) + doubt / (2 * math.sqrt(second.size))
        lower = np.sin(np.maximum(low, 0.0)) ** 2
        upper = np.sin(np.minimum(high, math.pi / 2)) ** 2
        gain = np.log(np.maximum(lower - delta, 1e-300) / upper)
        # where nothing can be certified, the largest difference is still the best bet
        score = np.where(gain > 0, gain, p - q - 2.0)
        index = int(np.argmax(score))
        if score[index] > best_score:
            best, best_score = Event(float(between[index]), above), float(score[index])
    return best


def ceiling(points: Sequence[tuple[float, float]]) -> Ceiling:
    """Return the largest P(event) that a claim allows, as a function of Q(event).

    Parameters
    ----------
    points : sequence of (epsilon, delta)
        Each gives min(1, e^epsilon q + delta), and 1 - e^-epsilon (1 - q - delta) by the event's
        complement.
    """

    def largest(q: FloatArray) -> FloatArray:
        bound = np.ones_like(q)
        for epsilon, delta in points:
            bound = np.minimum(bound, math.exp(min(epsilon, 700.0)) * q + delta)
            bound = np.minimum(bound, 1 - math.exp(-epsilon) * np.maximum(1 - q - delta, 0.0))
        return bound

    return largest


# ---------------------------------------------------------------------------- certificates


@dataclass(frozen=True)
class Certificate:
    """What the certifying runs say about one event.

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
        """Return a lower confidence bound of epsilon at ``delta``, see `certified_epsilon`."""
        return certified_epsilon(self.first, self.second, delta, alpha)

    def mu(self, alpha: float) -> float:
        """Return a lower confidence bound of the Gaussian-DP parameter, see `certified_mu`."""
        return certified_mu(self.first, self.second, alpha)


def certified_epsilon(
    first: tuple[int, int], second: tuple[int, int], delta: float, alpha: float
) -> float:
    """Return the largest epsilon that the counts reject at ``delta``, at level ``alpha``.

    Inverts :func:`~auditor.statistics.two_sample_p_value`, so that a claim is rejected exactly
    if a larger epsilon is certified. Tighter than two Clopper-Pearson bounds at alpha/2 each.

    Parameters
    ----------
    first, second : (int, int)
        Runs in the event, and runs, on either side.
    delta : float
        In [0, 1).
    alpha : float
    """
    return _largest_rejected(
        lambda e: two_sample_p_value(first, second, ceiling([(e, delta)])) - alpha, LARGEST_EPSILON
    )


def certified_mu(first: tuple[int, int], second: tuple[int, int], alpha: float) -> float:
    """Return the largest mu such that the counts reject mu-Gaussian DP at level ``alpha``."""

    def surplus(mu: float) -> float:
        allowed = two_sample_p_value(first, second, lambda q: np.asarray(ndtr(ndtri(q) + mu)))
        return allowed - alpha

    return _largest_rejected(surplus, 2 * math.sqrt(LARGEST_EPSILON))


def _largest_rejected(surplus: Callable[[float], float], top: float) -> float:
    """Return the root of p-value - alpha in [0, top], or the end where the sign is constant."""
    if surplus(0.0) > 0:
        return 0.0
    if surplus(top) <= 0:
        return top
    return float(brentq(surplus, 0.0, top, xtol=1e-6))


def certified_from(runs: int) -> int:
    """Return the index of the first run that certifies; the runs before it choose the event."""
    return runs - int(CERTIFIED * runs)


def certify(
    likely: ArrayLike,
    unlikely: ArrayLike,
    points: Sequence[tuple[float, float]],
    alpha: float,
) -> Certificate:
    """Choose an event on the first quarter of two samples and certify it on the rest.

    Parameters
    ----------
    likely, unlikely : array_like of shape (N,)
        Statistics of independent runs on the two data sets.
    points : sequence of (epsilon, delta)
        The claim; the event is chosen for the delta of the first point.
    alpha : float
        Error probability for which the event is chosen.
    """
    first, second = np.asarray(likely, dtype=float), np.asarray(unlikely, dtype=float)
    cut, other_cut = certified_from(first.size), certified_from(second.size)
    event = choose_event(first[:cut], second[:other_cut], points[0][1], alpha)
    held, other_held = first[cut:], second[other_cut:]
    one = event.count(held), held.size
    two = event.count(other_held), other_held.size
    return Certificate(event, one, two, two_sample_p_value(one, two, ceiling(points)))
