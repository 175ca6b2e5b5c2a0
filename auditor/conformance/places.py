"""Lines of the reference that compute a field of a case."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import reference
from auditor.conformance.kinds import Case
from auditor.conformance.record import draws_of, restored_arguments
from reference.catalogue import entry
from reference.privacy.ledger import GivenDrawsLedger, SubsampleEntry

T = TypeVar("T")
ROOT = Path(reference.__file__).parents[1]
STEP = re.compile(r"steps\[(\d+)\]")


class _Watched(GivenDrawsLedger):
    """Notes from which line of the reference's algorithms every step was asked for."""

    def __init__(self, draws: Any) -> None:
        super().__init__(draws)
        self.places: list[str] = []

    def _release(self, *arguments: Any) -> Any:
        self.places.append(_line())
        return super()._release(*arguments)

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        self.places.append(_line())
        return super()._draw_subsample(population, size, replace)

    def public(self, draw: Callable[..., T]) -> T:
        self.places.append(_line())
        return super().public(draw)


def _line() -> str:
    """Return the innermost line that is the reference's and not the ledger's."""
    frame = sys._getframe(2)
    while frame.f_back is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name.startswith("reference.") and not name.startswith("reference.privacy."):
            path = Path(frame.f_code.co_filename).relative_to(ROOT)
            return f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def place(case: Case, where: str) -> str:
    """Return file and line that compute a field of an algorithm's case; of others, the file."""
    if case["kind"] not in ("algorithms", "constants"):
        return ""
    function = entry(case["of"]).function
    file = str(Path(inspect.unwrap(function).__code__.co_filename).relative_to(ROOT))
    found = STEP.match(where)
    if case["kind"] != "algorithms" or found is None:
        return file
    ledger = _Watched(draws_of(case["steps"]))
    function(**restored_arguments(function, case["inputs"]), ledger=ledger)
    return ledger.places[int(found[1])] or file
