"""``touchstone measure``."""

from __future__ import annotations

from typing import Any

import click
from rich.markup import escape

from auditor.cli.options import (
    FiniteRange,
    Format,
    answer_options,
    pair_options,
    run_options,
    target_options,
)
from auditor.cli.terminal import output, print_findings, print_json, progress_bar


@click.command()
@target_options
@click.option(
    "--delta",
    type=FiniteRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    help="Delta at which epsilon is measured, in [0, 1).",
)
@pair_options
@run_options("all are made, or what the time allows")
@answer_options("The epsilon that is printed is too large with probability 1 - this.")
def measure(output_format: Format, debug: bool, **asked: Any) -> None:
    """Print a lower bound on the epsilon of any mechanism.

    Like `touchstone check` without a claim: where a check stops as soon as it is sure, this uses
    all runs for the largest epsilon that they certify. Exit status: 0 measured, 2 bad input (or no
    time for any run), 3 internal error.
    """
    from auditor.checking.own_process import answer_safely
    from auditor.checking.request import Request, longest
    from auditor.checking.result import Measurement

    sources = ("target", "arguments", "command", "pair_file", "pair_from", "kind", "relation")
    request = Request(**{name: asked.pop(name) for name in sources}, options=asked)
    with progress_bar("measuring:") as advance:
        result = answer_safely(
            request,
            Measurement,
            limit=longest(request),
            debug=debug,
            progress=lambda what, done, total: advance(done, total, what),
        )
    if output_format == "json":
        print_json(result.to_json())
        return
    output.print(escape(result.summary), soft_wrap=True)
    print_findings(result.findings)
