import numpy as np
import pytest

from auditor.described import build_case
from auditor.questions import sensitivity
from auditor.transcript.losses import sample_losses


def test_the_pair_attains_the_sensitivity():
    form = build_case("diss-5.1.30").forms["corrected"]
    assert sensitivity.largest_ratio(form.run, *form.pair).ratio == pytest.approx(1.0, rel=1e-12)


def test_the_loss_reaches_epsilon():
    form = build_case("diss-5.1.30").forms["corrected"]
    seeds = np.random.SeedSequence(0).spawn(40)
    found = sample_losses(form.run, *form.pair, seeds, replaced=form.replaced)
    assert found.losses.max() == pytest.approx(1.0, abs=1e-12)
