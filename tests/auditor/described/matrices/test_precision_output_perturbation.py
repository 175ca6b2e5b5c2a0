import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.questions import sensitivity
from auditor.transcript.losses import sample_losses

FORMS = build_case("diss-6.3.50").forms


def test_the_pair_nearly_attains_the_sensitivity():
    form = FORMS["corrected"]
    ratio = sensitivity.largest_ratio(form.run, *form.pair).ratio
    # 1/(n rho (rho + 1/n)) of (1/n + 2 e)/(rho - e)^2, with e = .001 (1 + rho)/(2 n) for the solver
    assert ratio == pytest.approx(1 / 51 * (1 - 2e-5) ** 2 / (0.02 + 4e-5))


def test_printed_losses_are_infinite_as_often_as_the_supports_differ():
    form = FORMS["printed"]
    seeds = np.random.SeedSequence(1).spawn(800)
    losses = sample_losses(form.run, *form.pair[::-1], seeds, replaced=0).losses
    # 1 - e^(-1/4) = .2212, deviation .015: off by more than .075 with probability < 1e-6
    assert np.isposinf(losses).mean() == pytest.approx(-math.expm1(-0.25), abs=0.075)
