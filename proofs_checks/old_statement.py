"""A numbered statement, the ways of checking it, and the registry of all of them.

Every module of :mod:`proofs_checks.statements` defines ``STATEMENTS``, a tuple of
:class:`Statement`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from proofs_checks import outcome
from proofs_checks import statement as new
from reference.catalogue import PAPERS

Level = Literal[
    "proved by interval arithmetic",
    "proved exactly",
    "checked at high precision",
    "checked by search",
    "Monte Carlo with confidence",
    "refuted with witness",
    "not checkable",
]
Kind = Literal[
    "definition", "assumption", "privacy", "sensitivity", "composition", "concentration",
    "approximation", "identity", "optimisation", "utility", "lower bound", "experiment", "remark",
]  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes
    ----------
    holds : bool
        Whether what was checked is true, at the given level of evidence.
    level : str
        One of :data:`Level`. ``"proved exactly"`` is exact rational or symbolic arithmetic.
    detail : str
        One line with the figures: ranges, precision, sample size, worst ratio.
    witness : mapping or None
        JSON-able counterexample when ``holds`` is False.
    confidence : float or None
        For Monte Carlo: probability that the check would have passed were the statement's bound
        wrong in the stated direction is at most 1 - confidence.
    """

    holds: bool
    level: Level
    detail: str
    witness: Mapping[str, Any] | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        if self.level == "refuted with witness" and not self.holds and self.witness is None:
            raise ValueError("a refutation needs a witness")
        if self.level == "Monte Carlo with confidence" and self.confidence is None:
            raise ValueError("a Monte Carlo outcome needs its confidence")


Check = Callable[[np.random.Generator], Outcome]


@dataclass(frozen=True)
class Statement:
    """A numbered statement of a paper.

    Parameters
    ----------
    seed : str
        Key of :data:`reference.catalogue.PAPERS`.
    number : str
        As in the paper, e.g. ``"Lemma 2.1.9"``.
    lines : str
        Line(s) in the paper's text.
    formula : str
        One line, as printed.
    kind : str
    expected : {"true", "false", "not checkable"}
        What this project says of the statement as printed. A check whose outcome differs is a
        failure of ours.
    check : callable or None
        Checks the statement as printed; ``None`` only if not checkable.
    reason : str
        If not checkable, why. If false, what is wrong, in one line.
    corrected : str
        For a false statement: the corrected formula.
    corrected_check : callable or None
        Checks the corrected formula; must hold.
    algorithms : tuple of str
        Catalogue ids the statement belongs to; ``("chapter-2",)`` for dissertation chapter 2.
    errata : tuple of (str, int)
        Errata (card, number) that this statement reproduces.
    """

    seed: str
    number: str
    lines: str
    formula: str
    kind: Kind
    expected: Literal["true", "false", "not checkable"]
    check: Check | None = None
    reason: str = ""
    corrected: str = ""
    corrected_check: Check | None = None
    algorithms: tuple[str, ...] = ()
    errata: tuple[tuple[str, int], ...] = field(default=())

    def __post_init__(self) -> None:
        if self.seed not in PAPERS:
            raise ValueError(f"{self.number}: unknown paper {self.seed!r}")
        if (self.check is None) != (self.expected == "not checkable"):
            raise ValueError(f"{self.number}: a check is needed exactly if it is checkable")
        if self.expected != "true" and not self.reason:
            raise ValueError(f"{self.number}: say why it is {self.expected}")
        if (self.corrected_check is None) != (self.corrected == ""):
            raise ValueError(f"{self.number}: a corrected formula needs its check")

    @property
    def key(self) -> str:
        """Unique name, e.g. ``"004 Lemma 2.1.9"``."""
        return f"{self.seed} {self.number}"


def adapted() -> list[new.Statement]:
    """Return the statements that are not yet written with the vocabulary, understated."""
    package = importlib.import_module("proofs_checks.statements")
    found: list[new.Statement] = []
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        found.extend(_adapt(item) for item in getattr(module, "STATEMENTS", ()))
    return found


def _adapt(item: Statement) -> new.Statement:
    printed = item.check and new.Checked(item.formula, _understated(item.check))
    corrected = item.corrected_check and new.Checked(
        item.corrected, _understated(item.corrected_check)
    )
    return new.Statement(
        paper=item.seed, number=item.number, section="other", lines=item.lines, kind=item.kind,
        printed=item.formula, expected=item.expected, reason=item.reason, of_printed=printed,
        of_corrected=corrected, algorithms=item.algorithms, errata=item.errata,
        where="proofs_checks/statements",
    )  # fmt: skip


def _understated(check: Check) -> new.Check:
    def run(rng: np.random.Generator) -> outcome.Outcome:
        old = check(rng)
        level: Any = "checked by search" if old.level.startswith("proved") else old.level
        return outcome.Outcome(old.holds, level, old.detail, old.witness, old.confidence)

    return run
