"""The rooms of the auditor: every import points to the same room or to one below."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

import auditor
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
    ("cases", "conformance"),
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
