"""``touchstone site``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from auditor.cli.options import debug_option, results_option
from auditor.cli.terminal import progress_bar, say, warn
from auditor.core.input_limits import MOST_WORKERS

if TYPE_CHECKING:
    from auditor.suite.store import Store


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

    Verdicts on algorithms are those of the results folder (`touchstone audit`); without them the
    pages say that nothing was run. Statements whose checks are not in the folder are checked first,
    and kept there.
    """
    from auditor.site.build import build
    from auditor.site.content import gather
    from auditor.suite.store import Store

    store = Store(folder)
    ledger = _checked(store, workers)
    content = gather(store, ledger, workers=workers)
    number = build(content, out, base=url, workers=workers)
    start = escape(str(out / "index.html"))
    say(f"{number} pages: {start}")


def _checked(store: Store, workers: int) -> Mapping[str, Any]:
    """Return the ledger of all statements: the one that is kept, if it is of this version."""
    from auditor.suite import proofs
    from proofs_checks.statement import statements

    ledger: Mapping[str, Any] | None = store.read_beside("proofs.json", "proofs", warn)
    known = statements()
    if ledger is not None and proofs.covers(ledger, known):
        return ledger
    with progress_bar("checking") as advance:
        found = proofs.run_all(
            known, workers=workers, progress=lambda done, total: advance(done, total, "")
        )
    store.write_json("proofs.json", found)
    return found
