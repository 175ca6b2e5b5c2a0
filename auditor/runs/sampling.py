"""Runs of a mechanism on the two data sets of a pair, drawn block by block.

A block is a number of consecutive runs on one side. Its randomness is a function of the seed, the
side and its first run alone, so the same blocks give the same outputs whatever the number of
workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from auditor.core.arguments import require_pair, require_seconds, require_seed, require_workers
from auditor.core.errors import InputError
from auditor.core.pair_names import SIDES
from auditor.runs.blocks import Block, Outputs
from auditor.runs.children import Children, Couple
from auditor.runs.clock import Clock, OutOfTime
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
from auditor.runs.plain_data import opened_all
from auditor.runs.processes import FORGED, Alive, Died, Hung
from auditor.runs.runner import OTHER_SEEDS, BadBatch, Care, MechanismFunction, Runner, Trial
from auditor.runs.runner_tasks import (
    Answered,
    Drawn,
    DrawTask,
    RunnerTask,
    TrialTask,
    receive,
    send,
    send_one,
)
from auditor.runs.wire import Malformed

Reduced = TypeVar("Reduced")

TRIAL_RUNS = 32
"""Runs on each side with which a sampler looks at a mechanism first; they count for nothing."""
TRIAL_SHARE = 0.15
"""Share of the time that they may take, if the time is limited."""


class Sampler(Protocol):
    """Source of outputs."""

    def prepare(self) -> None:
        """Look at the mechanism, unless that was done before; :meth:`draw` does it by itself."""

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """Return what was noticed while sampling, each with ``kind`` and ``statement``."""

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""

    def close(self) -> None:
        """Release processes."""


class _Lost(Exception):
    """A child process hung or ended in a block."""

    def __init__(self, block: Block, cause: Died | Hung) -> None:
        super().__init__(str(cause))
        self.block = block
        self.cause = cause


@dataclass(frozen=True)
class RunOptions:
    """Options of runs: number of processes, time limits, and what may be told of failures.

    Parameters
    ----------
    workers : int
        Processes that run blocks in parallel. The outputs are the same for any number, if the
        mechanism draws from the seed that it is given alone.
    call_timeout : float or None
        Seconds within which at least one run, one batch or one request must finish.
    clock : Clock
        The time that there is.
    children : Children, optional
        Python processes to use, which the caller closes; by default the sampler's own.
    own_process : bool
        Whether a Python mechanism must not run in this process, whatever the other options say.
        Else it does with one worker and no time limit.
    quoted : bool
        Whether what exceptions and programs say may be told: it may quote the data.
    """

    workers: int = 1
    call_timeout: float | None = None
    clock: Clock = field(default_factory=Clock)
    children: Children | None = None
    own_process: bool = False
    quoted: bool = True

    def __post_init__(self) -> None:
        require_workers(self.workers)
        require_seconds("call_timeout", self.call_timeout)
        self.clock.side_by_side(self.workers)


def require_readable(pair: Any) -> tuple[Any, Any]:
    """Return a pair; raise InputError unless it is two data sets that can be read repeatedly."""
    both = require_pair(pair)
    for data, side in zip(both, SIDES, strict=True):
        if isinstance(data, Iterator):
            raise InputError(f"{side} can be read only once ({type(data).__name__}); give a list")
    return both


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
    options : RunOptions, optional

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
        mechanism: MechanismFunction,
        pair: tuple[Any, Any],
        *,
        seed: int,
        batched: bool = False,
        options: RunOptions | None = None,
    ) -> None:
        if not callable(mechanism):
            is_command = isinstance(mechanism, str | list | tuple)
            hint = "; a program in another language is auditor.Program(command)"
            raise InputError(
                f"the mechanism must be callable, got {type(mechanism).__name__}"
                f"{hint if is_command else ''}"
            )
        pair = require_readable(pair)
        self._seed = require_seed(seed)
        options = options or RunOptions()
        self._runners = [Runner(mechanism, data, batched, quoted=options.quoted) for data in pair]
        self._workers = options.workers
        self._clock = options.clock
        limited = options.call_timeout is not None or self._clock.limited
        self._own_process = options.own_process or self._workers > 1 or limited
        self._limit = options.call_timeout
        self._children = options.children or Children(self._workers)
        self._own_children = options.children is None
        self._together = False
        self._care = Care()
        self._noticed: list[Finding] | None = None
        self._journal = Journal(
            lambda name: f"raised {name}", "an exception is an outcome like any other"
        )

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """Return what was noticed so far, each with ``kind`` and ``statement``."""
        return [*(self._noticed or []), *self._journal.findings()]

    def prepare(self) -> None:
        """Look at the mechanism, unless that was done before."""
        if self._noticed is None:
            with self._clock.meanwhile("first runs of the mechanism"):
                self._noticed = self._look()

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order; ``reduce`` is called here."""
        self.prepare()
        assert self._noticed is not None

        for block, (outputs, notes) in self._ask((block, self._drawing(block)) for block in blocks):
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

    def _drawing(self, block: Block) -> DrawTask:
        return DrawTask(block.randomness(self._seed), block.size, self._care)

    def _ask(
        self, calls: Iterable[tuple[Block, RunnerTask[Answered]]]
    ) -> Iterator[tuple[Block, Answered]]:
        """Yield every block with the answer of its side's runner, in order."""
        if not self._own_process:
            for block, asked in calls:
                with _placed(block):
                    answer = asked.answer(self._runners[block.side], self._made())
                yield block, answer
            return

        def ask(couple: Couple, call: tuple[Block, RunnerTask[Answered]]) -> tuple[Block, Answered]:
            block, asked = call
            try:
                return block, self._answer(couple, block, asked)
            except (Died, Hung) as cause:
                raise _Lost(block, cause) from None

        try:
            yield from self._children.map(ask, calls)
        except _Lost as lost:
            raise InputError(self._verdict_on(lost)) from None

    def _answer(self, couple: Couple, block: Block, asked: RunnerTask[Answered]) -> Answered:
        """Return what the process of a block's side answers."""
        limit, clock, side = self._limit, self._clock, block.side
        if self._together:
            sent = couple.child(0).call(self._runners, send_one, limit, clock, side, asked)
        else:
            sent = couple.child(side).call(self._runners[side], send, limit, clock, asked)
        try:
            with _placed(block):
                return receive(asked, sent)
        except Malformed:
            raise InputError(FORGED) from None

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

        def ask(couple: Couple, block: Block) -> Drawn:
            return self._answer(couple, block, self._drawing(block))

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
        # each side on its own, one after the other unless there are several workers
        seconds = TRIAL_SHARE * self._clock.left / 2
        others = [self._seed + 1 + other for other in range(OTHER_SEEDS)]
        calls = [
            (
                block,
                TrialTask(
                    block.randomness(self._seed),
                    [block.randomness(other) for other in others],
                    block.size,
                    seconds,
                ),
            )
            for block in blocks
        ]
        trials = [trial for _, trial in self._ask(calls)]
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
            if self._own_process:
                # several might draw the same numbers, and so might those of the two sides
                self._workers = 1
                self._clock.side_by_side(1)
                self.close()
                self._children, self._own_children = Children(1), True
                self._together = True
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
        alike = len(always) == 2 and notes[0].raised.keys() == notes[1].raised.keys()
        if not alike and not blunder:
            return
        side = blunder[0] if blunder else 0
        where = SIDES[side] if len(always) < 2 else "both data sets"
        example = next(iter(notes[side].examples.values()))
        called = {"TypeError", "AttributeError"} & notes[side].raised.keys()
        how = ", called with the data first, then its generator or ledger" if called else ""
        raise InputError(
            f"the mechanism failed with {example} in every run on {where}; it must run on D and "
            f"D'{how}"
        )


@contextmanager
def _placed(block: Block) -> Iterator[None]:
    """Say on which data set a batch was bad, which its runner does not know."""
    try:
        yield
    except BadBatch as bad:
        raise InputError(f"{bad.what} on {SIDES[block.side]}; {bad.remedy}") from bad.__cause__


class RecordedSampler:
    """Outputs that somebody else has drawn: one array or list for each side."""

    def __init__(self, first: Outputs, second: Outputs) -> None:
        self._sides = (opened_all(first), opened_all(second))
        journal = Journal(str, "")
        for side, outputs in enumerate(self._sides):
            notes = Notes()
            notes.compare(outputs)
            journal.add(Block(side, 0, len(outputs)), notes)
        self.findings: list[Finding] = journal.findings()

    def prepare(self) -> None:
        """Do nothing: there is nothing to look at."""

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""
        for block in blocks:
            yield reduce(self._sides[block.side][block.start : block.start + block.size])

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
