"""``touchstone proofs`` and ``touchstone errata``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import terminal
from auditor.suite.store import validate
from proofs_checks import statement as statements_module
from proofs_checks.extras import INSTALL, MissingExtraError
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Statement
from reference.catalogue import entries, errata, erratum, withdrawn

STORED = Path("results/proofs.json")


def a_statement(number: str, expected: Any = "true", *, holds: bool = True) -> Statement:
    def check(rng: Any) -> Outcome:
        if number == "Raises 1":
            raise ArithmeticError("no luck")
        level: Any = "checked by search" if holds else "refuted with witness"
        return Outcome(holds, level, f"draw {rng.random():.6f}", None if holds else {"x": 1.0})

    return Statement(
        paper="004",
        number=number,
        section="9.1",
        lines="1-2",
        kind="identity",
        printed="1 = 1",
        expected=expected,
        reason="" if expected == "true" else "because",
        of_printed=None if expected == "not checkable" else Checked("1 = 1", check),
        algorithms=("wang-1",),
        where="proofs_checks/paper_004/section_9_1.py:7",
    )


TRUE, RAISES = a_statement("Lemma 2"), a_statement("Raises 1")
FALSE = a_statement("Lemma 2", "false", holds=False)
UNCHECKABLE = a_statement("Remark 3", "not checkable")


@pytest.fixture
def proofs(touchstone: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what says which statements there are, and returns what runs the command on them."""

    def use(*chosen: Statement) -> Callable[..., Any]:
        from auditor.suite import proofs

        def of_paper(paper: str | None = None) -> tuple[Statement, ...]:
            return tuple(item for item in chosen if paper in (None, item.paper))

        for module in (statements_module, proofs):
            monkeypatch.setattr(module, "statements", of_paper)
            monkeypatch.setattr(module, "find", {item.key: item for item in chosen}.__getitem__)
        return lambda *words: touchstone("proofs", *words, "--workers", "1")

    return use


def test_what_no_step_contains_lowers_the_label_wherever_it_is_shown(proofs: Any) -> None:
    bare = replace(TRUE, printed="p <= n", unchecked={"p": "one coordinate"})
    run = proofs(bare)
    shown = run("004 Lemma 2").out
    assert "checked by search, but for p, n" in " ".join(shown.split())
    assert "in no step p: one coordinate; n: in no step" in " ".join(shown.split())
    assert "of these, 1 but for symbols of their formulas that no step contains" in shown
    run()
    (item,) = stored()["statements"]
    assert item["absent"] == {"p": "one coordinate", "n": "in no step"}
    whole = proofs(TRUE)("004 Lemma 2").out
    assert "but for" not in whole
    assert "in no step" not in whole


def stored() -> Any:
    content = json.loads(STORED.read_text())
    validate(content, "proofs")
    return content


def test_proofs_as_expected(proofs: Any) -> None:
    run = proofs(a_statement("Lemma 1"), FALSE, UNCHECKABLE)
    ran = run()
    assert ran.status == 0
    each = ("1 as printed, claim holds", "1 false, claim fails", "1 not judged, claim open")
    assert f"3 statements: {'; '.join(each)}\n" in ran.out
    assert ran.out.endswith("every check that ran is as expected\n")
    found = stored()
    assert json.loads(run("--format", "json").out) == found
    other = json.loads(run("--format", "json", "--seed", "1").out)
    details = [[item["printed"]["detail"] for item in one["statements"]] for one in (found, other)]
    assert details[0] != details[1]


def test_a_check_that_fails_itself_is_an_internal_error(proofs: Any) -> None:
    again = replace(a_statement("Raises 1", "false"), number="Raises 3")
    run = proofs(RAISES, TRUE, again)
    ran = run()
    assert ran.status == 3
    assert ran.out.splitlines()[-1] == (
        "internal error in the checks of: 004 Raises 1, 004 Raises 3; --debug shows where"
    )
    assert "as expected" not in ran.out
    found = stored()
    assert (found["unexpected"], found["not_run"]) == ([], [])
    assert [item["as_expected"] for item in found["statements"]] == [False, True, False]
    assert "ArithmeticError: no luck" in found["statements"][0]["printed"]["detail"]
    assert run("Raises 1").status == 3
    assert run("Lemma 2").status == 0
    # what is otherwise than expected comes first
    ran = proofs(a_statement("Lemma 1", holds=False), TRUE, RAISES)()
    assert ran.status == 1
    assert "otherwise than expected: 004 Lemma 1\n" in ran.out
    assert "internal error in the checks of: 004 Raises 1; --debug shows where\n" in ran.out
    assert stored()["unexpected"] == ["004 Lemma 1"]


def test_proofs_of_one_algorithm_or_number_leave_the_ledger_alone(proofs: Any) -> None:
    run = proofs(a_statement("Lemma 1"), TRUE)
    for wanted, count in (("diss-7.2.55", 2), ("004", 2), ("Lemma 2", 1), ("2", 1)):
        statements = json.loads(run(wanted, "--format", "json").out)["statements"]
        assert [statement["paper"] for statement in statements] == ["004"] * count
    shown = run("Lemma 2").out
    assert "Wang (2020): Some fundamental machine learning" in shown
    assert "  printed     1 = 1\n" in shown
    assert "section 9.1; line 1-2 of the text" in shown
    assert "section_9_1.py:7" in shown
    assert "1 statement: 1 as printed, claim holds\n" in shown
    for option in (("--paper", "004"), ("--section", "9"), ("--section", "9.1")):
        assert "2 statements: 2 as printed, claim holds" in run(*option).out
    assert "no statements of paper any, section 8" in run("--section", "8").one_line_error()
    assert "--paper is one of 000" in run("--paper", "7").one_line_error()
    assert "  printed     1 = 1\n" not in run("--results", "other").out
    assert stored()["statements"][0]["paper"] == "004"  # of --paper 004 alone


def test_papers_checked_one_by_one_are_kept_together(proofs: Any) -> None:
    run = proofs(replace(a_statement("Lemma 1", holds=False), paper="000"), TRUE, RAISES)

    def keys(*words: str) -> list[str]:
        run(*words)
        return [item["key"] for item in stored()["statements"]]

    assert keys("--paper", "004") == ["004 Lemma 2", "004 Raises 1"]
    assert keys("--paper", "000") == ["000 Lemma 1", "004 Lemma 2", "004 Raises 1"]
    assert stored()["unexpected"] == ["000 Lemma 1"]
    assert stored()["failed"] == ["004 Raises 1"]
    assert keys("--paper", "004") == ["000 Lemma 1", "004 Lemma 2", "004 Raises 1"]
    assert stored()["failed"] == ["004 Raises 1"]  # once
    before = STORED.read_text()
    run("004")
    run("--paper", "004", "--section", "9")
    assert STORED.read_text() == before
    assert keys("--paper", "004", "--seed", "1") == ["004 Lemma 2", "004 Raises 1"]


def test_proofs_can_be_filtered(proofs: Any) -> None:
    run = proofs(a_statement("Lemma 1"), replace(FALSE, errata=("wang-2/E2",)), UNCHECKABLE)
    own = erratum("wang-2/E2").severity

    def numbers(*options: str) -> list[str]:
        found = json.loads(run(*options, "--format", "json").out)
        return [item["number"] for item in found["statements"]]

    assert numbers("--print", "as printed") == ["Lemma 1"]
    assert numbers("--print", "not judged") == numbers("--claim", "open") == ["Remark 3"]
    assert numbers("--severity", own) == ["Lemma 2"]
    assert numbers("--level", "search") == ["Lemma 1"]
    shown = run().out
    assert shown.index("Lemma 2") < shown.index("Lemma 1")  # what is false comes first
    assert f"their errata: 1 distinct error ({own[0]}" not in shown
    assert "their errata: 1 distinct error (" in shown
    other = "S1" if own != "S1" else "S4"
    left = run("--severity", other).one_line_error()
    assert left.endswith(f"no statement is left by --severity {other}")
    assert "no level is called" in run("--level", "guess").one_line_error()
    assert "S1,S2,S3,S4" in run("--severity", "bad").one_line_error()


def test_a_statement_that_cannot_run_here_says_so(proofs: Any) -> None:
    def missing() -> Outcome:
        raise MissingExtraError("needs sympy")

    alone = replace(a_statement("Lemma 1"), of_printed=Checked("1 = 1", missing))
    run = proofs(alone, TRUE)
    every = run()
    assert every.status == 4
    *_, fine, last = every.out.splitlines()
    assert fine == "every check that ran is as expected"
    assert last == f"not run here: 1 of 2 statements; {INSTALL} brings what they need"
    assert run("Lemma 2").status == 0
    one = proofs(alone)()
    assert one.status == 4
    assert "not run here: needs sympy" in one.out
    assert "as expected" not in one.out  # nothing ran
    assert one.out.splitlines()[-1].startswith("not run here: 1 of 1 statement; ")
    # what is known to be wrong comes first
    assert proofs(alone, RAISES)().status == 3
    assert proofs(alone, RAISES, a_statement("Lemma 3", holds=False))().status == 1


def test_they_tell_how_far_they_are_where_there_is_no_terminal(
    proofs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "LINE_SECONDS", 0.0)
    ran = proofs(a_statement("Lemma 1"), TRUE)("--format", "json")
    told = [line.rpartition(", ")[0] for line in ran.err.splitlines()]
    assert told == [f"checking: {done} of 2" for done in (0, 1, 2)]
    assert len(json.loads(ran.out)["statements"]) == 2


def test_a_referee_sees_the_derivation(touchstone: Any, tmp_path: Path) -> None:
    text = ["" for _ in range(430)]
    text[423] = "the printed line"
    (tmp_path / "004_text.txt").write_text("\n".join(text))
    options = ("--workers", "1", "--texts", str(tmp_path))
    shown = touchstone("proofs", "004 Lemma 2.1.9", *options).out
    assert "  text        the printed line\n" in shown
    assert re.search(r"errata +diss-2.zcdp/E1\n", shown)
    assert re.search(r"corrected +Delta_2\^2/\(2 sigma\^2\)-zCDP\n", shown)
    # the identity itself, on one line however long it is
    assert re.search(r"step +.*proved \(symbolic\), .* = .*\n", shown)
    cites = touchstone("proofs", "004 (3.41)", "--workers", "1").out
    assert "cites       004 (3.40) (misprint, claim holds)\n" in cites
    gone = touchstone("proofs", "000 Lemma 3", *options).one_line_error()
    assert "has no text of paper 000" in gone


def test_own_statements_are_shown_and_are_not_kept_with_those_of_papers(touchstone: Any) -> None:
    options = ("--workers", "1")
    shown = touchstone("proofs", "exact Lemma 2", *options)
    assert shown.status == 0
    assert shown.out.startswith("exact  Statements of this project: the exact ledger")
    assert "exact Lemma 2  holds\n  states      |sizes - E| <=" in shown.out
    assert "of the text this was made from" not in shown.out
    content = json.loads(touchstone("proofs", "exact", *options, "--format", "json").out)
    validate(content, "proofs")
    assert {item["paper"] for item in content["statements"]} == {"exact"}
    assert all(item["as_expected"] and item["lines"] == "" for item in content["statements"])
    assert not STORED.exists()


def test_errata_show_their_statements(touchstone: Any) -> None:
    def listed(*words: str) -> list[dict[str, Any]]:
        content = json.loads(touchstone("errata", *words, "--format", "json").out)
        validate(content, "errata")
        found: list[dict[str, Any]] = content["errata"]
        return found

    shown = touchstone("errata", "wang-2/E3").out
    assert re.search(r"wang-2/E3  S\d  utility\n", shown)
    assert "  shown by    proofs:000 Theorem 5\n" in shown
    assert "  run         touchstone proofs '000 Theorem 5'\n" in shown
    flagged = touchstone("errata", "wang-2/E2", "zhang-5").out
    assert "  run         touchstone audit wang-2\n" in flagged
    assert "000 (25)" in shown.partition("statements")[2].partition("\n")[0]
    assert "zhang-5/E2  S1  utility, a copy of model-mrm/E2\n" in flagged
    every = listed()
    assert [item["name"] for item in every] == list(errata())
    assert "000 Theorem 5" in listed("wang-2/E3")[0]["statements"]
    own = {item["name"] for item in listed("wang-2")}
    assert own == {item.name for item in entries()["wang-2"].errata}
    worst = listed("--severity", "S1")
    assert len(worst) == [item["severity"] for item in every].count("S1")
    assert 0 < len(worst) < len(every)
    assert "no erratum belongs to 'x'" in touchstone("errata", "x").one_line_error()
    asked = ("errata", "003", "--severity", "S1")
    assert touchstone(*asked).one_line_error().endswith("is of severity S1")
    name, gone = next(iter(withdrawn().items()))
    assert gone.why[:20] in touchstone("errata", name).one_line_error()
