"""The kinds of conformance vectors: which cases there are, and what the reference answers."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from auditor.conformance.plain import written
from auditor.described import modules, raised
from reference.catalogue import entry

Case = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of vectors.

    Attributes
    ----------
    name : str
        Of its folder.
    about : str
        One line.
    names : callable
        What there are vectors of: the names of its files.
    cases : callable
        The cases of one of them, made from the reference.
    answer : callable
        What the reference makes of a case that is read: the fields of the case that can be wrong.
    """

    name: str
    about: str
    names: Callable[[], tuple[str, ...]]
    cases: Callable[[str], Iterator[Case]]
    answer: Callable[[Case], Mapping[str, Any]]


NAMES = (
    "numbers",
    "mechanisms",
    "blocks",
    "algorithms",
    "printed",
    "constants",
    "refusals",
    "conversions",
    "accounting",
    "samplers",
)


def kinds() -> dict[str, Kind]:
    """Return the kinds by name."""
    modules = [importlib.import_module(f"auditor.conformance.{name}") for name in NAMES]
    return {module.KIND.name: module.KIND for module in modules}


def as_read(case: Case) -> Case:
    """Return a case as somebody reads it who has its file: JSON knows no tuples and arrays."""
    read: Case = json.loads(written(case))
    return read


def sources(of: str) -> list[dict[str, str]]:
    """Return where an algorithm is printed."""
    return [
        {"paper": source.label, "number": source.number, "lines": source.lines}
        for source in entry(of).sources
    ]


RENEWED = frozenset({"mechanisms/gaussian", "mechanisms/symmetric_gaussian"})
"""Mechanisms whose accounts changed when these became bounds at any delta: one version more."""


def identifier(kind: str, of: str, name: str, version: int) -> str:
    """Return the id of a case, which always means the same."""
    more = raised(of).get(kind, 0) if of in modules() else f"{kind}/{of}" in RENEWED
    return f"{kind}/{of}/{name}/{version + more}"
