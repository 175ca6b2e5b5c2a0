"""The page of a family's experiments: what the papers report, and what the runs show.

The results of a family are kept in one file, ``<family>.json``. From it both the page and its
pictures are made, by the command that runs experiments and by the one that builds the site.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor import figures
from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.plurals import counted
from auditor.experiments.experiment import LARGER_CLASS
from auditor.suite.store import Store
from reference.catalogue import PAPERS

KeptResults = Mapping[str, Any]
"""Content of ``<family>.json``: tier, seed and results."""

COLOURS = ("#1f5a96", "#b4451f", "#3d7d4f")
FAINT = "#d8d8d8"
SMALLER = (
    "The quick tier has fewer records or repetitions than the full one, and can say the reverse "
    "of it about a paper: compare a paper with `--tier full`."
)
MARKS = {
    "seen": "seen",
    "reversed": "**reversed**",
    "not clear": "not clear",
    "met": "met",
    "not met": "**not met**",
    "not known": "not known",
}


def write_page(
    results: Sequence[Mapping[str, Any]], family: str, folder: Path, context: Context
) -> Path:
    """Write ``<family>.json``, ``<family>.md`` and a picture for every experiment.

    What the folder has of the family's other experiments, of the same tier and seed, is kept.

    Parameters
    ----------
    results : sequence of mapping
        What :func:`~auditor.experiments.experiment.run` returned.
    family : str
        For the names of the files.
    folder : Path
    context : Context
        Of the runs.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    InputError
        If the folder has broken numbers of the family.
    """
    everything = _with_others(results, family, folder, context)
    kept = {"tier": context.tier, "seed": context.seed, "results": everything}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{family}.json").write_text(dump(kept), encoding="utf-8")
    for name, picture in pictures(kept, family):
        (folder / name).write_bytes(picture)
    page = folder / f"{family}.md"
    page.write_text(text(kept, family), encoding="utf-8")
    return page


def _with_others(
    results: Sequence[Mapping[str, Any]], family: str, folder: Path, context: Context
) -> list[Mapping[str, Any]]:
    before = Store(folder).read_json(f"{family}.json", "experiments") or {"results": ()}
    same = (before.get("tier"), before.get("seed")) == (context.tier, context.seed)
    found = {one["name"]: one for one in (*(before["results"] if same else ()), *results)}
    return list(found.values())


def dump(kept: KeptResults) -> str:
    """Return kept results as JSON text, one line for each experiment."""
    rows = (json.dumps(one, ensure_ascii=False, allow_nan=False) for one in kept["results"])
    head = f'{{"tier": "{kept["tier"]}", "seed": {kept["seed"]}, "results": ['
    return "\n".join((head, ",\n".join(rows), "]}")) + "\n"


def read(family: str, folder: Path) -> KeptResults:
    """Return the kept results of a family.

    Raises
    ------
    InputError
        If there are none, or the file is broken.
    """
    kept: KeptResults | None = Store(folder).read_json(f"{family}.json", "experiments")
    if kept is None:
        raise InputError(
            f"{folder / family}.json is missing; run `touchstone experiments {family} --tier full "
            f"--docs {folder}`"
        )
    return kept


def pictures(kept: KeptResults, family: str) -> Iterator[tuple[str, bytes]]:
    """Draw the experiments from their numbers; yield file names and PNGs."""
    for result in kept["results"]:
        png = io.BytesIO()
        figure = figures.panels(result, COLOURS, FAINT)
        figure.savefig(png, format="png", dpi=110, metadata={"Software": None})
        yield picture_name(result["name"], family), png.getvalue()


def text(kept: KeptResults, family: str, *, with_pictures: bool = False) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    kept : mapping
    family : str
    with_pictures : bool, default False
        Whether the page shows the pictures, as on the site; the repository has none.
    """
    return "\n".join(_lines(kept, family, with_pictures)) + "\n"


def _accuracies(panel: Mapping[str, Any]) -> str:
    """Say what the median accuracies at the last x are, that of the larger class beside them."""
    last = [f"{label} {curve['median'][-1]:.3f}" for label, curve in panel["curves"].items()]
    return (
        f"Median accuracy, {panel['title']}, {panel['x_label']} = {panel['x'][-1]:,.0f}: "
        f"{', '.join(last)}."
    )


def picture_name(name: str, family: str) -> str:
    """Return the file name of the picture of an experiment."""
    return f"experiments-{family}-{name.lower().replace(' ', '-')}.png"


def _heading(name: str) -> str:
    """Return the paper and the figure that an experiment's name stands for."""
    paper, figure = name.split(" ", 1)
    return f"{PAPERS[paper].short}, {figure}"


def _in_short(results: Sequence[Mapping[str, Any]]) -> str:
    """Return how many of the expected trends are seen."""
    found = Counter(trend["result"] for result in results for trend in result["trends"])
    others = [f"{count} {name}" for name, count in found.items() if name != "seen"]
    return (
        f"Of {counted(found.total(), 'expected trend', 'expected trends')}, {found['seen']} "
        f"{'is' if found['seen'] == 1 else 'are'} seen here"
        + (f", {' and '.join(sorted(others))}." if others else ".")
    )


def _lines(kept: KeptResults, family: str, with_pictures: bool) -> Iterator[str]:
    tier, seed = kept["tier"], kept["seed"]
    yield f"# Experiments: {family}\n"
    yield f"{_in_short(kept['results'])}\n"
    yield (
        "Every figure and table of the papers' experiments, run again. The figures themselves are "
        "not in the text of the papers that this project has, and few settings are printed, so "
        "what is compared is what the text says in words, or where a paper prints no experiments "
        "what its theorems predict; each such trend is put to a sign test at 5% over the "
        f"repetitions (tier {tier}, seed {seed}). A trend that is not seen here "
        "does not refute the paper: its settings are not known.\n"
    )
    if tier == "quick":
        yield f"{SMALLER}\n"
    yield (
        f"Regenerated by `touchstone experiments {family} --tier {tier} --seed {seed} "
        "--docs docs/experiments`.\n"
    )
    if not with_pictures:
        yield (
            f"That command and `touchstone site` draw the pictures from [{family}.json]"
            f"({family}.json).\n"
        )
    for result in kept["results"]:
        yield from section(result, family, with_pictures)


def section(result: Mapping[str, Any], family: str, with_pictures: bool = False) -> Iterator[str]:
    """Yield the lines about one experiment."""
    heading = _heading(result["name"])
    yield f"## {heading}\n"
    yield f"*{result['caption']}* {result['setting']} {result['repetitions']} repetitions."
    yield f'Alone: `--figure "{result["name"]}"`.\n'
    if with_pictures:
        yield f"![{heading}]({picture_name(result['name'], family)})\n"
    yield "| expected | panel | here | repetitions for and against |"
    yield "|---|---|---|---|"
    for trend in result["trends"]:
        panel = result["panels"][trend["panel"]]["title"]
        found = MARKS[trend["result"]]
        if trend["erratum"]:
            found += f" (erratum {trend['erratum']})"
        yield f"| {trend['words']} | {panel} | {found} | {trend['wins']}, {trend['losses']} |"
    yield ""
    for panel in result["panels"]:
        if LARGER_CLASS in panel["curves"]:
            yield f"{_accuracies(panel)}\n"
    if result["conditions"]:
        yield "| the theorem assumes | of the data drawn | |"
        yield "|---|---|---|"
        for condition in result["conditions"]:
            met = MARKS[condition["met"]]
            yield f"| {condition['words']} | {condition['found']} | {met} |"
        yield ""
