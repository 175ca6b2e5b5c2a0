"""Claims about k records together that follow from a claim about one.

A right mechanism meets them, and a gap that is too small to be seen in one record is k times as
large in k: a gap of .001 at epsilon .002 takes eight million runs with one record, and 200,000 with
twenty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from auditor.core.errors import InputError
from auditor.statistics.claims import (
    Claim,
    Concentrated,
    EpsilonDelta,
    Gaussian,
    Renyi,
    TradeOff,
    TradeOffFunction,
)
from reference._validation import FloatArray

LARGEST = 700.0
"""Exponents up to which exp does not overflow."""


def group_claim(claim: Claim, k: int) -> Claim:
    """Return what a claim about one record says of ``k`` records.

    =====================  =========================================================
    (epsilon, delta)       (k epsilon, delta (e^(k epsilon) - 1)/(e^epsilon - 1))
    rho-zCDP               k^2 rho (Bun and Steinke 2016, Proposition 1.9)
    mu-Gaussian DP         k mu (Dong, Roth and Su 2022, Theorem 2.14)
    trade-off function f   1 - c(c(...c(x))), k times, with c = 1 - f (the same)
    (alpha, D)-Renyi       (alpha/2^c, 3^c D), 2^c >= k, alpha >= 2^(c + 1)
                           (Mironov 2017, Proposition 2)
    =====================  =========================================================

    Parameters
    ----------
    claim : Claim
    k : int
        At least 1.

    Raises
    ------
    InputError
        If it says nothing of so many records.
    """
    return claim if k == 1 else _of_group(claim, k)


@singledispatch
def _of_group(claim: Claim, k: int) -> Claim:
    raise InputError(f"{claim.describe()} says nothing of {k} records; give group=1")


@_of_group.register
def _(claim: EpsilonDelta, k: int) -> Claim:
    delta = claim.delta and claim.delta * _sum_of_powers(claim.epsilon, k)
    if delta >= 1:
        raise InputError(
            f"{claim.describe()} says nothing of {k} records, whose delta would be {delta:.3g}; "
            "give a smaller group"
        )
    return EpsilonDelta(k * claim.epsilon, delta)


def _sum_of_powers(epsilon: float, k: int) -> float:
    """Return 1 + e^epsilon + ... + e^((k - 1) epsilon)."""
    if epsilon == 0:
        return float(k)
    if k * epsilon > LARGEST:
        return math.inf
    return math.expm1(k * epsilon) / math.expm1(epsilon)


@_of_group.register
def _(claim: Gaussian, k: int) -> Claim:
    return Gaussian(k * claim.mu)


@_of_group.register
def _(claim: Concentrated, k: int) -> Claim:
    return Concentrated(k**2 * claim.rho)


@_of_group.register
def _(claim: Renyi, k: int) -> Claim:
    doublings = (k - 1).bit_length()
    if claim.alpha < 2 ** (doublings + 1):
        raise InputError(
            f"{claim.describe()} says something of {k} records only for alpha >= "
            f"{2 ** (doublings + 1)}; give a smaller group"
        )
    return Renyi(claim.alpha / 2**doublings, 3**doublings * claim.divergence)


@_of_group.register
def _(claim: TradeOff, k: int) -> Claim:
    return TradeOff(_Repeated(claim.function, k))


@dataclass(frozen=True)
class _Repeated:
    """The trade-off function of k records: the largest power of one, k times in a row."""

    function: TradeOffFunction
    k: int

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", "f"))

    def __call__(self, size: FloatArray) -> FloatArray:
        power = np.asarray(size, dtype=np.float64)
        for _ in range(self.k):
            power = np.clip(1 - np.asarray(self.function(power), dtype=np.float64), 0.0, 1.0)
        return 1 - power
