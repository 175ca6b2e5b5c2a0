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
from auditor.runs.clock import Clock, OutOfTime, require_seconds
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
from auditor.runs.processes import Alive, Child, Crew, Died, Hung
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
Item = TypeVar("Item")

TRIAL_RUNS = 32
"""Runs on each side with which a sampler looks at a mechanism first; they count for nothing."""
TRIAL_SHARE = 0.15
"""Share of the time that they may take, if the time is limited."""


class Sampler(Protocol):
    """Where outputs come from."""

    def prepare(self) -> None:
        """Look at the mechanism, unless that was done before; :meth:`draw` does it by itself."""

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """What was noticed while sampling, each with ``kind`` and ``statement``."""

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""

    def close(self) -> None:
        """Release processes."""


def _try_out(runner: Runner, alive: Alive, block: Block, seconds: float) -> Trial:
    return runner.trial(block, alive, seconds)


def _draw(runner: Runner, alive: Alive, block: Block, care: Care) -> tuple[Outputs, Notes]:
    return runner.run(block, care, alive)


# ----------------------------------------------------------------------------- the samplers


class _Lost(Exception):
    """A child process hung or ended in a block."""

    def __init__(self, block: Block, cause: Died | Hung) -> None:
        super().__init__(str(cause))
        self.block = block
        self.cause = cause


class Children:
    """Python processes that samplers use one after the other.

    Parameters
    ----------
    workers : int
        Linear algebra has one thread in each of several.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._crew: Crew[Child] | None = None

    def map(self, task: Callable[[Child, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield ``task(child, item)`` of every item, in order; see :meth:`Crew.map`."""
        if self._crew is None or self._crew.closed:
            self._crew = Crew(self._hire, self._workers)
        return self._crew.map(task, items)

    def _hire(self) -> Child:
        return Child(one_thread=self._workers > 1)

    def close(self) -> None:
        """Stop the processes; they are started again when needed."""
        if self._crew is not None:
            self._crew.close()


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
        Processes that run blocks side by side; 1 with no time limit is this process. The outputs
        are the same for any number. Linear algebra has one thread in each of several workers.
    call_timeout : float or None
        Seconds within which at least one run, or one batch, must finish. Runs are then made in a
        process that can be killed, and so they are if ``clock`` has an end.
    clock : Clock, optional
        The time that there is.
    children : Children, optional
        Processes to use, which whoever gives them will close; by default its own.

    Raises
    ------
    InputError
        While drawing: if every run raises on both data sets, or every run on one of them raises
        what only a programming error does; if a batch fails or is no array or list of ``size``
        runs; if a run hangs or ends its process (in a process of its own).
    OutOfTime
        While drawing: when the time is up.

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
        call_timeout: float | None = None,
        clock: Clock | None = None,
        children: Children | None = None,
    ) -> None:
        if not callable(mechanism):
            raise InputError(f"the mechanism must be callable, got {type(mechanism).__name__}")
        require_plan(pair, seed, workers, call_timeout)
        self._runner = Runner(mechanism, pair, int(seed), batched)
        self._workers = workers
        self._clock = clock or Clock()
        self._clock.side_by_side(workers)
        self._own_process = workers > 1 or call_timeout is not None or self._clock.limited
        self._limit = call_timeout
        self._children = children or Children(workers)
        self._own_children = children is None
        self._care = Care()
        self._noticed: list[Finding] | None = None
        self._journal = Journal(
            lambda name: f"raised {name}", "an exception is an outcome like any other"
        )

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """What was noticed so far, each with ``kind`` and ``statement``."""
        return [*(self._noticed or []), *self._journal.findings()]

    def prepare(self) -> None:
        """Look at the mechanism, unless that was done before."""
        if self._noticed is None:
            self._noticed = self._look()

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order; ``reduce`` is called here."""
        self.prepare()
        assert self._noticed is not None

        def call(block: Block) -> tuple[Block, tuple[Any, ...]]:
            return block, (self._care,)

        for block, (outputs, notes) in self._apply(_draw, map(call, blocks)):
            if notes.mutates and not self._care.inputs:
                self._care = replace(self._care, inputs=True)
                self._noticed.append(MUTATES)
            self._journal.add(block, notes)
            yield reduce(outputs)

    def close(self) -> None:
        """Stop the processes, if they are its own."""
        if self._own_children:
            self._children.close()

    # --- where the runs are made

    def _apply(
        self,
        function: Callable[..., Result],
        calls: Iterable[tuple[Block, tuple[Any, ...]]],
    ) -> Iterator[tuple[Block, Result]]:
        """Yield (block, ``function(runner, alive, block, *arguments)``) of every call, in order."""
        if not self._own_process:
            for block, arguments in calls:
                yield block, function(self._runner, self._made(), block, *arguments)
            return

        def ask(child: Child, call: tuple[Block, tuple[Any, ...]]) -> tuple[Block, Result]:
            block, arguments = call
            try:
                return block, self._call(child, function, block, *arguments)
            except (Died, Hung) as cause:
                raise _Lost(block, cause) from None

        try:
            yield from self._children.map(ask, calls)
        except _Lost as lost:
            raise InputError(self._verdict_on(lost)) from None

    def _call(
        self, child: Child, function: Callable[..., Result], block: Block, *arguments: Any
    ) -> Result:
        return child.call(self._runner, function, self._limit, self._clock, block, *arguments)

    def _made(self) -> Alive:
        """Return what tells the clock how many runs of a block are finished in this process."""
        count = self._clock.counting()

        def alive(done: int | None) -> None:
            if done is not None:
                count(done)

        return alive

    def _verdict_on(self, lost: _Lost) -> str:
        """Return what a block did to its process, and whether it does so on the other side."""
        block, done = lost.block, lost.cause.done
        unfinished = Block(block.side, block.start + done, block.size - done)
        other = replace(block, side=1 - block.side)
        if isinstance(lost.cause, Hung):
            what = f"the mechanism hangs (no run within {self._limit:g} s) in {unfinished}"
            remedy = "make it return on every data set, or give a larger call_timeout"
        else:
            what = f"the mechanism ended its process ({lost.cause.how}) in {unfinished}"
            remedy = "make it return an output, or raise an exception, which counts as one"
        survives = self._survives(other)
        if survives is None:
            return f"{what}; {remedy}"
        if survives:
            return f"{what}, but not on {SIDES[other.side]}: {ONE_SIDED}; {remedy}"
        return f"{what}, and in the same runs on {SIDES[other.side]}; {remedy}"

    def _survives(self, block: Block) -> bool | None:
        """Return whether a block comes back; ``None`` if there is no time to see."""

        def ask(child: Child, block: Block) -> tuple[Outputs, Notes]:
            return self._call(child, _draw, block, self._care)

        children = Children(1)
        try:
            list(children.map(ask, [block]))
        except (Died, Hung):
            return False
        except OutOfTime:
            return None
        except InputError:  # of a batch that came back
            return True
        finally:
            children.close()
        return True

    # --- the first look

    def _look(self) -> list[Finding]:
        """Return findings, and set what they ask for."""
        blocks = [Block(side, 0, TRIAL_RUNS) for side in (0, 1)]
        self._clock.begin("trying the mechanism", 0, 0)
        # each side on its own, one after the other unless there are several workers
        seconds = TRIAL_SHARE * self._clock.left / 2
        calls = [(block, (seconds,)) for block in blocks]
        trials = [trial for _, trial in self._apply(_try_out, calls)]
        self._refuse_broken(trials)
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
                self._clock.side_by_side(1)
                self.close()
                self._children, self._own_children = Children(1), True
            noticed.append(
                not_reproducible(erratic, "the rng it is given", one_process=one_process)
            )
        repeating = [side for side in (0, 1) if trials[side].repeats]
        if repeating:
            noticed.append(repeats(repeating, trials[repeating[0]].runs))
        return noticed

    @staticmethod
    def _refuse_broken(trials: Sequence[Trial]) -> None:
        notes = [trial.notes for trial in trials]
        always = [side for side in (0, 1) if notes[side].raised.total() == trials[side].runs]
        blunder = [side for side in always if notes[side].blunders == trials[side].runs]
        if len(always) < 2 and not blunder:
            return
        side = blunder[0] if blunder else 0
        where = SIDES[side] if len(always) < 2 else "both data sets"
        example = next(iter(notes[side].examples.values()))
        raise InputError(
            f"the mechanism failed with {example} in every run on {where}; it must run on D and D'"
        )


def require_plan(pair: Any, seed: int, workers: int, call_timeout: float | None) -> None:
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
    require_seconds("call_timeout", call_timeout)


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

    def prepare(self) -> None:
        """Nothing to look at."""

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""
        for block in blocks:
            yield reduce(self._sides[block.side][block.start : block.start + block.size])

    def close(self) -> None:
        """Nothing to release."""
