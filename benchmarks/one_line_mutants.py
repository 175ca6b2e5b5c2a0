"""Random one-line mutants of ``reference/`` and ``auditor/``: which of them no test notices.

    python benchmarks/one_line_mutants.py [--count 150] [--seed 0] [--package reference]
        [--results FILE] [--limit 300] [--near] [PATH ...]

A mutant is one changed expression on one line (``auditor.conformance.mutants`` says which). It is
drawn with the same probability from all that there are, written into a copy of the tree, and tried
on the test files nearest to its module: those that import it, directly or through the fewest
others, or name it or its algorithm; the one named as it is first. Where cases use the module, what
is asked of every case and the quick audit of one follow. What survives all that is put to every
test of its package that is not marked slow and, of the reference, to all vectors (not with
``--near``).
A failure that is there without the mutant, too, says nothing, and it is left out.

What does not fail within the time limit is told apart ("no answer"). A survivor is not yet a
defect: it may change nothing that is promised (a message, a default that no result depends on, a
speed). What is counted in a note is the survivors that matter of all that were tried; the goal is
none of 150. ``--results`` keeps what is known, a JSON line a mutant: the same call goes on there.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import contextlib
import json
import os
import py_compile
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path

from auditor.conformance.mutants import Mutant, mutants_of
from auditor.described import modules

ROOT = Path(__file__).parents[1]
PACKAGES = ("reference", "auditor")
NAMED = (*PACKAGES, "benchmarks")
"""Packages whose modules tests import."""

IGNORED = shutil.ignore_patterns(
    ".git", ".venv", ".ci-venv", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info", "results"
)
ENOUGH, MOST = 3, 10
"""Test files of a mutant: farther ones are added until there are enough, none beyond the most."""

MOST_CASES = 4
"""Algorithms of which what is asked of every case is asked."""

NO_ANSWER = "no answer"
PYTEST = ("pytest", "-x", "-q", "-p", "no:cacheprovider")
EVERY_CASE = "tests/auditor/described/test_every_case.py"


def nearest_tests(path: str) -> list[str]:
    """Return the test files that reach a module through the fewest others, the likeliest first.

    A package on the way is no step, as it often only passes on what its modules define.
    """
    users, seen, layer = _users(), {path}, {path}
    found: list[str] = []
    while layer and len(found) < ENOUGH:
        above = _above(users, layer, seen)
        while on_the_way := {name for name in above if name.endswith("__init__.py")}:
            seen |= on_the_way
            above = (above - on_the_way) | _above(users, on_the_way, seen)
        seen |= above
        found += sorted(filter(_is_test, above), key=lambda test: _likeliness(test, path))
        layer = {name for name in above if not _is_test(name)}
    return found[:MOST]


def algorithms_of(path: str) -> list[str]:
    """Return the algorithms whose cases import the module or are named as it is, these first."""
    files = {name: _files()[module] for name, module in modules().items()}
    named = {name for name, file in files.items() if Path(file).parts[-2:] == Path(path).parts[-2:]}
    found = named | {name for name, file in files.items() if path in _named_in(file)}
    return sorted(found, key=lambda name: (name not in named, name))


def _above(users: Mapping[str, set[str]], layer: set[str], seen: set[str]) -> set[str]:
    return set().union(*(users[name] for name in layer)) - seen


def _likeliness(test: str, path: str) -> tuple[int, int, int]:
    """Sort by name, then by the folders that are not shared, then by size, for which time goes.

    A test is named as a module is, or else as the package nearest to it.
    """
    folders, others = Path(test).parts[1:-1], Path(path).parts[:-1]
    pairs = zip(folders, others, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    names = [f"test_{name}" for name in (Path(path).stem, *reversed(others))]
    named = names.index(Path(test).stem) if Path(test).stem in names else len(names)
    return named, len(folders) + len(others) - 2 * shared, (ROOT / test).stat().st_size


def _is_test(path: str) -> bool:
    return path.startswith("tests/") and Path(path).name.startswith("test_")


@cache
def _users() -> Mapping[str, set[str]]:
    """Return by file the files that name it."""
    found: dict[str, set[str]] = defaultdict(set)
    for folder in (*NAMED, "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            user = str(path.relative_to(ROOT))
            for used in _named_in(user) - {user}:
                found[used].add(user)
    return found


@cache
def _files() -> Mapping[str, str]:
    """Return the file of every module by its name."""
    paths = [path.relative_to(ROOT) for name in NAMED for path in (ROOT / name).rglob("*.py")]
    return {".".join(p.with_suffix("").parts).removesuffix(".__init__"): str(p) for p in paths}


@cache
def _named_in(path: str) -> frozenset[str]:
    """Return the files of the modules that a file imports, names as a string, or looks through.

    A test names an algorithm's case by its id.
    """
    files, found = _files(), set[str]()
    folder = path.rpartition("/")[0]
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(names & files.keys() or {node.module})
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = node.value
            if said.endswith(".py"):
                said = f"{folder}/{said}".removesuffix(".py").replace("/", ".")
            elif said.endswith("."):  # the prefix with which a package is walked through
                found.update(name for name in files if name.startswith(said))
            found.update((said, f"{said}.__main__"))
            if _is_test(path):
                found.add(modules().get(said, ""))
        elif isinstance(node, ast.Attribute) and node.attr == "iter_modules":
            package = folder.replace("/", ".")
            found.update(name for name in files if name.rpartition(".")[0] == package)
    return frozenset(files[name] for name in found & files.keys())


class Trial:
    """A copy of the tree in which mutants are tried, one after the other.

    Parameters
    ----------
    tree : Path
        Of the copy.
    limit : float
        Seconds for all that is asked of one mutant.
    near : bool
        Whether only what is nearest to it is asked.
    """

    def __init__(self, tree: Path, limit: float, *, near: bool) -> None:
        self._tree = tree
        self._limit = limit
        self._near = near
        self._right: dict[tuple[str, ...], str] = {}

    def of(self, mutant: Mutant) -> str:
        """Return ``"survives"``, ``"no answer"``, the first failure, or why it is left out."""
        file = self._tree / mutant.path
        source = file.read_text(encoding="utf-8")
        end = time.monotonic() + self._limit
        try:
            file.write_text(mutant.applied(source), encoding="utf-8")
            asked = asks(mutant.path) + ([] if self._near else further(mutant.path))
            said, again = self._asked(asked, end)
        finally:
            file.write_text(source, encoding="utf-8")
        if again and again not in self._right:
            self._right[again] = run(self._tree, again, self._limit)
        without = self._right[again] if again else ""
        return f"left out: without it {without}" if without else said

    def _asked(
        self, asks: Sequence[tuple[str, ...]], end: float
    ) -> tuple[str, tuple[str, ...] | None]:
        """Return what is said of a mutant, and what to ask again without it."""
        for ask in asks:
            said = run(self._tree, ask, end - time.monotonic())
            if said == NO_ANSWER:
                return said, None
            if said:
                node = said.partition(" ")[2]
                return said, (*PYTEST, node) if ask[: len(PYTEST)] == PYTEST and node else ask
        return ("survives" if asks else "no test reaches its module"), None


def asks(path: str) -> list[tuple[str, ...]]:
    """Return what is asked of a mutant of a file: modules with their arguments."""
    tests, algorithms = nearest_tests(path), algorithms_of(path)
    asks = [(*PYTEST, *(test for test in tests if test != EVERY_CASE))] if tests else []
    if algorithms:
        some = " or ".join(algorithms[:MOST_CASES])
        asks.append((*PYTEST, EVERY_CASE, "-k", some))
        asks.append(("auditor", "audit", algorithms[0], "--results", "results"))
    cases_first = path.startswith(("auditor/described/", "reference/errata/"))
    return asks[1:] + asks[:1] if cases_first and algorithms else asks


def further(path: str) -> list[tuple[str, ...]]:
    """Return what is asked of a mutant that survives what is near."""
    package = path.split("/")[0]
    tests = (*PYTEST, "-m", "not slow", f"tests/{package}")
    return [tests, ("auditor", "vectors", "verify")] if package == "reference" else [tests]


def run(tree: Path, ask: Sequence[str], seconds: float) -> str:
    """Return what fails, ``"no answer"`` if it does not end in time, nothing if all is well."""
    shutil.rmtree(tree / "results", ignore_errors=True)
    with subprocess.Popen(
        [sys.executable, "-m", *ask],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            said, _ = running.communicate(timeout=max(seconds, 0))
        except subprocess.TimeoutExpired:
            return NO_ANSWER
        finally:  # with all that it started
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    if running.returncode == 0:
        return ""
    failed = [line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return failed[0].split(" - ")[0] if failed else f"{ask[0]} ended with {running.returncode}"


def try_all(
    chosen: Sequence[Mutant],
    results: Path | None = None,
    limit: float = 300.0,
    *,
    near: bool = False,
) -> dict[Mutant, str]:
    """Print what is said of every mutant, one line each, as it is known; return it."""
    lines = results.read_text("utf-8").splitlines() if results and results.exists() else ()
    known = dict(json.loads(line) for line in lines)
    found: dict[Mutant, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=IGNORED)
        # compiled once, and each file again only if its text is another: by date and size, as is
        # the rule, a mutant of the same length made in the same second would not be seen
        compileall.compile_dir(
            tree, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
        )
        trial = Trial(tree, limit, near=near)
        for mutant in chosen:
            found[mutant] = known.get(str(mutant)) or trial.of(mutant)
            print(f"{mutant}  [{found[mutant]}]", flush=True)
            if results and str(mutant) not in known:
                with results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([str(mutant), found[mutant]]) + "\n")
    return found


def main() -> None:
    """Draw mutants, try them and print the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", help="files, from the root; by default all")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--package", choices=PACKAGES, help="draw from one package only")
    parser.add_argument("--results", type=Path, help="file that keeps what is known")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one mutant")
    parser.add_argument("--near", action="store_true", help="ask only what is nearest to a mutant")
    asked = parser.parse_args()
    packages = [asked.package] if asked.package else PACKAGES
    paths = [path for name in packages for path in sorted((ROOT / name).rglob("*.py"))]
    files = asked.paths or [str(path.relative_to(ROOT)) for path in paths]
    every = [m for file in files for m in mutants_of(file, (ROOT / file).read_text("utf-8"))]
    chosen = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    found = try_all(chosen, asked.results, asked.limit, near=asked.near)
    tried = [said for said in found.values() if not said.startswith("left out")]
    survivors = sum(said in ("survives", "no test reaches its module") for said in tried)
    print(
        f"{survivors} of {len(tried)} survive, {tried.count(NO_ANSWER)} without an answer, "
        f"{len(found) - len(tried)} left out; {len(every)} there are, seed {asked.seed}"
    )


if __name__ == "__main__":
    main()
