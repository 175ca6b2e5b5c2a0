"""What a check is asked, and which questions make no sense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from auditor.core.bounds import MOST_RUNS
from auditor.core.errors import InputError
from auditor.statistics.claims import Claim, TradeOffFunction, claim_of
from reference.privacy.guarantees import ApproximateDP, Guarantee, PureDP

LEAST_RUNS = 16

Pair = tuple[Any, Any]
Kind = Literal["rng", "ledger"]
RelationName = Literal["replace", "add-remove", "replace-label", "any"]
FloatingPoint = Literal["report", "count"]


@dataclass(frozen=True)
class Asked:
    """What a check was asked."""

    claim: Claim
    delta: float
    confidence: float
    samples: int
    seed: int
    floating_point: FloatingPoint
    rare: float = 0.0


def stated_claim(
    epsilon: float | None, delta: float, claim: Guarantee | TradeOffFunction | None
) -> tuple[Claim, Guarantee | TradeOffFunction]:
    """Return what a caller claims: about events, and as it was stated.

    Raises
    ------
    InputError
        If nothing, or too much, or a number out of its range is claimed.
    """
    if (epsilon is None) == (claim is None):
        raise InputError("claim either epsilon (with delta), or claim=... in another currency")
    if epsilon is not None:
        try:
            claim = PureDP(epsilon) if delta == 0 else ApproximateDP(epsilon, delta)
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from None
    assert claim is not None
    return claim_of(claim), claim


def require_delta(delta: float) -> float:
    """Return a delta in [0, 1); raise InputError otherwise."""
    if not isinstance(delta, (int, float)) or not 0 <= delta < 1:
        raise InputError(f"delta must be in [0, 1), got {delta!r}")
    return float(delta)


def require_alpha(confidence: float) -> float:
    """Return 1 - confidence; raise InputError unless it is in [0.5, 1)."""
    # below one half a verdict would be wrong more often than right
    if not isinstance(confidence, (int, float)) or not 0.5 <= confidence < 1:
        raise InputError(f"confidence must be in [0.5, 1), got {confidence!r}")
    return 1 - confidence


def require_samples(samples: int) -> int:
    """Return a number of runs; raise InputError if it is no whole number or too small."""
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)):
        raise InputError(f"samples must be a whole number, got {samples!r}")
    if samples < LEAST_RUNS:
        raise InputError(f"samples must be at least {LEAST_RUNS}, got {samples}")
    if samples > MOST_RUNS:
        raise InputError(f"samples must be at most {MOST_RUNS}, which no check ever spends")
    return int(samples)
