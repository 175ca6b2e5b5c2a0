"""Everything that the pages are made from, read once."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from auditor.core.errors import InputError
from auditor.suite.algorithms import Known
from auditor.suite.certainty import Certainty, concerning, grounds_of
from auditor.suite.conclude import Conclusion, conclude
from auditor.suite.drawings import Drawing, kept
from auditor.suite.keys import Sources, is_stale
from auditor.suite.store import Result, Store
from proofs_checks.statement import Statement, statements
from reference.catalogue import Entry, Erratum, Withdrawn, entries, errata, withdrawn

ROOT = Path(__file__).parents[2]
"""The clone, which has the guides as well."""


@dataclass(frozen=True)
class Content:
    """The catalogue, the statements, and what was found of them.

    Attributes
    ----------
    entries, errata, withdrawn : mapping
        By id and by name.
    statements : mapping
        By key, in the papers' order.
    checked : mapping
        Key -> what ``proofs.json`` has on a statement; empty if none was checked.
    conclusion : Conclusion
        Of the audit; without results if there was none.
    stale : frozenset of str
        Ids that were audited by other code.
    drawn : mapping
        id -> form -> drawings.
    """

    entries: Mapping[str, Entry]
    errata: Mapping[str, Erratum]
    withdrawn: Mapping[str, Withdrawn]
    statements: Mapping[str, Statement]
    checked: Mapping[str, Mapping[str, Any]]
    conclusion: Conclusion
    stale: frozenset[str]
    drawn: Mapping[str, Mapping[str, Sequence[Drawing]]]

    @property
    def results(self) -> Mapping[str, Result]:
        """The results by id, as the conclusion has them."""
        return self.conclusion.results

    @cached_property
    def about(self) -> Mapping[str, Sequence[Statement]]:
        """Name of an erratum -> the statements that it is about."""
        found: dict[str, list[Statement]] = {}
        for item in self.statements.values():
            for name in item.errata:
                found.setdefault(name, []).append(item)
        return found

    @cached_property
    def concern(self) -> Mapping[str, Sequence[Statement]]:
        """Id of an algorithm -> the statements that belong to it."""
        return concerning(self.statements.values())

    @cached_property
    def certainty(self) -> Certainty:
        """Return what is known of the algorithms."""
        grounds = grounds_of(self.statements.values())
        return Certainty(grounds, self.checked, self.results)

    @cached_property
    def implied(self) -> Mapping[str, Sequence[str]]:
        """Key of a statement -> keys of those that it implies."""
        found: dict[str, list[str]] = {}
        for item in self.statements.values():
            for key in item.special_case_of:
                found.setdefault(key, []).append(item.key)
        return found

    @cached_property
    def owners(self) -> Mapping[str, Sequence[Entry]]:
        """Name of an erratum -> the algorithms whose sources print it."""
        found: dict[str, dict[str, Entry]] = {name: {} for name in self.errata}
        for entry in self.entries.values():
            for erratum in entry.errata:
                found[erratum.name][entry.id] = entry
        for name, items in self.about.items():
            for item in items:
                for identifier in item.algorithms:
                    if identifier in self.entries and name in found:
                        found[name].setdefault(identifier, self.entries[identifier])
        return {name: tuple(own.values()) for name, own in found.items()}


def gather(store: Store, ledger: Mapping[str, Any] | None, *, workers: int = 1) -> Content:
    """Read everything.

    Parameters
    ----------
    store : Store
        Its results may be of some algorithms, or of none.
    ledger : mapping or None
        As in ``proofs.json``; what is of no statement here is left out.
    workers : int, default 1
        Processes that draw.

    Raises
    ------
    InputError
        If a results file is broken, or names an erratum that there is not.
    """
    known, sources = Known(), Sources()
    results = store.load_all(known.entries)
    for result in results.values():
        _require_errata(result)
    stale = frozenset(i for i, r in results.items() if is_stale(r, known.modules, sources))
    conclusion = conclude(results, known.entries)
    items = ledger["statements"] if ledger else ()
    known_statements = {item.key: item for item in statements()}
    return Content(
        entries=entries(),
        errata=errata(),
        withdrawn=withdrawn(),
        statements=known_statements,
        checked={item["key"]: item for item in items if item["key"] in known_statements},
        conclusion=conclusion,
        stale=stale,
        drawn=kept(store, conclusion.results, workers) if results else {},
    )


def _require_errata(result: Result) -> None:
    """Raise InputError unless the errata that a result names are known: pages link to theirs."""
    named = {e for form in result.forms.values() for names in form.expected.values() for e in names}
    for name in sorted(named - errata().keys() - withdrawn().keys()):
        raise InputError(
            f"the result on {result.id} names {name}, which is no erratum; run `touchstone audit "
            f"{result.id}` again"
        )


def commit() -> tuple[str, str]:
    """Return the commit of the clone, with a mark if there are changes beside it, and its year.

    Of a copy without history neither is known.

    Raises
    ------
    InputError
        If this is no clone.
    """
    if not (ROOT / "docs").is_dir():
        raise InputError("the guides are in a clone of the project; run `touchstone site` there")
    name = _git("describe", "--always", "--dirty", "--abbrev=10")
    return name or "a copy without history", _git("log", "-1", "--format=%cd", "--date=format:%Y")


def last_change(file: str) -> str:
    """Return the commit and the day of a file's last change, empty where history does not say.

    A shallow clone would name the first commit that it has.
    """
    if _git("rev-parse", "--is-shallow-repository") != "false":
        return ""
    return _git("log", "-1", "--abbrev=10", "--format=%h, %cs", "--", file)


def _git(*words: str) -> str:
    """Return what git says of the clone; empty if it has nothing to say."""
    try:
        found = subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()
