"""The key: what the words on badges mean."""

from __future__ import annotations

import json
import re

from auditor.suite.certainty import (
    AUDITED,
    BOUNDED,
    EXACT,
    NEITHER,
    NOT_CHECKED,
    NUMERICAL,
    OUTWARDS,
    VIOLATED,
)
from proofs_checks.statement import Statement
from proofs_checks.verdicts import CLAIMS, PRINTS, words
from reference.catalogue import SEVERITIES

ORIGINS = {
    "false whatever the typography": "The mathematics is wrong, not the print alone.",
    "wrong only as printed": "A misprint: the intended formula is right.",
    "unclear whether the mathematics or the print is wrong": "The text at hand does not decide it.",
}
KINDS = {
    "privacy": "The algorithm is not private as claimed.",
    "sensitivity": "A bound on what one record changes is wrong.",
    "accounting": "The cost of several releases is added up wrongly.",
    "utility": "A bound on the error, or a condition for it, is wrong.",
    "proof": "A step of a proof is wrong.",
    "experiment": "What is said of an experiment is wrong.",
    "misprint": "The formula is printed wrongly; the intended one is plain.",
    "implementation": "Code that follows the printed box does something else than is claimed.",
}
STATUSES = {
    "holds": "Nothing that the audit saw contradicts the claim.",
    "violated": "The audit has a witness against the claim.",
    "inconclusive": "The figures decide nothing; the summary says what would settle it.",
    "not applicable": "The question does not arise for this algorithm.",
}
LEVELS = {
    "proved (Coq)": "A machine-checked proof.",
    "proved (symbolic)": "Decided for all values of its symbols, by sympy or z3.",
    "proved (interval)": "Shown on the whole domain, with rounding bounded.",
    "derived, step checked": "A derivation in words; its steps were checked by machine.",
    "definition": "Fixes a notion; an example or a consequence was checked.",
    "refuted with witness": "False, or a falsehood shown, by computed numbers.",
    "checked on a box (interval)": "Shown on a part of the domain, with rounding bounded.",
    "checked exactly": "True at some points, in rational arithmetic.",
    "checked at high precision": "True at some points, with many digits.",
    "Monte Carlo with confidence": "Simulated; the chance of a wrong answer is bounded.",
    "checked by search": "A search found no counterexample.",
    "undecided": "The check could not tell.",
    "not run here": "What the check needs is not installed.",
    "not checkable": "No computation decides it.",
    EXACT: "A sum or a conversion in closed form, its roundings added.",
    BOUNDED: "Computed in doubles, with a bound of all roundings added.",
    OUTWARDS: "Computed in doubles, and raised by more than the rounding seen at many points.",
    NUMERICAL: "Computed by another library, whose rounding is not bounded.",
    NOT_CHECKED: "The check was not run when this was written.",
    AUDITED: "No statement says it; the audit found nothing against it.",
    NEITHER: "No statement says it, and no audit was run for this site.",
    VIOLATED: "The audit has a witness against it, whatever else is known.",
}
KEY: dict[str, dict[str, str]] = {
    "Print": {str(word): text for word, text in PRINTS.items()},
    "Claim": {f"claim {word}": text for word, text in CLAIMS.items() if text},
    "Severity": {str(word): text for word, text in SEVERITIES.items()},
    "Kind of error": KINDS,
    "Origin of an error": {
        **ORIGINS, "withdrawn": "What was listed as an error, and turned out to be none.",
    },
    "Evidence": LEVELS,
    "Answer of the audit": STATUSES,
}  # fmt: skip
"""Heading -> word on a badge -> meaning."""


def anchor(group: str, word: str) -> str:
    """Return the anchor of a word on the page of the key."""
    return re.sub(r"[^a-z0-9]+", "-", f"{group} {word}".casefold()).strip("-")


def badge(group: str, word: str, colour: str = "") -> str:
    """Return a badge as Markdown; it leads to the key, and says on hovering what it means.

    Parameters
    ----------
    group : str
        Of :data:`KEY`.
    word : str
        Of the group.
    colour : str, optional
        A class of the style sheet.
    """
    return role(word, colour, anchor(group, word))


def of_statement(statement: Statement) -> str:
    """Return the badge with both verdicts on a statement."""
    label = words(statement.print, statement.claim)
    return role(label, colour_of(statement), anchor("Print", statement.print))


def script() -> str:
    """Return what badges say on hovering, by anchors: what comes before a colon in the key."""
    said = {
        anchor(group, word): text.partition(":")[0]
        for group, meanings in KEY.items()
        for word, text in meanings.items()
    }
    return f"const KEY = {json.dumps(said, ensure_ascii=False)};\n"


def role(label: str, colour: str, where: str) -> str:
    """Return the role that makes a badge: see :func:`auditor.site.sphinx_roles.badge`."""
    return f"{{badge}}`{' :: '.join((label, colour, where))}`"


def colour_of(statement: Statement) -> str:
    """Return the class of the verdict on a statement's print."""
    return _PRINT_COLOURS.get(statement.print, "other")


def claim_colour_of(statement: Statement) -> str:
    """Return the class of the verdict on what a statement claims."""
    return {"holds": "holds", "fails": "violated"}.get(statement.claim, "other")


_PRINT_COLOURS = {"as printed": "holds", "misprint": "violated", "false": "violated"}
