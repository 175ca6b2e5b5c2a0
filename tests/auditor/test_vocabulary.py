"""The public names are where they are said to be, and are all that the papers' cases need."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import auditor

CASES = Path(auditor.__file__).parent / "described"
ENGINE = ("__init__.py", "build.py", "properties.py")
WRITTEN = [path for path in CASES.rglob("*.py") if path.name not in ENGINE]


@pytest.mark.parametrize("name", sorted(auditor.PLACES))
def test_a_public_name_is_that_of_its_module(name: str) -> None:
    assert getattr(auditor, name) is getattr(importlib.import_module(auditor.PLACES[name]), name)


def test_all_public_names_are_listed_once() -> None:
    assert sorted(auditor.__all__) == sorted({*auditor.PLACES, "PLACES"})
    assert dir(auditor) == sorted(auditor.__all__)


def test_no_public_name_hides_a_part_of_the_package() -> None:
    parts = {path.stem for path in Path(auditor.__file__).parent.iterdir()}
    assert not parts & set(auditor.PLACES)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = auditor.nothing  # type: ignore[attr-defined]


def test_the_names_are_loaded_when_they_are_used() -> None:
    line = "import auditor, sys; print(sorted(n for n in sys.modules if n.startswith('auditor')))"
    found = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['auditor']"


def imported(path: Path) -> set[str]:
    """Return the modules of the auditor that a file imports from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return {name for name in found if name.partition(".")[0] == "auditor"}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(CASES)))
def test_a_case_of_the_papers_uses_what_anybody_may_use(path: Path) -> None:
    assert all(n == "auditor" or n.startswith("auditor.described.") for n in imported(path))
    assert "auditor.described.build" not in imported(path)


def test_that_rule_is_about_something() -> None:
    assert len(WRITTEN) > 100
    assert sum("auditor" in imported(path) for path in WRITTEN) > 90
