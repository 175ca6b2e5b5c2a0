"""``touchstone check``."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from auditor.cli.options import (
    FiniteRange,
    Format,
    answer_options,
    numbers,
    pair_options,
    run_options,
    target_options,
)
from auditor.cli.status import ExitStatus
from auditor.cli.terminal import (
    marked,
    messages,
    print_answer,
    print_findings,
    print_json,
    print_table,
    progress_bar,
)
from auditor.core.input_limits import MOST_RECORDS
from auditor.core.pair_names import SIDES

if TYPE_CHECKING:
    from auditor.checking.request import Request
    from auditor.checking.result import CheckResult, EpsilonsResult

RECORDS = (*SIDES, *(f"record in {side}" for side in SIDES))
"""Fields of a witness that hold data sets, or records of them."""
STATUS = {
    "holds": ExitStatus.FINE,
    "violated": ExitStatus.UNEXPECTED,
    "inconclusive": ExitStatus.INCONCLUSIVE,
}
"""Exit statuses of a command that tries to refute a claim."""


@click.command()
@target_options
@click.option("--epsilon", type=FiniteRange(min=0, min_open=True), help="Claimed, > 0.")
@click.option(
    "--epsilons",
    metavar="E,E,...",
    callback=numbers("--epsilons", "0.1,1,10"),
    help="Claim each of TARGET, which is given it as its argument epsilon: 0.1,1,10.",
)
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
@pair_options
@click.option(
    "--domain",
    help="Search the worst pair: where a record lies, e.g. scalar:0,1 or l2:3,1 or table:FILE.csv.",
)
@click.option(
    "--records",
    type=click.IntRange(min=1, max=MOST_RECORDS),
    default=1,
    show_default=True,
    help="Records of a data set, with --domain.",
)
@click.option(
    "--group",
    type=click.IntRange(min=1, max=MOST_RECORDS),
    default=1,
    show_default=True,
    help="Records that differ; what the claim says of so many is tested. Shows small gaps.",
)
@click.option(
    "--rare",
    type=FiniteRange(0, 1, max_open=True),
    default=1e-4,
    show_default=True,
    help="Stop early with nothing found only if an impossible output as rare as this would have "
    "been noticed; 0: never stop early.",
)
@run_options("a gross violation takes far fewer")
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
@answer_options("A true claim is refuted with probability at most 1 - this.")
def check(
    output_format: Format,
    debug: bool,
    witness_file: Path | None,
    epsilons: list[float] | None,
    **asked: Any,
) -> None:
    """Try to refute the privacy claim of any mechanism.

    TARGET is package.module:callable or path.py:callable and takes (data, rng), to be run as a
    black box, or (data, ledger), to be audited release by release as well. Exit status: 0 if the
    claim holds up, 1 if it is violated, 4 if it is inconclusive (the line says what would settle
    it), 2 bad input, 3 internal error.
    """
    from auditor.checking.own_process import answer_safely
    from auditor.checking.request import Request, longest, may_be_real
    from auditor.checking.result import CheckResult, EpsilonsResult

    claims = {name: asked.pop(name) for name in ("rho", "mu", "renyi", "trade_off")}
    sources = (
        "target",
        "arguments",
        "command",
        "pair_file",
        "pair_from",
        "domain",
        "kind",
        "relation",
    )
    request = Request(
        **{name: asked.pop(name) for name in sources},
        claims=claims,
        options={"n": asked.pop("records"), **asked},
    )
    answer: type[Any] = CheckResult
    if epsilons is not None:
        answer = EpsilonsResult
        request = replace(request, options={**request.options, "epsilons": epsilons})
    with progress_bar("checking:") as advance:
        result: CheckResult | EpsilonsResult = answer_safely(
            request,
            answer,
            limit=longest(request),
            debug=debug,
            progress=lambda what, done, total: advance(done, total, what),
        )
    if output_format == "json":
        shown = result.to_json()
        # real records are kept where they are asked for, in a file of witness, and printed nowhere
        print_json(_without_records(shown) if may_be_real(request.domain) else shown)
    elif isinstance(result, EpsilonsResult):
        remarks = {name: fact for name, fact in result.facts.items() if name == "noise"}
        print_answer(result.status, result.headline, remarks)
        for epsilon, one in result.results.items():
            _print_check(one, f"at epsilon {epsilon:g}: ")
    else:
        _print_check(result)
    if result.status == "violated":
        _keep_witness(*_refuted(request, result), witness_file)
    raise click.exceptions.Exit(STATUS[result.status])


def _without_records(shown: Any) -> Any:
    """Return what JSON would say without the data sets and records of witnesses."""
    if isinstance(shown, list):
        return [_without_records(item) for item in shown]
    if not isinstance(shown, dict):
        return shown
    return {
        name: {"text": "not shown; --witness FILE keeps it"}
        if name in RECORDS
        else _without_records(value)
        for name, value in shown.items()
    }


def _refuted(request: Request, result: CheckResult | EpsilonsResult) -> tuple[Request, CheckResult]:
    """Return the request and the result of what is violated, at the smallest such epsilon."""
    from auditor.checking.result import CheckResult

    if isinstance(result, CheckResult):
        return request, result
    epsilon, found = next(
        (epsilon, one) for epsilon, one in result.results.items() if one.status == "violated"
    )
    options = {name: value for name, value in request.options.items() if name != "epsilons"}
    of_one = replace(
        request,
        arguments={**request.arguments, "epsilon": epsilon},
        options={**options, "epsilon": epsilon},
    )
    return of_one, found


def _keep_witness(request: Request, result: CheckResult, file: Path | None) -> None:
    """Save the witness of a violation if asked to; say how it is shown again."""
    from auditor.checking.witness_file import describe_witness
    from auditor.suite.store import Store

    if result.witness is None and all(v.status != "violated" for v in result.questions):
        again = "the same command (low-order bits have no witness to save)"
    elif file is None:
        again = "the same command with --witness FILE keeps what `touchstone rerun FILE` needs"
    else:
        described = describe_witness(request, result, file.parent)
        Store(file.parent).write_json(file.name, described)
        again = f"touchstone rerun {shlex.quote(str(file))}"
    messages.print(f"to show it again: {again}", markup=False, highlight=False, soft_wrap=True)


def _print_check(result: CheckResult, of: str = "") -> None:
    from rich.table import Table

    from auditor.core.verdict import describe

    print_answer(result.status, of + result.headline, result.facts)
    table = Table(box=None, pad_edge=False, show_header=False)
    for verdict in result.questions:
        answer = f"{marked(verdict.status)} {verdict.status}"
        table.add_row(verdict.question.replace("_", " "), answer, escape(verdict.summary))
        for finding in verdict.findings:
            table.add_row("", "[dim]finding[/]", escape(describe(finding)))
    if result.questions:
        print_table(table)
    print_findings(result.findings)
