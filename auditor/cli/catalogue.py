"""``touchstone list``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from auditor.cli.options import Format, debug_option, format_option, results_option
from auditor.cli.terminal import output, print_json

if TYPE_CHECKING:
    from auditor.core.case import Case
    from auditor.suite.conclude import Conclusion
    from auditor.suite.store import BrokenResultError, Result


@click.command("list")
@results_option
@format_option
@debug_option
def list_command(folder: Path, output_format: Format, debug: bool) -> None:
    """List the catalogue: claims, printed forms, errata and last verdicts."""
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
        print_json(_catalogue_json(final, set(_cases())))
    else:
        cases = _cases() if results else {}
        _print_catalogue(final, cases, {error.path.stem for error in broken})
    if broken:
        raise broken[0]


def _cases() -> Mapping[str, Callable[[], Case]]:
    from auditor.cases import builders  # loads slowly

    return builders()


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
            text = f"{form.summary} ({_errata(form.errata)} {', '.join(form.errata)})"
            grid.add_row(f"  [dim]{escape(form.name)}[/]", escape(text))
        if entry.errata:
            kinds = ", ".join(f"{e.name} {e.severity} {e.kind}" for e in entry.errata)
            grid.add_row(f"  [dim]{_errata(entry.errata)}[/]", escape(kinds))
        grid.add_row("  [dim]last[/]", escape(last))
        output.print(grid)


def _errata(some: Sequence[Any]) -> str:
    return "erratum" if len(some) == 1 else "errata"


def _catalogue_json(conclusion: Conclusion, audited: set[str]) -> dict[str, Any]:
    from auditor.core.version import version
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
