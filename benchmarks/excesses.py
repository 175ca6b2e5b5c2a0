"""Mechanisms that are over a claim by a known share: one family for every kind of claim and output.

Every family is exact at share 0: its mechanism uses all of the claim. The share is of the claim's
level in what a promise tells of: the best event of 1% of the runs or more, or the divergence. That
is the level of the whole mechanism but for two families, whose best events are rarer. The level of
a trade-off function is how many times a test errs less than it may.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from auditor.checking.evidence import BETTING_SHARE, Evidence
from auditor.checking.examination import examine_twice
from auditor.checking.promises import SURELY, TOLD_EVENTS, FinalTest
from auditor.events.learning import TRAINING_SHARE, VECTOR_SHARE
from auditor.runs.sampling import FunctionSampler
from auditor.statistics.claims import Claim, Concentrated, EpsilonDelta, TradeOff, claim_of
from reference.privacy.calibration import smallest_gaussian_scale
from reference.privacy.guarantees import ZCDP, ApproximateDP, GaussianDP, PureDP, RenyiDP

ALPHA = 0.01
COORDINATES = 5
Mechanism = Callable[..., Any]


# ------------------------------------------------------------------------------ mechanisms


def laplace(epsilon: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw the Laplace mechanism."""
    return data + rng.laplace(scale=1 / epsilon, size=size)


def laplace_vector(epsilon: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw Laplace noise in three coordinates that share the sensitivity."""
    return data / 3 + rng.laplace(scale=1 / epsilon, size=(size, 3))


def geometric(epsilon: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw the geometric mechanism: integers."""
    chance = 1 - math.exp(-epsilon)
    return int(data) + rng.geometric(chance, size) - rng.geometric(chance, size)


def response(epsilon: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw randomized response."""
    return (rng.random(size) < 1 / (1 + math.exp(-epsilon))) == (data > 0.5)


def gaussian(mu: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw the Gaussian mechanism that is exactly mu-Gaussian DP."""
    return data + rng.normal(scale=1 / mu, size=size)


def rounded(mu: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw the Gaussian mechanism, rounded to halves."""
    return np.floor(2 * gaussian(mu, data, rng, size)) / 2


def gaussian_vector(mu: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw Gaussian noise in five coordinates that share the sensitivity."""
    noise = rng.normal(scale=1 / mu, size=(size, COORDINATES))
    return data / math.sqrt(COORDINATES) + noise


# ------------------------------------------------------------------------------ parameters


def mu_of(epsilon: float, delta: float) -> float:
    """Return the mu of the Gaussian mechanism that is exactly (epsilon, delta)-DP."""
    return 1 / smallest_gaussian_scale(epsilon, delta, sensitivity=1.0)


def epsilon_of(divergence: float) -> float:
    """Return the epsilon of randomized response of a Renyi divergence of order 2."""

    def surplus(epsilon: float) -> float:
        p = 1 / (1 + math.exp(-epsilon))
        return math.log(p**2 / (1 - p) + (1 - p) ** 2 / p) - divergence

    return float(brentq(surplus, 1e-6, 30.0))


def epsilon_of_rho(rho: float) -> float:
    """Return the epsilon of randomized response of a zero-concentrated level."""

    def surplus(epsilon: float) -> float:
        p = 1 / (1 + math.exp(-epsilon))
        return float(Concentrated(rho).loss(p, 1 - p)) - rho

    return float(brentq(surplus, 1e-6, 30.0))


def pure_errors(size: Any) -> Any:
    """Return the smallest type II errors of any test of a 1-DP mechanism."""
    size = np.asarray(size, dtype=float)
    return np.maximum(np.maximum(1 - math.e * size, math.exp(-1) * (1 - size)), 0.0)


def normal_errors(size: Any) -> Any:
    """Return the type II errors of the best test of N(0, 1) against N(1, 1)."""
    return stats.norm.cdf(stats.norm.isf(size) - 1)


def laplace_errors(size: Any) -> Any:
    """Return the type II errors of the best test of Laplace noise against noise moved by 1."""
    size = np.asarray(size, dtype=float)
    with np.errstate(divide="ignore"):
        middle = math.exp(-1) / np.where(size > 0, 4 * size, 1.0)
    few = 1 - math.e * size
    many = math.exp(-1) * (1 - size)
    return np.where(size < math.exp(-1) / 2, few, np.where(size > 0.5, many, middle))


def mu_over(claim: Claim, exactly: float, share: float) -> float:
    """Return the mu of the Gaussian mechanism whose level, in the events told of, is over a claim.

    Parameters
    ----------
    claim : Claim
    exactly : float
        The mu that is all of the claim, which may be so in rarer events alone.
    share : float
        Of the claim's level.
    """

    def surplus(mu: float) -> float:
        return told_level(claim, partial(gaussian, mu)) / claim.level - 1 - share

    return float(brentq(surplus, exactly, 12.0)) if share > 0 else exactly


# ------------------------------------------------------------------------------ families


@dataclass(frozen=True)
class Family:
    """A claim, and mechanisms by how far they are over it.

    Attributes
    ----------
    name, shape : str
    guarantee : Any
        As ``auditor.check`` takes it.
    over : callable
        ``over(share)`` returns a mechanism: one of this module's, with its parameter bound.
    """

    name: str
    shape: str
    guarantee: Any
    over: Callable[[float], partial[Any]]

    @property
    def claim(self) -> Claim:
        """Return the claim about events."""
        return claim_of(self.guarantee)


FAMILIES = (
    Family("Laplace, epsilon 1", "scalar", PureDP(1.0), lambda x: partial(laplace, 1 + x)),
    Family("geometric, epsilon 1", "discrete", PureDP(1.0), lambda x: partial(geometric, 1 + x)),
    Family(
        "randomized response, epsilon 1",
        "discrete",
        PureDP(1.0),
        lambda x: partial(response, 1 + x),
    ),
    Family(
        "Laplace in 3 coordinates, epsilon 1",
        "vector",
        PureDP(1.0),
        lambda x: partial(laplace_vector, 1 + x),
    ),
    Family(
        "Gaussian, (1, 0.01)",
        "scalar",
        ApproximateDP(1.0, 0.01),
        lambda x: partial(gaussian, mu_of(1 + x, 0.01)),
    ),
    Family(
        "Gaussian, (3.14, 0.001)",
        "scalar",
        ApproximateDP(3.14, 1e-3),
        lambda x: partial(gaussian, mu_over(EpsilonDelta(3.14, 1e-3), mu_of(3.14, 1e-3), x)),
    ),
    Family(
        "Gaussian in 5 coordinates, (1, 0.01)",
        "vector",
        ApproximateDP(1.0, 0.01),
        lambda x: partial(gaussian_vector, mu_of(1 + x, 0.01)),
    ),
    Family("Gaussian, mu 1", "scalar", GaussianDP(1.0), lambda x: partial(gaussian, 1 + x)),
    Family(
        "rounded Gaussian, mu 1", "discrete", GaussianDP(1.0), lambda x: partial(rounded, 1 + x)
    ),
    Family(
        "Gaussian in 5 coordinates, mu 1",
        "vector",
        GaussianDP(1.0),
        lambda x: partial(gaussian_vector, 1 + x),
    ),
    Family("Gaussian, rho 0.5", "scalar", ZCDP(0.5), lambda x: partial(gaussian, math.sqrt(1 + x))),
    Family(
        "Gaussian, Renyi (2, 1)",
        "scalar",
        RenyiDP(2.0, 1.0),
        lambda x: partial(gaussian, math.sqrt(1 + x)),
    ),
    Family(
        "randomized response, Renyi (2, 1)",
        "discrete",
        RenyiDP(2.0, 1.0),
        lambda x: partial(response, epsilon_of(1 + x)),
    ),
    Family(
        "randomized response, rho 0.1",
        "discrete",
        ZCDP(0.1),
        lambda x: partial(response, epsilon_of_rho(0.1 * (1 + x))),
    ),
    Family(
        "randomized response, a trade-off function",
        "discrete",
        pure_errors,
        # 1 - e q is claimed of an error of q, so that 1/q = 1 + e^epsilon is above e by 1 + share
        lambda x: partial(response, math.log(math.e + x)),
    ),
    Family(
        "Laplace, its trade-off function",
        "scalar",
        laplace_errors,
        lambda x: partial(laplace, 1 + math.log1p(x)),
    ),
    Family(
        "Gaussian, its trade-off function",
        "scalar",
        normal_errors,
        lambda x: partial(gaussian, mu_over(TradeOff(normal_errors), 1.0, x)),
    ),
)


MANY_RUNS = (
    "Laplace, epsilon 1",
    "Gaussian, (1, 0.01)",
    "Gaussian, mu 1",
    "Gaussian, Renyi (2, 1)",
    "randomized response, rho 0.1",
    "Laplace, its trade-off function",
    "Gaussian in 5 coordinates, mu 1",
)
"""Families that are measured with 100,000 runs, too: every kind of claim."""
EXACTLY_AT = (
    "Laplace, epsilon 1",
    "Gaussian, (1, 0.01)",
    "Gaussian, mu 1",
    "randomized response, rho 0.1",
    "randomized response, Renyi (2, 1)",
    "randomized response, a trade-off function",
)
"""Families in whose checks false alarms are counted: every kind of claim."""
CUTS = np.linspace(-12.0, 12.0, 2401)


def best_events(mechanism: partial[Any]) -> tuple[Any, Any] | None:
    """Return the exact probabilities of the best events on the likelier side and the other.

    None if they are not known in closed form.
    """
    parameter = mechanism.args[0]
    if mechanism.func is laplace:
        law = stats.laplace(scale=1 / parameter)
        return law.sf(CUTS - 1), law.sf(CUTS)
    if mechanism.func in (gaussian, gaussian_vector):
        law = stats.norm(scale=1 / parameter)
        return law.sf(CUTS - 1), law.sf(CUTS)
    if mechanism.func in (response, geometric):  # beyond the first threshold nothing is likelier
        p = 1 / (1 + math.exp(-parameter))
        return np.array([p]), np.array([1 - p])
    return None


def told_level(claim: Claim, mechanism: partial[Any]) -> float:
    """Return the exact level of what a promise tells of; NaN if it is not known in closed form."""
    events = best_events(mechanism)
    if events is None:
        return math.nan
    # in ascending order of the score, as cells between the thresholds
    p, q = (-np.diff(np.r_[1.0, np.sort(side)[::-1], 0.0]) for side in events)
    some = (p > 0) & (q > 0)
    return claim.shown(p[some], q[some], least=TOLD_EVENTS, runs=10**14).level


def least_seen(family: Family, samples: int) -> float | None:
    """Return the excess at which the final test of the best event rejects 8 times in ten.

    No choice of an event from the runs that train does better, and no confirmation; bets placed on
    the way may.
    """
    if best_events(family.over(0.1)) is None:
        return None
    share = VECTOR_SHARE if family.shape == "vector" else TRAINING_SHARE
    test = FinalTest(family.claim, samples - int(share * samples), ALPHA * (1 - BETTING_SHARE))

    def surplus(log: float) -> float:
        events = best_events(family.over(math.exp(log)))
        assert events is not None
        return float(test.power(*events).max()) - SURELY

    return math.exp(brentq(surplus, math.log(1e-3), math.log(20.0), xtol=1e-2))


def evidence(
    mechanism: Mechanism, claim: Claim, samples: int, seed: int, alpha: float = ALPHA
) -> Evidence:
    """Return what a check collects, without what it would have noticed."""
    return examine_twice(
        FunctionSampler(mechanism, (0.0, 1.0), seed=seed, batched=True),
        claim,
        alpha=alpha,
        samples=samples,
        seed=seed,
    )


def noticed(family: Family, share: float, samples: int, seed: int, alpha: float = ALPHA) -> bool:
    """Return whether a check refutes the claim of a mechanism over it by a share."""
    found = evidence(family.over(share), family.claim, samples, seed, alpha)
    return found.p_value(family.claim) <= alpha


# ------------------------------------------------------------------------------ what is seen

SHARES = np.geomspace(0.005, 20.0, 400)
STEEPNESS = np.geomspace(1.0, 12.0, 12)


@dataclass(frozen=True)
class Seen:
    """The excess that is noticed 8 times in ten, by simulation.

    Attributes
    ----------
    share, lower, upper : float
        The median of what is likely after all checks, and a 95% interval.
    """

    share: float
    lower: float
    upper: float


def excess_seen(family: Family, samples: int, checks: int, start: float = 0.2) -> Seen:
    """Return the excess that is noticed 8 times in ten.

    Each check is of a mechanism whose excess is, after the checks before, near that sought. The
    probability to be noticed is a normal distribution function of the excess's logarithm, of
    unknown place and steepness.
    """
    logs = np.log(SHARES)
    place, steep = np.meshgrid(logs, STEEPNESS, indexing="ij")
    posterior = -((place - math.log(start)) ** 2) / (2 * 1.5**2)
    for seed in range(checks):
        middle = _quantile(posterior, logs, 0.5)
        # on both sides of it, where the steepness shows as well
        tried = middle + (-0.35, 0.0, 0.15)[seed % 3]
        chance = stats.norm.cdf(stats.norm.ppf(SURELY) + steep * (tried - place))
        chance = np.clip(chance, 0.005, 0.995)
        found = noticed(family, math.exp(tried), samples, 10_000 + seed)
        posterior = posterior + np.log(chance if found else 1 - chance)
    return Seen(*(float(math.exp(_quantile(posterior, logs, at))) for at in (0.5, 0.025, 0.975)))


def _quantile(posterior: Any, logs: Any, at: float) -> float:
    weights = np.exp(posterior - posterior.max()).sum(axis=1)
    return float(np.interp(at, np.cumsum(weights) / weights.sum(), logs))
