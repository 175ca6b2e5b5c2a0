"""Turn results into ``docs/measured/benchmarks.md`` and ``docs/measured/benchmarks.png``.

Run as ``python -m benchmarks.peers.report`` to rebuild them from the last results.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from benchmarks.peers.peers import PEERS
from benchmarks.peers.subjects import COMMON, FEATURED, GOALS, most_samples, subjects
from benchmarks.peers.textbook import METHODS

ROOT = Path(__file__).parents[2]
OURS = "touchstone"
LEVEL = 0.01
"""Two certificates that differ by less than this share are called level."""

GUARANTEES = (
    {(OURS, OURS): "certificate"}
    | {(peer.package, m.name): m.guarantee for peer in PEERS for m in peer.methods}
    | {("textbook", name): "certificate" for name in METHODS}
)
COLOURS = {
    OURS: ["#c1121f"],
    "jax-privacy": ["#023e8a", "#0077b6", "#00b4d8", "#90e0ef", "#48cae4"],
    "privacy-estimates": ["#fb8500", "#ffb703", "#ffd166"],
    "opake-auditing": ["#2a9d8f"],
    "opendp-smartnoise": ["#bc6c25"],
    "pystatdp": ["#7b2cbf"],
    "textbook": ["#bbbbbb", "#999999", "#777777", "#555555", "#333333", "#111111"],
}


def load(path: Path) -> pd.DataFrame:
    """Return the results with the truth, and a column that says who made each."""
    frame = pd.read_json(path, lines=True)
    truth = {name: subject.epsilon for name, subject in subjects().items()}
    frame["truth"] = frame.mechanism.map(truth)
    frame["share"] = frame.epsilon / frame.truth
    return frame


def label(source: str, method: str) -> str:
    """Return how a method is called, with a dagger if its bound is not proven to hold."""
    name = OURS if source == OURS else f"{source}: {method}"
    return name if GUARANTEES[source, method] == "certificate" else f"{name} †"


def marked(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield (source, method, its rows), ours first."""
    for source, method in GUARANTEES:
        rows = frame[(frame.source == source) & (frame.method == method)]
        if len(rows):
            yield source, method, rows


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def cell(rows: pd.DataFrame) -> str:
    """Return the median share of the truth, or why there is none."""
    if rows.empty:
        return ""
    found = rows.epsilon.dropna()
    if found.empty:
        return (
            "n/s"
            if rows.error.str.startswith(("not supported", "ValueError: pure")).all()
            else "fails"
        )
    return f"{rows.share.median():.2f}" + ("" if len(found) == len(rows) else " (fails at times)")


def shares(frame: pd.DataFrame, largest: bool) -> str:
    """Return the table of certified/true for the featured mechanisms."""
    found = subjects()
    names = [name for name in FEATURED if name in set(frame.mechanism)]
    at = {n: most_samples(found[n]) if largest else COMMON for n in names}
    picked = frame[frame.samples == frame.mechanism.map(at)]
    rows = []
    for source, method, own in marked(picked):
        cells = [cell(own[own.mechanism == name]) for name in names]
        best = label(source, method)
        rows.append([f"**{best}**" if source == OURS else best, *cells])
    return table(["", *names], rows)


def medians(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the median epsilon of every method on every mechanism and number of samples."""
    keys = ["mechanism", "samples"]
    columns = ["source", "method"]
    return frame.pivot_table(index=keys, columns=columns, values="epsilon", aggfunc="median")


def standing(frame: pd.DataFrame, samples: int) -> str:
    """Return, for every other method, on how many mechanisms we are ahead of it."""
    found = medians(frame[frame.samples == samples])
    ours = found[OURS, OURS]
    rows = []
    for source, method in GUARANTEES:
        if source == OURS or (source, method) not in found:
            continue
        both = pd.DataFrame({"ours": ours, "theirs": found[source, method]}).dropna()
        ahead = (both.ours > both.theirs * (1 + LEVEL)).sum()
        behind = (both.theirs > both.ours * (1 + LEVEL)).sum()
        kept = both[both.ours > 0]
        ratio = (kept.theirs / kept.ours).median()
        counts = [len(both), ahead, len(both) - ahead - behind, behind]
        rows.append([label(source, method), *map(str, counts), f"{ratio:.2f}"])
    header = ["", "mechanisms", "we are ahead", "level", "behind", "theirs / ours, median"]
    return table(header, rows)


def losses(frame: pd.DataFrame, *, certificates: bool) -> str:
    """Return where another method's median is above ours, the largest gap for each case."""
    found = medians(frame)
    truth = frame.groupby("mechanism").truth.first().to_dict()
    rivals = [
        key
        for key, guarantee in GUARANTEES.items()
        if key[0] != OURS and key in found and (guarantee == "certificate") == certificates
    ]
    ours = cast(dict[tuple[str, int], float], found[OURS, OURS].to_dict())
    theirs = {key: found[key].dropna().to_dict() for key in rivals}
    lines = []
    for case, epsilon in ours.items():
        others = {key: values[case] for key, values in theirs.items() if case in values}
        best = max(others, key=lambda key: others[key], default=None)
        if best is not None and others[best] > epsilon * (1 + LEVEL):
            mechanism, samples = case
            figures = [f"{epsilon:.3f}", f"{others[best]:.3f}", f"{truth[mechanism]:.3f}"]
            lines.append([mechanism, f"{samples:,}", *figures, label(*best)])
    if not lines:
        return "Nowhere."
    return table(["mechanism", "samples a side", "ours", "theirs", "truth", "whose"], lines)


def answer(lost: str) -> str:
    """Return in a sentence in how many cases another method is ahead."""
    ahead = max(0, len(lost.splitlines()) - 2)  # without the head of the table
    return (
        f"In {ahead} cases, each a mechanism and a number of samples, a method whose bound holds "
        f"with the same confidence certifies more than {LEVEL:.0%} above `touchstone`; in no other."
    )


def goals(frame: pd.DataFrame) -> str:
    """Return mean and smallest certified epsilon for Laplace noise, for all methods."""
    laplace = frame[frame.mechanism == "laplace"]
    rows = [["goal", *(f"{goal:.2f}" for goal in GOALS.values())]]
    for source, method, own in marked(laplace):
        cells = []
        for size in GOALS:
            found = own[own.samples == size].epsilon.dropna()
            cells.append(f"{found.mean():.3f} ({found.min():.3f})" if len(found) else "")
        rows.append([label(source, method), *cells])
    return table(["mean (smallest)", *(f"{size:,}" for size in GOALS)], rows)


def seconds(frame: pd.DataFrame, *, vectors: bool) -> str:
    """Return how many times our seconds every method takes: medians over mechanisms and seeds."""
    kind = {name: subject.specimen.vector for name, subject in subjects().items()}
    picked = frame[frame.mechanism.isin(FEATURED) & (frame.mechanism.map(kind) == vectors)]
    keys = ["mechanism", "samples", "seed"]
    ours = picked[picked.source == OURS].set_index(keys).seconds
    sizes = sorted(picked.samples.unique())
    rows = []
    for source, method, own in marked(picked):
        ratio = own.set_index(keys).seconds / ours
        cells = []
        for size in sizes:
            found = ratio[ratio.index.get_level_values("samples") == size].dropna()
            if source == OURS:
                cells.append(f"{own[own.samples == size].seconds.median():.3f} s")
            else:
                cells.append(f"{float(f'{found.median():.2g}'):g}x" if len(found) else "")
        rows.append([label(source, method), *cells])
    return table(["", *(f"{size:,}" for size in sizes)], rows)


def above(frame: pd.DataFrame) -> str:
    """Return how often every method certified more than the truth."""
    rows = []
    for source, method, own in marked(frame):
        found = own.dropna(subset="epsilon")
        over = int((found.epsilon > found.truth).sum())
        counts = [str(over), str(len(found))]
        rows.append([label(source, method), *counts, GUARANTEES[source, method]])
    return table(["", "above the truth", "of audits", "what it says"], rows)


# -------------------------------------------------------------------------------------- the plot


def draw(frame: pd.DataFrame, path: Path) -> None:
    """Draw certified/true against samples for the featured mechanisms, and seconds."""
    names = [name for name in FEATURED if name in set(frame.mechanism)]
    figure, axes = plt.subplots(4, 4, figsize=(15, 13), layout="constrained")
    panels = list(axes.flat)
    for axis, name in zip(panels, names, strict=False):
        curves(axis, frame[frame.mechanism == name], "share")
        axis.set(title=name, ylim=(-0.03, 1.05))
        axis.axhline(1, color="black", lw=0.5)
    panels[0].set_ylabel("certified / true epsilon, 95%")
    scalar = frame.mechanism.isin([n for n in names if not subjects()[n].specimen.vector])
    vector = frame.mechanism.isin([n for n in names if subjects()[n].specimen.vector])
    for axis, kind, rows in [(panels[12], "scalars", scalar), (panels[13], "vectors", vector)]:
        curves(axis, frame[rows], "seconds")
        axis.set(title=f"seconds, {kind}", yscale="log")
    for axis in panels:
        axis.set(xscale="log")
    handles, labels = panels[0].get_legend_handles_labels()
    for axis in panels[14:]:
        axis.set_axis_off()
    panels[14].legend(handles, labels, loc="upper left", fontsize=9, frameon=False)
    figure.savefig(path, dpi=80, metadata={"Software": None})
    plt.close(figure)


def curves(axis: Axes, frame: pd.DataFrame, column: str) -> None:
    """Draw the median of a column against samples, one line for each method."""
    drawn: dict[str, int] = {}
    for source, method, own in marked(frame):
        number = drawn[source] = drawn.get(source, -1) + 1
        line = own.groupby("samples")[column].median().dropna()
        ours = source == OURS
        dashes = "-" if GUARANTEES[source, method] == "certificate" else "--"
        axis.plot(
            line.index,
            line,
            dashes,
            marker=".",
            color=COLOURS[source][number],
            label=label(source, method),
            lw=2.5 if ours else 1.2,
            zorder=3 if ours else 2,
        )


PAGE = """# Compared with what else you would install

{answer}

{intro}

![Certified over true epsilon against the number of samples](benchmarks.png)

## Where something else is ahead

Medians over seeds that are more than {level:.0%} above ours, and for each case the best other
method. Compared are all {mechanisms} mechanisms of the zoo whose true epsilon is positive. Those
that joined it after the page was made are only in the table of the day on which they were measured.

Bounds that hold with 95% confidence:

{lost}

Bounds without that proof (†):

{lost_unproven}

## All of the zoo, at {common:,} samples a side

A method is compared on the mechanisms for which it gave a bound: not all take every kind of
output, or a delta.

{standing}

{later}

At 1,000,000 samples a side (500,000 for vectors):

{largest}

At {common:,}:

{small}

Medians over seeds. n/s: the method does not take such outputs, or no delta. Empty: not run, because
slow.

## Laplace noise at epsilon 1

The first row is what was aimed for before anything was measured.

{goals}

## Seconds

Processor seconds; ours as they are, the others as multiples of ours on the same samples; medians
over the mechanisms drawn above. Where a peer needs the score of a classifier, training it is
included.

One number or one outcome:

{scalar_seconds}

Vectors of 20 to 64 coordinates:

{vector_seconds}

## How often a bound was above the truth

At 95% confidence, at most one in 20 should be.

{above}

{survey}"""

LATER = "## Certified over true epsilon"
"""Above it are the tables of mechanisms that were measured later."""

ADDED = """## Measured on {day}

{count} mechanisms that joined the zoo after the page was made, measured alone with the same
settings: {common:,} samples a side, three seeds, medians. The other tables are older, and the
auditor has changed since. {absent}

{rows}

{standing}

Bounds above the truth, of all: {above}."""

INTRO = """Every method gets the same samples of the same mechanisms (those of the
[zoo](../../auditor/zoo), whose true epsilon is known) and certifies epsilon at 95% confidence.
`touchstone` is `auditor.measure_samples`. Textbook methods are in
[`textbook.py`](../../benchmarks/peers/textbook.py). Packages run in environments of their own, with
their defaults, through [adapters](../../benchmarks/peers/adapters). Those that need one number per
output are given the output where it is one number, else the score of a classifier (logistic
regression, or counts for outcomes that are not numbers) that is trained on half of the samples and
certified on the other half.

This page was made on {day} by

    python -m benchmarks.peers.run

from the root of a clone (`--quick` for up to 10,000 samples; `--add NAME` measures a mechanism that
joined the zoo, and adds a table to the page). It makes the packages' environments when it is first
run."""


def write_report(results: Path, docs: Path) -> None:
    """Write the page and its plot."""
    frame = load(results)
    draw(frame, docs / "benchmarks.png")
    page = PAGE.format(
        answer=answer(losses(frame, certificates=True)),
        intro=INTRO.format(day=day(results)),
        later=LATER,
        level=LEVEL,
        mechanisms=frame.mechanism.nunique(),
        lost=losses(frame, certificates=True),
        lost_unproven=losses(frame, certificates=False),
        common=COMMON,
        standing=standing(frame, COMMON),
        largest=shares(frame, largest=True),
        small=shares(frame, largest=False),
        goals=goals(frame),
        scalar_seconds=seconds(frame, vectors=False),
        vector_seconds=seconds(frame, vectors=True),
        above=above(frame),
        survey=(Path(__file__).parent / "survey.md").read_text(),
    )
    (docs / "benchmarks.md").write_text(page)


def add_report(results: Path, docs: Path) -> None:
    """Add a table of mechanisms that joined the zoo to the page, and count them in its text."""
    frame = load(results)
    page = docs / "benchmarks.md"
    text = page.read_text(encoding="utf-8")
    count = frame.mechanism.nunique()
    lost = len(losses(frame, certificates=True).splitlines()) - 2
    counted = re.search(r"Compared are all (\d+) mechanisms", text)
    if counted is None:
        raise ValueError(f"{page} does not say how many mechanisms are compared")
    text = text.replace(counted[0], f"Compared are all {int(counted[1]) + count} mechanisms")
    text = text.replace(
        "in no other.",
        f"in no other. Of {count} mechanisms measured on {day(results)}, on {max(0, lost)}.",
    )
    page.write_text(text.replace(LATER, f"{added(frame, day(results))}\n\n{LATER}"))


def added(frame: pd.DataFrame, day: str) -> str:
    """Return the section of mechanisms that were measured after the page was made."""
    run = set(frame.source)
    absent = [
        peer.package
        for peer in PEERS
        if peer.package not in run and any(not method.only for method in peer.methods)
    ]
    return ADDED.format(
        day=day,
        count=frame.mechanism.nunique(),
        common=COMMON,
        absent=f"Not run on them: {', '.join(absent)}." if absent else "",
        rows=best(frame),
        standing=standing(frame, COMMON),
        above=exceeding(frame),
    )


def best(frame: pd.DataFrame) -> str:
    """Return the table of our bound and the best others, with proof and without.

    Where no other certifies anything, none is named.
    """
    kinds = medians(frame).droplevel("samples").to_dict(orient="index")
    found = cast(dict[str, dict[tuple[str, str], float]], kinds)
    truth = frame.groupby("mechanism").truth.first().to_dict()
    rows = []
    for mechanism, bounds in found.items():
        cells = [mechanism, f"{truth[mechanism]:.3f}", f"{bounds[OURS, OURS]:.3f}"]
        for proven in (True, False):
            others = {
                key: bound
                for key, bound in bounds.items()
                if key[0] != OURS
                and (GUARANTEES[key] == "certificate") == proven
                and not math.isnan(bound)
            }
            whose = max(others, key=lambda key: others[key])
            cells += [f"{others[whose]:.3f}", label(*whose) if others[whose] > 0 else ""]
        rows.append(cells)
    return table(["mechanism", "truth", "ours", "best other", "whose", "best †", "whose"], rows)


def exceeding(frame: pd.DataFrame) -> str:
    """Return how often each method certified more than the truth, for those that did."""
    counts = []
    for source, method, own in marked(frame):
        over = int((own.epsilon > own.truth).sum())
        if over:
            counts.append(f"{label(source, method)} {over} of {int(own.epsilon.count())}")
    return ", ".join(counts) or "none"


def day(results: Path) -> str:
    """Return the day on which results were written."""
    return datetime.fromtimestamp(results.stat().st_mtime, UTC).date().isoformat()


if __name__ == "__main__":
    write_report(ROOT / "results" / "peers" / "results.jsonl", ROOT / "docs/measured")
