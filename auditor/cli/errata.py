"""``touchstone errata``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from auditor.cli.options import Format, debug_option, format_option, severity_option
from auditor.cli.terminal import print_fields, print_json, say
from auditor.core.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from proofs_checks.statement import Statement
    from reference.catalogue import Erratum


@click.command()
@click.argument("wanted", nargs=-1, metavar="[NAME|ID|PAPER]...")
@severity_option
@format_option
@debug_option
def errata(
    wanted: tuple[str, ...], severity: str | None, output_format: Format, debug: bool
) -> None:
    """List the errata of the papers, the worst first (default: everything).

    A NAME such as "wang-2/E2" is shown in full, with the statements that it is about; an ID or a
    PAPER (000 to 004) stands for all that belong to it. Severities: S1 breaks a headline, S2 is a
    wrong number that one would code or cite, S3 a matter of range or units, S4 a slip.
    """
    from auditor.suite.errata import count, severities
    from reference.catalogue import SEVERITIES

    graded = severities(severity)
    about = _statements_of_errata()
    chosen = [e for e in _select(wanted, about) if not graded or e.severity in graded]
    if not chosen:
        raise InputError(f"none of the errata asked for is of severity {severity}")
    if output_format == "json":
        print_json(_to_json(chosen, about))
        return
    in_full = bool(wanted)
    for erratum in chosen:
        keys = ", ".join(item.key for item in about.get(erratum.name, ()))
        copied = f", a copy of {erratum.copy_of}" if erratum.copy_of else ""
        heading = f"{erratum.name}  {erratum.severity}  {erratum.kind}{copied}"
        say(heading, "bold")
        print_fields(_fields(erratum, keys) if in_full else [("", erratum.statement)])
    say(str(count(chosen)))
    for grade, meaning in SEVERITIES.items():
        say(f"{grade}  {meaning}", "dim")


def _statements_of_errata() -> dict[str, list[Statement]]:
    """Return the false statements that each erratum is about."""
    from proofs_checks.statement import statements

    about: dict[str, list[Statement]] = {}
    for item in statements():
        for name in item.errata:
            about.setdefault(name, []).append(item)
    return about


def _select(wanted: Iterable[str], about: Mapping[str, list[Statement]]) -> list[Erratum]:
    """Return errata by name, by algorithm or by paper, the worst first; all for nothing.

    Raises
    ------
    InputError
        For a word that stands for none; of a name that was withdrawn, saying why.
    """
    from reference.catalogue import PAPERS, UnknownAlgorithmError, entries, entry, errata, withdrawn

    known, gone = errata(), withdrawn()
    names = set() if wanted else set(known)
    for word in wanted:
        if word in known:
            found = {word}
        elif word in gone:
            raise InputError(f"{word} is no erratum: {gone[word].why}")
        elif word in PAPERS:
            found = {
                name
                for name, items in about.items()
                if word in {item.paper for item in items} and name in known
            }
        else:
            try:
                found = {erratum.name for erratum in entry(word).errata}
            except UnknownAlgorithmError:
                found = {name for name in known if name.startswith(f"{word}/")}
        if not found:
            meant = did_you_mean(word, [*entries(), *known])
            raise InputError(
                f"no erratum belongs to {word!r}{meant}; give a name such as wang-2/E2, the id of "
                "an algorithm or a paper (000 to 004)"
            )
        names |= found
    return [erratum for name, erratum in known.items() if name in names]


def _fields(erratum: Erratum, keys: str) -> list[tuple[str, str]]:
    from auditor.suite.errata import reproduce_command

    return [
        ("origin", erratum.origin),
        ("in doubt", f"hangs on: {erratum.sign}" if erratum.in_doubt else ""),
        ("elsewhere", erratum.elsewhere),
        ("printed", erratum.statement),
        ("true", erratum.truth),
        ("witness", erratum.witness),
        ("shown by", erratum.reproduced_by),
        ("run", reproduce_command(erratum)),
        ("statements", keys),
    ]


def _to_json(chosen: Iterable[Erratum], about: Mapping[str, list[Statement]]) -> dict[str, Any]:
    from auditor.core.version import version
    from reference.catalogue import withdrawn

    return {
        "touchstone": version(),
        "errata": [
            {**vars(erratum), "statements": [item.key for item in about.get(erratum.name, ())]}
            for erratum in chosen
        ],
        "withdrawn": [vars(item) for item in withdrawn().values()],
    }
