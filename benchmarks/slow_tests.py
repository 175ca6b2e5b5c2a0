"""Measure the tests and write down which of them are slow: ``tests/slow.txt``.

    python benchmarks/slow_tests.py

Slow are the test functions whose cases take longest, so many that the others take a tenth of the
time of all; and of these others each case that takes ten times what the cases of any of them take
in the mean. A fixture that tests share counts for each of them: without the others one of them
would wait for it. The file has no seconds in it, so that it depends little on the machine. Let
nothing else run meanwhile.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARE, TIMES = 0.1, 10.0
"""Share of all time that quick functions take; times their limit that one of their cases takes."""

_shared: dict[str, float] = {}
"""In a process that runs tests: what each fixture took that outlives a test."""


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object],
) -> Iterator[None]:
    """Measure a fixture that outlives a test."""
    start = time.perf_counter()
    made = yield
    if fixturedef.scope != "function":
        _shared[fixturedef.argname] = time.perf_counter() - start
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Tell the process that counts what the fixtures took that a test shares."""
    report = yield
    if report.when == "call":
        names = getattr(item, "fixturenames", ())
        report.user_properties.append(("shared", sum(_shared.get(name, 0.0) for name in names)))
    return report


class Seconds:
    """A plugin that adds up what every test takes, on whichever process.

    Attributes
    ----------
    of : dict
        Seconds of each test, what it shares included.
    total : float
        Seconds of all, what is shared counted once.
    """

    def __init__(self) -> None:
        self.of: dict[str, float] = defaultdict(float)
        self.total = 0.0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a phase of a test; its preparation as that which it shares, if that is more."""
        self.total += report.duration
        self.of[report.nodeid] += report.duration
        shared = float(dict(report.user_properties).get("shared", 0.0))
        if report.when == "call" and self.of[report.nodeid] < shared + report.duration:
            self.of[report.nodeid] = shared + report.duration


def slow(seconds: Mapping[str, float], left: float) -> list[str]:
    """Return the slow functions, if the others may take so long, and the slow cases of these."""
    functions: dict[str, dict[str, float]] = defaultdict(dict)
    for test, taken in seconds.items():
        functions[test.partition("[")[0]][test] = taken
    mean = {name: statistics.fmean(cases.values()) for name, cases in functions.items()}
    limit, found = 0.0, []
    for name in sorted(functions, key=mean.__getitem__):
        left -= sum(functions[name].values())
        if left >= 0.0:
            limit = mean[name]
        else:
            found.append(name)
    quick = functions.keys() - set(found)
    found += [t for name in quick for t, taken in functions[name].items() if taken > TIMES * limit]
    return sorted(found)


def main() -> None:
    """Run all tests, and write the list if they pass."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    seconds = Seconds()
    options = ["-p", "benchmarks.slow_tests", "-n", "logical", "--dist", "loadfile"]
    failed = pytest.main([*options, *sys.argv[1:]], plugins=[seconds])
    if failed:
        sys.exit(int(failed))
    names = slow(seconds.of, SHARE * seconds.total)
    Path("tests", "slow.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    print(f"{len(names)} of {len(seconds.of)}")


if __name__ == "__main__":
    main()
