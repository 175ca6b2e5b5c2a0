"""Which errata have been reproduced: one count, for the terminal and for the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.suite.conclude import Conclusion
from auditor.suite.plan import Unit
from reference.catalogue import Entry, Erratum

Ledger = Mapping[str, Any]
"""As in ``proofs.json``."""


def audited(conclusion: Conclusion, identifier: str, erratum: Erratum) -> Unit | None:
    """Return where the audit shows an erratum as a violation: the first place, or None."""
    places = (unit for unit, names in conclusion.reproduced if erratum.name in names)
    return next((unit for unit in places if unit.id == identifier), None)


def checked(ledger: Ledger | None, erratum: Erratum) -> Mapping[str, Any] | None:
    """Return the checked statement that an erratum names, or that claims it."""
    scheme, _, where = erratum.reproduced_by.partition(":")
    if scheme != "proofs" or ledger is None:
        return None
    statements = ledger["statements"]
    named = (item for item in statements if where in (item["key"], item["number"]))
    claimed = (item for item in statements if erratum.name in item["errata"])
    return next(named, None) or next(claimed, None)


def count(
    conclusion: Conclusion, catalogue: Mapping[str, Entry], ledger: Ledger | None
) -> tuple[int, int]:
    """Return how many errata of the audited algorithms are reproduced, and how many there are.

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
    return sum(_is_reproduced(conclusion, ledger, *each) for each in errata), len(errata)


def _is_reproduced(
    conclusion: Conclusion, ledger: Ledger | None, identifier: str, erratum: Erratum
) -> bool:
    if audited(conclusion, identifier, erratum) is not None:
        return True
    statement = checked(ledger, erratum)
    return statement is not None and bool(statement["as_expected"])
