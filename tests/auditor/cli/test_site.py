"""``touchstone site``: what it checks before it builds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.site import build, content
from proofs_checks import statement as statements_module
from proofs_checks.statement import find

KEPT = Path("results/proofs.json")


@pytest.fixture
def ledgers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let the site have two statements and build nothing; return the ledgers that it is given."""
    given: list[Any] = []
    few = (find("002 Proposition 2.5"), find("002 Lemma 3.1"))
    monkeypatch.setattr(statements_module, "statements", lambda *_: few)
    monkeypatch.setattr(content, "gather", lambda store, ledger, **_: given.append(ledger))
    monkeypatch.setattr(build, "build", lambda *_, **__: 1)
    return given


def test_it_checks_the_statements_once_and_keeps_what_it_found(
    touchstone: Any, ledgers: list[Any]
) -> None:
    assert touchstone("site", "--workers", "1").status == 0
    (first,) = ledgers
    assert [item["key"] for item in first["statements"]] == ["002 Proposition 2.5", "002 Lemma 3.1"]
    assert json.loads(KEPT.read_text()) == first
    marked = {**first, "seed": 7}  # tells the one that is kept from a new one
    KEPT.write_text(json.dumps(marked))
    assert touchstone("site", "--workers", "1").status == 0
    assert ledgers[1] == marked


@pytest.mark.parametrize("stale", [{"touchstone": "0.0.1"}, {"statements": []}])
def test_what_is_kept_of_other_code_or_in_part_is_checked_again(
    touchstone: Any, ledgers: list[Any], stale: dict[str, Any]
) -> None:
    touchstone("site", "--workers", "1")
    KEPT.write_text(json.dumps({**ledgers[0], **stale}))
    assert touchstone("site", "--workers", "1").status == 0
    assert ledgers[1] == ledgers[0]
