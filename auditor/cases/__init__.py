"""How every algorithm of the catalogue is audited: one file per algorithm, named as its own.

Every module defines ``CASES``, a dict from algorithm id to a function that builds its
:class:`~auditor.core.case.Case` (lazily, in the worker that needs it).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reference.catalogue import entries

if TYPE_CHECKING:
    from auditor.core.case import Case


@cache
def modules() -> Mapping[str, str]:
    """Return the name of the module of every case by algorithm id; none of them is imported."""
    found = {}
    for identifier, entry in entries().items():
        _, *path = entry.function.__module__.split(".")
        if Path(__file__).parent.joinpath(*path).with_suffix(".py").is_file():
            found[identifier] = ".".join((__name__, *path))
    return found


class _Builders(Mapping[str, "Callable[[], Case]"]):
    """The case builders by algorithm id; a module is imported when its builder is asked for."""

    def __getitem__(self, identifier: str) -> Callable[[], Case]:
        builder: Callable[[], Case] = importlib.import_module(modules()[identifier]).CASES[
            identifier
        ]
        return builder

    def __contains__(self, identifier: object) -> bool:
        return identifier in modules()

    def __iter__(self) -> Iterator[str]:
        return iter(modules())

    def __len__(self) -> int:
        return len(modules())


def builders() -> Mapping[str, Callable[[], Case]]:
    """Return the case builders by algorithm id, each from its own module, sorted by id."""
    return _Builders()


def build_case(identifier: str) -> Case:
    """Build the case of one algorithm; raise KeyError if there is none.

    Raises
    ------
    RuntimeError
        If it is of another algorithm, or has a form whose neighbours are not those of the entry.
    """
    case = builders()[identifier]()
    if case.id != identifier:
        raise RuntimeError(f"the builder of {identifier!r} made a case called {case.id!r}")
    relation = entries()[identifier].relation
    for name, form in {**case.forms, **case.mutants}.items():
        if form.claim.relation is not relation:
            raise RuntimeError(
                f"{identifier} is about {relation.value}, but its form {name!r} claims "
                f"{form.claim.describe()}"
            )
    return case
