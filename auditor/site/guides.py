"""The pages that people write: those of ``docs/`` and of the folders beside it."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor.core.errors import InternalError
from auditor.experiments import page as experiments
from auditor.site.content import ROOT, last_change

GROUPS = {
    "Tutorials, as notebooks": (
        "tutorials/reader", "tutorials/implementer", "tutorials/designer", "tutorials/maintainer",
    ),
    "Check and audit": (
        "read-a-report", "check-your-mechanism", "audit-your-own", "audit-training", "in-ci",
        "program-protocol", "events", "verdicts", "what-a-check-defends", "which-tool",
    ),
    "Implement": (
        "run-an-algorithm", "release-exactly", "implement", "conformance-vectors", "assumptions",
        "accountants", "port-disagreements", "vector-mutants",
    ),
    "How well it works": (
        "zoo", "calibration", "vectors", "benchmarks", "libraries", "scaling", "broken-constants",
        "exact-ledger", "how-sure", "thin-leaks",
    ),
    "The papers' experiments": (
        "experiments-em", "experiments-heavy-tailed", "experiments-convex", "experiments-pairwise",
        "experiments-nonconvex", "experiments-second-order", "experiments-local",
        "experiments-sparse", "experiments-matrices", "experiments-crowdsourcing",
    ),
    "The project": ("five-papers", "commands", "house", "security", "contributing", "changelog"),
}  # fmt: skip
"""Heading -> pages under it."""

ELSEWHERE = {
    "conformance-vectors": "vectors/README.md",
    "security": "SECURITY.md",
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
}
"""Pages that are not in ``docs/``."""

EXPERIMENTS = ROOT / "docs" / "experiments"
"""The pages on experiments and the results that they are made from."""

PREFIXES = {"tutorials": "tutorials/", "experiments": "experiments-"}
"""Folder of ``docs/`` -> start of the addresses of its pages; empty for other folders."""

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?!https?:)[^)#]+)(#[^)]*)?\)")


def guides() -> Iterator[tuple[str, str]]:
    """Return the address and the text of every guide.

    Raises
    ------
    InternalError
        If a page of ``docs/`` is under no heading, or a picture of a notebook has no words.
    InputError
        If the results of a page on experiments are missing or broken.
    """
    files = _files()
    unlisted = sorted(file for file, page in files.items() if page not in _pages())
    if unlisted:
        raise InternalError(f"under no heading: {', '.join(unlisted)}")
    for file, page in sorted(files.items()):
        path = ROOT / file
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = _written(json.loads(text), path.stem)
        elif path.parent == EXPERIMENTS:
            kept = experiments.read(path.stem, EXPERIMENTS)
            text = experiments.text(kept, path.stem, with_pictures=True)
        when = last_change(file)
        said = f"\n---\n\nLast changed in commit {when}.\n" if when else ""
        yield f"guides/{page}", f"{_linked(text, file)}{said}"


def pictures() -> Iterator[tuple[str, bytes]]:
    """Return the address and the content of every picture of a guide, and every notebook."""
    for path in sorted((ROOT / "docs").rglob("*.png")):
        yield f"guides/{path.name}", path.read_bytes()
    for path in sorted((ROOT / "docs").rglob("*.ipynb")):
        notebook = path.read_bytes()
        address = f"guides/{path.relative_to(ROOT / 'docs').as_posix()}"
        yield address, notebook
        for name, output in _shown(json.loads(notebook), path.stem):
            yield f"{Path(address).parent}/{name}", b64decode("".join(output["data"]["image/png"]))


def drawn() -> Iterator[tuple[str, bytes]]:
    """Draw the pictures of experiments from their kept results; return addresses and contents."""
    for path in sorted(EXPERIMENTS.glob("*.json")):
        kept = experiments.read(path.stem, EXPERIMENTS)
        for name, picture in experiments.pictures(kept, path.stem):
            yield f"guides/{name}", picture


def _files() -> dict[str, str]:
    """Return the file of every page -> the page."""
    written = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    found = {path.relative_to(ROOT).as_posix(): _page(path) for path in written}
    return found | {file: page for page, file in ELSEWHERE.items()}


def _page(path: Path) -> str:
    """Return the page of a file of ``docs/``; it keeps its address when the file is moved."""
    return f"{PREFIXES.get(path.parent.name, '')}{path.stem}"


def _pages() -> list[str]:
    return [page for pages in GROUPS.values() for page in pages]


# ---------------------------------------------------------------------------- notebooks

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _written(notebook: Any, name: str) -> str:
    """Return a notebook as Markdown, with the outputs that it was saved with."""
    shown = {id(output): picture for picture, output in _shown(notebook, name)}
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        language = "console" if source.startswith("%%bash") else "python"
        parts.append(_fenced(language, source.removeprefix("%%bash\n")))
        for output in cell["outputs"]:
            data = output.get("data", {})
            if id(output) in shown:
                alt = cell["metadata"].get("alt")
                if not alt:
                    raise InternalError(f"{name}.ipynb: a picture has no words (metadata: alt)")
                parts.append(f"![{alt}]({shown[id(output)]})")
            elif "text/html" in data:
                parts.append(_fenced("{raw} html", "".join(data["text/html"])))
            else:
                text = "".join(output.get("text", data.get("text/plain", "")))
                parts.append(_fenced("text", _COLOURS.sub("", text)))
    download = f"{{download}}`Download this notebook <{name}.ipynb>`"
    return "\n\n".join([*parts, download]) + "\n"


def _fenced(language: str, text: str) -> str:
    return f"````{language}\n{text.rstrip()}\n````"


def _shown(notebook: Any, name: str) -> list[tuple[str, Any]]:
    """Return the pictures of a notebook: file name and output."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    pictured = [output for output in outputs if "image/png" in output.get("data", {})]
    return [(f"{name}-{i}.png", output) for i, output in enumerate(pictured, start=1)]


# -------------------------------------------------------------------------------- links


def _linked(text: str, file: str) -> str:
    """Return a page whose links lead to pages of the site; others are words only."""
    files = _files()
    folder = (ROOT / file).parent

    def there(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        name = target.relative_to(ROOT.resolve()).as_posix()
        if name == "README.md":
            return f"[{link[1]}](/index.md)"
        return f"[{link[1]}](/guides/{files[name]}.md{link[3] or ''})" if name in files else link[1]

    return _LINK.sub(there, text)
