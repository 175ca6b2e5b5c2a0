"""Random one-line mutants: which tests reach them, and what is said of each."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from auditor.conformance.mutants import Mutant, mutants_of
from benchmarks import mutant_trials, one_line_mutants
from benchmarks.mutant_coverage import Coverage, coverage, mark, marked, place, record
from benchmarks.mutant_trials import NO_ANSWER, exchange, forked
from benchmarks.one_line_mutants import (
    SURVIVES,
    UNREACHED,
    Trials,
    by_files,
    by_seconds,
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
        steps += -1
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
    return {str(mutant).partition(":")[2]: word for mutant, word in found.items()}


def test_every_mutant_of_a_small_project_gets_its_verdict(said):
    total, child = (f"tests/test_sums.py::test_{name}" for name in ("total", "child"))
    assert said == {
        "3: 5 -> 6": total,  # at import
        "4: 7 -> 8": SURVIVES,
        "9: 2 -> 3": total,
        "9: 2 * value -> (2 / value)": total,
        "14: value + 1 -> (value - 1)": child,
        "14: 1 -> 2": child,
        "18: steps > 0 -> (steps >= 0)": SURVIVES,
        "18: 0 -> 1": SURVIVES,
        "19: -1 -> (1)": NO_ANSWER,
        "19: 1 -> 2": SURVIVES,
    }


MARKED = """from __future__ import annotations

TABLE = {-1: lambda x: x + 1}


def pair(a, b):
    '''Return a pair.'''
    c, d = a + 1, b * (a - 1)
    return c, f"{d:{b + 3}}"


def lines(a):
    if not (
        a
        and pair(a, 9)[0] > 1
    ):
        return None
    return [x * x for x in range(a)]


result = pair(4, 5), lines(0), lines(3), TABLE[-1](8)
"""


def test_marks_change_no_value_and_no_line_and_see_every_expression():
    mutants = list(enumerate(mutants_of("", MARKED)))
    source = marked(MARKED, mutants)
    assert source.count("\n") == MARKED.count("\n")
    reached: set[int] = set()
    right: dict[str, Any] = {}
    exec(MARKED, right)
    found: dict[str, Any] = {"_reached": reached.add}
    exec(source.replace("; from mutant_marks import reached as _reached", ""), found)
    assert found["result"] == right["result"] == ((5, "      15"), None, [0, 1, 4], 9)
    assert {number for number in reached if number >= 0} == dict(mutants).keys()
    # and of what is evaluated at import, the functions of the module
    assert {-1 - number for number in reached if number < 0} == {
        number for number, mutant in mutants if not mutant.function
    }


def test_what_is_evaluated_before_a_test_runs_is_loaded_with_each_mutant():
    inside = Mutant("a.py", 1, 0, 1, "0", "1", function="f")
    outside = Mutant("a.py", 2, 0, 1, "0", "1")
    known = Coverage()
    known.seconds.update({"t.py::test_a": 1.0, "t.py::test_b": 1.0, "u.py::test_c": 1.0})
    known.tests[place(inside)] = {"t.py::test_a"}
    assert not known.at_import(inside)
    assert known.tests_of(inside) == ({"t.py::test_a"}, {"t.py::test_b"})
    known.tests[place(inside)] |= {"u.py"}
    assert known.at_import(inside)
    assert known.tests_of(inside) == ({"t.py::test_a"}, {"t.py::test_b", "u.py::test_c"})
    known.users[place(outside)] = {"u.py::test_c"}
    assert known.at_import(outside)
    assert known.tests_of(outside) == ({"u.py::test_c"}, set())


def test_cheap_tests_are_first_and_those_of_a_file_together():
    seconds = {"a::1": 0.002, "b::1": 0.003, "a::2": 0.004, "b::2": 7.0, "c::1": 0.15}
    seconds |= {"d::1": 0.09, "d::2": 0.08}
    expected = ["b::1", "a::1", "a::2", "d::1", "d::2", "c::1", "b::2"]
    assert cheapest_first(seconds, seconds) == expected


def test_tests_are_split_by_the_time_they_take_together() -> None:
    seconds = {"a": 0.01, "b": 0.08, "c": 0.02, "d": 0.8, "e": 0.2, "f": 300.0, "g": 1.0}
    found = by_seconds(list(seconds), seconds)
    assert found == [["a", "b"], ["c", "d"], ["e"], ["f", "g"]]
    assert by_seconds([], seconds) == []


def test_files_that_have_to_be_loaded_are_taken_one_two_and_four_at_a_time():
    tests = ["a::1", "b::1", "a::2", "c::1", "d::1", "b::2"]
    assert by_files(tests) == [["a::1", "a::2"], ["b::1", "c::1", "b::2"], ["d::1"]]


def test_a_test_that_fails_without_the_mutant_too_is_left_out(monkeypatch, tmp_path):
    asked = []

    def run(self, tests, sources, *, loaded):
        asked.append((list(tests), sources[2]))
        return tests[0] if tests[0] == "wrong" or (tests[0] == "right" and sources[2]) else ""

    monkeypatch.setattr(Trials, "_run", run)
    (tmp_path / "a.py").write_text("0\n", "utf-8")
    trials = Trials(tmp_path, Coverage(), 9.0)
    mutant = Mutant("a.py", 1, 0, 1, "0", "1", function="f")
    assert trials._first_failure(mutant, ["wrong", "right"]) == "right"
    assert asked == [
        (["wrong", "right"], "1\n"),
        (["wrong"], ""),
        (["right"], "1\n"),
        (["right"], ""),
    ]
    assert (tmp_path / "a.py").read_text("utf-8") == "0\n"


def test_a_mutant_that_no_test_reaches_is_told_apart(tmp_path):
    assert Trials(tmp_path, Coverage(), 9.0).of(Mutant("a.py", 1, 0, 1, "0", "1")) == UNREACHED


def test_survivors_are_put_to_the_vectors_and_to_the_audit_of_their_algorithm():
    audit = ("audit", "diss-3.3.9", "--results", "results")
    assert commands("auditor/described/pairwise/online.py") == [audit]
    assert commands("reference/pairwise/online.py") == [("vectors", "verify"), audit]
    assert commands("reference/privacy/curves.py") == [("vectors", "verify")]
    assert commands("auditor/events/scores.py") == []


def test_a_fork_ends_in_time_with_all_that_it_started(tmp_path):
    late = tmp_path / "late"

    def start():
        subprocess.Popen(["sh", "-c", f"sleep 1; touch {late}"])
        return "said"

    assert forked(start, 30.0) == "said"
    assert forked(lambda: "", 30.0) == ""
    assert forked(lambda: str(time.sleep(30)), 0.2) == NO_ANSWER
    assert forked(lambda: str(1 // 0), 30.0) == "ZeroDivisionError in the trial"
    assert forked(lambda: os._exit(3), 30.0) == "the process ended"
    time.sleep(1.2)
    assert not late.exists()


def test_code_is_exchanged_in_place_also_within_functions_and_not_missed():
    names: dict[str, Any] = {}
    old = "def f(n=9):\n    for i in range(n): n += i * 2\n    return [n + 1 for _ in '1']\ng = f\n"
    exec(compile(old, "a.py", "exec"), names)
    for _ in range(100):  # until the interpreter has specialised it
        names["f"]()
    exchange([names["f"]], old, old.replace("n + 1", "n - 1"), "a.py")
    assert names["g"]() == [80]
    with pytest.raises(LookupError):
        exchange([names["f"]], old + "h = 1\n", old + "h = 2\n", "a.py")
    exchange([], old, old, "b.py")  # not loaded yet
