"""Time and memory of the quick audit, and what each algorithm and question costs in CPU seconds.

Run as ``python benchmarks/audit_time.py [--workers N]``; it audits into a temporary folder. With
``--timings FILE`` it reads the ``timings.json`` of an audit that was run before. The last line says
what a catalogue of 101 algorithms would take on two cores, against the design's three minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

PLANNED = 101
"""Algorithms in the catalogue that is planned."""
CORES = 2
LIMIT = 180
"""Seconds that the quick audit of all of them may take."""


def resident(pid: int) -> int:
    """Bytes in memory of a process and all its descendants, shared pages counted once each."""
    total = 0
    for process in [pid, *descendants(pid)]:
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:  # it ended meanwhile
            continue
        total += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(c) for c in children] + [d for c in children for d in descendants(int(c))]


def measure(workers: int, folder: Path) -> tuple[float, int, int]:
    """Run the quick audit; return seconds, peak bytes and exit status."""
    command = [sys.executable, "-m", "auditor", "audit", "--tier", "quick"]
    command += ["--workers", str(workers), "--results", str(folder)]
    start = time.perf_counter()
    audit = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.5):
            peak = max(peak, resident(audit.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = audit.wait()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    return seconds, peak, status


def shares(timings: dict[str, Any]) -> tuple[Counter[str], Counter[str]]:
    """CPU seconds of every algorithm and of every question."""
    by_algorithm: Counter[str] = Counter()
    by_question: Counter[str] = Counter()
    for algorithm, forms in timings.items():
        for questions in forms.values():
            for question, spent in questions.items():
                by_algorithm[algorithm] += spent
                by_question[question] += spent
    return by_algorithm, by_question


def show(title: str, spent: Counter[str]) -> None:
    total = sum(spent.values())
    print(f"\n{title:<20}{'CPU s':>9}{'share':>8}")
    for name, seconds in spent.most_common():
        print(f"{name:<20}{seconds:>9.1f}{seconds / total:>8.1%}")


def projection(by_algorithm: Counter[str]) -> str:
    """Return the time of a catalogue of the planned size, at today's mean."""
    mean = sum(by_algorithm.values()) / len(by_algorithm)
    seconds = mean * PLANNED / CORES
    return (
        f"{sum(by_algorithm.values()):.0f} CPU s, {mean:.2f} an algorithm, at most "
        f"{max(by_algorithm.values()):.1f}; {PLANNED} algorithms on {CORES} cores: {seconds:.0f} s "
        f"of {LIMIT} s, {'within' if seconds <= LIMIT else 'beyond'} the design"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--timings", type=Path)
    chosen = parser.parse_args()
    if chosen.timings:
        timings = json.loads(chosen.timings.read_text())
    else:
        with tempfile.TemporaryDirectory() as name:
            seconds, peak, status = measure(chosen.workers, Path(name))
            timings = json.loads((Path(name) / "timings.json").read_text())
        print(
            f"{chosen.workers} workers: {seconds:.0f} s, peak {peak / 2**20:.0f} MiB, "
            f"exit status {status}"
        )
    by_algorithm, by_question = shares(timings)
    show("algorithm", by_algorithm)
    show("question", by_question)
    print(f"\n{projection(by_algorithm)}")


if __name__ == "__main__":
    main()
