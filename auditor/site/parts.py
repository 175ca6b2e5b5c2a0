"""The parts that pages are made of: links, roles of text, folds, and what an entry's page tells."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from auditor.conformance import store
from auditor.conformance.kinds import Case
from auditor.core import addresses
from auditor.site.content import ROOT
from auditor.site.formulas.scripts import with_scripts
from auditor.suite.errata import HEADLINE
from proofs_checks import verdicts
from proofs_checks.statement import Statement
from reference.catalogue import PAPERS, Entry, Erratum, PrintedForm

CONTENTS = """```{contents} On this page
:local:
:depth: 1
:backlinks: none
```"""

LONG_PAGE = 4500
"""Characters of Markdown from which the page of a statement or erratum has a table of contents."""

LONGEST = 700
"""Characters of a sentence with figures that a page shows."""


def without_docstring(function: Any) -> str:
    """Return the source of a function without its docstring, which is shown beside it."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    lines = source.splitlines()
    (tree,) = ast.parse(source).body
    first = tree.body[0] if isinstance(tree, ast.FunctionDef) else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)


def role(name: str, text: str) -> str:
    """Return a text for a role, in one line; a text without words is left out."""
    line = " ".join(text.replace("`", "'").split())
    return f"{{{name}}}`{line}`" if line else ""


def short(text: str) -> str:
    """Return the beginning of a text that is too long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} ..."


def derivation(text: str) -> str:
    """Return the paragraphs of a derivation."""
    return "\n\n".join(f"> {role('typeset', part)}" for part in text.split("\n\n"))


def raw(html: str) -> str:
    """Return HTML as a block of Markdown."""
    return f"```{{raw}} html\n{html}\n```"


def fold(summary: str) -> str:
    """Return the beginning of what is folded under its summary."""
    return raw(f"<details><summary>{with_scripts(' '.join(summary.split()))}</summary>")


def with_contents_if_long(text: str) -> str:
    """Return a page without its table of contents if it is short."""
    return text if len(text) > LONG_PAGE else text.replace(CONTENTS, "")


def protection(entry: Entry) -> str:
    """Return how an algorithm protects, in short: its model and the notion of its claim."""
    notion = re.search(r"(?:\d+ )?(\(epsilon, delta\)|[\w^/]+)-[A-Za-z]*DP\b", entry.privacy_claim)
    how = " interactive" if entry.interactive else ""
    return f"{entry.model.value}{how}" + (f", {notion[0]}" if notion else "")


def names(claim: str, statement: Statement) -> bool:
    """Return whether a claim names a statement: ``... (Theorem 4)``."""
    return re.search(rf"{re.escape(statement.number)}(?![\d.]\d|\d)", claim) is not None


def home(entry: Entry) -> tuple[list[tuple[str, str]], str]:
    """Return the pages above an algorithm, and where its first source prints it."""
    if not entry.sources:
        return [("Algorithms", "algorithms/index")], ""
    return above(entry.sources[0].label), entry.sources[0].number


def above(label: str) -> list[tuple[str, str]]:
    """Return the pages above what a paper prints."""
    return [("Papers", "papers"), (f"{label}: {PAPERS[label].short}", addresses.of_paper(label))]


def section_anchor(section: str) -> str:
    """Return where the page of a paper has a section."""
    return f"section-{re.sub(r'[^a-z0-9.]+', '-', section.casefold())}"


def link(text: str, address: str) -> str:
    """Return a link to a page."""
    return f"[{text}](/{address}.md)"


def words(statement: Statement) -> str:
    """Return the verdict on a statement in words."""
    return verdicts.words(statement.print, statement.claim)


def by_number(words: str) -> list[str | int]:
    """Return what sorts "Algorithm 9" before "Algorithm 10"."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", words)]


def lines(lines: str) -> str:
    """Return the lines of a text with their noun: "Line 216", "Lines 216-220"."""
    return f"Line{'' if lines.isdigit() else 's'} {lines}"


def form_code(form: PrintedForm) -> str:
    """Return where a printed form is in the code; one that differs in constants is in a list."""
    function = form.function
    if "<locals>" not in function.__qualname__:
        return f"`{function.__module__}:{function.__qualname__}`"
    constants = inspect.getclosurevars(function).nonlocals["constants"]
    return f"`{form.name}` in `{constants.__module__}:FORMS`"


def worst(entry: Entry) -> list[Erratum]:
    """Return the worst erratum of an algorithm, if it is one that headlines count."""
    return [e for e in entry.errata[:1] if e.severity in HEADLINE]


def kind_of(member: Any) -> str:
    """Return how a name of a module is documented; empty for an alias of a type."""
    if inspect.isclass(member):
        return "class"
    if inspect.isfunction(member):
        return "function"
    return "" if hasattr(member, "__origin__") else "data"


def cases(identifier: str) -> list[Case]:
    """Return the runs of an algorithm that its conformance vectors hold."""
    path = store.path_of("algorithms", identifier)
    return store.read(path) if path.exists() else []


def vectors(identifier: str) -> list[Path]:
    """Return the files of an algorithm's conformance vectors."""
    return sorted((ROOT / "vectors").glob(f"*/{identifier}.json"))


def summary(function: Any) -> str:
    """Return the first paragraph of a function's docstring."""
    return inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
