"""``touchstone experiments``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.cli.options import (
    debug_option,
    results_option,
    seed_option,
    tier_option,
    workers_option,
)
from auditor.cli.terminal import progress_bar, say, warn

if TYPE_CHECKING:
    from auditor.core.context import Tier


@click.command()
@click.argument("family")
@click.option(
    "--figure",
    "wanted",
    multiple=True,
    metavar="NAME",
    help='Only this one, e.g. "000 Figure 2" (paper 000 of the list); may be given several times.',
)
@tier_option
@seed_option
@workers_option
@click.option("--fresh", is_flag=True, help="Run again what has a result already.")
@click.option(
    "--docs",
    type=click.Path(file_okay=False, path_type=Path),
    default="results/experiments",
    show_default=True,
    help="Where the page, its numbers and its pictures go.",
)
@results_option
@debug_option
def experiments(
    family: str,
    wanted: tuple[str, ...],
    tier: Tier,
    seed: int,
    workers: int,
    fresh: bool,
    docs: Path,
    folder: Path,
    debug: bool,
) -> None:
    """Run the experiments that the papers print for a FAMILY (e.g. em) again, and draw them.

    Results are kept as each experiment finishes (experiments in the folder of results): an
    interrupted run goes on where it stopped, and what did not change is not run again. The page
    keeps what it has of other experiments, of the same tier and seed.
    """
    from auditor.core.context import Context
    from auditor.experiments import experiment, kept, page
    from auditor.suite.store import Store

    chosen = experiment.select(family, wanted)
    context = Context(seed=seed, tier=tier)
    with progress_bar("running") as advance:
        results = kept.run_what_is_missing(
            chosen,
            context,
            kept.KeptFolder(Store(folder / "experiments"), fresh, warn),
            workers=workers,
            progress=lambda done: advance(done, len(chosen), ""),
        )
    for result in results:
        for trend in result["trends"]:
            counts = f"{trend['wins']} against {trend['losses']}"
            say(f"{result['name']}: {trend['words']}: {trend['result']} ({counts})")
    if tier == "quick":
        warn(page.SMALLER)
    written = page.write_page(results, family, docs, context)
    say(f"page: {written}")
