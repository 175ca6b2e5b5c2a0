"""Observations about a mechanism while it runs, and the sentences that tell them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditor.core.pair_names import SIDES
from auditor.runs.blocks import Block, Outputs, Raised
from auditor.runs.plain_data import is_shut
from auditor.runs.values import same
from auditor.runs.wire import require

Finding = Mapping[str, Any]
"""A finding: at least ``kind`` and ``statement``."""


@dataclass
class Notes:
    """Observations in a block of runs.

    Attributes
    ----------
    raised : Counter of str
        Runs without an output, by the name of their :class:`Raised`.
    examples : dict
        For each name, what happened in the first of them, in one line.
    blunders : int
        Runs that raised what only a programming error raises.
    mutates : bool
        Whether the mechanism changed its input.
    only : list
        The one output that all runs gave; empty if they differ.
    """

    raised: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    blunders: int = 0
    mutates: bool = False
    only: list[Any] = field(default_factory=list)

    def sent(self) -> list[Any]:
        """Return the notes as plain data."""
        return [
            dict(self.raised),
            self.examples,
            self.blunders,
            self.mutates,
            self.only,
        ]

    @classmethod
    def received(cls, sent: Any) -> Notes:
        """Return notes from plain data, see :meth:`sent`.

        Raises
        ------
        Malformed
        """
        require(type(sent) is list and len(sent) == 5)
        raised, examples, blunders, mutates, only = sent
        require(type(raised) is dict and type(examples) is dict)
        require(all(type(k) is str and type(n) is int and n > 0 for k, n in raised.items()))
        require(all(type(part) is str for pair in examples.items() for part in pair))
        require(raised.keys() == examples.keys() and type(blunders) is int)
        require(type(mutates) is bool and type(only) is list and len(only) <= 1)
        return cls(Counter(raised), examples, blunders, mutates, only)

    def failure(self, name: str, example: Callable[[], str]) -> Raised:
        """Note a run without an output and return its outcome."""
        self.raised[name] += 1
        if name not in self.examples:
            self.examples[name] = example()
        return Raised(name)

    def compare(self, outputs: Outputs) -> None:
        """Note whether all outputs are the same; they are opened."""
        if len(outputs) and not is_shut(outputs[0]) and not varies(outputs):
            # a copy of a row, lest the block's whole array be kept
            self.only = [np.copy(outputs[0]) if isinstance(outputs, np.ndarray) else outputs[0]]


def varies(outputs: Outputs) -> bool:
    """Return whether any two outputs differ."""
    first = outputs[0]
    if not same(first, outputs[-1]):
        return True
    if isinstance(outputs, np.ndarray):
        different = outputs != first
        if outputs.dtype.kind == "f":
            different &= ~(np.isnan(outputs) & np.isnan(first))
        return bool(different.any())
    return not all(output is first or same(first, output) for output in outputs)


class Journal:
    """The notes of all blocks so far.

    Parameters
    ----------
    phrase : callable
        ``phrase(name)`` says in words what a :class:`Raised` of this name is.
    comment : str
        Ends the statement about it.
    """

    def __init__(self, phrase: Callable[[str], str], comment: str) -> None:
        self._phrase = phrase
        self._comment = comment
        self._blocks: dict[tuple[int, int], tuple[int, Counter[str]]] = {}
        self._runs = [0, 0]
        self._raised: list[Counter[str]] = [Counter(), Counter()]
        self._examples: dict[str, str] = {}
        self._only: list[list[Any]] = [[], []]
        self._varies = [False, False]

    def add(self, block: Block, notes: Notes) -> None:
        """Add the notes of the next block.

        The draws of a block follow from its first run: of blocks with the same, the longest counts.
        """
        side = block.side
        first_seen = self._runs[side] == 0
        size, raised = self._blocks.get((side, block.start), (0, Counter()))
        if block.size >= size:
            self._blocks[side, block.start] = block.size, notes.raised
            self._runs[side] += block.size - size
            self._raised[side] += notes.raised
            self._raised[side] -= raised
        self._examples = {**notes.examples, **self._examples}
        if first_seen:
            self._only[side] = notes.only
        elif not (notes.only and same(self._only[side], notes.only)):
            self._varies[side] = True

    def findings(self) -> list[Finding]:
        """Return what is worth saying, each with ``kind`` and ``statement``."""
        together = self._raised[0] + self._raised[1]
        return [
            *(self._raised_finding(name) for name, _ in together.most_common(3)),
            *(self._constant_finding(side) for side in (0, 1) if self._is_constant(side)),
        ]

    def _raised_finding(self, name: str) -> Finding:
        counts = [raised[name] for raised in self._raised]
        places = [
            f"in {count} of {runs} runs on {side}"
            for count, runs, side in zip(counts, self._runs, SIDES, strict=True)
            if count
        ]
        if len(places) == 1 and min(self._runs):
            places.append(f"none on {SIDES[counts.index(0)]}")
        others = len((self._raised[0] + self._raised[1]).keys()) - 3
        more = f" ({others} other kinds of failure were rarer)" if others > 0 else ""
        return {
            "kind": "raised",
            "statement": f"{self._phrase(name)} {', '.join(places)}; {self._comment}{more}",
            "name": name,
            "example": self._examples[name],
            "counts": counts,
            "runs": list(self._runs),
        }

    def _is_constant(self, side: int) -> bool:
        only = self._only[side]
        return bool(only) and not self._varies[side] and not isinstance(only[0], Raised)

    def _constant_finding(self, side: int) -> Finding:
        runs = f"all {self._runs[side]} runs gave the same"
        return {
            "kind": "constant",
            "statement": f"the output never varies on {SIDES[side]}: {runs}",
        }


# -------------------------------------------------------------------- findings of a first look

ONE_SIDED = "if it always is one data set, that alone is a leak"
MUTATES: Finding = {
    "kind": "mutates",
    "statement": "the mechanism mutates its input; every run was given a fresh copy",
}
OVERWRITES: Finding = {
    "kind": "overwrites",
    "statement": "a run overwrites the output of an earlier one; every output was copied at once",
}


def not_reproducible(sides: Sequence[int], source: str, *, one_process: bool = False) -> Finding:
    """Return the finding that the same seed gives other outputs.

    Parameters
    ----------
    sides : sequence of int
        On which it does.
    source : str
        What the mechanism should draw from.
    one_process : bool
        Whether several workers were asked for and one was used.
    """
    why = (
        f"it draws from another source than {source} (secrets, os.urandom, np.random, Math.random, "
        "...), or keeps state between runs. That is a remark, no fault: the verdict counts if runs "
        "are independent of one another, but the same seed will not repeat its figures"
    )
    consequence = "; all runs were made in one process" if one_process else ""
    return {
        "kind": "not reproducible",
        "statement": f"not reproducible from its seed on {_on(sides)}: {why}{consequence}",
    }


def repeats(sides: Sequence[int], runs: int) -> Finding:
    """Return the finding that the same outputs come back for every seed."""
    return {
        "kind": "repeats",
        "statement": f"the same {runs} outputs come back for every seed on {_on(sides)}: runs are "
        "not independent of one another, and no figure here can be relied on",
    }


def _on(sides: Sequence[int]) -> str:
    return " and ".join(SIDES[side] for side in sides)
