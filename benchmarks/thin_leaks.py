"""Compare learned events with the best there are, as in ``docs/measured/thin-leaks.md``.

    python -m benchmarks.thin_leaks --runs 20000 [--seeds 3] [NAME ...]

For every mechanism the exact likelihood ratio is known. Of all events the one where it is above a
threshold is best (Neyman and Pearson); the best of these, counted in as many runs, is what can be
certified. *Share* is what ``auditor.measure_samples`` certifies of it with the same number of runs,
from which it has to learn the event as well. *Known* is the share if the exact ratio is its score,
and only the threshold has to be chosen, by counts, in the runs that train.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

import auditor
from auditor.events.learning import training_runs
from auditor.events.thresholds import choose_threshold
from auditor.runs.blocks import Outputs
from auditor.statistics.claims import EpsilonDelta, certified_level
from benchmarks.thin_leak_subjects import FRESH, SNIPER, Subject
from reference._validation import FloatArray

CONFIDENCE = 0.9
PURE = EpsilonDelta(0.0)
EXACT_RUNS = 200_000
"""Runs a side in which the exact ratio's thresholds are compared."""


def best_level(subject: Subject, runs: int) -> float:
    """Return what the exact ratio's best event certifies in ``runs`` runs a side.

    Its probabilities are means of 2/(1 + e^-ratio) and 2/(1 + e^ratio) over the runs of both
    sides, which have less noise than counts.
    """
    ratio = np.concatenate([subject.ratio(subject.draw(k, EXACT_RUNS, 99)) for k in (0, 1)])
    ratio = np.sort(ratio)[::-1]
    first, second = (np.cumsum(expit(sign * ratio)) for sign in (1, -1))
    ends = np.flatnonzero(ratio[1:] < ratio[:-1])
    first, second = first[ends] / first[-1], second[ends] / second[-1]
    at = np.unique(np.geomspace(1, ends.size, 200).astype(int) - 1)
    at = np.union1d(at, ends.size - 1 - at)
    levels = [certified(first[i], second[i], runs) for i in at]
    return max([*levels, *(certified(second[i], first[i], runs) for i in at)])


def certified(p: float, q: float, runs: int) -> float:
    """Return what an event of these probabilities certifies."""
    counts = ((round(float(share) * runs), runs) for share in (p, q))
    return certified_level(PURE, *counts, 1 - CONFIDENCE)


def known_level(subject: Subject, first: Outputs, second: Outputs) -> float:
    """Return what the exact ratio certifies where the threshold is chosen in the training runs."""
    runs = len(first)
    trained = training_runs(first, runs)
    # how a ratio is rounded says where the output was
    ratios = [np.round(subject.ratio(side), 9) for side in (first, second)]
    chosen = choose_threshold(
        ratios[0][:trained], ratios[1][:trained], PURE, 1 - CONFIDENCE, runs - trained
    )
    counts = [(int(np.sum(r[trained:] > chosen.threshold)), runs - trained) for r in ratios]
    return certified_level(PURE, counts[chosen.side], counts[1 - chosen.side], 1 - CONFIDENCE)


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    best: float
    shares: FloatArray
    known: FloatArray
    seconds: float

    def __str__(self) -> str:
        spread = f"{np.median(self.shares):.3f} | {self.shares.min():.3f}"
        known = f"{np.median(self.known):.3f} | {self.known.min():.3f}"
        return f"| {self.name} | {self.best:.4f} | {spread} | {known} | {self.seconds:.1f} |"


def rows(subjects: list[Subject], runs: int, seeds: range) -> Iterator[Row]:
    """Measure every subject with every seed."""
    for subject in subjects:
        best, seconds = best_level(subject, runs), []
        shares, known = [], []
        for seed in seeds:
            first, second = (subject.draw(side, runs, seed) for side in (0, 1))
            start = time.process_time()
            found = auditor.measure_samples(first, second, confidence=CONFIDENCE, seed=seed)
            seconds.append(time.process_time() - start)
            shares.append(found.epsilon_lower / best)
            known.append(known_level(subject, first, second) / best)
        took = float(np.median(seconds))
        yield Row(subject.name, best, np.array(shares), np.array(known), took)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("names", nargs="*", help="only these")
    asked = parser.parse_args()
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    for title, subjects in (("DP-Sniper's", SNIPER), ("Fresh", FRESH)):
        chosen = [s for s in subjects if not asked.names or s.name in asked.names]
        print(f"\n{title}, {asked.runs:,} runs a side\n", flush=True)
        print("| mechanism | best | share | worst | known | worst known | seconds |")
        print("|---|---|---|---|---|---|---|")
        medians = []
        for row in rows(chosen, asked.runs, seeds):
            medians.append(float(np.median(row.shares)))
            print(row, flush=True)
        if medians:
            print(f"\nmedian {np.median(medians):.3f}, worst {min(medians):.3f}", flush=True)


if __name__ == "__main__":
    main()
