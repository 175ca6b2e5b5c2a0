"""``touchstone audit`` and ``touchstone report``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.cli.options import (
    Format,
    cases_option,
    confidence_option,
    debug_option,
    format_option,
    ledger_option,
    results_option,
    seed_option,
    tier_option,
    workers_option,
)
from auditor.cli.status import ExitStatus
from auditor.cli.terminal import (
    legend,
    marked,
    output,
    print_json,
    print_table,
    progress_bar,
    say,
    shown_symbols,
    warn,
)
from auditor.core.errors import InputError
from auditor.core.input_limits import CONFIDENCE
from auditor.core.plurals import counted

if TYPE_CHECKING:
    from rich.table import Table

    from auditor.core.context import LedgerKind, Tier
    from auditor.suite.algorithms import Known
    from auditor.suite.conclude import Conclusion


@click.command()
@click.argument("ids", nargs=-1)
@tier_option
@seed_option
@ledger_option
@confidence_option(
    CONFIDENCE, "A correct algorithm is called violated with probability at most 1 - this."
)
@workers_option
@click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler.")
@click.option("--fresh", is_flag=True, help="Audit again what has a result already.")
@cases_option
@results_option
@format_option
@debug_option
def audit(
    ids: tuple[str, ...],
    tier: Tier,
    seed: int,
    ledger: LedgerKind,
    confidence: float,
    workers: int,
    scheduler: str | None,
    fresh: bool,
    files: tuple[Path, ...],
    folder: Path,
    output_format: Format,
    debug: bool,
) -> None:
    """Audit the algorithms IDS (default: all), write the results and an HTML report.

    With --cases, algorithms of your own (default: all of these files, and no others); those of
    installed packages are known as the papers' are, and the name of a package stands for all of
    its.

    Results are kept as each algorithm finishes: an interrupted audit goes on where it stopped.
    Exit status: 0 nothing unexpected, 1 something unexpected, 2 bad input, 3 only failures of the
    audit itself.
    """
    from auditor.suite import errata
    from auditor.suite import run as suite
    from auditor.suite.algorithms import known
    from auditor.suite.conclude import conclude
    from auditor.suite.report import write_report
    from auditor.suite.store import Settings, Store

    store = Store(folder)
    settings = Settings(tier=tier, seed=seed, confidence=confidence, ledger=ledger)
    algorithms = known(files, warn)
    entries = algorithms.entries
    identifiers = _audited_ids(ids, algorithms)
    algorithms.require_valid(identifiers)
    with progress_bar("auditing") as advance:
        results = suite.audit(
            identifiers,
            settings,
            store,
            workers=workers,
            scheduler=scheduler,
            fresh=fresh,
            debug=debug,
            cases=algorithms.cases,
            folders=algorithms.folders,
            progress=lambda p: advance(p.done, p.total, p.unit.id if p.unit else ""),
            warn=warn,
        )
    conclusion = conclude(results, entries)
    content = conclusion.to_json(algorithms.origins)
    # printed first: the report may stumble over another algorithm's broken file
    if output_format == "json":
        print_json(content)
    else:
        print_table(_verdict_table(conclusion))
        output.print(legend(), style="dim", soft_wrap=True)
        _print_summary(conclusion, folder, algorithms)
    store.write_json("audit.json", content)
    statements = store.read_beside("proofs.json", "proofs", warn)
    report = write_report(store, algorithms, statements, workers=workers)
    if output_format == "text":
        found = errata.reproduced(conclusion, entries, statements)
        rest = f", the rest by {found.rest}" if found.rest else ""
        say(f"{found}{rest}")
        say(f"report: {report}")
    if conclusion.unexpected:
        raise click.exceptions.Exit(_status(conclusion))


@click.command()
@cases_option
@results_option
@click.option(
    "--site", default="", help="Address or folder of a site (`touchstone site`) to link to."
)
@debug_option
def report(files: tuple[Path, ...], folder: Path, site: str, debug: bool) -> None:
    """Rebuild the HTML report from the results."""
    from auditor.suite.algorithms import known
    from auditor.suite.report import write_report
    from auditor.suite.store import Store

    store, algorithms = Store(folder), known(files, warn)
    unknown = store.others(algorithms.entries)
    if unknown:
        warn(f"left out, without --cases: {', '.join(unknown)}")
    if not store.load_all(algorithms.entries):
        raise InputError(f"no results in {folder}; run `touchstone audit` first")
    store.require_writable()
    ledger = store.read_beside("proofs.json", "proofs", warn)
    path = write_report(store, algorithms, ledger, site=_address(site))
    say(f"report: {path}")


def _address(site: str) -> str:
    """Return the address of a site that is named by it, or by its folder.

    Raises
    ------
    InputError
        If there is no such folder, or no site in it.
    """
    if not site or re.match(r"(https?|file)://", site):
        return site
    if not Path(site, "index.html").is_file():
        raise InputError(f"--site: {site} is no address, and no folder with a site in it")
    return Path(site).resolve().as_uri()


def _status(conclusion: Conclusion) -> ExitStatus:
    """Return how an audit ends in which something is unexpected, if only that it has failed."""
    from auditor.suite.store import ERROR

    found = {surprise: conclusion.verdict(surprise) for surprise in conclusion.unexpected}
    failed = {
        s for s, verdict in found.items() if verdict is not None and ERROR in verdict.evidence
    }
    unbuilt = {surprise.id for surprise in failed}  # their errata cannot be reproduced, either
    own = all(s in failed or (found[s] is None and s.id in unbuilt) for s in found)
    return ExitStatus.INTERNAL_ERROR if own else ExitStatus.UNEXPECTED


def _audited_ids(ids: tuple[str, ...], algorithms: Known) -> list[str]:
    """Return the ids that the arguments name, each once; by default those of files, or else all."""
    cases = algorithms.cases
    if not ids:
        return [i for i in algorithms.others if algorithms.files(i)] or list(cases)
    found = algorithms.identifiers(ids)
    for identifier in found:
        if identifier not in cases:
            raise InputError(
                f"{identifier} has no audit case (auditor/described/, see CONTRIBUTING.md)"
            )
    return found


def _verdict_table(conclusion: Conclusion) -> Table:
    from rich.table import Table

    from auditor.core.verdict import QUESTIONS, SHORT

    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    # where a terminal is narrow these two go on in the next line
    table.add_column("algorithm", overflow="fold", min_width=len("wang-1"))
    table.add_column("form", overflow="fold", min_width=len("corrected"))
    for question in QUESTIONS:
        table.add_column(SHORT[question], justify="center", min_width=4)
    surprises = {(s.id, s.form, s.question) for s in conclusion.unexpected}
    for identifier, result in conclusion.results.items():
        label = identifier
        for name, form in result.forms.items():
            cells = []
            for question in QUESTIONS:
                verdict = form.verdicts.get(question)
                if verdict is None:
                    cells.append("")
                    continue
                mark = marked(verdict.status)
                if (identifier, name, question) in surprises:
                    mark += "[bold red]![/]"
                elif verdict.status == "violated":
                    names = ",".join(name.rpartition("/")[2] for name in form.expected[question])
                    mark = f"[magenta]{shown_symbols()['violated']}{names}[/]"
                cells.append(mark)
            table.add_row(label, name, *cells)
            label = ""
    return table


def _print_summary(conclusion: Conclusion, folder: Path, algorithms: Known) -> None:
    from auditor.suite.rerun import command

    def again(identifier: str, form: str, question: str) -> str:
        return command(folder, identifier, form, question, algorithms.files(identifier))

    output.print(
        f"{counted(len(conclusion.results), 'algorithm', 'algorithms')}; "
        f"{conclusion.guarantee.describe()}",
        soft_wrap=True,
    )
    for label, own in _by_origin(conclusion, algorithms).items():
        say(f"from {label}: {', '.join(own)}")
    if conclusion.reproduced:
        unit, _ = conclusion.reproduced[0]
        line = f"show a violation again: {again(unit.id, unit.form, unit.question)}"
        say(line)
    if not conclusion.unexpected:
        output.print("nothing unexpected", style="green")
        return
    output.print(f"{len(conclusion.unexpected)} unexpected:", style="bold red")
    for surprise in conclusion.unexpected:
        say(f"  {surprise.id} {surprise.form} {surprise.question}: {surprise.reason}")
        verdict = conclusion.verdict(surprise)
        if verdict is not None and verdict.status == "violated":
            line = again(surprise.id, surprise.form, surprise.question)
            say(f"    {line}")


def _by_origin(conclusion: Conclusion, algorithms: Known) -> dict[str, list[str]]:
    """Return where algorithms are from that are not the papers', and their ids."""
    found: dict[str, list[str]] = {}
    for identifier, label in algorithms.origins.items():
        if identifier in conclusion.results:
            found.setdefault(label, []).append(identifier)
    return found
