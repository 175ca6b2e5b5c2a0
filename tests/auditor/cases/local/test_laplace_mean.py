import pytest

from auditor.cases import build_case
from auditor.questions import sensitivity


def test_the_pair_attains_the_sensitivity():
    form = build_case("diss-5.1.30").forms["corrected"]
    assert sensitivity.largest_ratio(form.run, *form.pair).ratio == pytest.approx(1.0, rel=1e-12)


def test_the_loss_reaches_epsilon(verdicts):
    verdict = verdicts("diss-5.1.30", "corrected")["privacy_loss"]
    assert verdict.evidence["largest_loss"] == pytest.approx(1.0, abs=1e-12)
