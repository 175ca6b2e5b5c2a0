"""Wall time and memory of the quick audit, and the share of each algorithm and question.

Run as ``python benchmarks/audit_time.py [--workers N]``; it audits into a temporary folder.
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


def show(title: str, shares: Counter[str]) -> None:
    total = sum(shares.values())
    print(f"\n{title:<20}{'seconds':>9}{'share':>8}")
    for name, seconds in shares.most_common():
        print(f"{name:<20}{seconds:>9.1f}{seconds / total:>8.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    workers = parser.parse_args().workers
    with tempfile.TemporaryDirectory() as name:
        seconds, peak, status = measure(workers, Path(name))
        timings = json.loads((Path(name) / "timings.json").read_text())
    print(f"{workers} workers: {seconds:.0f} s, peak {peak / 2**20:.0f} MiB, exit status {status}")
    by_algorithm: Counter[str] = Counter()
    by_question: Counter[str] = Counter()
    for algorithm, forms in timings.items():
        for questions in forms.values():
            for question, spent in questions.items():
                by_algorithm[algorithm] += spent
                by_question[question] += spent
    show("algorithm", by_algorithm)
    show("question", by_question)


if __name__ == "__main__":
    main()
