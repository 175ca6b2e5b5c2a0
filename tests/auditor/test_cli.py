"""The command line: what it prints, what it writes, and how it fails."""

import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError
from rich.console import Console

import auditor
from auditor import cli
from auditor.checking.loading import LISTS
from auditor.cli import terminal
from auditor.cli.check import _without_records
from auditor.cli.status import IN_WORDS
from auditor.core.case import Case
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.verdict import QUESTIONS, SHORT, Verdict
from auditor.core.witness import describe_pair
from auditor.suite import task
from auditor.suite.plan import AuditUnit, expected_violations
from auditor.suite.store import validate
from auditor.transcript.shared import SharedRuns
from proofs_checks import statement as statements_module
from proofs_checks.extras import INSTALL, MissingExtraError
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Statement
from reference.catalogue import PAPERS, entries, errata, erratum, withdrawn

README = Path(__file__).parents[2] / "README.md"


pytestmark = pytest.mark.usefixtures("forked")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(terminal, "LINE_SECONDS", math.inf)  # however slow the machine is


@pytest.fixture
def as_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer every question as the catalogue expects, at once."""

    def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        if unit.question in expected_violations(case, unit.form):
            return Verdict(unit.question, "violated", "as printed", witness={"seed": 1})
        return Verdict(unit.question, "holds", "fine", evidence={"runs": 3})

    monkeypatch.setattr(task, "ask", ask)


LEAVING = """
import os
import subprocess
import sys

from own_mean import cases

ENTRIES = cases.ENTRIES

if {where!r} == "import":
    os._exit({code})


def build():
    if {where!r} == "build":
        os._exit({code})
    if os.fork() == 0:  # whose end is none of this process
        os._exit(0)
    return cases.CASES["own-mean"]()


CASES = {{"own-mean": build}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("where", "code"), [("import", 0), ("build", 1), ("run", 0)])
def test_what_ends_the_process_of_an_audit_does_not_choose_its_status(
    touchstone: Any, tmp_path: Path, where: str, code: int
) -> None:
    assert touchstone("new", "own_mean").status == 0
    (tmp_path / "leaving.py").write_text(LEAVING.format(where=where, code=code))
    if where == "run":
        algorithm = tmp_path / "own_mean/algorithm.py"
        text = algorithm.read_text()
        release = "    return float(ledger.laplace("
        assert release in text
        ends = f"    __import__('os')._exit({code})\n"
        algorithm.write_text(text.replace(release, f"{ends}{release}"))
    ran = in_a_shell("-m auditor audit --cases leaving.py --workers 1")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"with os._exit({code})" in ran.stderr.splitlines()[-1]


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit()], ids=lambda e: type(e).__name__)
def test_what_ends_the_interpreter_is_no_success(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def end(**_: Any) -> None:
        raise error

    monkeypatch.setattr(cli, "touchstone", end)
    ran = touchstone("list")
    assert (ran.status, ran.out) == (3, "")
    assert f"internal error, {type(error).__name__}" in ran.err


# ------------------------------------------------------------------------------- audit


def test_audit_writes_everything_and_says_where(touchstone: Any, as_expected: None) -> None:
    ran = touchstone("audit", "wang-1", "--workers", "1")
    assert ran.status == 0, ran.err
    assert "nothing unexpected" in ran.out
    assert "a correct algorithm is called violated with probability at most 1e-05" in ran.out
    assert "results/report.html" in ran.out.replace("\\", "/")
    assert {path.name for path in Path("results").iterdir()} == {
        "wang-1.json",
        "audit.json",
        "timings.json",
        "report.html",
        "drawings",
    }
    stored = json.loads(Path("results/audit.json").read_text())
    validate(stored, "audit")
    validate(json.loads(Path("results/wang-1.json").read_text()), "result")


def test_terminal_and_report_count_the_same_errata(touchstone: Any, as_expected: None) -> None:
    # its erratum 3 is reproduced by a statement, and shows in the audit besides
    ran = touchstone("audit", "wang-2", "--workers", "1")
    assert ran.status == 0, ran.err
    report = Path("results/report.html").read_text(encoding="utf-8")
    ((worst, in_all),) = re.findall(
        r"distinct errors S1 or S2 reproduced, the rest by touchstone proofs</dt>\s*"
        r"<dd>(\d+ of \d+)</dd></div>\s*<div><dt>errata in all</dt>\s*<dd>(\d+ of \d+)</dd>",
        report,
    )
    assert in_all == f"2 of {len(entries()['wang-2'].errata)}"
    words = f"{worst} distinct errors of severity S1 or S2 reproduced; {in_all} errata in all"
    assert f"{words}, the rest by touchstone proofs\n" in ran.out


def a_terminal(monkeypatch: pytest.MonkeyPatch, name: str, **options: Any) -> io.StringIO:
    """Make a console that writes to a terminal; return what it shows."""
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    console = terminal._SafeConsole(file=shown, color_system=None, **options)
    monkeypatch.setattr(terminal, name, console)
    return shown


@pytest.mark.parametrize("width", ["20", "66", "80"])
def test_no_width_cuts_the_table_of_verdicts(
    touchstone: Any, as_expected: None, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    asked = ("audit", "hu-5", "wang-1", "--workers", "1")
    piped = touchstone(*asked).out.splitlines()
    (row,) = (line for line in piped if "corrected-regression" in line)
    assert row.split()[0] == "corrected-regression"
    assert len(piped[0].split()) == 2 + len(QUESTIONS)
    shown = a_terminal(monkeypatch, "output")
    touchstone(*asked)
    head = shown.getvalue().partition("holds")[0]
    assert "…" not in head
    assert "corrected" in head
    assert SHORT["mutants"] in head or width == "20"  # too narrow for ten answers


def test_audit_prints_one_json_object(touchstone: Any, as_expected: None) -> None:
    ran = touchstone("audit", "wang-1", "--workers", "1", "--format", "json", "--seed", "5")
    printed = json.loads(ran.out)
    validate(printed, "audit")
    assert printed == json.loads(Path("results/audit.json").read_text())
    verdict = printed["algorithms"]["wang-1"]["printed"]["accounting"]
    assert verdict["status"] == "violated"
    assert printed["claims"]["wang-1"]["corrected"]["settings"]["seed"] == 5
    assert {
        "id": "wang-1",
        "form": "printed",
        "question": "accounting",
        "errata": ["wang-1/E1"],
    } in (printed["reproduced"])


def test_the_catalogue_names_the_five_papers(touchstone: Any) -> None:
    readme = README.read_text(encoding="utf-8").replace("\n  ", " ")
    without_links = re.sub(r"\[([^]]+)\]\(https://[^)]+\)", r"\1", readme)
    for paper in PAPERS.values():
        assert str(paper) in without_links
    shown = touchstone("list").out
    assert all(str(paper) in shown for paper in PAPERS.values())
    assert "Hu, Ni, Xiao and Wang (2022), Algorithm 2" in shown
    assert "seed" not in shown.casefold()


def test_an_alias_is_its_algorithm(touchstone: Any, as_expected: None) -> None:
    ran = touchstone("audit", "diss-7.2.55", "wang-1", "--workers", "1", "--format", "json")
    assert list(json.loads(ran.out)["algorithms"]) == ["wang-1"]


@pytest.mark.parametrize("status", ["violated", "raises"])
def test_something_unexpected_has_its_exit_status(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        if status == "raises":
            raise RuntimeError("broken question")
        return Verdict(unit.question, "violated", "surprise", witness={"seed": 1})

    monkeypatch.setattr(task, "ask", ask)
    ran = touchstone("audit", "wang-1", "--workers", "1")
    assert ran.status == (3 if status == "raises" else 1)
    assert "unexpected:" in ran.out
    assert "wang-1 corrected sensitivity: " in ran.out
    assert "Traceback" not in ran.err
    assert "unexpected" in Path("results/report.html").read_text().casefold()


def test_debug_shows_where(touchstone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        raise RuntimeError("broken question")

    monkeypatch.setattr(task, "ask", ask)
    ran = touchstone("audit", "wang-1", "--workers", "1", "--debug")
    assert ran.status == 3
    assert "Traceback" in ran.err
    assert "broken question" in ran.err


def test_a_check_that_is_interrupted_promises_nothing(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("auditor.checking.own_process.check_safely", interrupted)
    ran = touchstone("check", "m.py:f", "--pair", "[[0], [1]]", "--epsilon", "1")
    assert (ran.status, ran.err.strip()) == (130, "touchstone: interrupted")


def test_an_interrupt_keeps_finished_work(
    touchstone: Any, as_expected: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = task.ask

    def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        if unit.id == "wang-2":
            raise KeyboardInterrupt
        return fine(case, unit, context, runs)

    monkeypatch.setattr(task, "ask", ask)
    ran = touchstone("audit", "wang-1", "wang-2", "--workers", "1")
    assert ran.status == 130
    assert "interrupted; finished work is kept" in ran.err
    assert "Traceback" not in ran.err
    assert Path("results/wang-1.json").exists()
    assert not Path("results/wang-2.json").exists()


# --------------------------------------------------------------------------- bad input


CHECK_ROOT = ("check", "math:sqrt", "--kind", "rng")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["audit", "wang-99"], "unknown algorithm 'wang-99'; did you mean wang-"),
        (["audit", "--tier", "huge"], "'huge' is not one of"),
        (["audit", "--seed", "-1"], "-1 is not in the range"),
        (["audit", "--confidence", "1"], "not in the range"),
        (["audit", "--confidence", "nan"], "not in the range"),
        (["audit", "--workers", "0"], "0 is not in the range"),
        (["audit", "--nonsense"], "No such option"),
        (["nonsense"], "No such command"),
        (["report"], "no results in results; run `touchstone audit` first"),
        (["proofs", "no such statement"], "no statement belongs to 'no such statement'"),
        (["check"], "give either TARGET"),
        (["check", "math:sqrt", "--kind", "rng", "--epsilon", "1"], "give the data sets: --pair"),
        (["check", "math:sqrt", "--epsilon", "nan"], "not in the range"),
        (["check", "math:sqrt", "--samples", "0"], "not in the range"),
        ([*CHECK_ROOT, "--domain", "scalar:0,1"], "--epsilon, --rho"),
        (
            [*CHECK_ROOT, "--domain", "scalar:0,1", "--epsilon", "1", "--rho", "1"],
            "make one claim, not --epsilon and --rho",
        ),
        (
            [*CHECK_ROOT, "--domain", "scalar:0,1", "--epsilon", "1", "--samples", "5"],
            "--samples must be a whole number from 16",
        ),
        ([*CHECK_ROOT, "--pair", "far.json", "--epsilon", "1"], "--relation any vouches"),
        (["audit", "--results", "file/below", "wang-1"], "cannot write file/below"),
        (["audit", "--results", "file", "wang-1"], "is a file"),
    ],
)
def test_bad_input_is_one_line_and_exit_status_2(
    touchstone: Any, arguments: list[str], message: str
) -> None:
    Path("file").write_text("")
    Path("far.json").write_text("[[0, 0, 0], [0, 1, 1]]")
    assert message in touchstone(*arguments).one_line_error()


def test_a_broken_results_file(touchstone: Any, as_expected: None) -> None:
    folder = Path("results")
    folder.mkdir()
    (folder / "wang-1.json").write_text("{")
    ran = touchstone("list")
    assert "unreadable results file" in ran.out
    assert "run `touchstone audit wang-1`" in ran.one_line_error()
    assert "run `touchstone audit wang-1`" in touchstone("report").one_line_error()
    ran = touchstone("audit", "wang-1", "--workers", "1")
    assert ran.status == 0
    assert "wang-1.json is broken; kept as wang-1.json.broken" in ran.err
    assert touchstone("report").status == 0


def test_a_report_leads_to_a_site_that_is_there(touchstone: Any, as_expected: None) -> None:
    touchstone("audit", "wang-1", "--workers", "1")
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


def test_a_broken_file_of_another_algorithm_hides_no_verdict(
    touchstone: Any, as_expected: None
) -> None:
    Path("results").mkdir()
    Path("results/hu-2.json").write_text("{")
    ran = touchstone("audit", "wang-1", "--workers", "1")
    assert "run `touchstone audit hu-2`" in ran.one_line_error()
    assert "nothing unexpected" in ran.out
    assert Path("results/audit.json").exists()


def test_a_broken_ledger_of_proofs(touchstone: Any, as_expected: None) -> None:
    touchstone("audit", "wang-1", "--workers", "1")
    for command, kept in (
        (("report",), "proofs.json.broken"),
        (("audit", "wang-1", "--workers", "1"), "proofs.json.broken-2"),
    ):
        Path("results/proofs.json").write_text("[]")
        Path("results/report.html").unlink()
        ran = touchstone(*command)
        assert ran.status == 0
        assert f"proofs.json is broken; kept as {kept}\n" in ran.err
        assert Path("results", kept).read_text() == "[]"
        assert Path("results/report.html").exists()


@pytest.mark.parametrize("content", ["{", '{"mine": 1}', '{"format": "touchstone-result/3"}'])
def test_a_foreign_file_among_the_results_is_left_alone(
    touchstone: Any, as_expected: None, content: str
) -> None:
    Path("results").mkdir()
    Path("results/notes.json").write_text(content)
    for command in (("audit", "wang-1", "--workers", "1"), ("report",), ("list",)):
        ran = touchstone(*command)
        assert ran.status == 0
        assert "notes" not in ran.out + ran.err
    assert Path("results/report.html").exists()
    assert Path("results/notes.json").read_text() == content


@pytest.mark.slow
def test_what_was_answered_before_is_told_without_the_questions(
    touchstone: Any, as_expected: None
) -> None:
    touchstone("audit", "wang-1", "--workers", "1")
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


# ------------------------------------------------------------------------------ list, proofs


def test_list_before_and_after_an_audit(touchstone: Any, as_expected: None) -> None:
    ran = touchstone("list")
    assert ran.status == 0
    assert "wang-1" in ran.out
    assert "not audited yet" in ran.out
    known = entries()["diss-4.1.19"]
    assert [form.name for form in known.printed_forms] != []
    for form in known.printed_forms:
        assert f"  {form.name}" in ran.out
        assert " ".join(form.summary.split()[:4]) in ran.out
    assert re.search(r"  errata      diss-3.2.7/E1 S\d \w+, diss", ran.out)
    touchstone("audit", "wang-1", "--workers", "1")
    assert "corrected: 10 holds" in touchstone("list").out
    printed = json.loads(touchstone("list", "--format", "json").out)
    validate(printed, "list")
    algorithms = {item["id"]: item for item in printed["algorithms"]}
    assert algorithms["wang-1"]["last_verdicts"]["corrected"]["accounting"] == "holds"
    assert algorithms["wang-2"]["last_verdicts"] is None
    assert algorithms["wang-1"]["has_audit_case"]
    assert [form["errata"] for form in algorithms["diss-4.1.19"]["printed_forms"]] == [
        list(form.errata) for form in known.printed_forms
    ]


def a_statement(number: str, expected: Any, *, holds: bool = True) -> Statement:
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


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Any:
    def use(*chosen: Statement) -> None:
        from auditor.suite import proofs

        def of_paper(paper: str | None = None) -> tuple[Statement, ...]:
            return tuple(item for item in chosen if paper in (None, item.paper))

        for module in (statements_module, proofs):
            monkeypatch.setattr(module, "statements", of_paper)
            monkeypatch.setattr(module, "find", {item.key: item for item in chosen}.__getitem__)

    return use


def test_proofs_as_expected(touchstone: Any, ledger: Any) -> None:
    ledger(
        a_statement("Lemma 1", "true"),
        a_statement("Lemma 2", "false", holds=False),
        a_statement("Remark 3", "not checkable"),
    )
    ran = touchstone("proofs", "--workers", "1")
    assert ran.status == 0
    assert "3 statements: 1 true, 1 false, 1 not checkable\n" in ran.out
    assert ran.out.endswith("every check that ran is as expected\n")
    stored = json.loads(Path("results/proofs.json").read_text())
    validate(stored, "proofs")
    printed = json.loads(touchstone("proofs", "--workers", "1", "--format", "json").out)
    assert printed == stored
    other = json.loads(
        touchstone("proofs", "--workers", "1", "--format", "json", "--seed", "1").out
    )
    details = [[item["printed"]["detail"] for item in run["statements"]] for run in (stored, other)]
    assert details[0] != details[1]


def test_proofs_otherwise_than_expected(touchstone: Any, ledger: Any) -> None:
    ledger(
        a_statement("Lemma 1", "true"),
        a_statement("Lemma 2", "true", holds=False),
        a_statement("Raises 1", "true"),
    )
    ran = touchstone("proofs", "--workers", "1")
    assert ran.status == 1
    assert "otherwise than expected: 004 Lemma 2\n" in ran.out
    assert "internal error in the checks of: 004 Raises 1; --debug shows where\n" in ran.out
    stored = json.loads(Path("results/proofs.json").read_text())
    validate(stored, "proofs")
    assert stored["unexpected"] == ["004 Lemma 2"]


def test_a_check_that_fails_itself_is_an_internal_error(touchstone: Any, ledger: Any) -> None:
    ledger(
        a_statement("Raises 1", "true"),
        a_statement("Lemma 2", "true"),
        replace(a_statement("Raises 1", "false"), number="Raises 3"),
    )
    ran = touchstone("proofs", "--workers", "1")
    assert ran.status == 3
    assert ran.out.splitlines()[-1] == (
        "internal error in the checks of: 004 Raises 1, 004 Raises 3; --debug shows where"
    )
    assert "as expected" not in ran.out
    stored = json.loads(Path("results/proofs.json").read_text())
    validate(stored, "proofs")
    assert (stored["unexpected"], stored["not_run"]) == ([], [])
    assert [item["as_expected"] for item in stored["statements"]] == [False, True, False]
    assert "ArithmeticError: no luck" in stored["statements"][0]["printed"]["detail"]
    assert touchstone("proofs", "Raises 1", "--workers", "1").status == 3
    assert touchstone("proofs", "Lemma 2", "--workers", "1").status == 0


def test_proofs_of_one_algorithm_or_number_leave_the_ledger_alone(
    touchstone: Any, ledger: Any
) -> None:
    ledger(a_statement("Lemma 1", "true"), a_statement("Lemma 2", "true"))
    for wanted, count in (("diss-7.2.55", 2), ("004", 2), ("Lemma 2", 1), ("2", 1)):
        ran = touchstone("proofs", wanted, "--workers", "1", "--format", "json")
        statements = json.loads(ran.out)["statements"]
        assert len(statements) == count
        assert {statement["paper"] for statement in statements} == {"004"}
    shown = touchstone("proofs", "Lemma 2", "--workers", "1").out
    assert "Wang (2020): Some fundamental machine learning" in shown
    assert "  printed     1 = 1\n" in shown
    assert "section 9.1; line 1-2 of the text" in shown
    assert "section_9_1.py:7" in shown
    assert "1 statement: 1 true\n" in shown
    for option in (("--paper", "004"), ("--section", "9"), ("--section", "9.1")):
        assert "2 statements: 2 true" in touchstone("proofs", *option, "--workers", "1").out
    assert (
        "no statements of paper any, section 8"
        in touchstone("proofs", "--section", "8").one_line_error()
    )
    assert "--paper is one of 000" in touchstone("proofs", "--paper", "7").one_line_error()
    assert "  printed     1 = 1\n" not in touchstone("proofs", "--results", "other").out
    (kept,) = json.loads(Path("results/proofs.json").read_text())["statements"][:1]
    assert kept["paper"] == "004"  # of --paper 004 alone


def test_papers_checked_one_by_one_are_kept_together(touchstone: Any, ledger: Any) -> None:
    first = replace(a_statement("Lemma 1", "true", holds=False), paper="000")
    ledger(first, a_statement("Lemma 2", "true"), a_statement("Raises 1", "true"))
    stored = Path("results/proofs.json")

    def keys(*words: str) -> list[str]:
        touchstone("proofs", *words, "--workers", "1")
        content = json.loads(stored.read_text())
        validate(content, "proofs")
        return [item["key"] for item in content["statements"]]

    assert keys("--paper", "004") == ["004 Lemma 2", "004 Raises 1"]
    assert keys("--paper", "000") == ["000 Lemma 1", "004 Lemma 2", "004 Raises 1"]
    content = json.loads(stored.read_text())
    assert content["unexpected"] == ["000 Lemma 1"]
    assert content["failed"] == ["004 Raises 1"]
    assert keys("--paper", "004") == ["000 Lemma 1", "004 Lemma 2", "004 Raises 1"]
    assert json.loads(stored.read_text())["failed"] == ["004 Raises 1"]  # once
    before = stored.read_text()
    touchstone("proofs", "004", "--workers", "1")
    touchstone("proofs", "--paper", "004", "--section", "9", "--workers", "1")
    assert stored.read_text() == before
    assert keys("--paper", "004", "--seed", "1") == ["004 Lemma 2", "004 Raises 1"]


def test_proofs_can_be_filtered(touchstone: Any, ledger: Any) -> None:
    ledger(
        a_statement("Lemma 1", "true"),
        replace(a_statement("Lemma 2", "false", holds=False), errata=("wang-2/E2",)),
        a_statement("Remark 3", "not checkable"),
    )
    own = erratum("wang-2/E2").severity

    def keys(*options: str) -> list[str]:
        ran = touchstone("proofs", *options, "--workers", "1", "--format", "json")
        return [item["number"] for item in json.loads(ran.out)["statements"]]

    assert keys("--verdict", "true") == ["Lemma 1"]
    assert keys("--verdict", "not checkable") == ["Remark 3"]
    assert keys("--severity", own) == ["Lemma 2"]
    assert keys("--level", "search") == ["Lemma 1"]
    shown = touchstone("proofs", "--workers", "1").out
    assert shown.index("Lemma 2") < shown.index("Lemma 1")  # what is false comes first
    assert f"what is false: 1 distinct error ({own[0]}" not in shown
    assert "what is false: 1 distinct error (" in shown
    other = "S1" if own != "S1" else "S4"
    left = touchstone("proofs", "--severity", other).one_line_error()
    assert left.endswith(f"no statement is left by --severity {other}")
    assert "no level is called" in touchstone("proofs", "--level", "guess").one_line_error()
    assert "S1,S2,S3,S4" in touchstone("proofs", "--severity", "bad").one_line_error()


def test_a_statement_that_cannot_run_here_says_so(touchstone: Any, ledger: Any) -> None:
    def missing() -> Outcome:
        raise MissingExtraError("needs sympy")

    alone = replace(a_statement("Lemma 1", "true"), of_printed=Checked("1 = 1", missing))
    wrong, raises = a_statement("Lemma 3", "true", holds=False), a_statement("Raises 1", "true")

    def ran(*more: Statement) -> Any:
        ledger(alone, *more)
        return touchstone("proofs", "--workers", "1")

    every = ran(a_statement("Lemma 2", "true"))
    assert every.status == 4
    *_, fine, last = every.out.splitlines()
    assert fine == "every check that ran is as expected"
    assert last == f"not run here: 1 of 2 statements; {INSTALL} brings what they need"
    assert touchstone("proofs", "Lemma 2", "--workers", "1").status == 0
    one = ran()
    assert one.status == 4
    assert "not run here: needs sympy" in one.out
    assert "as expected" not in one.out  # nothing ran
    assert one.out.splitlines()[-1].startswith("not run here: 1 of 1 statement; ")
    # what is known to be wrong comes first
    assert ran(raises).status == 3
    assert ran(raises, wrong).status == 1


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
    assert "cites       004 (3.40) (false as printed)\n" in cites
    gone = touchstone("proofs", "000 Lemma 3", *options).one_line_error()
    assert "has no text of paper 000" in gone


def test_errata_show_their_statements(touchstone: Any) -> None:
    shown = touchstone("errata", "wang-2/E3").out
    assert re.search(r"wang-2/E3  S\d  utility\n", shown)
    assert "  shown by    proofs:000 Theorem 5\n" in shown
    assert "  run         touchstone proofs '000 Theorem 5'\n" in shown
    flagged = touchstone("errata", "wang-2/E2").out
    assert "  run         touchstone audit wang-2\n" in flagged
    assert "000 (25)" in shown.partition("statements")[2].partition("\n")[0]
    assert (
        "zhang-5/E2  S1  utility, a copy of model-mrm/E2\n" in touchstone("errata", "zhang-5").out
    )
    printed = json.loads(touchstone("errata", "--format", "json").out)
    validate(printed, "errata")
    assert [item["name"] for item in printed["errata"]] == list(errata())
    (one,) = json.loads(touchstone("errata", "wang-2/E3", "--format", "json").out)["errata"]
    assert "000 Theorem 5" in one["statements"]
    own = json.loads(touchstone("errata", "wang-2", "--format", "json").out)["errata"]
    assert {item["name"] for item in own} == {item.name for item in entries()["wang-2"].errata}
    severities = [item["severity"] for item in printed["errata"]]
    worst = json.loads(touchstone("errata", "--severity", "S1", "--format", "json").out)["errata"]
    assert len(worst) == severities.count("S1")
    assert 0 < len(worst) < len(severities)
    assert "no erratum belongs to 'x'" in touchstone("errata", "x").one_line_error()
    assert "did you mean wang-2 or" in touchstone("errata", "wang2").one_line_error()
    asked = ("errata", "003", "--severity", "S1")
    assert touchstone(*asked).one_line_error().endswith("is of severity S1")
    name, gone = next(iter(withdrawn().items()))
    assert gone.why[:20] in touchstone("errata", name).one_line_error()


def test_the_catalogue_can_be_filtered_by_severity(touchstone: Any) -> None:
    listed = json.loads(touchstone("list", "--severity", "S1", "--format", "json").out)
    found = {item["id"] for item in listed["algorithms"]}
    bad = {i for i, e in entries().items() if any(x.severity == "S1" for x in e.errata)}
    assert found == bad
    assert 0 < len(found) < len(entries())
    shown = touchstone("list", "--severity", "S1").out
    assert not re.search(r"/E\d+ S[234]", shown)
    assert "S1, 0 S2, 0 S3, 0 S4)" in shown
    assert "  code        reference.em.clipped_gradient_em:" in touchstone("list", "wang-1").out


# ------------------------------------------------------------- terminals, pipes and start-up


NOISY = """
def noisy(data, rng):
    return sum(data) + rng.laplace(scale=0.2)
"""
CHECK = "-m auditor check noisy.py:noisy --pair pair.json --epsilon 1"


def in_a_shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run what follows ``python`` on a shell's line, with ``noisy.py`` and ``pair.json`` there."""
    Path("noisy.py").write_text(NOISY)
    Path("pair.json").write_text("[[0, 1], [0, 0]]")
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{shlex.quote(sys.executable)} {command}"],
        env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2]), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("end", [">&-", "2>&-", "| head -1", "| true"])
@pytest.mark.parametrize(
    ("command", "status"),
    [("-m auditor list", 0), pytest.param(CHECK, 1, marks=pytest.mark.slow)],
)
def test_a_closed_end_changes_neither_the_status_nor_the_peace(
    command: str, status: int, end: str
) -> None:
    ran = in_a_shell(f"{command} {end}")
    assert ran.returncode == status
    assert not re.search("Traceback|Error", ran.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "mark"), [("ascii", "V"), ("utf-8", "✗")])
def test_a_terminal_without_the_symbols_gets_letters(encoding: str, mark: str) -> None:
    ran = in_a_shell(CHECK, PYTHONIOENCODING=encoding)
    assert ran.stdout.startswith(f"{mark} violated")
    assert "the same command with --witness FILE" in ran.stderr


def test_letters_differ_from_one_another_and_the_legend_tells_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert len(set(terminal.LETTERS.values())) == len(terminal.LETTERS) == len(terminal.SYMBOLS)
    assert "?" not in terminal.LETTERS.values()
    monkeypatch.setattr(terminal, "output", Console(file=io.TextIOWrapper(io.BytesIO(), "ascii")))
    assert terminal.legend().startswith(
        "H holds   V violated   VE2 violated, as erratum E2 says   I inc"
    )


def test_alone_it_prints_its_help(touchstone: Any) -> None:
    ran = touchstone()
    assert ran.status == 0
    assert "\nCommands:\n  audit " in ran.out
    assert not ran.err


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_it_answers_before_anything_slow_is_imported(option: str) -> None:
    ran = in_a_shell(f"-X importtime -m auditor {option}")
    assert ran.returncode == 0
    imported = {line.split("|")[-1].strip() for line in ran.stderr.splitlines()}
    assert "click" in imported
    assert not imported & {"numpy", "scipy", "joblib", "reference", "auditor.suite.store"}


@pytest.mark.slow
def test_one_statement_is_checked_before_what_others_need_is_imported() -> None:
    command = "touchstone(['proofs', '002 Lemma 3.1'], standalone_mode=False)"
    source = f"import sys; from auditor.cli import touchstone; {command}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.split())
    assert {"proofs_checks.paper_002.section_3_1", "sympy"} <= imported
    assert not imported & {"scipy.stats", "scipy.optimize", "jsonschema"}
    assert not {name for name in imported if name.startswith("proofs_checks.paper_004")}


def test_the_ledger_of_statements_is_read_without_the_suite() -> None:
    source = "import sys, auditor.suite.proofs; print(*sys.modules, sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.split())
    assert "proofs_checks.statement" in imported
    assert not imported & {"sklearn", "auditor.suite.conclude", "auditor.suite.plan"}


def test_check_prints_what_its_schema_says(touchstone: Any) -> None:
    Path("pair.json").write_text("[[0, 1], [0, 0]]")
    Path("noisy.py").write_text(NOISY)
    mechanism = ("check", "noisy.py:noisy", "--pair", "pair.json", "--format", "json")
    for epsilon, status in ((1, "violated"), (5, "holds")):
        options = ("--epsilon", str(epsilon), "--samples", "20000")
        printed = json.loads(touchstone(*mechanism, *options).out)
        validate(printed, "check")
        assert printed["status"] == status
    with pytest.raises(ValidationError):
        validate({**printed, "status": "fine"}, "check")


@pytest.mark.slow
def test_measure_uses_all_runs_where_a_check_stops(touchstone: Any) -> None:
    Path("pair.json").write_text("[[0, 1], [0, 0]]")
    Path("mine.py").write_text(
        "def noisy(data, rng):\n    return sum(data) + rng.laplace(scale=0.5)\n"
        "def released(data, ledger):\n"
        "    return ledger.laplace(float(sum(data)), sensitivity=1.0, scale=0.5)\n"
    )
    on = ("--pair", "pair.json", "--samples", "20000")
    checked = touchstone("check", "mine.py:noisy", *on, "--epsilon", "1")
    assert "`measure` uses all to say how large" in checked.out
    (stopped,) = map(float, re.findall(r"epsilon >= ([\d.]+)", checked.out))
    ran = touchstone("measure", "mine.py:noisy", *on)
    assert ran.status == 0, ran.err
    (whole,) = map(float, re.findall(r"^epsilon >= ([\d.]+) with confidence 0.99: output", ran.out))
    assert 1.0 < stopped < whole < 2.0  # the truth
    assert whole > 1.8
    printed = json.loads(touchstone("measure", "mine.py:released", *on, "--format", "json").out)
    validate(printed, "measure")
    assert 1.8 < printed["epsilon_lower"] < 2.0
    assert printed["samples"] == 20000


def test_what_is_measured_must_be_a_pair(touchstone: Any) -> None:
    Path("mine.py").write_text("def f(data, rng):\n    return sum(data) + rng.laplace()\n")
    Path("far.json").write_text("[[0, 1], [5, 5]]")
    refused = touchstone("measure", "mine.py:f", "--pair", "far.json").one_line_error()
    assert "--relation any" in refused
    asked = ("measure", "mine.py:f", "--pair", "far.json", "--relation", "any", "--samples", "200")
    assert touchstone(*asked).status == 0
    # rows (feature, label)
    Path("label.json").write_text("[[[1, 2], [3, 4]], [[1, 2], [3, 9]]]")
    Path("feature.json").write_text("[[[1, 2], [3, 4]], [[1, 2], [5, 9]]]")
    asked = ("measure", "mine.py:f", "--samples", "200", "--relation", "replace-label", "--pair")
    assert touchstone(*asked, "label.json").status == 0
    assert "more of record 1" in touchstone(*asked, "feature.json").one_line_error()
    assert "--pair FILE" in touchstone("measure", "mine.py:f").one_line_error()


@pytest.mark.slow
def test_that_lists_of_a_pair_are_arrays_is_told_where_it_matters(touchstone: Any) -> None:
    Path("mine.py").write_text(
        "def counts(data, rng):\n    return data.count(1) + rng.laplace()\n"
        "def fails(data, rng):\n    return data.absent\n"
        "def pair():\n    return [0, 1], [0, 0]\n"
    )
    Path("numbers.json").write_text("[[0, 1], [0, 0]]")
    Path("words.json").write_text('[["a", "b"], ["a", "a"]]')
    for command in (("check", "--epsilon", "1"), ("measure",)):
        asked = (*command, "mine.py:counts", "--samples", "200")
        refused = touchstone(*asked, "--pair", "numbers.json").one_line_error()
        assert refused.endswith(f"; {LISTS}")
        assert touchstone(*asked, "--pair-from", "mine.py:pair").status == 0
        refused = touchstone(*command, "mine.py:fails", "--pair", "words.json").one_line_error()
        assert LISTS not in refused


FAILS_ALWAYS = """
def at_times(data, ledger):
    raise KeyError(str(data))
"""
TABLE = "name,age\nAlice,30\nBob,40\nCarol,55\n"
FAILS = """
def shows(data, rng):
    return float(data["name"].iloc[0]) + rng.laplace()

def tells(data, rng):
    raise KeyError(str(data))

def batch(data, rng, size):
    raise KeyError(str(data))

def releases(data, ledger):
    return ledger.laplace(float(data["name"].iloc[0]), sensitivity=1.0, scale=1.0)

def at_times(data, ledger):
    if data["name"].iloc[0] > "B" or len(data) < 1:
        raise ValueError(data.to_dict())  # in one line, for the first is what could be shown
    return ledger.laplace(float(data["age"].sum()), sensitivity=1.0, scale=1.0)
"""


@pytest.fixture
def fails(touchstone: Any) -> Any:
    """Return how a check of a function of ``fails.py`` on the records of a table ends."""
    Path("fails.py").write_text(FAILS)
    Path("people.csv").write_text(TABLE)

    def run(name: str, *more: str) -> Any:
        asked = ("check", f"fails.py:{name}", "--domain", "table:people.csv", "--epsilon", "1")
        return touchstone(*asked, "--samples", "128", "--witness", "w.json", *more)

    return run


@pytest.mark.parametrize("name", ["shows", "tells", "batch", "releases"])
def test_an_error_does_not_quote_the_records_of_a_table(fails: Any, name: str) -> None:
    ran = fails(name, *(["--batched", "--kind", "rng"] * (name == "batch")))
    assert "of records that are not shown" in ran.one_line_error()
    assert re.search(r"fails\.py:\d+", ran.err)
    assert not re.search("Alice|Bob|Carol", ran.err)


@pytest.mark.slow
def test_records_of_a_table_are_not_printed(touchstone: Any, fails: Any) -> None:
    for form in ("text", "json"):
        ran = fails("at_times", "--format", form)
        assert ran.status == 1
        assert not re.search("Alice|Bob|Carol", ran.out + ran.err)
    witness = Path("w.json").read_text()  # as asked for: whichever of the two was found
    assert '"Bob"' in witness or '"Carol"' in witness
    again = touchstone("rerun", "--yes", "w.json")
    assert again.status == 0, again.out
    assert again.out.count("shows again") > 1
    assert " fresh runs on D, 0 of " in again.out
    Path("fails.py").write_text(FAILS.replace("def at_times", "def old") + FAILS_ALWAYS)
    said = touchstone("rerun", "--yes", "w.json").one_line_error()
    assert "which may quote records, is not shown) at fails.py:" in said
    assert not re.search("Alice|Bob|Carol", said)


PROGRAMS = """
import json, random, sys
for line in sys.stdin:
    asked = json.loads(line)
    data, rng, kind = asked["data"], random.Random(asked["seed"]), sys.argv[1]
    if kind == "dies":
        sys.exit(f"no {data}")
    if kind == "refuses" or (kind == "at_times" and max(data["name"]) > "Alice"):
        answer = {"error": f"no {data}"}
    elif kind == "chats":
        answer = data
    else:
        answer = {"outputs": [rng.gauss(0, 1) for _ in range(asked["size"])]}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("dies", "exit code 1; its last words, which may quote records, are not shown"),
        ("refuses", "error: (its text, which may quote records, is not shown)"),
        ("chats", "the program answered (its text, which may quote records, is not shown) to"),
        ("at_times", "raised error: (its text, which may quote records, is not shown): "),
    ],
)
def test_programs_do_not_quote_the_records_of_a_table(
    touchstone: Any, kind: str, words: str
) -> None:
    Path("fails.py").write_text(PROGRAMS)
    Path("people.csv").write_text(TABLE)
    command = shlex.join([sys.executable, "fails.py", kind])
    asked = ("check", "--command", command, "--domain", "table:people.csv", "--epsilon", "1")
    for form in ("text", "json")[: 1 + (kind == "at_times")]:  # an error has one form
        ran = touchstone(*asked, "--samples", "128", "--format", form, "--witness", "w.json")
        said = ran.out + ran.err
        assert words in said
        assert ran.status == (1 if kind == "at_times" else 2)
        assert not re.search("Alice|Bob|Carol", said)
    if kind == "at_times":
        again = touchstone("rerun", "--yes", "w.json")
        assert again.status == 0, again.out
        assert not re.search("Alice|Bob|Carol", again.out + again.err)


@pytest.mark.slow
def test_a_table_that_code_names_is_not_printed(touchstone: Any) -> None:
    Path("people.csv").write_text(TABLE)
    Path("mine.py").write_text(
        "import pandas as pd\n"
        "from auditor.core.neighbours import Table\n"
        "people = Table(pd.read_csv('people.csv'))\n"
        "def ages(data, rng):\n    return float(data['age'].sum()) + rng.laplace()\n"
    )
    asked = ("check", "mine.py:ages", "--epsilon", "1", "--samples", "128", "--format", "json")
    for domain in ("table:people.csv", "mine.py:people"):
        ran = touchstone(*asked, "--domain", domain)
        assert ran.status == 1
        assert json.loads(ran.out)["witness"]["D"] == {"text": "not shown; --witness FILE keeps it"}
        assert not re.search("Alice|Bob|Carol", ran.out + ran.err)
    Path("mine.py").write_text("def ages(data, rng):\n    return float(data[0]) + rng.laplace()\n")
    made_up = json.loads(touchstone(*asked, "--domain", "scalar:0,9").out)
    assert "text" not in made_up["witness"]["D"]


def test_the_record_of_a_long_data_set_is_not_printed_either() -> None:
    long, other = [["Alice"]] * 10_000, [["Alice"]] * 9_999 + [["Carol"]]
    for pair in ((long, other), (long[:2], other[-2:])):
        described = describe_pair(pair, len(pair[0]) - 1)
        shown = _without_records({"questions": [{"witness": described}]})
        assert "Alice" in str(described)
        assert "Alice" not in str(shown)
        assert "Carol" not in str(shown)


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        ("l2:1e9,1", "at most 1000000"),
        ("box:1e300,0,1", "at most 1000000"),
        ("binary:1e7", "at most 1000000"),
        ("counts:1e9,3", "at most 1000000"),
        ("counts:3,1e9", "at most 1000000"),
        ("l2:2.5,1", "is no domain; known"),
        ("l2:nan,1", "is no domain; known"),
        ("l3:1", "is no domain; known"),
        ("l2:inf,1", "is no domain; known"),
        ("l2", "'l2' is no domain; known"),
        ("l2:", "'l2:' is no domain; known"),
        ("table", "name the file of the table, table:FILE.csv"),
        ("table:", "name the file of the table, table:FILE.csv"),
        ("table:.", ". cannot be read as a table: it is a folder"),
        ("scalar:1,0", "LOW < HIGH, got 1 and 0"),
        ("scalar:1,1", "LOW < HIGH"),
        ("box:3,2,1", "LOW < HIGH"),
        ("linf:3,0", "LOW < HIGH"),
        ("table:/dev/null", "/dev/null cannot be read as a table: it is no regular file"),
        ("table:/dev/zero", "it is no regular file"),
    ],
)
def test_domains_that_make_no_sense_are_one_line(touchstone: Any, domain: str, words: str) -> None:
    Path("mine.py").write_text("def f(data, rng):\n    return sum(data) + rng.laplace()\n")
    ran = touchstone("check", "mine.py:f", "--epsilon", "1", "--domain", domain)
    assert words in ran.one_line_error()


def test_many_large_records_are_refused(touchstone: Any) -> None:
    Path("mine.py").write_text("def f(data, rng):\n    return data.sum() + rng.laplace()\n")
    row = ",".join("0" * 500)
    Path("wide.csv").write_text("\n".join((",".join(f"x{i}" for i in range(500)), row, row)))

    def asked(domain: str, records: str) -> str:
        words = ("--epsilon", "1", "--domain", domain, "--records", records)
        return str(touchstone("check", "mine.py:f", *words).one_line_error())

    assert "1000500 numbers, of which at most 1000000" in asked("table:wide.csv", "2001")
    assert "100000000 numbers" in asked("l2:100000,1", "1000")


HUGE = "1" + 400 * "0"


@pytest.mark.parametrize(
    "option",
    [
        ("--timeout", "1e308"),
        ("--timeout", HUGE),
        ("--call-timeout", "1e308"),
        ("--samples", HUGE),
        ("--samples", str(2**41)),
        ("--seed", HUGE),
        ("--epsilon", HUGE),
        ("--workers", HUGE),
        ("--records", HUGE),
        ("--domain", f"scalar:0,{HUGE}"),
        ("--domain", f"l2:{HUGE},1"),
    ],
)
def test_numbers_beyond_all_use_are_one_line(touchstone: Any, option: tuple[str, str]) -> None:
    Path("mine.py").write_text("def f(data, rng):\n    return sum(data) + rng.laplace()\n")
    Path("pair.json").write_text("[[0, 1], [0, 0]]")
    pair = () if option[0] == "--domain" else ("--pair", "pair.json")
    touchstone("check", "mine.py:f", "--epsilon", "1", *pair, *option).one_line_error()


def test_version(touchstone: Any) -> None:
    ran = touchstone("--version")
    assert ran.status == 0
    assert ran.out.startswith("touchstone ")


# ------------------------------------------------------------------------------ witnesses


MECHANISMS = """
import numpy as np

SCALE = 0.4

def noisy(data, rng):
    return float(np.sum(data)) + rng.laplace(scale=SCALE)

def releases(data, ledger):
    return ledger.laplace(float(np.sum(data)), sensitivity=1.0, scale=SCALE)

def pair():
    return np.array([1.0, 0.0]), np.array([0.0, 0.0])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["noisy", "releases"])
def test_a_check_saves_its_witness_and_rerun_shows_it_again(touchstone: Any, name: str) -> None:
    Path("mine.py").write_text(MECHANISMS)
    asked = ("check", f"mine.py:{name}", "--pair-from", "mine.py:pair", "--epsilon", "1")
    ran = touchstone(*asked, "--samples", "4000", "--witness", "found.json")
    assert ran.status == 1
    assert "touchstone rerun found.json" in ran.err
    validate(json.loads(Path("found.json").read_text()), "witness")
    ran = touchstone("rerun", "--yes", "found.json", "--format", "json")
    assert ran.status == 0, ran.err
    printed = json.loads(ran.out)
    validate(printed, "rerun")
    assert printed["shown"] is True
    shown = {one["what"] for one in printed["violations"]}
    assert ("outputs" if name == "noisy" else "accounting") in shown
    # the same mechanism, repaired
    Path("mine.py").write_text(MECHANISMS.replace("SCALE = 0.4", "SCALE = 1.0"))
    ran = touchstone("rerun", "--yes", "found.json")
    assert ran.status == 1
    assert "does not show again" in ran.out
    assert "printed/accounting" not in ran.out
    assert "one" in touchstone("rerun", "--yes", "found.json", "a/b").one_line_error()


@pytest.mark.slow
def test_the_printed_command_shows_it_again_whatever_the_seed_and_the_folder(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("code").mkdir()
    Path("code/mine.py").write_text(MECHANISMS)
    Path("found").mkdir()
    asked = ("check", "code/mine.py:noisy", "--pair-from", "code/mine.py:pair", "--epsilon", "1")
    ran = touchstone(*asked, "--samples", "4000", "--seed", "1", "--witness", "found/it.json")
    (command,) = re.findall(r"to show it again: touchstone (.*)", ran.err)
    assert touchstone(*command.split(), "--yes").status == 0
    monkeypatch.chdir("found")
    assert touchstone("rerun", "--yes", "it.json").status == 0
    stored = json.loads(Path("it.json").read_text())
    Path("deeper").mkdir()
    Path("deeper/it.json").write_text(json.dumps(stored))
    assert "no file code/mine.py" in touchstone("rerun", "--yes", "deeper/it.json").one_line_error()
    stored["request"]["folder"] = "gone"
    Path("it.json").write_text(json.dumps(stored))
    assert (
        "no folder gone, where code/mine.py:noisy was"
        in touchstone("rerun", "--yes", "it.json").one_line_error()
    )


@pytest.mark.slow
def test_what_has_no_witness_is_violated_all_the_same(touchstone: Any) -> None:
    Path("low.py").write_text("def low(data, rng):\n    return data[0] + rng.laplace(scale=1.0)\n")
    Path("pair.json").write_text("[[0.3], [0.7]]")
    asked = ("check", "low.py:low", "--pair", "pair.json", "--epsilon", "1", "--samples", "20000")
    ran = touchstone(*asked, "--floating-point", "count", "--witness", "w.json")
    assert ran.status == 1, ran.err
    assert "to show it again: the same command (low-order bits" in ran.err
    assert not Path("w.json").exists()


# ---------------------------------------------------------------------------- exit statuses


def fail(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("of our own making")


def test_an_internal_error_has_a_status_of_its_own(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"Exit status: {IN_WORDS}." in " ".join(touchstone("--help").out.split())
    monkeypatch.setattr("auditor.suite.algorithms.entries", fail)
    ran = touchstone("list")
    assert ran.status == 3
    assert ran.err.startswith("touchstone: internal error, ZeroDivisionError: of our own making;")


def test_an_audit_that_fails_itself_is_no_violation(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "ask", fail)
    ran = touchstone("audit", "wang-1", "--workers", "1")
    assert ran.status == 3
    assert "the audit itself failed with ZeroDivisionError" in ran.out
    # no case at all: that its erratum does not show is no finding, either
    monkeypatch.setattr("auditor.suite.algorithms.builders", lambda: {"wang-1": fail})
    ran = touchstone("audit", "wang-1", "--workers", "1", "--fresh")
    assert ran.status == 3
    assert "no audit case reproduces erratum wang-1/E1 there" in ran.out

    def half(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        if unit.question == "accounting":
            return fail()
        return Verdict(unit.question, "violated", "wrong", witness={"seed": 1})

    monkeypatch.undo()
    monkeypatch.setattr(task, "ask", half)
    assert touchstone("audit", "wang-1", "--workers", "1", "--fresh").status == 1


def test_what_is_called_the_wrong_way_round_is_told(touchstone: Any) -> None:
    Path("mine.py").write_text(
        "def swapped(rng, data):\n    return sum(data) + rng.laplace()\n"
        "def books(ledger, data):\n    return ledger\n"
        "def unnamed(g, x):\n    return sum(x) + g.laplace()\n"
    )
    Path("pair.json").write_text("[[0, 1], [0, 0]]")

    def check(name: str, *more: str) -> str:
        asked = ("check", f"mine.py:{name}", "--pair", "pair.json", "--epsilon", "1", *more)
        return str(touchstone(*asked).one_line_error())

    assert "takes (rng, data), but is called with the data first: make it (data, rng)" in check(
        "swapped"
    )
    assert "make it (data, ledger)" in check("books")
    assert "called with the data first, then its generator" in check("unnamed", "--kind", "rng")
    with pytest.raises(InputError, match=r"make it \(data, rng\)"):
        auditor.check(lambda rng, data: 0, pair=([0, 1], [0, 0]), epsilon=1.0)


@pytest.mark.parametrize("name", ["later", "books"])
def test_a_coroutine_is_one_line(touchstone: Any, name: str) -> None:
    Path("mine.py").write_text(
        "async def later(data, rng):\n    return 1\nasync def books(data, ledger):\n    return 1\n"
    )
    Path("pair.json").write_text("[[0, 1], [0, 0]]")
    ran = touchstone("check", f"mine.py:{name}", "--pair", "pair.json", "--epsilon", "1")
    assert ran.one_line_error().startswith("touchstone: the mechanism returned a coroutine")


def test_what_was_meant_is_suggested(touchstone: Any) -> None:
    assert "did you mean wang-1 or" in touchstone("audit", "wang1").one_line_error()
    assert "did you mean wang-1 or" in touchstone("list", "Wang1").one_line_error()
    assert "did you mean wang-1 or" in touchstone("list", "WANG1").one_line_error()
    assert "known: diss-2" in touchstone("list", "xxxxxxxxxx").one_line_error()
    assert "did you mean 000 Theorem 4 or" in touchstone("proofs", "000 Thm 4").one_line_error()
    assert "did you mean wang-2/E3 or" in touchstone("errata", "wang2/E3").one_line_error()
    assert "did you mean wang-2" in touchstone("errata", "WANG2").one_line_error()


def test_progress_is_told_now_and_then_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(terminal, "LINE_SECONDS", 10.0)
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now)
    with terminal.progress_bar("checking") as advance:
        for done in range(1, 61):
            now += 1.0
            advance(done, 60, "")
        assert advance(0, 0, "with no end") is None
        now += 10.0
        advance(0, 0, "with no end")
    assert capsys.readouterr().err.splitlines() == [
        f"checking: {done} of 60, {done} s" for done in (10, 20, 30, 40, 50, 60)
    ] + ["checking with no end: 70 s"]


def test_proofs_tell_how_far_they_are_where_there_is_no_terminal(
    touchstone: Any, ledger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "LINE_SECONDS", 0.0)
    ledger(a_statement("Lemma 1", "true"), a_statement("Lemma 2", "true"))
    ran = touchstone("proofs", "--workers", "1", "--format", "json")
    told = [line.rpartition(", ")[0] for line in ran.err.splitlines()]
    assert told == [f"checking: {done} of 2" for done in (0, 1, 2)]
    assert len(json.loads(ran.out)["statements"]) == 2


def test_a_notebook_that_asks_for_colours_gets_them_and_no_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = io.StringIO()
    console = terminal._SafeConsole(file=shown, width=40)
    monkeypatch.setattr(terminal, "messages", console)
    with terminal.progress_bar("checking") as advance:
        advance(1, 2, "")
    assert shown.getvalue() == ""
    monkeypatch.setattr(terminal, "output", console)
    terminal.print_fields([("label", "a text that is longer than forty characters are")])
    console.print("[red]colour[/]")
    assert "than forty characters are" in shown.getvalue().splitlines()[0]
    assert "\x1b[" in shown.getvalue()


def test_a_bar_counts_only_what_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*progress: Any) -> str:
        shown = a_terminal(monkeypatch, "messages", width=100)
        with terminal.progress_bar("checking:") as advance:
            advance(*progress)
        return shown.getvalue()

    counted = drawn(7, 10, "counting the event")
    assert "checking: counting the event" in counted
    assert "7/10" in counted
    assert "left" in counted
    endless = drawn(0, 0, "searching the worst pair")
    assert "checking: searching the worst pair" in endless
    assert not re.search(r"0/|left", endless)


def test_list_shows_what_is_asked_for(touchstone: Any) -> None:
    for wanted in ("wang-1", "diss-7.2.55"):  # an alias
        ran = touchstone("list", wanted, "--format", "json")
        assert [item["id"] for item in json.loads(ran.out)["algorithms"]] == ["wang-1"]
    assert "zhang-1" not in touchstone("list", "wang-1").out


def test_an_inconclusive_check_has_a_status_of_its_own(touchstone: Any) -> None:
    Path("mine.py").write_text("def nothing(data, rng):\n    pass\n")
    Path("pair.json").write_text("[[0.3], [0.7]]")
    asked = ("check", "mine.py:nothing", "--pair", "pair.json", "--epsilon", "1")
    ran = touchstone(*asked, "--samples", "100")
    assert ran.status == 4
    assert "every run returned None" in ran.out


def test_rerun_of_a_file_that_is_no_witness_is_one_line(touchstone: Any) -> None:
    assert "no file" in touchstone("rerun", "nothing.json").one_line_error()
    for content, told in (
        ("", "broken.json cannot be read: it is empty"),
        ("{", "broken.json cannot be read: it is no JSON, line 1, column 2: "),
        ("[" * 100_000, "broken.json cannot be read: it is nested too deeply"),
        ("[]", "broken.json is neither a witness"),
        ('{"format": "touchstone-witness/1"}', "broken.json is broken ($: 'request' is a required"),
    ):
        Path("broken.json").write_text(content)
        assert told in touchstone("rerun", "broken.json").one_line_error()
    Path("wang-1.json").write_text("{")
    assert "wang-1.json is not a readable result (it is no JSON, line 1, column 2: " in (
        touchstone("rerun", "wang-1.json").one_line_error()
    )
    told = touchstone("rerun", "/dev/null").one_line_error()
    assert told == "touchstone: /dev/null cannot be read: it is no regular file"
    Path("audit.json").write_text('{"algorithms": {}}')  # the summary beside the results
    assert "neither" in touchstone("rerun", "audit.json").one_line_error()


def test_rerun_of_results_that_are_not_there_says_what_writes_them(
    touchstone: Any, as_expected: None
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
    touchstone("audit", "wang-1", "--workers", "1")
    for almost in ("wang-1", aliased):
        assert told(almost) == f"{almost} is no file; the results on wang-1 are in {named}"


def test_every_violated_verdict_has_its_command(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
        if unit.question == "accounting":
            return Verdict(unit.question, "violated", "too much", witness={"seed": 1})
        return Verdict(unit.question, "holds", "fine")

    monkeypatch.setattr(task, "ask", ask)
    ran = touchstone("audit", "wang-1", "--workers", "1", "--results", "my results")
    assert "touchstone rerun 'my results/wang-1.json' corrected/accounting" in ran.out
    page = Path("my results/report.html").read_text()
    result = json.loads(Path("my results/wang-1.json").read_text())
    for form in result["forms"]:
        command = f"touchstone rerun &#39;my results/wang-1.json&#39; {form}/accounting"
        assert f"<code>{command}</code>" in page
    ran = touchstone("rerun", "my results/wang-1.json", "printed/accounting")
    assert "does not fit the code" in ran.one_line_error()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("words", ["list", "--help"])
def test_a_full_disk_behind_standard_output_is_one_line(words: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m auditor {words} >/dev/full"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert "standard output cannot be written" in ran.stderr


@pytest.mark.parametrize("where", ["loop", "unwritable"])
def test_vectors_that_cannot_be_written_are_one_line(
    touchstone: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    Path("unwritable").mkdir()
    Path("unwritable/mechanisms").touch()
    ran = touchstone("vectors", "generate", "mechanisms/bit", "--vectors", where)
    assert "cannot be" in ran.one_line_error()
