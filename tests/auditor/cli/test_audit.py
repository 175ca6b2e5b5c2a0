"""``touchstone audit``, ``report`` and ``list``: what they print and write."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from auditor.core.case import Case
from auditor.core.verdict import QUESTIONS, SHORT, Verdict
from auditor.suite.plan import AuditUnit
from auditor.suite.store import validate
from reference.catalogue import PAPERS, entries

PAPERS_PAGE = Path(__file__).parents[3] / "docs/explanation/five-papers.md"
ONE = ("audit", "wang-1", "--workers", "1")


def test_audit_writes_everything_and_says_where(touchstone: Any, as_expected: Any) -> None:
    # the first is an alias of wang-1; erratum 3 of wang-2 is reproduced by a statement as well
    ran = touchstone("audit", "diss-7.2.55", "wang-2", *ONE[1:])
    assert ran.status == 0, ran.err
    assert "nothing unexpected" in ran.out
    assert "a correct algorithm is called violated with probability at most 1e-05" in ran.out
    assert "results/report.html" in ran.out.replace("\\", "/")
    assert {path.name for path in Path("results").iterdir()} == {
        "wang-1.json", "wang-2.json", "audit.json", "timings.json", "report.html", "drawings",
    }  # fmt: skip
    stored = json.loads(Path("results/audit.json").read_text())
    validate(stored, "audit")
    assert sorted(stored["algorithms"]) == ["wang-1", "wang-2"]
    validate(json.loads(Path("results/wang-1.json").read_text()), "result")
    # terminal and report count the same errata
    report = Path("results/report.html").read_text(encoding="utf-8")
    ((rest, worst, in_all),) = re.findall(
        r"distinct errors S1 or S2 reproduced, (the rest by touchstone proofs[^<]*)</dt>\s*"
        r"<dd>(\d+ of \d+)</dd></div>\s*<div><dt>errata in all</dt>\s*<dd>(\d+ of \d+)</dd>",
        report,
    )
    known = {e.name for name in ("wang-1", "wang-2") for e in entries()[name].errata}
    assert in_all == f"3 of {len(known)}"
    words = f"{worst} distinct errors of severity S1 or S2 reproduced; {in_all} errata in all"
    assert f"{words}, {rest}\n" in ran.out


def test_no_width_cuts_the_table_of_verdicts(
    touchstone: Any, as_expected: Any, a_terminal: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("audit", "hu-5", *ONE[1:])
    piped = touchstone(*asked).out.splitlines()
    (row,) = (line for line in piped if "corrected-regression" in line)
    assert row.split()[0] == "corrected-regression"
    assert len(piped[0].split()) == 2 + len(QUESTIONS)
    for width in ("20", "66"):
        monkeypatch.setenv("COLUMNS", width)
        shown = a_terminal("output")
        touchstone(*asked)
        head = shown.getvalue().partition("holds")[0]
        assert "…" not in head
        assert "corrected" in head
        assert SHORT["mutants"] in head or width == "20"  # too narrow for ten answers


def test_audit_prints_one_json_object(touchstone: Any, as_expected: Any) -> None:
    printed = json.loads(touchstone(*ONE, "--format", "json", "--seed", "5").out)
    validate(printed, "audit")
    assert printed == json.loads(Path("results/audit.json").read_text())
    verdict = printed["algorithms"]["wang-1"]["printed"]["accounting"]
    assert verdict["status"] == "violated"
    assert printed["claims"]["wang-1"]["corrected"]["settings"]["seed"] == 5
    unit = {"id": "wang-1", "form": "printed", "question": "accounting"}
    assert {**unit, "errata": ["wang-1/E1"]} in printed["reproduced"]


# ----------------------------------------------------------------------- what is unexpected


def fail(*_: Any) -> Any:
    raise ZeroDivisionError("of our own making")


def accounting_violated(case: Case, unit: AuditUnit) -> Verdict:
    status: Any = "violated" if unit.question == "accounting" else "holds"
    return Verdict(unit.question, status, "too much", witness={"seed": 1})


def test_every_violated_verdict_has_its_command(touchstone: Any, answers: Any) -> None:
    answers(accounting_violated)
    ran = touchstone(*ONE, "--results", "my results")
    assert ran.status == 1
    assert "unexpected:" in ran.out
    assert "wang-1 corrected accounting: " in ran.out
    assert "touchstone rerun 'my results/wang-1.json' corrected/accounting" in ran.out
    page = Path("my results/report.html").read_text()
    assert "unexpected" in page.casefold()
    for form in json.loads(Path("my results/wang-1.json").read_text())["forms"]:
        command = f"touchstone rerun &#39;my results/wang-1.json&#39; {form}/accounting"
        assert f"<code>{command}</code>" in page
    ran = touchstone("rerun", "my results/wang-1.json", "printed/accounting")
    assert "does not fit the code" in ran.one_line_error()


def test_an_audit_that_fails_itself_is_no_violation(
    touchstone: Any, answers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(fail)
    ran = touchstone(*ONE)
    assert ran.status == 3
    assert "wang-1 corrected sensitivity: " in ran.out
    assert "the audit itself failed with ZeroDivisionError" in ran.out
    assert "Traceback" not in ran.err
    ran = touchstone(*ONE, "--fresh", "--debug")
    assert ran.status == 3
    assert "Traceback" in ran.err
    assert "ZeroDivisionError: of our own making" in ran.err
    # no case at all: that its erratum does not show is no finding, either
    with monkeypatch.context() as patch:
        patch.setattr("auditor.suite.algorithms.builders", lambda: {"wang-1": fail})
        ran = touchstone(*ONE, "--fresh")
    assert ran.status == 3
    assert "no audit case reproduces erratum wang-1/E1 there" in ran.out

    def half(case: Case, unit: AuditUnit) -> Verdict:
        return fail() if unit.question == "sensitivity" else accounting_violated(case, unit)

    answers(half)
    assert touchstone(*ONE, "--fresh").status == 1


def test_an_interrupt_keeps_finished_work(touchstone: Any, as_expected: Any, answers: Any) -> None:
    def answer(case: Case, unit: AuditUnit) -> Verdict:
        if unit.id == "wang-2":
            raise KeyboardInterrupt
        return as_expected(case, unit)

    answers(answer)
    ran = touchstone("audit", "wang-1", "wang-2", "--workers", "1")
    assert ran.status == 130
    assert "interrupted; finished work is kept" in ran.err
    assert "Traceback" not in ran.err
    assert Path("results/wang-1.json").exists()
    assert not Path("results/wang-2.json").exists()


# ------------------------------------------------------------------- the folder of results


def test_a_broken_results_file(touchstone: Any, as_expected: Any) -> None:
    Path("results").mkdir()
    Path("results/wang-1.json").write_text("{")
    ran = touchstone("list")
    assert "unreadable results file" in ran.out
    assert "run `touchstone audit wang-1`" in ran.one_line_error()
    assert "run `touchstone audit wang-1`" in touchstone("report").one_line_error()
    ran = touchstone(*ONE)
    assert ran.status == 0
    assert "wang-1.json is broken; kept as wang-1.json.broken" in ran.err
    # that of another algorithm hides no verdict
    Path("results/hu-2.json").write_text("{")
    ran = touchstone(*ONE)
    assert "run `touchstone audit hu-2`" in ran.one_line_error()
    assert "nothing unexpected" in ran.out
    assert Path("results/audit.json").exists()


def test_a_report_leads_to_a_site_that_is_there(touchstone: Any, audited: None) -> None:
    for site in ("site", "javascript://x"):
        said = touchstone("report", "--site", site).one_line_error()
        assert f"{site} is no address, and no folder with a site in it" in said
    Path("site").mkdir()
    Path("site", "index.html").touch()
    for site, start in (
        ("site", f"{Path('site').resolve().as_uri()}/"),
        ("https://example.org/t/", "https://example.org/t/"),
    ):
        assert touchstone("report", "--site", site).status == 0
        page = Path("results/report.html").read_text(encoding="utf-8")
        assert f'<a href="{start}algorithms/wang-1.html">its page</a>' in page


def test_a_broken_ledger_of_proofs(touchstone: Any, audited: None) -> None:
    for command, kept in ((("report",), "proofs.json.broken"), (ONE, "proofs.json.broken-2")):
        Path("results/proofs.json").write_text("[]")
        Path("results/report.html").unlink()
        ran = touchstone(*command)
        assert ran.status == 0
        assert f"proofs.json is broken; kept as {kept}\n" in ran.err
        assert Path("results", kept).read_text() == "[]"
        assert Path("results/report.html").exists()


@pytest.mark.parametrize("content", ["{", '{"mine": 1}', '{"format": "touchstone-result/3"}'])
def test_a_foreign_file_among_the_results_is_left_alone(
    touchstone: Any, audited: None, content: str
) -> None:
    Path("results/notes.json").write_text(content)
    for command in (ONE, ("report",), ("list",)):
        ran = touchstone(*command)
        assert ran.status == 0
        assert "notes" not in ran.out + ran.err
    assert Path("results/notes.json").read_text() == content


def test_what_was_answered_before_is_told_without_the_questions(audited: None) -> None:
    page = Path("results/report.html").read_bytes()
    command = "touchstone(['audit', 'wang-1', '--workers', '1'], standalone_mode=False)"
    source = f"import sys; from auditor.cli import touchstone; {command}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.split())
    assert "auditor.described.em.clipped_gradient_em" in imported
    assert not imported & {"scipy.stats", "dp_accounting", "matplotlib", "pandas", "statsmodels"}
    needless = ("auditor.questions", "auditor.mechanisms", "auditor.described.convex")
    assert [name for name in imported if name.startswith(needless)] == []
    assert Path("results/report.html").read_bytes() == page


def test_rerun_of_results_that_are_not_there_says_what_writes_them(
    touchstone: Any, an_audit: Path
) -> None:
    def told(path: str) -> str:
        return str(touchstone("rerun", path).one_line_error().removeprefix("touchstone: "))

    missing = "no file {}; `touchstone audit wang-1{}` writes {}"
    named = "results/wang-1.json"
    assert told(named) == missing.format(named, "", named)
    assert told("wang-1") == missing.format("wang-1", "", named)
    aliased = "results/diss-7.2.55.json"
    assert told(aliased) == missing.format(aliased, "", named)
    elsewhere = "my results/wang-1.json"
    assert told(elsewhere) == missing.format(elsewhere, " --results 'my results'", elsewhere)
    assert "no file results/wang1.json; did you mean wang-1 or" in told("results/wang1.json")
    Path("results").mkdir()
    assert told("results") == f"results is a folder; name a file in it, such as {named}"
    Path(named).write_bytes((an_audit / "wang-1.json").read_bytes())
    for almost in ("wang-1", aliased):
        assert told(almost) == f"{almost} is no file; the results on wang-1 are in {named}"


# ------------------------------------------------------------------------------------ list


def test_list_before_and_after_an_audit(touchstone: Any, an_audit: Path) -> None:
    ran = touchstone("list")
    assert ran.status == 0
    lines = [line for line in ran.out.splitlines() if "not audited yet" in line]
    assert [line.split()[0] for line in lines] == list(entries())
    (wang_2,) = (line for line in lines if line.startswith("wang-2 "))
    assert re.search(r"\(central\); 2 S1, \d+ S2", wang_2)
    known = entries()["diss-4.1.19"]
    assert [form.name for form in known.printed_forms] != []
    full = touchstone("list", "diss-4.1.19", "hu-2", "diss-3.2.7").out
    for form in known.printed_forms:
        assert f"  {form.name}" in full
        assert " ".join(form.summary.split()[:4]) in full
    assert re.search(r"  errata      diss-3.2.7/E1 S\d \w+, diss", full)
    assert "Hu, Ni, Xiao and Wang (2022), Algorithm 2" in full
    assert "seed" not in ran.out.casefold()
    page = PAPERS_PAGE.read_text(encoding="utf-8").replace("\n  ", " ")
    without_links = re.sub(r"\[([^]]+)\]\(https://[^)]+\)", r"\1", page)
    assert all(str(paper) in ran.out and str(paper) in without_links for paper in PAPERS.values())
    results = ("--results", str(an_audit))
    assert "corrected: 10 holds" in touchstone("list", *results).out
    printed = json.loads(touchstone("list", *results, "--format", "json").out)
    validate(printed, "list")
    algorithms = {item["id"]: item for item in printed["algorithms"]}
    assert algorithms["wang-1"]["last_verdicts"]["corrected"]["accounting"] == "holds"
    assert algorithms["wang-2"]["last_verdicts"] is None
    assert algorithms["wang-1"]["has_audit_case"]
    assert [form["errata"] for form in algorithms["diss-4.1.19"]["printed_forms"]] == [
        list(form.errata) for form in known.printed_forms
    ]


def test_list_shows_what_is_asked_for(touchstone: Any) -> None:
    def listed(*words: str) -> set[str]:
        ran = touchstone("list", *words, "--format", "json")
        return {item["id"] for item in json.loads(ran.out)["algorithms"]}

    assert listed("wang-1") == listed("diss-7.2.55") == {"wang-1"}  # an alias
    bad = {i for i, e in entries().items() if any(x.severity == "S1" for x in e.errata)}
    assert listed("--severity", "S1") == bad
    assert 0 < len(bad) < len(entries())
    shown = touchstone("list", "--severity", "S1").out
    assert not re.search(r"/E\d+ S[234]", shown)
    assert "S1, 0 S2, 0 S3, 0 S4)" in shown
    shown = touchstone("list", "wang-1").out
    assert re.search(r"statements +\d+ as printed, claim holds; \d+ misprint, claim holds; ", shown)
    assert "zhang-1" not in shown
    assert "  code        reference.em.clipped_gradient_em:" in shown
