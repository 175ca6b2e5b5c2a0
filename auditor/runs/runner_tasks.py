"""Tasks for a :class:`Runner`, done here or in a worker, which answers with plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from auditor.runs.blocks import Outputs, Randomness
from auditor.runs.journal import Notes
from auditor.runs.processes import Alive
from auditor.runs.runner import BadBatch, Care, Runner, Trial
from auditor.runs.wire import require, text


class Sendable(Protocol):
    """Answer of a runner."""

    def sent(self) -> list[Any]:
        """Return it as plain data."""


Answered = TypeVar("Answered", bound=Sendable, covariant=True)


class RunnerTask(Protocol[Answered]):
    """Task of a runner."""

    def answer(self, runner: Runner, alive: Alive) -> Answered:
        """Return the answer."""

    def receive(self, sent: Any) -> Answered:
        """Return the answer that a worker has sent; raise Malformed if it is none."""


class Drawn(NamedTuple):
    """Outputs of a block of runs, and what was noticed."""

    outputs: Outputs
    notes: Notes

    def sent(self) -> list[Any]:
        """Return them as plain data."""
        return [self.outputs, self.notes.sent()]


@dataclass(frozen=True)
class DrawTask:
    """The runs of a block; the side that they are made on is not told."""

    randomness: Randomness
    size: int
    care: Care

    def answer(self, runner: Runner, alive: Alive) -> Drawn:
        """Make the runs."""
        return Drawn(*runner.run(self.randomness, self.size, self.care, alive))

    def receive(self, sent: Any) -> Drawn:
        """Return the runs that a worker has made."""
        require(type(sent) is list and len(sent) == 2)
        outputs, notes = sent
        require(type(outputs) is list or (isinstance(outputs, np.ndarray) and outputs.ndim > 0))
        require(len(outputs) == self.size)
        return Drawn(outputs, Notes.received(notes))


@dataclass(frozen=True)
class TrialTask:
    """The first look at a mechanism on one side."""

    randomness: Randomness
    others: Sequence[Randomness]
    size: int
    seconds: float

    def answer(self, runner: Runner, alive: Alive) -> Trial:
        """Try the mechanism out."""
        return runner.trial(self.randomness, self.others, self.size, self.seconds, alive)

    def receive(self, sent: Any) -> Trial:
        """Return the trial of a worker."""
        return Trial.received(sent, self.size)


def send(runner: Runner, alive: Alive, task: RunnerTask[Any]) -> list[Any]:
    """Return the answer of a runner as plain data, or what is wrong with a batch."""
    try:
        return ["answer", task.answer(runner, alive).sent()]
    except BadBatch as bad:
        return ["bad batch", bad.what, bad.remedy]


def send_one(
    runners: Sequence[Runner], alive: Alive, side: int, task: RunnerTask[Any]
) -> list[Any]:
    """Return the answer of the runner of a side as plain data."""
    return send(runners[side], alive, task)


def receive(task: RunnerTask[Answered], sent: Any) -> Answered:
    """Return the answer to a task from plain data, see :func:`send`.

    Raises
    ------
    BadBatch
    Malformed
    """
    require(type(sent) is list and len(sent) > 1)
    kind, *parts = sent
    if kind == "bad batch":
        require(len(parts) == 2)
        raise BadBatch(text(parts[0]), text(parts[1]))
    require(kind == "answer" and len(parts) == 1)
    return task.receive(parts[0])
