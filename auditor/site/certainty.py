"""How sure each link of an algorithm's guarantee is, and which is the weakest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.site.content import Content
from auditor.suite.plan import is_corrected
from auditor.suite.proofs import what_holds
from proofs_checks.outcome import STRENGTH
from proofs_checks.statement import Statement
from reference.catalogue import Entry

LINKS = (
    ("Sensitivity of what is released", ("sensitivity",), "sensitivity"),
    ("Noise of a release", (), "samplers"),
    ("Composition of the releases", ("composition",), "accounting"),
    ("The guarantee as a whole", ("privacy",), "privacy_loss"),
)
"""Name, kinds of the statements on which it rests, and the question that audits it."""

AUDITED, NEITHER = "audited only", "neither derived nor audited here"


@dataclass(frozen=True)
class Link:
    """One step of the argument that an algorithm is private.

    Attributes
    ----------
    name : str
    level : str
        The weakest level among its statements, or that it is audited only.
    words : str
        Which statements, and what the audit saw.
    rank : int
        0 for the strongest level.
    """

    name: str
    level: str
    words: str
    rank: int


def links(entry: Entry, content: Content) -> list[Link]:
    """Return the links of an algorithm's guarantee.

    What its own statements say counts at the level of the weakest of them: which of them are needed
    is not known here. A link without a statement has the audit alone, which can refute it and not
    prove it.
    """
    result = content.results.get(entry.id)
    corrected = next(
        (form for name, form in (result.forms.items() if result else ()) if is_corrected(name)),
        None,
    )
    found = []
    for name, kinds, question in LINKS:
        own = [s for s in content.concern.get(entry.id, ()) if s.kind in kinds and s.true_check]
        verdict = corrected.verdicts.get(question) if corrected else None
        seen = "" if verdict is None else f"audit: {verdict.summary}"
        found.append(_link(name, own, seen, content.checked))
    return found


def _link(
    name: str, own: Sequence[Statement], seen: str, checked: Mapping[str, Mapping[str, Any]]
) -> Link:
    levels = [what_holds(checked[s.key])["level"] for s in own if s.key in checked]
    keys = ", ".join(s.key for s in own)
    words = "; ".join(part for part in (keys, seen) if part)
    if levels:
        weakest = max(levels, key=STRENGTH.index)
        return Link(name, weakest, words, STRENGTH.index(weakest))
    if own and not checked:
        return Link(name, "not checked for this site", words, len(STRENGTH))
    if seen:
        return Link(name, AUDITED, words, len(STRENGTH) + 1)
    return Link(name, NEITHER, words, len(STRENGTH) + 2)


def weakest(found: Sequence[Link]) -> str:
    """Return a sentence that names the weakest links."""
    rank = max(link.rank for link in found)
    names = [link.name.lower() for link in found if link.rank == rank]
    level = next(link.level for link in found if link.rank == rank)
    noun = "link" if len(names) == 1 else "links"
    return f"The weakest {noun}: {', '.join(names)} ({level})."
