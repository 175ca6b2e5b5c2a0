"""The audit case of zhang-1: what it shows. The seed is fixed."""

import pytest

from auditor.described import build_case
from auditor.questions import sensitivity
from reference.privacy import Ledger


@pytest.mark.parametrize("name", ["corrected", "printed"])
def test_the_pair_is_at_the_claimed_distance(name):
    form = build_case("zhang-1").forms[name]
    gap = sensitivity.largest_ratio(form.run, *form.pair)
    assert gap.ratio == pytest.approx(1.0, rel=1e-12)


def test_the_printed_noise_is_as_far_beyond_its_claim_as_the_erratum_says(estimated_delta):
    # erratum 1: delta(60) is about 0.86; over 1500 transcripts the estimate is 0.86 +- 0.01
    estimate, error = estimated_delta(build_case("zhang-1").forms["printed"], 40)
    assert estimate == pytest.approx(0.86, abs=4 * error)
    assert error < 0.06


def test_peeling_s_statistic_has_no_low_order_bits():
    form = build_case("zhang-1").forms["corrected"]
    assert form.black_box is not None
    values = {
        form.black_box.statistic(form.run(form.pair[side], Ledger(seed)))
        for side in (0, 1)
        for seed in range(300)
    }
    # atoms: both values clipped
    assert all(value == round(value, 9) for value in values)
    assert len(values) < 500
