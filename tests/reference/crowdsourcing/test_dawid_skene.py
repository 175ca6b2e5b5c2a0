"""Private Dawid-Skene (diss-7.1.54)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference.crowdsourcing.dawid_skene import dawid_skene, private_dawid_skene
from reference.crowdsourcing.majority import majority_vote
from reference.crowdsourcing.one_coin import sample_crowd
from reference.privacy.ledger import GivenDrawsLedger, Ledger, NoiselessLedger, RecordingLedger


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
    n, m = answers.shape
    for _ in range(n_iterations):
        abilities = np.array(
            [
                np.mean(
                    [
                        answers[i, j] * labels[j] + (1 - answers[i, j]) * (1 - labels[j])
                        for j in range(m)
                    ]
                )
                for i in range(n)
            ]
        )
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


def test_only_the_flipped_answers_are_used(answers):
    ledger = RecordingLedger(3)
    estimate = run(answers, ledger)
    (release,) = ledger.transcript.releases
    assert release.claim.unit == "attribute"
    assert (release.value == answers).all()
    again = run(release.output, NoiselessLedger())
    assert again.abilities == pytest.approx(estimate.abilities)
    assert (again.labels == estimate.labels).all()


def test_every_answer_costs_epsilon_and_a_whole_worker_all_of_them(answers):
    ledger = RecordingLedger(4)
    run(answers, ledger, epsilon=0.3)
    assert ledger.spent(delta=0.0, unit="attribute").epsilon == pytest.approx(0.3)
    assert ledger.spent(delta=0.0).epsilon == pytest.approx(0.3 * answers.shape[1])
    (release,) = ledger.transcript.releases
    mechanism, output = release.mechanism, release.output
    other = 1 - answers
    loss = mechanism.log_density(output, answers, 1) - mechanism.log_density(output, other, 1)
    # 40 answers: the loss of a worker is epsilon times (kept - flipped)
    kept = (output == answers).sum(axis=1)
    assert loss == pytest.approx(0.3 * (2 * kept - 40))


def test_flips_have_the_printed_probability():
    answers = np.zeros((100, 400))
    ledger = RecordingLedger(5)
    run(answers, ledger, epsilon=1.0)
    flipped = ledger.transcript.releases[0].output.mean()
    # 40000 flips: off by more than .011 (five deviations) with probability < 1e-6
    assert flipped == pytest.approx(1 / (math.e + 1), abs=0.011)


def test_workers_and_tasks_may_come_in_any_order(answers):
    ledger = RecordingLedger(6)
    estimate = run(answers, ledger)
    (draws,) = ledger.transcript.draws
    rng = np.random.default_rng(7)
    workers, tasks = rng.permutation(5), rng.permutation(40)
    moved = run(answers[workers][:, tasks], GivenDrawsLedger([draws[workers][:, tasks]]))
    assert moved.abilities == pytest.approx(estimate.abilities[workers])
    assert (moved.labels == estimate.labels[tasks]).all()


def test_exchanging_the_two_labels_exchanges_the_result(answers):
    # five workers: no ties
    estimate = run(answers, NoiselessLedger())
    swapped = run(1 - answers, NoiselessLedger())
    assert swapped.abilities == pytest.approx(estimate.abilities)
    assert (swapped.labels == 1 - estimate.labels).all()


def test_given_start_is_used(answers):
    # the symmetry (p, y) -> (1 - p, 1 - y): starting from the opposite labels gives them
    start = majority_vote(answers).astype(float)
    forward = run(answers, NoiselessLedger(), initial=start)
    backward = run(answers, NoiselessLedger(), initial=1 - start)
    assert (forward.labels != backward.labels).all()


def test_labels_and_abilities_of_a_large_crowd_are_recovered():
    abilities = np.linspace(0.7, 0.95, 60)
    truth, answers = crowd(abilities, 5000, seed=8)
    estimate = run(answers, Ledger(9), n_iterations=5)
    # Theorem 7.1.3's bound is .25; the largest of 60 deviations of .015 exceeds .1 with
    # probability < 1e-8, and a share of 2% wrong labels is far above exp(-n v/2) = .01
    assert np.abs(estimate.abilities - abilities).max() < 0.1
    assert np.mean(estimate.labels != truth) < 0.02


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


def test_sampled_workers_are_as_able_as_asked():
    truth, answers = crowd([0.0, 0.25, 1.0], 10_000, seed=11)
    shares = (answers == truth).mean(axis=1)
    # the deviation is .0043: off by more than .025 with probability < 1e-8
    assert shares == pytest.approx([0.0, 0.25, 1.0], abs=0.025)
    assert set(np.unique(answers)) == {0, 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": -1.0}, r"epsilon must be a finite number > 0, got -1\.0"),
        ({"n_iterations": 0}, r"n_iterations must be an integer >= 1, got 0"),
        ({"margin": 0.0}, r"margin must be in \(0, 0\.5\), got 0\.0"),
        ({"margin": 0.5}, r"margin must be in \(0, 0\.5\), got 0\.5"),
        ({"initial": np.zeros(3)}, r"initial must have shape \(40,\), got \(3,\)"),
        ({"initial": np.full(40, 1.5)}, r"initial must lie in \[0, 1\]"),
        ({"answers": np.zeros((0, 3))}, "data must not be empty"),
        ({"answers": np.zeros(3)}, r"data must have 2 dimension\(s\), got shape \(3,\)"),
        ({"answers": np.array([[0.0, 2.0]])}, "data must contain only 0 and 1"),
        ({"answers": np.array([[0.0, np.nan]])}, "data must be finite"),
    ],
)
def test_bad_input_is_refused_before_any_release(answers, changes, message):
    ledger = RecordingLedger(0)
    with pytest.raises(ValueError, match=message):
        run(**{"answers": answers, "ledger": ledger, **changes})
    assert len(ledger.transcript) == 0
