"""``touchstone scaling``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from auditor.cli.check import STATUS
from auditor.cli.options import FiniteRange, Format, answer_options, numbers
from auditor.cli.terminal import marked, output, print_findings, print_json, progress_bar
from auditor.core.input_limits import MOST_ERRORS


@click.command()
@click.argument("target")
@click.option("--along", required=True, help="Name of the value that varies, e.g. n.")
@click.option(
    "--values",
    required=True,
    callback=numbers("--values", "100,200,400,800"),
    help="At least four values of it: 100,200,400,800",
)
@click.option(
    "--claim",
    required=True,
    type=float,
    help="Claimed exponent: -0.5 says that the error falls like 1/sqrt.",
)
@click.option(
    "--functional",
    type=click.Choice(["median", "mean"]),
    default="median",
    show_default=True,
    help="Functional of the error that the claim is about.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=2, max=MOST_ERRORS),
    default=400,
    show_default=True,
    help="Errors at each value.",
)
@click.option(
    "--notice",
    type=FiniteRange(0, min_open=True),
    default=0.25,
    show_default=True,
    help="An exponent this much short of the claim must have been noticed.",
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw errors and claim into this file (.png, .svg, .pdf).",
)
@answer_options("A true claim is refuted with probability at most 1 - this.")
def scaling(
    target: str, picture: Path | None, output_format: Format, debug: bool, **asked: Any
) -> None:
    """Try to refute that an error falls as fast as claimed.

    TARGET is package.module:callable or path.py:callable and takes (rng, value), or (rng, ledger,
    value); it returns one error. Exit status: 0 if the claim holds up, 1 if it is violated, 4 if it
    is inconclusive, 2 bad input, 3 internal error.
    """
    from auditor.checking.rate import check_scaling
    from auditor.runs.target import load_callable

    with progress_bar("measuring:") as advance:
        found = check_scaling(
            load_callable(target),
            progress=lambda what, done, total: advance(done, total, what),
            **asked,
        )
    if picture is not None:
        found.plot(picture)
    if output_format == "json":
        print_json(found.to_json())
    else:
        line = f"{marked(found.status)} [bold]{found.status}[/]  {escape(found.summary)}"
        output.print(line, soft_wrap=True)
        print_findings(found.findings)
    raise click.exceptions.Exit(STATUS[found.status])
