"""The smallest epsilon of two laws that are known exactly.

For two laws P and Q, P is (epsilon, delta)-indistinguishable from Q if P(E) <= e^epsilon Q(E) +
delta for every event E. The worst events hold the outcomes of the largest likelihood ratios
P/Q (Neyman and Pearson), so the smallest epsilon is the largest log((P(E) - delta)/Q(E)) over the
events "the loss log(P/Q) is at least l". Everything here follows from that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from itertools import pairwise

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import ndtr

from auditor.statistics.claims import EpsilonDelta, certified_level
from reference._validation import FloatArray
from reference.privacy.guarantees import smallest_epsilon

Masses = tuple[FloatArray, FloatArray]
"""Probabilities of the same outcomes under D and under D'."""

Location = tuple[float, float]
"""Centre and scale of a Laplace law."""

STEP = 2.0**-13
"""About the step of the lattices of losses; half of it changes epsilon by less than 3e-8."""

EVENTS = 200
"""Events of a side of which the one that certifies most is taken."""

_EQUAL = 1e-12
"""A probability that exceeds delta by less than this share of it is delta, but for rounding."""


# ------------------------------------------------------------------------- countable laws


def epsilon_of_masses(masses: Masses, delta: float) -> float:
    """Return the smallest epsilon of two laws on finitely many outcomes, both ways round.

    Parameters
    ----------
    masses : (ndarray of shape (k,), ndarray of shape (k,))
        Nonnegative; a law may be cut off where it has no weight.
    delta : float
        In [0, 1).

    Returns
    -------
    float
        >= 0; infinite if outcomes that are impossible on one side exceed ``delta``.
    """
    p, q = masses
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.log(p) - np.log(q)
    possible = (p > 0) | (q > 0)
    order = np.flatnonzero(possible)[np.argsort(-loss[possible], kind="stable")]
    p, q = p[order], q[order]
    return max(_epsilon_of_ordered(p, q, delta), _epsilon_of_ordered(q[::-1], p[::-1], delta))


def best_event_epsilon(masses: Masses, delta: float, runs: int, confidence: float) -> float:
    """Return the epsilon that runs certify by the best event, if it is known in advance.

    By the auditor's own test, with an event seen as often as is expected of it. Of the events
    "the loss is at least l", :data:`EVENTS` are tried on either side.

    Parameters
    ----------
    masses : (ndarray of shape (k,), ndarray of shape (k,))
        As for :func:`epsilon_of_masses`.
    delta : float
        In [0, 1).
    runs : int
        On each data set.
    confidence : float

    Returns
    -------
    float
        >= 0.
    """
    family, found = EpsilonDelta(0.0, delta), 0.0
    for p, q in (masses, masses[::-1]):
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(-(np.log(p) - np.log(q)), kind="stable")
        counts = [np.rint(runs * np.cumsum(side[order])).clip(0, runs) for side in (p, q)]
        wanted = np.geomspace(1, runs, EVENTS)
        at = np.unique(np.searchsorted(counts[0], wanted).clip(0, len(order) - 1))
        for seen, other in zip(*(count[at].astype(int).tolist() for count in counts), strict=True):
            level = certified_level(family, (seen, runs), (other, runs), 1 - confidence)
            found = max(found, level)
    return found


def truth_of(first: FloatArray, second: FloatArray) -> Callable[[float], float]:
    """Return ``delta`` -> :func:`epsilon_of_masses` of two laws on finitely many outcomes."""
    return partial(epsilon_of_masses, (first, second))


def _epsilon_of_ordered(p: FloatArray, q: FloatArray, delta: float) -> float:
    """Return the largest log((P(E) - delta)/Q(E)) over the first outcomes E; at least 0."""
    inside, outside = np.cumsum(p), np.cumsum(q)
    over = inside > delta * (1 + _EQUAL)
    with np.errstate(divide="ignore"):
        needed = np.log(inside[over] - delta) - np.log(np.maximum(outside[over], 0.0))
    return max(0.0, float(needed.max(initial=0.0)))


def product(*laws: Masses) -> Masses:
    """Return the masses of independent outcomes, one of each law.

    Returns
    -------
    (ndarray of shape (k1 k2 ...,), same)
    """
    first, second = zip(*laws, strict=True)
    return _product(first), _product(second)


def _product(factors: tuple[FloatArray, ...]) -> FloatArray:
    return reduce(lambda a, b: np.multiply.outer(a, b).ravel(), factors)


def bernoulli(p: float, q: float) -> Masses:
    """Return the masses of an outcome of probability p or q, and of its complement."""
    return np.array([p, 1 - p]), np.array([q, 1 - q])


def opposite_losses_masses(loss: float) -> Masses:
    """Return the masses 1/(1 + e^-loss) and 1/(1 + e^loss), and the other way round.

    The only two outcomes with the losses ``loss`` and -``loss``.
    """
    likely = 1 / (1 + math.exp(-loss))
    return bernoulli(likely, 1 - likely)


def opposite_losses_epsilon(loss: float, delta: float) -> float:
    """Return the smallest epsilon of :func:`opposite_losses_masses`."""
    return epsilon_of_masses(opposite_losses_masses(loss), delta)


# --------------------------------------------------------------------------- Laplace laws


def laplace_excess(
    first: Location,
    second: Location,
    epsilon: float,
    low: float = -math.inf,
    high: float = math.inf,
) -> float:
    """Return the integral of (p - e^epsilon q)_+ over (low, high) for two Laplace densities.

    The loss log(p/q) is linear between the centres and beyond them, so p - e^epsilon q changes its
    sign at most once in each of the three pieces. Between these points the integral is a
    difference of distribution functions.

    Parameters
    ----------
    first, second : (float, float)
        Centre and scale of p and of q.
    epsilon : float
        May be negative.
    low, high : float
    """
    centres = sorted({first[0], second[0]})
    ends = [-math.inf, *centres, math.inf]
    points = {low, high, *centres}
    for left, right in pairwise(ends):
        points.update(_crossing(first, second, epsilon, left, right))
    edges = sorted(x for x in points if low <= x <= high)
    growth = math.exp(min(epsilon, 700.0))
    return sum(
        max(0.0, laplace_mass(first, left, right) - growth * laplace_mass(second, left, right))
        for left, right in pairwise(edges)
    )


def _crossing(
    first: Location, second: Location, epsilon: float, left: float, right: float
) -> list[float]:
    """Return where the loss is epsilon between two neighbouring kinks, if anywhere."""
    start = left if math.isfinite(left) else right - 1.0
    stop = right if math.isfinite(right) else start + 1.0
    at_start, at_stop = (_laplace_loss(first, second, x) for x in (start, stop))
    if at_start == at_stop:
        return []
    x = start + (epsilon - at_start) * (stop - start) / (at_stop - at_start)
    return [x] if left < x < right else []


def _laplace_loss(first: Location, second: Location, x: float) -> float:
    (m, s), (n, t) = first, second
    return abs(x - n) / t - abs(x - m) / s + math.log(t / s)


def laplace_mass(law: Location, low: float, high: float) -> float:
    """Return the probability of (low, high) under a Laplace law, without cancellation."""
    centre, scale = law
    a, b = (low - centre) / scale, (high - centre) / scale
    if a >= 0:
        return 0.5 * math.exp(-a) * -math.expm1(a - b)
    if b <= 0:
        return 0.5 * math.exp(b) * -math.expm1(a - b)
    return 1 - 0.5 * math.exp(a) - 0.5 * math.exp(-b)


def other_scale_epsilon(laws: tuple[Location, Location], delta: float) -> float:
    """Return the smallest epsilon of two Laplace laws of different scales, both ways round.

    Of the law with the larger scale against the other the loss grows without bound, so at delta 0
    there is no epsilon.
    """

    def profile(epsilon: float) -> float:
        return max(laplace_excess(p, q, epsilon) for p, q in (laws, laws[::-1]))

    return math.inf if delta == 0 else smallest_epsilon(profile, delta)


# ---------------------------------------------------------------------------- composition


@dataclass(frozen=True)
class LossLattice:
    """A pair of laws whose losses are multiples of a step.

    A loss between two multiples is split over them so that both laws keep their total (the
    "connected dots" of Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, 2022). That moves no
    probability under either law but spreads the loss by at most half a step, at random and
    without bias, so delta(epsilon) errs upwards by a multiple of step^2.

    Attributes
    ----------
    step : float
    first : int
        The smallest loss is ``first * step``.
    p : ndarray of shape (k,)
        Probabilities under D of the losses ``(first + i) step``; those under D' are
        ``p exp(-loss)``.
    """

    step: float
    first: int
    p: FloatArray

    @classmethod
    def of_bins(cls, step: float, first: int, p: FloatArray, q: FloatArray) -> LossLattice:
        """Split the masses of the bins [i step, (i + 1) step], i = first, first + 1, ...

        Of a bin's mass a under D and b under D', x goes to its lower end and y to its upper one,
        where x + y = a and x e^(-i step) + y e^(-(i + 1) step) = b.
        """
        edges = np.exp(-step * (first + np.arange(p.size + 1)))
        lower = np.clip((q - p * edges[1:]) / (edges[:-1] - edges[1:]), 0.0, p)
        return cls(step, first, np.append(lower, 0.0) + np.append(0.0, p - lower))

    def then(self, other: LossLattice) -> LossLattice:
        """Return the lattice of two independent outcomes."""
        p = np.maximum(fftconvolve(self.p, other.p), 0.0)
        return LossLattice(self.step, self.first + other.first, p)

    def epsilon(self, delta: float) -> float:
        """Return the smallest epsilon at ``delta`` > 1e-12, both ways round."""
        loss = self.step * (self.first + np.arange(self.p.size))
        q = self.p * np.exp(-loss)
        forth = _epsilon_of_ordered(self.p[::-1], q[::-1], delta)
        return max(forth, _epsilon_of_ordered(q, self.p, delta))


@lru_cache(maxsize=32)
def composed_laplace(steps: tuple[int, ...], step: float) -> LossLattice:
    """Return the lattice of independent Laplace releases.

    In units of its scale a release is x, centred at 0 under D and at a under D', and its loss
    is |x - a| - |x|: a where x <= 0 (probability 1/2 under D), -a where x >= a (probability
    e^-a/2), and a - 2x between. The density of the loss l is e^((l - a)/2)/4 under D, and e^-l
    times that under D'.

    Parameters
    ----------
    steps : tuple of int
        How many steps the largest loss a of every release takes; each >= 1.
    step : float
    """
    lattices = [_laplace_lattice(count, step) for count in steps]
    return reduce(LossLattice.then, lattices)


def _laplace_lattice(count: int, step: float) -> LossLattice:
    losses = step * np.arange(-count, count + 1)
    top = count * step
    below = 0.5 * np.exp((losses - top) / 2)
    above = 0.5 * np.exp((-losses - top) / 2)
    between = LossLattice.of_bins(step, -count, np.diff(below), -np.diff(above))
    p = between.p.copy()
    p[0] += 0.5 * math.exp(-top)
    p[-1] += 0.5
    return LossLattice(step, -count, p)


@lru_cache(maxsize=32)
def sampled_gaussian(mu: float, rate: float, step: float) -> LossLattice:
    """Return the lattice of (1 - rate) N(0, 1) + rate N(mu, 1) against N(0, 1).

    The loss log(1 - rate + rate e^(mu x - mu^2/2)) increases in x, so its bins are intervals of x.

    Parameters
    ----------
    mu : float
        > 0.
    rate : float
        In (0, 1).
    step : float
    """
    lowest = math.log1p(-rate)
    reach = mu + 9.0  # a tail of 1e-19 is left out
    highest = float(np.logaddexp(lowest, math.log(rate) + mu * reach - mu**2 / 2))
    first, last = math.floor(lowest / step), math.ceil(highest / step)
    losses = step * np.arange(first, last + 1)
    ratio = (np.expm1(losses) + rate) / rate
    with np.errstate(divide="ignore"):
        edges = (np.log(np.maximum(ratio, 0.0)) + mu**2 / 2) / mu
    outside = _normal_masses(edges)
    inside = (1 - rate) * outside + rate * _normal_masses(edges - mu)
    return LossLattice.of_bins(step, first, inside, outside)


def _normal_masses(edges: FloatArray) -> FloatArray:
    """Return the standard normal probabilities between edges, from the nearer tail."""
    lower, upper = edges[:-1], edges[1:]
    return np.asarray(
        np.where(lower > 0, ndtr(-lower) - ndtr(-upper), ndtr(upper) - ndtr(lower)), dtype=float
    )
