"""The command line: ``touchstone list | audit | check | rerun | proofs | report``.

Exit status: 0 if nothing unexpected was found, 1 if something was, 2 on bad input (one line says
what and what to do), 130 if interrupted (finished work is kept).
"""

from __future__ import annotations

import getpass
import io
import math
import os
import shlex
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TextIO, TypeVar

import click
from rich.console import Console
from rich.markup import escape

from auditor.core.errors import InputError, one_line

if TYPE_CHECKING:
    from rich.table import Table

    from auditor.checking.request import Request
    from auditor.checking.result import CheckResult
    from auditor.checking.saved import Again
    from auditor.core.case import Case
    from auditor.core.context import Tier
    from auditor.core.verdict import Status
    from auditor.suite.conclude import Conclusion
    from auditor.suite.store import BrokenResultError, Result
    from reference.catalogue import Erratum

# The modules that do the work load slowly, and so does numpy: the commands import them when they
# need them, so that --help and --version answer at once.

F = TypeVar("F", bound=Callable[..., Any])
Format = Literal["text", "json"]

STYLES: dict[Status, str] = {
    "holds": "green",
    "violated": "bold red",
    "inconclusive": "yellow",
    "not applicable": "dim",
}
SYMBOLS: dict[Status, str] = {
    "holds": "✓",
    "violated": "✗",
    "inconclusive": "?",
    "not applicable": "–",
}
LETTERS: dict[Status, str] = {
    "holds": "H",
    "violated": "V",
    "inconclusive": "I",
    "not applicable": "-",
}

output = Console()
messages = Console(stderr=True)


class FiniteRange(click.FloatRange):
    """A range that NaN and infinity are not in (click lets NaN through)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or complain like :class:`click.FloatRange`."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


def _symbols() -> Mapping[Status, str]:
    """Return the symbols of the verdicts, or letters where the terminal cannot show them."""
    try:
        "".join(SYMBOLS.values()).encode(output.encoding)
    except (LookupError, UnicodeEncodeError):
        return LETTERS
    return SYMBOLS


def _mark(status: Status) -> str:
    return f"[{STYLES[status]}]{_symbols()[status]}[/]"


def _legend() -> str:
    symbols = _symbols()
    violated = symbols["violated"]
    return (
        f"{symbols['holds']} holds   {violated} violated   {violated}2 violated, as erratum 2 says"
        f"   {symbols['inconclusive']} inconclusive   {symbols['not applicable']} does not apply"
    )


# ---------------------------------------------------------------------------- shared options


def results_option(command: F) -> F:
    """Add ``--results DIR``."""
    return click.option(
        "--results",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("results"),
        show_default=True,
        help="Folder of results.",
    )(command)


def format_option(command: F) -> F:
    """Add ``--format text|json``."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="json prints one JSON object (its schema is in auditor/templates).",
    )(command)


def tier_option(command: F) -> F:
    """Add ``--tier quick|full``."""
    return click.option(
        "--tier",
        type=click.Choice(["quick", "full"]),
        default="quick",
        show_default=True,
        help="quick touches everything in a few minutes; full is the one to cite.",
    )(command)


def seed_option(command: F) -> F:
    """Add ``--seed N``."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="The same seed gives the same results.",
    )(command)


def confidence_option(default: float, words: str) -> Callable[[F], F]:
    """Add ``--confidence P``."""
    return click.option(
        "--confidence",
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        default=default,
        show_default=True,
        help=words,
    )


def _cpu_count() -> int:
    import joblib

    return int(joblib.cpu_count())


def workers_option(command: F) -> F:
    """Add ``--workers N``."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=_cpu_count,
        show_default="number of processors",
        help="Processes on this machine.",
    )(command)


def debug_option(command: F) -> F:
    """Add ``--debug``."""
    return click.option("--debug", is_flag=True, help="Let errors through with their traceback.")(
        command
    )


# -------------------------------------------------------------------------------- commands


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="dp-touchstone", message="touchstone %(version)s")
def touchstone() -> None:
    """Try to prove differentially private algorithms wrong, and show the evidence.

    Exit status: 0 nothing unexpected, 1 something unexpected, 2 bad input, 130 interrupted.
    """


@touchstone.command("list")
@results_option
@format_option
@debug_option
def list_command(folder: Path, output_format: Format, debug: bool) -> None:
    """List the catalogue: claims, printed forms, errata and last verdicts."""
    from auditor.cases import builders
    from auditor.suite.conclude import conclude
    from auditor.suite.store import BrokenResultError, Store
    from reference.catalogue import entries

    store = Store(folder)
    results: dict[str, Result] = {}
    broken: list[BrokenResultError] = []
    for identifier in entries():
        try:
            found = store.load(identifier)
        except BrokenResultError as error:
            broken.append(error)
            continue
        if found is not None:
            results[identifier] = found
    final = conclude(results, entries())
    if output_format == "json":
        _print_json(_catalogue_json(final, set(builders())))
    else:
        _print_catalogue(final, builders(), {error.path.stem for error in broken})
    if broken:
        raise broken[0]


@touchstone.command()
@click.argument("ids", nargs=-1)
@tier_option
@seed_option
@confidence_option(
    0.999, "A correct algorithm is called violated with probability at most 1 - this."
)
@workers_option
@click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler.")
@click.option("--fresh", is_flag=True, help="Audit again what has a result already.")
@results_option
@format_option
@debug_option
def audit(
    ids: tuple[str, ...],
    tier: Tier,
    seed: int,
    confidence: float,
    workers: int,
    scheduler: str | None,
    fresh: bool,
    folder: Path,
    output_format: Format,
    debug: bool,
) -> None:
    """Audit the algorithms IDS (default: all), write the results and an HTML report.

    Results are kept as each algorithm finishes: an interrupted audit goes on where it stopped.
    """
    from auditor.suite import run as suite
    from auditor.suite.conclude import conclude
    from auditor.suite.report import write_report
    from auditor.suite.store import Settings, Store
    from reference.catalogue import entries

    store = Store(folder)
    settings = Settings(tier=tier, seed=seed, confidence=confidence)
    identifiers = _audited_ids(ids)
    with _progress("auditing") as advance:
        results = suite.audit(
            identifiers,
            settings,
            store,
            workers=workers,
            scheduler=scheduler,
            fresh=fresh,
            debug=debug,
            progress=lambda p: advance(p.done, p.total, p.unit.id if p.unit else ""),
            warn=_warn,
        )
    conclusion = conclude(results, entries())
    # printed first: the report may stumble over another algorithm's broken file
    if output_format == "json":
        _print_json(conclusion.to_json())
    else:
        output.print(_verdict_table(conclusion))
        output.print(_legend(), style="dim", soft_wrap=True)
        _print_summary(conclusion, folder)
    store.write_json("audit.json", conclusion.to_json())
    report = write_report(store, entries(), workers=workers)
    if output_format == "text":
        output.print(f"report: {escape(str(report))}", soft_wrap=True)
    if conclusion.unexpected:
        raise click.exceptions.Exit(1)


@touchstone.command()
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
@click.option(
    "--docs",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default="results/experiments",
    show_default=True,
    help="Where the page and its pictures go.",
)
@debug_option
def experiments(
    family: str,
    wanted: tuple[str, ...],
    tier: Tier,
    seed: int,
    workers: int,
    folder: Path,
    debug: bool,
) -> None:
    """Run the experiments that the papers print for a FAMILY (e.g. em) again, and draw them."""
    from auditor.core.context import Context
    from auditor.experiments import experiment, page

    chosen = experiment.select(family, wanted)
    context = Context(seed=seed, tier=tier)
    with _progress("running") as advance:
        results = experiment.run_all(
            chosen,
            context,
            workers=workers,
            progress=lambda done: advance(done, len(chosen), ""),
        )
    for result in results:
        for trend in result["trends"]:
            counts = f"{trend['wins']} against {trend['losses']}"
            output.print(
                f"{result['name']}: {trend['words']}: {trend['result']} ({counts})",
                soft_wrap=True,
                markup=False,
            )
    written = page.write_page(results, family, folder, context)
    output.print(f"page: {escape(str(written))}", soft_wrap=True)


@touchstone.command()
@click.argument("wanted", nargs=-1, metavar="[ID|PAPER|NUMBER]...")
@seed_option
@workers_option
@results_option
@format_option
@debug_option
def proofs(
    wanted: tuple[str, ...],
    seed: int,
    workers: int,
    folder: Path,
    output_format: Format,
    debug: bool,
) -> None:
    """Check the papers' numbered statements (default: all) and show how each was checked.

    Those of an algorithm's ID, of a PAPER (000 to 004, see `touchstone list`) or of a NUMBER, such
    as "Lemma 2.1.9", are shown with what they say, as printed and corrected.
    """
    from auditor.suite import proofs as runner
    from auditor.suite.store import Store

    store = Store(folder)
    chosen = runner.select(wanted)
    if not wanted:
        store.require_writable()
    with _progress("checking") as advance:
        ledger = runner.run_all(
            chosen,
            seed=seed,
            workers=workers,
            debug=debug,
            progress=lambda done, total: advance(done, total, ""),
        )
    if not wanted:
        store.write_json("proofs.json", ledger)
    if output_format == "json":
        _print_json(ledger)
    else:
        _print_ledger(ledger, in_full=bool(wanted))
    if ledger["unexpected"]:
        raise click.exceptions.Exit(1)


@touchstone.command()
@click.argument("target", metavar="[TARGET]", required=False)
@click.option("--command", help="Instead of TARGET: a program that speaks the line protocol.")
@click.option("--epsilon", type=FiniteRange(min=0, min_open=True), help="Claimed, > 0.")
@click.option(
    "--delta",
    type=FiniteRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    help="Claimed, in [0, 1); 0 is pure DP.",
)
@click.option("--rho", type=FiniteRange(min=0, min_open=True), help="Claim rho-zCDP.")
@click.option("--mu", type=FiniteRange(min=0, min_open=True), help="Claim mu-Gaussian DP.")
@click.option("--renyi", type=float, nargs=2, help="Claim (ALPHA, DIVERGENCE)-Renyi DP.")
@click.option("--trade-off", metavar="CALLABLE", help="Claim a trade-off function.")
@click.option(
    "--pair",
    "pair_file",
    type=click.Path(dir_okay=False),
    help="A .json or .npy file with the two neighbouring data sets, [D, D'].",
)
@click.option(
    "--pair-from",
    metavar="CALLABLE",
    help="package.module:callable or path.py:callable that returns (D, D').",
)
@click.option(
    "--domain",
    help="Search the worst pair: where a record lies, e.g. scalar:0,1 or l2:3,1 or table:FILE.csv.",
)
@click.option(
    "--records",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Records of a data set, with --domain.",
)
@click.option(
    "--relation",
    type=click.Choice(["replace", "add-remove", "any"]),
    help="How data sets are neighbours; any: take your word for it.",
)
@click.option(
    "--kind",
    type=click.Choice(["ledger", "rng"]),
    help="What TARGET's second argument is; by default its name tells.",
)
@click.option("--batched", is_flag=True, help="TARGET takes (data, rng, size).")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="Budget of runs on each data set; a gross violation takes far fewer.",
)
@click.option(
    "--rare",
    type=FiniteRange(0, 1, max_open=True),
    default=1e-4,
    show_default=True,
    help="How rare a tell-tale output must be to be let go when all else is clear.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes that run the mechanism.",
)
@click.option(
    "--timeout",
    type=FiniteRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds that the whole check may take; it then says what the runs so far show.",
)
@click.option(
    "--call-timeout",
    "--request-timeout",
    "call_timeout",
    type=FiniteRange(min=0, min_open=True),
    help="Seconds that one call of TARGET may take, or one answer of --command.  [default for "
    "--command: 30]",
)
@click.option(
    "--floating-point",
    type=click.Choice(["report", "count"]),
    default="report",
    show_default=True,
    help="Whether a leak through low-order bits violates the claim.",
)
@click.option(
    "--witness",
    "witness_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save here what `touchstone rerun` needs to show a violation again.",
)
@seed_option
@confidence_option(0.99, "A true claim is refuted with probability at most 1 - this.")
@format_option
@debug_option
def check(
    output_format: Format,
    debug: bool,
    witness_file: Path | None,
    **asked: Any,
) -> None:
    """Try to refute the privacy claim of any mechanism.

    TARGET is package.module:callable or path.py:callable and takes (data, rng), to be run as a
    black box, or (data, ledger), to be audited release by release as well. Exit status: 0 if the
    claim holds up, 1 if it is violated, 3 if the runs are too few to tell.
    """
    from auditor.checking.request import Request, carry_out, carry_out_safely, longest

    claims = {name: asked.pop(name) for name in ("rho", "mu", "renyi", "trade_off")}
    sources = ("target", "command", "pair_file", "pair_from", "domain", "kind", "relation")
    request = Request(
        **{name: asked.pop(name) for name in sources},
        claims=claims,
        options={"n": asked.pop("records"), **asked},
    )
    with _progress("checking:") as advance:
        result = carry_out_safely(
            request,
            work=carry_out,
            limit=longest(request),
            debug=debug,
            progress=lambda what, done, total: advance(done, total, what),
        )
    if output_format == "json":
        _print_json(result.to_json())
    else:
        _print_check(result)
    if result.status == "violated":
        _keep_witness(request, result, witness_file)
    if result.status != "holds":
        raise click.exceptions.Exit(1 if result.status == "violated" else 3)


@touchstone.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="WITNESS.json")
@click.argument("wanted", nargs=-1, metavar="[FORM/QUESTION]...")
@click.option(
    "--timeout",
    type=FiniteRange(min=0, min_open=True),
    default=1200.0,
    show_default=True,
    help="Seconds that a mechanism of your own may take.",
)
@format_option
@debug_option
def rerun(
    file: Path, wanted: tuple[str, ...], timeout: float, output_format: Format, debug: bool
) -> None:
    """Show a violation again.

    WITNESS.json is what `touchstone check --witness` saved, or the results file of an algorithm, of
    which FORM/QUESTION picks some violations. Exit status: 0 if every violation shows again, 1 if
    one does not.
    """
    from auditor.suite.conclude import version

    subject, shown = _shown_again(file, wanted, timeout, debug)
    if output_format == "json":
        _print_json(
            {
                "touchstone": version(),
                "of": subject,
                "shown": all(again.shown for again in shown),
                "violations": [vars(again) for again in shown],
            }
        )
    else:
        for again in shown:
            words = "[bold red]shows again[/]" if again.shown else "[yellow]does not show again[/]"
            line = f"{escape(subject)}, {escape(again.what)}: {words}: {escape(again.detail)}"
            output.print(line, soft_wrap=True)
    if not all(again.shown for again in shown):
        raise click.exceptions.Exit(1)


@touchstone.command()
@results_option
@debug_option
def report(folder: Path, debug: bool) -> None:
    """Rebuild the HTML report from the results."""
    from auditor.suite.report import write_report
    from auditor.suite.store import Store
    from reference.catalogue import entries

    store = Store(folder)
    if not store.load_all():
        raise InputError(f"no results in {folder}; run `touchstone audit` first")
    store.require_writable()
    output.print(f"report: {escape(str(write_report(store, entries())))}", soft_wrap=True)


# --------------------------------------------------------------------------------- helpers


def _keep_witness(request: Request, result: CheckResult, file: Path | None) -> None:
    """Save the witness of a violation if asked to; say how it is shown again."""
    from auditor.checking.saved import describe_witness
    from auditor.suite.store import Store

    if file is None:
        again = "the same command with --witness FILE keeps what `touchstone rerun FILE` needs"
    else:
        Store(file.parent).write_json(file.name, describe_witness(request, result))
        again = f"touchstone rerun {shlex.quote(str(file))}"
    messages.print(f"to show it again: {again}", markup=False, highlight=False, soft_wrap=True)


def _shown_again(
    file: Path, wanted: tuple[str, ...], timeout: float, debug: bool
) -> tuple[str, list[Again]]:
    """Return what a witness is about, and each of its violations run again."""
    from auditor.checking import saved
    from auditor.suite.store import Store, read_format, read_result

    if not file.exists():
        raise InputError(f"no file {file}")
    if read_format(file) == saved.FORMAT:
        stored = Store(file.parent).read_json(file.name, "witness")
        if wanted:
            raise InputError("FORM/QUESTION picks from a results file; a check's witness is one")
        assert stored is not None
        request = stored["request"]
        again = saved.show_again(stored, timeout=timeout, debug=debug)
        return request["target"] or request["command"], again
    result = read_result(file)
    assert result is not None
    return result.id, list(_violations_again(result, wanted))


def _violations_again(result: Result, wanted: tuple[str, ...]) -> Iterator[Again]:
    from auditor.cases import builders
    from auditor.checking.saved import Again
    from auditor.suite import again
    from auditor.suite.keys import is_stale

    chosen = again.violations(result, wanted)
    if result.id not in builders():
        raise InputError(f"{result.id} has no audit case in this version")
    if is_stale(result, builders()):
        _warn(f"the result on {result.id} was found by other code than this")
    case = builders()[result.id]()
    for violation in chosen:
        shown = again.shows_again(result, violation, case)
        yield Again(violation.name, shown, violation.verdict.summary)


def _audited_ids(ids: tuple[str, ...]) -> list[str]:
    """Return catalogue ids for ids and aliases, each once; all audited ones for none."""
    from auditor.cases import builders
    from reference.catalogue import entry

    if not ids:
        return list(builders())
    found = list(dict.fromkeys(entry(identifier).id for identifier in ids))
    for identifier in found:
        if identifier not in builders():
            raise InputError(
                f"{identifier} has no audit case; `touchstone list` shows which algorithms do"
            )
    return found


@contextmanager
def _progress(verb: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a progress bar with the time left on standard error."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=messages, transient=True) as bar:
        task = bar.add_task(verb, total=None)

        def advance(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{verb} {what}".rstrip())

        yield advance


def _warn(line: str) -> None:
    messages.print(f"touchstone: {line}", style="yellow", markup=False, soft_wrap=True)


def _print_json(content: Any) -> None:
    from auditor.suite.store import dump

    click.echo(dump(content), nl=False)


def _verdict_table(conclusion: Conclusion) -> Table:
    from rich.table import Table

    from auditor.core.verdict import QUESTIONS, SHORT

    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="dim")
    table.add_column("algorithm", no_wrap=True)
    table.add_column("form")
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
                mark = _mark(verdict.status)
                if (identifier, name, question) in surprises:
                    mark += "[bold red]![/]"
                elif verdict.status == "violated":
                    numbers = ",".join(map(str, form.expected[question]))
                    mark = f"[magenta]{_symbols()['violated']}{numbers}[/]"
                cells.append(mark)
            table.add_row(label, name, *cells)
            label = ""
    return table


def _print_summary(conclusion: Conclusion, folder: Path) -> None:
    from auditor.suite.again import command

    errata = {(unit.id, number) for unit, numbers in conclusion.reproduced for number in numbers}
    output.print(
        f"{_count(len(conclusion.results), 'algorithm', 'algorithms')}, "
        f"{_count(len(errata), 'erratum', 'errata')} reproduced; "
        f"{conclusion.guarantee.describe()}",
        soft_wrap=True,
    )
    if conclusion.reproduced:
        unit, _ = conclusion.reproduced[0]
        line = f"show a violation again: {command(folder, unit.id, unit.form, unit.question)}"
        output.print(line, markup=False, highlight=False, soft_wrap=True)
    if not conclusion.unexpected:
        output.print("nothing unexpected", style="green")
        return
    output.print(f"{len(conclusion.unexpected)} unexpected:", style="bold red")
    for surprise in conclusion.unexpected:
        output.print(
            f"  {surprise.id} {surprise.form} {surprise.question}: {surprise.reason}",
            markup=False,
            soft_wrap=True,
        )
        form = conclusion.results[surprise.id].forms.get(surprise.form)
        verdict = form.verdicts.get(surprise.question) if form else None
        if verdict is not None and verdict.status == "violated":
            line = command(folder, surprise.id, surprise.form, surprise.question)
            output.print(f"    {line}", markup=False, highlight=False, soft_wrap=True)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _print_check(result: CheckResult) -> None:
    from rich.table import Table

    from auditor.core.verdict import describe

    mark = f"{_mark(result.status)} [bold]{result.status}[/]"
    output.print(f"{mark}  {escape(result.summary)}", soft_wrap=True)
    table = Table(box=None, pad_edge=False, show_header=False)
    for verdict in result.questions:
        answer = f"{_mark(verdict.status)} {verdict.status}"
        table.add_row(verdict.question.replace("_", " "), answer, escape(verdict.summary))
        for finding in verdict.findings:
            table.add_row("", "[dim]finding[/]", escape(describe(finding)))
    if result.questions:
        output.print(table)
    for finding in result.findings:
        output.print(f"[dim]finding[/]  {escape(describe(finding))}", soft_wrap=True)


def _last_verdict(conclusion: Conclusion, identifier: str) -> str:
    result = conclusion.results[identifier]
    parts = []
    for name, form in result.forms.items():
        statuses = [v.status for v in form.verdicts.values() if v.status != "not applicable"]
        counts = [
            f"{statuses.count(status)} {status}"
            for status in ("holds", "violated", "inconclusive")
            if status in statuses
        ]
        parts.append(f"{name}: {', '.join(counts)}")
    return "; ".join(parts)


def _print_catalogue(
    conclusion: Conclusion, cases: Mapping[str, Callable[[], Case]], broken: set[str]
) -> None:
    from rich.table import Table

    from auditor.suite.keys import Sources, is_stale
    from reference.catalogue import PAPERS, entries

    for number, paper in PAPERS.items():
        output.print(f"[dim]{number}[/]  {escape(str(paper))}", soft_wrap=True, highlight=False)
    output.print()
    sources = Sources()
    for entry in entries().values():
        if entry.id in broken:
            last = "unreadable results file"
        elif entry.id in conclusion.results:
            last = _last_verdict(conclusion, entry.id)
            if is_stale(conclusion.results[entry.id], cases, sources):
                last += " (by an earlier version of the code)"
        else:
            last = "not audited yet"
        output.print(
            f"[bold]{escape(entry.id)}[/]  {escape(entry.name)} [dim]({entry.model.value})[/]"
        )
        grid = Table.grid(padding=(0, 1))
        grid.add_row("  [dim]printed in[/]", escape("; ".join(map(str, entry.sources))))
        grid.add_row("  [dim]claims[/]", escape(entry.privacy_claim))
        for form in entry.printed_forms:
            numbers = ", ".join(map(str, form.errata))
            text = f"{form.summary} ({_errata(form.errata)} {numbers})"
            grid.add_row(f"  [dim]{escape(form.name)}[/]", escape(text))
        if entry.errata:
            kinds = ", ".join(f"{_number(erratum)} {erratum.kind}" for erratum in entry.errata)
            grid.add_row(f"  [dim]{_errata(entry.errata)}[/]", escape(kinds))
        grid.add_row("  [dim]last[/]", escape(last))
        output.print(grid)


def _errata(some: Sequence[Any]) -> str:
    return "erratum" if len(some) == 1 else "errata"


def _number(erratum: Erratum) -> str:
    return f"{erratum.card}/{erratum.number}" if erratum.card else str(erratum.number)


def _catalogue_json(conclusion: Conclusion, audited: set[str]) -> dict[str, Any]:
    from auditor.suite.conclude import version
    from reference.catalogue import PAPERS, entries

    algorithms = []
    for entry in entries().values():
        result = conclusion.results.get(entry.id)
        algorithms.append(
            {
                "id": entry.id,
                "name": entry.name,
                "aliases": list(entry.aliases),
                "sources": [
                    {**vars(source), "title": str(PAPERS[source.paper])} for source in entry.sources
                ],
                "model": entry.model.value,
                "interactive": entry.interactive,
                "relation": entry.relation.value,
                "privacy_claim": entry.privacy_claim,
                "utility_claim": entry.utility_claim,
                "function": f"{entry.function.__module__}:{entry.function.__qualname__}",
                "printed_forms": [
                    {"name": form.name, "summary": form.summary, "errata": list(form.errata)}
                    for form in entry.printed_forms
                ],
                "errata": [vars(erratum) for erratum in entry.errata],
                "has_audit_case": entry.id in audited,
                "last_verdicts": None
                if result is None
                else {
                    name: {question: v.status for question, v in form.verdicts.items()}
                    for name, form in result.forms.items()
                },
            }
        )
    return {"touchstone": version(), "algorithms": algorithms}


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
    count = _count(len(ledger["statements"]), "statement", "statements")
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
    lines = [printed["detail"]]
    if item["corrected"] is not None:
        lines.append(f"corrected: {item['corrected']['detail']}")
    if in_full:
        said = {
            "printed": item["formula"],
            "but": item["reason"],
            "corrected": item["corrected_formula"],
        }
        lines = [f"{word}: {words}" for word, words in said.items() if words]
        lines.append(f"evidence: {printed['detail']}")
        if item["corrected"] is not None:
            lines.append(f"evidence of the corrected one: {item['corrected']['detail']}")
    detail = "\n".join(lines)
    level = "" if item["expected"] == "not checkable" else f"\n[dim]{escape(printed['level'])}[/]"
    return verdict + level, escape(detail)


# ----------------------------------------------------------------------------------- main


def main() -> NoReturn:
    """Run the command line and exit."""
    debug = "--debug" in sys.argv
    sys.stdout, sys.stderr = _lasting(sys.stdout, 1), _lasting(sys.stderr, 2)
    # the search's cache of constants belongs in a cache, not in the user's working folder
    cache = Path(tempfile.gettempdir(), f"touchstone-search-{getpass.getuser()}")
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(cache))
    # what joblib says when an interrupt cancels the tasks under way, which is no news
    warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
    try:
        status = touchstone(prog_name="touchstone", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = 0
    except click.ClickException as error:
        status = _complain(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        status = _complain("interrupted; finished work is kept, run the same command to go on", 130)
    except Exception as error:
        if debug:
            traceback.print_exc()
        from reference.catalogue import UnknownAlgorithmError

        if isinstance(error, (InputError, UnknownAlgorithmError)):
            status = _complain(str(error), 2)
        else:
            status = _complain(f"internal error, {one_line(error)}; --debug shows where", 1)
    sys.exit(status)


class _Pipe(io.FileIO):
    """A file whose reader may go away: what is then written is dropped."""

    def write(self, content: Any) -> int:
        """Write, or drop where nobody reads: a command ends as it would have ended anyway."""
        try:
            return super().write(content)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(content)


def _lasting(stream: TextIO | None, descriptor: int) -> TextIO:
    """Return a standard stream that no closed end and no missing symbol can break."""
    if stream is None:  # closed by the shell, as by >&-
        null = os.open(os.devnull, os.O_WRONLY)
        os.set_inheritable(null, True)
        return open(null, "w", encoding="utf-8")
    if stream not in (sys.__stdout__, sys.__stderr__) or not isinstance(stream, io.TextIOWrapper):
        return stream  # a caller's own
    raw = io.BufferedWriter(_Pipe(descriptor, "w", closefd=False))
    # a terminal that lacks a symbol gets a question mark, not a crash
    return io.TextIOWrapper(
        raw, encoding=stream.encoding, errors="replace", line_buffering=stream.line_buffering
    )


def _complain(line: str, status: int) -> int:
    joined = " ".join(line.split())
    messages.print(f"touchstone: {joined}", markup=False, highlight=False, soft_wrap=True)
    return status
