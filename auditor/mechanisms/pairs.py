"""Pairs of output distributions that a release attains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

LARGEST_LOG_ODDS = 100.0
"""Log-odds at which a mechanism tells all; a smaller distance is attained as well."""

Two = tuple[float, float]


@dataclass(frozen=True)
class Attained:
    """A pair of output distributions that a release attains, or part of it.

    Attributes
    ----------
    kind : {"gaussian", "laplace", "odds", "outcomes"}
        ``"gaussian"``: N(0,1) against (1-q) N(0,1) + q N(size,1). ``"laplace"``: likewise with
        unit Laplace noise. ``"odds"``: log-odds ``size`` against -``size`` with probability
        1 - ``probability``, the same outcome otherwise. ``"outcomes"``: two outcomes with the
        log-probabilities ``first`` against ``second``.
    size : float
    probability : float
        q, or the mass of the shared outcome.
    first, second : (float, float)
    """

    kind: str
    size: float = 0.0
    probability: float = 1.0
    first: Two = (0.0, 0.0)
    second: Two = (0.0, 0.0)


NOTHING = Attained("odds")
"""The same distribution twice."""


def threshold_pair(half: float, tilt: float, log_probability: Callable[[float], Two]) -> Attained:
    """Return the pair of passing a threshold or not: at ``half`` - tilt against -``half`` - tilt.

    Parameters
    ----------
    half : float
        Half of what neighbours move, in units of the noise, >= 0.
    tilt : float
        How far the threshold is off balance.
    log_probability : callable
        Log-probabilities of either outcome at a distance from the threshold.
    """
    half = min(half, LARGEST_LOG_ODDS)
    p, q = log_probability(half - tilt), log_probability(-half - tilt)
    if tilt == 0:
        return Attained("odds", p[0] - p[1], 0.0)
    return Attained("outcomes", first=p, second=q)
