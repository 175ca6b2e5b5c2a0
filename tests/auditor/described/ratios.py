"""Ratios by which a case's neighbours move its releases."""

from __future__ import annotations

from auditor.core.case import Form
from auditor.transcript.replay import record, release_distance, replay


def ratios(form: Form, seed: int = 0) -> list[float]:
    """Return the distance that each release moves, over its claimed sensitivity."""
    transcript, _ = record(form.run, form.pair[0], seed, target=form.replaced)
    replayed = replay(form.run, form.pair[1], transcript)
    return [
        release_distance(first, second) / first.claim.sensitivity
        for first, second in zip(transcript.releases, replayed.releases, strict=True)
    ]
