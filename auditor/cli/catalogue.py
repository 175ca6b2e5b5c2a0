"""``touchstone list``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from auditor.cli.options import (
    Format,
    cases_option,
    debug_option,
    format_option,
    results_option,
    severity_option,
)
from auditor.cli.terminal import output, print_fields, print_json, warn
from auditor.core.errors import InputError

if TYPE_CHECKING:
    from auditor.suite.algorithms import Known
    from auditor.suite.certainty import ProofLink
    from auditor.suite.conclude import Conclusion
    from auditor.suite.store import BrokenResultError, Result, Store
    from reference.catalogue import Entry, Erratum


@click.command("list")
@click.argument("ids", nargs=-1)
@severity_option
@cases_option
@results_option
@format_option
@debug_option
def list_command(
    ids: tuple[str, ...],
    severity: str | None,
    files: tuple[Path, ...],
    folder: Path,
    output_format: Format,
    debug: bool,
) -> None:
    """List the catalogue: claims, printed forms, errata (the worst first) and last verdicts.

    All of it, a line an algorithm, or the algorithms IDS in full; those of installed packages, and
    of files (--cases), come last.
    With --severity, the algorithms whose sources have errors of these severities, and those errors.
    """
    from auditor.suite.algorithms import known
    from auditor.suite.conclude import conclude
    from auditor.suite.errata import severities
    from auditor.suite.store import BrokenResultError, Store

    algorithms = known(files, warn)
    entries = algorithms.entries
    wanted = set(algorithms.identifiers(ids)) or set(entries)
    store = Store(folder)
    results: dict[str, Result] = {}
    broken: list[BrokenResultError] = []
    for identifier in entries:
        if identifier not in wanted:
            continue
        try:
            found = store.load(identifier)
        except BrokenResultError as error:
            broken.append(error)
            continue
        if found is not None:
            results[identifier] = found
    final = conclude(results, entries)
    graded = severities(severity)
    chosen = [
        found
        for found in entries.values()
        if found.id in wanted
        and (not graded or any(erratum.severity in graded for erratum in found.errata))
    ]
    if not chosen:
        raise InputError("the sources of no algorithm have an error of --severity")
    sure = _certainty(chosen, algorithms, final, store) if ids else {}
    if output_format == "json":
        print_json(_catalogue_json(chosen, final, algorithms, sure))
    elif not ids:
        _print_lines(chosen, graded, final, {error.path.stem for error in broken})
    else:
        stems = {error.path.stem for error in broken}
        _print_catalogue(chosen, graded, final, algorithms, stems, sure)
    if broken:
        raise broken[0]


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


def _print_lines(
    chosen: Sequence[Entry], graded: Sequence[str], conclusion: Conclusion, broken: set[str]
) -> None:
    """Print the papers, then a line an algorithm: id, name, errors by severity, last verdicts."""
    from auditor.suite.errata import count

    _print_papers(chosen)
    wide = max(len(entry.id) for entry in chosen)
    for entry in chosen:
        errors = count(e for e in entry.errata if not graded or e.severity in graded).distinct
        found = ", ".join(f"{number} {grade}" for grade, number in errors.items() if number)
        last = "unreadable results file" if entry.id in broken else "not audited yet"
        if entry.id in conclusion.results:
            last = _last_verdict(conclusion, entry.id).partition(";")[0]
        name = escape(f"{entry.name} ({entry.model.value})")
        line = (
            f"[bold]{escape(entry.id):<{wide}}[/]  {name}; {found or 'no errors'}; [dim]{last}[/]"
        )
        output.print(line, soft_wrap=True, highlight=False)
    _print_count(chosen, graded)
    output.print("one of them in full: touchstone list ID", soft_wrap=True)


def _print_papers(chosen: Sequence[Entry]) -> None:
    from reference.catalogue import PAPERS

    cited = {source.label: source.work for entry in chosen for source in entry.sources}
    for number in sorted(cited, key=lambda label: (label not in PAPERS, label)):
        head = number if number in PAPERS else " " * len("000")
        line = f"[dim]{head}[/]  {escape(str(cited[number]))}"
        output.print(line, soft_wrap=True, highlight=False)
    output.print()


def _print_count(chosen: Sequence[Entry], graded: Sequence[str]) -> None:
    from auditor.suite.errata import count

    shown = (e for entry in chosen for e in entry.errata if not graded or e.severity in graded)
    line = f"of these algorithms: {count(shown)}; of all statements: touchstone errata"
    output.print(line, soft_wrap=True)


def _print_catalogue(
    chosen: Sequence[Entry],
    graded: Sequence[str],
    conclusion: Conclusion,
    algorithms: Known,
    broken: set[str],
    sure: Mapping[str, Sequence[ProofLink]],
) -> None:
    from auditor.suite.certainty import in_one_line
    from auditor.suite.keys import Sources, is_stale

    _print_papers(chosen)
    sources, modules, origins = Sources(), algorithms.modules, algorithms.origins
    for entry in chosen:
        if entry.id in broken:
            last = "unreadable results file"
        elif entry.id in conclusion.results:
            last = _last_verdict(conclusion, entry.id)
            if is_stale(conclusion.results[entry.id], modules, sources):
                last += " (by an earlier version of the code)"
        else:
            last = "not audited yet"
        output.print(
            f"[bold]{escape(entry.id)}[/]  {escape(entry.name)} [dim]({entry.model.value})[/]"
        )
        errata = [e for e in entry.errata if not graded or e.severity in graded]
        forms = [
            (form.name, f"{form.summary} ({_errata(form.errata)} {', '.join(form.errata)})")
            for form in entry.printed_forms
        ]
        print_fields(
            [
                ("from", origins.get(entry.id, "")),
                ("printed in", "; ".join(map(str, entry.sources))),
                ("claims", entry.privacy_claim),
                ("holds for", _ranges(algorithms, entry) if len(chosen) == 1 else ""),
                ("code", f"{entry.function.__module__}:{entry.function.__qualname__}"),
                *forms,
                ("how sure", in_one_line(sure[entry.id])),
                ("theorem", _theorem(entry)),
                (_errata(errata), ", ".join(map(_in_short, errata))),
                ("statements", _verdicts(entry) if len(chosen) == 1 else ""),
                ("last", last),
            ]
        )
    _print_count(chosen, graded)


def _certainty(
    chosen: Sequence[Entry], algorithms: Known, conclusion: Conclusion, store: Store
) -> dict[str, list[ProofLink]]:
    """Return by id the links of a guarantee, each with how sure it is."""
    from auditor.suite.certainty import Certainty, checked_of, grounds_of
    from proofs_checks.statement import statements

    checked = checked_of(store.read_beside("proofs.json", "proofs", warn))
    certainty = Certainty(grounds_of(statements()), checked, conclusion.results)
    return {entry.id: certainty.links(entry, algorithms.form(entry.id)) for entry in chosen}


def _theorem(entry: Entry) -> str:
    """Return the machine-checked theorem of an algorithm, or nothing."""
    from proofs_checks.algorithm_theorems import algorithm_theorems

    theorem = algorithm_theorems().get(entry.id)
    return str(theorem) if theorem else ""


def _in_short(erratum: Erratum) -> str:
    doubt = ", in doubt" if erratum.in_doubt else ""
    return f"{erratum.name} {erratum.severity} {erratum.kind}{doubt}"


def _verdicts(entry: Entry) -> str:
    """Return how many of an algorithm's statements have which verdicts."""
    from proofs_checks import verdicts
    from proofs_checks.statement import statements

    own = [item for item in statements() if entry.id in item.algorithms]
    return verdicts.counted((item.print, item.claim) for item in own)


def _ranges(algorithms: Known, entry: Entry) -> str:
    """Return where the guarantee of one algorithm holds, a line for every number."""
    from auditor.questions.ranges import ranges

    form = algorithms.form(entry.id)
    return "\n".join(f"{found.name}: {found.describe()}" for found in ranges(form)) if form else ""


def _errata(some: Sequence[Any]) -> str:
    return "erratum" if len(some) == 1 else "errata"


def _catalogue_json(
    chosen: Sequence[Entry],
    conclusion: Conclusion,
    known: Known,
    sure: Mapping[str, Sequence[ProofLink]],
) -> dict[str, Any]:
    from auditor.core.version import version

    algorithms, audited, origins = [], known.modules, known.origins
    for entry in chosen:
        result = conclusion.results.get(entry.id)
        algorithms.append(
            {
                "id": entry.id,
                "name": entry.name,
                "origin": origins.get(entry.id),
                "aliases": list(entry.aliases),
                "sources": [
                    {
                        "paper": source.label,
                        "title": str(source.work),
                        "number": source.number,
                        "lines": source.lines,
                    }
                    for source in entry.sources
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
                "certainty": [vars(link) for link in sure[entry.id]] if sure else None,
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
