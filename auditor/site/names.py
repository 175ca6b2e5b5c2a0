"""Names of pages, which the search shows before the pages that hold the words."""

from __future__ import annotations

import json
from collections.abc import Iterator

from auditor.core import addresses
from auditor.site.content import Content
from reference.catalogue import PAPERS

Name = tuple[str, str, str]
"""Title, address, and other words by which somebody may look for the page."""


def names(content: Content) -> Iterator[Name]:
    """Yield the names of the pages of algorithms, papers, errata and statements.

    Of pages that a query fits equally well, those that are yielded first come first.
    """
    for entry in content.entries.values():
        numbers = " ".join(f"{s.label} {s.number} {s.work.short}" for s in entry.sources)
        aliases = " ".join(entry.aliases)
        title = f"{entry.id}: {entry.name}"
        yield title, addresses.of_algorithm(entry.id), f"{entry.id} {numbers} {aliases}"
    for label, paper in PAPERS.items():
        yield f"Paper {label}", addresses.of_paper(label), f"{paper.short} {paper.title}"
    for name in content.errata:
        yield f"Erratum {name}", addresses.of_erratum(name), "error errata"
    for key, statement in content.statements.items():
        yield key, addresses.of_statement(key), PAPERS[statement.paper].short


def script(content: Content) -> str:
    """Return the names as a script, which a page without a server can load."""
    listed = json.dumps(list(names(content)), ensure_ascii=False, separators=(",", ":"))
    return f"window.touchstoneNames = {listed};\n"
