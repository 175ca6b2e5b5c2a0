"""A numbered statement, the ways of checking it, and the registry of all of them.

Every module of :mod:`proofs_checks.statements` defines ``STATEMENTS``, a tuple of
:class:`Statement`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np

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


@dataclass(frozen=True)
class Report:
    """A statement with the outcomes of its checks.

    Attributes
    ----------
    statement : Statement
    printed : Outcome
    corrected : Outcome or None
    """

    statement: Statement
    printed: Outcome
    corrected: Outcome | None

    @property
    def as_expected(self) -> bool:
        """Whether the checks say what the ledger says."""
        if self.statement.expected == "not checkable":
            return True
        agrees = self.printed.holds == (self.statement.expected == "true")
        return agrees and (self.corrected is None or self.corrected.holds)


def run(statement: Statement, seed: int = 0) -> Report:
    """Run the checks of one statement; its randomness depends only on ``seed`` and its key."""
    entropy = np.random.SeedSequence([seed, *statement.key.encode()])
    rng = np.random.default_rng(entropy)
    if statement.check is None:
        return Report(statement, Outcome(False, "not checkable", statement.reason), None)
    printed = statement.check(rng)
    corrected = None if statement.corrected_check is None else statement.corrected_check(rng)
    return Report(statement, printed, corrected)


@cache
def statements() -> tuple[Statement, ...]:
    """Return every registered statement, in order of seed and registration."""
    package = importlib.import_module("proofs_checks.statements")
    found: list[Statement] = []
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        found.extend(getattr(module, "STATEMENTS", ()))
    keys = [statement.key for statement in found]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise RuntimeError(f"statements registered twice: {', '.join(twice)}")
    return tuple(sorted(found, key=lambda statement: statement.seed))
