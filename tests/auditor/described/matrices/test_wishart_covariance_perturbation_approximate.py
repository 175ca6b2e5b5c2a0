import math

import numpy as np
import pytest
from scipy import stats

from auditor.core.context import Context
from auditor.described import build_case
from auditor.questions import accounting, sensitivity
from auditor.transcript.losses import sample_losses
from reference.privacy.mechanisms import wishart_delta

CASE = build_case("diss-6.3.51-W2")
FORMS = CASE.forms


@pytest.mark.parametrize("name", FORMS)
def test_the_pair_attains_the_sensitivity(name):
    assert sensitivity.largest_ratio(FORMS[name].run, *FORMS[name].pair).ratio == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["corrected", "corrected-zero-record"])
def test_sampled_losses_cost_what_the_accountant_says_of_the_worst_pair(name):
    """At epsilon .2: e_1 against e_2 is the worst, and a zero record is not far behind."""
    form, runs = FORMS[name], 3000
    seeds = np.random.SeedSequence(1).spawn(runs)
    losses = sample_losses(form.run, *form.pair, seeds, replaced=0).losses
    gain = -np.expm1(np.minimum(0.0, 0.2 - losses))
    claimed = wishart_delta(11, 1.0, dimension=2, epsilon=0.2)
    # six standard errors: a false alarm with probability 2e-9
    assert gain.mean() <= claimed + 6 * gain.std() / math.sqrt(runs)
    if name == "corrected":
        assert gain.mean() == pytest.approx(claimed, abs=6 * gain.std() / math.sqrt(runs))
    else:
        # K = 9: chi^2_10 < 1 with probability 1.7e-4; ten of 3000 are one in 10^9
        assert np.isposinf(losses).sum() < 10


def test_with_too_few_degrees_outputs_give_the_record_away():
    mutant = CASE.mutants["d + 1 degrees"]
    runs = 600
    seeds = np.random.SeedSequence(2).spawn(runs)
    losses = sample_losses(mutant.run, *mutant.pair, seeds, replaced=0).losses
    # e_1 e_1' under e_2: infinite loss or none. det(W + e_1 e_1' - e_2 e_2') < 0, W ~ W_2(3, I)
    assert set(np.unique(np.isposinf(losses))) == {False, True}
    assert losses[np.isfinite(losses)] == pytest.approx(0.0)
    w = stats.wishart(3, np.eye(2)).rvs(100_000, random_state=3)
    impossible = (np.linalg.det(w + np.diag([1.0, -1.0])) < 0).mean()
    # six binomial standard errors of 600 runs: a false alarm with probability 2e-9
    assert np.isposinf(losses).mean() == pytest.approx(impossible, abs=6 * 0.5 / math.sqrt(runs))
    assert accounting.audit(mutant, Context()).status == "violated"


def test_the_theorems_noise_has_the_theorems_degrees():
    form = FORMS["corrected-theorem"]
    degrees = form.parameters["constants"]["degrees"]
    assert degrees == pytest.approx(2 + 14 / 0.99**2 * math.log(400))
    assert degrees != round(degrees)
