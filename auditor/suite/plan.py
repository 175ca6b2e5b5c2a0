"""Questions of the suite about an algorithm, their levels, and the errata they must find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.core.verdict import QUESTIONS, STATISTICAL

if TYPE_CHECKING:
    from auditor.core.case import Case

CORRECTED = "corrected"

# Asked once per algorithm, about its first form, the corrected one.
OF_THE_CASE = ("real_data", "domain", "mutants")


@dataclass(frozen=True)
class AuditUnit:
    """One question about one form of one algorithm."""

    id: str
    form: str
    question: str


def is_corrected(form: str) -> bool:
    """Return whether a form should meet its claim; every other one is a printed form."""
    return form.startswith(CORRECTED)


def plan(case: Case) -> tuple[AuditUnit, ...]:
    """Return the questions about an algorithm, in the order in which they are reported."""
    first = next(iter(case.forms))
    return tuple(
        AuditUnit(case.id, form, question)
        for form in case.forms
        for question in QUESTIONS
        if form == first or question not in OF_THE_CASE
    )


def tasks(units: tuple[AuditUnit, ...]) -> list[tuple[AuditUnit, ...]]:
    """Split units into what is asked in one go, by one worker.

    The questions about one form read the same runs of it; a question about the whole case stands
    alone.
    """
    together: dict[tuple[str, ...], list[AuditUnit]] = {}
    for unit in units:
        alone = (unit.question,) if unit.question in OF_THE_CASE else ()
        together.setdefault((unit.id, unit.form, *alone), []).append(unit)
    return [tuple(group) for group in together.values()]


def number_of_tests(case: Case, form: str) -> int:
    """Return how many statistical tests share the error probability of a form's family, >= 1.

    The corrected forms of an algorithm are one family: every statistical question about each of
    them, scaling where it has recipes, and real data. A printed form is a family of its own. A
    question that tests several hypotheses splits its own share among them.
    """
    family = {name for name in case.forms if is_corrected(name)} if is_corrected(form) else {form}
    total = len(STATISTICAL) * len(family)
    total += len({recipe.form for recipe in case.scaling} & family)
    total += is_corrected(form) and bool(case.real_data)
    return max(total, 1)


def expected_violations(case: Case, form: str) -> dict[str, tuple[str, ...]]:
    """Return question -> errata that this form must show as violations."""
    expected: dict[str, tuple[str, ...]] = {
        question: (name,) for question, name in case.forms[form].violates.items()
    }
    slopes = tuple(
        recipe.erratum
        for recipe in case.scaling
        if recipe.form == form and recipe.erratum is not None
    )
    if slopes:
        expected["scaling"] = slopes
    return expected
