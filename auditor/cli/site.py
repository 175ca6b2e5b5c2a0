"""``touchstone site``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from auditor.cli.options import debug_option, results_option
from auditor.cli.terminal import say, warn
from auditor.core.input_limits import MOST_WORKERS


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build/site"),
    show_default=True,
    help="Folder in which it is built; an earlier site there is replaced.",
)
@results_option
@click.option("--url", default="", help="Where it will be found, for citations.")
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=MOST_WORKERS),
    default=2,
    show_default=True,
    help="Processes on this machine.",
)
@debug_option
def site(out: Path, folder: Path, url: str, workers: int, debug: bool) -> None:
    """Build the site: a page for every algorithm, statement and erratum, from a clone.

    Verdicts and evidence are those of the results folder (`touchstone audit`, and `touchstone
    proofs` for the statements); without them the pages say that nothing was run.
    """
    from auditor.site.build import build
    from auditor.site.content import gather
    from auditor.suite.store import Store

    store = Store(folder)
    ledger = store.read_beside("proofs.json", "proofs", warn)
    content = gather(store, ledger, workers=workers)
    number = build(content, out, base=url, workers=workers)
    start = escape(str(out / "index.html"))
    say(f"{number} pages: {start}")
