"""Mechanisms in any language: programs that answer requests, one JSON line each.

The protocol is on one page, ``docs/how-to/program-protocol.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from auditor.core.arguments import require_seed, require_words
from auditor.core.errors import InputError
from auditor.core.pair_names import SIDES
from auditor.runs.blocks import Block, Outputs
from auditor.runs.crew import Crew, Item, Returned
from auditor.runs.journal import Journal
from auditor.runs.json_values import encoded
from auditor.runs.program import TIMEOUT, ProgramProcess
from auditor.runs.program_requests import ERROR, MOST_HANGS, Look, Requests, Tally
from auditor.runs.sampling import Reduced, RunOptions, require_readable

REQUEST_SECONDS = 30.0
"""Time limit of a request by default."""
MOST_CRASHES = 1000


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
    options : RunOptions, optional
        The workers are copies of the program, and the time limit is that of one request, by default
        30 seconds. A request is for at most 1024 runs, but for 32 or 1 if the first runs take so
        long that more would need over a quarter of it (or 4 MiB). What must not be quoted is what
        the program says of its failures: all its errors are one outcome then.

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
        options: RunOptions | None = None,
    ) -> None:
        options = options or RunOptions()
        pair = require_readable(pair)
        self._arguments = _split(command)
        self._requests = Requests(
            [encoded(data, side) for data, side in zip(pair, SIDES, strict=True)],
            require_seed(seed),
            options.call_timeout or REQUEST_SECONDS,
            options.clock,
            quoted=options.quoted,
        )
        self._quoted = options.quoted
        self._workers = options.workers
        self._crew: Crew[ProgramProcess] | None = None
        self._seen: Look | None = None
        self._journal = Journal(
            lambda name: f"the program gave no output ({name})",
            "that is an outcome like any other, and a request that fails is one run",
        )
        self._crashes = 0
        self._hangs = 0

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """Return what was noticed so far, each with ``kind`` and ``statement``."""
        return [*(self._seen.findings if self._seen else []), *self._journal.findings()]

    def prepare(self) -> None:
        """Look at the program, unless that was done before."""
        if self._seen is None:
            with self._requests.clock.meanwhile("first runs of the program"):
                (self._seen,) = self._map(
                    lambda program, asked: asked.look(program), [self._requests]
                )
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

        def make(program: ProgramProcess, block: Block) -> tuple[Block, Reduced, Tally]:
            outputs, tally = self._requests.block(program, block, wave.size)
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
