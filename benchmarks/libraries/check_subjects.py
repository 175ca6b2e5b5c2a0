"""Check the subjects of one library: runs in its environment, from the root of the clone.

    python -m benchmarks.libraries.check_subjects diffprivlib --samples 30000 --seed 0

Writes one line of JSON for every subject to standard output, as soon as it is there.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
import warnings
from collections.abc import Iterable
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy

import auditor
from auditor.core.errors import one_line
from benchmarks.libraries.subject import Subject, by_name

CONFIDENCE = 0.999


def record(subject: Subject, samples: int, seed: int) -> dict[str, Any]:
    """Return what the check says of a subject, and whether a fresh seed shows it again."""
    start = time.perf_counter()
    budget = min(samples, subject.samples or samples)
    common = {
        "name": subject.name,
        "claim": subject.claim,
        "words": subject.words,
        "finding": subject.finding,
    }
    try:
        found = auditor.check(
            subject.mechanism,
            pair=subject.pair,
            relation=subject.relation,
            confidence=CONFIDENCE,
            samples=budget,
            seed=seed,
            **subject.stated(),  # type: ignore[arg-type]
        )
    except Exception as error:  # of whatever kind: the others are to be checked
        return {**common, "status": "not checked", "error": one_line(error)}
    again: dict[str, Any] | None = None
    if found.witness is not None:
        fresh = auditor.rerun(
            subject.mechanism,
            found.witness,
            pair=subject.pair,
            seed=seed + 1,
            samples=max(min(2000, budget), found.samples),
        )
        again = {"shown": fresh.shown, "first": fresh.first, "second": fresh.second}
    return {
        **common,
        "status": found.status,
        "epsilon": found.epsilon_lower,
        "level": found.level_lower,
        "symbol": found.symbol,
        "runs": found.samples,
        "event": found.event,
        "direction": found.direction,
        "first": found.first,
        "second": found.second,
        "notes": [dict(note) for note in found.findings],
        "again": again,
        "seconds": time.perf_counter() - start,
    }


def chosen(subjects: Iterable[Subject], only: list[str]) -> list[Subject]:
    """Return the subjects that were asked for; all if none was."""
    return [s for s in by_name(subjects).values() if not only or s.name in only]


def main() -> None:
    """Check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    asked = parser.parse_args()
    module = importlib.import_module(f"benchmarks.libraries.{asked.library}_subjects")
    warnings.simplefilter("ignore")  # once a run; diffprivlib turns its own on when imported
    for subject in chosen(module.subjects(), asked.only):
        line = json.dumps(record(subject, asked.samples, asked.seed), default=str)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
