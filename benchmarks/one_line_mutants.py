"""Random one-line mutants of ``reference/`` and ``auditor/``: which of them no test notices.

    python benchmarks/one_line_mutants.py FOLDER reference:300 auditor:150 [--seed 0]
        [--most 300] [--tests "-m 'not slow'"]

A mutant is one changed expression on one line (``auditor.conformance.mutants`` says which). So many
are drawn with the same probability from all of a package, or of any folder or file. The tests run
once, without a mutant, in a copy in which the expressions are marked
(``benchmarks/mutant_coverage.py``): that takes as long as the tests do. Each mutant is then put to
the tests that evaluate its expression, the cheapest first, until one fails
(``benchmarks/mutant_trials.py``); where none does, to the other tests of the same files. A failure
that is there without the mutant, too, says nothing: that test is left out.

Child processes that get another environment or tree are not seen. Therefore a survivor is put to
the vectors, if it is of the reference, and to the quick audit of the algorithm that its file is
named as.

What does not end in time is told apart ("no answer"). A survivor is not yet a defect: it may change
nothing that is promised (a message, a default that no result depends on, a speed). What is counted
in a note is the survivors that matter of all that were tried; the goal is none. FOLDER keeps what
was recorded and, a JSON line a mutant, what is known: the same call goes on there.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import json
import math
import os
import py_compile
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from auditor.conformance.mutants import Mutant, mutants_of
from auditor.described import modules
from benchmarks.mutant_coverage import Coverage, coverage, mark, place, record
from benchmarks.mutant_trials import NO_ANSWER

ROOT = Path(__file__).parents[1]
IGNORED = shutil.ignore_patterns(
    ".git", ".venv", ".ci-venv", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info", "results"
)
LEAST, FACTOR, LOADING = 30.0, 4.0, 3.0
"""Seconds for the tests of a mutant: the least; more by what they took without; and for a file."""

SURVIVES, UNREACHED = "survives", "no test reaches it"


def drawn(path: str, count: int, seed: int) -> list[Mutant]:
    """Draw mutants of a file, or of a folder's files."""
    start = ROOT / path
    files = sorted(start.rglob("*.py")) if start.is_dir() else [start]
    names = [str(file.relative_to(ROOT)) for file in files]
    every = [m for name in names for m in mutants_of(name, (ROOT / name).read_text("utf-8"))]
    return random.Random(seed).sample(every, min(count, len(every)))


def cheapest_first(tests: Iterable[str], seconds: dict[str, float]) -> list[str]:
    """Return tests by the power of ten of their time, those of a file together in each."""
    group = {test: math.ceil(math.log10(seconds[test] + 1e-3)) for test in tests}
    total: dict[tuple[int, str], float] = defaultdict(float)
    for test, size in group.items():
        total[size, _file(test)] += seconds[test]
    return sorted(
        group, key=lambda test: (group[test], total[group[test], _file(test)], _file(test), test)
    )


def by_seconds(tests: Sequence[str], seconds: dict[str, float]) -> list[list[str]]:
    """Split tests in their order into those of the first tenth of a second, of the next one, ten.

    What never ends is noticed by the limit of the first few that reach it, not by that of them all.
    """
    found: dict[int, list[str]] = defaultdict(list)
    total = 0.0
    for test in tests:
        total += seconds[test]
        found[max(0, math.ceil(math.log10(10 * total + 1e-9)))].append(test)
    return list(found.values())


def by_files(tests: Sequence[str]) -> list[list[str]]:
    """Split tests into those of the first file, of the next two, of the next four, and so on.

    Where a process has to load them, the first failure comes mostly before all files are loaded.
    """
    number = {name: at for at, name in enumerate(dict.fromkeys(map(_file, tests)), start=1)}
    found: dict[int, list[str]] = defaultdict(list)
    for test in tests:
        found[number[_file(test)].bit_length()].append(test)
    return list(found.values())


def _file(test: str) -> str:
    return test.partition("::")[0]


class Trials:
    """A copy of the tree in which mutants are tried, one after the other.

    Parameters
    ----------
    tree : Path
        Of the copy.
    known : Coverage
    most : float
        Seconds of tests, as recorded, that one mutant is put to.
    """

    def __init__(self, tree: Path, known: Coverage, most: float) -> None:
        self._tree = tree
        self._known = known
        self._most = most
        self._servers: dict[str, subprocess.Popen[str]] = {}
        self._right: dict[str, bool] = {}

    def of(self, mutant: Mutant) -> str:
        """Return the first failure, or why there is none."""
        reached, others = self._known.tests_of(mutant)
        if not reached and not others:
            return UNREACHED
        for tests in (reached, others):
            chosen = self._affordable(cheapest_first(tests, self._known.seconds))
            failed = self._first_failure(mutant, chosen)
            if failed:
                return failed
        return self._unseen(mutant) or SURVIVES

    def _affordable(self, tests: Sequence[str]) -> list[str]:
        spent, chosen = 0.0, []
        for test in tests:
            spent += self._known.seconds[test]
            if spent > self._most:
                break
            chosen.append(test)
        return chosen

    def _first_failure(self, mutant: Mutant, tests: Sequence[str]) -> str:
        """Return the first test that fails with the mutant and does not fail without it."""
        loaded = not self._known.at_import(mutant)
        left = by_seconds(tests, self._known.seconds) if loaded else by_files(tests)
        while left:
            with self._mutated(mutant) as sources:
                failed = self._run(left[0], sources, loaded=loaded)
            if not failed:
                left.pop(0)
            elif failed in left[0] and not self._is_right(failed):
                left[0].remove(failed)
                left = [tests for tests in left if tests]
            else:
                return failed
        return ""

    def _is_right(self, test: str) -> bool:
        if test not in self._right:
            self._right[test] = not self._run([test], ("", "", ""), loaded=True)
        return self._right[test]

    def _run(self, tests: Sequence[str], sources: Sequence[str], *, loaded: bool) -> str:
        """Return the test that fails in a process that has loaded the tests, or has not."""
        seconds = LEAST + FACTOR * sum(self._known.seconds[test] for test in tests)
        seconds += 0.0 if loaded else LOADING * len(set(map(_file, tests)))
        request = json.dumps({"trial": [tests, *sources], "seconds": seconds})
        server = self._server("loaded" if loaded else "libraries")
        assert server.stdin is not None
        assert server.stdout is not None
        print(request, file=server.stdin, flush=True)
        said = str(json.loads(server.stdout.readline()))
        cannot = loaded and said.endswith("in the trial")
        return self._run(tests, sources, loaded=False) if cannot else said

    def _server(self, kind: str) -> subprocess.Popen[str]:
        if kind not in self._servers:
            self._servers[kind] = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.mutant_trials", kind],
                cwd=self._tree,
                env=_environment(self._tree),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._servers[kind]

    @contextlib.contextmanager
    def _mutated(self, mutant: Mutant) -> Iterator[tuple[str, str, str]]:
        """Have a mutant stand in the tree; give its file, the old source and the new."""
        file = self._tree / mutant.path
        source = file.read_text(encoding="utf-8")
        changed = mutant.applied(source)
        try:
            file.write_text(changed, encoding="utf-8")
            yield str(file), source, changed
        finally:
            file.write_text(source, encoding="utf-8")

    def _unseen(self, mutant: Mutant) -> str:
        """Return what fails of that which runs in processes of its own."""
        with self._mutated(mutant):
            for command in commands(mutant.path):
                shutil.rmtree(self._tree / "results", ignore_errors=True)
                ended = subprocess.run(
                    [sys.executable, "-m", "auditor", *command],
                    cwd=self._tree,
                    env=_environment(self._tree),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                ).returncode
                if ended:
                    return f"{' '.join(command[:2])} ended with {ended}"
        return ""

    def close(self) -> None:
        """End the servers."""
        for server in self._servers.values():
            server.kill()
            server.wait()


def commands(path: str) -> list[tuple[str, ...]]:
    """Return the commands that are put to the survivors of a file."""
    last = [name for name, module in modules().items() if _named_alike(module, path)]
    verify = [("vectors", "verify")] if path.startswith("reference/") else []
    return verify + [("audit", *last, "--results", "results")] * bool(last)


def _named_alike(module: str, path: str) -> bool:
    return tuple(module.split(".")[-2:]) == Path(path).with_suffix("").parts[-2:]


def _environment(tree: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}


@contextlib.contextmanager
def copied() -> Iterator[Path]:
    """Give a copy of the tree."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=IGNORED)
        yield tree


def try_all(chosen: Sequence[Mutant], folder: Path, most: float) -> dict[Mutant, str]:
    """Print what is said of every mutant, one line each, as it is known; return it."""
    results = folder / "results.jsonl"
    lines = results.read_text("utf-8").splitlines() if results.exists() else ()
    known = dict(json.loads(line) for line in lines)
    with copied() as tree:
        # compiled once, and each file again only if its text is another: by date and size, as is
        # the rule, a mutant of the same length made in the same second would not be seen
        compileall.compile_dir(
            tree, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
        )
        trials = Trials(tree, coverage(folder), most)
        try:
            for mutant in chosen:
                if place(mutant) not in known:
                    known[place(mutant)] = trials.of(mutant)
                    with results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([place(mutant), known[place(mutant)]]) + "\n")
                print(f"{mutant}  [{known[place(mutant)]}]", flush=True)
        finally:
            trials.close()
    return {mutant: known[place(mutant)] for mutant in chosen}


def main() -> None:
    """Draw mutants, record which tests reach them, try them and print the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="keeps what is recorded and known")
    parser.add_argument("draws", nargs="+", help="PATH:COUNT, the path from the root")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=float, default=300.0, help="seconds of tests for a mutant")
    parser.add_argument("--tests", default="", help="arguments of pytest when it records")
    asked = parser.parse_args()
    draws = [draw.rpartition(":") for draw in asked.draws]
    chosen = [m for path, _, count in draws for m in drawn(path, int(count), asked.seed)]
    if not (asked.folder / "mutants").exists():
        with copied() as tree:
            mark(tree, chosen, asked.folder.resolve())
            record(tree, shlex.split(asked.tests))
    said = list(try_all(chosen, asked.folder.resolve(), asked.most).values())
    survivors = sum(word in (SURVIVES, UNREACHED) for word in said)
    print(f"{survivors} of {len(said)} survive, {said.count(NO_ANSWER)} without an answer")


if __name__ == "__main__":
    main()
