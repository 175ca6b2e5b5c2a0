"""Mechanisms in any language: programs that answer requests, one JSON line each.

The protocol is on one page, ``docs/how-to/program-protocol.md``. A request asks for a number of
runs. A program that crashes or hangs does not say in which of them, and perhaps it was no run of
its own that failed but the program: what the runs of a request have in common must not be counted
as often as there are runs. So a request that fails counts as one run without an output, and its
other runs are asked for again. Where failures are single runs', that undercounts them, by little
if few requests fail: requests are therefore made smaller until few do (:class:`_Sizes`).
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from auditor.core.arguments import require_words
from auditor.core.errors import UNQUOTED, InputError
from auditor.core.pair_names import SIDES
from auditor.runs.blocks import Block, Outputs, Raised, joined
from auditor.runs.clock import Clock
from auditor.runs.journal import (
    ONE_SIDED,
    Finding,
    Journal,
    Notes,
    not_reproducible,
    repeats,
    varies,
)
from auditor.runs.json_values import decoded, encoded
from auditor.runs.processes import Crew, Item, Returned
from auditor.runs.program import TIMEOUT, Failed, ProgramProcess, shortened
from auditor.runs.sampling import TRIAL_SHARE, Reduced, require_plan
from auditor.runs.values import same, stacked

TRIAL_RUNS = 16
LEAST_TRIAL = 4
"""The fewest runs of a first look, however little time there is."""
TRIAL_PASSES = 9
"""About how often a first look makes its runs."""
REQUEST_RUNS = (1024, 32, 1)
"""Runs of one request: few sizes, so that the time a run takes seldom decides between two."""
ANSWER_BYTES = 2**22
"""A request is for so few runs that its answer takes at most about this."""
OTHER_SEEDS = 3
ATTEMPTS = 4
"""How often the other runs of a request that failed are asked for together."""
FEW_FAIL, HALF_FAIL = 1 / 8, 1 / 2
"""Requests may grow while at most the first share of them fails, and shrink from the second on."""
GROWTH, SHRINKAGE = 4, 8
ENOUGH_FAILURES = 16
"""Requests that fail in a wave: as many say enough, and more would take long to start again."""
MOST_CRASHES = 1000
MOST_HANGS = 5
ERROR = "error: "


@dataclass(frozen=True)
class _Look:
    """What the first runs of a program show.

    Attributes
    ----------
    findings : list of findings
    sizes : _Sizes
        How many runs to ask for at once.
    only_one : bool
        Whether two copies would give the same outputs.
    """

    findings: list[Finding]
    sizes: _Sizes
    only_one: bool


@dataclass
class _Tally:
    """How the requests of a block went.

    Attributes
    ----------
    requests, failed : int
        Requests for several runs, or for the only one, and those of them that failed.
    failures : Counter of str
        All failures by their names, also those of runs that were asked for again.
    notes : Notes
        What was noticed about the outcomes, of which there are fewer.
    """

    requests: int = 0
    failed: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    notes: Notes = field(default_factory=Notes)

    def outcome(self, failure: Failed) -> Raised:
        """Note a failure that counts and return its outcome."""
        self.failures[failure.name] += 1
        return self.notes.failure(failure.name, lambda: failure.detail)


@dataclass(frozen=True)
class _Wave:
    """Blocks whose requests were of one size: runs of each, requests and failed ones by side."""

    size: int
    requests: list[int] = field(default_factory=lambda: [0, 0])
    failed: list[int] = field(default_factory=lambda: [0, 0])

    def share(self) -> float:
        """Return the larger share of failed requests."""
        return max(f / max(1, r) for f, r in zip(self.failed, self.requests, strict=True))


class _Sizes:
    """How many runs a request is for, on both sides alike: it must not tell them apart.

    Of a failing request one run counts as failed. If each of its m runs fails with probability p,
    independently, that is the share (1 - (1 - p)^m) / m of all runs. It is concave in p and 0 at 0,
    so that the ratio of two such shares is at most that of the probabilities, which the claim
    bounds. It is nearly p if few requests fail, and p if m = 1. If it is requests that fail,
    whatever their size, it is right for every m, but shows most for small ones.

    So requests are small at first, grow while few fail, and shrink when half do. They are so many
    that :data:`ENOUGH_FAILURES` are expected to fail in a wave (blocks that begin between two
    powers of two) if as large a share does as before; until any has, twice that number. All
    depends on earlier waves alone, so that runs are the same when they are drawn again from the
    first, and for any number of workers.

    Parameters
    ----------
    first, most : int
        Of the first wave, and of any.
    """

    def __init__(self, first: int, most: int) -> None:
        self._first, self._most = min(first, most), most
        self._waves: dict[int, _Wave] = {}

    def wave(self, start: int, runs: int) -> _Wave:
        """Return the next wave, of ``runs`` runs on both sides together from ``start`` on."""
        self._waves = {at: wave for at, wave in self._waves.items() if at < start}
        size = self._first
        if self._waves:
            last = self._waves[max(self._waves)]
            size = last.size
            if last.share() <= FEW_FAIL:
                size *= GROWTH
            elif last.share() > HALF_FAIL:
                size //= SHRINKAGE
        size = min(size, int(runs * self._share() / ENOUGH_FAILURES))
        self._waves[start] = _Wave(int(np.clip(size, 1, self._most)))
        return self._waves[start]

    def _share(self) -> float:
        """Return the share of requests that failed so far; one half if none has."""
        failed = sum(sum(wave.failed) for wave in self._waves.values())
        requests = sum(sum(wave.requests) for wave in self._waves.values())
        return failed / requests if failed else 0.5


class _Runs:
    """Asks programs for runs.

    Parameters
    ----------
    data : sequence of bytes
        D and D' as JSON.
    seed : int
    timeout : float
        Of one request.
    clock : Clock
    quoted : bool
        As of :class:`CommandSampler`.
    """

    def __init__(
        self,
        data: Sequence[bytes],
        seed: int,
        timeout: float,
        clock: Clock | None = None,
        *,
        quoted: bool = True,
    ) -> None:
        self._data = data
        self._seed = seed
        self._timeout = timeout
        self.clock = clock or Clock()
        self._quoted = quoted

    def block(
        self, program: ProgramProcess, block: Block, request_runs: int
    ) -> tuple[Outputs, _Tally]:
        """Return the outputs of a block and how its requests went."""
        tally, parts = _Tally(), []
        end = block.start + block.size
        for first in range(block.start, end, request_runs):
            part = Block(block.side, first, min(request_runs, end - first))
            parts.append(stacked(self._part(program, part, tally)))
        joint = joined(parts)
        tally.notes.compare(joint)
        return joint, tally

    def _part(self, program: ProgramProcess, block: Block, tally: _Tally) -> list[Any]:
        """Return the outputs of a request; if it fails, one outcome and its other runs again."""
        tally.requests += 1
        try:
            return self._request(program, block)
        except Failed as failure:
            tally.failed += 1
            once = [tally.outcome(failure)]
            return self._with_others(program, block, failure, tally, once)

    def _with_others(
        self, program: ProgramProcess, block: Block, failure: Failed, tally: _Tally, once: list[Any]
    ) -> list[Any]:
        """Return an outcome and outputs of the other runs of a block: together, else one by one."""
        others = Block(block.side, block.start + 1, block.size - 1)
        attempts = 0 if failure.name == TIMEOUT or others.size == 0 else ATTEMPTS
        for attempt in range(attempts):
            try:
                return once + self._request(program, others, self._seed_of(others, attempt))
            except Failed as again:
                tally.failures[again.name] += 1
                if again.name == TIMEOUT:
                    break
        return self._one_by_one(program, block, failure, tally, once, MOST_HANGS)

    def _seed_of(self, block: Block, *key: int) -> np.random.SeedSequence:
        """Return a seed for runs of a block that are asked for again."""
        return np.random.SeedSequence(self._seed, spawn_key=(block.side, block.start, *key))

    def _request(
        self, program: ProgramProcess, block: Block, seed: np.random.SeedSequence | None = None
    ) -> list[Any]:
        words = (seed or block.seed_sequence(self._seed)).generate_state(1, np.uint64)
        # 53 bits are exact in the numbers of every language
        end = f', "seed": {int(words[0]) >> 11}, "size": {block.size}}}\n'
        request = b'{"data": ' + self._data[block.side] + end.encode()
        self.clock.require()
        running, began = program.answered > 0, self.clock.now()
        try:
            answer = program.ask(request, min(self._timeout, self.clock.left))
        except Failed as failure:
            if failure.name == TIMEOUT:
                self.clock.require()  # that the request was cut short says nothing of the program
            raise
        # the first answer takes longest: the program starts
        self.clock.step(block.size, self.clock.now() - began if running else None)
        return _parsed(answer, block, quoted=self._quoted)

    def _one_by_one(
        self,
        program: ProgramProcess,
        block: Block,
        failure: Failed,
        tally: _Tally,
        outputs: list[Any],
        most_hangs: int,
    ) -> list[Any]:
        """Return all outputs of a request that failed; those not yet known are asked for alone."""
        failed, began = tally.failures.total(), time.monotonic()
        for run in range(block.start + len(outputs), block.start + block.size):
            single = Block(block.side, run, 1)
            try:
                outputs += self._request(program, single, self._seed_of(single, ATTEMPTS))
            except Failed as again:
                outputs.append(tally.outcome(again))
            if tally.failures[TIMEOUT] > most_hangs:
                raise InputError(self._hang(program, block))
        seconds = time.monotonic() - began
        together = failure.name == TIMEOUT and tally.failures.total() == failed
        if together and seconds > self._timeout / 2:
            raise InputError(
                f"{block} take longer than the time limit of {self._timeout:g} s for a "
                "request, but none of them hangs when asked for alone; give a call_timeout "
                f"of {max(2 * seconds, 2 * self._timeout):.0f} s"
            )
        return outputs

    def _hang(self, program: ProgramProcess, block: Block) -> str:
        other = Block(1 - block.side, block.start, block.size)
        what = f"the program hangs (no answer within {self._timeout:g} s) in {block}"
        remedy = "make it answer every request in time, or give a larger call_timeout"
        try:
            self._request(program, other)
        except Failed:
            return f"{what}, and fails in the same runs on {SIDES[other.side]}; {remedy}"
        return f"{what}, but not on {SIDES[other.side]}: {ONE_SIDED}; {remedy}"

    # --- the first look

    def look(self, program: ProgramProcess) -> _Look:
        """Look at a program: does it work, and repeat itself when it should and only then."""
        runs = self._trial_runs(program)
        blocks = [Block(side, 0, runs) for side in (0, 1)]
        tallies = [_Tally(), _Tally()]
        outputs = [self._first(program, blocks[side], tallies[side]) for side in (0, 1)]
        notes = [tally.notes for tally in tallies]
        if all(noted.raised.total() == runs for noted in notes):
            example = next(iter(notes[0].examples.values()))
            raise InputError(
                f"the program gave no output in any run on both data sets ({example}); it must "
                "answer requests on D and D' (docs/how-to/program-protocol.md)"
            )
        sound = [side for side in (0, 1) if not notes[side].raised]
        varying = [side for side in sound if varies(outputs[side])]
        began = time.monotonic()
        try:
            erratic = [s for s in sound if not same(outputs[s], self._request(program, blocks[s]))]
            seconds = (time.monotonic() - began) / max(1, len(sound) * runs)
            blind = self._blind_to_seeds(program, blocks[varying[0]]) if varying else None
        except Failed:  # only now and then: the runs themselves will show it
            erratic, seconds, blind = [], 0.0, None
        length = max(len(json.dumps(part, default=str)) for part in outputs) / runs
        sizes = _Sizes(
            first=1 if any(tally.failures for tally in tallies) else TRIAL_RUNS,
            most=self._request_runs(seconds, length),
        )
        if blind is not None:
            return _Look([blind], sizes, only_one=True)
        findings = [not_reproducible(erratic, "the seed it is given")] if erratic else []
        return _Look(findings, sizes, only_one=False)

    def _trial_runs(self, program: ProgramProcess) -> int:
        """Return with how many runs a side to look: fewer if the time is limited and short."""
        if not self.clock.limited:
            return TRIAL_RUNS
        seconds = TRIAL_SHARE * self.clock.left / (2 * TRIAL_PASSES)
        with suppress(Failed):
            self._request(program, Block(0, 0, 1))  # starts it
        began = time.monotonic()
        with suppress(Failed):
            self._request(program, Block(0, 0, 1))
        fit = seconds / max(time.monotonic() - began, 1e-9)
        return int(np.clip(fit, LEAST_TRIAL, TRIAL_RUNS))

    def _first(self, program: ProgramProcess, block: Block, tally: _Tally) -> list[Any]:
        answered = program.answered
        try:
            return self._request(program, block)
        except Failed as failure:
            if failure.name == "exit code 0" and answered:
                self._refuse_single_use(program, block)
            outputs = self._one_by_one(program, block, failure, tally, [], most_hangs=0)
            tally.failures[failure.name] += 1
            return outputs

    def _refuse_single_use(self, program: ProgramProcess, block: Block) -> None:
        """Raise InputError if a program ended after an answer, and a new copy has another."""
        with suppress(Failed):
            self._request(program, block)
            raise InputError(
                "the program ended (exit code 0) after its first answer; it must go on reading "
                "requests until its input ends"
            )

    def _blind_to_seeds(self, program: ProgramProcess, block: Block) -> Finding | None:
        """Return a finding if all copies of a program give the same outputs for other seeds."""

        def fresh(seed: int) -> list[Any]:
            program.stop()
            return self._request(program, block, self._other_seed(seed))

        first = fresh(0)
        if not all(same(first, fresh(1 + other)) for other in range(OTHER_SEEDS)):
            return None
        later = self._request(program, block, self._other_seed(1 + OTHER_SEEDS))
        return repeats([block.side], block.size) if same(first, later) else IGNORES_SEED

    def _other_seed(self, number: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self._seed, spawn_key=(2, number))

    def _request_runs(self, seconds: float, length: float) -> int:
        """Return how many runs to ask for at once, given the time and the length of one."""
        for runs in REQUEST_RUNS[:-1]:
            if runs * seconds < self._timeout / 4 and runs * length < ANSWER_BYTES:
                return runs
        return REQUEST_RUNS[-1]


IGNORES_SEED: Finding = {
    "kind": "ignores the seed",
    "statement": "the program ignores the seed it is given, and every copy of it gives the same "
    "outputs: only one copy was run, and what it gives after a crash repeats earlier runs",
}


def _parsed(line: bytes, block: Block, *, quoted: bool) -> list[Any]:
    """Return the outputs of an answer; what else it says is told if it may be ``quoted``.

    Raises
    ------
    Failed
        If the answer reports an error.
    InputError
        If it is no answer.
    """
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict) and "error" in answer:
        text = shortened(str(answer["error"]).strip().split("\n")[0]) if quoted else UNQUOTED
        raise Failed(ERROR + text, ERROR + text)
    outputs = answer.get("outputs") if isinstance(answer, dict) else None
    if not isinstance(outputs, list):
        shown = repr(shortened(line.decode(errors="replace").strip())) if quoted else UNQUOTED
        raise InputError(
            f"the program answered {shown} to the request for {block}; one line of JSON, "
            '{"outputs": [...]} or {"error": "..."}, is expected (docs/how-to/program-protocol.md)'
        )
    if len(outputs) != block.size:
        raise InputError(
            f"the program gave {len(outputs)} outputs to the request for {block}; {block.size} "
            "(the request's size) are expected"
        )
    return decoded(outputs) if b'"' in line.replace(b'"outputs"', b"", 1) else outputs


class CommandSampler:
    """A mechanism that is a program, in any language, with a line protocol.

    Before the first block, some runs on either side show whether the program works at all, and
    whether it repeats itself for the same seed and only then.

    Parameters
    ----------
    command : str or sequence of str
        The program and its arguments; a string is split as a shell would, and no shell is used.
    pair : (Any, Any)
        D and D': numbers, strings, ``None``, arrays, lists, dicts and data frames of them.
    seed : int
        At least 0.
    workers : int
        Copies of the program that run side by side. The outputs are the same for any number if
        the program draws from the seed it is given alone.
    call_timeout : float
        Seconds that one request may take. A request is for at most 1024 runs, but for 32 or 1 if
        the first runs take so long that more would need over a quarter of this (or 4 MiB).
    clock : Clock, optional
        The time that there is.
    quoted : bool
        Whether what the program says of its failures may be told: it may quote the data. If not,
        all its errors are one outcome.

    Raises
    ------
    InputError
        At once if a data set cannot be written as JSON. While drawing: if the program cannot be
        started, fails in all first runs on both data sets, hangs at once, breaks the protocol, or
        crashes or hangs so often that restarting it would take too long.
    OutOfTime
        While drawing: when the time is up.

    Notes
    -----
    A request that crashes, hangs or reports an error is one run with that outcome, :class:`Raised`;
    its other runs are asked for again. Kinds of findings: ``"raised"``, ``"not reproducible"``,
    ``"ignores the seed"`` (all copies give the same outputs, so one is used), ``"repeats"``
    (requests are answered alike for every seed), ``"constant"``.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        pair: tuple[Any, Any],
        *,
        seed: int,
        workers: int = 1,
        call_timeout: float = 30.0,
        clock: Clock | None = None,
        quoted: bool = True,
    ) -> None:
        pair = require_plan(pair, seed, workers, call_timeout)
        if clock is not None:
            clock.side_by_side(workers)
        self._arguments = _split(command)
        data = [encoded(data, side) for data, side in zip(pair, SIDES, strict=True)]
        self._runs = _Runs(data, int(seed), float(call_timeout), clock, quoted=quoted)
        self._quoted = quoted
        self._workers = workers
        self._crew: Crew[ProgramProcess] | None = None
        self._seen: _Look | None = None
        self._journal = Journal(
            lambda name: f"the program gave no output ({name})",
            "that is an outcome like any other, and a request that fails is one run",
        )
        self._crashes = 0
        self._hangs = 0

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """What was noticed so far, each with ``kind`` and ``statement``."""
        return [*(self._seen.findings if self._seen else []), *self._journal.findings()]

    def prepare(self) -> None:
        """Look at the program, unless that was done before."""
        if self._seen is None:
            with self._runs.clock.meanwhile("first runs of the program"):
                (self._seen,) = self._map(lambda program, runs: runs.look(program), [self._runs])
            if self._seen.only_one:
                self._workers = 1
                self.close()

    def draw(
        self, blocks: Iterable[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        """Yield ``reduce(outputs)`` of every block, in order."""
        self.prepare()
        for _, blocks_of_wave in groupby(blocks, lambda block: block.start.bit_length()):
            yield from self._draw_wave(list(blocks_of_wave), reduce)

    def _draw_wave(
        self, blocks: list[Block], reduce: Callable[[Outputs], Reduced]
    ) -> Iterator[Reduced]:
        assert self._seen is not None
        wave = self._seen.sizes.wave(blocks[0].start, sum(block.size for block in blocks))

        def make(program: ProgramProcess, block: Block) -> tuple[Block, Reduced, _Tally]:
            outputs, tally = self._runs.block(program, block, wave.size)
            return block, reduce(outputs), tally

        for block, result, tally in self._map(make, blocks):
            wave.requests[block.side] += tally.requests
            wave.failed[block.side] += tally.failed
            self._journal.add(block, tally.notes)
            self._count_failures(tally.failures)
            yield result

    def close(self) -> None:
        """Kill the programs and what they have started."""
        if self._crew is not None:
            self._crew.close()

    def _map(
        self, task: Callable[[ProgramProcess, Item], Returned], items: Iterable[Item]
    ) -> Iterator[Returned]:
        if self._crew is None or self._crew.closed:
            self._crew = Crew(
                lambda: ProgramProcess(self._arguments, quoted=self._quoted), self._workers
            )
        return self._crew.map(task, items)

    def _count_failures(self, failures: Counter[str]) -> None:
        """Raise InputError if the program must be restarted too often."""
        hangs = failures[TIMEOUT]
        errors = sum(n for name, n in failures.items() if name.startswith(ERROR))
        self._hangs += hangs
        self._crashes += failures.total() - hangs - errors
        if self._crashes > MOST_CRASHES or self._hangs > MOST_HANGS:
            worst = self._journal.findings()[0]["statement"].split(";")[0]
            raise InputError(
                f"{worst}: too often to go on restarting it; let it give the failure as an output"
            )


def _split(command: str | Sequence[str]) -> list[str]:
    arguments = require_words("command", command, words="a program and its arguments")
    if not arguments:
        raise InputError(f"command must be a program and its arguments, got {command!r}")
    return arguments
