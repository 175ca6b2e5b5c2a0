"""Random one-line mutants of ``reference/`` and ``auditor/``: which of them no test notices.

    python benchmarks/one_line_mutants.py [--count 150] [--seed 0] [--package reference] [PATH ...]

A mutant is one changed expression on one line: a comparison, a sign, an operator, a number, a truth
value, the smaller for the larger. It is drawn with the same probability from all that there are,
written into a copy of the tree, and tried on the test files that import its module, the one named
as it is first. Where these fail without it too, it says nothing and is left out.

A survivor is not yet a defect: it may change nothing that is promised (a message, a default that no
result depends on, a speed). What is counted in a note is the survivors that matter of all that were
tried; the goal is none of 150. A mutant takes about a minute, most of it the tests' imports.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("reference", "auditor")
COPIED = (*PACKAGES, "proofs_checks", "tests", "benchmarks", "docs", "pyproject.toml", "README.md")
LIMIT = 240
"""Seconds for the tests of one mutant; one that takes longer is told apart."""

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}


@dataclass(frozen=True)
class Mutant:
    """One changed expression.

    Attributes
    ----------
    path : str
        Of the file, from the root.
    line, start, end : int
        Where the expression stands: the line from 1, and bytes of it.
    before, after : str
    """

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: str) -> str:
        """Return the source of the file with the expression changed."""
        lines = source.splitlines(keepends=True)
        raw = lines[self.line - 1].encode()
        changed = raw[: self.start] + self.after.encode() + raw[self.end :]
        return "".join((*lines[: self.line - 1], changed.decode(), *lines[self.line :]))

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a file; annotations and what is written over several lines are left."""
    tree = ast.parse(source)
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        for name in ("annotation", "returns")
        if (part := getattr(node, name, None)) is not None
        for inner in ast.walk(part)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.expr)
            and node.lineno == node.end_lineno
            and id(node) not in skipped
        ):
            for changed in _changed(node):
                assert node.end_col_offset is not None
                before = source.splitlines()[node.lineno - 1].encode()
                yield Mutant(
                    path,
                    node.lineno,
                    node.col_offset,
                    node.end_col_offset,
                    before[node.col_offset : node.end_col_offset].decode(),
                    changed,
                )


def _changed(node: ast.expr) -> Iterator[str]:
    """Yield what an expression may be changed to."""
    twin = copy.deepcopy(node)
    if isinstance(twin, (ast.BinOp, ast.BoolOp)) and type(twin.op) in SWAPPED:
        twin.op = SWAPPED[type(twin.op)]()  # type: ignore[assignment]
        yield f"({ast.unparse(twin)})"
    elif isinstance(twin, ast.Compare) and type(twin.ops[0]) in SWAPPED:
        twin.ops[0] = SWAPPED[type(twin.ops[0])]()  # type: ignore[call-overload]
        yield f"({ast.unparse(twin)})"
    elif isinstance(twin, ast.UnaryOp) and isinstance(twin.op, (ast.Not, ast.USub)):
        yield f"({ast.unparse(twin.operand)})"
    elif isinstance(twin, ast.Constant) and isinstance(twin.value, bool):
        yield str(not twin.value)
    elif isinstance(twin, ast.Constant) and isinstance(twin.value, (int, float)):
        yield repr(twin.value + 1 if isinstance(twin.value, int) else 1.5 * twin.value)
    elif isinstance(twin, ast.Call):
        function = twin.func
        if isinstance(function, ast.Name) and function.id in NAMES:
            function.id = NAMES[function.id]
            yield ast.unparse(twin)
        elif isinstance(function, ast.Attribute) and function.attr in NAMES:
            function.attr = NAMES[function.attr]
            yield ast.unparse(twin)


@cache
def _imported_by(test: Path) -> frozenset[str]:
    """Return the names of what a test file imports: modules, and names from modules."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found)


def importing_tests(path: str) -> list[Path]:
    """Return the test files that import a module, the one named as it is first."""
    name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [test for test in tests if name in _imported_by(test)]
    return sorted(found, key=lambda test: test.stem != f"test_{Path(path).stem}")


def _run(tree: Path, tests: Sequence[Path]) -> str:
    """Return ``"passed"``, ``"timed out"``, or the first test that fails."""
    names = [str(test.relative_to(ROOT)) for test in tests]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *names]
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    if done.returncode == 0:
        return "passed"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else f"pytest ended with {done.returncode}"


def try_all(chosen: Sequence[Mutant]) -> dict[Mutant, str]:
    """Print what the tests say of every mutant, one line each, as it is known; return it."""
    found: dict[Mutant, str] = {}
    right: dict[tuple[Path, ...], str] = {}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in COPIED:
            copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copied(ROOT / name, tree / name)
        for mutant in chosen:
            tests = tuple(importing_tests(mutant.path))
            if not tests:
                found[mutant] = "no test imports its module"
            else:
                if tests not in right:
                    right[tests] = _run(tree, tests)
                found[mutant] = f"left out: without it {right[tests]}"
                if right[tests] == "passed":
                    found[mutant] = _with(tree, mutant, tests)
            print(f"{mutant}  [{found[mutant]}]", flush=True)
    return found


def _with(tree: Path, mutant: Mutant, tests: Sequence[Path]) -> str:
    file = tree / mutant.path
    source = file.read_text(encoding="utf-8")
    try:
        file.write_text(mutant.applied(source), encoding="utf-8")
        said = _run(tree, tests)
    finally:
        file.write_text(source, encoding="utf-8")
    return "survives" if said == "passed" else said


def main() -> None:
    """Draw mutants, try them and print the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", help="files, from the root; by default all")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--package", choices=PACKAGES, help="draw from one package only")
    asked = parser.parse_args()
    packages = [asked.package] if asked.package else PACKAGES
    modules = [path for name in packages for path in sorted((ROOT / name).rglob("*.py"))]
    files = asked.paths or [str(path.relative_to(ROOT)) for path in modules]
    every = [m for file in files for m in mutants_of(file, (ROOT / file).read_text("utf-8"))]
    chosen = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    found = try_all(chosen)
    tried = [said for said in found.values() if not said.startswith("left out")]
    survivors = sum(said in ("survives", "no test imports its module") for said in tried)
    print(
        f"{survivors} of {len(tried)} survive, {tried.count('timed out')} timed out; "
        f"{len(every)} there are, seed {asked.seed}"
    )


if __name__ == "__main__":
    main()
