"""False alarms: two statistical tests, each with probability below 1e-5."""

import math

import numpy as np
import pytest
from scipy.special import gamma

from auditor.transcript.replay import privacy_loss, record
from reference.local.ball_randomizer import ball_randomizer
from reference.privacy import GivenDrawsLedger, Ledger, NoiselessLedger


def output_norm(p, epsilon, radius=1.0):
    half = math.sqrt(math.pi) * gamma((p + 1) / 2) / gamma(p / 2)
    return radius * (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1) * half


def test_without_noise_it_is_the_vector_scaled_into_the_ball():
    data = np.array([[0.3, 0.4], [6.0, 8.0], [0.0, 0.0]])
    found = ball_randomizer(data, radius=2.0, epsilon=1.0, ledger=NoiselessLedger())
    assert found == pytest.approx(np.array([[0.3, 0.4], [1.2, 1.6], [0.0, 0.0]]))


def test_given_draws_by_hand():
    # p = 1, r = 1, epsilon = log 3: coth(epsilon/2) = 2, so messages are +-2 (B has E|U_1| = 1)
    coin, truth = [0.1, 0.9, 0.1, 0.9], [0.1, 0.1, 0.9, 0.9]
    draws = [[coin, truth, [[1.0], [1.0], [-1.0], [-1.0]]]]
    found = ball_randomizer(
        np.full((4, 1), 0.5), radius=1.0, epsilon=math.log(3), ledger=GivenDrawsLedger(draws)
    )
    # the coin shows x with probability 3/4, the message its half line with probability 3/4
    assert found[:, 0] == pytest.approx([2.0, -2.0, -2.0, 2.0])


@pytest.mark.parametrize("p", [1, 2, 7])
def test_messages_are_as_long_as_unbiasedness_asks(p):
    data = np.random.default_rng(0).normal(size=(20, p))
    found = ball_randomizer(data, radius=3.0, epsilon=0.8, ledger=Ledger(1))
    assert np.linalg.norm(found, axis=1) == pytest.approx(output_norm(p, 0.8, 3.0))


@pytest.mark.parametrize(("rho", "length"), [(1.0, 1e9), (1.0, 2.0), (0.5, 1.0), (0.0, 0.0)])
def test_the_loss_of_opposite_vectors_is_that_of_their_half_spaces(rho, length):
    def run(data, ledger):
        return ball_randomizer(data, radius=2.0, epsilon=1.3, ledger=ledger)

    one = np.array([[0.0, length, 0.0]])
    losses = []
    for seed in range(40):
        transcript, _ = record(run, one, seed)
        losses.append(privacy_loss(run, one, -one, transcript))
    t = math.tanh(0.65)
    assert max(losses) == pytest.approx(math.log((1 + rho * t) / (1 - rho * t)), abs=1e-12)


def test_unbiased_with_the_exact_covariance():
    n, p, epsilon = 400_000, 5, 1.0
    vector = np.array([0.6, 0.0, 0.0, 0.3, 0.0])
    found = ball_randomizer(np.tile(vector, (n, 1)), radius=1.0, epsilon=epsilon, ledger=Ledger(3))
    square = output_norm(p, epsilon) ** 2 / p
    covariance = square * np.eye(p) - np.outer(vector, vector)
    # 5 means: 5 standard errors; 25 products: at most B^2 each, so B^2/sqrt(n) a standard error
    assert np.abs(found.mean(axis=0) - vector).max() < 5 * math.sqrt(square / n)
    assert np.abs(np.cov(found.T) - covariance).max() < 5.5 * square * p / math.sqrt(n)
