"""False alarms: the one statistical test has probability below 1e-6."""

import math

import numpy as np
import pytest

from auditor.transcript.replay import privacy_loss, record
from reference.local.laplace_mean import local_mean
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger


def test_without_noise_it_is_the_mean_of_the_clipped_numbers():
    data = [-3.0, 0.0, 0.5, 2.0, 9.0]
    found = local_mean(data, upper=2.0, epsilon=1.0, ledger=NoiselessLedger())
    assert found == pytest.approx((0 + 0 + 0.5 + 2 + 2) / 5)


def test_given_draws_by_hand():
    # b = 2, epsilon = 4: scale 0.5; messages 0.5 + 0.5, 2 - 1
    found = local_mean([0.5, 7.0], upper=2.0, epsilon=4.0, ledger=GivenDrawsLedger([[1.0, -2.0]]))
    assert found == pytest.approx(1.0)


@pytest.mark.parametrize("inputs", [(0.0, 2.0), (2.0, 0.0), (-1e300, 1e300), (0.5, 0.5)])
def test_the_largest_loss_is_epsilon(inputs):
    def run(data, ledger):
        return local_mean(data, upper=2.0, epsilon=1.3, ledger=ledger)

    losses = []
    for seed in range(60):
        transcript, _ = record(run, np.array([inputs[0]]), seed)
        losses.append(privacy_loss(run, np.array([inputs[0]]), np.array([inputs[1]]), transcript))
    # outside [0, b] the loss is exactly epsilon: half of the outputs
    expected = 0.0 if inputs[0] == inputs[1] else 1.3
    assert max(losses) == pytest.approx(expected, abs=1e-12)


def test_unbiased_with_variance_two_b_squared_over_n_epsilon_squared():
    rng = np.random.default_rng(3)
    n, b, epsilon, runs = 50, 2.0, 0.5, 4000
    data = rng.uniform(0, b, n)
    errors = (
        np.array(
            [local_mean(data, upper=b, epsilon=epsilon, ledger=Ledger(rng)) for _ in range(runs)]
        )
        - data.mean()
    )
    variance = 2 * b**2 / (n * epsilon**2)
    # mean: 5.5 standard errors; variance of a mean of 50 Laplace draws: kurtosis 3 + 3/50
    assert abs(errors.mean()) < 5.5 * math.sqrt(variance / runs)
    assert abs(errors.var() / variance - 1) < 5.5 * math.sqrt(2.06 / runs)
