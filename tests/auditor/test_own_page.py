"""Every mistake on the page "Audit your own algorithm" is noticed in the words that it says."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import auditor
import reference.privacy
from auditor.cli.new import new
from auditor.cli.scaling import scaling
from auditor.core.verdict import QUESTIONS
from auditor.suite.plan import CORRECTED, AuditUnit, number_of_tests
from auditor.suite.store import Settings
from auditor.suite.task import answer

PAGE = (Path(__file__).parents[2] / "docs/how-to/audit-your-own.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", flags=re.DOTALL)
NAME = "my_mean"


@dataclass(frozen=True)
class Mistake:
    """A changed line, and what an audit says of it."""

    question: str
    changes: tuple[tuple[str, str], ...]
    says: str


def mistakes() -> Iterator[Mistake]:
    """Yield them in the page's order: the blocks before the one that says what is noticed."""
    before: list[tuple[str, str]] = []
    section = PAGE.partition("## One mistake after the other")[2].partition("## Bring it")[0]
    for kind, text in BLOCK.findall(section):
        if kind == "text":
            yield Mistake(text.partition(":")[0], tuple(before), " ".join(text.split()))
            before = []
        else:
            before.append((kind, text))


MISTAKES = {mistake.question: mistake for mistake in mistakes()}


def test_every_question_has_its_mistake() -> None:
    assert set(MISTAKES) == set(QUESTIONS)
    assert len(list(mistakes())) == len(QUESTIONS)
    assert all(len(mistake.says) > 60 for mistake in MISTAKES.values())


def patched(folder: Path, text: str) -> None:
    """Change files as a diff says, whose hunks stand once in the file."""
    for part in re.split(r"^--- ", text, flags=re.MULTILINE)[1:]:
        name, _, hunks = part.partition("\n")
        for hunk in hunks.split("@@\n"):
            lines = hunk.splitlines(keepends=True)
            old = "".join(line[1:] for line in lines if line[0] in "- ")
            new = "".join(line[1:] for line in lines if line[0] in "+ ")
            written = (folder / name).read_text(encoding="utf-8")
            assert written.count(old) == 1, old
            (folder / name).write_text(written.replace(old, new), encoding="utf-8")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that ``touchstone new`` writes, from which modules can be imported."""
    begun = CliRunner().invoke(new, [NAME, "--in", str(tmp_path)])
    assert begun.exit_code == 0, begun.output
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / NAME
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


def asked(question: str) -> str:
    """Return what the audit says to one question about the right form."""
    build = import_module(f"{NAME}.cases").CASES["my-mean"]
    case = build()
    tests = number_of_tests(case, CORRECTED)
    context = Settings().context(tests).at("my-mean", CORRECTED)
    [(_, verdict, _)] = answer(build, [AuditUnit("my-mean", CORRECTED, question)], context, True)
    return f"{question}: {verdict.status}: {verdict.summary}"


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_mistake_is_noticed_in_these_words(package: Path, question: str) -> None:
    mistake = MISTAKES[question]
    for kind, text in mistake.changes:
        if kind == "diff":
            patched(package, text)
        else:
            name = re.match(rf"# {NAME}/(\w+\.py)\n", text)
            assert name is not None
            (package / name[1]).write_text(text, encoding="utf-8")
    assert asked(question).startswith(mistake.says)


def test_the_stable_names_are_the_public_ones() -> None:
    table = PAGE.partition("## What is stable")[2]
    named = {
        name
        for row in re.findall(r"^\| .*$", table, re.MULTILINE)[1:]
        for name in re.findall(r"`(\w+)`", row)
    }
    of_checks = {
        "CanaryMeasurement", "CheckResult", "InputError", "Measurement", "Program", "Rerun",
        "check", "check_samples", "conform", "measure", "measure_canaries", "measure_samples",
        "rerun",
    }  # fmt: skip
    assert named == set(auditor.PLACES) - of_checks
    assert {"Ledger", "PureDP", "open_ledger"} <= set(reference.privacy.__all__)


RATE = PAGE.partition("## A rate alone")[2].partition("\n## ")[0]


def test_a_rate_alone_is_answered_as_the_page_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    snippet, marked = (text for kind, text in BLOCK.findall(RATE) if kind == "python")
    exec(compile(snippet, "the page", "exec"), {})
    said = re.findall(r"^print\(.*\)  # (.*)$", snippet, flags=re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said
    (tmp_path / "mine.py").write_text(snippet.partition("\n\nfound")[0])
    (command,) = re.findall(r"^    touchstone scaling mine.py:(.*)$", RATE, flags=re.MULTILINE)
    words = [f"{tmp_path / 'mine.py'}:{command.split()[0]}", *command.split()[1:]]
    found = CliRunner().invoke(scaling, words)
    assert found.exit_code == 0, found.output
    (tmp_path / "test_it.py").write_text(marked)
    again = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in again.stdout, again.stdout
