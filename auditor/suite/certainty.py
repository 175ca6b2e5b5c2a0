"""Certainty of each link of an algorithm's guarantee, and the weakest link.

The first four links are an argument; a theorem in Coq, where there is one and Coq has compiled it
here, covers three of them. The code itself is nowhere proved: it is audited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from auditor.core.case import Form
from auditor.core.errors import one_line
from auditor.questions.accounting import DELTA_TOLERANCE, account, compositions_under
from auditor.suite.plan import is_corrected
from auditor.suite.store import Result
from auditor.transcript.judgement import claim_points
from auditor.transcript.replay import record
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
from proofs_checks.theorem_link import KINDS, noise_kind
from reference.catalogue import Entry
from reference.privacy.guarantees import Guarantee
from reference.privacy.ledger import Transcript

COQ = "proved (Coq)"
EXACT, OUTWARDS = "exact sum", "numerical, rounded outwards"
BOUNDED, NUMERICAL = "numerical, error bounded", "numerical"
NOT_CHECKED = "not checked here"
AUDITED, NEITHER = "audited only", "neither derived nor audited here"

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
)
"""Levels from the strongest to the weakest."""

EVALUATED: Mapping[str, str] = {
    "nothing released": EXACT,
    "pure DP": EXACT,
    "basic composition": EXACT,
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

The roundings of a privacy loss distribution are bounded in its module; a curve is raised by more
than its rounding was at thousands of points; the Renyi accountant is another library's.
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
class Certainty:
    """Certainty of the guarantees of algorithms, from what is known of them.

    Attributes
    ----------
    concern : mapping
        Id of an algorithm -> its statements.
    checked : mapping
        Key of a statement -> what ``proofs.json`` has on it; empty if none was checked.
    results : mapping
        Id of an algorithm -> the result of its audit.
    compiled : frozenset of str
        Ids of the algorithms whose theorem Coq has compiled; by default on this machine.
    """

    concern: Mapping[str, Sequence[Statement]]
    checked: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    results: Mapping[str, Result] = field(default_factory=dict)
    compiled: frozenset[str] = field(default_factory=compiled_theorems)

    def links(self, entry: Entry, form: Form | None) -> list[ProofLink]:
        """Return the links of an algorithm's guarantee.

        What its own statements say counts at the level of the weakest of them: which of them are
        needed is not known here. A link without theorem or statement has the audit alone, which
        can refute it and not prove it.

        Parameters
        ----------
        entry : Entry
        form : Form or None
            Its corrected form as it is audited; it is run once, for its releases.
        """
        sensitivity, noise, composition = (self._link(entry, *link) for link in LINKS)
        argument = [sensitivity, noise, composition]
        if form is not None:
            try:
                transcript, _ = record(form.run, form.pair[0], 0, target=form.replaced)
                method = self._method(entry, form.claim, transcript)
            except Exception as error:  # of an algorithm that somebody brings
                argument.append(ProofLink(CALIBRATION, "undecided", one_line(error)))
            else:
                level = EVALUATED.get(method, "undecided")
                if composition.level == COQ and method not in _covered(entry):
                    composition = ProofLink(COMPOSITION, level, f"{method}; {composition.words}")
                noise = self._noise(transcript, noise)
                calibration = ProofLink(CALIBRATION, level, method)
                argument = [sensitivity, noise, composition, calibration]
        return [*argument, self._code(entry)]

    def _link(self, entry: Entry, name: str, kinds: Sequence[str], question: str) -> ProofLink:
        seen = self._seen(entry, question)
        theorem = algorithm_theorems().get(entry.id)
        compiled = entry.id in self.compiled
        short_of = {COMPOSITION: "weaker", SENSITIVITY: "sensitivity_assumed"}.get(name)
        if theorem and compiled and not (short_of and getattr(theorem, short_of)):
            return ProofLink(name, COQ, "; ".join(filter(None, (str(theorem), seen))))
        own = [s for s in self.concern.get(entry.id, ()) if s.kind in kinds and s.true_check]
        short = ""
        if theorem:
            waits = f"{theorem.file}, which Coq has not compiled here"
            short = str(theorem) if compiled else waits
        words = "; ".join(filter(None, (short, ", ".join(s.key for s in own), seen)))
        if not own:
            return ProofLink(name, AUDITED if seen else NEITHER, words)
        if any(s.key not in self.checked for s in own):
            return ProofLink(name, NOT_CHECKED, words)
        levels = [self.checked[s.key]["level"] for s in own]
        return ProofLink(name, max(levels, key=LEVELS.index), words)

    def _method(self, entry: Entry, claim: Guarantee, transcript: Transcript) -> str:
        """Return the rule that certifies a claim: of the theorem if one of its own does."""
        if entry.id in self.compiled:
            profiles = [profile.rules() for profile in compositions_under(transcript, claim)]
            epsilon, delta = claim_points(claim)[0]
            for name in _covered(entry):
                rules = [rules.get(name) for rules in profiles]
                if all(r and r.delta_at(epsilon) <= delta * (1 + DELTA_TOLERANCE) for r in rules):
                    return name
        return account(transcript, claim, bound_below=False).method

    def _seen(self, entry: Entry, question: str) -> str:
        verdicts = _corrected_verdicts(self.results.get(entry.id))
        return f"audit: {verdicts[question].summary}" if question in verdicts else ""

    def _noise(self, transcript: Transcript, otherwise: ProofLink) -> ProofLink:
        """Return the link of noise whose kinds all have a theorem that was compiled."""
        kinds = {noise_kind(release.mechanism) for release in transcript.releases}
        if any(_proved_kinds().get(kind, set()).isdisjoint(self.compiled) for kind in kinds):
            return otherwise
        return ProofLink(NOISE, COQ, "; ".join(filter(None, (*sorted(kinds), otherwise.words))))

    def _code(self, entry: Entry) -> ProofLink:
        result = self.results.get(entry.id)
        verdicts = _corrected_verdicts(result)
        if result is None or not verdicts:
            return ProofLink(CODE, NEITHER, "")
        statuses = [verdict.status for verdict in verdicts.values()]
        counts = [
            f"{statuses.count(status)} {status}"
            for status in ("holds", "violated", "inconclusive")
            if status in statuses
        ]
        more = [verdicts[name].summary for name in ("domain", "mutants") if name in verdicts]
        vectors = sum(1 for _ in VECTORS.glob(f"*/{entry.id}.json"))
        files = f"{vectors} files of vectors" if vectors else ""
        words = (f"{result.settings.tier} audit: {', '.join(counts)}", *more, files)
        return ProofLink(CODE, AUDITED, "; ".join(filter(None, words)))


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


def _covered(entry: Entry) -> list[str]:
    """Return the rules that account for what the theorem of an algorithm proves."""
    notions = algorithm_theorems()[entry.id].notions
    return [rule for notion in notions for rule in COVERED[notion]]


def _corrected_verdicts(result: Result | None) -> Mapping[str, Any]:
    forms = result.forms.items() if result else ()
    return next((form.verdicts for name, form in forms if is_corrected(name)), {})


@cache
def _proved_kinds() -> Mapping[str, set[str]]:
    """Return, by kind of noise, the algorithms whose theorems are about it."""
    found: dict[str, set[str]] = defaultdict(set)
    for identifier, theorem in algorithm_theorems().items():
        for release in read_formulas(kept_formulas(theorem)).releases:
            for kind in KINDS[release.kind]:
                found[kind].add(identifier)
    return found
