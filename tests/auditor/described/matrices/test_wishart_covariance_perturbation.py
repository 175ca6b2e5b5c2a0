import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.questions import sensitivity
from auditor.transcript.losses import sample_losses
from reference.privacy.ledger import Ledger

FORMS = build_case("diss-6.3.51-W1").forms


@pytest.mark.parametrize("name", FORMS)
def test_the_pair_attains_the_sensitivity(name):
    assert sensitivity.largest_ratio(FORMS[name].run, *FORMS[name].pair).ratio == pytest.approx(1.0)


def test_printed_losses_are_infinite_as_often_as_the_supports_differ():
    form = FORMS["printed"]
    seeds = np.random.SeedSequence(1).spawn(800)
    losses = sample_losses(form.run, *form.pair, seeds, replaced=0).losses
    # 1 - e^(-1/3) = .2835, deviation .016: off by more than .08 with probability < 1e-6
    assert np.isposinf(losses).mean() == pytest.approx(-math.expm1(-1 / 3), abs=0.08)
    # everywhere else the ratio of the densities is constant, and in D's disfavour
    assert losses[np.isfinite(losses)] == pytest.approx(-1 / 3)
    backwards = sample_losses(form.run, *form.pair[::-1], seeds[:200], replaced=0)
    assert backwards.losses == pytest.approx(1 / 3)


def test_the_printed_black_box_event_is_impossible_for_the_neighbour():
    box = FORMS["printed"].black_box
    assert box is not None
    ledger = Ledger(2)
    first, second = (
        np.array([box.statistic(box.run(data, ledger)) for _ in range(300)]) for data in box.pair
    )
    # Theta_11 <= n = 2 if a unit record is there; without it above 2 in about .22 of the runs
    assert second.max() <= 2 + 1e-6
    assert (first > 2).mean() > 0.1
