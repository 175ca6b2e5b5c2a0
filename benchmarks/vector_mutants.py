"""One-line mutants of algorithms and building blocks: which of them no conformance vector catches.

    python -m benchmarks.vector_mutants [ID ...] [--file PATH ...] [--kind KIND ...]
        [--results FILE] [--table docs/measured/vector-mutants.md]

Every mutant (``auditor.conformance.mutants``) in the file of an algorithm is tried on the
vectors of the algorithm, of its constants and of building blocks. An algorithm whose loop is in
another file is told to look there (``--file reference/em/sparse_em.py``). With ``--kind`` a file is
tried on the vectors of these kinds instead (``--file reference/proximal.py --kind blocks``).
Without an ID and a file everything is tried: the algorithms, and the files of :data:`FILES`.

What is listed as uncaught is a **missing case**, or changes nothing that an implementation could be
asked for: then :data:`IMMATERIAL`, in ``vector_mutants.json`` beside this file, says why.
``--results`` keeps which mutants are caught, a line each, and the next call tries the others only;
``--table`` writes a page.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from auditor.conformance import store
from auditor.conformance.kinds import Case
from auditor.conformance.mutants import Mutant, forget, functions_run, mutants_of, recompiled
from auditor.described import modules
from benchmarks.one_line_mutants import ROOT
from reference.catalogue import entry

SECONDS = 5.0
"""Processor seconds after which a mutant counts as caught: it does not end."""

FILES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "reference/blocks.py",
            "reference/clipping.py",
            "reference/constraint_sets.py",
            "reference/em/models.py",
            "reference/heavy_tailed/truncation.py",
            "reference/local/bernstein.py",
            "reference/losses/any_records.py",
            "reference/losses/generalized_linear.py",
            "reference/losses/linear_models.py",
            "reference/matrices/fantope.py",
            "reference/matrices/graphical_lasso.py",
            "reference/matrices/positive_semidefinite.py",
            "reference/matrices/subspaces.py",
            "reference/mirror_maps.py",
            "reference/nonconvex/trust_region_subproblem.py",
            "reference/pairwise/losses.py",
            "reference/proximal.py",
        ),
        ("blocks",),
    ),
    **{
        f"reference/privacy/mechanisms/{name}.py": ("mechanisms", "blocks", "conversions")
        for name in (
            "additive",
            "bit",
            "exponential",
            "gaussian",
            "l2_ball",
            "laplace",
            "mechanism",
            "noisy_max",
            "randomized_response",
            "smooth_sensitivity",
            "symmetric",
            "wishart",
        )
    },
    "reference/privacy/curves.py": ("conversions", "blocks", "accounting"),
    "reference/privacy/guarantees.py": ("conversions", "blocks"),
}
"""Files of building blocks, mechanisms and conversions, and the kinds of their vectors."""

IMMATERIAL: dict[str, str] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""Mutants that no vector has to catch, and why.

A key is a mutant, by what its line becomes (``reference/x.py:f: return a <= b``), or a function of
which no mutant matters (``reference/x.py:f``). ``…`` stands for any text.
"""

MISSING = "**missing case**"


class _TooLongError(Exception):
    pass


@dataclass(frozen=True)
class Tried:
    """A mutant, and what became of it.

    Attributes
    ----------
    mutant : Mutant
    line : str
        The changed line.
    caught : bool
    """

    mutant: Mutant
    line: str
    caught: bool

    def __str__(self) -> str:
        mutant = self.mutant
        return f"{mutant.function}: {mutant.before} -> {mutant.after}"

    @property
    def key(self) -> str:
        """The mutant by its function and what the line becomes, as lines move."""
        return f"{self.mutant.path}:{self.mutant.function}: {self.line}"

    @property
    def reason(self) -> str:
        """Why it does not matter, or that a case is missing."""
        return next((IMMATERIAL[key] for key in IMMATERIAL if self.fits(key)), MISSING)

    def fits(self, key: str) -> bool:
        """Return whether a key of :data:`IMMATERIAL` is of this mutant, or of its function."""
        pattern = re.compile(".*".join(map(re.escape, key.split("…"))))
        names = self.key, f"{self.mutant.path}:{self.mutant.function}"
        return any(pattern.fullmatch(name) for name in names)


def cases_of(of: str) -> list[Case]:
    """Return the vectors of an algorithm and of its constants."""
    return [
        case for kind in ("algorithms", "constants") for case in store.read(store.path_of(kind, of))
    ]


@cache
def cases_of_kind(kind: str) -> tuple[Case, ...]:
    """Return all vectors of a kind."""
    return tuple(case for of, _, path in store.files() if of == kind for case in store.read(path))


def is_caught(cases: Iterable[Case]) -> bool:
    """Return whether the reference, as it is broken now, differs from a case."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return any(store.wrong(case) is not None for case in cases)
    except Exception:  # whatever a broken implementation does, not ending included
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@cache
def _run_by(name: str) -> tuple[float, frozenset[tuple[str, int]]]:
    """Return how long a case takes, and the functions that it runs: module, and first line."""
    wrong: list[Any] = []
    forget()
    start = time.process_time()
    begun = functions_run(lambda: wrong.append(store.wrong(_CASES[name])))
    assert wrong == [None], name
    return time.process_time() - start, frozenset(begun)


_CASES: dict[str, Case] = {}


def running(module: ModuleType, cases: Sequence[Case]) -> dict[int, list[Case]]:
    """Return, by the line on which a function of a module begins, the cases that run it.

    The quickest first.
    """
    found: dict[int, list[tuple[float, Case]]] = {}
    for case in cases:
        _CASES[case["id"]] = case
        seconds, begun = _run_by(case["id"])
        for line in {line for name, line in begun if name == module.__name__}:
            found.setdefault(line, []).append((seconds, case))
    return {
        line: [case for _, case in sorted(timed, key=lambda pair: pair[0])]
        for line, timed in found.items()
    }


def tried(module: ModuleType, cases: Sequence[Case], known: Known) -> Iterator[Tried]:
    """Yield what becomes of every mutant of a module."""
    source, by_function = inspect.getsource(module), running(module, cases)
    for mutant in mutants_of(str(Path(str(module.__file__)).relative_to(ROOT)), source):
        if not mutant.function or mutant.checks:
            continue
        changed = mutant.applied(source)
        found = Tried(mutant, changed.splitlines()[mutant.line - 1].strip(), False)
        if found.key not in known and _tries(module, changed, by_function.get(mutant.begins, [])):
            known.add(found.key)
        yield replace(found, caught=found.key in known)


def _tries(module: ModuleType, source: str, cases: Sequence[Case]) -> bool:
    try:
        with recompiled(module, source):
            return is_caught(cases)
    except Exception:  # it cannot even be imported
        return True


class Known(set[str]):
    """The mutants that are caught, kept in a file."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path.read_text("utf-8").split("\n") if path and path.exists() else ())
        self._path = path

    def add(self, name: str) -> None:
        """Note a mutant that is caught."""
        super().add(name)
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(name + "\n")


def module_of(path: str) -> ModuleType:
    """Return the module of a file."""
    return importlib.import_module(path.removesuffix(".py").replace("/", "."))


def questions(
    ids: Sequence[str], paths: Sequence[str], kinds: Sequence[str]
) -> Iterator[tuple[str, ModuleType, list[Case]]]:
    """Yield what mutants are asked for: a title, the module, and the cases that it is tried on."""
    if kinds:
        for path in paths:
            yield path, module_of(path), [case for kind in kinds for case in cases_of_kind(kind)]
        return
    for of in ids or modules():
        own = sys.modules[entry(of).function.__module__]
        for module in [module_of(path) for path in paths] or [own]:
            yield of, module, [*cases_of(of), *cases_of_kind("blocks")]
    if not ids and not paths:
        for path, named in FILES.items():
            yield path, module_of(path), [case for kind in named for case in cases_of_kind(kind)]


def page(found: dict[str, list[Tried]]) -> str:
    """Return the page of what was tried."""
    every = [item for items in found.values() for item in items]
    left = [item for item in every if not item.caught]
    missing = [item for item in left if item.reason == MISSING]
    lines = [
        "# Mutants that conformance vectors catch",
        "",
        f"Of {len(every)} mutants {len(every) - len(left)} are caught. Of the {len(left)} others "
        f"{len(missing)} are a missing case; the rest changes",
        "nothing that an implementation could be asked for, for the reason given.",
        "",
        "A mutant is one changed expression in a function: `auditor/conformance/mutants.py` says",
        "which.",
        "Statements that only check arguments are left out. The file of an algorithm is tried on",
        "its vectors, those of its constants and those of building blocks; building blocks,",
        "mechanisms and conversions on those of their kind.",
        "Written by `python -m benchmarks.vector_mutants --table docs/measured/vector-mutants.md`.",
        "",
        "| of | mutants | caught | uncaught | missing |",
        "|---|--:|--:|--:|--:|",
    ]
    for title, items in found.items():
        open_ = [item for item in items if not item.caught]
        lacking = sum(item.reason == MISSING for item in open_)
        lines.append(
            f"| {title} | {len(items)} | {len(items) - len(open_)} | {len(open_)} | {lacking} |"
        )
    for title, items in found.items():
        open_ = [item for item in items if not item.caught]
        if open_:
            lines += ["", f"## {title}", ""]
            lines += [
                f"- {reason}: "
                + "; ".join(
                    f"`{item}` (line {item.mutant.line})" for item in open_ if item.reason == reason
                )
                for reason in dict.fromkeys(item.reason for item in open_)
            ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--file", action="append", default=[], help="from the root, not ID's own")
    parser.add_argument("--kind", action="append", default=[], help="of the vectors to try")
    parser.add_argument("--results", type=Path, help="file that keeps what is caught")
    parser.add_argument("--table", type=Path, help="page to write")
    options = parser.parse_args(arguments)

    def too_long(*_: Any) -> None:
        raise _TooLongError

    signal.signal(signal.SIGPROF, too_long)
    np.seterr(all="ignore")  # what a mutant divides by says nothing
    known, found = Known(options.results), {}
    for title, module, cases in questions(options.ids, options.file, options.kind):
        found[title] = list(tried(module, cases, known))
        left = [item for item in found[title] if not item.caught]
        print(f"{title}: {len(found[title])} mutants, {len(left)} uncaught", flush=True)
        for item in left:
            print(f"    {item.mutant.line}: {item}  [{item.reason}]")
    every = [item for items in found.values() for item in items]
    left = [item for item in every if not item.caught]
    print(f"{len(every)} mutants, {len(left)} uncaught")
    for key in [] if options.ids or options.file else IMMATERIAL:
        if not any(item.fits(key) for item in left):
            print(f"    a reason of no mutant: {key}")
    if options.table:
        options.table.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
