"""Compare the auditor with what else a user would install or write: certified epsilon and seconds.

Run as ``python -m benchmarks.peers.run`` from the root of a clone.
Every method is given the same samples of the zoo's mechanisms. Writes
``results/peers/results.jsonl``, ``docs/measured/benchmarks.md`` and its picture; takes about ten
minutes on two cores, and a few more the first time, when the peers' environments are made.
``--add NAME`` measures mechanisms that joined the zoo since, and only adds a table to the page.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy: one core for every method

import numpy as np

import auditor
from auditor.core.errors import one_line
from auditor.runs.blocks import Outputs
from benchmarks.peers.peers import PEERS, Adapter, Peer, PeerError, make_environment
from benchmarks.peers.report import add_report, write_report
from benchmarks.peers.subjects import Subject, repetitions, sizes, subjects
from benchmarks.peers.textbook import METHODS, Unsupported, simple_scores

ROOT = Path(__file__).parents[2]
ALPHA = 0.05
PATIENCE = 300.0
"""Seconds that one request to a peer may take."""
OURS = "touchstone"


@dataclass(frozen=True)
class Record:
    """The result of one method on one set of samples.

    Attributes
    ----------
    source : str
        ``"touchstone"``, ``"textbook"`` or the package.
    epsilon, seconds : float or None
        None where the method failed. Processor seconds: other work on the machine does not count.
    error : str
        Why, if it failed.
    """

    mechanism: str
    samples: int
    seed: int
    source: str
    method: str
    epsilon: float | None
    seconds: float | None
    error: str = ""


@dataclass(frozen=True)
class Task:
    """One set of samples."""

    subject: Subject
    samples: int
    seed: int

    def record(
        self,
        source: str,
        method: str,
        epsilon: float | None,
        seconds: float | None,
        error: str = "",
    ) -> Record:
        """Return what a method made of it."""
        name = self.subject.name
        return Record(name, self.samples, self.seed, source, method, epsilon, seconds, error)


def attempted(call: Callable[[], float]) -> tuple[float | None, float | None, str]:
    """Return what a call returns, its processor seconds, and why it failed, if it did."""
    start = time.process_time()
    try:
        value = call()
    except Unsupported as reason:
        return None, None, f"not supported: {reason}"
    except Exception as error:  # of whatever kind: a method that fails is shown to fail
        return None, None, one_line(error)
    return value, time.process_time() - start, ""


def home_records(task: Task, first: Outputs, second: Outputs) -> Iterator[Record]:
    """Yield what we and the textbook make of samples."""
    delta = task.subject.delta

    def measured() -> float:
        found = auditor.measure_samples(
            first, second, delta=delta, confidence=1 - ALPHA, seed=task.seed
        )
        return float(found.epsilon_lower)

    yield task.record(OURS, OURS, *attempted(measured))
    for name, method in METHODS.items():
        bound = partial(method, first, second, delta, ALPHA)
        yield task.record("textbook", name, *attempted(bound))


def asked(peer: Peer, task: Task) -> list[str]:
    """Return the methods of a peer that are given samples."""
    name, samples, seed = task.subject.name, task.samples, task.seed
    return [method.name for method in peer.methods if method.takes(name, samples, seed)]


class Field:
    """The peers at work, in a thread of their own: one core for them, one for us."""

    def __init__(self, peers: list[Peer], environments: Path) -> None:
        self._adapters = {
            peer: Adapter(peer, make_environment(peer, environments), PATIENCE) for peer in peers
        }
        self._folder = tempfile.TemporaryDirectory()
        self._thread = ThreadPoolExecutor(1)

    def submit(self, task: Task, first: Outputs, second: Outputs, journal: Journal) -> Future[None]:
        """Start the audit of samples by every peer, to be written down.

        The peers take one number per output. Where an output is not one, they are given the score
        of a classifier trained on half of the runs, and its seconds are theirs.
        """
        start = time.process_time()
        try:
            scores = simple_scores(first, second)
        except Unsupported as reason:
            journal.add(self._refused(task, f"not supported: {reason}"))
            return self._thread.submit(lambda: None)
        scoring = time.process_time() - start
        path = Path(self._folder.name) / f"{task.subject.name}-{task.samples}-{task.seed}.npz"
        np.savez(path, first=scores.first, second=scores.second)
        return self._thread.submit(
            lambda: journal.add(self._answers(task, path, scores.held, scoring))
        )

    def _answers(self, task: Task, path: Path, held: int, scoring: float) -> Iterator[Record]:
        for peer, adapter in self._adapters.items():
            methods = asked(peer, task)
            if not methods:
                continue
            answers = adapter.ask(
                path,
                methods,
                held=held,
                delta=task.subject.delta,
                alpha=ALPHA,
                seed=task.seed,
            )
            for name, answer in answers.items():
                seconds = answer.get("seconds")
                yield task.record(
                    peer.package,
                    name,
                    answer.get("epsilon"),
                    None if seconds is None else seconds + (scoring if held else 0.0),
                    answer.get("error", ""),
                )
        path.unlink()

    def _refused(self, task: Task, reason: str) -> list[Record]:
        return [
            task.record(peer.package, method, None, None, reason)
            for peer in self._adapters
            for method in asked(peer, task)
        ]

    def close(self) -> None:
        """End the adapters."""
        self._thread.shutdown(cancel_futures=True)
        for adapter in self._adapters.values():
            adapter.close()
        self._folder.cleanup()


def tasks(*, quick: bool, only: list[str]) -> list[Task]:
    """Return every set of samples, small ones first."""
    found = [
        Task(subject, size, seed)
        for subject in subjects().values()
        if not only or subject.name in only
        for size in sizes(subject, quick=quick)
        for seed in range(repetitions(subject, size, quick=quick))
    ]
    return sorted(found, key=lambda task: task.samples)


class Journal:
    """The file that takes one line of JSON for every record, as soon as it is there."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w")
        self._lock = threading.Lock()

    def add(self, records: Iterable[Record]) -> None:
        """Write records; called by both threads."""
        lines = [json.dumps(asdict(record)) + "\n" for record in records]
        with self._lock:
            self._file.writelines(lines)
            self._file.flush()

    def close(self) -> None:
        """End the file."""
        self._file.close()


def compare(field: Field, todo: Iterable[Task], journal: Journal) -> None:
    """Write down what every method makes of every set of samples."""
    waiting: list[Future[None]] = []
    start = time.perf_counter()
    for task in todo:
        first, second = task.subject.draw(task.samples, task.seed)
        waiting.append(field.submit(task, first, second, journal))
        journal.add(home_records(task, first, second))
        clock = f"{time.perf_counter() - start:6.0f} s"
        print(f"{clock}  {task.samples:>8} x {task.subject.name}", flush=True)
    print(
        f"the packages have {sum(not f.done() for f in waiting)} sets of samples to go", flush=True
    )
    for future in waiting:
        future.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="up to 10^4 samples, about a minute")
    parser.add_argument("--without", nargs="*", default=[], help="packages to leave out")
    parser.add_argument("--only", nargs="*", default=[], help="mechanisms, if not all")
    parser.add_argument(
        "--add", nargs="+", default=[], help="mechanisms that the page gets a table of"
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "peers")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs/measured")
    parser.add_argument("--environments", type=Path, help="default: below the results")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    todo = tasks(quick=options.quick, only=options.only or options.add)
    peers = [
        peer
        for peer in PEERS
        if peer.package not in options.without and any(asked(peer, task) for task in todo)
    ]
    path = options.results / ("added.jsonl" if options.add else "results.jsonl")
    journal = Journal(path)
    try:
        field = Field(peers, options.environments or options.results / "environments")
        try:
            compare(field, todo, journal)
        finally:
            field.close()
    except PeerError as error:
        raise SystemExit(f"error: {error}") from None
    finally:
        journal.close()
    (add_report if options.add else write_report)(path, options.docs)


if __name__ == "__main__":
    main()
