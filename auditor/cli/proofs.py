"""``touchstone proofs``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from auditor.cli.options import (
    Format,
    debug_option,
    format_option,
    results_option,
    seed_option,
    severity_option,
    workers_option,
)
from auditor.cli.status import ExitStatus
from auditor.cli.terminal import output, print_fields, print_json, progress_bar, say, warn
from auditor.core.errors import InputError
from auditor.core.plurals import counted
from proofs_checks import verdicts
from proofs_checks.verdicts import CLAIMS, PRINTS, words


@click.command()
@click.argument("wanted", nargs=-1, metavar="[ID|PAPER|NUMBER|exact]...")
@click.option("--paper", help="Statements of one paper only, 000 to 004.")
@click.option("--section", help="Statements of one section only, e.g. 3.2 or 'appendix B'.")
@click.option(
    "--print",
    "of_print",
    type=click.Choice(tuple(PRINTS)),
    help="Only statements whose print has this verdict.",
)
@click.option(
    "--claim",
    "of_claim",
    type=click.Choice(tuple(CLAIMS)),
    help="Only statements whose claim has this verdict.",
)
@click.option("--level", help="Those checked at a level only, by a part of its name: 'derived'.")
@severity_option
@click.option(
    "--texts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="TOUCHSTONE_TEXTS",
    help="Folder of the papers' texts, to show what is printed word for word.",
)
@click.option(
    "--export",
    "export_to",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write them as a data set too: JSON Lines, schema, data card and citation.",
)
@seed_option
@workers_option
@results_option
@format_option
@debug_option
def proofs(
    wanted: tuple[str, ...],
    paper: str | None,
    section: str | None,
    of_print: str | None,
    of_claim: str | None,
    level: str | None,
    severity: str | None,
    texts: Path | None,
    export_to: Path | None,
    seed: int,
    workers: int,
    folder: Path,
    output_format: Format,
    debug: bool,
) -> None:
    """Check the papers' numbered statements (default: all) and show how each was checked.

    Those of an algorithm's ID, of a PAPER (000 to 004, see `touchstone list`) or of a NUMBER, such
    as "Lemma 2.1.9" or "004 Lemma 2.1.9", are shown in full: what they say, as printed, as checked
    and corrected, the derivation with what each of its steps decided, and where the check is.
    "exact" shows this project's own statements about the exact ledger. Exit status: 0 nothing
    unexpected, 1 something unexpected, 2 bad input, 3 only failures of checks themselves, 4 nothing
    unexpected, but a requested statement could not be checked here.
    """
    from auditor.suite import proofs as runner
    from auditor.suite.errata import severities
    from proofs_checks.statement import source_of
    from reference.catalogue import PAPERS

    if paper is not None and paper not in PAPERS:
        raise InputError(f"--paper is one of {', '.join(PAPERS)}, got {paper!r}")
    chosen = runner.select(
        wanted,
        paper=paper,
        section=section,
        of_print=of_print,
        of_claim=of_claim,
        severities=severities(severity),
    )
    levels = runner.levels_called(level) if level is not None else ()
    kept = not (wanted or section or of_print or of_claim or level or severity)  # whole papers
    if kept:
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
    if export_to is not None:
        from auditor.site.export import export

        export(export_to, ledger, chosen)
    if levels:
        ledger = {**ledger, "statements": runner.of_levels(ledger, levels)}
    if kept:
        earlier = store.read_beside("proofs.json", "proofs", warn) if paper else None
        store.write_json("proofs.json", runner.together(earlier, ledger))
    if output_format == "json":
        print_json(ledger)
    else:
        for number in dict.fromkeys(item["paper"] for item in ledger["statements"]):
            say(f"{number}  {source_of(number)}", "bold")
            for item in sorted(ledger["statements"], key=_by_severity):
                if item["paper"] == number:
                    _print_in_full(item, texts) if wanted else _print_in_short(item)
        _print_totals(ledger)
    for problem, status in (
        ("unexpected", ExitStatus.UNEXPECTED),
        ("failed", ExitStatus.INTERNAL_ERROR),
        ("not_run", ExitStatus.INCONCLUSIVE),
    ):
        if ledger[problem]:
            raise click.exceptions.Exit(status)


def _by_severity(item: Mapping[str, Any]) -> str:
    return item["severity"] or "true"  # what has errata comes first, the worst before


def _verdict(item: Mapping[str, Any]) -> str:
    if not item["as_expected"]:
        return "unexpected"
    if not item["lines"]:
        return str(item["claim"])
    return " ".join(filter(None, (words(item["print"], item["claim"]), item["severity"])))


def _style(item: Mapping[str, Any]) -> str:
    if not item["as_expected"]:
        return "bold red"
    if item["print"] == "as printed":
        return "green"
    return "dim" if item["print"] in ("definition", "not judged") else "magenta"


def _print_in_short(item: Mapping[str, Any]) -> None:
    printed, corrected = item["printed"], item["corrected"]
    line = Text(f"{item['number']:<24} ")
    verdict = _verdict(item)
    line.append(f"{verdict:<34}", style=_style(item))
    whole = verdict == "definition" and not item["absent"]
    said = printed["detail"] if whole else _checked(printed)
    line.append(f" {said}")
    if corrected is not None:
        line.append(f"; corrected, {_checked(corrected)}")
    output.print(line, soft_wrap=True)


def _checked(outcome: Mapping[str, Any]) -> str:
    return f"{outcome['evidence']}: {outcome['detail']}"


def _print_in_full(item: Mapping[str, Any], texts: Path | None) -> None:
    from proofs_checks.symbols import explained, with_legend

    say(f"{item['key']}  {_verdict(item)}", _style(item))
    print_fields(
        [
            ("where", _where(item)),
            ("text", _verbatim(item, texts)),
            ("printed" if item["lines"] else "states", item["formula"]),
            ("as checked", item["checked_formula"]),
            ("added", item["added"]),
            ("misprinted", item["misprint"]),
            ("repaired by", item["repair"]),
            ("but", item["reason"]),
            ("errata", ", ".join(item["errata"])),
            *_evidence(item["printed"], item["argument"]),
            ("corrected", item["corrected_formula"]),
            *_evidence(item["corrected"], item["corrected_argument"]),
            ("symbols", with_legend(item["legend"])),
            ("in no step", explained(item["absent"])),
            ("cites", ", ".join(map(_with_verdict, item["cites"]))),
            ("implied by", ", ".join(map(_with_verdict, item["special_case_of"]))),
            ("check", item["where"]),
        ]
    )


def _where(item: Mapping[str, Any]) -> str:
    """Return where a paper has a statement; nothing for the project's own."""
    if not item["lines"]:
        return ""
    return f"section {item['section'] or '?'}; line {item['lines']} of the text this was made from"


def _evidence(outcome: Mapping[str, Any] | None, argument: str) -> list[tuple[str, str]]:
    """Return what was found, the derivation, and what each of its steps decided."""
    if outcome is None:
        return []
    found = outcome["evidence"] if outcome["steps"] else _checked(outcome)
    shows = "" if outcome["steps"] else _shown(outcome)
    shown = [("evidence", found), ("shows", shows), ("argument", argument)]
    return [*shown, *_steps(outcome)]


def _steps(outcome: Mapping[str, Any]) -> list[tuple[str, str]]:
    from auditor.suite.proofs import all_steps

    rows = []
    for depth, step in all_steps(outcome):
        words = [step["evidence"]]
        if not step["steps"]:
            words.append(_shown(step) or step["detail"])
        rows.append(("step", f"{'  ' * depth}{step['name'] or 'and'}: {', '.join(words)}"))
    return rows


def _shown(outcome: Mapping[str, Any]) -> str:
    """Return what was decided, and its premises, each with its origin."""
    from auditor.suite.proofs import premises

    return ", given ".join(filter(None, (outcome["shows"], premises(outcome))))


def _with_verdict(key: str) -> str:
    from proofs_checks.statement import find

    found = find(key)
    return f"{key} ({words(found.print, found.claim)})"


def _verbatim(item: Mapping[str, Any], texts: Path | None) -> str:
    """Return the first of a statement's lines as the text has it, where it is at hand."""
    from proofs_checks.lines import ranges, text_of

    if texts is None or not item["lines"]:
        return ""
    (first, _), *_ = ranges(item["lines"])
    try:
        return text_of(texts, item["paper"])[first - 1].strip()
    except FileNotFoundError as error:
        raise InputError(str(error)) from None


def _print_totals(ledger: Mapping[str, Any]) -> None:
    from auditor.suite.errata import count
    from proofs_checks.extras import INSTALL
    from reference.catalogue import erratum

    items = ledger["statements"]
    said = verdicts.counted((item["print"], item["claim"]) for item in items)
    total = f"{counted(len(items), 'statement', 'statements')}: {said}"
    output.print(total, highlight=False, soft_wrap=True)
    levels = Counter(item["level"] for item in items if item["level"])
    said = ", ".join(f"{number} {level}" for level, number in levels.most_common())
    say(f"what must hold: {said}")
    short = sum(bool(item["absent"]) for item in items)
    if short:
        say(f"of these, {short} but for symbols of their formulas that no step contains")
    names = {name for item in items for name in item["errata"]}
    if names:
        found = count(map(erratum, sorted(names)))
        say(f"their errata: {found}")
    if ledger["unexpected"]:
        line = f"otherwise than expected: {', '.join(ledger['unexpected'])}"
        say(line, "bold red")
    elif not ledger["failed"] and len(ledger["not_run"]) < len(items):
        output.print("every check that ran is as expected", style="green")
    if ledger["failed"]:
        line = (
            f"internal error in the checks of: {', '.join(ledger['failed'])}; --debug shows where"
        )
        say(line, "bold red")
    if ledger["not_run"]:
        number = f"{len(ledger['not_run'])} of {counted(len(items), 'statement', 'statements')}"
        line = f"not run here: {number}; {INSTALL} brings what they need"
        say(line, "yellow")
