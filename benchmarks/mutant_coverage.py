"""Coverage of chosen mutants: the tests that evaluate the expression that a mutant changes.

The expressions are marked in a copy of the tree: ``a + 1`` becomes ``(_reached(7), (a + 1))[1]`` on
the same line. A mark notes the test that runs in the environment, so that child processes that
inherit both the environment and the tree are seen as well. Code that runs at import has no test of
its own: there the entries of all functions of the module are marked in addition.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.conformance.mutants import Mutant

FUTURE = "from __future__ import annotations\n"
IMPORT = "from __future__ import annotations; from mutant_marks import reached as _reached\n"

MARKS = '''"""Marks of a copy of the tree, and the plugin that says which test runs."""

import json
import os

import pytest

FOLDER = {folder!r}
NAME = "MUTANT_MARKS_TEST"
known = set()


def reached(mark):
    key = mark, os.environ.get(NAME, "")
    if key not in known:
        known.add(key)
        write("reached", key)


def during(name):
    os.environ[NAME] = name
    try:
        return (yield)
    finally:
        os.environ.pop(NAME, None)


def write(name, row):
    file = os.open(f"{{FOLDER}}/{{name}}", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, (json.dumps(row) + "\\n").encode())
    os.close(file)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    return (yield from during(item.nodeid))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector):
    return (yield from during(collector.nodeid.partition("::")[0]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    write("seconds", (item.nodeid, call.when, call.duration))
'''


@dataclass
class Coverage:
    """The tests that reach each mutant, and the time that each test takes.

    Attributes
    ----------
    tests : dict
        By mutant, the ids of the tests that evaluate its expression. The name of a file stands for
        its collection, nothing for what is loaded before.
    users : dict
        By mutant outside of functions, the same of its module's functions.
    seconds : dict
        By the id of a test, with its fixtures.
    """

    tests: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    users: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def at_import(self, mutant: Mutant) -> bool:
        """Return whether a mutant is evaluated before any test runs."""
        return not mutant.function or any("::" not in name for name in self.tests[place(mutant)])

    def tests_of(self, mutant: Mutant) -> tuple[set[str], set[str]]:
        """Return the tests that reach a mutant, and the others of the same files."""
        names = self.tests[place(mutant)] | self.users[place(mutant)]
        reached = names & self.seconds.keys()
        files = {name.partition("::")[0] for name in names}
        return reached, {
            test for test in self.seconds if test.partition("::")[0] in files
        } - reached


def place(mutant: Mutant) -> str:
    """Return the name of a mutant, of which a line may have several that read the same."""
    return f"{mutant.path}:{mutant.line}:{mutant.start}: {mutant.before} -> {mutant.after}"


def mark(tree: Path, chosen: Sequence[Mutant], folder: Path) -> None:
    """Mark the expressions of the mutants in a copy of the tree, which notes in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mutants").write_text("\n".join(map(place, chosen)), "utf-8")
    (tree / "mutant_marks.py").write_text(MARKS.format(folder=str(folder)), "utf-8")
    by_file: dict[str, list[tuple[int, Mutant]]] = defaultdict(list)
    for number, mutant in enumerate(chosen):
        by_file[mutant.path].append((number, mutant))
    for path, mutants in by_file.items():
        file = tree / path
        file.write_text(marked(file.read_text("utf-8"), mutants), "utf-8")


def marked(source: str, mutants: Sequence[tuple[int, Mutant]]) -> str:
    """Return the source of a file with marks around the expressions of its mutants.

    The mark of a mutant is its number; that of an entry of its module is ``-1 - number``.
    """
    spans = [(m.line, m.start, m.line, m.end, number) for number, m in mutants]
    for number, mutant in mutants:
        if not mutant.function:
            spans += [(*place, -1 - number) for place in _entries(ast.parse(source))]
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    marks = [(line, at, f"(_reached({number}), (") for line, at, *_, number in spans]
    marks += [(stop, end, "))[1]") for *_, stop, end, _ in spans]
    for line, at, text in sorted(marks, reverse=True):  # from the end
        raw = lines[line - 1]
        lines[line - 1] = raw[:at] + text.encode() + raw[at:]
    changed = b"".join(lines).decode()
    assert FUTURE in changed
    return changed.replace(FUTURE, IMPORT, 1)


def _entries(tree: ast.AST) -> Iterator[tuple[int, int, int, int]]:
    """Yield the place of the first expression that each function evaluates."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            body = node.body if isinstance(node.body, list) else [ast.Expr(node.body)]
            first = next(filter(None, map(_first, body)), None)
            if first is not None:
                end = first.end_lineno or first.lineno
                yield first.lineno, first.col_offset, end, first.end_col_offset or 0


def _first(node: ast.stmt) -> ast.expr | None:
    if isinstance(node, ast.Try):
        return _first(node.body[0])
    if isinstance(node, ast.With):
        return node.items[0].context_expr
    found = next(
        (part for name in ("test", "iter", "value", "exc") if (part := getattr(node, name, None))),
        None,
    )
    documents = isinstance(node, ast.Expr) and isinstance(found, ast.Constant)
    return None if documents else found


def record(tree: Path, arguments: Sequence[str]) -> None:
    """Run tests in a marked copy of the tree."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "mutant_marks",
            "-p",
            "no:cacheprovider",
            *arguments,
        ],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        check=False,
    )


def coverage(folder: Path) -> Coverage:
    """Return what was recorded."""
    found = Coverage()
    mutants = (folder / "mutants").read_text("utf-8").splitlines()
    for line in (folder / "reached").read_text("utf-8").splitlines():
        number, name = json.loads(line)
        (found.tests if number >= 0 else found.users)[mutants[max(number, -1 - number)]].add(name)
    for line in (folder / "seconds").read_text("utf-8").splitlines():
        test, _, seconds = json.loads(line)
        found.seconds[test] += seconds
    return found
