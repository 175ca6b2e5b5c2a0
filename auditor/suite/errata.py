"""Counts of the errata and of those reproduced, the same for terminal and report."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.core.errors import InputError
from auditor.core.plurals import counted
from reference.catalogue import SEVERITIES, Entry, Erratum

if TYPE_CHECKING:  # they load slowly
    from auditor.suite.conclude import Conclusion
    from auditor.suite.plan import AuditUnit

ProofLedger = Mapping[str, Any]
"""The statements and their outcomes, as in ``proofs.json``."""

HEADLINE = ("S1", "S2")
"""The severities that headlines count."""


def severities(text: str | None) -> tuple[str, ...]:
    """Return the severities of an option such as ``"S1,S2"``; none for None.

    Raises
    ------
    InputError
        If there is another word among them.
    """
    found = tuple(word.strip().upper() for word in text.split(",")) if text is not None else ()
    if not set(found) <= SEVERITIES.keys():
        raise InputError(f"--severity is some of {','.join(SEVERITIES)}, got {text!r}")
    return found


@dataclass(frozen=True)
class Count:
    """Numbers of distinct errata, of repeats of them, and of those in doubt.

    Attributes
    ----------
    distinct : mapping
        Severity -> number of those that are no copies and not in doubt.
    repeats : int
        Copies of them elsewhere.
    in_doubt : int
        Those that hang on a sign which the conversion of the text may have lost.
    """

    distinct: Mapping[str, int]
    repeats: int
    in_doubt: int

    def __str__(self) -> str:
        each = ", ".join(f"{number} {severity}" for severity, number in self.distinct.items())
        errors = counted(sum(self.distinct.values()), "distinct error", "distinct errors")
        repeats = counted(self.repeats, "repeat", "repeats")
        return f"{errors} ({each}), {repeats}, {self.in_doubt} in doubt"


def count(errata: Iterable[Erratum]) -> Count:
    """Count errata by severity, each error once, those in doubt apart."""
    found = tuple(errata)
    sure = [erratum for erratum in found if not erratum.in_doubt]
    originals = [erratum.severity for erratum in sure if not erratum.copy_of]
    distinct: dict[str, int] = {severity: originals.count(severity) for severity in SEVERITIES}
    return Count(distinct, len(sure) - len(originals), len(found) - len(sure))


def audited(conclusion: Conclusion, identifier: str, erratum: Erratum) -> AuditUnit | None:
    """Return where the audit shows an erratum as a violation: the first place, or None."""
    places = (unit for unit, names in conclusion.reproduced if erratum.name in names)
    return next((unit for unit in places if unit.id == identifier), None)


def checked(ledger: ProofLedger | None, erratum: Erratum) -> Mapping[str, Any] | None:
    """Return the checked statement that an erratum names, or that claims it."""
    scheme, _, where = erratum.reproduced_by.partition(":")
    if scheme != "proofs" or ledger is None:
        return None
    statements = ledger["statements"]
    named = (item for item in statements if where in (item["key"], item["number"]))
    claimed = (item for item in statements if erratum.name in item["errata"])
    return next(named, None) or next(claimed, None)


def reproduce_command(erratum: Erratum) -> str:
    """Return what to type to see an erratum reproduced."""
    scheme, _, where = erratum.reproduced_by.partition(":")
    if scheme == "audit":
        return shlex.join(["touchstone", "audit", erratum.name.rpartition("/")[0]])
    if scheme == "proofs":
        return shlex.join(["touchstone", "proofs", where])
    return shlex.join(["pytest", "-k", where])


_BY = {"proofs": "touchstone proofs", "test": "the test suite"}


@dataclass(frozen=True)
class Reproduced:
    """Errata of the audited algorithms, and those of them that have been reproduced.

    Attributes
    ----------
    shown, known : tuple of Erratum
    """

    shown: tuple[Erratum, ...]
    known: tuple[Erratum, ...]

    @property
    def rest(self) -> str:
        """Return what else shows the errata that the audit has not reproduced."""
        rest = {e.reproduced_by.partition(":")[0] for e in self.known if e not in self.shown}
        return " and ".join(_BY[scheme] for scheme in _BY if scheme in rest)

    @property
    def headline(self) -> tuple[int, int]:
        """Distinct errors of the worst severities: how many are reproduced, and known."""
        return _headline(self.shown), _headline(self.known)

    def __str__(self) -> str:
        if not self.known:
            return "no errata"
        shown, known = self.headline
        in_all = f"{len(self.shown)} of {counted(len(self.known), 'erratum', 'errata')} in all"
        if not known:
            return f"no error of severity {' or '.join(HEADLINE)}; {in_all} reproduced"
        errors = counted(known, "distinct error", "distinct errors")
        words = f"{shown} of {errors} of severity {' or '.join(HEADLINE)}"
        return f"{words} reproduced; {in_all}"


def _headline(errata: Iterable[Erratum]) -> int:
    return sum(count(errata).distinct[severity] for severity in HEADLINE)


def reproduced(
    conclusion: Conclusion, catalogue: Mapping[str, Entry], ledger: ProofLedger | None
) -> Reproduced:
    """Return which errata of the audited algorithms are reproduced.

    One is reproduced if it shows as a violation in any form where the audit expects it, or if the
    statement it names was checked with the result that is expected.

    Parameters
    ----------
    conclusion : Conclusion
    catalogue : mapping
        id -> entry.
    ledger : mapping or None
        As in ``proofs.json``; None if the statements have not been checked.
    """
    errata = [
        (identifier, erratum)
        for identifier in conclusion.results
        if identifier in catalogue
        for erratum in catalogue[identifier].errata
    ]
    shown = [erratum for i, erratum in errata if _is_reproduced(conclusion, ledger, i, erratum)]
    return Reproduced(tuple(shown), tuple(erratum for _, erratum in errata))


def _is_reproduced(
    conclusion: Conclusion, ledger: ProofLedger | None, identifier: str, erratum: Erratum
) -> bool:
    if audited(conclusion, identifier, erratum) is not None:
        return True
    statement = checked(ledger, erratum)
    return statement is not None and bool(statement["as_expected"])
