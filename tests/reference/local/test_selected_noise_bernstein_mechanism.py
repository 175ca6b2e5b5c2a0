"""GenProt: probabilities of indices by other means, their largest ratio by enumeration.

False alarms: the one statistical test has probability below 1e-6.
"""

import itertools
import math
from functools import partial

import numpy as np
import pytest

from reference.errata.local import selected_noise_bernstein_mechanism as errata
from reference.local.one_bit_bernstein_mechanism import bit_probability
from reference.local.risks import MeanSquaredDistance
from reference.local.selected_noise_bernstein_mechanism import (
    Constants,
    constants_for,
    index_loss,
    log_probabilities,
    selected_noise_bernstein,
)
from reference.privacy import Ledger, RecordingLedger

SQUARE = MeanSquaredDistance(1)


def run(data, constants, **options):
    return selected_noise_bernstein(
        data, SQUARE, epsilon=1.0, order=1, constants=constants, **options
    )


def by_enumeration(chances):
    """P(g = t) by all 2^T values of the bits, steps 10-13 as they stand."""
    t = len(chances)
    found = np.zeros(t)
    for bits in itertools.product([0, 1], repeat=t):
        weight = math.prod(p if b else 1 - p for p, b in zip(chances, bits, strict=True))
        chosen = [s for s in range(t) if bits[s]] or list(range(t))
        found[chosen] += weight / len(chosen)
    return found


@pytest.mark.parametrize("n_candidates", [1, 2, 3, 7, 10])
def test_probabilities_of_indices(n_candidates):
    chances = np.random.default_rng(n_candidates).uniform(0.3, 0.7, (4, n_candidates))
    found = np.exp(log_probabilities(chances))
    assert found.sum(axis=1) == pytest.approx(np.ones(4), rel=1e-12)
    for row, mine in zip(chances, found, strict=True):
        assert mine == pytest.approx(by_enumeration(row), rel=1e-12)


def largest_ratio(n_candidates, base):
    """Return max |log P(g|v) - log P(g|v')| over public strings of 5 kinds of numbers and v, v'.

    Only how many numbers of each kind there are matters: <= 0, >= 1 and three between.
    """
    values = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    largest = 0.0
    for noise in itertools.combinations_with_replacement(
        [-1.0, 0.25, 0.5, 0.75, 2.0], n_candidates
    ):
        logs = log_probabilities(bit_probability(values[:, None], np.array(noise)[None], base))
        largest = max(largest, float(np.ptp(logs, axis=0).max()))
    return largest


@pytest.mark.parametrize("base", [0.01, 0.1, 0.25, 0.6])
@pytest.mark.parametrize("n_candidates", [1, 2, 3, 5, 8, 10])
def test_no_public_string_exceeds_the_bound_of_an_index(n_candidates, base):
    bound = index_loss(n_candidates, base)
    assert largest_ratio(n_candidates, base) <= bound + 1e-12
    assert bound <= 2 * base * (1 + 1e-12)


@pytest.mark.parametrize("n_candidates", [1, 2, 4, 7])
def test_no_pair_of_chances_exceeds_the_bound_of_an_index(n_candidates):
    # not only those that one value has: all within a factor e^epsilon of each other
    rng = np.random.default_rng(n_candidates)
    base, bound = 0.25, index_loss(n_candidates, 0.25)
    ends = rng.uniform(-base, base, (20_000, n_candidates))
    ends[::2] = base * rng.choice([-1.0, 0.0, 1.0], ends[::2].shape)
    moved = np.clip(ends + base * rng.choice([-1.0, 1.0], ends.shape), -base, base)
    losses = log_probabilities(np.exp(moved) / 2) - log_probabilities(np.exp(ends) / 2)
    assert np.abs(losses).max() <= bound + 1e-12
    assert np.abs(losses).max() >= 0.9 * bound


@pytest.mark.parametrize("n_candidates", [20, 60, 400])
@pytest.mark.parametrize("base", [0.001, 0.25])
def test_many_candidates_lose_two_base_epsilons(n_candidates, base):
    assert index_loss(n_candidates, base) == pytest.approx(2 * base, rel=1e-4)
    assert index_loss(n_candidates, base) <= 2 * base * (1 + 1e-11)


def test_the_loss_of_the_card():
    def loss(n_candidates):
        noise = np.array([-1.0, *[2.0] * (n_candidates - 1)])
        first = bit_probability(np.array([[1.0], [0.0]]), noise[None], 0.25)
        return float(np.ptp(log_probabilities(first)[:, 0])) / 0.25

    assert [loss(t) for t in (2, 5)] == pytest.approx([1.165, 1.958], abs=1e-3)
    assert [loss(t) for t in (10, 20, 100, 1000)] == pytest.approx([2.0] * 4, abs=1e-3)
    assert max(loss(t) for t in range(2, 60)) <= 2 * (1 + 1e-12)


@pytest.mark.parametrize("n_candidates", [20, 60])
def test_random_public_strings_with_more_candidates(n_candidates):
    rng = np.random.default_rng(0)
    values = np.linspace(0, 1, 9)
    for _ in range(300):
        noise = rng.choice(
            [-1.0, 0.2, 0.5, 0.8, 2.0], size=n_candidates, p=rng.dirichlet([0.3] * 5)
        )
        logs = log_probabilities(bit_probability(values[:, None], noise[None], 0.25))
        assert np.ptp(logs, axis=0).max() <= 0.5 * (1 + 1e-12)


def test_no_bit_is_one_with_probability_two_to_the_minus_t():
    # over public Laplace numbers a chance has mean 1/2, whatever the value: 40 batches of 1e5
    rng = np.random.default_rng(0)
    noise = rng.laplace(scale=4.0, size=(400_000, 3))
    none = np.prod(1 - bit_probability(np.array([[0.8]]), noise, 0.25), axis=1)
    assert none.mean() == pytest.approx(1 / 8, abs=5.5 * none.std() / math.sqrt(400_000))


def test_constants():
    rule = partial(constants_for, n=1000, dimension=1, order=1, failure_probability=0.05)
    found = rule(epsilon=0.4)
    assert found.base_epsilon == pytest.approx(0.1)
    assert found.n_candidates == 15  # log2(20000) = 14.3
    assert rule(epsilon=9.0).base_epsilon == 0.25
    # log2(1/0.9) = 0.15 is rounded up
    assert rule(n=1, failure_probability=0.9, epsilon=0.4).n_candidates == 1


def test_by_hand():
    # a single candidate: user 0 at w = 1, users 1 and 2 at w = 0
    arguments = {
        "data": [[0.5], [0.5], [1.0]], "loss": SQUARE, "epsilon": 1.0, "order": 1,
        "public_noise": [[3.0], [-2.0], [5.0]], "partition": [1, 0, 0],
        "constants": Constants(1, 1, 0.25),
    }  # fmt: skip
    found = selected_noise_bernstein(**arguments, ledger=Ledger(0))
    assert found.point.tolist() == [0.0]
    assert found.value == pytest.approx(1.5)
    # indices are 1, n is 3
    assert errata.printed_index(**arguments, ledger=Ledger(0)).value == pytest.approx(1.0)
    assert errata.printed_factor(**arguments, ledger=Ledger(0)).value == pytest.approx(4.5)


def test_the_server_takes_the_number_that_each_user_chose():
    noise = np.array([[3.0, 30.0], [-2.0, -20.0], [5.0, 50.0], [7.0, 70.0]])
    chosen = set()
    for seed in range(8):
        ledger = RecordingLedger(seed)
        options = {"public_noise": noise, "partition": [0, 0, 1, 1], "ledger": ledger}
        found = run(np.zeros((4, 1)), Constants(1, 2, 0.25), **options)
        (only,) = ledger.transcript.releases
        sent = noise[np.arange(4), only.output]
        assert found.value == pytest.approx(min(sent[:2].mean(), sent[2:].mean()))
        chosen.add(tuple(only.output))
    assert len(chosen) > 4


def test_the_selected_numbers_are_the_losses_with_laplace_noise():
    n = 20_000
    ledger = RecordingLedger(2)
    run(np.full((n, 1), 0.5), Constants(1, 12, 0.25), ledger=ledger)
    _, noise = (entry.value for entry in ledger.transcript.entries[:2])
    (only,) = ledger.transcript.releases
    sent = noise[np.arange(n), only.output]
    # values 1/4, variance 2/(1/4)^2 = 32: 5.5 standard errors of the mean
    assert sent.mean() == pytest.approx(0.25, abs=5.5 * math.sqrt(32 / n))
    assert sent.var() == pytest.approx(32, rel=5.5 * math.sqrt(5 / n))
    assert ledger.spent(delta=0.0).epsilon == pytest.approx(1.0)


def test_a_selection_per_user_needs_a_row_for_each():
    for scores in ([0.0, 1.0], np.zeros((0, 2)), np.zeros((2, 0))):
        with pytest.raises(ValueError, match="scores must have a row for every user"):
            Ledger(0).selections(scores, sensitivity=1.0, epsilon=1.0)
    assert Ledger(0).selections([[0.0]], sensitivity=1.0, epsilon=1.0).tolist() == [0]
    found = Ledger(0).selections([[0.0, 1e6], [1e6, 0.0]], sensitivity=1.0, epsilon=1.0)
    assert found.tolist() == [1, 0]
