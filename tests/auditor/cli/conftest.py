"""Parts shared by the tests of the commands."""

from __future__ import annotations

import io
import math
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auditor import cli
from auditor.cli import terminal
from auditor.core.case import Case
from auditor.core.context import Context
from auditor.core.verdict import Verdict
from auditor.suite import task
from auditor.suite.plan import AuditUnit
from auditor.transcript.shared import SharedRuns

Answer = Callable[[Case, AuditUnit], Verdict]
NOISY = """
def noisy(data, rng):
    return sum(data) + rng.laplace(scale=0.2)
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(terminal, "LINE_SECONDS", math.inf)  # however slow the machine is


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answer], None]:
    """Return what has a function answer every question of an audit."""

    def use(answer: Answer) -> None:
        def ask(case: Case, unit: AuditUnit, context: Context, runs: SharedRuns) -> Verdict:
            return answer(case, unit)

        monkeypatch.setattr(task, "ask", ask)

    return use


@pytest.fixture
def as_expected(answers: Callable[[Answer], None], as_the_catalogue_says: Answer) -> Answer:
    """Answer every question as the catalogue expects, at once."""
    answers(as_the_catalogue_says)
    return as_the_catalogue_says


@pytest.fixture(scope="module")
def an_audit(tmp_path_factory: pytest.TempPathFactory, as_the_catalogue_says: Answer) -> Path:
    """The results of an audit of wang-1, answered as expected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("audited"))
        patch.setattr(task, "ask", as_the_catalogue_says)
        ran = CliRunner().invoke(cli.touchstone, ["audit", "wang-1", "--workers", "1"])
        assert ran.exit_code == 0, ran.output
        return Path("results").resolve()


@pytest.fixture
def audited(an_audit: Path, as_expected: Answer) -> None:
    """Put these results where the commands look for them."""
    shutil.copytree(an_audit, "results")


@pytest.fixture
def noisy() -> None:
    """Write ``noisy.py``, whose epsilon is 5, and ``pair.json``."""
    Path("noisy.py").write_text(NOISY)
    Path("pair.json").write_text("[[0, 1], [0, 0]]")


@pytest.fixture
def in_a_shell(noisy: None) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return what runs the words after ``python`` on a shell's line."""

    def run(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"{shlex.quote(sys.executable)} {command}"],
            env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2]), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., io.StringIO]:
    """Return what puts a terminal in a console's place, and returns what that shows."""

    def make(name: str, **options: Any) -> io.StringIO:
        shown = io.StringIO()
        monkeypatch.setattr(shown, "isatty", lambda: True)
        console = terminal._SafeConsole(file=shown, color_system=None, **options)
        monkeypatch.setattr(terminal, name, console)
        return shown

    return make
