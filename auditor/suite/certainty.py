"""Certainty of each link of an algorithm's guarantee, and the weakest link.

The first four links are an argument; a theorem in Coq, where there is one and Coq has compiled it
here, covers three of them. The code itself is nowhere proved: it is audited.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from auditor.core.case import Form
from auditor.core.context import Context
from auditor.core.errors import one_line
from auditor.core.verdict import Verdict
from auditor.suite.plan import is_corrected
from auditor.suite.store import Result
from proofs_checks.algorithm_theorems import (
    APPROXIMATE,
    CONCENTRATED,
    GAUSSIAN,
    PURE,
    algorithm_theorems,
    compiled_theorems,
    kept_formulas,
)
from proofs_checks.outcome import STRENGTH
from proofs_checks.printed_formulas import read_formulas
from proofs_checks.statement import Statement
from proofs_checks.theorem_link import KINDS, WITH_SCORES_OF_ITS_OWN
from reference.catalogue import Entry

COQ = "proved (Coq)"
EXACT, OUTWARDS = "exact sum", "numerical, rounded outwards"
BOUNDED, NUMERICAL = "numerical, error bounded", "numerical"
NOT_CHECKED = "not checked here"
AUDITED, NEITHER = "audited only", "neither derived nor audited here"
VIOLATED = "violated in the audit"

_DERIVED = STRENGTH.index("derived, step checked")
LEVELS = (
    *STRENGTH[:_DERIVED],
    EXACT,
    STRENGTH[_DERIVED],
    BOUNDED,
    OUTWARDS,
    NUMERICAL,
    *STRENGTH[_DERIVED + 1 :],
    NOT_CHECKED,
    AUDITED,
    NEITHER,
    VIOLATED,
)
"""Levels from the strongest to the weakest."""

EVALUATED: Mapping[str, str] = {
    "nothing released": EXACT,
    "pure DP": EXACT,
    "basic composition": OUTWARDS,
    "privacy loss distribution": BOUNDED,
    "exact Gaussian DP": OUTWARDS,
    "Gaussian DP without amplification": OUTWARDS,
    "exact sampled Gaussian": OUTWARDS,
    "exact Laplace": OUTWARDS,
    "exact Wishart": OUTWARDS,
    "zCDP": OUTWARDS,
    "Renyi DP with sampling": NUMERICAL,
}
"""Evaluation of each rule of :mod:`reference.privacy.accounting`.

The roundings of a privacy loss distribution are bounded in its module; a curve, and a delta of a
basic composition that is a point of one, is raised by more than its rounding was at thousands of
points; the Renyi accountant is another library's.
"""

LINKS = (
    ("sensitivity", ("sensitivity",), "sensitivity"),
    ("noise", (), "samplers"),
    ("composition", ("composition", "privacy"), "accounting"),
)
"""Name, kinds of the statements on which it rests, and the question that audits it."""
SENSITIVITY, NOISE, COMPOSITION = (name for name, _, _ in LINKS)
CALIBRATION, CODE = "calibration", "code"

COVERED: Mapping[str, tuple[str, ...]] = {
    GAUSSIAN: ("exact Gaussian DP",),
    PURE: ("pure DP", "exact Laplace"),
    CONCENTRATED: ("zCDP",),
    APPROXIMATE: ("basic composition",),
}
"""Rules that account for what a theorem in a notion proves, and for no more."""

VECTORS = Path(__file__).parents[2] / "vectors"


@dataclass(frozen=True)
class ProofLink:
    """One step of the argument that an algorithm is private.

    Attributes
    ----------
    name : str
    level : str
        One of :data:`LEVELS`: the weakest of its statements, or that it is audited only.
    words : str
        Which theorem or statements, and what the audit saw.
    """

    name: str
    level: str
    words: str

    @property
    def rank(self) -> int:
        """Rank of the level, 0 for the strongest."""
        return LEVELS.index(self.level)


@dataclass(frozen=True)
class Ground:
    """A numbered statement on which a guarantee can rest.

    Attributes
    ----------
    key, kind : str
        As those of a statement.
    """

    key: str
    kind: str


@dataclass(frozen=True)
class Certainty:
    """Certainty of the guarantees of algorithms, from what is known of them.

    Attributes
    ----------
    grounds : mapping or None
        Id of an algorithm -> the statements that say something true of it; ``None`` if not known.
    checked : mapping
        Key of a statement -> what ``proofs.json`` has on it; empty if none was checked.
    results : mapping
        Id of an algorithm -> the result of its audit.
    compiled : frozenset of str
        Ids of the algorithms whose theorem Coq has compiled; by default on this machine.
    """

    grounds: Mapping[str, Sequence[Ground]] | None
    checked: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    results: Mapping[str, Result] = field(default_factory=dict)
    compiled: frozenset[str] = field(default_factory=compiled_theorems)

    def links(self, entry: Entry, form: Form | None) -> list[ProofLink]:
        """Return the links of an algorithm's guarantee.

        What its own statements say counts at the level of the weakest of them: which of them are
        needed is not known here. A link without theorem or statement has the audit alone, which
        can refute it and not prove it; what it refutes is violated, whatever is proved.

        Parameters
        ----------
        entry : Entry
        form : Form or None
            Its corrected form as it is audited. Without an answer of the audit on its accounting,
            that question is asked here.
        """
        sensitivity, noise, composition = (self._link(entry, *link) for link in LINKS)
        argument = [sensitivity, noise, composition]
        answer = self._seen(entry, "accounting")
        if answer is not None or form is not None:
            try:
                spent = _account(form).evidence if answer is None else answer.evidence
                method, releases = spent["method"], spent.get("releases", ())
            except Exception as error:  # of an algorithm that somebody brings
                argument.append(ProofLink(CALIBRATION, "undecided", one_line(error)))
            else:
                rules = [*self._covered(entry, spent), method]
                calibration = ProofLink(CALIBRATION, EVALUATED.get(rules[0], "undecided"), rules[0])
                if composition.level == COQ and len(rules) == 1:
                    words = f"{method}; {composition.words}"
                    composition = ProofLink(COMPOSITION, calibration.level, words)
                noise = self._noise({release["kind"] for release in releases}, noise)
                argument = [sensitivity, noise, composition, calibration]
        return [*argument, self._code(entry)]

    def _link(self, entry: Entry, name: str, kinds: Sequence[str], question: str) -> ProofLink:
        answer = self._seen(entry, question)
        seen = f"audit: {answer.summary}" if answer else ""
        if answer and answer.status == "violated":
            return ProofLink(name, VIOLATED, seen)
        theorem = algorithm_theorems().get(entry.id)
        compiled = entry.id in self.compiled
        short_of = {COMPOSITION: "weaker", SENSITIVITY: "sensitivity_assumed"}.get(name)
        if theorem and compiled and not (short_of and getattr(theorem, short_of)):
            return ProofLink(name, COQ, "; ".join(filter(None, (str(theorem), seen))))
        known = () if self.grounds is None else self.grounds.get(entry.id, ())
        own = [ground for ground in known if ground.kind in kinds]
        short = ""
        if theorem:
            waits = f"{theorem.file}, which Coq has not compiled here"
            short = str(theorem) if compiled else waits
        words = "; ".join(filter(None, (short, ", ".join(s.key for s in own), seen)))
        if (self.grounds is None and kinds) or any(s.key not in self.checked for s in own):
            return ProofLink(name, NOT_CHECKED, words)
        if not own:
            return ProofLink(name, AUDITED if seen else NEITHER, words)
        levels = [self.checked[s.key]["level"] for s in own]
        return ProofLink(name, max(levels, key=LEVELS.index), words)

    def _covered(self, entry: Entry, spent: Mapping[str, Any]) -> list[str]:
        """Return the rules that meet a claim and account for what the own theorem proves."""
        if entry.id not in self.compiled:
            return []
        notions = algorithm_theorems()[entry.id].notions
        covered = [rule for notion in notions for rule in COVERED[notion]]
        return [rule for rule in covered if rule in spent.get("rules", ())]

    def _seen(self, entry: Entry, question: str) -> Verdict | None:
        """Return the worst answer to a question on the corrected forms."""
        forms = _corrected_verdicts(self.results.get(entry.id))
        answers = [verdicts[question] for verdicts in forms if question in verdicts]
        violated = [answer for answer in answers if answer.status == "violated"]
        return next(iter(violated or answers), None)

    def _noise(self, kinds: set[str], otherwise: ProofLink) -> ProofLink:
        """Return the link of noise whose kinds all have a theorem that was compiled."""
        proved = all(not _proved_kinds().get(k, set()).isdisjoint(self.compiled) for k in kinds)
        if otherwise.level in (COQ, VIOLATED) or not (kinds and proved):
            return otherwise
        return ProofLink(NOISE, COQ, "; ".join(filter(None, (*sorted(kinds), otherwise.words))))

    def _code(self, entry: Entry) -> ProofLink:
        result = self.results.get(entry.id)
        forms = _corrected_verdicts(result)
        if result is None or not any(forms):
            return ProofLink(CODE, NEITHER, "")
        counts = Counter(verdict.status for verdicts in forms for verdict in verdicts.values())
        told = [
            f"{counts[status]} {status}"
            for status in ("holds", "violated", "inconclusive")
            if counts[status]
        ]
        more = [found.summary for q in ("domain", "mutants") if (found := self._seen(entry, q))]
        vectors = sum(1 for _ in VECTORS.glob(f"*/{entry.id}.json"))
        files = f"{vectors} files of vectors" if vectors else ""
        words = (f"{result.settings.tier} audit: {', '.join(told)}", *more, files)
        level = VIOLATED if counts["violated"] else AUDITED
        return ProofLink(CODE, level, "; ".join(filter(None, words)))


def in_one_line(found: Sequence[ProofLink]) -> str:
    """Return the level of every link, e.g. ``"sensitivity, noise: proved (Coq); code: ..."``."""
    groups = groupby(found, key=lambda link: link.level)
    return "; ".join(
        f"{', '.join(link.name for link in links)}: {level}" for level, links in groups
    )


def weakest(found: Sequence[ProofLink]) -> str:
    """Return a sentence that names the weakest links."""
    level = LEVELS[max(link.rank for link in found)]
    names = [link.name.lower() for link in found if link.level == level]
    noun = "link" if len(names) == 1 else "links"
    return f"The weakest {noun}: {', '.join(names)} ({level})."


def checked_of(ledger: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    """Return what ``proofs.json`` has on statements, by key; nothing if it is not there."""
    return {item["key"]: item for item in ledger["statements"]} if ledger else {}


def concerning(items: Iterable[Statement]) -> dict[str, list[Statement]]:
    """Return, by id of an algorithm, the statements that belong to it."""
    found: dict[str, list[Statement]] = defaultdict(list)
    for item in items:
        for identifier in item.algorithms:
            found[identifier].append(item)
    return found


def grounds_of(items: Iterable[Statement]) -> dict[str, list[Ground]]:
    """Return, by id of an algorithm, the statements with something true that is checked."""
    own = concerning(item for item in items if item.true_check)
    return {i: [Ground(item.key, item.kind) for item in found] for i, found in own.items()}


def grounds_in(ledger: Mapping[str, Any]) -> dict[str, list[Ground]]:
    """Return the same from ``proofs.json``, as far as it has them."""
    found: dict[str, list[Ground]] = defaultdict(list)
    for item in ledger["statements"]:
        if item["level"]:
            for identifier in item["algorithms"]:
                found[identifier].append(Ground(item["key"], item["kind"]))
    return found


def _account(form: Form | None) -> Verdict:
    """Ask an algorithm that has not been audited for its account."""
    from auditor.questions.accounting import audit  # what was audited is told without

    assert form is not None
    return audit(form, Context(seed=0, tier="quick"))


def _corrected_verdicts(result: Result | None) -> list[Mapping[str, Verdict]]:
    forms = result.forms.items() if result else ()
    return [form.verdicts for name, form in forms if is_corrected(name)]


@cache
def _proved_kinds() -> Mapping[str, set[str]]:
    """Return, by kind of noise, the algorithms whose theorems are about it as it is."""
    found: dict[str, set[str]] = defaultdict(set)
    for identifier, theorem in algorithm_theorems().items():
        for release in read_formulas(kept_formulas(theorem)).releases:
            for kind in set(KINDS[release.kind]) - WITH_SCORES_OF_ITS_OWN:
                found[kind].add(identifier)
    return found
