"""Conclusions from results, and how probable it is that they are wrong by chance.

A statistical verdict is final as its question gave it, at the level that its algorithm alone
decides. What is left to do is to let a surviving mutant weaken what holds, and to compare what was
found with what the catalogue expects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from auditor.core.verdict import Verdict, jsonable
from auditor.core.version import version
from auditor.suite.plan import AuditUnit, is_corrected
from auditor.suite.store import ERROR, Result
from reference.catalogue import Entry

_SURVIVED = {"mutants": "a mutant survived", "scaling": "a twin survived"}
"""Meaning of an inconclusive answer to these questions.

A twin that the quick tier leaves does not make the scaling inconclusive.
"""


@dataclass(frozen=True)
class Surprise:
    """Something that the catalogue does not expect; the exit status says so."""

    id: str
    form: str
    question: str
    reason: str


@dataclass(frozen=True)
class FalseAlarms:
    """The guarantee of a set of results: how probable a violation is that is none.

    Attributes
    ----------
    algorithms : int
    per_algorithm : float
        At most this is the probability that any of the corrected forms of an algorithm, all of
        which meet their claims, is called violated; and the same for each printed form.
    in_all : float
        The sum over the algorithms, at most 1: bounds the probability that any corrected form of
        any of them is called violated wrongly.
    """

    algorithms: int
    per_algorithm: float
    in_all: float

    def describe(self) -> str:
        """Return the guarantee as a sentence."""
        sentence = (
            f"a correct algorithm is called violated with probability at most "
            f"{self.per_algorithm:.3g}"
        )
        if self.algorithms > 1:
            sentence += f", any of {self.algorithms} with at most {self.in_all:.3g}"
        return sentence


def false_alarms(results: Mapping[str, Result]) -> FalseAlarms:
    """Return the guarantee of results, which may be of different settings."""
    errors = [1 - result.settings.confidence for result in results.values()]
    return FalseAlarms(len(errors), max(errors, default=0.0), min(sum(errors), 1.0))


@dataclass(frozen=True)
class Conclusion:
    """Conclusion from a set of results.

    Attributes
    ----------
    results : mapping
        id -> :class:`~auditor.suite.store.Result` with the final verdicts.
    unexpected : tuple of Surprise
    reproduced : tuple of (AuditUnit, errata)
        The errata that showed as violations, as they should.
    guarantee : FalseAlarms
    """

    results: Mapping[str, Result]
    unexpected: tuple[Surprise, ...]
    reproduced: tuple[tuple[AuditUnit, tuple[str, ...]], ...]
    guarantee: FalseAlarms

    def verdict(self, surprise: Surprise) -> Verdict | None:
        """Return the verdict that a surprise is about, if there is one."""
        form = self.results[surprise.id].forms.get(surprise.form)
        return form.verdicts.get(surprise.question) if form else None

    def to_json(self, origins: Mapping[str, str]) -> dict[str, Any]:
        """Return the object of ``touchstone audit --format json``.

        ``origins`` says, by id, where algorithms come from that are not the papers'.
        """
        algorithms: dict[str, Any] = {}
        claims: dict[str, Any] = {}
        for identifier, result in self.results.items():
            stored = result.to_json()
            forms = stored["forms"]
            algorithms[identifier] = {name: form.pop("verdicts") for name, form in forms.items()}
            for form in forms.values():
                del form["keys"]
            claims[identifier] = {
                name: {**form, "settings": stored["settings"]} for name, form in forms.items()
            }
        return {
            "touchstone": version(),
            "guarantee": jsonable(asdict(self.guarantee)),
            "algorithms": algorithms,
            "origins": {i: label for i, label in origins.items() if i in self.results},
            "claims": claims,
            "unexpected": [asdict(surprise) for surprise in self.unexpected],
            "reproduced": [
                {**asdict(unit), "errata": list(errata)} for unit, errata in self.reproduced
            ],
        }


def conclude(results: Mapping[str, Result], catalogue: Mapping[str, Entry]) -> Conclusion:
    """Let surviving mutants weaken verdicts, and compare them with what is expected.

    Parameters
    ----------
    results : mapping
        id -> result as the questions answered.
    catalogue : mapping
        id -> entry, for the errata that a result must reproduce.
    """
    final = _weaken(results)
    unexpected: list[Surprise] = []
    reproduced: list[tuple[AuditUnit, tuple[str, ...]]] = []
    for identifier, result in final.items():
        for name, form in result.forms.items():
            for question, verdict in form.verdicts.items():
                errata = form.expected.get(question, ())
                reason = _surprise(verdict, errata)
                if reason:
                    unexpected.append(Surprise(identifier, name, question, reason))
                elif errata:
                    reproduced.append((AuditUnit(identifier, name, question), errata))
        if identifier in catalogue:
            unexpected.extend(_missing(catalogue[identifier], result))
    return Conclusion(final, tuple(unexpected), tuple(reproduced), false_alarms(final))


def _surprise(verdict: Verdict, errata: tuple[str, ...]) -> str:
    if ERROR in verdict.evidence:
        return verdict.summary
    if errata and verdict.status != "violated":
        names = ", ".join(errata)
        return f"{verdict.status}, but erratum {names} should show: {verdict.summary}"
    if not errata and verdict.status == "violated":
        return f"violated: {verdict.summary}"
    if verdict.status == "inconclusive" and verdict.question in _SURVIVED:
        return f"{_SURVIVED[verdict.question]}: {verdict.summary}"
    return ""


def _missing(entry: Entry, result: Result) -> Iterator[Surprise]:
    """Yield the errata said to be reproduced by an audit that does not expect them."""
    for erratum in entry.errata:
        scheme, _, where = erratum.reproduced_by.partition(":")
        if scheme != "audit":
            continue
        form, _, question = where.partition("/")
        expected = result.forms[form].expected if form in result.forms else {}
        if erratum.name not in expected.get(question, ()):
            reason = f"no audit case reproduces erratum {erratum.name} there"
            yield Surprise(entry.id, form, question, reason)


def _weaken(results: Mapping[str, Result]) -> dict[str, Result]:
    """Turn what holds for a corrected form into inconclusive where a mutant survived."""
    return {
        identifier: _weakened(result) if _mutant_survives(result) else result
        for identifier, result in results.items()
    }


def _mutant_survives(result: Result) -> bool:
    verdicts = (form.verdicts.get("mutants") for form in result.forms.values())
    return any(verdict is not None and verdict.status == "inconclusive" for verdict in verdicts)


def _weakened(result: Result) -> Result:
    forms = {
        name: replace(form, verdicts={q: _doubted(v) for q, v in form.verdicts.items()})
        if is_corrected(name)
        else form
        for name, form in result.forms.items()
    }
    return replace(result, forms=forms)


def _doubted(verdict: Verdict) -> Verdict:
    if verdict.status != "holds":
        return verdict
    return verdict.with_status(
        "inconclusive", "a broken twin of this algorithm passes the audit unnoticed (mutants)"
    )
