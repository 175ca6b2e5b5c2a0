"""Contents of the report for every result: chips, groups, figures, links and commands."""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from auditor.core.addresses import of_algorithm, of_erratum, of_statement
from auditor.suite import errata
from auditor.suite.algorithms import OwnAlgorithm
from auditor.suite.conclude import Conclusion
from auditor.suite.drawings import Drawing
from auditor.suite.report_text import figure, number_of
from auditor.suite.rerun import command
from auditor.suite.store import FormResult, Result
from reference.catalogue import PAPERS, Entry, Erratum

TITLES = {
    "accounting": "Accounting",
    "sensitivity": "Sensitivity",
    "control_flow": "Control flow",
    "privacy_loss": "Privacy loss",
    "black_box": "Black box",
    "samplers": "Samplers",
    "scaling": "Scaling",
    "real_data": "Real data",
    "domain": "Domain",
    "mutants": "Mutants",
}
SYMBOLS = {"holds": "✓", "violated": "✗", "inconclusive": "?", "not applicable": "–"}


@dataclass(frozen=True)
class Chip:
    """Look of a verdict: a class for its colour, a symbol and words."""

    kind: str
    symbol: str
    text: str


@dataclass(frozen=True)
class Figure:
    """A drawing with the sentence that says what it shows."""

    svg: Markup
    caption: str


@dataclass(frozen=True)
class Bar:
    """One of the epsilons side by side; ``width`` is a percentage of the largest."""

    label: str
    value: str
    width: float
    note: str


@dataclass(frozen=True)
class Group:
    """Algorithms under one heading: family -> ids, what is unexpected or inconclusive first."""

    heading: str
    url: str
    families: dict[str, list[str]]


@dataclass(frozen=True)
class Reproduction:
    """Reproduction of an erratum: where to look, and what was seen there."""

    label: str
    target: str
    chip: Chip | None


@dataclass(frozen=True)
class Contents:
    """Contents of a report.

    Attributes
    ----------
    conclusion : Conclusion
    catalogue : mapping
        id -> entry. Results of algorithms that it lacks are left out.
    ledger : mapping or None
        As in ``proofs.json``.
    stale : collection of str
        Ids of algorithms that were audited by other code.
    folder : Path
        Of the results, for the commands that show a violation again.
    drawn : mapping, optional
        id -> form -> drawings of the results that are in the catalogue; made here by default.
    sure : mapping
        id -> levels of the links of its guarantee, in one line.
    others : mapping
        id -> algorithm of those in the catalogue that are not the papers'.
    site : str
        The address of a site to link to; optional.
    """

    conclusion: Conclusion
    catalogue: Mapping[str, Entry]
    ledger: Mapping[str, Any] | None = None
    stale: Collection[str] = ()
    folder: Path = Path("results")
    drawn: Mapping[str, Mapping[str, Sequence[Drawing]]] | None = None
    sure: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, OwnAlgorithm] = field(default_factory=dict)
    site: str = ""

    @property
    def results(self) -> dict[str, Result]:
        """The results that are shown."""
        return {i: r for i, r in self.conclusion.results.items() if i in self.catalogue}


# ------------------------------------------------------------------------------- pieces


def _about_doubles(finding: Mapping[str, Any]) -> bool:
    """Return whether a finding is about floating point, hence not about the claim on paper."""
    return str(finding.get("kind", "")).replace("_", " ").startswith("floating point")


def family(entry: Entry) -> str:
    """Return the family package of an algorithm, e.g. ``"em"``; of others' their package."""
    package, *rest = entry.function.__module__.split(".")
    return (rest[0] if package == "reference" else package).replace("_", " ")


def anchor_of(*parts: str) -> str:
    """Return the id of an element of the page."""
    return "--".join(part.replace(" ", "-") for part in parts)


def statement_anchor(key: str) -> str:
    """Return the id of a statement's row."""
    return anchor_of("statement", key)


def epsilon_bars(form: FormResult) -> list[Bar]:
    """Return the claimed, accounted and certified epsilon side by side."""
    found: list[tuple[str, float, str]] = []
    accounting = form.verdicts.get("accounting")
    losses = form.verdicts.get("privacy_loss")
    accounted = accounting.evidence if accounting else {}
    sampled = losses.evidence if losses else {}
    delta = accounted.get("claimed_delta", sampled.get("claimed_delta", form.delta))
    at = "" if delta is None else f"at δ = {figure(delta)}"
    claimed = accounted.get("claimed_epsilon", sampled.get("claimed_epsilon", form.epsilon))
    for label, value, note in (
        ("claimed", claimed, at),
        ("accounted", accounted.get("accounted_epsilon"), accounted.get("method", "")),
        ("certified", sampled.get("certified_epsilon"), "lower bound, from sampled losses"),
    ):
        if (number := number_of(value)) is not None:
            found.append((label, number, str(note)))
    finite = [value for _, value, _ in found if math.isfinite(value)]
    largest = max(finite, default=1.0) or 1.0
    return [
        Bar(label, figure(value), 100 * min(value / largest, 1.0), note)
        for label, value, note in found
    ]


def level_of(item: Mapping[str, Any]) -> Any:
    """Return the level of what holds of a checked statement."""
    return item["level"] or "false, no corrected form"


class Page:
    """Answers to the template's questions about results.

    Parameters
    ----------
    contents : Contents
    drawn : mapping
        (id, form) -> figures.
    """

    def __init__(
        self, contents: Contents, drawn: Mapping[tuple[str, str], Sequence[Figure]]
    ) -> None:
        self._contents = contents
        self._catalogue, self._others = contents.catalogue, contents.others
        self._results = contents.results
        self._statements = contents.ledger["statements"] if contents.ledger else ()
        self._drawn = drawn
        self._surprises = {(s.id, s.form, s.question) for s in contents.conclusion.unexpected}

    def family(self, identifier: str) -> str:
        """Return the family of an algorithm."""
        return family(self._catalogue[identifier])

    def families(self) -> list[str]:
        """Return the families, for their filter."""
        return sorted(set(map(self.family, self._results)))

    def models(self) -> list[str]:
        """Return the models, for their filter."""
        return sorted({self._catalogue[i].model.value for i in self._results})

    def chip(self, identifier: str, form: str, question: str) -> Chip | None:
        """Return how a verdict is shown, or None if the question is not asked of this form."""
        found = self._results[identifier].forms.get(form)
        verdict = found.verdicts.get(question) if found else None
        if found is None or verdict is None:
            return None
        status = verdict.status
        text = "n/a" if status == "not applicable" else status
        if (identifier, form, question) in self._surprises:
            return Chip("surprise", "!", text)
        if status == "violated":
            names = ", ".join(found.expected.get(question, ()))
            return Chip("erratum", SYMBOLS[status], f"erratum {names}")
        if status == "holds" and any(map(_about_doubles, verdict.findings)):
            return Chip("holds", "✓*", "on paper")
        kind = "absent" if status == "not applicable" else status
        return Chip(kind, SYMBOLS[status], text)

    def cell(self, identifier: str, question: str) -> dict[Chip, str]:
        """Return the different answers of all forms of an algorithm, each with the first form."""
        found: dict[Chip, str] = {}
        for form in self._results[identifier].forms:
            chip = self.chip(identifier, form, question)
            if chip is not None:
                found.setdefault(chip, form)
        if len(found) > 1:  # what applies to one form says more than that it does not to another
            found = {chip: form for chip, form in found.items() if chip.kind != "absent"}
        return found

    def groups(self) -> list[Group]:
        """Return the algorithms of every paper, and then those of others by where they are from."""
        groups: dict[str, Group] = {}
        for number, paper in PAPERS.items():
            groups[number] = Group(str(paper), paper.url, {})
        for identifier in sorted(self._results, key=self._rank):
            other = self._others.get(identifier)
            if other is None:
                group = groups[self._catalogue[identifier].sources[0].label]
            else:
                label = other.origin.label
                group = groups.setdefault(label, Group(f"From {label}", "", {}))
            group.families.setdefault(self.family(identifier), []).append(identifier)
        return [group for group in groups.values() if group.families]

    def open_questions(self) -> list[tuple[str, str, str, str]]:
        """Return (id, form, question, summary) of what is inconclusive, though not unexpected."""
        return [
            (identifier, name, question, verdict.summary)
            for identifier, result in self._results.items()
            for name, form in result.forms.items()
            for question, verdict in form.verdicts.items()
            if verdict.status == "inconclusive"
            and (identifier, name, question) not in self._surprises
        ]

    def _rank(self, identifier: str) -> tuple[bool, bool, str]:
        kinds = self.kinds(identifier).split()
        return "surprise" not in kinds, "inconclusive" not in kinds, identifier

    def kinds(self, identifier: str) -> str:
        """Return the kinds of chip that an algorithm has, for the status filter."""
        result = self._results[identifier]
        chips = (
            self.chip(identifier, form, question)
            for form, answers in result.forms.items()
            for question in answers.verdicts
        )
        return " ".join(sorted({chip.kind for chip in chips if chip is not None}))

    def words(self, identifier: str) -> str:
        """Return the text that the search box looks through."""
        entry = self._catalogue[identifier]
        parts = [entry.id, entry.name, entry.privacy_claim, entry.utility_claim, *entry.aliases]
        parts += [f"{source.label} {source}" for source in entry.sources]
        parts += [erratum.statement for erratum in entry.errata]
        return " ".join(parts).casefold()

    def figures(self, identifier: str, form: str) -> Sequence[Figure]:
        """Return the figures of a form."""
        return self._drawn[identifier, form]

    def command(self, identifier: str, form: str, question: str) -> str:
        """Return what shows a violation again, to be copied."""
        return command(self._contents.folder, identifier, form, question, self._files(identifier))

    def audit_command(self, identifier: str) -> str:
        """Return what audits an algorithm again, to be copied."""
        cases = (word for file in self._files(identifier) for word in ("--cases", file))
        return shlex.join(["touchstone", "audit", identifier, *cases])

    def _files(self, identifier: str) -> tuple[str, ...]:
        other = self._others.get(identifier)
        return () if other is None else other.files

    def has(self, name: str) -> bool:
        """Return whether an erratum is on the page, as those of its algorithms are."""
        shown = (erratum for i in self._results for erratum in self._catalogue[i].errata)
        return any(erratum.name == name for erratum in shown)

    def statements(self, paper: str) -> list[Mapping[str, Any]]:
        """Return a paper's statements, those with errata first and the worst before."""
        found = (item for item in self._statements if item["paper"] == paper)
        return sorted(found, key=lambda item: item["severity"] or "true")

    def statements_of(self, erratum: Erratum) -> list[str]:
        """Return the keys of the statements that an erratum is about."""
        return [item["key"] for item in self._statements if erratum.name in item["errata"]]

    def reproduction(self, identifier: str, erratum: Erratum) -> Reproduction:
        """Return what reproduces an erratum and what it showed."""
        scheme, _, where = erratum.reproduced_by.partition(":")
        if scheme == "audit":
            form, _, question = where.partition("/")
            return self._in_the_audit(identifier, form, question)
        item = errata.checked(self._contents.ledger, erratum)
        if item is None:
            shown = errata.audited(self._contents.conclusion, identifier, erratum)
            if shown is not None:  # beside the place that is named
                return self._in_the_audit(identifier, shown.form, shown.question)
            if scheme == "proofs":
                return Reproduction(f"statement {where} (run touchstone proofs)", "", None)
            return Reproduction(f"{scheme} {where}", "", None)
        chip = Chip("holds", "✓", "checked")
        if not item["as_expected"]:
            chip = Chip("surprise", "!", "unexpected")
        elif item["refuted"]:
            chip = Chip("erratum", SYMBOLS["violated"], item["print"])
        return Reproduction(f"statement {item['key']}", statement_anchor(item["key"]), chip)

    def _in_the_audit(self, identifier: str, form: str, question: str) -> Reproduction:
        label = f"{form} form, {TITLES.get(question, question).lower()}"
        chip = self.chip(identifier, form, question)
        anchor = "" if chip is None else anchor_of(identifier, form, question)
        return Reproduction(label, anchor, chip)

    def on_site(self, address: str) -> str:
        """Return the link to a page of the site, empty without one."""
        site = self._contents.site.rstrip("/")
        return site and f"{site}/{address}.html"

    def algorithm_on_site(self, identifier: str) -> str:
        """Return the link to an algorithm, empty for those of others, whose pages are theirs."""
        return "" if identifier in self._others else self.on_site(of_algorithm(identifier))

    def statement_on_site(self, key: str) -> str:
        """Return the link to a statement."""
        return self.on_site(of_statement(key))

    def erratum_on_site(self, identifier: str, name: str) -> str:
        """Return the link to an erratum, empty for those of others' algorithms."""
        return "" if identifier in self._others else self.on_site(of_erratum(name))

    bars = staticmethod(epsilon_bars)
    level = staticmethod(level_of)
    anchor = staticmethod(anchor_of)
    statement_anchor = staticmethod(statement_anchor)
