import math

import numpy as np
import pytest

from auditor.described import build_case
from auditor.questions import sensitivity
from auditor.transcript.estimates import delta_bounds, fit_gaussian
from auditor.transcript.losses import sample_losses

FORMS = build_case("diss-6.1.46").forms


@pytest.mark.parametrize("name", FORMS)
def test_the_pair_attains_the_sensitivity(name):
    expected = math.sqrt(2) if name.startswith("printed") else 1.0
    gap = sensitivity.largest_ratio(FORMS[name].run, *FORMS[name].pair)
    assert gap.ratio == pytest.approx(expected)


def test_the_printed_form_leaks_the_deltas_of_the_card():
    # delta(4) = .0475 against a claimed .01; the bounds hold but for probability 1e-5
    form = FORMS["printed"]
    seeds = np.random.SeedSequence(0).spawn(1500)
    losses = sample_losses(form.run, *form.pair, seeds, replaced=0)
    low, high = delta_bounds(losses.losses, 4.0, 5e-6)
    assert 0.01 < low < 0.04752 < high
    fit = fit_gaussian(losses.losses, 5e-6)
    assert fit.lower < math.sqrt(2) * 4 / math.sqrt(2 * math.log(125)) < fit.upper
