"""``touchstone check``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from auditor.cli.options import (
    FiniteRange,
    Format,
    confidence_option,
    debug_option,
    format_option,
    seed_option,
)
from auditor.cli.terminal import marked, messages, output, print_json, progress_bar

if TYPE_CHECKING:
    from auditor.checking.result import CheckResult
    from auditor.checking.safely import Request


@click.command()
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
    from auditor.checking.safely import Request, check_safely, longest

    claims = {name: asked.pop(name) for name in ("rho", "mu", "renyi", "trade_off")}
    sources = ("target", "command", "pair_file", "pair_from", "domain", "kind", "relation")
    request = Request(
        **{name: asked.pop(name) for name in sources},
        claims=claims,
        options={"n": asked.pop("records"), **asked},
    )
    with progress_bar("checking:") as advance:
        result = check_safely(
            request,
            limit=longest(request),
            debug=debug,
            progress=lambda what, done, total: advance(done, total, what),
        )
    if output_format == "json":
        print_json(result.to_json())
    else:
        _print_check(result)
    if result.status == "violated":
        _keep_witness(request, result, witness_file)
    if result.status != "holds":
        raise click.exceptions.Exit(1 if result.status == "violated" else 3)


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


def _print_check(result: CheckResult) -> None:
    from rich.table import Table

    from auditor.core.verdict import describe

    mark = f"{marked(result.status)} [bold]{result.status}[/]"
    output.print(f"{mark}  {escape(result.summary)}", soft_wrap=True)
    table = Table(box=None, pad_edge=False, show_header=False)
    for verdict in result.questions:
        answer = f"{marked(verdict.status)} {verdict.status}"
        table.add_row(verdict.question.replace("_", " "), answer, escape(verdict.summary))
        for finding in verdict.findings:
            table.add_row("", "[dim]finding[/]", escape(describe(finding)))
    if result.questions:
        output.print(table)
    for finding in result.findings:
        output.print(f"[dim]finding[/]  {escape(describe(finding))}", soft_wrap=True)
