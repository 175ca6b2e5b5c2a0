"""The runs of one form, recorded once and read by every question that can use them.

A run of D is recorded and replayed on D' (direction 0), or the other way round (direction 1). What
a question reads from a run is a number or a few: its privacy loss, the black box's statistic of
its output, the uniform numbers behind its draws; the transcript is dropped. Every run has a seed
that depends on the form, the stage, the direction and its own number alone, so that the first n
runs are the same n runs for every question, first or last, and however many others read.

A stage is the screen, or its confirmation on runs that the screen has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np

from auditor.core.case import BlackBox, Form
from auditor.core.context import Context
from auditor.core.pair_names import DIRECTIONS
from auditor.mechanisms import kind_of, uniforms
from auditor.runs.blocks import Raised
from auditor.transcript.ledgers import live_ledger
from auditor.transcript.losses import (
    PrivacyLoss,
    PrivacyLosses,
    calibrated_mu,
    loss_of,
    pure_epsilon,
)
from auditor.transcript.replay import caught, record
from reference._validation import FloatArray
from reference.privacy.ledger import Transcript

Stage = Literal["screen", "confirmation"]
Reading = Literal["loss", "statistic", "numbers"]


class ReleaseNumbers(NamedTuple):
    """The uniform numbers behind a release; ``continuous`` if only equal noise makes equal ones."""

    kind: str
    uniforms: FloatArray
    continuous: bool = False


ReleaseUniforms = list[ReleaseNumbers]
"""The numbers of every release of a run."""

BESIDE = 128
"""The first runs of a screen are read for all questions at once (the full tier: 1000)."""

PLACEMENT = 1
"""Spawn key, below a run's own, of what places discrete outcomes inside their intervals."""


class SharedRuns:
    """Recorded runs of a form on both data sets of its pair, made when they are first read.

    Parameters
    ----------
    form : Form
    context : Context
        Of the form: all its questions get the same runs, in any order and any number.
    """

    def __init__(self, form: Form, context: Context) -> None:
        self.form = form
        self.context = context
        self._streams: dict[tuple[Stage, int], _Stream] = {}
        self._own: dict[tuple[Stage, int], list[float]] = {}

    def seeds(self, stage: Stage, direction: int) -> np.random.SeedSequence:
        """Return the sequence whose child i is the seed of run i."""
        return self.context.at("runs", stage, DIRECTIONS[direction]).seed_sequence()

    def losses(self, stage: Stage, direction: int, runs: int) -> PrivacyLosses:
        """Return the privacy losses of the first ``runs`` runs in a direction.

        Raises
        ------
        ControlFlowError
            If a replay does not make the same releases.
        """
        stream = self._stream(stage, direction)
        return PrivacyLosses.of(stream.read("loss", runs), stream.calibrated)

    def statistics(self, stage: Stage, side: int, runs: int) -> FloatArray:
        """Return the black box's statistic of the first ``runs`` runs on data set ``side``.

        Raises
        ------
        ValueError
            If the form has no black box.
        """
        if shares_runs(self.form):
            return np.array(self._stream(stage, side).read("statistic", runs), dtype=np.float64)
        known = self._own.setdefault((stage, side), [])
        sequence = self.seeds(stage, side)
        more = [_child(sequence, i) for i in range(len(known), runs)]
        known.extend(run_statistics(self.form, side, more))
        return np.array(known[:runs])

    def numbers(self, stage: Stage, runs: int) -> list[ReleaseUniforms]:
        """Return the uniform numbers behind the draws of the first ``runs`` runs on D."""
        return self._stream(stage, 0).read("numbers", runs)

    def _stream(self, stage: Stage, direction: int) -> _Stream:
        key = stage, direction
        if key not in self._streams:
            beside = self.context.effort(BESIDE, full=1000) if stage == "screen" else 0
            seeds = self.seeds(stage, direction)
            self._streams[key] = _Stream(self.form, seeds, direction, beside)
        return self._streams[key]


class _Stream:
    """The runs of one stage in one direction, in the order of their seeds."""

    def __init__(
        self, form: Form, sequence: np.random.SeedSequence, direction: int, beside: int
    ) -> None:
        self.calibrated: float | None = None
        self._form, self._sequence = form, sequence
        self._run = caught(form.run)
        self._data, self._other = form.pair[direction], form.pair[1 - direction]
        self._beside = beside
        self._known: dict[Reading, list[Any]] = {"loss": []}
        if shares_runs(form):
            self._known["statistic"] = []
        if direction == 0:
            self._known["numbers"] = []

    def read(self, wanted: Reading, runs: int) -> list[Any]:
        """Return a reading of the first ``runs`` runs, making those not made yet."""
        known = self._known[wanted]
        while len(known) < runs:
            index = len(known)
            seed = _child(self._sequence, index)
            transcript, output = record(self._run, self._data, seed, target=self._form.replaced)
            known.append(self._reading(wanted, seed, transcript, output))
            for other, values in self._known.items():
                beside = index < self._beside or other == "statistic"
                if beside and len(values) == index:
                    with suppress(Exception):  # the question that wants it will hear of it
                        values.append(self._reading(other, seed, transcript, output))
        return known[:runs]

    def _reading(
        self, what: Reading, seed: np.random.SeedSequence, transcript: Transcript, output: Any
    ) -> Any:
        if what == "statistic":
            return statistic_of(_box(self._form), output)
        if what == "numbers":
            return numbers_of(transcript, seed)
        pure = pure_epsilon(self._form.claim)
        loss: PrivacyLoss = loss_of(self._run, self._data, self._other, transcript, pure=pure)
        if not self._known["loss"] and not math.isnan(loss.shift):
            self.calibrated = calibrated_mu(transcript)
        return loss


def _child(sequence: np.random.SeedSequence, index: int) -> np.random.SeedSequence:
    """Return what ``sequence.spawn`` gives as its child ``index``."""
    return np.random.SeedSequence(sequence.entropy, spawn_key=(*sequence.spawn_key, index))


def numbers_of(transcript: Transcript, seed: np.random.SeedSequence) -> ReleaseUniforms:
    """Return the uniform numbers behind every release of a transcript recorded with ``seed``."""
    rng = np.random.default_rng(_child(seed, PLACEMENT))
    return [
        ReleaseNumbers(release.mechanism.kind, uniforms(release, rng), kind_of(release).continuous)
        for release in transcript.releases
    ]


# ------------------------------------------------------------------------------ black boxes


def _box(form: Form) -> BlackBox:
    if form.black_box is None:
        raise ValueError("the form has no black box to run")
    return form.black_box


def shares_runs(form: Form) -> bool:
    """Return whether the black box is the form itself, on the form's pair.

    A recorded run returns what a live one does: its law is the same, also where it draws
    subsamples around the record that differs.
    """
    box = form.black_box
    same = (mine is theirs for mine, theirs in zip(box.pair, form.pair, strict=True)) if box else ()
    return box is not None and box.run is form.run and all(same)


def statistic_of(box: BlackBox, output: Any) -> float:
    """Return the statistic of an output: of an exception inf, -inf in the place of NaN.

    Both are outputs, and tell data sets apart as well as any other.
    """
    if isinstance(output, Raised):
        return math.inf
    found = float(box.statistic(output))
    return -math.inf if math.isnan(found) else found


def run_statistics(form: Form, side: int, seeds: Sequence[np.random.SeedSequence]) -> FloatArray:
    """Return the statistic of one run of the black box per seed, on data set ``side`` of its pair.

    Raises
    ------
    ValueError
        If the form has no black box.
    """
    box, shared = _box(form), shares_runs(form)
    values = []
    for seed in seeds:
        if shared:
            run = caught(form.run)
            output = record(run, form.pair[side], seed, target=form.replaced)[1]
        else:
            output = caught(box.run)(box.pair[side], live_ledger(seed))
        values.append(statistic_of(box, output))
    return np.array(values, dtype=np.float64)
