"""``touchstone conform``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import click

from auditor.cli.options import Format, debug_option, format_option, seconds_option
from auditor.cli.status import ExitStatus
from auditor.cli.terminal import output, print_json, progress_bar, say
from auditor.cli.vectors import folder_option
from auditor.core.errors import InputError, visible

if TYPE_CHECKING:
    from auditor.conformance.conform import Outcome

SHOWN = 20
"""Failures that are shown; all are in JSON and junit."""
FEW = 4
"""So many files of vectors of a kind are named."""


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--command", required=True, help='The program, such as "node port.js".')
@seconds_option("--timeout", default=30.0, words="Seconds for the answer to one case.")
@click.option(
    "--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write a JUnit XML file."
)
@folder_option
@format_option
@debug_option
def conform(
    ids: tuple[str, ...],
    command: str,
    timeout: float,
    junit: Path | None,
    folder: Path | None,
    output_format: Format,
    debug: bool,
) -> int:
    """Run the vectors IDS (default: all) on a program, one JSON object a line.

    An ID is an algorithm, a mechanism, a kind (`touchstone vectors list`) or a single case. The
    requests and the answers are defined in vectors/README.md. Exit status: 0 all that is
    implemented conforms, 1 something does not, 2 bad input, 3 internal error, 4 nothing is
    implemented.
    """
    from auditor.conformance.conform import conform as run
    from auditor.conformance.conform import counts

    with progress_bar("conforming:") as advance:
        outcomes = run(command, *ids, timeout=timeout, folder=folder, progress=advance)
    found = counts(outcomes)
    if output_format == "json":
        print_json({"format": 1, "outcomes": [asdict(outcome) for outcome in outcomes]})
    else:
        _print(outcomes, found)
    if junit is not None:  # last: no file that cannot be written loses an outcome
        _write(junit, _junit(outcomes))
    if any(outcome.status == "failed" for outcome in outcomes):
        return ExitStatus.UNEXPECTED
    passed = any(outcome.status == "passed" for outcome in outcomes)
    return ExitStatus.FINE if passed else ExitStatus.INCONCLUSIVE


def _print(outcomes: Sequence[Outcome], found: dict[tuple[str, str], dict[str, int]]) -> None:
    from rich.table import Table

    table = Table("vectors", "passed", "failed", "not implemented")
    for (kind, of), row in found.items():
        if row["passed"] or row["failed"]:
            table.add_row(f"{kind}/{of}", *(str(number) for number in row.values()))
    if table.row_count:
        output.print(table)
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    for outcome in failed[:SHOWN]:
        say(str(outcome))
        if outcome.catches:
            known = "; ".join(outcome.catches)
            say(f"    it catches: {known}")
    if len(failed) > SHOWN:
        say(f"... and {len(failed) - SHOWN} more")
    unanswered = [key for key, row in found.items() if not (row["passed"] or row["failed"])]
    if unanswered:
        say(f"no case was answered of {_named(unanswered)}")
    total = {
        status: sum(outcome.status == status for outcome in outcomes)
        for status in ("passed", "failed", "not implemented")
    }
    say(", ".join(f"{n} {status}" for status, n in total.items()))


def _named(found: Sequence[tuple[str, str]]) -> str:
    """Return the names of files of vectors; of a kind with many, their number."""
    by_kind: dict[str, list[str]] = {}
    for kind, of in found:
        by_kind.setdefault(kind, []).append(of)
    few = (
        f"{kind}/{', '.join(names)}" if len(names) <= FEW else f"{len(names)} of {kind}"
        for kind, names in by_kind.items()
    )
    return "; ".join(few)


def _junit(outcomes: Sequence[Outcome]) -> bytes:
    suite = ElementTree.Element(
        "testsuite",
        name="touchstone conform",
        tests=str(len(outcomes)),
        failures=str(sum(outcome.status == "failed" for outcome in outcomes)),
        skipped=str(sum(outcome.status == "not implemented" for outcome in outcomes)),
    )
    for outcome in outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{outcome.kind}.{outcome.of}", name=outcome.id
        )
        if outcome.status == "failed":
            ElementTree.SubElement(case, "failure", message=_in_xml(str(outcome)))
        elif outcome.status == "not implemented":
            ElementTree.SubElement(case, "skipped")
    document: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return document


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"--junit: {path} cannot be written ({error.strerror})") from None


def _in_xml(text: str) -> str:
    """Return a text without the characters that no XML file may have, even escaped."""
    return re.sub("[\ufffe\uffff]", "", visible(text))
