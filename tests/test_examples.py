"""The examples in the docstrings run, and give what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [
    str(path.relative_to(ROOT))
    for package in ("reference", "auditor")
    for path in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_there_are_examples_to_run() -> None:
    assert {path.partition("/")[0] for path in FILES} == {"reference", "auditor"}


@pytest.mark.parametrize("path", FILES)
def test_the_examples_run(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    name = path.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
