"""Claims as statements about events: P(event) <= ceiling(Q(event)).

Whatever the currency of a claim, it says for every event and for either order of the pair how
large the event's probability P on one data set may be, given its probability Q on the other. That
is all a black box can be tested for. Every kind of claim is a family ordered by one number, its
*level* (epsilon, mu, rho, a divergence), so that "the largest level that the counts reject" makes
sense for all of them.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp, ndtr, ndtri

from auditor.core.arguments import require_number, shown
from auditor.core.errors import InputError, one_line, pass_interrupts
from auditor.statistics.proportions import rejected_curve
from reference._validation import FloatArray
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
)

ROUNDING = 1e-12
"""Added to a line that must not be below a ceiling."""

TradeOffFunction = Callable[[FloatArray], ArrayLike]


SELECTION = 1.4
"""Standard errors by which an event's probabilities approach each other when events are compared.

The largest of many estimated levels is too large: that of the event that surely has most is not.
"""


class Shown(NamedTuple):
    """The level that estimated probabilities show.

    Attributes
    ----------
    level : float
    error : float
        The relative standard error of the privacy loss behind it, at most 1.
    """

    level: float
    error: float


@dataclass(frozen=True)
class Claim(ABC):
    """One claim about every event, see the module's docstring."""

    symbol: ClassVar[str]
    """The field that is the level."""

    @property
    def level(self) -> float:
        """The claimed level, >= 0."""
        return float(getattr(self, self.symbol))

    def at(self, level: float) -> Self:
        """Return the claim of the same family at another level."""
        return replace(self, **{self.symbol: level})

    @abstractmethod
    def ceiling(self, q: ArrayLike) -> FloatArray:
        """Return the largest P(event) that the claim allows; concave and nondecreasing in Q."""

    @abstractmethod
    def loss(self, p: ArrayLike, q: ArrayLike) -> FloatArray:
        """Return the smallest level whose ceiling at ``q`` reaches ``p``; 0 for p <= q."""

    @abstractmethod
    def describe(self) -> str:
        """Return the claim in words."""

    def over(self, share: float) -> Self:
        """Return the claim whose level is larger by ``share`` of it."""
        return self.at(self.level * (1 + share))

    def shown(self, p: FloatArray, q: FloatArray, *, least: float, runs: int) -> Shown:
        """Return the level of two distributions of a score that rises with the privacy loss.

        That of the best event "score > threshold", in either order of the pair.

        Parameters
        ----------
        p, q : ndarray
            Estimated probabilities of the score's values, in ascending order, on the likelier side
            and the other.
        least : float
            Probability of the rarest event, and of the rarest complement, that counts: on the side
            where it is likelier; of a trade-off function the smallest type II error that counts.
        runs : int
            Behind the estimates.
        """
        above = [np.clip(np.cumsum(side[::-1])[:-1], 0.0, 1.0) for side in (p, q)]
        counts = np.minimum(np.maximum(*above), self._rest(*above)) >= least
        if not counts.any():
            return Shown(0.0, 1.0)
        first, second = (side[counts] for side in above)
        errors = [np.sqrt(side * (1 - side) / runs) for side in (first, second)]
        low = np.maximum(first - SELECTION * errors[0], 0.0)
        best = int(np.argmax(self.loss(low, np.minimum(second + SELECTION * errors[1], 1.0))))
        difference = max(float(first[best] - second[best]), sys.float_info.min)
        error = math.hypot(errors[0][best], errors[1][best]) / difference
        return Shown(float(self.loss(first[best], second[best])), min(error, 1.0))

    def _rest(self, p: FloatArray, q: FloatArray) -> FloatArray:
        """Return the probability of the complement, of which the level of an event is as well."""
        return 1 - np.minimum(p, q)

    @abstractmethod
    def chord(self, q: float) -> tuple[float, float]:
        """Return (slope, intercept) of a line that is nowhere below the ceiling, close to it at q.

        The line is the claim in a form that bets can be placed on.

        Parameters
        ----------
        q : float
            In (0, 1).
        """


@dataclass(frozen=True)
class EpsilonDelta(Claim):
    """(epsilon, delta)-differential privacy."""

    epsilon: float
    delta: float = 0.0
    symbol: ClassVar[str] = "epsilon"

    def ceiling(self, q: ArrayLike) -> FloatArray:
        """Return min(1, e^epsilon q + delta), or what the event's complement allows if less."""
        other = np.asarray(q, dtype=np.float64)
        direct = math.exp(min(self.epsilon, 700.0)) * other + self.delta
        complement = 1 - math.exp(-self.epsilon) * np.maximum(1 - other - self.delta, 0.0)
        return np.asarray(np.minimum(np.minimum(direct, complement), 1.0))

    def loss(self, p: ArrayLike, q: ArrayLike) -> FloatArray:
        """Return the larger of log((p - delta)/q) and the same of the complement."""
        first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            direct = np.log(np.maximum(first - self.delta, 0.0)) - np.log(second)
            complement = np.log(np.maximum(1 - second - self.delta, 0.0)) - np.log(1 - first)
        return np.asarray(np.fmax(np.fmax(direct, complement), 0.0))

    def chord(self, q: float) -> tuple[float, float]:
        """Return the branch of the ceiling that is active at ``q``, exactly."""
        growth = math.exp(min(self.epsilon, 700.0))
        below, shrink = 1 - q - self.delta, math.exp(-self.epsilon)
        if growth * q + self.delta <= 1 - shrink * max(below, 0.0):
            return growth, self.delta
        return shrink, 1 - shrink * (1 - self.delta)

    def describe(self) -> str:
        """Return e.g. ``(1, 1e-05)-DP``."""
        if self.delta == 0:
            return f"{self.epsilon:g}-DP"
        return f"({self.epsilon:g}, {self.delta:g})-DP"


@dataclass(frozen=True)
class Gaussian(Claim):
    """mu-Gaussian differential privacy."""

    mu: float
    symbol: ClassVar[str] = "mu"

    def ceiling(self, q: ArrayLike) -> FloatArray:
        """Return the power of the best test of N(0, 1) against N(mu, 1) at size q."""
        return np.asarray(ndtr(ndtri(np.asarray(q, dtype=np.float64)) + self.mu))

    def loss(self, p: ArrayLike, q: ArrayLike) -> FloatArray:
        """Return the difference of the normal quantiles."""
        with np.errstate(invalid="ignore"):
            difference = ndtri(np.asarray(p, dtype=float)) - ndtri(np.asarray(q, dtype=float))
        return np.asarray(np.maximum(np.nan_to_num(difference, nan=0.0, posinf=math.inf), 0.0))

    def chord(self, q: float) -> tuple[float, float]:
        """Return the tangent, whose slope is the likelihood ratio at the test's threshold."""
        slope = math.exp(min(-self.mu * float(ndtri(q)) - self.mu**2 / 2, 700.0))
        return slope, float(self.ceiling(q)) - slope * q + ROUNDING

    def describe(self) -> str:
        """Return e.g. ``0.5-Gaussian DP``."""
        return f"{self.mu:g}-Gaussian DP"


def binary_divergence(alpha: ArrayLike, p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return the Renyi divergence of order ``alpha`` of Bernoulli(p) from Bernoulli(q)."""
    order = np.asarray(alpha, dtype=np.float64)
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        one = order * np.log(first) + (1 - order) * np.log(second)
        two = order * np.log1p(-first) + (1 - order) * np.log1p(-second)
        one = np.where(first == 0, -math.inf, one)
        two = np.where(first == 1, -math.inf, two)
        return np.where(first == second, 0.0, np.logaddexp(one, two) / (order - 1))


class _Divergence(Claim):
    """A bound on Renyi divergences, each divided by a weight, in both orders of the pair."""

    @property
    @abstractmethod
    def _orders(self) -> FloatArray:
        """The orders alpha > 1 that are looked at."""

    @property
    @abstractmethod
    def _weights(self) -> FloatArray:
        """Divisors of the divergences, one for each order."""

    def _losses(self, p: ArrayLike, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the weighted divergences of both orders of the pair; last axis: alpha."""
        first = np.maximum(p, q)[..., None]
        second = np.asarray(q, dtype=np.float64)[..., None]
        there = binary_divergence(self._orders, first, second) / self._weights
        return there, binary_divergence(self._orders, second, first) / self._weights

    def loss(self, p: ArrayLike, q: ArrayLike) -> FloatArray:
        """Return the largest weighted divergence that the event alone shows."""
        return np.asarray(np.fmax(*self._losses(p, q)).max(axis=-1))

    def shown(self, p: FloatArray, q: FloatArray, *, least: float, runs: int) -> Shown:
        """Return the largest weighted divergence: of all values together, not of one event.

        Its error is that of the event that shows most.
        """
        orders = self._orders[:, None]
        with np.errstate(divide="ignore"):
            one, two = np.log(p), np.log(q)
        there = logsumexp(orders * one + (1 - orders) * two, axis=1)
        back = logsumexp(orders * two + (1 - orders) * one, axis=1)
        level = float((np.maximum(there, back) / (self._orders - 1) / self._weights).max())
        return Shown(level, super().shown(p, q, least=least, runs=runs).error)

    def ceiling(self, q: ArrayLike) -> FloatArray:
        """Return the largest P whose divergences are within the claim, by bisection."""
        other = np.asarray(q, dtype=np.float64)
        low, high = np.array(other), np.ones_like(other)
        for _ in range(45):
            middle = (low + high) / 2
            inside = self.loss(middle, other) <= self.level
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return high

    def chord(self, q: float) -> tuple[float, float]:
        """Return the tangent of the region of the one order that binds.

        That region {(q, p)} is convex, because the divergence is quasi-convex, and contains those
        of all orders together.
        """
        p = float(self.ceiling(q))
        if self.level == 0:
            return 1.0, ROUNDING
        if p > 1 - 1e-12:
            return 0.0, 1.0
        there, back = self._losses(p, q)
        index = int(np.argmax(np.fmax(there, back)))
        alpha = float(self._orders[index])
        # implicit derivative of p^alpha q^(1 - alpha) + (1 - p)^alpha (1 - q)^(1 - alpha)
        odds = (1 - p) * q / (p * (1 - q))
        shape = math.expm1(alpha * math.log(odds)) / math.expm1((alpha - 1) * math.log(odds))
        if there[index] >= back[index]:
            slope = (alpha - 1) / alpha * p / q * shape
        else:
            slope = alpha / (alpha - 1) * (1 - p) / (1 - q) / shape
        return slope, p - slope * q + ROUNDING


@dataclass(frozen=True)
class Renyi(_Divergence):
    """(alpha, divergence)-Renyi differential privacy, for the one order alpha."""

    alpha: float
    divergence: float
    symbol: ClassVar[str] = "divergence"

    @property
    def _orders(self) -> FloatArray:
        return np.array([self.alpha])

    @property
    def _weights(self) -> FloatArray:
        return np.ones(1)

    def describe(self) -> str:
        """Return e.g. ``(2, 0.5)-Renyi DP``."""
        return f"({self.alpha:g}, {self.divergence:g})-Renyi DP"


_ORDERS = 1 + np.geomspace(1e-3, 1e3, 33)


@dataclass(frozen=True)
class Concentrated(_Divergence):
    """rho-zero-concentrated differential privacy: every order's divergence is at most alpha rho."""

    rho: float
    symbol: ClassVar[str] = "rho"

    @property
    def _orders(self) -> FloatArray:
        """A grid: orders between could only show more, so the test errs on the claim's side."""
        return _ORDERS

    @property
    def _weights(self) -> FloatArray:
        return _ORDERS

    def describe(self) -> str:
        """Return e.g. ``0.5-zCDP``."""
        return f"{self.rho:g}-zCDP"


@dataclass(frozen=True)
class TradeOff(Claim):
    """An arbitrary trade-off function, for both orders of the pair.

    Parameters
    ----------
    function : callable
        f(type I error) = smallest type II error; convex, nonincreasing, f(x) <= 1 - x, vectorised.
    times : float
        The level: how many times smaller the type II error of a test is than promised; 1 is the
        claim itself.
    """

    function: TradeOffFunction
    times: float = 1.0
    symbol: ClassVar[str] = "times"

    def __post_init__(self) -> None:
        size = np.linspace(0, 1, 1001)
        try:
            error = np.asarray(self.function(size), dtype=np.float64)
        except BaseException as problem:
            pass_interrupts(problem)
            said = one_line(problem)
            raise InputError(f"the trade-off function failed on an array ({said})") from None
        if error.shape != size.shape or not np.isfinite(error).all():
            raise InputError("the trade-off function must map an array in [0, 1] to finite values")
        if ((error < -1e-12) | (error > 1 - size + 1e-9)).any():
            raise InputError("a trade-off function must satisfy 0 <= f(x) <= 1 - x")
        if (np.diff(error, 2) < -1e-9).any():
            raise InputError("a trade-off function must be convex")

    def _error(self, q: ArrayLike) -> FloatArray:
        return np.asarray(self.function(np.asarray(q, dtype=np.float64)), dtype=np.float64)

    def ceiling(self, q: ArrayLike) -> FloatArray:
        """Return 1 - f(q)/times."""
        if self.times == 0:
            return np.zeros_like(np.asarray(q, dtype=np.float64))
        return np.clip(1 - self._error(q) / self.times, 0.0, 1.0)

    def loss(self, p: ArrayLike, q: ArrayLike) -> FloatArray:
        """Return f(q)/(1 - p)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self._error(q) / (1 - np.asarray(p, dtype=np.float64))
        return np.nan_to_num(ratio, nan=0.0, posinf=math.inf)

    def _rest(self, p: FloatArray, q: FloatArray) -> FloatArray:
        """Return the type II error, of which the level is, be the event the likelier on p or q."""
        return 1 - np.maximum(p, q)

    def chord(self, q: float) -> tuple[float, float]:
        """Return a line whose slope is a finite difference; the intercept is rounded up."""
        q = min(max(q, 1e-9), 1 - 1e-9)
        step = 1e-3 * min(q, 1 - q)
        near = np.linspace(q - 10 * step, q + 10 * step, 201)
        slope = float((self.ceiling(near[110]) - self.ceiling(near[90])) / (near[110] - near[90]))
        far = np.geomspace(1e-12, 0.5, 100)
        points = np.concatenate([near, far, 1 - far, [0.0, 1.0]])
        surplus = self.ceiling(points) - slope * points
        return slope, float(surplus.max()) * (1 + 1e-6) + 1e-9

    def describe(self) -> str:
        """Return the words for a trade-off claim."""
        name = getattr(self.function, "__name__", "f")
        return f"trade-off function {name}" + ("" if self.times == 1 else f" / {self.times:g}")


def claim_of(guarantee: Guarantee | TradeOffFunction) -> Claim:
    """Return the claim that a guarantee, or a trade-off function, makes about events.

    Raises
    ------
    InputError
        If it is neither.
    """
    if isinstance(guarantee, PureDP):
        return EpsilonDelta(guarantee.epsilon)
    if isinstance(guarantee, ApproximateDP):
        return EpsilonDelta(guarantee.epsilon, guarantee.delta)
    if isinstance(guarantee, ZCDP):
        return Concentrated(guarantee.rho)
    if isinstance(guarantee, RenyiDP):
        return Renyi(guarantee.alpha, guarantee.divergence)
    if isinstance(guarantee, GaussianDP):
        return Gaussian(guarantee.mu)
    if callable(guarantee):
        return TradeOff(guarantee)
    raise InputError(
        f"the claim must be PureDP, ApproximateDP, ZCDP, RenyiDP, GaussianDP or a trade-off "
        f"function, got {shown(guarantee)}"
    )


def certified_level(
    family: Claim, first: tuple[int, int], second: tuple[int, int], alpha: float
) -> float:
    """Return the largest level of a family of claims that counts of an event reject.

    A claim is rejected by :func:`~auditor.statistics.proportions.two_sample_p_value` at ``alpha``
    if and only if its level is smaller (to rounding). Tighter than two Clopper-Pearson bounds at
    alpha/2 each.

    Parameters
    ----------
    family : Claim
        Its own level does not matter.
    first, second : (int, int)
        Runs in the event, and runs, on the side where it is likely and on the other.
    alpha : float
    """
    p, q = rejected_curve(first, second, alpha)
    return float(np.min(family.loss(p, q)))


# ------------------------------------------------------------------------------------ in JSON types

_KINDS = {kind.__name__: kind for kind in (EpsilonDelta, Gaussian, Renyi, Concentrated)}


_LEVELS = (0.0, sys.float_info.max)
_RANGES = {"delta": (0.0, 1.0), "alpha": (1.0, sys.float_info.max)}
"""Legal ranges of the numbers of a claim, by name."""


def encode_claim(claim: Claim) -> dict[str, Any]:
    """Return a claim in JSON types; a trade-off function by its name alone."""
    if isinstance(claim, TradeOff):
        return {"kind": "TradeOff", "name": claim.describe()}
    assert is_dataclass(claim)
    return {"kind": type(claim).__name__, **asdict(claim)}


def decode_claim(plain: Any) -> Claim:
    """Return the claim of a witness, which may be anybody's file.

    Raises
    ------
    InputError
        If it was a trade-off function, or is no claim.
    """
    if not isinstance(plain, Mapping):
        raise InputError(f"the witness's claim must be an object with a kind, got {shown(plain)}")
    name = plain.get("kind")
    if name == "TradeOff":
        raise InputError(f"the witness's claim is {shown(plain.get('name'))}; give claim=...")
    if not isinstance(name, str) or name not in _KINDS:
        known = ", ".join([*_KINDS, "TradeOff"])
        raise InputError(f"the kind of the witness's claim must be {known}, got {shown(name)}")
    given = {key: value for key, value in plain.items() if key != "kind"}
    names = {field.name for field in fields(_KINDS[name])}
    if set(given) != names:
        raise InputError(
            f"the witness's claim of kind {name} must have {', '.join(sorted(names))}, "
            f"got {shown(sorted(given))}"
        )
    return _KINDS[name](
        **{
            key: require_number(f"{key} of the witness's claim", value, *_RANGES.get(key, _LEVELS))
            for key, value in given.items()
        }
    )
