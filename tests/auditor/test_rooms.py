"""The house: every import points to the same room or to one below, and a type has one home."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain
from pathlib import Path

import pytest

import auditor
import reference
from auditor.suite import keys

HOUSE = Path(auditor.__file__).parent

FLOORS = (
    ("core",),
    ("statistics",),
    ("mechanisms",),
    ("runs",),
    ("events", "zoo"),
    ("transcript",),
    ("questions",),
    ("figures",),
    ("checking",),
    ("conformance", "described"),
    ("suite",),
    ("experiments",),
    ("site",),
    ("cli", "pytest_plugin"),
    ("__main__",),
)
"""From the bottom up. The rooms of one floor may import each other."""

FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def room_of(module: str) -> str:
    return module.split(".")[1]


def room_at(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def upward(room: str, source: bytes, package: str) -> set[str]:
    """Return the modules above a room that a source in it imports, also within functions."""
    imported = keys._imports(source, package)
    return {
        name
        for name in imported
        if name.startswith("auditor.") and FLOOR[room_of(name)] > FLOOR[room]
    }


def test_every_room_has_one_floor() -> None:
    rooms = {room_at(path) for path in HOUSE.rglob("*.py")} - {"__init__", "templates"}
    assert sorted(chain(*FLOORS)) == sorted(rooms)


@pytest.mark.parametrize("room", [room for rooms in FLOORS for room in rooms])
def test_no_import_points_up(room: str) -> None:
    files = [path for path in HOUSE.rglob("*.py") if room_at(path) == room]
    arrows = set()
    for path in files:
        package = ".".join(("auditor", *path.relative_to(HOUSE).parent.parts))
        found = upward(room, path.read_bytes(), package)
        arrows |= {f"{path.relative_to(HOUSE)} -> {name}" for name in found}
    assert not arrows


@pytest.mark.parametrize(
    "source",
    [
        b"from auditor.suite.store import Result",
        b"from auditor.suite import store",
        b"import auditor.suite.store",
        b"from ..suite import store",
        b"def late():\n    from auditor.suite.store import Result",
        b"from auditor import conform",
    ],
)
def test_an_arrow_up_is_seen(source: bytes) -> None:
    assert upward("runs", source, "auditor.runs")
    assert not upward("cli", source, "auditor.cli")


SEVERAL_HOMES = {
    "Constants": "what theory fixes for one algorithm, in the module of each",
    "Ball": "two public names: a domain of records, and a constraint set",
    "Gaussian": "a mechanism, and a claim whose name is stored in witnesses",
    "Case": "an algorithm's, and that of a conformance vector",
}
"""Names of types that more than one module defines, and why."""


def several(modules: dict[str, str]) -> dict[str, list[str]]:
    """Return the names of types that are defined more than once, with their modules.

    They are those of classes and of type aliases, except private ones.
    """
    homes = defaultdict(list)
    for module, text in modules.items():
        for found in re.finditer(r"^(?:class (\w+)\b|(\w+) = )", text, flags=re.MULTILINE):
            name = found[1] or found[2]
            if re.fullmatch(r"[A-Z]+[a-z]\w*", name):
                homes[name].append(module)
    return {name: found for name, found in homes.items() if len(found) > 1}


def test_a_type_has_one_home() -> None:
    house = HOUSE.parent
    folders = (HOUSE, Path(reference.__file__).parent)
    files = [path for folder in folders for path in folder.rglob("*.py")]
    modules = {str(path.relative_to(house)): path.read_text(encoding="utf-8") for path in files}
    found = several(modules)
    assert {name: homes for name, homes in found.items() if name not in SEVERAL_HOMES} == {}
    assert found.keys() == SEVERAL_HOMES.keys()


@pytest.mark.parametrize(
    "again", ["class Pair:\n    pass", "Pair = tuple[int, int]", "Pair = TypeVar('Pair')"]
)
def test_a_second_home_is_seen(again: str) -> None:
    assert several({"one": "Pair = tuple[str, str]", "two": again}) == {"Pair": ["one", "two"]}
    assert not several({"one": "class _Pair: ...\nPAIR = 1", "two": again})
