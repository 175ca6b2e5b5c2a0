"""Requests for runs of a program: what it answers, and what a request that fails counts as.

A program that crashes or hangs does not say in which of its runs, and perhaps it was no run of its
own that failed but the program: what the runs of a request have in common must not be counted
as often as there are runs. So a request that fails counts as one run without an output, and its
other runs are asked for again. Where failures are single runs', that undercounts them, by little
if few requests fail: requests are therefore made smaller until few do
(:mod:`auditor.runs.request_sizes`).
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditor.core.errors import UNQUOTED, InputError
from auditor.core.pair_names import SIDES
from auditor.runs.blocks import Block, Outputs, Raised, joined
from auditor.runs.clock import Clock
from auditor.runs.journal import ONE_SIDED, Finding, Notes, not_reproducible, repeats, varies
from auditor.runs.json_values import decoded
from auditor.runs.program import TIMEOUT, Failed, ProgramProcess, shortened
from auditor.runs.request_sizes import RequestSizes
from auditor.runs.runner import LEAST_TRIAL, OTHER_SEEDS
from auditor.runs.sampling import TRIAL_SHARE
from auditor.runs.values import same, stacked

TRIAL_RUNS = 16
TRIAL_PASSES = 9
"""Approximate number of times that a first look makes its runs."""
REQUEST_RUNS = (1024, 32, 1)
"""Runs of one request: few sizes, so that the time a run takes seldom decides between two."""
ANSWER_BYTES = 2**22
"""A request is for so few runs that its answer takes at most about this."""
ATTEMPTS = 4
"""Times that the other runs of a failed request are requested together."""
MOST_HANGS = 5
ERROR = "error: "


@dataclass(frozen=True)
class Look:
    """Result of the first runs of a program.

    Attributes
    ----------
    findings : list of findings
    sizes : RequestSizes
        How many runs to ask for at once.
    only_one : bool
        Whether two copies would give the same outputs.
    """

    findings: list[Finding]
    sizes: RequestSizes
    only_one: bool


@dataclass
class Tally:
    """Counts of the requests of a block, and of those that failed.

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


class Requests:
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
        Whether what a program says of its failures may be told.
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
    ) -> tuple[Outputs, Tally]:
        """Return the outputs of a block and how its requests went."""
        tally, parts = Tally(), []
        end = block.start + block.size
        for first in range(block.start, end, request_runs):
            part = Block(block.side, first, min(request_runs, end - first))
            parts.append(stacked(self._part(program, part, tally)))
        joint = joined(parts)
        tally.notes.compare(joint)
        return joint, tally

    def _part(self, program: ProgramProcess, block: Block, tally: Tally) -> list[Any]:
        """Return the outputs of a request; if it fails, one outcome and its other runs again."""
        tally.requests += 1
        try:
            return self._request(program, block)
        except Failed as failure:
            tally.failed += 1
            once = [tally.outcome(failure)]
            return self._with_others(program, block, failure, tally, once)

    def _with_others(
        self, program: ProgramProcess, block: Block, failure: Failed, tally: Tally, once: list[Any]
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
        return parsed(answer, block, quoted=self._quoted)

    def _one_by_one(
        self,
        program: ProgramProcess,
        block: Block,
        failure: Failed,
        tally: Tally,
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

    def look(self, program: ProgramProcess) -> Look:
        """Look at a program: does it work, and repeat itself when it should and only then."""
        runs = self._trial_runs(program)
        blocks = [Block(side, 0, runs) for side in (0, 1)]
        tallies = [Tally(), Tally()]
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
        sizes = RequestSizes(
            first=1 if any(tally.failures for tally in tallies) else TRIAL_RUNS,
            most=self._request_runs(seconds, length),
        )
        if blind is not None:
            return Look([blind], sizes, only_one=True)
        findings = [not_reproducible(erratic, "the seed it is given")] if erratic else []
        return Look(findings, sizes, only_one=False)

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

    def _first(self, program: ProgramProcess, block: Block, tally: Tally) -> list[Any]:
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


def parsed(line: bytes, block: Block, *, quoted: bool) -> list[Any]:
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
