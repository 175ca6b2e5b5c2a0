"""Measure false alarms and power of ``auditor.check``; write ``docs/measured/calibration.md``.

    python benchmarks/calibration.py [--only Promises]

*False alarms*: thousands of checks of mechanisms exactly at their claim, at 95% (so that there is
something to count). *Power*: the share of checks that refute a claim which the mechanism exceeds
by 2% to 100%, with 10^3 to 10^6 runs a side, and how many runs they took. *Promises*: what a check
says it would have noticed, against how often it is noticed.
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
from auditor.checking.promises import SURELY
from auditor.statistics.proportions import clopper_pearson
from auditor.zoo import specimens

DOCS = Path(__file__).parents[1] / "docs/measured"
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
    """Draw ``docs/measured/power.png`` and return the text about it."""
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


# --------------------------------------------------------------------------------- promises


SEVERAL = f"Gaussian in 5 coordinates, delta {DELTA:g}"


def noisy_vector(scale: float, data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw a noisy vector of sensitivity 1."""
    return data / math.sqrt(5) + rng.normal(scale=scale, size=(size, 5))


def several(data: float, rng: np.random.Generator, size: int) -> Any:
    """Draw a noisy vector."""
    return noisy_vector(2.0, data, rng, size)


def telling(
    mechanism: Callable[..., Any],
    value: float,
    chance: float,
    data: float,
    rng: np.random.Generator,
    size: int,
) -> Any:
    """Draw a mechanism that on D' replaces an output (or its last entry) by a value, rarely."""
    outputs = np.array(mechanism(data, rng, size), dtype=float)
    if data > 0.5:
        outputs.reshape(size, -1)[rng.random(size) < chance, -1] = value
    return outputs


RARE: dict[str, tuple[Callable[..., Any], float, float, float]] = {
    "Laplace, epsilon 0.1": (partial(laplace, 10.0), 1000.0, 1.0, 0.0),
    "Laplace, epsilon 0.1, a value inside": (partial(laplace, 10.0), 0.25, 1.0, 0.0),
    "Laplace, epsilon 1": (partial(laplace, 1.0), 1000.0, 1.0, 0.0),
    "Laplace, epsilon 1, against epsilon 3": (partial(laplace, 1.0), 1000.0, 3.0, 0.0),
    "Laplace, epsilon 0.5, delta 0.01": (partial(laplace, 2.0), 1000.0, 1.0, 0.01),
    "randomized response, epsilon 1": (partial(response, 1.0), 7.0, 1.0, 0.0),
    "Gaussian in 5 coordinates": (several, 1000.0, 1.0, 0.0),
}
"""A mechanism, the value that gives D' away, and the claim."""


def once(
    mechanism: Callable[..., Any], epsilon: float, delta: float, samples: int, seed: int
) -> auditor.CheckResult:
    """Return one check at confidence 0.99."""
    return auditor.check(
        mechanism,
        pair=(0.0, 1.0),
        epsilon=epsilon,
        delta=delta,
        samples=samples,
        seed=seed,
        batched=True,
    )


def many(
    mechanism: Callable[..., Any], epsilon: float, delta: float, samples: int, seeds: range
) -> list[auditor.CheckResult]:
    """Return checks with several seeds."""
    return [once(mechanism, epsilon, delta, samples, seed) for seed in seeds]


def share_found(results: list[auditor.CheckResult]) -> str:
    """Return how many checks refute the claim, with a 95% interval."""
    if not results:
        return "-"
    found = sum(result.status == "violated" for result in results)
    lower, upper = clopper_pearson(found, len(results), 0.025)
    return f"{found / len(results):.2f} ({float(lower):.2f} to {float(upper):.2f})"


def rare_row(name: str, samples: int, checks: int) -> str:
    """Return how often an output as rare as was promised is noticed."""
    mechanism, value, epsilon, delta = RARE[name]
    plain = many(mechanism, epsilon, delta, samples, range(1000, 1003))
    promised = float(np.median([result.rarest for result in plain]))
    leaking = partial(telling, mechanism, value, promised)
    found = many(leaking, epsilon, delta, samples, range(2000, 2000 + checks))
    return f"| {name} | {samples:,} | {promised:.2g} | 0.90 | {share_found(found)} |"


def several_at(epsilon: float) -> Callable[..., Any]:
    """Return the Gaussian mechanism on a vector that is exactly (epsilon, DELTA)-DP."""
    return partial(noisy_vector, gaussian_scale(epsilon))


OVER_CLAIM = [
    ("Laplace", 3000),
    ("Laplace", 10_000),
    ("randomized response", 3000),
    (f"Gaussian, delta {DELTA:g}", 10_000),
    (f"Gaussian, delta {DELTA:g}", 30_000),
    (SEVERAL, 4000),
]
"""Mechanisms and runs a side."""


def over_row(family: str, samples: int, checks: int) -> str:
    """Return how often an excess is noticed, and what checks of a right mechanism promise."""
    make, delta = (several_at, DELTA) if family == SEVERAL else FAMILIES[family]
    plain = many(make(1.0), 1.0, delta, samples, range(1000, 1010))
    excesses = [result.noticeable for result in plain if result.noticeable < math.inf]
    at_excess = [
        once(make(1 + excesses[k % len(excesses)]), 1.0, delta, samples, 2000 + k)
        for k in range(checks if excesses else 0)
    ]
    at_ten = many(make(1.1), 1.0, delta, samples, range(3000, 3000 + checks))
    named = ", ".join(
        f"{excess:.0%} ({excesses.count(excess)})" for excess in sorted(set(excesses))
    )
    silent = len(plain) - len(excesses)
    named += f"{', ' if named else ''}none ({silent})" if silent else ""
    power = np.mean([result.power for result in plain])
    return (
        f"| {family} | {samples:,} | {named} | {SURELY:.2f} | {share_found(at_excess)} | "
        f"{power:.2f} | {share_found(at_ten)} |"
    )


def promises(checks: int, workers: int) -> str:
    """Return the text about what is promised and what is found."""
    jobs = [joblib.delayed(rare_row)(name, size, checks) for name in RARE for size in (4000,)]
    over = [joblib.delayed(over_row)(*row, checks) for row in OVER_CLAIM]
    rows = joblib.Parallel(n_jobs=workers)([*jobs, *over])
    lines = [
        "## Promises",
        "",
        "A check in which nothing is found says what it would have noticed (confidence 0.99 here). "
        f"Both promises are compared with {checks} checks a row; 95% intervals.",
        "",
        "*Rare outputs.* The probability at which an output, impossible on the other data set, is "
        "promised to be noticed 9 times of 10, and how often it is noticed at that probability.",
        "",
        "| mechanism | runs a side | probability | promised | found |",
        "|---|---|---|---|---|",
        *rows[: len(jobs)],
        "",
        "*Over the claim.* The excess (and how many of 10 checks of the mechanism exactly at "
        f"epsilon = 1 name it) that is promised to be noticed with probability {SURELY:g}, and "
        "how often a mechanism so far over is flagged; then what the 10 checks promise of the "
        "mechanism of epsilon 1.1 (mean), and how often that one is flagged. A promise is a lower "
        "bound: the level of rare events is known so roughly that it may be over already.",
        "",
        "| mechanism | runs a side | over | promised | found | promised at 10% | found |",
        "|---|---|---|---|---|---|---|",
        *rows[len(jobs) :],
    ]
    return "\n".join(lines)


def kept(title: str) -> str:
    """Return a section of the page as it is."""
    sections = (DOCS / "calibration.md").read_text(encoding="utf-8").split("\n## ")
    return next(f"## {text.strip()}" for text in sections if text.startswith(title))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=2400)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--checks", type=int, default=100, help="a row of the promises")
    parser.add_argument(
        "--only",
        choices=["False alarms", "Promises", "Power"],
        help="rewrite this section and keep the others",
    )
    parser.add_argument("--most-runs", type=int, default=RUNS[-1])
    parser.add_argument("--workers", type=int, default=joblib.cpu_count())
    asked = parser.parse_args()
    runs = tuple(count for count in RUNS if count <= asked.most_runs)
    text = "# How often the auditor is wrong, and what it sees\n\n"
    sections: dict[str, Callable[[], str]] = {
        "False alarms": lambda: calibration(asked.audits, asked.samples, asked.workers),
        "Promises": lambda: promises(asked.checks, asked.workers),
        "Power": lambda: power(asked.repetitions, asked.workers, runs),
        # written by benchmarks/broken_constants.py
        "Confidence constants": lambda: kept("Confidence constants"),
    }
    made = [
        make() if asked.only in (None, title) else kept(title) for title, make in sections.items()
    ]
    # what follows the heading of the false alarms is the answer
    text += made[0].split("\n\n")[1] + " What it sees: the promises and the power below.\n\n"
    text += "Regenerated by `python benchmarks/calibration.py`.\n\n"
    text += "\n\n".join(made) + "\n"
    (DOCS / "calibration.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
