"""False alarms and power of ``auditor.check``; write ``docs/calibration.md`` and its plots.

    python benchmarks/calibration.py

*False alarms*: thousands of checks of mechanisms exactly at their claim, at 95% (so that there is
something to count). *Power*: the share of checks that refute a claim which the mechanism exceeds
by 2% to 100%, with 10^3 to 10^6 runs a side, and how many runs they took.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import matplotlib
import numpy as np
from scipy import stats
from scipy.optimize import brentq

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import auditor
from auditor.statistics.proportions import clopper_pearson
from auditor.zoo import specimens

DOCS = Path(__file__).parents[1] / "docs"
CONFIDENCE = 0.95
OVER = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
RUNS = (1000, 10_000, 100_000, 1_000_000)
TIGHT = 1e-6
"""Specimens whose truth is within this of their claim count as exactly at it."""


def false_alarm(name: str, samples: int, seed: int) -> bool:
    """Return whether one check of a right mechanism calls it violated."""
    specimen = specimens()[name]
    found = auditor.check(
        specimen,
        pair=specimen.pair,
        epsilon=specimen.epsilon,
        delta=specimen.delta,
        confidence=CONFIDENCE,
        samples=samples,
        seed=seed,
        batched=True,
        relation="any",
    )
    return found.status == "violated"


def laplace(scale: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw the Laplace mechanism."""
    return data + rng.laplace(scale=scale, size=size)


def gaussian(scale: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw the Gaussian mechanism."""
    return data + rng.normal(scale=scale, size=size)


def response(epsilon: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw randomized response."""
    return (rng.random(size) < 1 / (1 + math.exp(-epsilon))) == (data > 0.5)


DELTA = 1e-2


def gaussian_scale(epsilon: float) -> float:
    """Return the scale at which the Gaussian mechanism is exactly (epsilon, DELTA)-DP."""

    def surplus(scale: float) -> float:
        a, b = 1 / (2 * scale) - epsilon * scale, -1 / (2 * scale) - epsilon * scale
        return float(stats.norm.cdf(a) - math.exp(epsilon) * stats.norm.cdf(b)) - DELTA

    return float(brentq(surplus, 1e-2, 1e3))


FAMILIES: dict[str, tuple[Callable[[float], Callable[..., Any]], float]] = {
    "Laplace": (lambda epsilon: partial(laplace, 1 / epsilon), 0.0),
    "randomized response": (lambda epsilon: partial(response, epsilon), 0.0),
    f"Gaussian, delta {DELTA:g}": (lambda e: partial(gaussian, gaussian_scale(e)), DELTA),
}


def detection(family: str, over: float, samples: int, seed: int) -> tuple[bool, int]:
    """Return whether a check refutes epsilon = 1 of a mechanism over it, and the runs it took."""
    make, delta = FAMILIES[family]
    found = auditor.check(
        make(1 + over),
        pair=(0.0, 1.0),
        epsilon=1.0,
        delta=delta,
        confidence=CONFIDENCE,
        samples=samples,
        seed=seed,
        batched=True,
    )
    return found.status == "violated", found.samples


def calibration(audits: int, samples: int, workers: int) -> str:
    """Return the text about false alarms."""
    tight = [
        s.name
        for s in specimens().values()
        if not s.broken and not s.vector and abs(s.truth(s.delta) - s.epsilon) < TIGHT
    ]
    each = math.ceil(audits / len(tight))
    jobs = [(name, samples, seed) for name in tight for seed in range(each)]
    alarms = np.array(
        joblib.Parallel(n_jobs=workers)(joblib.delayed(false_alarm)(*job) for job in jobs)
    ).reshape(len(tight), each)
    total = int(alarms.sum())
    lower, upper = clopper_pearson(total, alarms.size, 0.025)
    lines = [
        "## False alarms",
        "",
        f"{alarms.size} checks of {len(tight)} mechanisms exactly at their claim, {samples} runs a "
        f"side, confidence {CONFIDENCE:g}: {total} false alarms, {total / alarms.size:.2%} "
        f"(95% interval {float(lower):.2%} to {float(upper):.2%}); at most {1 - CONFIDENCE:.0%} "
        "is promised.",
        "",
        "| mechanism | checks | false alarms |",
        "|---|---|---|",
        *(
            f"| {name} | {each} | {int(count)} |"
            for name, count in zip(tight, alarms.sum(axis=1), strict=True)
        ),
    ]
    return "\n".join(lines)


def power(repetitions: int, workers: int, runs: tuple[int, ...]) -> str:
    """Draw ``docs/power.png`` and return the text about it."""
    figure, axes = plt.subplots(2, len(FAMILIES), figsize=(11, 6), sharex=True, squeeze=False)
    lines = [
        "## Power",
        "",
        f"Share of {repetitions} checks (confidence {CONFIDENCE:g}) that refute epsilon = 1 of a "
        "mechanism whose epsilon is larger, and the median number of runs a side they took.",
        "",
        "![Power and runs used against how far the mechanism is over its claim](power.png)",
        "",
        "| mechanism | runs a side | " + " | ".join(f"{over:.0%} over" for over in OVER) + " |",
        "|---|---|" + "---|" * len(OVER),
    ]
    for column, family in enumerate(FAMILIES):
        for samples in runs:
            jobs = [(family, over, samples, seed) for over in OVER for seed in range(repetitions)]
            found = joblib.Parallel(n_jobs=workers)(joblib.delayed(detection)(*job) for job in jobs)
            seen = np.array([one for one, _ in found]).reshape(len(OVER), repetitions)
            used = np.array([two for _, two in found]).reshape(len(OVER), repetitions)
            share, median = seen.mean(axis=1), np.median(used, axis=1)
            axes[0, column].plot(OVER, share, marker="o", label=f"{samples:,} runs")
            axes[1, column].plot(OVER, median, marker="o")
            cells = [f"{p:.2f} ({int(m)})" for p, m in zip(share, median, strict=True)]
            lines.append(f"| {family} | {samples:,} | " + " | ".join(cells) + " |")
        axes[0, column].set(title=family, xscale="log")
        axes[1, column].set(xlabel="share over the claim", yscale="log")
    axes[0, 0].set_ylabel("power")
    axes[1, 0].set_ylabel("median runs a side")
    axes[0, 0].legend()
    figure.tight_layout()
    figure.savefig(DOCS / "power.png", dpi=110)
    return "\n".join(lines)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=2400)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--most-runs", type=int, default=RUNS[-1])
    parser.add_argument("--workers", type=int, default=joblib.cpu_count())
    asked = parser.parse_args()
    runs = tuple(count for count in RUNS if count <= asked.most_runs)
    text = "# How often the auditor is wrong, and what it sees\n\n"
    text += "Regenerated by `python benchmarks/calibration.py`.\n\n"
    text += calibration(asked.audits, asked.samples, asked.workers) + "\n\n"
    text += power(asked.repetitions, asked.workers, runs) + "\n"
    (DOCS / "calibration.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
