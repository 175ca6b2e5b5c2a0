"""Start and end of every command: exit statuses, closed ends, terminals, bad input."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from auditor import cli
from auditor.cli import terminal
from auditor.cli.status import IN_WORDS

LEAVING = """
import os

from own_mean.cases import CASES, ENTRIES

own = CASES["own-mean"]


def build():
    if os.fork() == 0:  # whose end is none of this process
        os._exit(0)
    LEAVE
    return own()


CASES = {"own-mean": build}
"""


@pytest.mark.parametrize("where", ["build", "run"])
def test_what_ends_the_process_of_an_audit_does_not_choose_its_status(
    touchstone: Any, in_a_shell: Any, where: str
) -> None:
    assert touchstone("new", "own_mean").status == 0
    leaving, algorithm = Path("leaving.py"), Path("own_mean/algorithm.py")
    leaving.write_text(LEAVING.replace("LEAVE", "os._exit(1)" if where == "build" else "pass"))
    if where == "run":
        text, release = algorithm.read_text(), "    return float(ledger.laplace("
        assert release in text
        ends = "    __import__('os')._exit(0)\n"
        algorithm.write_text(text.replace(release, f"{ends}{release}"))
    ran = in_a_shell("-m auditor audit --cases leaving.py --workers 1")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"with os._exit({int(where == 'build')})" in ran.stderr.splitlines()[-1]


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


def test_an_internal_error_has_a_status_of_its_own(
    touchstone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("of our own making")

    assert f"Exit status: {IN_WORDS}." in " ".join(touchstone("--help").out.split())
    monkeypatch.setattr("auditor.suite.algorithms.entries", fail)
    ran = touchstone("list")
    assert ran.status == 3
    assert ran.err.startswith("touchstone: internal error, ZeroDivisionError: of our own making;")


def test_alone_it_prints_its_help(touchstone: Any) -> None:
    ran = touchstone()
    assert ran.status == 0
    assert "\nCommands:\n  audit " in ran.out
    assert not ran.err


# --------------------------------------------------------------------- processes and pipes


@pytest.mark.parametrize(
    ("command", "status", "end"),
    [
        ("list", 0, ">&-"),
        ("list", 0, "| true"),
        ("check noisy.py:noisy", 1, "2>&-"),
        ("check noisy.py:noisy", 1, "| head -1"),
    ],
)
def test_a_closed_end_changes_neither_the_status_nor_the_peace(
    in_a_shell: Any, command: str, status: int, end: str
) -> None:
    words = f"{command} --pair pair.json --epsilon 1" if status else command
    ran = in_a_shell(f"-m auditor {words} {end}")
    assert ran.returncode == status
    assert not re.search("Traceback|Error", ran.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("words", ["list", "--help"])
def test_a_full_disk_behind_standard_output_is_one_line(in_a_shell: Any, words: str) -> None:
    ran = in_a_shell(f"-m auditor {words} >/dev/full")
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert "standard output cannot be written" in ran.stderr


def test_a_terminal_without_the_symbols_gets_letters(in_a_shell: Any) -> None:
    command = "-m auditor check noisy.py:noisy --pair pair.json --epsilon 1"
    ran = in_a_shell(command, PYTHONIOENCODING="ascii")
    assert ran.stdout.startswith("V violated")
    assert "the same command with --witness FILE" in ran.stderr


@pytest.mark.parametrize(("option", "said"), [("--version", "touchstone "), ("--help", "Usage: ")])
def test_it_answers_before_anything_slow_is_imported(
    in_a_shell: Any, option: str, said: str
) -> None:
    ran = in_a_shell(f"-X importtime -m auditor {option}")
    assert ran.returncode == 0
    assert ran.stdout.startswith(said)
    imported = {line.split("|")[-1].strip() for line in ran.stderr.splitlines()}
    assert "click" in imported
    assert not imported & {"numpy", "scipy", "joblib", "reference", "auditor.suite.store"}


STATEMENT = "auditor.cli.touchstone(['proofs', '002 Lemma 3.1'], standalone_mode=False)"


@pytest.mark.parametrize(
    ("source", "there", "needless"),
    [
        pytest.param(
            f"import auditor.cli; {STATEMENT}",
            {"proofs_checks.paper_002.section_3_1", "sympy"},
            {"scipy.stats", "scipy.optimize", "jsonschema", "proofs_checks.paper_004"},
            id="one statement is checked before what others need is imported",
        ),
        pytest.param(
            "import auditor.suite.proofs",
            {"proofs_checks.statement"},
            {"sklearn", "auditor.suite.conclude", "auditor.suite.plan"},
            id="the ledger of statements is read without the suite",
        ),
    ],
)
def test_no_more_is_imported_than_needed(source: str, there: set[str], needless: set[str]) -> None:
    line = f"{source}; import sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    imported = set(ran.stdout.split())
    assert there <= imported
    assert [
        name for name in imported if f"{name}.".startswith(tuple(f"{n}." for n in needless))
    ] == []


# ------------------------------------------------------------------------------- bad input


BAD = """
nonsense                                      | No such command
audit --nonsense                              | No such option
audit --tier huge                             | 'huge' is not one of
audit --seed -1                               | -1 is not in the range
audit --confidence 1                          | not in the range
audit --confidence nan                        | not in the range
audit --workers 0                             | 0 is not in the range
audit --results file/below wang-1             | cannot write file/below
audit --results file wang-1                   | is a file
report                                        | no results in results; run `touchstone audit` first
proofs 'no such statement'                    | no statement belongs to 'no such statement'
vectors generate mechanisms/bit --vectors loop       | cannot be
vectors generate mechanisms/bit --vectors unwritable | cannot be

audit wang-99      | unknown algorithm 'wang-99'; did you mean wang-
audit wang1        | did you mean wang-1 or
list Wang1         | did you mean wang-1 or
list WANG1         | did you mean wang-1 or
list xxxxxxxxxx    | known: diss-2
proofs '000 Thm 4' | did you mean 000 Theorem 4 or
errata wang2/E3    | did you mean wang-2/E3 or
errata wang2       | did you mean wang-2 or
errata WANG2       | did you mean wang-2

check                                            | give either TARGET
check math:sqrt --epsilon nan                    | not in the range
check math:sqrt --samples 0                      | not in the range
check math:sqrt --kind rng --epsilon 1           | give the data sets: --pair
check math:sqrt --kind rng --domain scalar:0,1   | --epsilon, --rho
ON-PAIR --rho 1                                  | make one claim, not --epsilon and --rho
ON-PAIR --samples 5                              | --samples must be a whole number from 16
ON-PAIR --timeout 1e308                          | not in the range
ON-PAIR --timeout HUGE                           | not in the range
ON-PAIR --call-timeout 1e308                     | not in the range
ON-PAIR --samples HUGE                           | not in the range
ON-PAIR --samples 2199023255552                  | not in the range
ON-PAIR --seed HUGE                              | not in the range
ON-PAIR --epsilon HUGE                           | not
ON-PAIR --workers HUGE                           | not in the range
ON-PAIR --records HUGE                           | not in the range
check math:sqrt --kind rng --pair far.json --epsilon 1 | --relation any vouches

ON l2:1e9,1          | at most 1000000
ON box:1e300,0,1     | at most 1000000
ON binary:1e7        | at most 1000000
ON counts:1e9,3      | at most 1000000
ON counts:3,1e9      | at most 1000000
ON l2:2.5,1          | is no domain; known
ON l2:nan,1          | is no domain; known
ON l3:1              | is no domain; known
ON l2:inf,1          | is no domain; known
ON l2                | 'l2' is no domain; known
ON l2:               | 'l2:' is no domain; known
ON l2:HUGE,1         | is no domain; known
ON scalar:0,HUGE     | give finite LOW < HIGH
ON scalar:1,0        | LOW < HIGH, got 1 and 0
ON scalar:1,1        | LOW < HIGH
ON box:3,2,1         | LOW < HIGH
ON linf:3,0          | LOW < HIGH
ON table             | name the file of the table, table:FILE.csv
ON table:            | name the file of the table, table:FILE.csv
ON table:.           | . cannot be read as a table: it is a folder
ON table:/dev/null   | /dev/null cannot be read as a table: it is no regular file
ON table:/dev/zero   | it is no regular file
"""
"""Commands and what they say; ON and ON-PAIR check ``noisy.py:noisy`` for epsilon 1."""

SHORT = {
    "ON-PAIR": "check noisy.py:noisy --pair pair.json --epsilon 1",
    "ON": "check noisy.py:noisy --epsilon 1 --domain",
    "HUGE": "1" + 400 * "0",
}


@pytest.mark.parametrize("line", [" ".join(line.split()) for line in BAD.splitlines() if line])
@pytest.mark.usefixtures("forked", "noisy")
def test_bad_input_is_one_line_and_exit_status_2(touchstone: Any, line: str) -> None:
    Path("file").write_text("")
    Path("far.json").write_text("[[0, 0, 0], [0, 1, 1]]")
    Path("loop").symlink_to("loop")
    Path("unwritable").mkdir()
    Path("unwritable/mechanisms").touch()
    command, _, message = line.partition(" | ")
    words = re.sub(r"\b(?:ON-PAIR|ON|HUGE)\b", lambda name: SHORT[name[0]], command)
    assert message in touchstone(*shlex.split(words)).one_line_error()


# -------------------------------------------------------------------------------- consoles


def test_letters_differ_from_one_another_and_the_legend_tells_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert len(set(terminal.LETTERS.values())) == len(terminal.LETTERS) == len(terminal.SYMBOLS)
    assert "?" not in terminal.LETTERS.values()
    monkeypatch.setattr(terminal, "output", Console(file=io.TextIOWrapper(io.BytesIO(), "ascii")))
    assert terminal.legend().startswith(
        "H holds   V violated   VE2 violated, as erratum E2 says   I inc"
    )


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


def test_a_bar_counts_only_what_has_an_end(a_terminal: Any) -> None:
    def drawn(*progress: Any) -> str:
        shown: io.StringIO = a_terminal("messages", width=100)
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
