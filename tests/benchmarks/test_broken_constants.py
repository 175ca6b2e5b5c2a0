"""The constants that are broken once each: that each is still where the benchmark breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest

import auditor
from benchmarks.broken_constants import BREAKS, DOCS, named, row

AUDITOR = Path(auditor.__file__).parent
TESTS = AUDITOR.parent / "tests/auditor"


@pytest.mark.parametrize("file", sorted({broken.file for broken in BREAKS}))
def test_every_break_changes_one_line_of_its_module(file: str) -> None:
    text = (AUDITOR / file).read_text(encoding="utf-8")
    olds = {broken.old for broken in BREAKS if broken.file == file}
    assert {old: text.count(old) for old in olds} == dict.fromkeys(olds, 1)


def test_the_page_names_a_test_of_its_module_for_every_break() -> None:
    page = (DOCS / "broken-constants.md").read_text(encoding="utf-8")
    for broken in BREAKS:
        name = named(page, broken)
        files = {TESTS / file.partition("::")[0] for file in broken.tests}
        assert any(f"def {name}(" in file.read_text() for file in files), row(broken, name)
    assert page.count("\n| ") - page.count("\n| file ") == len(BREAKS)


def test_what_a_page_does_not_name_is_found_anew() -> None:
    first, second = BREAKS[:2]
    page = "\n".join(["| file |", row(first, "test_it"), row(second, "")])
    assert [named(page, broken) for broken in BREAKS[:3]] == ["test_it", "", ""]
