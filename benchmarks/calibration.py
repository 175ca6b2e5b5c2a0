"""Measure false alarms and power of ``auditor.check``; write ``docs/measured/calibration.md``.

    python -m benchmarks.calibration [--only Promises]

*False alarms*: thousands of checks of mechanisms exactly at their claim, at 95% (so that there is
something to count), of the zoo and of every kind of claim. *Power*: the share of checks that refute
a claim which the mechanism exceeds by 2% to 100%, with 10^3 to 10^6 runs a side, and how many runs
they took. *Promises*: what a check says it would have noticed, against what is noticed.

The measurements behind *Promises* and the false alarms by claim are kept in
``docs/measured/calibration.json``, row by row: a run that was interrupted goes on where it was, and
``--measure again`` measures everything again.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

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
from benchmarks import excesses

DOCS = Path(__file__).parents[1] / "docs/measured"
RECORD = DOCS / "calibration.json"
FACTOR = 1.5
"""By so much, at most, should a promise exceed what is noticed."""
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


def calibration(audits: int, samples: int, workers: int, *, measure: Measure) -> str:
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
        "",
        *null_lines(measure=measure),
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


# ------------------------------------------------------------------ excesses over the claim

ROWS = [
    *((family, samples) for samples in (3000, 10_000) for family in excesses.FAMILIES),
    *((family, 100_000) for family in excesses.FAMILIES if family.name in excesses.MANY_RUNS),
]
FOUND_CHECKS = 40
"""Checks of mechanisms as far over the claim as was promised, a row."""
NULL_CHECKS = 2000
NULL_RUNS = 2000
NULLS = [family for family in excesses.FAMILIES if family.name in excesses.EXACTLY_AT]


def measured_row(family: excesses.Family, samples: int) -> dict[str, Any]:
    """Return what checks of a right mechanism promise, and what is noticed.

    Ten checks promise. Mechanisms as far over the claim as either says are checked, and the excess
    that is noticed 8 times in ten is sought by as many checks again, and more.
    """
    claim = family.claim
    plain = [excesses.evidence(family.over(0.0), claim, samples, seed) for seed in range(10)]
    promised = [found.noticeable(claim)[0] for found in plain]
    told = [share for share in promised if share < math.inf]
    noticed = [
        excesses.noticed(family, told[k % len(told)], samples, 2000 + k)
        for k in range(FOUND_CHECKS if told else 0)
    ]
    seen = excesses.excess_seen(family, samples, 90, start=0.3 if samples < 50_000 else 0.1)
    return {
        "promised": promised,
        "noticed": sum(noticed),
        "checks": len(noticed),
        "seen": [seen.share, seen.lower, seen.upper],
        "best": excesses.least_seen(family, samples),
    }


def null_row(family: excesses.Family) -> dict[str, Any]:
    """Return how many checks of a mechanism exactly at its claim call it violated."""
    alarms = [
        excesses.noticed(family, 0.0, NULL_RUNS, seed, 1 - CONFIDENCE)
        for seed in range(NULL_CHECKS)
    ]
    return {"checks": NULL_CHECKS, "alarms": sum(alarms)}


Measure = Literal["missing", "again", "nothing"]
"""Rows to measure: those that are not kept yet, all, or none."""


def recorded(
    key: str, make: Callable[[], dict[str, Any]], measure: Measure
) -> dict[str, Any] | None:
    """Return a measurement that is kept, or make it and keep it; None if none is to be made."""

    def kept_so_far() -> dict[str, Any]:
        found: dict[str, Any] = {}
        if RECORD.exists():
            found = json.loads(RECORD.read_text(encoding="utf-8"))
        return found

    if measure == "again" or (measure == "missing" and key not in kept_so_far()):
        made = {**kept_so_far(), key: make()}
        RECORD.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    row: dict[str, Any] | None = kept_so_far().get(key)
    return row


def over_claim(*, measure: Measure) -> tuple[str, list[str]]:
    """Return the answer about excesses, and the lines of the table."""
    lines, ratios, noticed, made = [], [], 0, 0
    for family, samples in ROWS:
        key = f"over: {family.name}, {samples}"
        row = recorded(key, partial(measured_row, family, samples), measure)
        if row is None:
            continue
        share, lower, upper = row["seen"]
        promised = sorted(row["promised"])
        ratio = float(np.median(promised)) / share
        ratios.append(ratio)
        noticed, made = noticed + row["noticed"], made + row["checks"]
        low, high = clopper_pearson(row["noticed"], max(row["checks"], 1), 0.025)
        best = "-" if row["best"] is None else f"{row['best']:.3g}"
        lines.append(
            f"| {family.name} | {family.shape} | {samples:,} | {np.median(promised):.3g} "
            f"({promised[0]:.3g} to {promised[-1]:.3g}) | {share:.3g} ({lower:.3g} to "
            f"{upper:.3g}) | {best} | {ratio:.2f} | {row['noticed'] / max(row['checks'], 1):.2f} "
            f"({float(low):.2f} to {float(high):.2f}) |"
        )
    within = sum(ratio <= FACTOR for ratio in ratios)
    answer = (
        f"A check that finds nothing promises {np.median(ratios):.2f} times the excess that is "
        f"noticed 8 times in ten (median of {len(ratios)} of {len(ROWS)} rows of claims, shapes "
        "and runs; "
        f"{min(ratios):.2f} to {max(ratios):.2f}, {within} of them at most {FACTOR:g}). Of "
        f"{made:,} mechanisms as far over their claim as a check promised, {noticed / made:.0%} "
        f"were noticed, where {SURELY:.0%} are promised."
    )
    return answer, lines


def null_lines(*, measure: Measure) -> list[str]:
    """Return the table of false alarms by kind of claim."""
    rows = [
        (family, recorded(f"null: {family.name}", partial(null_row, family), measure))
        for family in NULLS
    ]
    return [
        f"By kind of claim, {NULL_RUNS:,} runs a side, confidence {CONFIDENCE:g}:",
        "",
        "| mechanism exactly at its claim | checks | false alarms | 95% interval |",
        "|---|---|---|---|",
        *(
            f"| {family.name} | {row['checks']} | {row['alarms']} | "
            f"{_interval(row['alarms'], row['checks'])} |"
            for family, row in rows
            if row is not None
        ),
        *(f"| {family.name} | not measured yet | - | - |" for family, row in rows if row is None),
    ]


def _interval(count: int, trials: int) -> str:
    lower, upper = clopper_pearson(count, trials, 0.025)
    return f"{float(lower):.2%} to {float(upper):.2%}"


def promises(checks: int, workers: int, *, measure: Measure) -> str:
    """Return the text about what is promised and what is found."""
    answer, over = over_claim(measure=measure)
    jobs = [joblib.delayed(rare_row)(name, 4000, checks) for name in RARE]
    rare = kept_rows() if measure != "again" else joblib.Parallel(n_jobs=workers)(jobs)
    lines = [
        "## Promises",
        "",
        answer,
        "",
        "A check in which nothing is found says what it would have noticed (confidence 0.99 here).",
        "",
        "*Over the claim.* Shares over the claim: what checks of the mechanism exactly at its "
        "claim "
        f"promise to notice with probability {SURELY:g} (median and range of 10); what is noticed "
        f"that often (95% interval); the least excess at which the exact best event would be, if "
        "the check knew it; how many times what is noticed is promised; the share of checks "
        "that notice a mechanism as far over as was promised (95% interval). The share is that of "
        "a divergence, or that of the best event of 1% of the runs or more, which is the whole "
        "mechanism's epsilon or mu but for (3.14, 0.001); of a trade-off function it is by how "
        "many times a test that errs in 1% of the runs or more errs too rarely.",
        "",
        "| mechanism and claim | shape | runs a side | promised | noticed 8 times in ten | best "
        "event | factor | found as promised |",
        "|---|---|---|---|---|---|---|---|",
        *over,
        "",
        "*Rare outputs.* The probability at which an output, impossible on the other data set, is "
        "promised to be noticed 9 times of 10, and how often it is noticed at that probability "
        "(95% intervals).",
        "",
        "| mechanism | runs a side | probability | promised | found |",
        "|---|---|---|---|---|",
        *rare,
    ]
    return "\n".join(lines)


def kept_rows() -> list[str]:
    """Return the table of rare outputs as it is."""
    lines = kept("Promises").split("\n")
    start = lines.index("| mechanism | runs a side | probability | promised | found |") + 2
    rows: list[str] = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append(line)
    return rows


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
    parser.add_argument(
        "--measure",
        choices=get_args(Measure),
        default="missing",
        help="rows of the promises and of the false alarms by claim: those that are not kept "
        "in the record, all, or none, to write the page from what is kept",
    )
    parser.add_argument("--most-runs", type=int, default=RUNS[-1])
    parser.add_argument("--workers", type=int, default=joblib.cpu_count())
    asked = parser.parse_args()
    runs = tuple(count for count in RUNS if count <= asked.most_runs)
    text = "# How often the auditor is wrong, and what it sees\n\n"
    sections: dict[str, Callable[[], str]] = {
        "False alarms": lambda: calibration(
            asked.audits, asked.samples, asked.workers, measure=asked.measure
        ),
        "Promises": lambda: promises(asked.checks, asked.workers, measure=asked.measure),
        "Power": lambda: power(asked.repetitions, asked.workers, runs),
        # written by benchmarks/broken_constants.py
        "Confidence constants": lambda: kept("Confidence constants"),
    }
    made = [
        make() if asked.only in (None, title) else kept(title) for title, make in sections.items()
    ]
    # what follows the headings of the false alarms and of the promises is the answer
    text += "\n\n".join(section.split("\n\n")[1] for section in made[:2]) + "\n\n"
    text += "Regenerated by `python -m benchmarks.calibration`.\n\n"
    text += "\n\n".join(made) + "\n"
    (DOCS / "calibration.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
