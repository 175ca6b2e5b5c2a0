"""Check the public mechanisms of every library that has a manifest; write the page.

Run as ``python -m benchmarks.libraries.run`` from the root of a clone. Each library is checked in
an environment of its own below ``results/libraries/environments``, made when first needed. Writes
``results/libraries/*.jsonl``, and ``docs/measured/libraries.md`` from them; takes about twenty
minutes on one core. ``--library KEY`` runs some only, and keeps the results of the others; until
all have been run it prints a table and writes no page.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.environments import EnvironmentFailure, make_environment
from benchmarks.libraries.findings import FINDINGS
from benchmarks.libraries.report import LIBRARIES, keep_run, load, table, write_report

ROOT = Path(__file__).parents[2]


def environment() -> Mapping[str, str]:
    """Return the variables of a child: one core, and no warnings of the library."""
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


def requirements(library: str, folder: Path) -> Path:
    """Write the requirements of a library into a file; return it."""
    path = folder / f"{library}.txt"
    path.write_text("\n".join(LIBRARIES[library].requirements) + "\n")
    return path


def check_library(
    python: Path, library: str, path: Path, *, samples: int, seed: int, only: Sequence[str]
) -> None:
    """Write what the check says of a library's subjects, one line each.

    Raises
    ------
    CalledProcessError
        If the library's process fails.
    """
    command = [str(python), "-m", "benchmarks.libraries.check_subjects", library]
    command += ["--samples", str(samples), "--seed", str(seed)]
    if only:
        command += ["--only", *only]
    with path.open("w") as file:
        subprocess.run(command, cwd=ROOT, env=environment(), stdout=file, check=True)


def reproduce(pythons: Mapping[str, Path], folder: Path) -> None:
    """Run the reproductions by hand; keep what they print.

    Raises
    ------
    CalledProcessError
        If one fails.
    """
    folder.mkdir(exist_ok=True)
    for finding in (one for one in FINDINGS if one.library in pythons):
        command = [str(pythons[finding.library]), str(finding.path)]
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=True
        )
        (folder / f"{finding.script}.txt").write_text(done.stdout)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="*", default=[], help="subjects; then nothing but a table is printed"
    )
    parser.add_argument(
        "--library", nargs="*", default=list(LIBRARIES), choices=list(LIBRARIES), metavar="KEY"
    )
    parser.add_argument("--samples", type=int, default=20_000, help="runs on each data set")
    parser.add_argument("--quick", action="store_true", help="2000 runs on each data set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "libraries")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs/measured")
    asked = parser.parse_args()
    asked.results.mkdir(parents=True, exist_ok=True)
    samples = 2000 if asked.quick else asked.samples
    try:
        pythons = {
            library: make_environment(
                library,
                requirements(library, asked.results),
                asked.results / "environments",
                clone=ROOT,
            )
            for library in asked.library
        }
        for library, python in pythons.items():
            path = asked.results / (f"{library}-only.jsonl" if asked.only else f"{library}.jsonl")
            check_library(python, library, path, samples=samples, seed=asked.seed, only=asked.only)
            print(f"{library}: {len(path.read_text().splitlines())} subjects in {path}", flush=True)
            if not asked.only:
                day = datetime.now(UTC).date().isoformat()
                keep_run(asked.results, library, samples=samples, seed=asked.seed, day=day)
        if not asked.only:
            reproduce(pythons, asked.results / "reproductions")
    except EnvironmentFailure as failure:
        raise SystemExit(f"error: {failure}") from None
    except subprocess.CalledProcessError as failure:
        raise SystemExit(f"error: {failure}") from None
    if asked.only:
        found = [
            r for library in asked.library for r in load(asked.results / f"{library}-only.jsonl")
        ]
        unknown = set(asked.only) - {record["name"] for record in found}
        if found:
            print(table(found))
        if unknown:
            raise SystemExit(f"error: no subject is called {' or '.join(sorted(unknown))}")
        return
    absent = [one for one in LIBRARIES if not (asked.results / f"{one}.jsonl").exists()]
    if absent:
        found = [r for library in asked.library for r in load(asked.results / f"{library}.jsonl")]
        print(f"{table(found)}\n\nno page is written: --library {' '.join(absent)} was never run")
    else:
        write_report(asked.results, asked.docs)


if __name__ == "__main__":
    main()
