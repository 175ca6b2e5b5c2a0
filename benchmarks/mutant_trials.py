"""Trials of mutants: forks of a process that has loaded all tests, each with one mutant.

A plugin of pytest. Once the tests are collected, the process that has them serves instead of
running them: for each mutant it forks, the fork exchanges the code of the changed functions and
runs the tests that it is given until one fails. The mutant stands in the tree meanwhile, so that
child processes load it as well. What is evaluated at import needs a process that has loaded the
libraries alone: there the fork collects the files of its tests itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import CodeType, FunctionType

import pytest

LIBRARIES = (
    "cloudpickle",
    "dp_accounting",
    "hypothesis",
    "jinja2",
    "joblib",
    "jsonschema",
    "matplotlib.pyplot",
    "mpmath",
    "numpy",
    "pandas",
    "rich.progress",
    "scipy.integrate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "sklearn.ensemble",
    "statsmodels.api",
    "sympy",
)
"""Loaded once, before the first mutant."""

NO_ANSWER = "no answer"
PYTEST = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")


class Chosen:
    """A plugin that runs the chosen tests alone, in their order, and keeps the first failure."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._place = {test: place for place, test in enumerate(tests)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the chosen tests, in their order."""
        found = [item for item in items if item.nodeid in self._place]
        items[:] = sorted(found, key=lambda item: self._place[item.nodeid])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the name of a file that cannot be collected."""
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the name of a test that fails."""
        if report.failed:
            self.failed = self.failed or report.nodeid


class Loaded:
    """A plugin that forks where pytest would run what it has collected.

    Parameters
    ----------
    serve : callable
        Is given a function ``run(tests, path, old, new)``, to be called in a fork: exchange the
        functions of a file, run tests until one fails, and return its id or nothing.
    """

    def __init__(self, serve: Callable[[Callable[..., str]], None]) -> None:
        self._serve = serve

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serve, and run nothing here."""
        items = {item.nodeid: item for item in session.items}
        functions = _functions()

        def run(tests: Sequence[str], path: str, old: str, new: str) -> str:
            chosen = Chosen(tests)
            session.config.pluginmanager.register(chosen)
            exchange(functions[path], old, new, path)
            ordered = [items[test] for test in tests if test in items]
            for item, following in zip(ordered, [*ordered[1:], None], strict=False):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if chosen.failed:
                    break
            return chosen.failed

        gc.freeze()
        self._serve(run)
        return True


def run_at_import(tests: Sequence[str], *_: str) -> str:
    """Collect the files of tests and run the tests until one fails; return its id or nothing."""
    chosen = Chosen(tests)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    status = pytest.main([*PYTEST, *files], plugins=[chosen])
    ended = status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return chosen.failed or ("" if ended else f"pytest ended with {int(status)}")


def exchange(functions: Sequence[FunctionType], old: str, new: str, path: str) -> None:
    """Give the functions of a file, if it is loaded, the code that another source makes of them."""
    codes = _changed(compile(old, path, "exec"), compile(new, path, "exec"))
    pairs = {_identity(one): two for one, two in codes}
    changed = [function for function in functions if _identity(function.__code__) in pairs]
    for function in changed:
        function.__code__ = pairs[_identity(function.__code__)]
    if functions and not changed:
        raise LookupError


def _identity(code: CodeType) -> tuple[str, bytes]:
    """Return what tells the functions of a file apart: their names and where they stand."""
    return code.co_qualname, code.co_linetable


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the code of functions that differ, the outer ones first."""
    if old != new:
        yield old, new
        inner = [[part for part in c.co_consts if isinstance(part, CodeType)] for c in (old, new)]
        for one, two in zip(*inner, strict=True):
            yield from _changed(one, two)


def _functions() -> dict[str, list[FunctionType]]:
    """Return by file the functions of this process."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    for item in gc.get_objects():
        if type(item) is FunctionType:  # isinstance() asks objects for their class
            found[item.__code__.co_filename].append(item)
    return found


def forked(work: Callable[[], str], seconds: float) -> str:
    """Return what work returns in a fork of this process, which ends with all that it started."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.setsid()
            _silent()
            try:
                said = work()
            except BaseException as error:
                said = f"{type(error).__name__} in the trial"
            os.write(writer, (said or " ").encode())
        os._exit(0)
    os.close(writer)
    try:
        ready, _, _ = select.select([reader], [], [], seconds)
        said = os.read(reader, 10_000).decode() if ready else NO_ANSWER
    finally:
        os.close(reader)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return said.strip() if said else "the process ended"


def _silent() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def load() -> None:
    """Load the libraries."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def serve(
    run: Callable[..., str], requests: Iterator[str], answer: Callable[[str], object]
) -> None:
    """Answer requests, a JSON line each: tests, seconds, and the file, its old and new source."""
    for line in requests:
        request = json.loads(line)
        answer(forked(partial(run, *request["trial"]), request["seconds"]))


def main() -> None:
    """Serve on the standard streams, which the tests do not get."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    _silent()

    def answer(said: str) -> None:
        print(json.dumps(said), file=answers, flush=True)

    load()
    if sys.argv[1:] == ["loaded"]:
        plugin = Loaded(lambda run: serve(run, requests, answer))
        pytest.main([*PYTEST, "tests"], plugins=[plugin])
    else:
        serve(run_at_import, requests, answer)


if __name__ == "__main__":
    main()
