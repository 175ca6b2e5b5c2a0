"""Algorithms of others are audited, listed, reported and rerun as the papers' are."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.suite.store import validate

ROOT = Path(__file__).parents[2]


def run_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "auditor", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an algorithm that was begun and audited there."""
    folder = tmp_path_factory.mktemp("home")
    begun = run_in(folder, "new", "own_mean")
    assert begun.returncode == 0, begun.stderr
    commands = [line.strip() for line in begun.stdout.splitlines()[1:]]
    assert commands == [
        "touchstone audit --cases own_mean/cases.py",
        "python -m pytest own_mean",
    ]
    audited = run_in(folder, *shlex.split(commands[0])[1:], "--workers", "2")
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert "nothing unexpected" in audited.stdout
    assert "from own_mean/cases.py: own-mean" in audited.stdout
    return folder


@pytest.fixture
def forgetful(touchstone: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Yield a function that runs the command line here; the package is forgotten afterwards."""
    monkeypatch.setattr(sys, "path", [*sys.path])  # --cases adds a folder
    yield touchstone
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_mean"]:
        del sys.modules[name]


@pytest.fixture
def at_home(home: Path, forgetful: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that runs the command line in the folder ``home``."""
    monkeypatch.chdir(home)
    return forgetful


def test_what_is_begun_is_five_files_that_pass_their_tests_and_the_linter(home: Path) -> None:
    texts = {path.stem: path.read_text() for path in (home / "own_mean").glob("*.py")}
    assert sorted(texts) == ["__init__", "algorithm", "cases", "printed", "test_algorithm"]
    assert not any("my_algorithm" in text or "my-algorithm" in text for text in texts.values())
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "own_mean"]
    ran = subprocess.run(tests, cwd=home, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    options = ["--config", str(ROOT / "pyproject.toml"), "--ignore", "D103", "own_mean"]
    for words in (["check", *options], ["format", "--check", *options[:2], "own_mean"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *words], cwd=home, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_all_ten_questions_have_an_answer(home: Path) -> None:
    stored = json.loads((home / "results/audit.json").read_text())
    validate(stored, "audit")
    assert stored["origins"] == {"own-mean": "own_mean/cases.py"}
    corrected = stored["algorithms"]["own-mean"]["corrected"]
    assert {verdict["status"] for verdict in corrected.values()} == {"holds"}
    assert len(corrected) == 10
    mutants = corrected["mutants"]["evidence"]["mutants"]
    assert mutants["clipping dropped"]["flagged_by"] == ["sensitivity"]


def test_the_same_command_asks_nothing_again(home: Path, at_home: Any) -> None:
    before = (home / "results/own-mean.json").stat().st_mtime_ns
    again = at_home("audit", "own-mean", "--cases", "own_mean/cases.py", "--workers", "1")
    assert again.status == 0, again.err
    assert (home / "results/own-mean.json").stat().st_mtime_ns == before


def test_it_is_listed_with_where_it_comes_from(at_home: Any) -> None:
    shown = at_home("list", "own-mean", "--cases", "own_mean/cases.py")
    assert shown.status == 0, shown.err
    assert "from        own_mean/cases.py" in shown.out
    assert "corrected: 10 holds; printed: 3 holds, 3 violated" in shown.out
    found = at_home("list", "--cases", "own_mean/cases.py", "--format", "json")
    listed = json.loads(found.out)
    validate(listed, "list")
    origins = {item["id"]: item["origin"] for item in listed["algorithms"]}
    assert origins.pop("own-mean") == "own_mean/cases.py"
    assert set(origins.values()) == {None}


def test_its_violation_shows_again_by_the_printed_command(at_home: Any) -> None:
    audited = at_home("audit", "--cases", "own_mean/cases.py", "--workers", "1")
    (line,) = [line for line in audited.out.splitlines() if "touchstone rerun" in line]
    shown = at_home(*shlex.split(line.partition("touchstone ")[2]))
    assert shown.status == 0, shown.err
    assert "own-mean, printed/sensitivity: shows again" in shown.out
    unknown = at_home("rerun", "results/own-mean.json")
    assert unknown.status == 2
    assert "of an algorithm of your own, give --cases" in unknown.err


def test_its_report_says_where_it_comes_from(at_home: Any) -> None:
    made = at_home("report", "--cases", "own_mean/cases.py")
    assert made.status == 0, made.err
    text = Path("results/report.html").read_text()
    assert "<h3>From own_mean/cases.py</h3>" in text
    assert "--cases own_mean/cases.py" in text
    without = at_home("report")
    assert without.status == 2
    assert "left out, without --cases: own-mean" in without.err


def test_an_installed_package_is_known_everywhere(
    home: Path, tmp_path: Path, forgetful: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = home / "dp_own-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dp-own\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text("[touchstone.cases]\nown = own_mean.cases\n")
    shutil.copytree(home / "results", tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(home)
    audited = forgetful("audit", "dp-own", "--workers", "1")
    assert audited.status == 0, audited.out + audited.err
    assert "from dp-own 1.5: own-mean" in audited.out
    shown = forgetful("rerun", "results/own-mean.json", "printed/sensitivity")
    assert shown.status == 0, shown.err
    # a file is asked for alone, and goes before what is installed
    path = str(home / "own_mean/cases.py")
    listed = forgetful("list", "own-mean", "--cases", path)
    assert f"from        {path}" in listed.out
    assert not listed.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own_mean", "own_mean exists; choose another name"),
        ("hu_1", "hu-1 is an algorithm of the papers"),
        ("json", "'json' is the name of another module"),
        ("My-mean", "a name is small letters, digits and _"),
        ("class", "a name is small letters, digits and _"),
        ("ledger", "'ledger' means something else in these files"),
    ],
)
def test_a_name_that_would_not_work_is_one_line(
    touchstone: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own_mean").mkdir()
    ran = touchstone("new", name)
    assert message in ran.one_line_error()
    assert not ran.out


def test_a_file_with_a_mistake_is_one_line(
    touchstone: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad_cases.py").write_text("ENTRIES = ()\nCASES = {}\n")
    for command in ("audit", "list", "report"):
        said = touchstone(command, "--cases", "bad_cases.py").one_line_error()
        assert said == "touchstone: bad_cases.py has no algorithm in ENTRIES"
