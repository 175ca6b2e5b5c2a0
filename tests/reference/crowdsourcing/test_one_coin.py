"""Chances, the oracle and exact errors of the one-coin model."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

from reference.crowdsourcing.dawid_skene import dawid_skene, private_dawid_skene
from reference.crowdsourcing.majority import majority_vote
from reference.crowdsourcing.one_coin import (
    experts_and_spammers,
    majority_error,
    oracle_error,
    oracle_vote,
    perturbed_chances,
    sample_crowd,
)
from reference.privacy.ledger import Ledger

RNG = np.random.default_rng(0)
CHANCES = (
    np.array([0.9]),
    np.array([0.7, 0.7]),
    np.array([0.9, 0.6, 0.3, 0.6]),
    np.array([1.0, 0.5, 0.5, 0.5, 0.8]),
    np.array([0.05, 0.5, 0.62, 0.62, 0.62, 0.98]),
)


def error_of(rule, chances, truth):
    """Exact probability that ``rule`` errs on a task, by enumeration of all answers."""
    error = 0.0
    for right in itertools.product((0, 1), repeat=chances.size):
        chance = math.prod(p if r else 1 - p for p, r in zip(chances, right, strict=True))
        answers = np.array([[truth if r else 1 - truth] for r in right])
        error += chance * float(rule(answers)[0] != truth)
    return error


@pytest.mark.parametrize("chances", CHANCES)
def test_majority_error_is_the_enumerated_one(chances):
    expected = [error_of(majority_vote, chances, truth) for truth in (0, 1)]
    assert majority_error(chances) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("chances", [c for c in CHANCES if c.max() < 1])
def test_oracle_error_is_the_enumerated_one(chances):
    errors = [error_of(lambda a: oracle_vote(a, chances), chances, truth) for truth in (0, 1)]
    assert oracle_error(chances) == pytest.approx(np.mean(errors), abs=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_no_rule_is_better_than_the_oracle(seed):
    """The oracle has the least error of all 2^8 rules for three workers."""
    chances = np.random.default_rng(seed).uniform(size=3)
    patterns = list(itertools.product((0, 1), repeat=3))
    one = np.array([math.prod(np.where(x, chances, 1 - chances)) for x in patterns])
    zero = np.array([math.prod(np.where(x, 1 - chances, chances)) for x in patterns])
    rules = itertools.product((0, 1), repeat=8)
    least = min((np.where(rule, zero, one).sum() / 2 for rule in rules), default=1.0)
    assert oracle_error(chances) == pytest.approx(least, abs=1e-14)


def test_the_oracle_weighs_by_log_odds():
    # .9 outweighs .7 and .7; .6 against .55 is enough; .3 counts as its opposite; ties are 1
    answers = np.array([[1, 0], [0, 1], [0, 1]])
    assert oracle_vote(answers, np.array([0.9, 0.7, 0.7])).tolist() == [1, 0]
    assert oracle_vote(answers[:2], np.array([0.6, 0.55])).tolist() == [1, 0]
    assert oracle_vote(answers[:1], np.array([0.3])).tolist() == [0, 1]
    assert oracle_vote(answers[:2], np.array([0.75, 0.75])).tolist() == [1, 1]


def test_a_small_error_keeps_its_digits():
    chances = np.full(400, 0.75)
    with mpmath.workdps(40):
        exact = mpmath.fsum(
            mpmath.binomial(400, k) * mpmath.mpf(3) ** k / mpmath.mpf(4) ** 400 for k in range(200)
        )
    assert majority_error(chances)[1] == pytest.approx(float(exact), rel=1e-9)
    assert float(exact) < 1e-20


@pytest.mark.parametrize(
    ("epsilon", "exponent", "workers", "error"),
    [
        # the card's figures, to three digits
        (2.0, 0.4, 100, 0.259),
        (2.0, 0.4, 1000, 0.338),
        (1.8, 0.25, 1000, 0.433),
        (1.0, 0.4, 1000, 0.395),
        (1.0, 0.4, 10_000, 0.423),
    ],
)
def test_majority_errs_among_spammers(epsilon, exponent, workers, error):
    chances = perturbed_chances(experts_and_spammers(workers, exponent), epsilon=epsilon)
    # with y* = 1, where ties are right
    assert majority_error(chances)[1] == pytest.approx(error, abs=6e-4)


def test_spammers_do_not_move_the_oracle():
    chances = perturbed_chances(experts_and_spammers(1000, 0.4), epsilon=2.0)
    experts = chances[chances > 0.6]
    assert len(experts) == 16
    assert oracle_error(chances) == pytest.approx(oracle_error(experts), rel=1e-9)
    assert oracle_error(chances) < min(majority_error(chances)) / 100


@pytest.mark.parametrize(("workers", "exponent", "experts"), [(100_000, 0.4, 100), (7, 0.3, 2)])
def test_experts_are_as_many_as_printed(workers, exponent, experts):
    abilities = experts_and_spammers(workers, exponent)
    assert (abilities == 1).sum() == experts
    assert (abilities == 0.5).sum() == workers - experts


def test_perturbed_chances_are_the_printed_ones():
    odds = math.exp(0.7)
    abilities = np.array([0.0, 0.3, 0.5, 1.0])
    expected = (odds - 1) / (odds + 1) * abilities + 1 / (odds + 1)
    assert perturbed_chances(abilities, epsilon=0.7) == pytest.approx(expected, abs=1e-15)


def test_the_private_rules_are_no_better_than_the_oracle():
    abilities = np.array([1.0] * 6 + [0.5] * 54)
    truth, answers = sample_crowd(abilities, 20_000, np.random.default_rng(1))
    estimate = private_dawid_skene(
        answers, epsilon=2.0, n_iterations=5, margin=0.05, ledger=Ledger(2)
    )
    chances = perturbed_chances(abilities, epsilon=2.0)
    least = oracle_error(chances)
    # the standard deviation of the oracle's share is .0008, so five are .0042
    error = float(np.mean(estimate.labels != truth))
    assert least - 0.005 < error < 0.1 < np.mean(majority_error(chances))


def test_a_drawn_worker_is_right_as_often_as_able():
    abilities = np.array([0.0, 0.3, 0.5, 0.9, 1.0])
    truth, answers = sample_crowd(abilities, 40_000, np.random.default_rng(7))
    # the standard deviation is .0025 at most: five are .0125
    for label in (0, 1):
        right = (answers == truth)[:, truth == label].mean(axis=1)
        assert right == pytest.approx(abilities, abs=0.02)
    assert truth.mean() == pytest.approx(0.5, abs=0.0125)
    assert np.corrcoef((answers == truth)[1:4]) == pytest.approx(np.eye(3), abs=0.03)


def log_likelihood(answers, abilities):
    """(7.2), by products."""
    one = np.prod(np.where(answers == 1, abilities[:, None], 1 - abilities[:, None]), axis=0)
    zero = np.prod(np.where(answers == 1, 1 - abilities[:, None], abilities[:, None]), axis=0)
    return float(np.log((one + zero) / 2).sum())


def test_dawid_skene_without_perturbation_climbs_the_likelihood():
    # (7.5): each round maximises F in p and then in y, so (7.2) never falls
    _, answers = sample_crowd(np.array([0.9, 0.8, 0.7, 0.6]), 200, np.random.default_rng(3))
    start = majority_vote(answers).astype(float)
    heights = [
        log_likelihood(answers, dawid_skene(answers, start, n_iterations=t, margin=1e-9)[0])
        for t in range(1, 12)
    ]
    assert (np.diff(heights) >= -1e-9).all()
    assert heights[-1] > heights[0] + 0.01


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sample_crowd(np.array([1.1]), 3, RNG), "abilities must lie in"),
        (lambda: sample_crowd(np.array([0.9]), 0, RNG), "n_tasks must be an integer >= 1"),
        (lambda: experts_and_spammers(0, 0.4), "n_workers must be an integer >= 1"),
        (lambda: experts_and_spammers(10, 0.5), r"exponent must be in \(0, 0\.5\)"),
        (lambda: majority_error(np.array([1.5])), r"chances must lie in \[0, 1\]"),
        (lambda: perturbed_chances(np.array([-0.1]), epsilon=1.0), "abilities must lie in"),
        (lambda: oracle_vote(np.ones((1, 1), dtype=int), np.ones(1)), r"must lie in \(0, 1\)"),
        (lambda: oracle_vote(np.ones((1, 1), dtype=int), np.zeros(1)), r"must lie in \(0, 1\)"),
        (lambda: oracle_error(np.linspace(0.1, 0.9, 30)), "few different values"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
