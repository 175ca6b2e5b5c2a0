"""Subsamples of a ledger: their law, the likelihood of what was read from them, and its loss."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from auditor.transcript.replay import log_likelihood, privacy_loss, record
from reference.privacy.ledger import Ledger, RecordingLedger, ReplayLedger, SubsampleEntry

Array = NDArray[np.float64]


@pytest.mark.parametrize("replace", [False, True])
def test_a_targeted_subsample_has_the_law_of_an_ordinary_one(replace: bool) -> None:
    # chi-square over all ordered samples at 1e-6
    n, size, runs = 4, 2, 20_000
    rng = np.random.default_rng(1)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(runs):
        ledger = RecordingLedger(rng, target=1)
        drawn = tuple(int(i) for i in ledger.subsample(n, size, replace=replace).indices)
        counts[drawn] = counts.get(drawn, 0) + 1
    every = list(product(range(n), repeat=2))
    possible = [t for t in every if replace or t[0] != t[1]]
    assert set(counts) == set(possible)
    assert stats.chisquare([counts[t] for t in possible]).pvalue > 1e-6


@pytest.mark.parametrize("replace", [False, True])
def test_forced_counts_differ_only_in_the_target(replace: bool) -> None:
    transcript, _ = record(lambda d, g: g.subsample(9, 4, replace=replace), None, 0, target=3)
    entry = transcript.entries[0]
    assert isinstance(entry, SubsampleEntry)
    without = ReplayLedger(transcript, count=0).subsample(9, 4, replace=replace).indices
    once = ReplayLedger(transcript, count=1).subsample(9, 4, replace=replace).indices
    assert 3 not in without
    assert np.count_nonzero(once == 3) == 1
    assert np.count_nonzero(once != without) == 1
    weights = entry.count_probabilities()
    assert weights.sum() == pytest.approx(1.0)
    if replace:
        np.testing.assert_allclose(weights, stats.binom.pmf(np.arange(5), 4, 1 / 9))
    else:
        np.testing.assert_allclose(weights, [5 / 9, 4 / 9])


def test_a_target_outside_the_population_is_never_drawn() -> None:
    ledger = RecordingLedger(0, target=7)
    drawn = {int(i) for _ in range(200) for i in ledger.subsample(5, 2).indices}
    assert drawn == set(range(5))


def test_subsample_refuses_impossible_sizes() -> None:
    with pytest.raises(ValueError, match="size must be an integer >= 1 and <= 5"):
        Ledger(0).subsample(5, 6)
    with pytest.raises(ValueError, match="population"):
        Ledger(0).subsample(0, 1)
    assert Ledger(0).subsample(5, 6, replace=True).size == 6
    with pytest.raises(ValueError, match="everybody is no subsample"):
        RecordingLedger(0, target=0).subsample(5, 5)


def sampled_sum(data: Array, ledger: Ledger, *, size: int, replace: bool) -> None:
    """Two steps; in each a noisy sum and a noisy sum of squares of one subsample."""
    for _ in range(2):
        sample = ledger.subsample(len(data), size, replace=replace)
        chosen = data[sample.indices]
        ledger.gaussian([chosen.sum()], sensitivity=9, scale=1.5, sample=sample)
        ledger.laplace([(chosen**2).sum()], sensitivity=9, scale=2.0, sample=sample)
        ledger.gaussian([data.sum()], sensitivity=9, scale=3.0)


@pytest.mark.parametrize("replace", [False, True])
def test_mixture_likelihood_equals_brute_force_enumeration(replace: bool) -> None:
    """Given the other records drawn, sum over every way the target can be in the sample."""
    data, size, target = np.array([0.5, -1.0, 2.0, 0.25]), 2, 2
    n = len(data)

    def run(values: Array, ledger: Ledger) -> None:
        sampled_sum(values, ledger, size=size, replace=replace)

    for seed in range(5):
        transcript, _ = record(run, data, seed, target=target)
        releases = transcript.releases
        expected = 0.0
        for step in range(2):
            entry = transcript.entries[4 * step]
            assert isinstance(entry, SubsampleEntry)
            outputs = [float(releases[3 * step + i].output[0]) for i in range(3)]
            total = 0.0
            for mask in product((False, True), repeat=size):
                count = sum(mask)
                if not replace and count > 1:
                    continue
                if not np.isin(np.flatnonzero(mask), entry.order[:count]).all():
                    continue  # the recorded order says which positions the target takes
                indices = np.where(mask, target, entry.base)
                chosen = data[indices]
                if replace:
                    weight = math.comb(size, count) / n**count * (1 - 1 / n) ** (size - count)
                else:
                    weight = size / n if count else 1 - size / n
                total += weight * math.exp(
                    -((outputs[0] - chosen.sum()) ** 2) / (2 * 1.5**2)
                    - abs(outputs[1] - (chosen**2).sum()) / 2.0
                )
            expected += math.log(total) - (outputs[2] - data.sum()) ** 2 / (2 * 9)
        assert log_likelihood(run, data, transcript) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("replace", [False, True])
def test_mixture_integrates_to_the_marginal_over_all_samples(replace: bool) -> None:
    """Averaged over the other records, the conditional mixture is the exact output law."""
    data, size, target, output = np.array([0.5, -1.0, 2.0]), 1 + replace, 2, 0.7
    n = len(data)

    def density(total: float) -> float:
        return math.exp(-((output - total) ** 2) / 2)

    samples = list(product(range(n), repeat=size)) if replace else list(combinations(range(n), 1))
    exact = np.mean([density(data[list(s)].sum()) for s in samples])
    others = [i for i in range(n) if i != target]
    entry_of = [
        SubsampleEntry(n, size, replace, target, np.array(base), np.array(order), 0)
        for base in product(others, repeat=size)
        for order in ([(0, 1), (1, 0)] if size == 2 else [(0,)])
    ]
    conditional = [
        sum(w * density(data[e.indices(k)].sum()) for k, w in enumerate(e.count_probabilities()))
        for e in entry_of
    ]
    assert np.mean(conditional) == pytest.approx(float(exact), rel=1e-12)


def test_privacy_loss_of_a_sample_is_bounded_by_amplification() -> None:
    # one Laplace release of epsilon 2 on one of 50 records: ln(1 + (e^2 - 1)/50) = 0.1202
    data, other = np.zeros(50), np.zeros(50)
    other[7] = 1.0

    def run(values: Array, ledger: Ledger) -> None:
        sample = ledger.subsample(50, 1)
        ledger.laplace(values[sample.indices], sensitivity=1, scale=0.5, sample=sample)

    amplified = math.log1p(math.expm1(2.0) / 50)
    losses = [
        abs(privacy_loss(run, a, b, record(run, a, seed, target=7)[0]))
        for a, b in ((data, other), (other, data))
        for seed in range(60)
    ]
    assert max(losses) <= amplified + 1e-12
    assert max(losses) > 0.9 * amplified
    ledger = Ledger(0)
    run(data, ledger)
    assert ledger.spent(delta=0).epsilon == pytest.approx(amplified)
