"""Record a run, replay it on a neighbour, and read off the privacy loss of its transcript."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor.core.case import Run
from auditor.core.errors import InputError, class_name, one_line, pass_interrupts
from auditor.runs.blocks import Raised
from auditor.runs.clock import OutOfTime
from auditor.transcript.ledgers import recording_ledger
from reference._validation import FloatArray
from reference.privacy.ledger import (
    ControlFlowError,
    Ledger,
    Release,
    ReplayLedger,
    SubsampleEntry,
    Transcript,
)

OURS = (ControlFlowError, InputError, OutOfTime)
"""Exceptions that a ledger, a declared primitive and a time limit raise through a mechanism."""

Seed = int | np.random.SeedSequence | np.random.Generator


class RunRaised(ControlFlowError):
    """A run raised, so that there is no whole transcript to look at.

    That it raised is an output. The control-flow question compares it, and so does the black box
    (:func:`caught`); no other question can answer.
    """


def caught(run: Run) -> Run:
    """Return the run whose exceptions are outputs: :class:`~auditor.runs.blocks.Raised`."""

    def caught_run(data: Any, ledger: Ledger) -> Any:
        try:
            return run(data, ledger)
        except BaseException as error:
            pass_interrupts(error, *OURS)
            return Raised(class_name(error))

    return caught_run


def _whole(run: Run, data: Any, ledger: Ledger) -> Any:
    """Return what a run returns; raise :class:`RunRaised` from whatever it raises."""
    try:
        return run(data, ledger)
    except BaseException as error:
        pass_interrupts(error, *OURS)
        position = len(ledger.transcript)
        raise RunRaised(position, f"the run raised {one_line(error)}") from error


def record(run: Any, data: Any, seed: Seed, *, target: int | None = None) -> tuple[Transcript, Any]:
    """Run on ``data`` with a recording ledger; return its transcript and the output.

    Parameters
    ----------
    run : callable
        ``run(data, ledger)``, deterministic given the ledger's draws.
    data : array or tuple of arrays
        Axis 0 is the records.
    seed : int, SeedSequence or Generator
    target : int, optional
        The record that replays will replace; needed only when the run draws subsamples.

    Raises
    ------
    RunRaised
        If the run raises.
    """
    ledger = recording_ledger(seed, target)
    output = _whole(run, data, ledger)
    return ledger.transcript, output


def replay(run: Any, data: Any, transcript: Transcript, *, count: int | None = None) -> Transcript:
    """Run on ``data`` with the outputs of ``transcript`` frozen; return the new values.

    Parameters
    ----------
    run, data
        As for :func:`record`.
    transcript : Transcript
        From :func:`record`.
    count : int, optional
        Put the target record into this many positions of every subsample (default: as recorded).

    Raises
    ------
    ControlFlowError
        If the run does not make the same releases, or (RunRaised) raises.
    """
    return replay_with_output(run, data, transcript, count=count)[0]


def replay_with_output(
    run: Any, data: Any, transcript: Transcript, *, count: int | None = None
) -> tuple[Transcript, Any]:
    """Return what :func:`replay` does, and the result of the run."""
    ledger = ReplayLedger(transcript, count=count)
    output = _whole(run, data, ledger)
    try:
        return ledger.finish(), output
    except ControlFlowError as error:
        if not isinstance(output, Raised):
            raise
        made = f"the run raised {output.name} after {error.position} of {len(transcript)} entries"
        raise ControlFlowError(error.position, made) from error


def subsample_entries(transcript: Transcript) -> dict[int, SubsampleEntry]:
    """Return the subsamples of a transcript by position."""
    return {
        position: entry
        for position, entry in enumerate(transcript.entries)
        if isinstance(entry, SubsampleEntry)
    }


def unit_distances(first: Release, second: Release) -> FloatArray:
    """Return the distance between two values of the same release, per unit of privacy.

    Parameters
    ----------
    first, second : Release
        The same release recorded on one data set and replayed on another.

    Returns
    -------
    ndarray
        In the norm of the claimed sensitivity; shape ``()`` for a release about the whole data
        set, ``(n,)`` for one per record, ``(n, m)`` for one per record and attribute.
    """
    assert first.value is not None
    assert second.value is not None
    return first.mechanism.distance_between(
        first.value, second.mechanism, second.value, first.claim.axes
    )


def release_distance(first: Release, second: Release) -> float:
    """Return the distance between two values of the same release, in its claimed norm.

    For a release per record or attribute: the largest over the units.
    """
    return float(np.max(unit_distances(first, second)))


def _log_density(release: Release) -> float:
    assert release.value is not None
    return float(
        np.sum(release.mechanism.log_density(release.output, release.value, release.claim.axes))
    )


def log_likelihood(run: Any, data: Any, transcript: Transcript) -> float:
    """Return the log-likelihood of the outputs under ``data``, up to a common constant.

    With subsamples drawn around a target record it is that of the mixture over how often the
    target is in each: given the other records drawn, that is the only secret left, so the value
    is exact for a mechanism that also publishes those others, and an upper bound on what the
    outputs alone tell.
    """
    samples = subsample_entries(transcript)
    if not samples:
        return math.fsum(_log_density(r) for r in replay(run, data, transcript).releases)
    weights = {position: entry.count_probabilities() for position, entry in samples.items()}
    # one replay for every number of positions the target may take
    most = max(len(w) for w in weights.values())
    replays = [replay(run, data, transcript, count=count).releases for count in range(most)]
    terms = [_log_density(r) for r in replays[0] if r.claim.sample is None]
    for position, weight in weights.items():
        # the replays make the same releases in the same order: read one list of indices
        members = [
            index
            for index, r in enumerate(replays[0])
            if r.claim.sample is not None and r.claim.sample.position == position
        ]
        densities = [
            math.fsum(_log_density(replays[count][index]) for index in members)
            for count in range(len(weight))
        ]
        with np.errstate(divide="ignore"):  # a probability may underflow
            terms.append(float(np.logaddexp.reduce(np.log(weight) + densities)))
    return math.fsum(terms)


def privacy_loss(run: Any, data: Any, other: Any, transcript: Transcript) -> float:
    """Return log p(outputs | data) - log p(outputs | other) for a transcript recorded on ``data``.

    Infinite when the outputs are impossible under ``other``.

    Parameters
    ----------
    run : callable
    data, other : array or tuple of arrays
        Neighbours.
    transcript : Transcript
        Recorded on ``data``, with the record in which they differ as its target if the run draws
        subsamples.
    """
    if subsample_entries(transcript):
        return _difference(
            [log_likelihood(run, data, transcript)], [log_likelihood(run, other, transcript)]
        )
    # the transcript already has the values of `data`
    return loss_between(transcript, replay(run, other, transcript))


def loss_between(transcript: Transcript, replayed: Transcript) -> float:
    """Return the privacy loss of a transcript without subsamples, given its replay."""
    # release by release, the difference keeps the digits that that of two long sums would lose;
    # most records are in few releases, and the others tell nothing
    pairs = [
        (mine, theirs)
        for mine, theirs in zip(transcript.releases, replayed.releases, strict=True)
        if not _same_law(mine, theirs)
    ]
    return _difference(
        [_log_density(mine) for mine, _ in pairs], [_log_density(theirs) for _, theirs in pairs]
    )


def _same_law(mine: Release, theirs: Release) -> bool:
    assert mine.value is not None
    assert theirs.value is not None
    return mine.mechanism == theirs.mechanism and np.array_equal(mine.value, theirs.value)


def _difference(under_data: list[float], under_other: list[float]) -> float:
    """Return the sum of differences of log-densities."""
    # an output that rounding has pushed out of its own support tells nothing: drop it
    return math.fsum(
        mine - theirs
        for mine, theirs in zip(under_data, under_other, strict=True)
        if mine > -math.inf
    )
