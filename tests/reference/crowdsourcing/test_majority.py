"""Private majority voting (diss-7.1.majority)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from reference.crowdsourcing.majority import majority_vote, private_majority_vote
from reference.crowdsourcing.one_coin import majority_error, perturbed_chances, sample_crowd
from reference.privacy.ledger import Ledger, NoiselessLedger


@pytest.fixture
def answers():
    return sample_crowd(np.array([0.9, 0.8, 0.6, 0.7]), 30, np.random.default_rng(0))[1]


def test_ties_are_one():
    assert (majority_vote(np.array([[1, 0, 1], [0, 0, 1]])) == [1, 0, 1]).all()


def test_hand_computed_vote():
    answers = np.array([[1, 0, 0, 1], [1, 0, 1, 0], [0, 0, 1, 0]])
    labels = private_majority_vote(answers, epsilon=1.0, ledger=NoiselessLedger())
    assert labels.dtype == np.int64
    assert labels.tolist() == [1, 0, 1, 0]


def output_law(data, epsilon):
    """P(labels = o) for every o, by enumeration of all flips."""
    keep = math.exp(epsilon) / (math.exp(epsilon) + 1)
    law = {}
    for flips in itertools.product((0, 1), repeat=data.size):
        flips = np.reshape(flips, data.shape)
        seen = np.abs(data - flips)
        labels = tuple(majority_vote(seen))
        chance = float(np.prod(np.where(flips == 1, 1 - keep, keep)))
        law[labels] = law.get(labels, 0.0) + chance
    return law


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_loss_of_one_answer_is_at_most_epsilon_by_enumeration(workers):
    epsilon, worst = 0.8, 0.0
    for bits in itertools.product((0, 1), repeat=2 * workers):
        data = np.reshape(bits, (workers, 2))
        other = data.copy()
        other[0, 0] = 1 - other[0, 0]
        first, second = output_law(data, epsilon), output_law(other, epsilon)
        worst = max(worst, *(math.log(first[o] / second[o]) for o in first))
    # tight for one worker, and for two, of whom a label 0 shows both flipped answers; the flips of
    # three hide some of it
    assert worst <= epsilon + 1e-12
    assert (worst == pytest.approx(epsilon)) == (workers < 3)


def test_a_whole_worker_loses_epsilon_for_every_task():
    first, second = output_law(np.ones((1, 3)), 0.5), output_law(np.zeros((1, 3)), 0.5)
    assert math.log(first[1, 1, 1] / second[1, 1, 1]) == pytest.approx(1.5)


@pytest.mark.parametrize("workers", [4, 5])
def test_errors_are_the_closed_form(workers):
    abilities = np.linspace(0.5, 0.95, workers)
    truth, answers = sample_crowd(abilities, 40_000, np.random.default_rng(6))
    labels = private_majority_vote(answers, epsilon=1.5, ledger=Ledger(7))
    expected = majority_error(perturbed_chances(abilities, epsilon=1.5))
    for label in (0, 1):
        # 20000 tasks: off by more than .018 (five deviations) with probability < 1e-6
        share = float(np.mean(labels[truth == label] != label))
        assert share == pytest.approx(expected[label], abs=0.018)


@pytest.mark.parametrize(
    ("data", "epsilon", "message"),
    [
        ([[0.0, 1.0]], 30.0, "epsilon"),
        ([[0.0, 2.0]], 1.0, "data must contain only 0 and 1"),
    ],
)
def test_bad_input_is_refused(data, epsilon, message):
    with pytest.raises(ValueError, match=message):
        private_majority_vote(data, epsilon=epsilon)
