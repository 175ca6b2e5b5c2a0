"""The constants that are broken once each: that each is still where the benchmark breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest

import auditor
from benchmarks.broken_constants import BREAKS

AUDITOR = Path(auditor.__file__).parent


@pytest.mark.parametrize("file", sorted({broken.file for broken in BREAKS}))
def test_every_break_changes_one_line_of_its_module(file: str) -> None:
    text = (AUDITOR / file).read_text(encoding="utf-8")
    olds = {broken.old for broken in BREAKS if broken.file == file}
    assert {old: text.count(old) for old in olds} == dict.fromkeys(olds, 1)
