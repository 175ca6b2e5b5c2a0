"""Compose privacy losses: bounds on delta that are never below the truth.

*One release.* Its curve delta(epsilon) is evaluated at the multiples of a grid step h and joined by
straight lines in e^epsilon, which a convex curve does not exceed (Doroshenko et al., 2022, "Connect
the dots"). The joined curve is that of a discrete loss. With d_i the curve at x_i = i h, the loss
lies above x_i with probability

    S_i = d_i + (d_i - d_(i+1))/(e^h - 1)          under the first law,
    T_i = e^(-x_i) (d_i - d_(i+1))/(e^h - 1)       under the second.

All pairs here are the same both ways round, so that the loss is at most -x_(i+1) with probability
T_i. A curve that is known to a relative ``CURVE_ERROR`` gives S_i to that times (1 + 2/(e^h - 1))
d_i, and S_i is raised by as much: delta(epsilon) is the mean of (1 - e^(epsilon - L))_+, which
grows with L, so that a stochastically larger loss dominates, also after composition.

*Their composition.* The losses add up. Their law P is composed by a fast Fourier transform of the
masses times e^(t x - K(t)), where K is the sum of the releases' logarithmic moments. As 1 - e^-x is
at most e^(t x + c(t)), c(t) = t ln t - (1 + t) ln(1 + t), so that delta(epsilon) is at most
e^(K(t) - t epsilon + c(t)), the t at which this is smallest brings the masses that matter to where
the others are, and the rounding of the transform is small against even the smallest delta. It is
bounded and added:

* the discrete Fourier transform of N = 2^k points has an error of norm at most 8 k u times that of
  its input, u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 24.2: k
  steps, each of at most 7 u with correctly rounded twiddle factors);
* a power by repeated squaring has a relative error of at most sqrt(5) u a factor (Brent, Percival
  and Zimmermann, 2007), and an error e in z is at most n e in z^n where |z| <= 1;
* every exponential is raised by a few u times the size of its argument.

What the circular transform wraps round from above is bounded by exp(K(t) - t R), R the upper end of
the window, and added; what it wraps round from below can only make delta larger.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import scipy

from reference._validation import SMALLEST_DELTA, FloatArray
from reference.privacy.subsampling import largest_loss, loss_deviation, sampled_gaussian_deltas

CURVE_ERROR = 1e-11
"""Relative error of the curves, which tests compare with 50 digits."""
_UNIT = 2.0**-53
_NATS = 35.0  # e^-35 of the largest part is left outside the window
_MOST_POINTS = 2**20
_MOST_TILT = 600.0  # times the grid step: a step changes tilted masses by e^600 at most


_FARTHEST = 200.0
_SMALLEST = 1e-307
"""Bound on what underflows; it is multiplied by at most exp(_FARTHEST)."""


@dataclass(frozen=True)
class LawPair:
    """Two laws that a release cannot be easier to tell apart than.

    Attributes
    ----------
    kind : {"gaussian", "laplace", "pure"}
        The last is randomised response.
    size : float
        mu, or epsilon.
    probability : float, default 1.0
        q, with which a Gaussian release reads the record.
    """

    kind: Literal["gaussian", "laplace", "pure"]
    size: float
    probability: float = 1.0

    def curve(self, epsilons: FloatArray) -> FloatArray:
        """Return delta at every epsilon >= 0."""
        if self.kind == "gaussian":
            return sampled_gaussian_deltas(self.size, self.probability, epsilons)
        rest = np.minimum(epsilons - self.size, 0.0)
        if self.kind == "laplace":
            return np.asarray(-np.expm1(rest / 2))
        return np.asarray(-np.expm1(rest) / (1 + math.exp(-self.size)))

    @property
    def largest_loss(self) -> float:
        """Loss beyond which nothing lies, or far less than the smallest delta that is accepted."""
        if self.kind == "gaussian":
            return largest_loss(self.size, self.probability, 1e-10 * SMALLEST_DELTA)
        return self.size

    @property
    def deviation(self) -> float:
        """Approximate standard deviation of the loss."""
        if self.kind == "gaussian":
            return loss_deviation(self.size, self.probability)
        if self.kind == "laplace":
            return min(self.size, 1.5)
        return self.size / math.cosh(self.size / 2)


@dataclass(frozen=True)
class GridLoss:
    """The loss of so many equal releases, on a grid.

    Attributes
    ----------
    masses : ndarray of float, shape (2 n + 1,)
        Probabilities of the losses -n h to n h.
    infinite : float
        Probability of a larger loss, counted as infinite.
    count : int
        Number of releases.
    """

    masses: FloatArray
    infinite: float
    count: int

    @property
    def reach(self) -> int:
        """The number n of grid steps on each side of 0."""
        return len(self.masses) // 2


def join_dots(pair: LawPair, interval: float, count: int) -> GridLoss:
    """Return a loss on a grid of step ``interval`` that dominates the pair's."""
    reach = max(math.ceil(pair.largest_loss / interval), 1)
    d = pair.curve(np.asarray(np.arange(reach + 1) * interval))
    step = math.expm1(interval)
    slope = np.maximum(-np.diff(d), 0.0) / step
    error = CURVE_ERROR * (1 + 2 / step) * d
    above = np.append(d[:-1] + slope + error[:-1], d[-1] + error[-1])
    above = np.minimum(np.maximum.accumulate(above[::-1])[::-1], 1.0)
    losses = -np.arange(reach) * interval
    below = np.exp(losses) * np.maximum(slope - 2 * CURVE_ERROR * d[:-1] / step, 0.0)
    below = np.minimum(np.maximum.accumulate(below[::-1])[::-1], 1 - above[0])
    # P(L = x) for x = -n h, .., -h; 0; h, .., n h
    masses = np.concatenate(
        [-np.diff(below, append=0.0)[::-1], [1 - above[0] - below[0]], -np.diff(above)]
    )
    return GridLoss(masses, float(above[-1]), count)


class ComposedLoss:
    """The sum of the losses of so many releases of each pair, on one grid.

    Parameters
    ----------
    pairs : sequence of (LawPair, int)
        At least one.
    interval : float
        The grid step.
    """

    def __init__(self, pairs: Sequence[tuple[LawPair, int]], interval: float) -> None:
        self.interval = interval
        self.losses = tuple(join_dots(pair, interval, count) for pair, count in pairs)
        self._pairs = pairs

    def delta_at(self, epsilon: float) -> float:
        """Return a delta that holds at ``epsilon`` >= 0."""
        if epsilon >= self._largest:
            return self.infinite
        finite = self._tilted(self._tilt_at(epsilon)).delta_at(epsilon)
        return min(1.0, max(self.infinite + finite, math.ulp(0.0)) * (1 + 4 * _UNIT))

    def epsilon_at(self, delta: float) -> float:
        """Return an epsilon that holds at ``delta`` > 0; infinite if none is found.

        :meth:`delta_at` there, bounded at another tilt, may exceed ``delta``: by a relative 1e-6 or
        less in all that was tried.
        """
        finite = (delta - self.infinite) * (1 - 4 * _UNIT)
        if finite <= 0:
            return math.inf
        tilted = self._tilted(self._tilt_for(finite))
        if self.delta_at(0.0) <= delta or tilted.delta_at(0.0) <= finite:
            return 0.0

        def excess(epsilon: float) -> float:
            # clamped, since a root finder cannot use infinities
            return math.log(min(max(tilted.delta_at(epsilon), 1e-300), 1e300) / finite)

        high = tilted.epsilon_by_moments(finite)
        if tilted.delta_at(high) > finite:  # nothing better than the moments
            return high
        low = float(scipy.optimize.brentq(excess, 0.0, high, xtol=1e-12 * high))
        step = 1e-12 * high
        while low < high and tilted.delta_at(low) > finite:
            low, step = low + step, 2 * step
        return min(low, high)

    @cached_property
    def infinite(self) -> float:
        """Probability that some loss is infinite, from above."""
        total = math.fsum(x.count * math.log1p(-x.infinite) for x in self.losses)
        return max(0.0, -math.expm1(total)) * (1 + 8 * _UNIT)

    @property
    def _largest(self) -> float:
        """The largest finite loss."""
        return self.interval * sum(loss.count * loss.reach for loss in self.losses)

    # ---------------------------------------------------------------- the tilt

    @cached_property
    def _logarithms(self) -> list[tuple[FloatArray, FloatArray]]:
        """The losses and logarithms of the masses of every part, zeros left out."""
        parts = []
        for loss in self.losses:
            index = np.flatnonzero(loss.masses)
            x = np.asarray((index - loss.reach) * self.interval)
            parts.append((x, np.asarray(np.log(loss.masses[index]))))
        return parts

    def _moments(self, tilt: float) -> tuple[float, float, float]:
        """Return K(tilt) and its first and second derivative."""
        total = np.zeros(3)
        for loss, (x, logs) in zip(self.losses, self._logarithms, strict=True):
            exponents = logs + tilt * x
            largest = exponents.max()
            weights = np.exp(exponents - largest)
            mass = weights.sum()
            mean = float((weights * x).sum()) / mass  # a product of BLAS wakes all threads
            variance = float((weights * (x - mean) ** 2).sum()) / mass
            total += loss.count * np.array([largest + math.log(mass), mean, variance])
        return float(total[0]), float(total[1]), float(total[2])

    def _tilt_at(self, epsilon: float) -> float:
        """Return the t at which e^(K(t) - t epsilon + c(t)), a valid delta, is smallest."""
        return self._root(lambda t: self._moments(t)[1] - math.log1p(1 / t) - epsilon)

    def _tilt_for(self, delta: float) -> float:
        """Return the t at which (K(t) + c(t) - ln delta)/t, a valid epsilon, is smallest."""

        def slope(t: float) -> float:
            k, mean, _ = self._moments(t)
            return t * mean - k + math.log1p(t) + math.log(delta)

        return self._root(slope)

    def _root(self, rising: Callable[[float], float]) -> float:
        """Return about where a rising function of the tilt is 0, or an end of the tilts."""
        low, high = math.log(1e-9), math.log(_MOST_TILT / self.interval)
        if rising(math.exp(high)) <= 0:
            return math.exp(high)
        if rising(math.exp(low)) >= 0:
            return math.exp(low)
        return math.exp(scipy.optimize.brentq(lambda t: rising(math.exp(t)), low, high, xtol=1e-3))

    def _tilted(self, tilt: float) -> _Tilted:
        k, _, variance = self._moments(tilt)
        shifts = 2.0 ** np.arange(-4, 8) / max(math.sqrt(variance), self.interval)
        ups = [(float(t), self._moments(float(t))[0]) for t in tilt + shifts]
        downs = [(float(s), self._moments(tilt - float(s))[0]) for s in shifts]
        # the tilted law is above R with probability <= exp(K(t) - K(tilt) - (t - tilt) R)
        reach = sum(loss.count * loss.reach for loss in self.losses)
        upper = min((up - k + _NATS) / (t - tilt) for t, up in ups) / self.interval
        lower = max((k - down - _NATS) / shift for shift, down in downs) / self.interval
        first, last = max(math.floor(lower), -reach), min(math.ceil(upper), reach)
        if last - first >= _MOST_POINTS:
            return self._coarser._tilted(tilt)
        size = 2 ** math.ceil(math.log2(last - first + 1))
        masses, error = self._transformed(tilt, size)
        losses = (first + np.arange(size)) * self.interval
        end = float(losses[-1])
        beyond = min(up - t * end for t, up in ups) if first + size <= reach else -math.inf
        return _Tilted(tilt, k, losses, np.roll(masses, -first), error, _above_exp(beyond))

    @cached_property
    def _coarser(self) -> ComposedLoss:
        """The same on a coarser grid: far from the mean, the tilted law is wider."""
        return ComposedLoss(self._pairs, 4 * self.interval)

    def _transformed(self, tilt: float, size: int) -> tuple[FloatArray, float]:
        """Return the tilted masses at 0, h, .. modulo ``size`` steps, and a norm of their error."""
        share = 8 * math.log2(size) * _UNIT
        product: np.ndarray[tuple[int], np.dtype[np.complex128]] = np.ones(size // 2 + 1, complex)
        error, growth, releases = 0.0, 0.0, 0
        for loss, (x, logs) in zip(self.losses, self._logarithms, strict=True):
            exponents = logs + tilt * x
            k = float(scipy.special.logsumexp(exponents))
            weights = np.exp(exponents - k) * (1 + 4 * _UNIT * (4 + np.abs(tilt * x) + abs(k)))
            places = np.rint(x / self.interval).astype(np.int64) % size
            wrapped = np.asarray(np.bincount(places, weights, size), dtype=np.float64)
            product *= _power(np.fft.rfft(wrapped), loss.count)
            error += loss.count * share * _norm(wrapped)
            growth += loss.count * math.log(max(1.0, float(wrapped.sum())))
            releases += loss.count
        masses = np.fft.irfft(product, size)
        error += (share + math.sqrt(5) * releases * _UNIT) * _norm(masses)
        return masses, 2 * error * math.exp(growth)  # twice: products of errors are left out


@dataclass(frozen=True)
class _Tilted:
    """The composed loss under exp(tilt x - K), with bounds on what is left out.

    Attributes
    ----------
    tilt, k : float
        t and K(t).
    losses, masses : ndarray of float
        The tilted law on its window.
    error : float
        Bound on the 2-norm of the errors of ``masses``.
    beyond : float
        Bound on the probability, not tilted, of a loss above the window.
    """

    tilt: float
    k: float
    losses: FloatArray
    masses: FloatArray
    error: float
    beyond: float

    def delta_at(self, epsilon: float) -> float:
        exponent = self.k - self.tilt * epsilon
        if exponent > _FARTHEST:
            return math.inf
        above = self.losses > epsilon
        gap = self.losses[above] - epsilon
        gains = np.exp(-self.tilt * gap) * -np.expm1(-gap)
        mean = float((self.masses[above] * gains).sum()) + self.error * _norm(gains)
        mean += len(gap) * _SMALLEST
        largest = max(abs(float(self.losses[0])), abs(float(self.losses[-1])))
        size = abs(self.k) + self.tilt * (largest + epsilon)
        return mean * math.exp(exponent) * (1 + 8 * _UNIT * (4 + size)) + self.beyond

    def epsilon_by_moments(self, delta: float) -> float:
        """Return the epsilon at which the exponential moment alone certifies ``delta``."""
        t = self.tilt
        # K, c as two terms of which none cancels for large t, and -ln delta
        terms = (self.k, -t * math.log1p(1 / t), -math.log1p(t), -math.log(delta))
        size = math.fsum(map(abs, terms)) + t * abs(float(self.losses[-1]))
        exponent = math.fsum(terms) + 16 * _UNIT * (4 + size)
        return max(0.0, exponent / t) * (1 + 4 * _UNIT)


@lru_cache(maxsize=16)  # some are megabytes
def composed(pairs: tuple[tuple[LawPair, int], ...]) -> ComposedLoss:
    """Return the loss of so many releases of each pair."""
    return ComposedLoss(pairs, _interval(pairs))


def _interval(pairs: Sequence[tuple[LawPair, int]]) -> float:
    """Return the grid step.

    Joining the curve at points h apart adds at most h^2/4 to the variance of a loss: with h a
    share s of the root mean square of the losses' deviations at most s^2/4 of the whole variance.
    The share is 0.002, more for over 900 releases, since the window is some 17 sqrt(releases)/s
    steps wide, and 0.02 for samples, whose largest losses are many deviations. The ends of the
    commonest pair of bounded loss are kept on the grid, where its atoms lose nothing, unless they
    are within one step: a grid as fine as that takes minutes if there are larger losses.
    """
    releases = sum(count for _, count in pairs)
    variance = math.fsum(count * pair.deviation**2 for pair, count in pairs)
    least = 0.002 if all(pair.probability == 1 for pair, _ in pairs) else 0.02
    wanted = max(least, math.sqrt(releases) / 15_000) * math.sqrt(variance / releases)
    wanted = max(wanted, max(pair.largest_loss for pair, _ in pairs) / 2**16)
    if len(pairs) == 1 and pairs[0][0].kind == "pure":
        return pairs[0][0].size
    bounded = [(count * pair.size, pair) for pair, count in pairs if pair.kind != "gaussian"]
    bounded = [item for item in bounded if item[1].size > wanted]
    if not bounded:
        return wanted
    commonest = max(bounded, key=lambda item: item[0])[1]
    # a little more, so that the last point is not before the end: that would be an infinite loss
    return commonest.size / math.ceil(commonest.size / wanted) * (1 + 4 * _UNIT)


def _norm(values: FloatArray) -> float:
    return math.sqrt(float((values * values).sum()))


def _above_exp(exponent: float) -> float:
    exponent = max(min(exponent, 0.0), -1e3)  # at the least 0 in doubles
    return math.exp(exponent) * (1 + 4 * _UNIT * (1 - exponent))


def _power(
    base: np.ndarray[tuple[int], np.dtype[np.complex128]], exponent: int
) -> np.ndarray[tuple[int], np.dtype[np.complex128]]:
    """Return a power by repeated squaring."""
    result = np.ones_like(base)
    while exponent:
        if exponent % 2:
            result = result * base
        base, exponent = base * base, exponent // 2
    return result
