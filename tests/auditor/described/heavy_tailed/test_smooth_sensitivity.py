"""The audit cases of diss-3.2.5, diss-3.2.6 and diss-3.2.7: how far their pairs are apart."""

import pytest

from auditor.described import build_case
from auditor.questions import accounting, sensitivity
from auditor.transcript.replay import record
from reference.heavy_tailed.known_mean_gradient_descent import trimming_budget

RATIOS = {
    ("diss-3.2.5", "corrected"): 1.0,
    ("diss-3.2.5", "corrected-bound"): 0.870,
    ("diss-3.2.6", "corrected"): 1.0,
    ("diss-3.2.6", "corrected-median"): 1.0,
    ("diss-3.2.7", "corrected"): 1.0,
    ("diss-3.2.7", "corrected-median"): 1.0,
    ("diss-3.2.7", "corrected-steps"): 1.0,
    ("diss-3.2.7", "printed-2"): 1.0,
}
"""Distance of the pair over the claimed bound, where it does not depend on random subsets."""


@pytest.mark.parametrize(("identifier", "name"), RATIOS)
def test_the_pair_is_as_far_apart_as_it_says(identifier, name):
    form = build_case(identifier).forms[name]
    gap = sensitivity.largest_ratio(form.run, *form.pair)
    assert gap.ratio == pytest.approx(RATIOS[identifier, name], rel=1e-3)


def account(identifier, name, context):
    return accounting.audit(build_case(identifier).forms[name], context)


def test_the_released_delta_is_within_the_claim_by_a_factor(context):
    evidence = account("diss-3.2.5", "corrected", context).evidence
    assert evidence["claimed_delta"] == 0.1
    assert 0.005 < evidence["accounted_delta"] < 0.01
    assert evidence["design"]["met"]


def test_the_printed_budget_is_seen_by_the_accounting(context):
    evidence = account("diss-3.2.7", "printed-2", context).evidence
    assert evidence["design"]["accounted"] == pytest.approx(2.0)
    assert evidence["design"]["claimed"] == pytest.approx(trimming_budget(1.0, 1e-5) ** 2 / 2)


def test_the_descent_makes_a_release_per_coordinate_and_step():
    form = build_case("diss-3.2.7").forms["corrected-steps"]
    assert len(record(form.run, form.pair[0], 0)[0].releases) == 6
