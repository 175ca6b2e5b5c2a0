"""Exact queries of the algorithms that step by noisy hard thresholding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from auditor import Data, ExactQuery
from reference.privacy.ledger import Transcript

HalfStep = Callable[[Data, Sequence[Any], int], list[Any]]
"""``half_step(data, w, t)``: what step t thresholds, from what the step before it released."""


def exact_thresholding(initial: Sequence[Any], s: int, half_step: HalfStep) -> ExactQuery:
    """Return the query of every release: s selections and s values per step."""

    def released(outputs: list[Any], t: int) -> Sequence[Any]:
        if t == 0:
            return initial
        last = outputs[2 * s * (t - 1) : 2 * s * t]
        found = [0.0] * len(initial)
        for j, value in zip(last[:s], last[s:], strict=True):
            found[int(j)] = float(value)
        return found

    def exact_query(data: Data, transcript: Transcript, index: int) -> Any:
        t, place = divmod(index, 2 * s)
        outputs = [release.output for release in transcript.releases]
        values = half_step(data, released(outputs, t), t)
        if place < s:
            return [abs(v) for v in values]
        return values[int(outputs[2 * s * t + place - s])]

    return exact_query
