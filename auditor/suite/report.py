"""The HTML report: one self-contained page made from the results folder and the catalogue."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from auditor.core.addresses import of_algorithm, of_erratum, of_statement
from auditor.core.errors import visible
from auditor.core.verdict import QUESTIONS, SHORT, Verdict, describe
from auditor.core.version import version
from auditor.suite import errata
from auditor.suite.algorithms import Known, OwnAlgorithm
from auditor.suite.conclude import Conclusion, conclude
from auditor.suite.drawings import Drawing, draw, kept, share_styles
from auditor.suite.keys import Sources, is_stale
from auditor.suite.proofs import what_holds
from auditor.suite.rerun import command
from auditor.suite.store import TEMPLATES, FormResult, Result, Settings, Store
from reference.catalogue import PAPERS, SEVERITIES, Entry, Erratum

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
ASKS = {
    "accounting": "Does the composition of all releases meet the claim?",
    "sensitivity": "Is any released value further from its neighbour's than claimed?",
    "control_flow": "Are the same releases made on neighbouring data?",
    "privacy_loss": "Do sampled privacy losses of whole transcripts meet the claim?",
    "black_box": "Does the output alone give the data set away?",
    "samplers": "Is the noise distributed as declared?",
    "scaling": "Does the error fall as fast as the theorem says?",
    "real_data": "Do claim and utility hold on real data?",
    "domain": "Does the guarantee hold at every legal parameter that is tried?",
    "mutants": "Does this audit notice broken twins of the algorithm?",
}
SYMBOLS = {"holds": "✓", "violated": "✗", "inconclusive": "?", "not applicable": "–"}
LONGEST_WITNESS = 2000
LONGEST_LIST = 12


@dataclass(frozen=True)
class Chip:
    """How a verdict is shown: a class for its colour, a symbol, words, and a sort of link."""

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
    """What reproduces an erratum: where to look, and what was seen there."""

    label: str
    target: str
    chip: Chip | None


def write_report(
    store: Store,
    known: Known,
    ledger: Mapping[str, Any] | None,
    *,
    site: str = "",
    workers: int = 1,
) -> Path:
    """Write ``report.html`` from everything in the store; return its path.

    Parameters
    ----------
    store : Store
    known : Known
        Results of other algorithms are left out.
    ledger : mapping or None
        As in ``proofs.json``.
    site : str
        The address of a site to link to; optional.
    workers : int, default 1
        Processes that draw.

    Raises
    ------
    InputError
        If the results file of an algorithm is broken.
    """
    entries, modules, sources = known.entries, known.modules, Sources()
    results = store.load_all(entries)
    stale = {name for name, result in results.items() if is_stale(result, modules, sources)}
    conclusion = conclude(results, entries)
    drawn = kept(store, conclusion.results, workers)
    page = render(
        conclusion,
        entries,
        ledger,
        stale,
        folder=store.folder,
        drawn=drawn,
        others=known.others,
        site=site,
    )
    return store.write_text("report.html", page)


def render(
    conclusion: Conclusion,
    catalogue: Mapping[str, Entry],
    ledger: Mapping[str, Any] | None,
    stale: Collection[str] = (),
    *,
    folder: Path = Path("results"),
    drawn: Mapping[str, Mapping[str, Sequence[Drawing]]] | None = None,
    others: Mapping[str, OwnAlgorithm] | None = None,
    site: str = "",
) -> str:
    """Return the report as one HTML page; the same input gives the same bytes.

    Parameters
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
    others : mapping, optional
        id -> algorithm of those in the catalogue that are not the papers'.
    site : str
        As for :func:`write_report`.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(figure=figure, scalars=scalars, pretty=pretty, describe=describe)
    results = {i: r for i, r in conclusion.results.items() if i in catalogue}
    shown, styles = _with_classes(draw(results) if drawn is None else drawn)
    page = _Page(conclusion, catalogue, ledger, shown, folder, others or {}, site)
    text = environment.get_template("report.html").render(
        version=version(),
        results=results,
        catalogue=catalogue,
        conclusion=conclusion,
        settings=_distinct_settings(results),
        questions=QUESTIONS,
        titles=TITLES,
        short=SHORT,
        asks=ASKS,
        papers=PAPERS,
        severities=SEVERITIES,
        ledger=ledger,
        stale=stale,
        levels=_levels(ledger),
        unchecked=_unchecked(ledger),
        styles=Markup(styles),
        findings=list(_findings(results)),
        counts=_counts(conclusion, results, catalogue, ledger),
        page=page,
    )
    # the template's indentation is a tenth of the page
    return visible(re.sub(r"\n[ ]+(?=<)", "\n", text))


class _Page:
    """What the template asks about a result."""

    def __init__(
        self,
        conclusion: Conclusion,
        catalogue: Mapping[str, Entry],
        ledger: Mapping[str, Any] | None,
        drawn: Mapping[tuple[str, str], Sequence[Figure]],
        folder: Path,
        others: Mapping[str, OwnAlgorithm],
        site: str,
    ) -> None:
        self._others = others
        self._site = site.rstrip("/")
        self._folder = folder
        self._drawn = drawn
        self._results = conclusion.results
        self._surprises = {(s.id, s.form, s.question) for s in conclusion.unexpected}
        self._catalogue = catalogue
        self._conclusion, self._ledger = conclusion, ledger

    def family(self, identifier: str) -> str:
        return family(self._catalogue[identifier])

    def families(self) -> list[str]:
        return sorted({self.family(i) for i in self._results if i in self._catalogue})

    def models(self) -> list[str]:
        return sorted(
            {self._catalogue[i].model.value for i in self._results if i in self._catalogue}
        )

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
        for identifier in sorted(
            filter(self._catalogue.__contains__, self._results), key=self._rank
        ):
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
            if identifier in self._catalogue
            and verdict.status == "inconclusive"
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

    def bars(self, form: FormResult) -> list[Bar]:
        return epsilon_bars(form)

    def figures(self, identifier: str, form: str) -> Sequence[Figure]:
        return self._drawn[identifier, form]

    def command(self, identifier: str, form: str, question: str) -> str:
        """Return what shows a violation again, to be copied."""
        return command(self._folder, identifier, form, question, self._files(identifier))

    def audit_command(self, identifier: str) -> str:
        """Return what audits an algorithm again, to be copied."""
        cases = (word for file in self._files(identifier) for word in ("--cases", file))
        return shlex.join(["touchstone", "audit", identifier, *cases])

    def _files(self, identifier: str) -> tuple[str, ...]:
        other = self._others.get(identifier)
        return () if other is None else other.files

    def has(self, name: str) -> bool:
        """Whether an erratum is on the page: that of an algorithm whose results are."""
        shown = (self._catalogue[i] for i in self._results if i in self._catalogue)
        return any(erratum.name == name for entry in shown for erratum in entry.errata)

    def statements(self, paper: str) -> list[Mapping[str, Any]]:
        """Return a paper's statements, what is false first and the worst before."""
        items = self._ledger["statements"] if self._ledger else ()
        found = (item for item in items if item["paper"] == paper)
        return sorted(found, key=lambda item: item["severity"] or "true")

    def statements_of(self, erratum: Erratum) -> list[str]:
        """Return the keys of the statements that an erratum is about."""
        items = self._ledger["statements"] if self._ledger else ()
        return [item["key"] for item in items if erratum.name in item["errata"]]

    def reproduction(self, identifier: str, erratum: Erratum) -> Reproduction:
        """Return what reproduces an erratum and what it showed."""
        scheme, _, where = erratum.reproduced_by.partition(":")
        if scheme == "audit":
            form, _, question = where.partition("/")
            return self._in_the_audit(identifier, form, question)
        item = errata.checked(self._ledger, erratum)
        if item is None:
            shown = errata.audited(self._conclusion, identifier, erratum)
            if shown is not None:  # beside the place that is named
                return self._in_the_audit(identifier, shown.form, shown.question)
            if scheme == "proofs":
                return Reproduction(f"statement {where} (run touchstone proofs)", "", None)
            return Reproduction(f"{scheme} {where}", "", None)
        chip = Chip("holds", "✓", "checked")
        if not item["as_expected"]:
            chip = Chip("surprise", "!", "unexpected")
        elif item["expected"] == "false":
            chip = Chip("erratum", SYMBOLS["violated"], "false as printed")
        return Reproduction(f"statement {item['key']}", statement_anchor(item["key"]), chip)

    def _in_the_audit(self, identifier: str, form: str, question: str) -> Reproduction:
        label = f"{form} form, {TITLES.get(question, question).lower()}"
        chip = self.chip(identifier, form, question)
        anchor = "" if chip is None else anchor_of(identifier, form, question)
        return Reproduction(label, anchor, chip)

    def on_site(self, address: str) -> str:
        """Return the link to a page of the site, empty without one."""
        return self._site and f"{self._site}/{address}.html"

    def algorithm_on_site(self, identifier: str) -> str:
        """Return the link to an algorithm, empty for those of others, whose pages are theirs."""
        return "" if identifier in self._others else self.on_site(of_algorithm(identifier))

    def statement_on_site(self, key: str) -> str:
        return self.on_site(of_statement(key))

    def erratum_on_site(self, identifier: str, name: str) -> str:
        return "" if identifier in self._others else self.on_site(of_erratum(name))

    level = staticmethod(lambda item: level_of(item))
    anchor = staticmethod(lambda *parts: anchor_of(*parts))
    statement_anchor = staticmethod(lambda key: statement_anchor(key))


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
        if (number := _number(value)) is not None:
            found.append((label, number, str(note)))
    finite = [value for _, value, _ in found if math.isfinite(value)]
    largest = max(finite, default=1.0) or 1.0
    return [
        Bar(label, figure(value), 100 * min(value / largest, 1.0), note)
        for label, value, note in found
    ]


def _number(value: Any) -> float | None:
    """Return a figure of the evidence, in which infinities and NaN are words; None for others."""
    words = ("infinity", "-infinity", "nan")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number or value in words else None


def _with_classes(
    drawn: Mapping[str, Mapping[str, Sequence[Drawing]]],
) -> tuple[dict[tuple[str, str], Sequence[Figure]], str]:
    """Return the figures of every form of every algorithm, and the CSS that they share."""
    forms = {(i, name): pictures for i, own in drawn.items() for name, pictures in own.items()}
    shared, styles = share_styles([svg for pictures in forms.values() for svg, _ in pictures])
    left = iter(shared)
    found: dict[tuple[str, str], Sequence[Figure]] = {
        form: [Figure(Markup(next(left)), words) for _, words in pictures]
        for form, pictures in forms.items()
    }
    return found, styles


def figure(value: Any) -> str:
    """Return a number with four significant digits, infinity as a symbol, near 1 the gap to 1."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    short = f"{number:.4g}"
    if short == "1" and number != 1:  # a confidence of 1 - 1e-6 is not certainty
        return f"1 {'+' if number > 1 else '−'} {abs(number - 1):.2g}"
    return short


def scalars(evidence: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return the single figures and short lists of a verdict's evidence, nested names joined."""
    rows: list[tuple[str, str]] = []
    for name, value in evidence.items():
        label = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, Mapping):
            rows.extend(scalars(value, f"{label}: "))
        elif isinstance(value, (list, tuple)):
            flat = all(not isinstance(item, (list, tuple, Mapping)) for item in value)
            if flat and 0 < len(value) <= LONGEST_LIST:
                rows.append((label, ", ".join(figure(item) for item in value)))
        elif value is not None:
            rows.append((label, figure(value)))
    return rows


def pretty(value: Any) -> str:
    """Return JSON text, cut if it is long (the results file has it whole)."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    # a list of numbers belongs on one line
    text = "\n".join(_joined(text.split("\n")))
    if len(text) > LONGEST_WITNESS:
        return text[:LONGEST_WITNESS] + "\n... (the rest is in the results file)"
    return text


def _joined(lines: list[str]) -> Iterator[str]:
    """Join the lines of lists that hold nothing but numbers and words."""
    start = 0
    while start < len(lines):
        if lines[start].rstrip().endswith("["):
            end = start + 1
            while (
                end < len(lines)
                and lines[end].strip()[-1:] not in "[]{}"
                and not lines[end].strip().startswith(("]", "}"))
            ):
                end += 1
            if end < len(lines) and lines[end].strip().startswith("]"):
                inner = " ".join(line.strip() for line in lines[start + 1 : end])
                yield lines[start] + inner + lines[end].strip()
                start = end + 1
                continue
        yield lines[start]
        start += 1


def _distinct_settings(results: Mapping[str, Result]) -> list[Settings]:
    return list(dict.fromkeys(result.settings for result in results.values()))


def level_of(item: Mapping[str, Any]) -> str:
    """Return the level of what holds of a checked statement."""
    check = what_holds(item)
    return "false, no corrected form" if check is None else str(check["level"])


def _levels(ledger: Mapping[str, Any] | None) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in ledger["statements"] if ledger else ():
        level = level_of(item)
        counts[level] = counts.get(level, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _findings(
    results: Mapping[str, Result],
) -> Iterator[tuple[str, str, Verdict, Mapping[str, Any]]]:
    for identifier, result in results.items():
        for name, form in result.forms.items():
            for verdict in form.verdicts.values():
                for finding in verdict.findings:
                    yield identifier, name, verdict, finding


def _unchecked(ledger: Mapping[str, Any] | None) -> list[str]:
    """Return the papers of which no statement has been checked, but for the copy without any."""
    found = {item["paper"] for item in ledger["statements"]} if ledger else set()
    return [number for number, paper in PAPERS.items() if not paper.note and number not in found]


def _counts(
    conclusion: Conclusion,
    results: Mapping[str, Result],
    catalogue: Mapping[str, Entry],
    ledger: Mapping[str, Any] | None,
) -> dict[str, Any]:
    reproduced = errata.reproduced(conclusion, catalogue, ledger)
    return {
        "algorithms": len(results),
        "forms": sum(len(result.forms) for result in results.values()),
        "verdicts": sum(len(f.verdicts) for r in results.values() for f in r.forms.values()),
        "reproduced": reproduced,
        "unexpected": len(conclusion.unexpected),
    }
