"""The pages that people write: those of ``docs/`` and of the folders beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auditor.core.errors import InternalError
from auditor.site.content import ROOT

GROUPS = {
    "Check and audit": (
        "check-your-mechanism", "audit-your-own", "in-ci", "program-protocol", "events",
        "what-a-check-defends", "which-tool",
    ),
    "Implement": ("implement", "conformance-vectors", "assumptions", "accountants",
                  "port-disagreements", "vector-mutants"),
    "How well it works": (
        "zoo", "calibration", "vectors", "benchmarks", "libraries", "scaling", "broken-constants",
    ),
    "The papers' experiments": (
        "experiments-em", "experiments-heavy-tailed", "experiments-convex", "experiments-pairwise",
        "experiments-nonconvex", "experiments-local", "experiments-sparse", "experiments-matrices",
        "experiments-crowdsourcing",
    ),
    "The project": ("security", "contributing", "changelog"),
}  # fmt: skip
"""Heading -> pages under it."""

ELSEWHERE = {
    "conformance-vectors": "vectors/README.md",
    "security": "SECURITY.md",
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
}
"""Pages that are not in ``docs/``."""

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?!https?:)[^)#]+)(#[^)]*)?\)")


def guides() -> Iterator[tuple[str, str]]:
    """Return the address and the text of every guide.

    Raises
    ------
    InternalError
        If a page of ``docs/`` is under no heading.
    """
    listed = {page for pages in GROUPS.values() for page in pages}
    written = {path.stem for path in (ROOT / "docs").glob("*.md")}
    if written - listed:
        raise InternalError(f"under no heading of the site: {', '.join(sorted(written - listed))}")
    for page in sorted(listed):
        file = ELSEWHERE.get(page, f"docs/{page}.md")
        yield f"guides/{page}", _linked((ROOT / file).read_text(encoding="utf-8"), file)


def _linked(text: str, file: str) -> str:
    """Return a page whose links lead to pages of the site; others are words only."""
    files = {ELSEWHERE.get(p, f"docs/{p}.md"): p for pages in GROUPS.values() for p in pages}
    folder = (ROOT / file).parent

    def there(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        name = target.relative_to(ROOT.resolve()).as_posix()
        if name == "README.md":
            return f"[{link[1]}](/index.md)"
        return f"[{link[1]}](/guides/{files[name]}.md{link[3] or ''})" if name in files else link[1]

    return _LINK.sub(there, text)
