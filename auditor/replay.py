"""Record a run, replay it on a neighbour, and read off the privacy loss of its transcript."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import logsumexp

from reference.privacy.ledger import (
    RecordingLedger,
    Release,
    ReplayLedger,
    SubsampleEntry,
    Transcript,
)
from reference.privacy.mechanisms import SmoothSensitivity

Seed = int | np.random.SeedSequence | np.random.Generator


def record(run: Any, data: Any, seed: Seed, *, target: int | None = None) -> tuple[Transcript, Any]:
    """Run on ``data`` with a recording ledger; return its transcript and the output."""
    ledger = RecordingLedger(seed, target=target)
    output = run(data, ledger)
    return ledger.transcript, output


def replay(run: Any, data: Any, transcript: Transcript, *, count: int | None = None) -> Transcript:
    """Run on ``data`` with the outputs of ``transcript`` frozen; return the new values.

    Raises
    ------
    ControlFlowError
        If the run does not make the same releases.
    """
    ledger = ReplayLedger(transcript, count=count)
    run(data, ledger)
    return ledger.finish()


def release_distance(first: Release, second: Release) -> float:
    """Return the distance between two values of the same release, in its claimed norm.

    For a release per record or attribute: the largest over the units.
    """
    assert first.value is not None
    assert second.value is not None
    if isinstance(first.mechanism, SmoothSensitivity):
        assert isinstance(second.mechanism, SmoothSensitivity)
        return first.mechanism.smooth_distance(first.value, second.mechanism, second.value)
    return float(np.max(first.mechanism.distance(first.value, second.value, first.axes)))


def _log_density(release: Release) -> float:
    assert release.value is not None
    return float(np.sum(release.mechanism.log_density(release.output, release.value, release.axes)))


def log_likelihood(run: Any, data: Any, transcript: Transcript) -> float:
    """Log-likelihood of the transcript's outputs under ``data`` (up to a common constant).

    With subsamples drawn around a target record it is that of the mixture over how often the
    target is in each: given the other records drawn, that is the only secret left, so the value
    is exact for a mechanism that also publishes those others, and an upper bound on what the
    outputs alone tell.
    """
    samples = {
        position: entry
        for position, entry in enumerate(transcript.entries)
        if isinstance(entry, SubsampleEntry)
    }
    if not samples:
        return sum(_log_density(r) for r in replay(run, data, transcript).releases)
    most = max(len(entry.count_probabilities()) for entry in samples.values())
    # one replay for every number of positions the target may take
    replays = [replay(run, data, transcript, count=count) for count in range(most)]
    total = sum(_log_density(r) for r in replays[0].releases if r.sample is None)
    for position, entry in samples.items():
        weights = entry.count_probabilities()
        densities = [
            sum(
                _log_density(r)
                for r in replays[count].releases
                if r.sample is not None and r.sample.position == position
            )
            for count in range(len(weights))
        ]
        total += float(logsumexp(densities, b=weights))
    return total


def privacy_loss(run: Any, data: Any, other: Any, transcript: Transcript) -> float:
    """Return log p(outputs | data) - log p(outputs | other) for a transcript recorded on ``data``.

    Infinite when the outputs are impossible under ``other``.
    """
    under_other = log_likelihood(run, other, transcript)
    if under_other == -math.inf:
        return math.inf
    return log_likelihood(run, data, transcript) - under_other
