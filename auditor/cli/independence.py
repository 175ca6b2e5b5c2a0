"""``touchstone independence``."""

from __future__ import annotations

from typing import Any

import click

from auditor.cli.check import STATUS
from auditor.cli.options import Format, answer_options, run_options, target_options
from auditor.cli.terminal import print_answer, print_findings, print_json, progress_bar


@click.command()
@target_options
@click.option(
    "--data",
    "data_file",
    type=click.Path(dir_okay=False),
    help="A .json or .npy file with the data set; lists of numbers are NumPy arrays to TARGET.",
)
@click.option(
    "--data-from",
    metavar="CALLABLE",
    help="package.module:callable or path.py:callable that returns the data set.",
)
@run_options("as many outputs are put together from several runs", of="runs", default=20_000)
@answer_options("Independent parts are called violated with probability at most 1 - this.")
def independence(output_format: Format, debug: bool, **asked: Any) -> None:
    """Try to refute that the parts of an output have independent noise.

    And that every run brings fresh noise. Parts are the entries of an array and the items of a
    tuple, list or dict. TARGET is as for `touchstone check`; no privacy claim is needed, and none
    says so. Exit status: 0 if nothing contradicts it, 1 if it is violated, 4 if nothing can be
    said, 2 bad input, 3 internal error.
    """
    from auditor.checking.own_process import answer_safely
    from auditor.checking.request import Request, longest
    from auditor.checking.result import IndependenceResult

    sources = ("target", "arguments", "command", "kind")
    request = Request(**{name: asked.pop(name) for name in sources}, options=asked)
    with progress_bar("checking:") as advance:
        result = answer_safely(
            request,
            IndependenceResult,
            limit=longest(request),
            debug=debug,
            progress=lambda what, done, total: advance(done, total, what),
        )
    if output_format == "json":
        print_json(result.to_json())
    else:
        print_answer(result.status, result.headline, result.facts)
        print_findings(result.findings)
    raise click.exceptions.Exit(STATUS[result.status])
