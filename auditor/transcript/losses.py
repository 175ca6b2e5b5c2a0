"""Privacy losses of recorded runs: one exact draw per transcript and its replay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from auditor.core.case import Data, Run
from auditor.core.neighbours import n_records
from auditor.transcript.replay import (
    loss_between,
    privacy_loss,
    record,
    replay,
    subsample_entries,
    unit_distances,
)
from auditor.transcript.rounding import loss_rounding
from reference._validation import FloatArray
from reference.privacy.accounting import compositions
from reference.privacy.guarantees import Guarantee, PureDP
from reference.privacy.ledger import Transcript

SAME_SHIFT = 1e-6
"""Relative spread of the realised mu below which the Gaussian law of the loss is exact."""


class PrivacyLoss(NamedTuple):
    """The privacy loss of one transcript.

    Attributes
    ----------
    loss : float
        Infinite where the outputs are impossible under the neighbour.
    shift : float
        Realised mu: the root of the sum over releases of (distance/scale)^2. NaN unless every
        release is Gaussian and none reads a subsample.
    rounding : float
        The part of the loss that the rounding of the queries can have made; see
        :func:`~auditor.transcript.rounding.loss_rounding`. 0 for a loss within ``pure``, and for
        an infinite one.
    """

    loss: float
    shift: float
    rounding: float


def loss_of(
    run: Run, data: Data, other: Data, transcript: Transcript, *, pure: float = math.inf
) -> PrivacyLoss:
    """Return the loss of a transcript recorded on ``data`` against ``other``.

    Parameters
    ----------
    run : callable
    data, other : Data
        Neighbours.
    transcript : Transcript
        Recorded on ``data``, with the record in which they differ as its target if the run draws
        subsamples.
    pure : float
        Pure epsilon that is claimed; only a loss beyond it needs to know its rounding.

    Raises
    ------
    ControlFlowError
        If the run on ``other`` does not make the same releases.
    """
    if subsample_entries(transcript):
        loss = privacy_loss(run, data, other, transcript)
        if loss <= pure or math.isinf(loss):
            return PrivacyLoss(loss, math.nan, 0.0)
        # each release under both data sets, with the record drawn as often as it was
        first, second = replay(run, data, transcript), replay(run, other, transcript)
        return PrivacyLoss(loss, math.nan, _rounding(first, second, n_records(data)))
    replayed = replay(run, other, transcript)
    loss = loss_between(transcript, replayed)
    rounding = 0.0
    if pure < loss < math.inf:
        rounding = _rounding(transcript, replayed, n_records(data))
    return PrivacyLoss(loss, _shift(transcript, replayed), rounding)


def _rounding(first: Transcript, second: Transcript, n: int) -> float:
    return math.fsum(
        loss_rounding(mine, theirs, n)
        for mine, theirs in zip(first.releases, second.releases, strict=True)
    )


def _shift(transcript: Transcript, replayed: Transcript) -> float:
    """Return the realised mu of an all-Gaussian transcript, else NaN."""
    total = 0.0
    for own, other in zip(transcript.releases, replayed.releases, strict=True):
        unit = own.mechanism.cost(1.0).gaussian
        if unit is None:
            return math.nan
        total += float(np.sum(np.square(unit_distances(own, other) * unit)))
    return math.sqrt(total)


def calibrated_mu(transcript: Transcript) -> float | None:
    """Return mu of the worst record's composition at the claimed sensitivities.

    ``None`` unless every release is Gaussian.
    """
    mus = [composition.mu for composition in compositions(transcript.charges)]
    known = [mu for mu in mus if mu is not None]
    return max(known) if len(known) == len(mus) else None


@dataclass(frozen=True)
class PrivacyLosses:
    """Privacy losses of independent transcripts in one direction.

    Attributes
    ----------
    losses : ndarray of shape (N,)
    shifts : ndarray of shape (N,) or None
        Realised mu of every transcript, see :class:`PrivacyLoss`. ``None`` unless all have one.
    calibrated : float or None
        mu of the transcript's composition at the claimed sensitivities, likewise.
    rounding : ndarray of shape (N,) or None
        See :class:`PrivacyLoss`; ``None`` stands for zeros.
    """

    losses: FloatArray
    shifts: FloatArray | None = None
    calibrated: float | None = None
    rounding: FloatArray | None = None

    @classmethod
    def of(cls, drawn: Sequence[PrivacyLoss], calibrated: float | None) -> PrivacyLosses:
        """Return single losses together."""
        losses, shifts, rounding = (np.array(part) for part in zip(*drawn, strict=True))
        if np.isnan(shifts).any():
            return cls(losses, rounding=rounding)
        return cls(losses, shifts, calibrated, rounding)

    @property
    def sure(self) -> FloatArray:
        """The losses less what rounding can have made of them."""
        return self.losses if self.rounding is None else self.losses - self.rounding

    @property
    def constant_shift(self) -> bool:
        """True if the realised mu is the same on every path, so that L is exactly Gaussian."""
        if self.shifts is None:
            return False
        low, high = float(self.shifts.min()), float(self.shifts.max())
        return high > 0 and high - low <= SAME_SHIFT * high


def pure_epsilon(claim: Guarantee) -> float:
    """Return the pure epsilon that a claim allows a loss at most, infinite if it is no pure one."""
    return claim.epsilon if isinstance(claim, PureDP) else math.inf


def sample_losses(
    run: Run,
    data: Data,
    other: Data,
    seeds: Sequence[np.random.SeedSequence],
    *,
    replaced: int,
    pure: float = math.inf,
) -> PrivacyLosses:
    """Draw one transcript per seed on ``data`` and return its losses against ``other``.

    Parameters
    ----------
    run : callable
    data, other : Data
        Neighbours that differ in record ``replaced``.
    seeds : sequence of SeedSequence
        One per transcript.
    replaced : int
    pure : float
        See :func:`loss_of`.

    Raises
    ------
    ControlFlowError
        If a run on ``other`` does not make the same releases.
    """
    drawn: list[PrivacyLoss] = []
    calibrated: float | None = None
    for seed in seeds:
        transcript, _ = record(run, data, seed, target=replaced)
        drawn.append(loss_of(run, data, other, transcript, pure=pure))
        if len(drawn) == 1 and not math.isnan(drawn[0].shift):
            calibrated = calibrated_mu(transcript)
    return PrivacyLosses.of(drawn, calibrated)
