"""Outcomes of checks: what they found, and on what evidence.

A check never names its level: it returns what a helper of :mod:`proofs_checks.vocabulary` gives
it, and the helper that did the work sets the level. A test reads the source of every check for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from proofs_checks.vocabulary.premises import Decided

Level = Literal[
    "proved (symbolic)",
    "proved (interval)",
    "proved (Coq)",
    "derived, step checked",
    "definition",
    "refuted with witness",
    "checked on a box (interval)",
    "checked exactly",
    "checked at high precision",
    "Monte Carlo with confidence",
    "checked by search",
    "undecided",
    "not run here",
    "not checkable",
]

PROVED: tuple[Level, ...] = ("proved (symbolic)", "proved (interval)", "proved (Coq)")

#: From the strongest to the weakest: a conjunction is as strong as its weakest part.
STRENGTH: tuple[Level, ...] = (
    "proved (Coq)",
    "proved (symbolic)",
    "proved (interval)",
    "derived, step checked",
    "definition",
    "refuted with witness",
    "checked on a box (interval)",
    "checked exactly",
    "checked at high precision",
    "Monte Carlo with confidence",
    "checked by search",
    "undecided",
    "not run here",
    "not checkable",
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    Attributes
    ----------
    holds : bool
        Whether what was checked is true, at the given level of evidence.
    level : str
        One of :data:`Level`:

        - ``"proved (symbolic)"``: decided for all values of its symbols, by sympy or z3;
        - ``"proved (interval)"``: ball arithmetic over the whole stated domain;
        - ``"proved (Coq)"``: a machine-checked proof, compiled on this machine;
        - ``"derived, step checked"``: a derivation in words, with steps checked by machine, at
          levels of their own;
        - ``"definition"``: fixes a notion; an example or a consequence was checked;
        - ``"refuted with witness"``: false, or a falsehood shown;
        - ``"checked on a box (interval)"``: ball arithmetic over a part of the domain;
        - ``"checked exactly"``: rational arithmetic at ``points`` points;
        - ``"checked at high precision"``: mpmath at ``points`` points;
        - ``"Monte Carlo with confidence"``, ``"checked by search"``;
        - ``"undecided"``: the helper could not tell; such an outcome never holds;
        - ``"not run here"``: what it needs is not installed; ``"not checkable"``.
    detail : str
        One line with the figures: ranges, precision, sample size, worst ratio.
    witness : mapping or None
        JSON-able counterexample when ``holds`` is False.
    confidence : float or None
        For Monte Carlo: were the bound wrong in the stated direction, the check would pass with
        probability at most 1 - confidence.
    points : int or None
        Number of points, for the levels that check at points.
    weakest : str or None
        The weakest level among the steps of a derivation.
    shows : str
        What was decided, in formulas: the identity, the claim and the ranges of its variables, the
        function that is nowhere negative and its domain.
    decided : Decided or None
        The claim and its hypotheses, where z3 decided it.
    steps : tuple of (str, Outcome)
        Of a derivation or a conjunction: its parts, by name ("" in a conjunction).
    """

    holds: bool
    level: Level
    detail: str
    witness: Mapping[str, Any] | None = None
    confidence: float | None = None
    points: int | None = None
    weakest: Level | None = None
    shows: str = ""
    decided: Decided | None = field(default=None, compare=False, repr=False)
    steps: tuple[tuple[str, Outcome], ...] = ()

    def __post_init__(self) -> None:
        if self.level == "refuted with witness" and not self.holds and self.witness is None:
            raise ValueError("a refutation needs a witness")
        if self.level == "Monte Carlo with confidence" and self.confidence is None:
            raise ValueError("a Monte Carlo outcome needs its confidence")
        if self.level == "checked exactly" and self.points is None:
            raise ValueError("an exact check at points needs their number")
        if self.level in ("undecided", "not run here", "not checkable") and self.holds:
            raise ValueError(f"an outcome that is {self.level} cannot hold")

    @property
    def evidence(self) -> str:
        """The level as a reader sees it, e.g. ``"checked exactly at 60 points"``.

        A derivation says what its weakest step rests on, unless all of them are proved or derived.
        """
        if self.weakest is not None and self.weakest not in (*PROVED, self.level):
            return f"{self.level} (weakest: {self.weakest})"
        if self.points is None:
            return self.level
        return f"{self.level} at {self.points} point{'s' if self.points > 1 else ''}"

    @property
    def premises(self) -> tuple[str, ...]:
        """Return the hypotheses of what was decided that are no ranges of variables."""
        return () if self.decided is None else tuple(term.text for term in self.decided.premises)

    @property
    def weakness(self) -> tuple[int, int]:
        """Sort key of outcomes, from the strongest to the weakest."""
        return STRENGTH.index(self.level), STRENGTH.index(self.weakest or self.level)
