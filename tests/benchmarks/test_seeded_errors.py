"""The seeded errors: those said to be refused by a wrong version of the ledger name one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.seeded_errors import ROWS, tried
from proofs_checks.statement import find

PAGE = Path(__file__).parents[2] / "docs/explanation/verdicts.md"
LISTED = [row for row in ROWS if "refuses" in row or "cured" in row]


def test_there_are_fifty_of_different_statements() -> None:
    assert len({row["key"] for row in ROWS}) == len(ROWS) == 50


@pytest.mark.parametrize("row", LISTED, ids=lambda row: row["key"])
def test_the_wrong_version_is_in_the_ledger(row: dict[str, str]) -> None:
    checked = find(row["key"]).true_check
    assert checked is not None
    assert row.get("refuses", row.get("cured")) in checked.refuses


def test_the_page_counts_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    refused = Counter(row["kind"] for row in ROWS if "missed" not in row)
    for kind, count in Counter(row["kind"] for row in ROWS).items():
        assert f"| {kind} | {count} | {refused[kind]} |" in page
    assert f"| all | {len(ROWS)} | {refused.total()}:" in page


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["key"])
def test_the_check_refuses_the_error(row: dict[str, str]) -> None:
    outcome = tried(row)
    refused = outcome is not None and outcome.level == "refuted with witness"
    assert refused == ("missed" not in row or "cured" in row)
