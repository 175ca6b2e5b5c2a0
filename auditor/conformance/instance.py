"""What a conformance case is made from, and the broken twins that it must tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FLAGS: dict[str, tuple[str, str]] = {
    "noise": ("noise of the wrong size", "privacy"),
    "bound": (
        "a clip, truncation or projection that bounds a record is missing or wrong",
        "privacy",
    ),
    "divisor": ("n - 1 for n, or another wrong divisor", "privacy"),
    "batch": ("records are read more often, or other ones, than the algorithm says", "privacy"),
    "draws": ("draws are used in another order, or twice", "privacy"),
    "printed": ("the sources' printed form, with its errata", "see the errata"),
    "index": ("off by one, or the wrong coordinate", "result"),
    "sign": ("a sign or a direction", "result"),
    "step": ("a wrong step, weight or number of steps", "utility"),
    "branch": ("a branch that is not taken, or the wrong way", "result"),
    "formula": ("another formula", "result"),
    "precision": ("single precision", "result"),
}
"""Kinds of mistakes: what they are and what they endanger."""

TOLERANCE = 1e-9
"""Relative to the largest number of a field; above what other orders of summation do to a run of a
case (a test), and far below single precision."""


@dataclass(frozen=True)
class Twin:
    """A broken implementation: the reference with one piece of source changed.

    Parameters
    ----------
    name : str
        What is wrong, in a few words: ``"gradients are not clipped"``.
    flag : str
        Key of :data:`FLAGS`.
    before, after : str
        Source text that is there, exactly once, and what replaces it.
    where : str, optional
        Module of the text; by default that of the algorithm.
    """

    name: str
    flag: str
    before: str
    after: str
    where: str = ""

    def __post_init__(self) -> None:
        if self.flag not in FLAGS:
            raise ValueError(f"unknown flag {self.flag!r}; known: {', '.join(FLAGS)}")


@dataclass(frozen=True)
class Instance:
    """A run of an algorithm that becomes a case.

    Parameters
    ----------
    name : str
        ``"by-hand"`` (a person can follow it), ``"middle"``, ``"branches"``, ``"real-data"``, or
        what else it is for.
    about : str
        What it is there to catch, for somebody whose port fails it.
    arguments : mapping
        Of the algorithm's function, without ledger; ``data`` among them.
    seed : int
        Of its draws.
    draws : sequence, optional
        They themselves, where they must be special.
    form : str, optional
        Name of a printed form; by default the right one.
    version : int
        Raised whenever the case changes: its id must never mean two things.
    twins : tuple of Twin
        What it must tell apart.
    tolerance : float
    because : str
        Why the tolerance is not :data:`TOLERANCE`.
    left_open : tuple of str
        Fields of the result that are the solver's own, such as the gap that it certifies: the case
        does not ask for them.
    """

    name: str
    about: str
    arguments: Mapping[str, Any]
    seed: int = 1
    draws: Sequence[Any] | None = None
    form: str = ""
    version: int = 1
    twins: tuple[Twin, ...] = field(default=())
    tolerance: float = TOLERANCE
    because: str = "sums may be rounded in another order"
    left_open: tuple[str, ...] = ()
