"""Runs of a Python mechanism on one data set in this process, whatever it does to its arguments.

A runner knows one data set and no pair, so that in a process of its own a mechanism finds neither
the other data set nor which of the two it is given.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from auditor.core.errors import class_name, one_line, origin, pass_interrupts, visible
from auditor.runs.blocks import Outputs, Raised, Randomness
from auditor.runs.journal import Notes, varies
from auditor.runs.plain_data import close, opened, opened_all
from auditor.runs.processes import Alive
from auditor.runs.values import is_coroutine, same, stacked
from auditor.runs.wire import require

MechanismFunction = Callable[..., Any]

OTHER_SEEDS = 3
TRIAL_PASSES = 3
"""Approximate number of times that a trial makes its runs."""
LEAST_TRIAL = 4
"""The fewest runs of a trial, however little time there is."""
LONGEST_CHUNK = 4096
CHUNK_SECONDS = 0.02
"""A sign of life is given about this often."""


@dataclass(frozen=True)
class Care:
    """Precautions that a mechanism needs.

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
    """Result of the first look at a mechanism on one side."""

    notes: Notes
    runs: int
    reproducible: bool
    repeats: bool
    overwrites: bool

    def sent(self) -> list[Any]:
        """Return the trial as plain data."""
        return [self.notes.sent(), self.runs, self.reproducible, self.repeats, self.overwrites]

    @classmethod
    def received(cls, sent: Any, most: int) -> Trial:
        """Return a trial of at most so many runs from plain data, see :meth:`sent`.

        Raises
        ------
        Malformed
        """
        require(type(sent) is list and len(sent) == 5)
        notes, runs, *flags = sent
        require(type(runs) is int and 0 < runs <= most)
        require(all(type(flag) is bool for flag in flags))
        return cls(Notes.received(notes), runs, *flags)


class BadBatch(Exception):
    """A batch is no array or list of outputs.

    Parameters
    ----------
    what : str
        What was seen, before " on D".
    remedy : str
    """

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy


class Runner:
    """Runs a Python mechanism on a data set in this process.

    ``quoted`` says whether the texts of its exceptions may be told.
    """

    def __init__(
        self, mechanism: MechanismFunction, data: Any, batched: bool, *, quoted: bool = True
    ) -> None:
        self._mechanism = mechanism
        self._given = data  # the mechanism sees copies
        self._data: list[Any] = []  # the copy for runs that do not change it
        self._batched = batched
        self._quoted = quoted

    def run(
        self, randomness: Randomness, size: int, care: Care, alive: Alive
    ) -> tuple[Outputs, Notes]:
        """Return the outputs of a block of runs, opened, and what was noticed.

        The outputs are those of runs on fresh copies of the data: a block in which the data
        change is run again.

        Raises
        ------
        BadBatch
        """
        notes = Notes()
        outputs = self._attempt(size, care, randomness.generator(), notes, alive)
        if outputs is None:
            notes = Notes(mutates=True)
            care = replace(care, inputs=True)
            outputs = self._attempt(size, care, randomness.generator(), notes, alive)
            assert outputs is not None
        outputs = opened_all(outputs)
        notes.compare(outputs)
        return outputs, notes

    def trial(
        self,
        randomness: Randomness,
        others: Sequence[Randomness],
        size: int,
        seconds: float,
        alive: Alive,
    ) -> Trial:
        """Look at the mechanism: does it repeat itself when it should, and only then.

        With fewer runs than ``size``, if they would take more than ``seconds``. ``others`` is the
        randomness of other seeds.

        Raises
        ------
        BadBatch
        """
        if math.isfinite(seconds):
            began = time.monotonic()
            self.run(randomness, 1, Care(), alive)
            fit = seconds / (TRIAL_PASSES * max(time.monotonic() - began, 1e-9))
            size = int(np.clip(fit, LEAST_TRIAL, size))
        outputs, notes = self.run(randomness, size, Care(), alive)
        care = Care(inputs=notes.mutates, outputs=self._overwrites(randomness, size))
        if care.outputs:
            outputs, _ = self.run(randomness, size, care, alive)
        again, _ = self.run(randomness, size, care, alive)
        repeats = (
            self._batched
            and varies(outputs)
            and all(same(outputs, self.run(other, size, care, alive)[0]) for other in others)
        )
        return Trial(notes, size, same(outputs, again), repeats, care.outputs)

    def _overwrites(self, randomness: Randomness, size: int) -> bool:
        """Return whether a run changes the output of the one before."""
        rng = randomness.generator()
        sizes = (size,) if self._batched else ()
        try:
            first = self._mechanism(self._fresh(), rng, *sizes)
            close([first])
            before = _copied(first)
            for _ in range(OTHER_SEEDS):
                close([self._mechanism(self._fresh(), rng, *sizes)])
            after = _copied(first)  # a copy may differ from what it is of
        except BaseException as error:
            pass_interrupts(error)
            return False  # no output, or one that cannot be copied
        return not same(after, before)

    def _attempt(
        self, size: int, care: Care, rng: np.random.Generator, notes: Notes, alive: Alive
    ) -> Outputs | None:
        """Return the outputs of a block; ``None`` if a run changed the data."""
        if not self._data:
            self._data = [self._fresh()]
        run = self._careful(care)
        runs = self._batch if self._batched else self._singles
        outputs = runs(run, size, rng, notes, alive)
        if outputs is None or self._changed():
            self._data = [self._fresh()]
            return None
        return outputs

    def _careful(self, care: Care) -> MechanismFunction:
        if care == Care():
            return self._mechanism

        def run(data: Any, *arguments: Any) -> Any:
            output = self._mechanism(self._fresh() if care.inputs else data, *arguments)
            return _copied(output) if care.outputs else output

        return run

    def _fresh(self) -> Any:
        try:
            return copy.deepcopy(self._given)
        except BaseException as error:  # nothing is known of its type, so it is used as it is
            pass_interrupts(error)
            return self._given

    def _changed(self) -> bool:
        return not same(self._data[0], self._given)

    def _singles(
        self,
        run: MechanismFunction,
        size: int,
        rng: np.random.Generator,
        notes: Notes,
        alive: Alive,
    ) -> Outputs | None:
        data, outputs, chunk = self._data[0], list[Any](), 1
        while len(outputs) < size:
            began = time.monotonic()
            for _ in range(min(chunk, size - len(outputs))):
                try:
                    outputs.append(run(data, rng))
                except BaseException as error:
                    pass_interrupts(error)
                    outputs.append(self._failed(error, notes))
            if is_coroutine(outputs[0]):
                close(outputs)
            alive(len(outputs))
            # looked at after the first run too: a second run may undo what the first has done
            if chunk == 1 and self._changed():
                return None
            quick = time.monotonic() - began < CHUNK_SECONDS
            chunk = min(2 * chunk, LONGEST_CHUNK) if quick else max(1, chunk // 2)
        return stacked(outputs)

    def _failed(self, error: BaseException, notes: Notes) -> Raised:
        notes.blunders += issubclass(type(error), (NameError, ImportError, SyntaxError))
        return notes.failure(visible(class_name(error)), lambda: self._blame(error))

    def _batch(
        self,
        run: MechanismFunction,
        size: int,
        rng: np.random.Generator,
        notes: Notes,
        alive: Alive,
    ) -> Outputs:
        try:
            outputs = run(self._data[0], rng, size)
        except BaseException as error:
            pass_interrupts(error)
            raise BadBatch(
                f"the mechanism failed with {self._blame(error)}",
                "with batched=True it must catch its exceptions and return an output for every run",
            ) from error
        alive(size)
        if _length(outputs) != size:
            raise BadBatch(
                f"the mechanism returned {_described(outputs)} for size={size}",
                "with batched=True it must return an array or a list with a leading axis of "
                f"{size} runs",
            )
        if isinstance(outputs, np.ndarray):
            if outputs.dtype.kind in "biuf":
                return np.asarray(outputs)
            outputs = outputs.tolist() if outputs.ndim == 1 else list(outputs)
        return stacked(outputs)

    def _blame(self, error: BaseException) -> str:
        """Return one line that says what was raised and where."""
        file, line = origin(error)
        if file == __file__:  # the call itself failed
            arguments = "(data, rng, size)" if self._batched else "(data, rng)"
            # what a call with other arguments says quotes none of them
            said = one_line(error, quoted=self._quoted or issubclass(type(error), TypeError))
            others = "functools.partial gives it further arguments"
            return f"{said} (it is called with {arguments}; {others})"
        return f"{one_line(error, quoted=self._quoted)} at {Path(file).name}:{line}"


def _copied(output: Any) -> Any:
    """Return a copy of an output, opened, as a copy of any class need not end."""
    return copy.deepcopy(opened(output))


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
