"""Random one-line mutants: which tests reach them, and what is said of each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.conformance.mutants import mutants_of
from benchmarks import mutant_trials, one_line_mutants
from benchmarks.mutant_coverage import Coverage, coverage, mark, marked, place, record
from benchmarks.mutant_trials import NO_ANSWER, forked
from benchmarks.one_line_mutants import (
    ROOT,
    SURVIVES,
    UNREACHED,
    cheapest_first,
    commands,
    drawn,
    try_all,
)

SUMS = """from __future__ import annotations

START = 5
UNUSED = 7


def total(values, more=()):
    result = START
    for value in values: result += 2 * value
    return result, more


def unread(value):
    return value + 1


def slowly(steps):
    while steps > 0:
        steps -= 1
"""

TESTS = """import subprocess, sys
from package import sums


def test_total():
    assert sums.total([1, 2]) == (11, ())


def test_child():
    ran = "from package import sums; assert sums.unread(1) == 2"
    subprocess.run([sys.executable, "-c", ran], check=True)


def test_end():
    sums.slowly(3)


def test_wrong():
    sums.total([])
    assert 1 - 1
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small project with a module and its tests."""
    root = tmp_path_factory.mktemp("project")
    for name, text in (
        ("package/__init__.py", ""),
        ("package/sums.py", SUMS),
        ("tests/test_sums.py", TESTS),
        ("benchmarks/__init__.py", ""),
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    shutil.copy(mutant_trials.__file__, root / "benchmarks")
    return root


@pytest.fixture(scope="module")
def said(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what is said of every mutant of the project."""
    folder = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_line_mutants, "ROOT", project)
        patch.setattr(one_line_mutants, "commands", lambda path: [])
        patch.setattr(one_line_mutants, "LEAST", 4.0)
        chosen = drawn("package", 100, 0)
        with one_line_mutants.copied() as tree:
            mark(tree, chosen, folder)
            record(tree, [])
        found = try_all(chosen, folder, 300.0)
        assert try_all(chosen, folder, 300.0) == found  # without a trial: it is kept
    assert len(coverage(folder).seconds) == 4
    return {str(mutant).partition(" ")[2]: word for mutant, word in found.items()}


@pytest.mark.slow
def test_every_mutant_of_a_small_project_gets_its_verdict(said):
    total, child, end = (f"tests/test_sums.py::test_{name}" for name in ("total", "child", "end"))
    assert said == {
        "5 -> 6": total,  # at import
        "7 -> 8": SURVIVES,
        "2 -> 3": total,
        "2 * value -> (2 / value)": SURVIVES,
        "value + 1 -> (value - 1)": child,
        "1 -> 2": child,
        "steps > 0 -> (steps >= 0)": SURVIVES,
        "0 -> 1": SURVIVES,
        "steps -> steps": end,
    }


MARKED = """from __future__ import annotations


def pair(a, b):
    \"\"\"Return a pair.\"\"\"
    c, d = a + 1, b * (a - 1)
    return c, f"{d:{b}}"


def lines(a):
    if not (
        a
        and pair(a, 9)[0] > 1
    ):
        return None
    return [x * x for x in range(a)]


TABLE = {-1: lambda x: x + 1}
"""


def test_marks_change_no_value_and_no_line():
    mutants = list(enumerate(mutants_of("", MARKED)))
    source = marked(MARKED, mutants)
    assert source.count("\n") == MARKED.count("\n")
    reached: list[int] = []
    names, twin = {"__name__": "one"}, {"__name__": "two"}
    code = source.replace("; from mutant_marks import reached as _reached", "")
    exec(compile(code, "one", "exec"), names | {"_reached": reached.append}, names)
    assert reached
