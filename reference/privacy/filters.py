"""A privacy filter: a budget that adaptively chosen releases cannot exceed.

What a list of releases costs (:mod:`reference.privacy.accounting`) is for a list that was fixed
beforehand. Where each release, its kind, scale and records, may depend on what was released before,
a filter answers before anything is drawn: it admits a release or refuses it, by the costs so far.
Then the run as a whole, however it was chosen and wherever it stops, is (epsilon, delta)-DP. Two
filters are tried, and one that admits is enough.

**Pure** (Rogers, Roth, Ullman and Vadhan, 2016): the epsilons of all releases that read a record
sum to at most epsilon.

**Gaussian or concentrated**, chosen by the first release, before anything is known: if that is a
Gaussian one, the mu^2 sum to at most the largest mu^2 that is (epsilon, delta)-DP (Smith and
Thakurta, 2022), where a release of epsilon_i-DP counts as one of mu_i with Phi(mu_i/2) = 1/(1 +
e^-epsilon_i); otherwise the rhos of zCDP sum to at most the largest such rho (Feldman and Zrnic,
2021; Whitehouse, Ramdas, Rogers and Wu, 2023).

*Proof.* Fix a record, two values of it, and an adversary who chooses the releases; P and Q are the
laws of all outputs and L = ln(dP/dQ) the loss, the sum of those of the releases that read the
record. What has to be bounded is H = E_P (1 - e^(epsilon - L))_+, where runs that end differently
are disjoint events.

1. A run whose pure epsilons sum to at most epsilon has L <= epsilon: it adds nothing to H.
2. Every other run was admitted by the second filter to its end. It has the same density under an
   adversary who stops when that filter refuses, so that those runs together add no more to H than
   all runs of that adversary do.
3. Let that filter be of zCDP with budget B, R_k the rhos of the first k releases, L_k their loss.
   For every a > 1, M_k = exp((a - 1)(L_k - a R_k)) has E_P[M_k | past] <= M_(k-1), since the next
   release is rho-zCDP given the past. Hence E_P exp((a - 1) L) <= exp((a - 1) a B): the run is
   B-zCDP, and its H at most delta.
4. Let it be the Gaussian one with budget B. Let V(l, s) = E (1 - e^(epsilon - l - G))_+ with
   G ~ N(s/2, s), the loss of a Gaussian release of mu^2 = s. For a release of mu^2 = t <= s,
   E V(l + L', s - t) over its loss L' is a divergence between its two laws that grows with
   distinguishability, and so at most that of the Gaussian pair, for which it is V(l, s). As V grows
   with s, stopping is no better. By induction from the last release H <= V(0, B) = delta.

A pair of laws that is epsilon_i-DP is mu_i-Gaussian DP: its trade-off curve is at least that of
randomised response, the chords of the point (a, a) with a = 1/(1 + e^epsilon_i), and the convex
curve of mu_i goes through it and lies below the chords.

Records that a release does not read bear nothing of it, so that disjoint ones compose in parallel.
What reads a subsample is charged as if it read everybody: how it is amplified depends on what else
will read it. What has no pure, Gaussian or zCDP cost is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

from reference._validation import (
    FloatArray,
    IntArray,
    require_count,
    require_delta,
    require_epsilon,
    require_kind,
    require_non_negative,
)
from reference.privacy.accounting import record_blocks
from reference.privacy.guarantees import gaussian_dp_mu, largest_zcdp_rho
from reference.privacy.mechanisms import Cost

ROUNDING = 1e-12
"""Part of a limit by which sums of doubles may exceed it: ten times 0.1 is 1."""


class LimitExceeded(RuntimeError):
    """A release was refused that would have cost more than is left; nothing was drawn."""


@dataclass(frozen=True)
class Left:
    """The cost that one more release may have if it reads every record.

    Attributes
    ----------
    epsilon : float
        If it is of pure DP.
    mu : float
        If it is a Gaussian one: its sensitivity/scale.
    """

    epsilon: float
    mu: float


class Filter:
    """Admits releases while every record has budget left, see the head of the module.

    Parameters
    ----------
    epsilon : float
        > 0.
    delta : float
        In [0, 1); with 0 only releases of pure DP are admitted.
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon = require_epsilon(epsilon)
        delta = require_non_negative("delta", delta)
        self.delta = 0.0 if delta == 0 else require_delta(delta)
        # of mu^2 and of rho; with delta 0 neither filter admits anything, for no release costs 0
        self._second_limits = {True: 0.0, False: 0.0}
        if self.delta > 0:
            self._second_limits = {
                True: gaussian_dp_mu(self.epsilon, self.delta) ** 2,
                False: largest_zcdp_rho(self.epsilon, self.delta),
            }
        self._gaussian: bool | None = None  # which of the two, once it is chosen
        self._lock = RLock()
        self._charging = False
        # cells of records that bear the same, each from its end up to the next one's: sums of
        # epsilons, and of mu^2 or rho
        self._ends: IntArray = np.zeros(1, dtype=np.int64)
        self._sums: FloatArray = np.zeros((1, 2))

    def charge(
        self, cost: Cost, records: slice | np.ndarray[Any, Any] | None, *, times: int = 1
    ) -> None:
        """Charge a release, made several times, to the records it reads; or raise LimitExceeded.

        Raises
        ------
        RuntimeError
            If a signal handler asks for it in the middle of another charge, which has looked at the
            sums and not yet added to them.
        """
        require_kind("cost", cost, Cost, "what the cost() of a mechanism returns")
        times = require_count("times", times)
        blocks = None if records is None else record_blocks(records)
        with self._lock:  # threads may release at the same time
            if self._charging:
                raise RuntimeError(
                    "a release was asked for while another one was being charged, as by a signal "
                    "handler; nothing was drawn"
                )
            self._charging = True
            try:
                self._charge(cost, blocks, times)
            finally:
                self._charging = False

    def _charge(self, cost: Cost, blocks: IntArray | None, times: int) -> None:
        gaussian = cost.gaussian is not None if self._gaussian is None else self._gaussian
        limits = np.array([self.epsilon, self._second_limits[gaussian]]) * (1 + ROUNDING)
        cells = slice(None) if blocks is None else self._cells(blocks)
        added = np.multiply(times, (cost.pure, _second(cost, gaussian)))
        if not (added >= 0).all():
            raise ValueError(f"a cost must be >= 0, got {cost!r}")
        charged = self._sums[cells] + added
        if not (charged <= limits).any(axis=1).all():
            raise LimitExceeded(self._refusal(cost))
        self._gaussian = gaussian
        self._sums[cells] = charged  # in one step, which no exception of a signal handler divides

    def left(self) -> Left:
        """Return what may still be released of every record."""
        with self._lock:
            pure, second = self._sums[:, 0], self._sums[:, 1]
            options = [True, False] if self._gaussian is None else [self._gaussian]
            found = []
            for gaussian in options:
                rest = np.maximum(self._second_limits[gaussian] - second, 0.0)
                mus = np.sqrt(rest) if gaussian else np.sqrt(2 * rest)
                # of a release of pure DP: in the first filter, or by its mu or rho in the second
                by_second = _epsilons_of(mus) if gaussian else mus
                by_first = np.maximum(self.epsilon - pure, 0.0)
                found.append((np.maximum(by_first, by_second).min(), mus.min()))
            # the first release chooses: Gaussian ones the first option, others the last
            return Left(epsilon=float(found[-1][0]), mu=float(found[0][1]))

    def _cells(self, blocks: IntArray) -> slice | NDArray[np.bool_]:
        """Return which cells blocks of records are, after cutting the cells at their ends."""
        points = np.sort(blocks, axis=None)
        before = np.searchsorted(self._ends, points, side="right")
        new = self._ends[before - 1] != points
        if new.any():
            at = before[new]
            ends = np.insert(self._ends, at, points[new])
            sums = np.insert(self._sums, at, self._sums[at - 1], axis=0)
            self._ends, self._sums = ends, sums
        starts, stops = np.searchsorted(self._ends, blocks)
        if starts.size == 1:
            return slice(starts[0], stops[0])
        # inside a block one more starts than stops lie at or before the cell
        steps = np.zeros(len(self._ends), dtype=np.int64)
        steps[starts], steps[stops] = 1, -1
        return np.cumsum(steps) > 0

    def _refusal(self, cost: Cost) -> str:
        costs = [("epsilon", cost.pure), ("mu", cost.gaussian), ("rho", cost.rho)]
        known = [f"{name} {x:.6g}" for name, x in costs if x is not None and math.isfinite(x)]
        return (
            f"a release of {', '.join(known) or 'no pure, Gaussian or zCDP cost'} would exceed the "
            f"limit of epsilon {self.epsilon:g}, delta {self.delta:g}; nothing was drawn"
        )


def _second(cost: Cost, gaussian: bool) -> float:
    """Return mu^2 of a release, or its rho."""
    if not gaussian:
        return cost.rho
    mu = _mu_of(cost.pure) if cost.gaussian is None else cost.gaussian
    return max(mu * mu, math.ulp(0.0))


def _mu_of(epsilon: float) -> float:
    """Return mu with Phi(mu/2) = 1/(1 + e^-epsilon), or a little more."""
    if epsilon < _SMALL:
        return _TANGENT * epsilon
    # Phi(-mu/2) = 1/(1 + e^epsilon)
    return -2 * float(ndtri_exp(-np.logaddexp(0.0, epsilon))) * (1 + ROUNDING)


_SMALL = 1e-3
_TANGENT = math.sqrt(math.pi / 2) * (1 + ROUNDING)
"""Slope of mu at epsilon = 0. The tangent lies above the curve, as normal tails are lighter."""


def _epsilons_of(mus: FloatArray) -> FloatArray:
    """Return the inverse of :func:`_mu_of`, or a little less."""
    exact = (log_ndtr(mus / 2) - log_ndtr(-mus / 2)) * (1 - 1e-9)
    return np.where(mus < _SMALL * _TANGENT, mus / _TANGENT, exact)
