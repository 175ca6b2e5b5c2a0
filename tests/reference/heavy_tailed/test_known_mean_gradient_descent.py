"""Everything here is deterministic: explicit seeds, exact figures."""

import math

import numpy as np
import pytest

from reference.constraint_sets import L2Ball
from reference.heavy_tailed.known_mean_gradient_descent import (
    constants_for,
    known_mean_gradient_descent,
    recommended_trim,
    trimming_budget,
)
from reference.losses import SquaredDistance
from reference.privacy import GivenDrawsLedger, RecordingLedger
from reference.privacy.guarantees import ZCDP, zcdp_epsilon

DEFAULTS = {
    "lower": -50.0, "upper": 50.0, "trim": 4, "step_size": 0.25, "n_iterations": 3,
    "epsilon": 1.0, "delta": 1e-5,
}  # fmt: skip


ROWS, EVERYWHERE = SquaredDistance(), L2Ball(1e9)


def descend(
    data, loss=ROWS, constraint=EVERYWHERE, *, function=known_mean_gradient_descent,
    initial=(0.0,), **options,
):  # fmt: skip
    return function(data, loss, constraint, initial=list(initial), **{**DEFAULTS, **options})


def releases(data, **options):
    ledger = RecordingLedger(0)
    descend(data, ledger=ledger, **options)
    return ledger.transcript.releases


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
def test_the_budget_spends_epsilon_exactly(epsilon):
    delta = 1e-5
    budget = trimming_budget(epsilon, delta)
    root = math.sqrt(2 * math.log(1 / delta))
    assert budget == pytest.approx(math.sqrt(root**2 + 2 * epsilon) - root, rel=1e-10)
    assert zcdp_epsilon(budget**2 / 2, delta) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "spent", "gain"), [(0.5, 0.78, 1.27), (1.0, 0.81, 1.21), (4.0, 0.88, 1.12)]
)
def test_how_loose_the_paper_s_budget_is(epsilon, spent, gain):
    """The figures of the docstring; the accountant's budget spends the claim."""
    claim = {"epsilon": epsilon, "delta": 1e-5, "dimension": 2, "n_iterations": 3}
    paper, larger = (
        constants_for(**claim, method=method).step_epsilon for method in ("paper", "accountant")
    )
    assert constants_for(**claim).step_epsilon == paper
    assert ZCDP(6 * paper**2 / 2).epsilon_at(1e-5) / epsilon == pytest.approx(spent, abs=0.005)
    assert ZCDP(6 * larger**2 / 2).epsilon_at(1e-5) == pytest.approx(epsilon, rel=1e-9)
    assert larger / paper == pytest.approx(gain, abs=0.005)
    with pytest.raises(ValueError, match="method must be 'paper' or 'accountant', got 'magic'"):
        constants_for(**claim, method="magic")


def test_given_draws_by_hand():
    # gradients -2 x; S is the floor e^{-mt}(b - a) of constant data
    budget = trimming_budget(1.0, 1e-5)
    scale = 4 / budget * 10.0 * math.exp(-4 * budget**2 / 16)
    found = descend(
        np.full((20, 1), 0.5), lower=-4.0, upper=6.0, n_iterations=1,
        ledger=GivenDrawsLedger([math.asinh(0.3)]),
    )  # fmt: skip
    assert found == pytest.approx([-0.25 * (-1.0 + scale * 0.3)])


def test_recommended_trim():
    budget = trimming_budget(1.0, 1e-5)
    found = recommended_trim(
        100_000, dimension=1, n_iterations=1, epsilon=1.0, delta=1e-5, lower=0.0, upper=1.0,
        standard_deviation=1.0,
    )  # fmt: skip
    assert found == math.ceil(16 / budget**2 * math.log(1e5))
    assert found == pytest.approx(4424, abs=1)
    # Algorithm 3.2.7 in the setting of the experiments: 221,190 of 100,000 records
    with pytest.raises(ValueError, match="to trim m = 221"):
        recommended_trim(
            100_000, dimension=5, n_iterations=10, epsilon=1.0, delta=1e-5, lower=0.0, upper=1.0,
            standard_deviation=1.0,
        )  # fmt: skip
