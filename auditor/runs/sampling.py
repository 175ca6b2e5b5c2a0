"""Runs of a mechanism on the two data sets of a pair, drawn block by block.

A block is a number of consecutive runs on one side. Its randomness is a function of the seed, the
side and its first run alone, so the same blocks give the same outputs whatever the number of
workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from auditor.core.errors import InputError
from auditor.core.sides import SIDES
from auditor.runs.blocks import Block, Outputs, Raised
from auditor.runs.journal import (
    MUTATES,
    ONE_SIDED,
    OVERWRITES,
    Finding,
    Journal,
    Notes,
    not_reproducible,
    repeats,
)
from auditor.runs.processes import Alive, Child, Crew, Died, Guard, Hung
from auditor.runs.runner import Care, Mechanism, Runner, Trial

__all__ = [
    "Block",
    "FunctionSampler",
    "Mechanism",
    "Outputs",
    "Raised",
    "RecordedSampler",
    "Reduced",
    "Sampler",
]

Reduced = TypeVar("Reduced")
Result = TypeVar("Result")

TRIAL_RUNS = 32
"""Runs on each side with which a sampler looks at a mechanism first; they count for nothing."""


class Sampler(Protocol):
    """Where outputs come from."""

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """What was noticed while sampling, each with ``kind`` and ``statement``."""

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""

    def close(self) -> None:
        """Release processes."""


def _try_out(runner: Runner, alive: Alive, block: Block) -> Trial:
    return runner.trial(block, alive)


def _draw(
    runner: Runner, alive: Alive, block: Block, care: Care, reduce: Callable[[Outputs], Reduced]
) -> tuple[Reduced, Notes]:
    outputs, notes = runner.run(block, care, alive)
    alive(None)  # what is made of the outputs is not the mechanism's affair
    return reduce(outputs), notes


# ----------------------------------------------------------------------------- the samplers


class _Lost(Exception):
    """A child process hung or ended in a block."""

    def __init__(self, block: Block, cause: Died | Hung) -> None:
        super().__init__(str(cause))
        self.block = block
        self.cause = cause


class FunctionSampler:
    """A Python mechanism, ``mechanism(data, rng)`` or ``mechanism(data, rng, size)``.

    Before the first block, some runs on either side show whether the mechanism raises on
    everything, changes its input, and repeats itself for the same seed and only then.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng)`` returns one output of any type. It may raise: an exception is an
        output, :class:`Raised`, as good as any other at giving the data away.
    pair : (Any, Any)
        D and D'. The mechanism sees copies.
    seed : int
        At least 0.
    batched : bool
        ``mechanism(data, rng, size)`` returns an array or a list of ``size`` independent outputs.
    workers : int
        Processes that run blocks side by side; 1 with no ``timeout`` is this process. The outputs
        are the same for any number. Linear algebra has one thread in each of several workers.
    timeout : float or None
        Seconds within which at least one run, or one batch, must finish. Runs are then made in a
        process that can be killed.

    Raises
    ------
    InputError
        While drawing: if every run raises on both data sets, or every run on one of them raises
        what only a programming error does; if a batch fails or is no array or list of ``size``
        runs; if a run hangs or ends its process (in a process of its own).

    Notes
    -----
    Kinds of findings: ``"raised"``, ``"mutates"`` (the data; every run is then given a copy),
    ``"overwrites"`` (an earlier output; every output is then copied), ``"not reproducible"`` (all
    runs are then made in one process, lest several repeat one another), ``"repeats"`` (a batch is
    the same for every seed), ``"constant"`` (the output never varies on a data set).
    """

    def __init__(
        self,
        mechanism: Mechanism,
        pair: tuple[Any, Any],
        *,
        seed: int,
        batched: bool = False,
        workers: int = 1,
        timeout: float | None = None,
    ) -> None:
        if not callable(mechanism):
            raise InputError(f"the mechanism must be callable, got {type(mechanism).__name__}")
        require_plan(pair, seed, workers, timeout)
        self._runner = Runner(mechanism, pair, int(seed), batched)
        self._workers = workers
        self._own_process = workers > 1 or timeout is not None
        self._timeout = timeout
        self._crew: Crew[Child] | None = None
        self._care = Care()
        self._noticed: list[Finding] | None = None
        self._journal = Journal(
            lambda name: f"raised {name}", "an exception is an outcome like any other"
        )

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """What was noticed so far, each with ``kind`` and ``statement``."""
        return [*(self._noticed or []), *self._journal.findings()]

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order.

        ``reduce`` is called in the process that makes the runs; only its results travel.
        """
        if self._noticed is None:
            self._noticed = self._look()

        def call(block: Block) -> tuple[Block, tuple[Any, ...]]:
            return block, (self._care, reduce)

        for block, (result, notes) in self._apply(_draw, map(call, blocks)):
            if notes.mutates and not self._care.inputs:
                self._care = replace(self._care, inputs=True)
                self._noticed.append(MUTATES)
            self._journal.add(block, notes)
            yield result

    def close(self) -> None:
        """Stop the processes."""
        if self._crew is not None:
            self._crew.close()

    # --- where the runs are made

    def _apply(
        self,
        function: Callable[..., Result],
        calls: Iterable[tuple[Block, tuple[Any, ...]]],
    ) -> Iterator[tuple[Block, Result]]:
        """Yield (block, ``function(runner, alive, block, *arguments)``) of every call, in order."""
        if not self._own_process:
            for block, arguments in calls:
                yield block, function(self._runner, _no_one_waits, block, *arguments)
            return

        def ask(child: Child, call: tuple[Block, tuple[Any, ...]]) -> tuple[Block, Result]:
            block, arguments = call
            try:
                return block, child.call(function, self._timeout, block, *arguments)
            except (Died, Hung) as cause:
                raise _Lost(block, cause) from None

        if self._crew is None or self._crew.closed:
            self._crew = Crew(self._hire, self._workers)
        try:
            yield from self._crew.map(ask, calls)
        except _Lost as lost:
            raise InputError(self._verdict_on(lost)) from None

    def _hire(self, guard: Guard) -> Child:
        return Child(self._runner, guard, one_thread=self._workers > 1)

    def _verdict_on(self, lost: _Lost) -> str:
        """Return what a block did to its process, and whether it does so on the other side."""
        block, done = lost.block, lost.cause.done
        unfinished = Block(block.side, block.start + done, block.size - done)
        other = replace(block, side=1 - block.side)
        if isinstance(lost.cause, Hung):
            what = f"the mechanism hangs (no run within {self._timeout:g} s) in {unfinished}"
            remedy = "make it return on every data set, or give a larger timeout"
        else:
            what = f"the mechanism ended its process ({lost.cause.how}) in {unfinished}"
            remedy = "make it return an output, or raise an exception, which counts as one"
        if self._survives(other):
            return f"{what}, but not on {SIDES[other.side]}: {ONE_SIDED}; {remedy}"
        return f"{what}, and in the same runs on {SIDES[other.side]}; {remedy}"

    def _survives(self, block: Block) -> bool:
        def ask(child: Child, block: Block) -> tuple[int, Notes]:
            return child.call(_draw, self._timeout, block, self._care, len)

        crew = Crew(self._hire, 1)
        try:
            list(crew.map(ask, [block]))
        except (Died, Hung):
            return False
        except InputError:  # of a batch that came back
            return True
        finally:
            crew.close()
        return True

    # --- the first look

    def _look(self) -> list[Finding]:
        """Return findings, and set what they ask for."""
        blocks = [Block(side, 0, TRIAL_RUNS) for side in (0, 1)]
        trials = [trial for _, trial in self._apply(_try_out, [(block, ()) for block in blocks])]
        self._refuse_broken([trial.notes for trial in trials])
        self._care = Care(
            inputs=any(trial.notes.mutates for trial in trials),
            outputs=any(trial.overwrites for trial in trials),
        )
        noticed: list[Finding] = []
        if self._care.inputs:
            noticed.append(MUTATES)
        if self._care.outputs:
            noticed.append(OVERWRITES)
        erratic = [side for side in (0, 1) if not trials[side].reproducible]
        if erratic:
            one_process = self._workers > 1
            if one_process:
                # several might draw the same numbers
                self._workers = 1
                self.close()
            noticed.append(
                not_reproducible(erratic, "the rng it is given", one_process=one_process)
            )
        repeating = [side for side in (0, 1) if trials[side].repeats]
        if repeating:
            noticed.append(repeats(repeating, TRIAL_RUNS))
        return noticed

    @staticmethod
    def _refuse_broken(notes: Sequence[Notes]) -> None:
        always = [side for side in (0, 1) if notes[side].raised.total() == TRIAL_RUNS]
        blunder = [side for side in always if notes[side].blunders == TRIAL_RUNS]
        if len(always) < 2 and not blunder:
            return
        side = blunder[0] if blunder else 0
        where = SIDES[side] if len(always) < 2 else "both data sets"
        example = next(iter(notes[side].examples.values()))
        raise InputError(
            f"the mechanism failed with {example} in every run on {where}; it must run on D and D'"
        )


def _no_one_waits(_: int | None) -> None:
    pass


def require_plan(pair: Any, seed: int, workers: int, timeout: float | None) -> None:
    """Raise InputError unless a pair, seed, number of workers and time limit make sense."""
    if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
        raise InputError("pair must be two data sets, (D, D')")
    for data, side in zip(pair, SIDES, strict=True):
        if isinstance(data, Iterator):
            raise InputError(f"{side} can be read only once ({type(data).__name__}); give a list")
    for name, number, least in (("seed", seed, 0), ("workers", workers, 1)):
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not whole or number < least:
            raise InputError(f"{name} must be a whole number, at least {least}, got {number!r}")
    if timeout is not None and not (isinstance(timeout, (int, float)) and timeout > 0):
        raise InputError(f"timeout must be a positive number of seconds, got {timeout!r}")


class RecordedSampler:
    """Outputs that somebody else has drawn: one array or list for each side."""

    def __init__(self, first: Outputs, second: Outputs) -> None:
        self._sides = (first, second)
        journal = Journal(str, "")
        for side, outputs in enumerate(self._sides):
            notes = Notes()
            notes.compare(outputs)
            journal.add(Block(side, 0, len(outputs)), notes)
        self.findings: list[Finding] = journal.findings()

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""
        for block in blocks:
            yield reduce(self._sides[block.side][block.start : block.start + block.size])

    def close(self) -> None:
        """Nothing to release."""
