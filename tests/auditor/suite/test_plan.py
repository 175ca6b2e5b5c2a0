"""Planning: what is asked, in which tasks, at which level, and what must be found."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditor.core.case import Case, Form, RealData, Scaling
from auditor.core.input_limits import CONFIDENCE
from auditor.core.verdict import QUESTIONS
from auditor.described import build_case, builders
from auditor.questions.table import BY_FORM
from auditor.suite.plan import expected_violations, number_of_tests, plan, tasks
from auditor.suite.store import Settings
from reference.privacy.guarantees import PureDP

STATISTICAL = [name for name, question in BY_FORM.items() if question.statistical]


def a_form(violates: dict[str, int] | None = None) -> Form:
    data = np.zeros(10)
    return Form(lambda d, ledger: None, PureDP(1.0), (data, data), 0, {}, violates=violates or {})


def a_case(violates: dict[str, int] | None = None) -> Case:
    return Case("fake", {"corrected": a_form(), "printed": a_form(violates)})


def a_recipe(form: str, erratum: str | None = None) -> Scaling:
    return Scaling("n", (1, 2, 3, 4), lambda v, rng: v, -1.0, 3, "rate", erratum, form)


def a_data_set() -> RealData:
    nothing: Any = None
    return RealData("iris", *[nothing] * 6, (1.0,), "distance")


def test_every_question_is_asked_and_three_of_the_first_form_only() -> None:
    units = plan(replace(a_case(), forms={**a_case().forms, "corrected-2": a_form()}))
    assert [u.question for u in units if u.form == "corrected"] == list(QUESTIONS)
    for form in ("printed", "corrected-2"):
        asked = {u.question for u in units if u.form == form}
        assert asked == set(QUESTIONS) - {"real_data", "domain", "mutants"}


def test_the_questions_of_a_form_are_one_task_and_those_of_the_case_are_others() -> None:
    units = plan(a_case())
    split = tasks(units)
    asked = [unit for task in split for unit in task]
    assert len(asked) == len(units)
    assert set(asked) == set(units)
    assert [[unit.question for unit in task] for task in split] == [
        [q for q in QUESTIONS if q not in ("real_data", "domain", "mutants")],
        ["real_data"],
        ["domain"],
        ["mutants"],
        [q for q in QUESTIONS if q not in ("real_data", "domain", "mutants")],
    ]
    assert all(len({unit.form for unit in task}) == 1 for task in split)


def test_the_corrected_forms_are_one_family_of_tests_and_every_printed_form_is_another() -> None:
    case = a_case()
    asked = len(STATISTICAL)
    assert asked > 0
    assert number_of_tests(case, "corrected") == number_of_tests(case, "printed") == asked
    case = replace(case, forms={**case.forms, "corrected-2": a_form(), "printed-2": a_form()})
    assert number_of_tests(case, "corrected") == number_of_tests(case, "corrected-2") == 2 * asked
    assert number_of_tests(case, "printed-2") == asked
    # one for scaling, however many recipes a form has
    recipes = (a_recipe("corrected"), a_recipe("corrected"), a_recipe("printed", "fake/E5"))
    scaled = replace(case, scaling=recipes)
    assert number_of_tests(scaled, "corrected-2") == 2 * asked + 1
    assert number_of_tests(scaled, "printed") == asked + 1
    assert number_of_tests(scaled, "printed-2") == asked
    # one for real data, however many data sets
    real = replace(case, real_data=(a_data_set(), a_data_set()))
    assert number_of_tests(real, "corrected") == 2 * asked + 1
    assert number_of_tests(real, "printed") == asked


def test_one_scaling_test_for_every_corrected_form_with_recipes() -> None:
    case = replace(
        a_case(),
        forms={"corrected": a_form(), "corrected-2": a_form()},
        scaling=(a_recipe("corrected"), a_recipe("corrected-2")),
    )
    assert number_of_tests(case, "corrected") == 2 * len(STATISTICAL) + 2


@pytest.mark.parametrize("identifier", sorted(builders()))
def test_an_algorithm_spends_what_it_may_and_no_more(identifier: str) -> None:
    # counted from the plan, not from the case: every statistical unit spends its context's alpha
    case = build_case(identifier)
    settings = Settings()
    spent: dict[str, float] = {}
    scaled = {recipe.form for recipe in case.scaling}
    for unit in plan(case):
        statistical = (
            unit.question in STATISTICAL
            or (unit.question == "scaling" and unit.form in scaled)
            or (unit.question == "real_data" and bool(case.real_data))
        )
        if statistical:
            family = "corrected" if unit.form.startswith("corrected") else unit.form
            alpha = settings.context(number_of_tests(case, unit.form)).alpha
            spent[family] = spent.get(family, 0.0) + alpha
    assert spent == pytest.approx(dict.fromkeys(spent, 1 - CONFIDENCE))


def test_a_scaling_recipe_with_an_erratum_is_an_expected_violation() -> None:
    case = replace(
        a_case(violates={"accounting": "fake/E2"}),
        scaling=(
            a_recipe("corrected"),
            a_recipe("printed", "fake/E5"),
            a_recipe("printed", "fake/E6"),
        ),
    )
    assert expected_violations(case, "corrected") == {}
    assert expected_violations(case, "printed") == {
        "accounting": ("fake/E2",),
        "scaling": ("fake/E5", "fake/E6"),
    }
