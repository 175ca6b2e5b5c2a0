"""Private Dawid-Skene (diss-7.1.54)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.crowdsourcing.dawid_skene import dawid_skene, private_dawid_skene
from reference.crowdsourcing.majority import majority_vote
from reference.crowdsourcing.one_coin import sample_crowd
from reference.privacy.ledger import Ledger, NoiselessLedger


def crowd(abilities, m, seed):
    return sample_crowd(np.array(abilities), m, np.random.default_rng(seed))


@pytest.fixture
def answers():
    return crowd([0.9, 0.8, 0.85, 0.6, 0.3], 40, seed=0)[1]


def run(answers, ledger=None, **changes):
    parameters = {"epsilon": 1.0, "n_iterations": 3, "margin": 0.05} | changes
    return private_dawid_skene(answers, **parameters, ledger=ledger)


def plain_em(answers, labels, n_iterations, margin):
    """(7.6)-(7.8) and (7.10) as printed: products of probabilities, task by task."""
    m = answers.shape[1]
    for _ in range(n_iterations):
        agreeing = answers * labels + (1 - answers) * (1 - labels)
        abilities = agreeing.sum(axis=1) / m
        abilities = np.minimum(np.maximum(abilities, margin), 1 - margin)
        one = np.prod([np.where(answers[i] == 1, p, 1 - p) for i, p in enumerate(abilities)], 0)
        zero = np.prod([np.where(answers[i] == 1, 1 - p, p) for i, p in enumerate(abilities)], 0)
        labels = one / (one + zero)
    return abilities, labels


@pytest.mark.parametrize("n_iterations", [1, 2, 6])
def test_updates_are_the_printed_ones(answers, n_iterations):
    start = np.random.default_rng(1).uniform(size=40)
    expected = plain_em(answers, start, n_iterations, 0.1)
    found = dawid_skene(answers, start, n_iterations=n_iterations, margin=0.1)
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    assert found[1] == pytest.approx(expected[1], abs=1e-12)


def test_noiseless_limit_is_plain_dawid_skene(answers):
    # at epsilon = 27 nothing is flipped (probability 2e-12), and step 7 changes as little
    estimate = run(answers, Ledger(2), epsilon=27.0)
    start = majority_vote(answers).astype(float)
    abilities, labels = plain_em(answers, start, 3, 0.05)
    assert estimate.abilities == pytest.approx(abilities, abs=2 * math.exp(-27.0))
    assert (estimate.labels == (labels >= 0.5)).all()


def test_step_seven_undoes_the_flips_on_average(answers):
    observed, _ = dawid_skene(
        answers, majority_vote(answers).astype(float), n_iterations=3, margin=0.05
    )
    estimate = run(answers, NoiselessLedger(), epsilon=0.7)
    odds = math.exp(0.7)
    expected = (odds + 1) / (odds - 1) * (observed - 1 / (odds + 1))
    assert estimate.abilities == pytest.approx(expected)


def test_margin_keeps_abilities_off_zero_and_one():
    agreeing = np.ones((4, 6), dtype=int)
    abilities, labels = dawid_skene(agreeing, np.ones(6), n_iterations=3, margin=0.2)
    assert abilities == pytest.approx(np.full(4, 0.8))
    assert labels == pytest.approx(np.full(6, 0.8**4 / (0.8**4 + 0.2**4)))


def test_thousands_of_workers_do_not_overflow():
    answers = np.ones((5000, 3), dtype=int)
    abilities, labels = dawid_skene(answers, np.ones(3), n_iterations=2, margin=0.01)
    assert np.isfinite(abilities).all()
    assert labels == pytest.approx(np.ones(3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"initial": np.zeros(3)}, r"initial must have shape \(40,\), got \(3,\)"),
        ({"initial": np.full(40, 1.5)}, r"initial must lie in \[0, 1\]"),
        ({"answers": np.array([[0.0, 2.0]])}, "data must contain only 0 and 1"),
    ],
)
def test_bad_input_is_refused(answers, changes, message):
    with pytest.raises(ValueError, match=message):
        run(**{"answers": answers, **changes})
