"""The audit case of diss-3.2.6: what it shows.

The seed is fixed; each statistical verdict has error probability 0.01/60 in its audit.
"""

import numpy as np
import pytest

from auditor.cases import build_case
from auditor.core.context import Context
from auditor.core.neighbours import differing_records
from auditor.questions import mutants, real_data, sensitivity
from auditor.suite.plan import expected_violations
from reference import catalogue

IDS = ("diss-3.2.6",)
FORMS = [(name, form) for name in IDS for form in build_case(name).forms]


def context(*path):
    return Context(tests=60, path=path)


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_a_form_violates_what_it_should_and_nothing_else(identifier, name, verdicts):
    answers = verdicts(identifier, name)
    violated = {q for q, verdict in answers.items() if verdict.status == "violated"}
    assert violated == set(expected_violations(build_case(identifier), name)), answers
    assert all(answers[question].witness for question in violated)


@pytest.mark.parametrize("identifier", IDS)
def test_every_mutant_is_flagged(identifier):
    verdict = mutants.audit(build_case(identifier), context(identifier, "mutants"))
    assert verdict.status == "holds", verdict.summary
    assert "clipping dropped" in verdict.evidence["mutants"]


@pytest.mark.parametrize("identifier", ["diss-3.2.6"])
def test_real_data(identifier):
    verdict = real_data.audit(build_case(identifier), context(identifier, "real_data"))
    assert verdict.status == "holds", verdict.summary


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_the_pair_is_a_pair_of_neighbours_at_the_claimed_distance(identifier, name):
    form = build_case(identifier).forms[name]
    assert differing_records(*form.pair) == [form.replaced]
    if "sensitivity" not in form.violates:
        gap = sensitivity.largest_ratio(form.run, *form.pair)
        assert gap.ratio == pytest.approx(1.0, rel=1e-12)


def test_errata_are_those_of_the_catalogue():
    for identifier in IDS:
        case = build_case(identifier)
        entry = catalogue.entry(identifier)
        shown = {number for name in case.forms for numbers in
                 expected_violations(case, name).values() for number in numbers}  # fmt: skip
        audited = {
            erratum.number for erratum in entry.errata if erratum.reproduced_by.startswith("audit:")
        }
        assert shown == audited


def test_recipes_are_repeatable():
    for identifier in IDS:
        for recipe in build_case(identifier).scaling:
            first, second = (
                recipe.error(recipe.values[0], np.random.default_rng(3)) for _ in range(2)
            )
            assert first == second > 0
