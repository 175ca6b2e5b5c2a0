"""The ledger of statements as a data set: JSON Lines with a schema, a data card and a citation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from auditor.core.version import version
from auditor.site.formulas.latex import latex
from auditor.suite.store import TEMPLATES, Store
from proofs_checks import verdicts
from proofs_checks.statement import Statement
from reference.catalogue import PAPERS

SHARE_OF_TEST = 5
"""Divisor of the number of groups of statements: one of so many is in the test part."""

SCHEMA = "statement.schema.json"


def export(folder: Path, ledger: Mapping[str, Any], statements: Sequence[Statement]) -> None:
    """Write the ledger as a data set.

    Parameters
    ----------
    folder : Path
        Gets ``statements.jsonl``, ``statement.schema.json``, ``README.md`` and ``CITATION.bib``.
    ledger : mapping
        As :func:`auditor.suite.proofs.run_all` returns it.
    statements : sequence of Statement
        Those of the ledger, in the same order.

    Raises
    ------
    InputError
        If the folder cannot be written.
    """
    rows = records(ledger, statements)
    store = Store(folder)
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    store.write_text("statements.jsonl", "".join(f"{line}\n" for line in lines))
    store.write_text(SCHEMA, (TEMPLATES / SCHEMA).read_text(encoding="utf-8"))
    store.write_text("README.md", _card(rows))
    store.write_text("CITATION.bib", _render("export/CITATION.bib", version=version()))


def records(
    ledger: Mapping[str, Any], statements: Sequence[Statement]
) -> tuple[dict[str, Any], ...]:
    """Return a plain mapping a statement, as ``statement.schema.json`` says."""
    groups = _groups(statements)
    return tuple(
        _record(item, groups[item["key"]], ledger["touchstone"]) for item in ledger["statements"]
    )


def _record(item: Mapping[str, Any], group: str, made_by: str) -> dict[str, Any]:
    copied = (
        "key", "paper", "number", "section", "lines", "kind", "print", "claim", "severity",
        "misprint", "repair", "added", "reason", "errata", "algorithms", "cites", "special_case_of",
        "level", "rests_on",
    )  # fmt: skip
    return {
        **{name: item[name] for name in copied},
        "printed": item["formula"],
        "printed_latex": latex(item["formula"]),
        "checked": item["checked_formula"],
        "corrected": item["corrected_formula"],
        "corrected_latex": latex(item["corrected_formula"]),
        "witness": item["printed"]["witness"] if item["refuted"] else None,
        "witness_in_words": item["printed"]["detail"] if item["refuted"] else "",
        "absent": item["absent"],
        "argument": item["corrected_argument"] or item["argument"],
        "group": group,
        "split": split(group),
        "touchstone": made_by,
    }


def split(group: str) -> str:
    """Return the part of the data set of a group: it depends on nothing but the group's key."""
    number = int.from_bytes(hashlib.sha256(group.encode()).digest()[:8], "big")
    return "test" if number % SHARE_OF_TEST == 0 else "train"


def _groups(statements: Iterable[Statement]) -> dict[str, str]:
    """Return by key the first key of the statements that share its checks.

    What is not checked is alike if it is printed alike.
    """
    first: dict[tuple[object, ...], str] = {}
    found = {}
    for item in statements:
        unchecked = item.printed if item.of_printed is None else ""
        checks = (id(item.of_printed), id(item.of_corrected), unchecked)
        found[item.key] = first.setdefault(checks, item.key)
    return found


def _card(rows: Sequence[Mapping[str, Any]]) -> str:
    papers = {
        label: verdicts.counted(own)
        for label in PAPERS
        if (own := [(row["print"], row["claim"]) for row in rows if row["paper"] == label])
    }
    return _render(
        "export/README.md",
        papers=papers,
        of=PAPERS,
        total=len(rows),
        groups=len({row["group"] for row in rows}),
        test=sum(row["split"] == "test" for row in rows),
        version=version(),
        prints=verdicts.PRINTS,
        claims=verdicts.CLAIMS,
    )


def _render(template: str, **context: Any) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        autoescape=False,  # plain text
    )
    return environment.get_template(template).render(**context)
