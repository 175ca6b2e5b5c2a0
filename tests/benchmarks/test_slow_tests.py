"""The list of slow tests: made of what was measured, and of tests that there are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks.slow_tests import Seconds, slow

TESTS = Path(__file__).parents[1]


@cache
def source(path: Path) -> str:
    return path.read_text("utf-8")


def test_every_slow_function_is_there() -> None:
    listed = (TESTS / "slow.txt").read_text("utf-8").splitlines()
    assert listed == sorted(set(listed))
    for name in listed:
        file, *_, function = name.partition("[")[0].split("::")
        assert f"def {function}(" in source(TESTS.parent / file), name


def test_the_longest_functions_are_slow_and_single_cases_of_the_others() -> None:
    quick = {f"t.py::quick[{case}]": 0.01 for case in range(200)}
    seconds = {**quick, "t.py::long[1]": 6.0, "t.py::long[2]": 4.0, "t.py::quick[x]": 1.0}
    assert slow(seconds, left=3.5) == ["t.py::long", "t.py::quick[x]"]
    assert slow(seconds, left=20.0) == []
    assert slow(seconds, left=1.0) == ["t.py::long", "t.py::quick"]


def _report(name: str, when: str, duration: float, shared: float = 0.0) -> pytest.TestReport:
    properties = [("shared", shared)] if when == "call" else []
    outcome = ("t.py", 1, name)
    return pytest.TestReport(
        name, outcome, {}, "passed", None, when, duration=duration, user_properties=properties
    )


def test_what_tests_share_counts_for_each_and_once_in_all() -> None:
    seconds = Seconds()
    for report in (
        _report("first", "setup", 5.0),
        _report("first", "call", 1.0, shared=5.0),
        _report("second", "setup", 0.0),
        _report("second", "call", 2.0, shared=5.0),
    ):
        seconds.pytest_runtest_logreport(report)
    assert seconds.of == {"first": 6.0, "second": 7.0}
    assert seconds.total == 8.0
