"""Verdicts of an audit: one per question, with its evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

VerdictStatus = Literal["holds", "violated", "inconclusive", "not applicable"]
CheckStatus = Literal["holds", "violated", "inconclusive"]

QUESTIONS = (
    "accounting",
    "sensitivity",
    "control_flow",
    "privacy_loss",
    "black_box",
    "samplers",
    "scaling",
    "real_data",
    "domain",
    "mutants",
)

STATISTICAL = ("privacy_loss", "black_box", "samplers")
"""The questions about a form whose verdict may be wrong by chance, so that they need a share of the
error probability."""

SHORT = {
    "accounting": "acct",
    "sensitivity": "sens",
    "control_flow": "flow",
    "privacy_loss": "loss",
    "black_box": "box",
    "samplers": "samp",
    "scaling": "scal",
    "real_data": "real",
    "domain": "dom",
    "mutants": "mut",
}
"""Names of the questions where there is little room."""


@dataclass(frozen=True)
class Verdict:
    """The answer to one question about one form of one algorithm.

    Attributes
    ----------
    question : str
        One of :data:`QUESTIONS`.
    status : {"holds", "violated", "inconclusive", "not applicable"}
        ``"holds"``: nothing contradicts the claim, with the evidence; ``"violated"``: with a
        witness; ``"inconclusive"``: the summary says what would settle it; ``"not applicable"``:
        the summary says why.
    summary : str
        One sentence with the figures.
    evidence : mapping
        JSON-able figures: sample sizes, bounds, confidence, and data for plots.
    witness : mapping or None
        JSON-able; enough to run the violation again: data sets, parameters, seed, event.
    p_value : float or None
        Of the hypothesis "the claim holds", for a statistical verdict, which is ``"violated"`` if
        this is at most the ``alpha`` of its context. ``None`` for a deterministic verdict.
    findings : tuple of mappings
        Things of another kind worth reporting, e.g. a floating-point leak; never a verdict.
    """

    question: str
    status: VerdictStatus
    summary: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] | None = None
    p_value: float | None = None
    findings: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.question not in QUESTIONS:
            raise ValueError(f"unknown question {self.question!r}; known: {', '.join(QUESTIONS)}")

    def with_status(self, status: VerdictStatus, reason: str) -> Verdict:
        """Return the verdict with another status and the reason prefixed to its summary."""
        return replace(self, status=status, summary=f"{reason}; {self.summary}")

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types; infinities as strings, floats to 12 significant digits.

        The witness keeps every digit: it must show the violation again.
        """
        plain: dict[str, Any] = jsonable(asdict(self))
        plain["witness"] = jsonable(self.witness, digits=17)
        return plain

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Verdict:
        """Return a verdict from :meth:`to_json`; infinities stay strings inside the evidence."""
        fields = dict(stored)
        fields["findings"] = tuple(fields["findings"])
        return cls(**fields)


def describe(finding: Mapping[str, Any]) -> str:
    """Return a finding as one sentence."""
    words = finding.get("statement") or finding.get("detail")
    return str(words) if words else ", ".join(f"{k} {v}" for k, v in finding.items() if k != "kind")


def jsonable(value: Any, *, digits: int = 12) -> Any:
    """Convert numpy and dataclass-dict values to JSON types, deterministically.

    Floats are rounded to ``digits`` significant digits; 17 keep a double exactly.
    """
    if isinstance(value, Mapping):
        return {str(key): jsonable(item, digits=digits) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(jsonable(item, digits=digits) for item in value)
    if isinstance(value, (list, tuple)):
        return [jsonable(item, digits=digits) for item in value]
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist(), digits=digits)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            return "nan"
        if math.isinf(number):
            return "infinity" if number > 0 else "-infinity"
        return float(f"{number:.{digits}g}")
    return value
