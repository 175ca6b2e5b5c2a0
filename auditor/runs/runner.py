"""Runs of a Python mechanism in this process, whatever it does to its arguments."""

from __future__ import annotations

import copy
import math
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from auditor.core.errors import InputError, one_line
from auditor.core.sides import SIDES
from auditor.runs.blocks import Block, Outputs, Raised
from auditor.runs.journal import Notes, varies
from auditor.runs.processes import Alive
from auditor.runs.values import same, stacked

Mechanism = Callable[..., Any]

OTHER_SEEDS = 3
TRIAL_PASSES = 3
"""About how often a trial makes its runs."""
LEAST_TRIAL = 4
"""The fewest runs of a trial, however little time there is."""
LONGEST_CHUNK = 4096
CHUNK_SECONDS = 0.02
"""A sign of life is given about this often."""


@dataclass(frozen=True)
class Care:
    """What a mechanism must be protected from.

    Attributes
    ----------
    inputs : bool
        Give every run a fresh copy of the data, because runs change it.
    outputs : bool
        Copy every output at once, because the next run changes it.
    """

    inputs: bool = False
    outputs: bool = False


@dataclass(frozen=True)
class Trial:
    """What the first look at a mechanism on one side shows."""

    notes: Notes
    runs: int
    reproducible: bool
    repeats: bool
    overwrites: bool


class Runner:
    """Runs a Python mechanism in this process."""

    def __init__(
        self, mechanism: Mechanism, pair: tuple[Any, Any], seed: int, batched: bool
    ) -> None:
        self._mechanism = mechanism
        self._pair = pair  # as given: the mechanism sees copies
        self._data: list[Any] = []
        self._seed = seed
        self._batched = batched

    def run(
        self, block: Block, care: Care, alive: Alive, *, seed: int | None = None
    ) -> tuple[Outputs, Notes]:
        """Return the outputs of a block and what was noticed.

        The outputs are those of runs on fresh copies of the data: a block in which the data
        change is run again.
        """
        rng_seed = block.seed_sequence(self._seed if seed is None else seed)
        notes = Notes()
        outputs = self._attempt(block, care, np.random.default_rng(rng_seed), notes, alive)
        if outputs is None:
            notes = Notes(mutates=True)
            care = replace(care, inputs=True)
            outputs = self._attempt(block, care, np.random.default_rng(rng_seed), notes, alive)
            assert outputs is not None
        notes.compare(outputs)
        return outputs, notes

    def trial(self, block: Block, alive: Alive, seconds: float) -> Trial:
        """Look at the mechanism: does it repeat itself when it should, and only then.

        With fewer runs than ``block`` has, if they would take more than ``seconds``.
        """
        if math.isfinite(seconds):
            began = time.monotonic()
            self.run(replace(block, size=1), Care(), alive)
            fit = seconds / (TRIAL_PASSES * max(time.monotonic() - began, 1e-9))
            block = replace(block, size=int(np.clip(fit, LEAST_TRIAL, block.size)))
        outputs, notes = self.run(block, Care(), alive)
        care = Care(inputs=notes.mutates, outputs=self._overwrites(block))
        if care.outputs:
            outputs, _ = self.run(block, care, alive)
        again, _ = self.run(block, care, alive)
        repeats = (
            self._batched
            and varies(outputs)
            and all(
                same(outputs, self.run(block, care, alive, seed=self._seed + 1 + other)[0])
                for other in range(OTHER_SEEDS)
            )
        )
        return Trial(notes, block.size, same(outputs, again), repeats, care.outputs)

    def _overwrites(self, block: Block) -> bool:
        """Return whether a run changes the output of the one before."""
        rng = np.random.default_rng(block.seed_sequence(self._seed))
        size = (block.size,) if self._batched else ()
        try:
            first = self._mechanism(self._fresh(block.side), rng, *size)
            before = copy.deepcopy(first)
            for _ in range(OTHER_SEEDS):
                self._mechanism(self._fresh(block.side), rng, *size)
        except (Exception, SystemExit):
            return False  # no output, or one that cannot be copied
        return not same(first, before)

    def _attempt(
        self, block: Block, care: Care, rng: np.random.Generator, notes: Notes, alive: Alive
    ) -> Outputs | None:
        """Return the outputs of a block; ``None`` if a run changed the data."""
        if not self._data:
            self._data = [self._fresh(0), self._fresh(1)]
        run = self._careful(care, block.side)
        runs = self._batch if self._batched else self._singles
        outputs = runs(run, block, rng, notes, alive)
        if outputs is None or self._changed(block.side):
            self._data[block.side] = self._fresh(block.side)
            return None
        return outputs

    def _careful(self, care: Care, side: int) -> Mechanism:
        if care == Care():
            return self._mechanism

        def run(data: Any, *arguments: Any) -> Any:
            output = self._mechanism(self._fresh(side) if care.inputs else data, *arguments)
            return copy.deepcopy(output) if care.outputs else output

        return run

    def _fresh(self, side: int) -> Any:
        try:
            return copy.deepcopy(self._pair[side])
        except Exception:  # nothing is known of its type, so it is used as it is
            return self._pair[side]

    def _changed(self, side: int) -> bool:
        return not same(self._data[side], self._pair[side])

    def _singles(
        self,
        run: Mechanism,
        block: Block,
        rng: np.random.Generator,
        notes: Notes,
        alive: Alive,
    ) -> Outputs | None:
        data, outputs, chunk = self._data[block.side], list[Any](), 1
        while len(outputs) < block.size:
            began = time.monotonic()
            for _ in range(min(chunk, block.size - len(outputs))):
                try:
                    outputs.append(run(data, rng))
                except (Exception, SystemExit) as error:
                    outputs.append(self._failed(error, notes))
            alive(len(outputs))
            # looked at after the first run too: a second run may undo what the first has done
            if chunk == 1 and self._changed(block.side):
                return None
            quick = time.monotonic() - began < CHUNK_SECONDS
            chunk = min(2 * chunk, LONGEST_CHUNK) if quick else max(1, chunk // 2)
        return stacked(outputs)

    def _failed(self, error: BaseException, notes: Notes) -> Raised:
        notes.blunders += isinstance(error, (NameError, ImportError, SyntaxError))
        return notes.failure(type(error).__name__, lambda: self._blame(error))

    def _batch(
        self,
        run: Mechanism,
        block: Block,
        rng: np.random.Generator,
        notes: Notes,
        alive: Alive,
    ) -> Outputs:
        try:
            outputs = run(self._data[block.side], rng, block.size)
        except (Exception, SystemExit) as error:
            raise InputError(
                f"the mechanism failed with {self._blame(error)} on {SIDES[block.side]}; with "
                "batched=True it must catch its exceptions and return an output for every run"
            ) from error
        alive(block.size)
        if _length(outputs) != block.size:
            raise InputError(
                f"the mechanism returned {_described(outputs)} for size={block.size} on "
                f"{SIDES[block.side]}; with batched=True it must return an array or a list with a "
                f"leading axis of {block.size} runs"
            )
        if isinstance(outputs, np.ndarray):
            if outputs.dtype.kind in "biuf":
                return np.asarray(outputs)
            outputs = outputs.tolist() if outputs.ndim == 1 else list(outputs)
        return stacked(outputs)

    def _blame(self, error: BaseException) -> str:
        """Return one line that says what was raised and where."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        if last.filename == __file__:  # the call itself failed
            arguments = "(data, rng, size)" if self._batched else "(data, rng)"
            return f"{one_line(error)} (it is called with {arguments})"
        return f"{one_line(error)} at {Path(last.filename).name}:{last.lineno}"


def _length(outputs: Any) -> int | None:
    """Return the length of the leading axis of an array or a list."""
    if isinstance(outputs, np.ndarray):
        return outputs.shape[0] if outputs.ndim else None
    return len(outputs) if isinstance(outputs, (list, tuple)) else None


def _described(outputs: Any) -> str:
    if isinstance(outputs, np.ndarray):
        return f"an array of shape {outputs.shape}"
    if isinstance(outputs, (list, tuple)):
        return f"a {type(outputs).__name__} of length {len(outputs)}"
    return f"a value of type {type(outputs).__name__}"
