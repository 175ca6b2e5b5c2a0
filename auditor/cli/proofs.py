"""``touchstone proofs``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from auditor.cli.options import (
    Format,
    debug_option,
    format_option,
    results_option,
    seed_option,
    workers_option,
)
from auditor.cli.terminal import counted, output, print_json, progress_bar
from auditor.core.errors import InputError


@click.command()
@click.argument("wanted", nargs=-1, metavar="[ID|PAPER|NUMBER]...")
@click.option("--paper", help="Statements of one paper only, 000 to 004.")
@click.option("--section", help="Statements of one section only, e.g. 3.2 or 'appendix B'.")
@seed_option
@workers_option
@results_option
@format_option
@debug_option
def proofs(
    wanted: tuple[str, ...],
    paper: str | None,
    section: str | None,
    seed: int,
    workers: int,
    folder: Path,
    output_format: Format,
    debug: bool,
) -> None:
    """Check the papers' numbered statements (default: all) and show how each was checked.

    Those of an algorithm's ID, of a PAPER (000 to 004, see `touchstone list`) or of a NUMBER, such
    as "Lemma 2.1.9" or "004 Lemma 2.1.9", are shown with what they say, as printed, as checked and
    corrected, and where their check is.
    """
    from auditor.suite import proofs as runner
    from reference.catalogue import PAPERS

    if paper is not None and paper not in PAPERS:
        raise InputError(f"--paper is one of {', '.join(PAPERS)}, got {paper!r}")
    chosen = runner.select(wanted, paper=paper, section=section)
    everything = not (wanted or paper or section)
    if everything:
        from auditor.suite.store import Store

        store = Store(folder)
        store.require_writable()
    with progress_bar("checking") as advance:
        ledger = runner.run_all(
            chosen,
            seed=seed,
            workers=workers,
            debug=debug,
            progress=lambda done, total: advance(done, total, ""),
        )
    if everything:
        store.write_json("proofs.json", ledger)
    if output_format == "json":
        print_json(ledger)
    else:
        _print_ledger(ledger, in_full=not everything)
    if ledger["unexpected"]:
        raise click.exceptions.Exit(1)


def _print_ledger(ledger: dict[str, Any], *, in_full: bool) -> None:
    from rich.table import Table

    from reference.catalogue import PAPERS

    for number in dict.fromkeys(item["paper"] for item in ledger["statements"]):
        table = Table(
            box=None,
            pad_edge=False,
            header_style="dim",
            title=escape(f"{number}  {PAPERS[number]}"),
            title_justify="left",
            title_style="bold",
        )
        table.add_column("number", max_width=18)
        table.add_column("as printed", max_width=18)
        table.add_column("evidence", overflow="fold")
        for item in ledger["statements"]:
            if item["paper"] == number:
                table.add_row(item["number"], *_ledger_cells(item, in_full=in_full))
        output.print(table)
    unexpected = ledger["unexpected"]
    count = counted(len(ledger["statements"]), "statement", "statements")
    if unexpected:
        output.print(
            f"{count}; otherwise than expected: {', '.join(unexpected)}",
            style="bold red",
            markup=False,
        )
    else:
        output.print(f"{count}, every check as expected", style="green")


def _ledger_cells(item: dict[str, Any], *, in_full: bool) -> tuple[str, str]:
    printed = item["printed"]
    verdict = {
        "true": "[green]true[/]",
        "false": "[magenta]false[/]",
        "not checkable": "[dim]not checkable[/]",
    }[item["expected"]]
    if not item["as_expected"]:
        verdict = "[bold red]unexpected[/]"
    detail = "\n".join(_in_full(item) if in_full else _in_short(item))
    evidence = "" if item["expected"] == "not checkable" else f"\n{printed['evidence']}"
    return f"{verdict}[dim]{escape(evidence)}[/]", escape(detail)


def _in_short(item: dict[str, Any]) -> list[str]:
    lines = [item["printed"]["detail"]]
    if item["corrected"] is not None:
        lines.append(f"corrected: {item['corrected']['detail']}")
    return lines


def _in_full(item: dict[str, Any]) -> list[str]:
    said = {
        "printed": item["formula"],
        "as checked": item["checked_formula"],
        "added": item["added"],
        "but": item["reason"],
        "evidence": item["printed"]["detail"],
        "corrected": item["corrected_formula"],
    }
    lines = [f"{word}: {words}" for word, words in said.items() if words]
    if item["corrected"] is not None:
        corrected = item["corrected"]
        lines.append(f"evidence: {corrected['evidence']}: {corrected['detail']}")
    lines.append(f"paper: lines {item['lines']}; check: {item['where']}")
    return lines
