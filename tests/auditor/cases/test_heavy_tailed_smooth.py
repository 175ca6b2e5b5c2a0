"""The audit cases of diss-3.2.5 and diss-3.2.7: what they show.

The seed is fixed; each statistical verdict has error probability 0.01/60 in its audit.
"""

import numpy as np
import pytest

from auditor.cases.heavy_tailed_smooth import CASES
from auditor.core.context import Context
from auditor.core.neighbours import differing_records
from auditor.questions import mutants, real_data, sensitivity
from auditor.suite.plan import expected_violations
from auditor.transcript.replay import record
from reference import catalogue
from reference.heavy_tailed.known_mean_gradient_descent import trimming_budget

BUILT = {identifier: build() for identifier, build in CASES.items()}
FORMS = [(identifier, name) for identifier, case in BUILT.items() for name in case.forms]
RATIOS = {
    ("diss-3.2.5", "corrected"): 1.0,
    ("diss-3.2.5", "corrected-bound"): 0.870,
    ("diss-3.2.7", "corrected"): 1.0,
    ("diss-3.2.7", "corrected-median"): 1.0,
    ("diss-3.2.7", "corrected-steps"): 1.0,
    ("diss-3.2.7", "printed-2"): 1.0,
}
"""Distance of the pair over the claimed bound, where it does not depend on random subsets."""


def context(*path):
    return Context(tests=60, path=path)


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_a_form_violates_what_it_should_and_nothing_else(identifier, name, verdicts):
    answers = verdicts(identifier, name)
    violated = {q for q, verdict in answers.items() if verdict.status == "violated"}
    assert violated == set(expected_violations(BUILT[identifier], name)), answers
    assert all(answers[question].witness for question in violated)
    undecided = {q for q, verdict in answers.items() if verdict.status == "inconclusive"}
    assert not undecided, answers


@pytest.mark.parametrize("identifier", CASES)
def test_every_mutant_is_flagged(identifier):
    verdict = mutants.audit(BUILT[identifier], context(identifier, "mutants"))
    assert verdict.status == "holds", verdict.summary
    assert "clipping dropped" in verdict.evidence["mutants"]


@pytest.mark.parametrize("identifier", CASES)
def test_real_data(identifier):
    verdict = real_data.audit(BUILT[identifier], context(identifier, "real_data"))
    assert verdict.status == "holds", verdict.summary


@pytest.mark.parametrize(("identifier", "name"), FORMS)
def test_the_pair_is_a_pair_of_neighbours(identifier, name):
    form = BUILT[identifier].forms[name]
    assert differing_records(*form.pair) == [form.replaced]


@pytest.mark.parametrize(("identifier", "name"), RATIOS)
def test_the_pair_is_as_far_apart_as_it_says(identifier, name):
    form = BUILT[identifier].forms[name]
    gap = sensitivity.largest_ratio(form.run, *form.pair)
    assert gap.ratio == pytest.approx(RATIOS[identifier, name], rel=1e-3)


def test_errata_are_those_of_the_catalogue():
    for identifier, case in BUILT.items():
        shown = {
            number
            for name in case.forms
            for numbers in expected_violations(case, name).values()
            for number in numbers
        }
        audited = {
            erratum.number
            for erratum in catalogue.entry(identifier).errata
            if erratum.reproduced_by.startswith("audit:")
        }
        assert shown == audited


def test_the_released_delta_is_within_the_claim_by_a_factor(verdicts):
    verdict = verdicts("diss-3.2.5", "corrected")["accounting"]
    assert verdict.evidence["claimed_delta"] == 0.1
    assert 0.005 < verdict.evidence["accounted_delta"] < 0.01
    assert verdict.evidence["design"]["met"]


def test_the_published_bounds_need_nearly_all_of_delta(verdicts):
    for name in ("printed", "printed-2"):
        evidence = verdicts("diss-3.2.5", name)["privacy_loss"].evidence
        # 100 transcripts
        assert evidence["delta_lower"] > 0.4
        assert evidence["delta_estimate"] > 0.7
    evidence = verdicts("diss-3.2.7", "printed")["privacy_loss"].evidence
    assert evidence["delta_estimate"] > 0.98


def test_the_printed_budget_is_seen_by_the_accounting_alone(verdicts):
    verdict = verdicts("diss-3.2.7", "printed-2")["accounting"]
    assert verdict.evidence["design"]["accounted"] == pytest.approx(2.0)
    allowed = trimming_budget(1.0, 1e-5) ** 2 / 2
    assert verdict.evidence["design"]["claimed"] == pytest.approx(allowed)


def test_the_descent_makes_a_release_per_coordinate_and_step():
    form = BUILT["diss-3.2.7"].forms["corrected-steps"]
    assert len(record(form.run, form.pair[0], 0)[0].releases) == 6


@pytest.mark.parametrize("identifier", CASES)
def test_the_error_falls_as_the_square_root_of_n(identifier, verdicts):
    answer = verdicts(identifier, "corrected")["scaling"]
    (recipe,) = answer.evidence["recipes"]
    assert recipe["claimed_slope"] == -0.5
    # about -0.50 and -0.58; it stays at 0 where the noise does not fall with n
    assert -0.8 < recipe["slope"] < -0.4


def test_recipes_are_repeatable():
    for case in BUILT.values():
        for recipe in case.scaling:
            first, second = (
                recipe.error(recipe.values[0], np.random.default_rng(3)) for _ in range(2)
            )
            assert first == second > 0
