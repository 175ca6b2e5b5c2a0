"""Settings: calls of an algorithm as plain data, each with its known results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Algorithm = Callable[..., Any]
"""A function of its arguments by name, and of ``ledger``."""

TOLERANCE = 1e-9
"""Relative to the largest number of a field; above what other orders of summation do to a run of a
case (a test), and far below single precision."""


@dataclass(frozen=True, eq=False)
class Setting:
    """A call of an algorithm as plain data, which becomes a conformance vector.

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
    tolerance : float
    because : str
        Why the tolerance is not :data:`TOLERANCE`.
    left_open : tuple of str
        Fields of the result that are the solver's own, such as the gap that it certifies: the case
        does not ask for them.
    noiseless : object or callable, optional
        The result without noise, by hand; or another way to compute it, a function of the
        arguments.
    """

    name: str
    about: str
    arguments: Mapping[str, Any]
    seed: int = 1
    draws: Sequence[Any] | None = None
    form: str = ""
    version: int = 1
    tolerance: float = TOLERANCE
    because: str = "sums may be rounded in another order"
    left_open: tuple[str, ...] = ()
    noiseless: Any = None

    @property
    def data_name(self) -> str:
        """The name of the data: the first argument, unless one is called so."""
        return "data" if "data" in self.arguments else next(iter(self.arguments))

    @property
    def data(self) -> Any:
        """The data."""
        return self.arguments[self.data_name]
