"""The lines at which statements are said to stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proofs_checks import lines
from proofs_checks.lines import Misplaced, misplaced, number_pattern, ranges
from proofs_checks.statement import Statement, statements

TEXT = ["Lemma 2.1.90 is another", "**Lemma 2.1.9** (of somebody)", "", "x", "", "", "$$"]
TEXT += ["a = b \\tag{3.4}", "and (3.5)", "Lemma 2.1.9 again"]


def at(number: str, where: str) -> Statement:
    return Statement("004", number, "2.1", where, "identity", "x", "true")


def test_ranges_are_those_of_this_paper() -> None:
    assert ranges("12") == ((12, 12),)
    assert ranges("12, 15-18") == ((12, 12), (15, 18))
    assert ranges("1463-1467, proof 1716-1738") == ((1463, 1467), (1716, 1738))
    assert ranges("106-109 (004 l.9466-9470)") == ((106, 109),)


@pytest.mark.parametrize(
    ("number", "where", "found"),
    [
        ("Lemma 2.1.9", "2", None),
        ("Lemma 2.1.9", "9-11", None),
        ("Lemma 2.1.9", "30-40", (2, 10)),
        ("Lemma 2.1", "1-10", ()),
        ("(3.4)", "6-8", None),
        ("(3.4)", "4-5", None),  # a number may stand below its formula
        ("(3.4)", "2-4", (8,)),
        ("(3.5)", "9", None),
        ("(3.6)", "9", ()),
        ("l.4", "3-5", None),
        ("l.4 (decay)", "5-6", (4,)),
        ("Theorem 5, proof (robust mean)", "1", None),
    ],
)
def test_a_number_is_looked_up_at_its_lines(number: str, where: str, found: Any) -> None:
    expected = None if found is None else Misplaced(f"004 {number}", where, found)
    assert misplaced(at(number, where), TEXT) == expected


def test_what_has_a_number_of_its_own_can_be_looked_up() -> None:
    looked_up = [item for item in statements() if number_pattern(item.number) is not None]
    assert len(looked_up) > 0.8 * len(statements())


def test_the_command_says_what_is_misplaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = (at("Lemma 2.1.9", "30-40"), at("(3.4)", "8"), at("Choice of T", "1"))
    monkeypatch.setattr(lines, "statements", lambda: chosen)
    (tmp_path / "004_text.txt").write_text("\n".join(TEXT))
    assert lines.main([str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "004 Lemma 2.1.9: lines 30-40, but its number stands at 2, 10\n" in said
    assert said.endswith("1 of 2 numbers misplaced\n")
    monkeypatch.setattr(lines, "statements", lambda: chosen[1:])
    assert lines.main([str(tmp_path)]) == 0
    assert lines.main([]) == 2
    with pytest.raises(FileNotFoundError, match="no text of paper 004"):
        lines.text_of(tmp_path / "elsewhere", "004")
