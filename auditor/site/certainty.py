"""Certainty of each link of an algorithm's guarantee, and the weakest link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.site.content import Content
from auditor.suite.plan import is_corrected
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

NOT_CHECKED = "not checked for this site"
AUDITED, NEITHER = "audited only", "neither derived nor audited here"
LEVELS = (*STRENGTH, NOT_CHECKED, AUDITED, NEITHER)
"""Levels from the strongest to the weakest."""


@dataclass(frozen=True)
class ProofLink:
    """One step of the argument that an algorithm is private.

    Attributes
    ----------
    name : str
    level : str
        One of :data:`LEVELS`: the weakest of its statements, or that it is audited only.
    words : str
        Which statements, and what the audit saw.
    """

    name: str
    level: str
    words: str

    @property
    def rank(self) -> int:
        """Rank of the level, 0 for the strongest."""
        return LEVELS.index(self.level)


def links(entry: Entry, content: Content) -> list[ProofLink]:
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
) -> ProofLink:
    words = "; ".join(part for part in (", ".join(s.key for s in own), seen) if part)
    if not own:
        return ProofLink(name, AUDITED if seen else NEITHER, words)
    if any(s.key not in checked for s in own):
        return ProofLink(name, NOT_CHECKED, words)
    levels = [checked[s.key]["level"] for s in own]
    return ProofLink(name, max(levels, key=LEVELS.index), words)


def weakest(found: Sequence[ProofLink]) -> str:
    """Return a sentence that names the weakest links."""
    level = LEVELS[max(link.rank for link in found)]
    names = [link.name.lower() for link in found if link.level == level]
    noun = "link" if len(names) == 1 else "links"
    return f"The weakest {noun}: {', '.join(names)} ({level})."
