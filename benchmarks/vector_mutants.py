"""One-line mutants of the algorithms' files: which of them no conformance vector catches.

    python benchmarks/vector_mutants.py [ID ...]

Every changed expression that ``one_line_mutants`` knows in the file of an algorithm is tried on the
vectors of the algorithm, those of its constants among them. What is listed as uncaught is a missing
case, or changes nothing that an implementation could be asked for: a check of the arguments, a
message, a default that the cases state. An algorithm whose loop is in another file is told to look
there (``--file reference/em/sparse_em.py``).
"""

from __future__ import annotations

import argparse
import ast
import inspect
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from auditor.conformance import algorithms, store
from auditor.conformance.kinds import Case
from auditor.conformance.twins import recompiled
from benchmarks.one_line_mutants import ROOT, Mutant, mutants_of
from reference.catalogue import entry

SECONDS = 10
"""A mutant that takes longer is caught: it does not end."""


class _TooLongError(Exception):
    pass


def cases_of(of: str) -> list[Case]:
    """Return the vectors of an algorithm and of its constants."""
    return [
        case for kind in ("algorithms", "constants") for case in store.read(store.path_of(kind, of))
    ]


def is_caught(cases: list[Case]) -> bool:
    """Whether the reference, as it is broken now, differs from a case."""
    signal.alarm(SECONDS)
    try:
        return any(store.wrong(case) is not None for case in cases)
    except Exception:  # whatever a broken implementation does, not ending included
        return True
    finally:
        signal.alarm(0)


def relevant(module: ModuleType) -> Iterator[Mutant]:
    """Yield the mutants of a module that are in a function and check no argument."""
    source = inspect.getsource(module)
    path = str(Path(str(module.__file__)).relative_to(ROOT))
    inside: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            body = [part for part in node.body if not _only_checks(part)]
            inside |= {line for part in body for line in range(part.lineno, part.end_lineno + 1)}
    for mutant in mutants_of(path, source):
        if mutant.line in inside:
            yield mutant


def _only_checks(node: ast.stmt) -> bool:
    """Whether a statement is a docstring, or can only raise."""
    if isinstance(node, ast.If):
        return all(isinstance(part, ast.Raise) for part in node.body) and not node.orelse
    called = node.value if isinstance(node, ast.Expr) else None
    if isinstance(called, ast.Call) and isinstance(called.func, ast.Name):
        return called.func.id.startswith("require_")
    return isinstance(called, ast.Constant)


def survivors(module: ModuleType, cases: list[Case]) -> tuple[int, list[Mutant]]:
    """Return how many mutants there are and those that no case catches."""
    source, tried, left = inspect.getsource(module), 0, []
    for mutant in relevant(module):
        tried += 1
        try:
            with recompiled(module, mutant.applied(source)):
                if not is_caught(cases):
                    left.append(mutant)
        except Exception:  # it cannot even be imported
            continue
    return tried, left


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--file", help="another file than the algorithm's own, from the root")
    options = parser.parse_args(arguments)
    total, missed = 0, 0

    def too_long(*_: Any) -> None:
        raise _TooLongError

    signal.signal(signal.SIGALRM, too_long)
    for of in options.ids or algorithms.instances():
        name = entry(of).function.__module__
        if options.file:
            name = options.file.removesuffix(".py").replace("/", ".")
        module = sys.modules[name]
        tried, left = survivors(module, cases_of(of))
        total, missed = total + tried, missed + len(left)
        print(f"{of}: {tried} mutants, {len(left)} uncaught", flush=True)
        for mutant in left:
            print(f"    {mutant}")
    print(f"{total} mutants, {missed} uncaught")


if __name__ == "__main__":
    main()
