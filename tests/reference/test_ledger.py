"""The ledger in all its modes, and what it refuses."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

from auditor.transcript.replay import log_likelihood, privacy_loss, record, replay
from reference.privacy.filters import LimitExceeded
from reference.privacy.guarantees import Model, PureDP, gaussian_dp_epsilon
from reference.privacy.ledger import (
    ControlFlowError,
    GivenDrawsLedger,
    Ledger,
    MutatedLedger,
    NoiselessLedger,
    RecordingLedger,
    ReplayLedger,
    Subsample,
    SubsampleEntry,
    open_ledger,
)
from reference.privacy.mechanisms import Gaussian, smooth_gaussian_delta

Array = NDArray[np.float64]


def on_interval(ledger: Ledger, scores: Any, breaks: Any, **asked: Any) -> float:
    """Select a point of [0, 1) at unit sensitivity and budget, unless otherwise asked."""
    usual = {"lower": 0.0, "upper": 1.0, "sensitivity": 1.0, "epsilon": 1.0}
    return ledger.interval_exponential(scores, breaks, **{**usual, **asked})


def everything(data: Array, ledger: Ledger) -> list[Any]:
    """Make one release of every kind on data of shape (n, 2) in [0, 1]."""
    n = len(data)
    moment = data.T @ data / n
    sample = ledger.subsample(n, 2)
    order = ledger.public(lambda rng: rng.permutation(n))
    return [
        ledger.gaussian(data.mean(axis=0), sensitivity=1.0, scale=0.5),
        ledger.laplace(data.sum(), sensitivity=1.0, scale=0.5, records=slice(0, n // 2)),
        ledger.gaussian(data[sample.indices].mean(axis=0), sensitivity=1, scale=1, sample=sample),
        ledger.gaussian(data, sensitivity=1.0, scale=2.0, unit="record"),
        ledger.laplace(data, sensitivity=1.0, scale=2.0, unit="attribute"),
        ledger.symmetric_gaussian(moment, sensitivity=1.0, scale=0.3, diagonal_variance=2.0),
        ledger.symmetric_laplace(moment, sensitivity=1.0, scale=0.3),
        ledger.wishart(moment, sensitivity=1 / n, degrees=3, scale=0.1),
        ledger.exponential(data.sum(axis=0), sensitivity=1.0, epsilon=1.0),
        ledger.noisy_max(data[:, 0], sensitivity=1.0, scale=1.0, excluded=(0,)),
        ledger.peeling(data[:, 1], count=2, sensitivity=1.0, scale=1.0),
        ledger.randomized_response(data[:, 0] > 0.5, epsilon=1.0),
        ledger.unary(np.floor(3 * data[:, 0] * 0.999), categories=3, epsilon=1.0),
        ledger.bit(0.25 + data[:, 0] / 2, epsilon=2.0),
        ledger.l2_ball(data / 2, radius=1.0, epsilon=1.0),
        ledger.smooth(data.mean(), smooth_bound=0.1, smoothness=0.1, divisor=1.0, rho=0.5),
        on_interval(ledger, data[:3, 1], np.sort(data[:2, 0])),
        order,
    ]


DATA = np.random.default_rng(0).random((6, 2))


def same(first: Any, second: Any) -> bool:
    if isinstance(first, list | tuple):
        return all(same(a, b) for a, b in zip(first, second, strict=True))
    return bool(np.array_equal(first, second))


# ------------------------------------------------------------------------------------- modes


def test_live_and_recording_make_the_same_run_from_the_same_seed() -> None:
    live, recording = Ledger(3), RecordingLedger(3)
    assert same(everything(DATA, live), everything(DATA, recording))
    assert live.spent(delta=1e-5) == recording.spent(delta=1e-5)
    assert all(release.value is None for release in live.transcript.releases)
    assert not same(everything(DATA, Ledger(4)), everything(DATA, Ledger(3)))


@pytest.mark.parametrize("seed", [0, np.random.SeedSequence(5), np.random.default_rng(5)])
def test_a_ledger_takes_what_default_rng_takes(seed: Any) -> None:
    assert Ledger(seed).gaussian([0.0], sensitivity=1, scale=1).shape == (1,)


def test_the_transcript_has_value_draw_and_output_of_every_release() -> None:
    ledger = RecordingLedger(3)
    everything(DATA, ledger)
    transcript = ledger.transcript
    # 15 single releases, and peeling of two: two selections and two values
    assert len(transcript.releases) == 20
    assert len(transcript) == 22
    assert len(list(transcript)) == 22
    for release in transcript.releases:
        assert release.value is not None
        again = release.mechanism.output(release.value, release.draw)
        assert same(again, release.output)


def test_recorded_values_survive_updates_in_place() -> None:
    ledger, value = RecordingLedger(0), np.zeros(2)
    output = ledger.gaussian(value, sensitivity=1, scale=1)
    order = ledger.public(lambda rng: rng.permutation(4))
    value += 1
    kept = output.copy()
    output += 1
    first = order.copy()
    order[:] = 0
    release = ledger.transcript.releases[0]
    np.testing.assert_array_equal(release.value, np.zeros(2))
    np.testing.assert_array_equal(release.output, kept)
    np.testing.assert_array_equal(ledger.transcript.draws[1], first)


def test_given_draws_reproduce_the_run_bit_for_bit_even_from_json() -> None:
    ledger = RecordingLedger(3)
    outputs = everything(DATA, ledger)
    draws = ledger.transcript.draws
    assert same(everything(DATA, GivenDrawsLedger(draws)), outputs)

    def plain(draw: Any) -> Any:
        return (
            [plain(part) for part in draw] if isinstance(draw, tuple) else np.asarray(draw).tolist()
        )

    listed = json.loads(json.dumps([plain(draw) for draw in draws]))
    again = everything(DATA, GivenDrawsLedger(listed))
    assert same(again[:-1], outputs[:-1])


def test_given_draws_that_do_not_fit_are_refused() -> None:
    ledger = GivenDrawsLedger([np.zeros(2)])
    ledger.gaussian([0.0, 0.0], sensitivity=1, scale=1)
    with pytest.raises(ValueError, match="no draw left for a gaussian release at entry 1"):
        ledger.gaussian([0.0, 0.0], sensitivity=1, scale=1)
    with pytest.raises(ValueError, match=r"the draw has shape \(1,\), needs \(2,\)"):
        GivenDrawsLedger([[0.5]]).gaussian([0.0, 0.0], sensitivity=1, scale=1)
    with pytest.raises(ValueError, match="expected 3 arrays"):
        GivenDrawsLedger([[[0.1], [0.2]]]).l2_ball([[0.1]], radius=1, epsilon=1)
    with pytest.raises(ValueError, match="subsample of size 2"):
        GivenDrawsLedger([[1, 2, 3]]).subsample(5, 2)


def test_noiseless_returns_the_values_and_has_spent_everything() -> None:
    ledger = NoiselessLedger(1)
    outputs = everything(DATA, ledger)
    np.testing.assert_array_equal(outputs[0], DATA.mean(axis=0))
    assert outputs[8] == int(np.argmax(DATA.sum(axis=0)))
    np.testing.assert_array_equal(outputs[11], DATA[:, 0] > 0.5)
    np.testing.assert_array_equal(outputs[14], DATA / 2)
    ends = [0.0, *np.sort(DATA[:2, 0]), 1.0]
    best = int(np.argmax(DATA[:3, 1]))
    assert outputs[16] == pytest.approx((ends[best] + ends[best + 1]) / 2, rel=1e-15)
    assert ledger.spent(delta=1e-5).epsilon == math.inf
    assert ledger.spent(epsilon=1.0).delta == 1.0
    for single in (
        lambda one: one.l2_ball([[0.1]], radius=1, epsilon=1),
        lambda one: one.randomized_response([1], epsilon=1),
        lambda one: one.wishart([[1.0]], sensitivity=1, degrees=2, scale=1),
        lambda one: one.gaussian([1.0], sensitivity=1, scale=1, sample=one.subsample(9, 1)),
    ):
        one = NoiselessLedger(0)
        single(one)
        assert one.spent(delta=0.1).epsilon == math.inf


def test_mutated_ledger_changes_every_release_and_nothing_else() -> None:
    inner = RecordingLedger(3)
    seen: list[int] = []

    def change(position: int, mechanism: Any, value: Array, sensitivity: float) -> Any:
        seen.append(position)
        return mechanism.rescaled(0.5), value, sensitivity / 4

    outputs = everything(DATA, MutatedLedger(inner, change))
    assert seen == list(range(20))
    assert inner.transcript.releases[0].mechanism == Gaussian(0.25)
    assert inner.transcript.releases[0].claim.sensitivity == 0.25
    same_draws = RecordingLedger(3)
    honest = everything(DATA, same_draws)
    noise = honest[0] - DATA.mean(axis=0)
    np.testing.assert_allclose(outputs[0] - DATA.mean(axis=0), noise / 2)
    assert same(outputs[-1], honest[-1])


def test_mutated_ledger_spends_twice_and_accounts_inside() -> None:
    inner = RecordingLedger(0)
    outer = MutatedLedger(inner, lambda _, m, v, s: (m, v, s), repeat=2)
    output = outer.laplace([0.0], sensitivity=1, scale=2)
    assert len(outer.transcript.releases) == 2
    np.testing.assert_array_equal(output, inner.transcript.releases[1].output)
    assert outer.spent(delta=0) == inner.spent(delta=0)
    assert outer.spent(delta=0).epsilon == pytest.approx(1.0)


# ------------------------------------------------------------------------------------ replay


def test_replay_returns_the_outputs_and_keeps_the_new_values() -> None:
    neighbour = DATA.copy()
    neighbour[2] = [0.9, 0.1]
    ledger = RecordingLedger(3)
    outputs = everything(DATA, ledger)
    replayed = ReplayLedger(ledger.transcript)
    assert same(everything(neighbour, replayed), outputs)
    new = replayed.finish().releases[0]
    np.testing.assert_allclose(new.value, neighbour.mean(axis=0))
    assert same(new.output, ledger.transcript.releases[0].output)


Changed = Callable[[Ledger], object]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda g: g.laplace([0.0], sensitivity=1, scale=1), "kind was 'gaussian'"),
        (lambda g: g.gaussian([0.0, 0.0], sensitivity=1, scale=1), r"shape was \(1,\)"),
        (lambda g: g.gaussian([0.0], sensitivity=1, scale=2), r"parameters was \(1.0,\)"),
        (lambda g: g.gaussian([0.0], sensitivity=2, scale=1), "claimed sensitivity was 1"),
        (lambda g: g.gaussian([0.0], sensitivity=1, scale=1, unit="record"), "unit was 'dataset'"),
        (
            lambda g: g.gaussian([0.0], sensitivity=1, scale=1, records=slice(0, 2)),
            "records was None",
        ),
        (
            lambda g: g.gaussian(
                [0.0], sensitivity=1, scale=1, sample=Subsample(np.array([0]), 5, False, 0)
            ),
            "subsample was None",
        ),
        (lambda g: g.subsample(5, 2), "a subsample instead of Release"),
        (lambda g: g.public(lambda rng: 1), "a public draw instead of Release"),
    ],
)
def test_replay_flags_a_release_that_differs(changed: Changed, message: str) -> None:
    transcript, _ = record(lambda d, g: g.gaussian([0.0], sensitivity=1, scale=1), None, 0)
    with pytest.raises(ControlFlowError, match=message) as caught:
        changed(ReplayLedger(transcript))
    assert caught.value.position == 0


def test_replay_flags_extra_and_missing_releases() -> None:
    def run(times: int, ledger: Ledger) -> None:
        for _ in range(times):
            ledger.gaussian([0.0], sensitivity=1, scale=1)

    transcript, _ = record(run, 2, 0)
    with pytest.raises(ControlFlowError, match="an extra gaussian release") as extra:
        replay(run, 3, transcript)
    assert extra.value.position == 2
    with pytest.raises(ControlFlowError, match="ended after 1 of 2") as missing:
        replay(run, 1, transcript)
    assert missing.value.position == 1


def test_replay_flags_other_subsamples_and_records() -> None:
    transcript, _ = record(lambda d, g: g.subsample(5, 2), None, 0)
    with pytest.raises(ControlFlowError, match="subsample was"):
        ReplayLedger(transcript).subsample(5, 3)
    with pytest.raises(ControlFlowError, match="instead of SubsampleEntry"):
        ReplayLedger(transcript).gaussian([0.0], sensitivity=1, scale=1)
    split, _ = record(
        lambda d, g: g.gaussian([0.0], sensitivity=1, scale=1, records=np.arange(3)), None, 0
    )
    with pytest.raises(ControlFlowError, match="records was"):
        ReplayLedger(split).gaussian([0.0], sensitivity=1, scale=1, records=np.arange(4))


def test_a_live_transcript_cannot_be_replayed() -> None:
    live = Ledger(0)
    live.gaussian([0.0], sensitivity=1, scale=1)
    with pytest.raises(ValueError, match="use RecordingLedger"):
        ReplayLedger(live.transcript).gaussian([0.0], sensitivity=1, scale=1)


# ------------------------------------------------------------------------------- subsampling


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


# --------------------------------------------------------------------------------- accounting


def test_disjoint_records_compose_in_parallel() -> None:
    ledger = Ledger(0)
    for start in (0, 10, 20):
        ledger.laplace([0.0], sensitivity=1, scale=1, records=slice(start, start + 10))
    assert ledger.spent(delta=0).epsilon == 1.0
    ledger.laplace([0.0], sensitivity=1, scale=2, records=np.array([29, 5]))
    assert ledger.spent(delta=0).epsilon == 1.5
    ledger.laplace([0.0], sensitivity=1, scale=4)
    assert ledger.spent(delta=0).epsilon == 1.75


def test_releases_of_one_subsample_are_accounted_together() -> None:
    together, apart = Ledger(0), Ledger(0)
    sample = together.subsample(50, 1)
    for _ in range(2):
        together.laplace([0.0], sensitivity=1, scale=0.5, sample=sample)
        apart.laplace([0.0], sensitivity=1, scale=0.5, sample=apart.subsample(50, 1))
    # both or neither see the record
    assert together.spent(delta=0).epsilon == pytest.approx(math.log1p(math.expm1(4.0) / 50))
    assert apart.spent(delta=0).epsilon == pytest.approx(2 * math.log1p(math.expm1(2.0) / 50))


def test_a_release_per_attribute_costs_a_record_every_one_of_them() -> None:
    # 2000 answers of one record were reported as what one of them costs
    ledger = Ledger(0)
    ledger.randomized_response(np.zeros((1, 2000)), epsilon=1.0, unit="attribute")
    whole, single = ledger.spent(delta=0), ledger.spent(delta=0, unit="attribute")
    assert (whole.epsilon, whole.unit, whole.model) == (2000.0, "record", Model.LOCAL)
    assert (single.epsilon, single.unit) == (1.0, "attribute")
    assert single.model is Model.LOCAL_ATTRIBUTE
    ledger = Ledger(0)
    ledger.gaussian(np.zeros((5, 9)), sensitivity=1, scale=2, unit="attribute")
    assert ledger.spent(delta=1e-5).epsilon == pytest.approx(gaussian_dp_epsilon(1.5, 1e-5))
    assert ledger.spent(delta=1e-5, unit="attribute").epsilon == pytest.approx(
        gaussian_dp_epsilon(0.5, 1e-5)
    )


def test_a_release_per_label_protects_the_label_alone() -> None:
    ledger = Ledger(0)
    ledger.gaussian(np.zeros(5), sensitivity=1, scale=2, unit="label")
    label = ledger.spent(delta=1e-5, unit="label")
    assert label.epsilon == pytest.approx(gaussian_dp_epsilon(0.5, 1e-5))
    assert (label.unit, label.model) == ("label", Model.LOCAL)
    assert ledger.spent(delta=1e-5).epsilon == math.inf
    assert ledger.spent(delta=1e-5, unit="attribute").epsilon == math.inf
    # a label bears what its whole record bears
    ledger.laplace(np.zeros(5), sensitivity=1, scale=2, unit="record")
    ledger.laplace(0.0, sensitivity=1, scale=2)
    only = Ledger(0)
    only.laplace(np.zeros(5), sensitivity=1, scale=2, unit="record")
    only.laplace(0.0, sensitivity=1, scale=2)
    assert only.spent(delta=0, unit="label").epsilon == only.spent(delta=0).epsilon == 1.0
    assert ledger.spent(delta=1e-5, unit="label").epsilon > label.epsilon + 0.5
    with pytest.raises(ValueError, match="'attribute', 'label', got 'user'"):
        ledger.spent(delta=0, unit="user")  # type: ignore[arg-type]


def test_a_release_per_label_has_a_row_per_user_and_no_place_under_a_limit_for_records() -> None:
    with pytest.raises(ValueError, match="as many rows, got 2"):
        Ledger(0).laplace(np.zeros(2), sensitivity=1, scale=2, unit="label", records=slice(0, 3))
    limited = Ledger(0, limit=(5.0, 1e-5))
    with pytest.raises(LimitExceeded, match="nothing was drawn"):
        limited.laplace(np.zeros(2), sensitivity=1, scale=2, unit="label")


def test_low_bits_tell_values_apart_as_often_as_the_documents_say() -> None:
    # SECURITY.md: which releases of 0 are no double of the form 1 + x; six standard errors
    released = Ledger(0).laplace(np.zeros(100_000), sensitivity=1, scale=1)
    noise = released - 1
    candidates = (noise, np.nextafter(noise, np.inf), np.nextafter(noise, -np.inf))
    impossible = 1 - np.mean(np.any([1 + x == released for x in candidates], axis=0))
    assert abs(impossible - 0.43) < 0.01


def test_units_of_different_kinds_are_converted() -> None:
    ledger = Ledger(0)
    ledger.laplace(np.zeros((5, 3)), sensitivity=1, scale=2, unit="record")
    assert ledger.spent(delta=0).model is Model.LOCAL
    ledger.laplace(np.zeros((5, 3)), sensitivity=1, scale=4, unit="attribute")
    # an attribute bears in full what its record bears
    assert ledger.spent(delta=0).epsilon == 0.5 + 3 * 0.25
    assert ledger.spent(delta=0, unit="attribute").epsilon == 0.5 + 0.25
    ledger.laplace([0.0], sensitivity=1, scale=1)
    assert ledger.spent(delta=0).epsilon == 2.25
    assert ledger.spent(delta=0, unit="attribute").epsilon == 1.75
    for unit in ("record", "attribute"):
        assert ledger.spent(delta=0, unit=unit).model is Model.CENTRAL  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unit must be"):
        ledger.spent(delta=0, unit="dataset")  # type: ignore[arg-type]


def test_units_that_the_value_does_not_have_are_refused() -> None:
    ledger = Ledger(0)
    with pytest.raises(ValueError, match="records and attributes"):
        ledger.laplace([0.0], sensitivity=1, scale=2, unit="attribute")
    with pytest.raises(ValueError, match="unit must be"):
        ledger.laplace([0.0], sensitivity=1, scale=2, unit="user")  # type: ignore[arg-type]
    assert not ledger.transcript.releases


def test_known_costs_of_the_other_kinds() -> None:
    def epsilon(release: Callable[[Ledger], object]) -> float:
        ledger = Ledger(0)
        release(ledger)
        return ledger.spent(delta=0).epsilon

    assert epsilon(lambda g: g.exponential([0.0, 1.0], sensitivity=2, epsilon=0.7)) == 0.7
    assert epsilon(lambda g: on_interval(g, [0.0, 1.0], [0.5], sensitivity=2, epsilon=0.7)) == 0.7
    assert epsilon(lambda g: g.noisy_max([0.0, 1.0], sensitivity=1, scale=4)) == 0.5
    # two selections at 2/8 and two values at 1/8
    assert epsilon(lambda g: g.peeling([0.0, 1.0, 2.0], count=2, sensitivity=1, scale=8)) == 0.75
    assert epsilon(lambda g: g.unary([0, 2], categories=3, epsilon=0.6)) == pytest.approx(0.6)
    assert epsilon(lambda g: g.randomized_response([[0, 1]], epsilon=0.3, answers=2)) == 0.6
    assert epsilon(lambda g: g.bit([0.5], epsilon=0.2)) == 0.2
    assert epsilon(lambda g: g.l2_ball([[0.1]], radius=1, epsilon=0.9)) == 0.9
    ledger = Ledger(0)
    ledger.smooth(0.0, smooth_bound=1, smoothness=0.1, divisor=1, rho=0.02)
    assert ledger.transcript.charges[0][0].cost.rho == 0.02
    assert ledger.spent(delta=0).epsilon == math.inf
    # Gaussian noise of a smooth bound: in the dimension of the value, at its epsilon alone
    ledger = Ledger(0)
    ledger.smooth(
        np.zeros(3), smooth_bound=1, smoothness=0.1, divisor=0.2, epsilon=1.0, noise="gaussian"
    )
    delta = smooth_gaussian_delta(0.2, 0.1, dimension=3, epsilon=1.0)
    assert ledger.spent(epsilon=1.0).delta == pytest.approx(delta)
    assert ledger.spent(delta=delta / 2).epsilon == math.inf
    ledger.smooth(
        np.zeros(3), smooth_bound=1, smoothness=0.1, divisor=0.2, epsilon=1.0, noise="gaussian"
    )
    assert ledger.spent(epsilon=2.0).delta == pytest.approx(1 - (1 - delta) ** 2)
    ledger = Ledger(0)
    ledger.wishart(np.eye(2), sensitivity=0.2, degrees=3, scale=0.5)
    assert ledger.spent(epsilon=0.5).delta == pytest.approx(1 - math.exp(-0.2))
    ledger.wishart(np.eye(2), sensitivity=0.2, degrees=3, scale=0.5)
    assert ledger.spent(epsilon=0.5).delta == pytest.approx(1 - math.exp(-0.4))


def test_spent_takes_exactly_one_argument_in_range() -> None:
    ledger = Ledger(0)
    assert ledger.spent(delta=1e-5).epsilon == 0.0
    assert ledger.spent(epsilon=1.0).delta == 0.0
    ledger.laplace([0.0], sensitivity=1, scale=1)
    assert ledger.spent(epsilon=0.4).delta == pytest.approx(1 - math.exp(-0.3))
    assert ledger.spent(epsilon=0.4).delta < PureDP(1.0).delta_at(0.4)
    for bad in ({}, {"delta": 0.1, "epsilon": 1.0}):
        with pytest.raises(ValueError, match="exactly one"):
            ledger.spent(**bad)
    with pytest.raises(ValueError, match="delta must be in"):
        ledger.spent(delta=1.0)
    with pytest.raises(ValueError, match="epsilon must be"):
        ledger.spent(epsilon=-1.0)


# ----------------------------------------------------- what is read is what is charged

PER_RECORD: dict[str, Callable[..., object]] = {
    "gaussian": lambda g, x, **k: g.gaussian(x, sensitivity=1, scale=1, unit="record", **k),
    "laplace": lambda g, x, **k: g.laplace(x, sensitivity=1, scale=1, unit="record", **k),
    "attributes": lambda g, x, **k: g.laplace(x, sensitivity=1, scale=1, unit="attribute", **k),
    "randomized response": lambda g, x, **k: g.randomized_response(x, epsilon=1, **k),
    "unary": lambda g, x, **k: g.unary(x[:, 0], categories=3, epsilon=1, **k),
    "bit": lambda g, x, **k: g.bit(x + 0.5, epsilon=1, **k),
    "l2 ball": lambda g, x, **k: g.l2_ball(x, radius=1, epsilon=1, **k),
    "symmetric gaussian": lambda g, x, **k: g.symmetric_gaussian(
        np.zeros((len(x), 2, 2)), sensitivity=1, scale=1, unit="record", **k
    ),
    "symmetric laplace": lambda g, x, **k: g.symmetric_laplace(
        np.zeros((len(x), 2, 2)), sensitivity=1, scale=1, unit="record", **k
    ),
}


@pytest.mark.parametrize("kind", PER_RECORD)
def test_a_release_per_record_has_a_row_for_each_that_it_is_charged_to(kind: str) -> None:
    # three releases of all nine records, each charged to three of them, were one release
    release = PER_RECORD[kind]
    for make in (Ledger, RecordingLedger):
        ledger = make(0)
        for start in (0, 3, 6):
            wrong = slice(start, start + 3), np.arange(start, start + 3), slice(start, 9 + start, 3)
            for records in wrong:
                with pytest.raises(ValueError, match="of 3 records must have as many rows, got 9"):
                    release(ledger, np.zeros((9, 2)), records=records)
        assert not ledger.transcript.entries
        for records in (slice(0, 9), slice(0, 18, 2), np.arange(9), None):
            release(ledger, np.zeros((9, 2)), records=records)


@pytest.mark.parametrize("records", [slice(3, 3), np.array([], dtype=int), np.array([2, 2, 3])])
def test_records_that_charge_nobody_or_somebody_twice_are_refused(records: Any) -> None:
    ledger = Ledger(0)
    for unit in ("dataset", "record"):
        with pytest.raises(ValueError, match="records"):
            ledger.laplace(
                np.zeros(len(range(9)[records]) if isinstance(records, slice) else len(records)),
                sensitivity=1,
                scale=1,
                unit=unit,  # type: ignore[arg-type]
                records=records,
            )
    assert not ledger.transcript.entries


def test_a_subsample_of_another_ledger_or_of_another_draw_is_refused() -> None:
    # one drawn of 10^6 records made a release of three records cost next to nothing
    ledger, other = Ledger(0), Ledger(0)
    large, small = other.subsample(10**6, 1), ledger.subsample(3, 1)
    second = ledger.subsample(50, 1)
    for sample in (large, replace(second, position=0), replace(small, population=10**6)):
        with pytest.raises(ValueError, match="what subsample\\(\\) of this ledger returned"):
            ledger.laplace([0.0], sensitivity=1, scale=1, sample=sample)
    assert not ledger.transcript.releases
    # nor may one of 50 records be charged to others than those
    for records in (slice(0, 3), np.arange(60)):
        with pytest.raises(ValueError, match="a sample of 50 records must be charged to as many"):
            ledger.laplace([0.0], sensitivity=1, scale=1, sample=second, records=records)
    ledger.laplace([0.0], sensitivity=1, scale=1, sample=second, records=slice(50, 100))
    five = ledger.subsample(50, 5)
    with pytest.raises(ValueError, match="of 5 records must have as many rows, got 50"):
        ledger.laplace(np.zeros(50), sensitivity=1, scale=1, sample=five, unit="record")
    ledger.laplace(np.zeros(5), sensitivity=1, scale=1, sample=five, unit="record")


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("release", "message"),
    [
        (lambda g: g.gaussian([math.nan], sensitivity=1, scale=1), "must be finite"),
        (lambda g: g.gaussian([math.inf], sensitivity=1, scale=1), "must be finite"),
        (lambda g: g.gaussian([0.0], sensitivity=0, scale=1), "sensitivity must be"),
        (lambda g: g.gaussian([0.0], sensitivity=1, scale=0), "scale must be"),
        (lambda g: g.gaussian([0.0], sensitivity=1, scale=math.nan), "scale must be"),
        (
            lambda g: g.gaussian([0.0], sensitivity=1, scale=1, background_sensitivity=2),
            "background_sensitivity must be in",
        ),
        (lambda g: g.laplace([0.0], sensitivity=1, scale=1, records=slice(3, None)), "records"),
        (lambda g: g.laplace([0.0], sensitivity=1, scale=1, records=slice(-3, 2)), "records"),
        (lambda g: g.laplace([0.0], sensitivity=1, scale=1, records=np.array([-1])), "records"),
        (lambda g: g.laplace([0.0], sensitivity=1, scale=1, records=np.ones(3, bool)), "records"),
        (lambda g: g.laplace([0.0], sensitivity=1, scale=1, records=[0, 1]), "records"),
        (lambda g: g.symmetric_gaussian([[1.0, 2.0]], sensitivity=1, scale=1), "square"),
        (lambda g: g.symmetric_laplace([[0, 2.0], [1, 0]], sensitivity=1, scale=1), "symmetric"),
        (lambda g: g.symmetric_gaussian([[math.nan]], sensitivity=1, scale=1), "finite"),
        (lambda g: g.wishart(np.eye(3), sensitivity=1, degrees=2, scale=1), "degrees must be > d"),
        (lambda g: g.exponential([], sensitivity=1, epsilon=1), "non-empty vector"),
        (lambda g: g.exponential([0.0], sensitivity=1, epsilon=0), "epsilon must be"),
        (lambda g: on_interval(g, [], []), "non-empty vector"),
        (lambda g: on_interval(g, [0.0, math.nan], [0.5]), "must be finite"),
        (lambda g: on_interval(g, [0.0, 1.0], [math.inf]), "must be finite"),
        (lambda g: on_interval(g, [0.0, 1.0], []), "one fewer than the 2 scores"),
        (lambda g: on_interval(g, [0.0, 1.0], [[0.5]]), "one fewer than the 2 scores"),
        (lambda g: on_interval(g, [0.0, 1.0], [1.5]), r"breaks must be in \[0.0, 1.0\]"),
        (lambda g: on_interval(g, [0.0, 1.0], [-0.5]), r"breaks must be in \[0.0, 1.0\]"),
        (lambda g: on_interval(g, [0.0, 1.0, 2.0], [0.7, 0.6]), "never fall"),
        (lambda g: on_interval(g, [0.0], [], lower=1.0), "upper must be in"),
        (lambda g: on_interval(g, [0.0], [], upper=math.inf), "upper must be"),
        (lambda g: on_interval(g, [0.0], [], lower=math.nan), "lower must be"),
        (lambda g: on_interval(g, [0.0], [], sensitivity=0), "sensitivity must be"),
        (lambda g: on_interval(g, [0.0], [], epsilon=0), "epsilon must be"),
        (lambda g: on_interval(g, [0.0], [], records=[0, 1]), "records"),
        (lambda g: g.noisy_max([0.0], sensitivity=1, scale=1, excluded=(0,)), "nothing is left"),
        (lambda g: g.noisy_max([0.0, 1], sensitivity=1, scale=1, excluded=(2,)), "excluded must"),
        (lambda g: g.peeling([0.0, 1.0], count=3, sensitivity=1, scale=1), "count must be"),
        (lambda g: g.randomized_response([2], epsilon=1), r"integers in \[0, 2\)"),
        (lambda g: g.randomized_response([0.5], epsilon=1), "integers in"),
        (lambda g: g.randomized_response([1], epsilon=1, categories=1), "categories"),
        (lambda g: g.randomized_response([1], epsilon=1, answers=0), "answers"),
        (lambda g: g.unary([3], categories=3, epsilon=1), r"integers in \[0, 3\)"),
        (lambda g: g.randomized_response([1], epsilon=1, categories=10**12 + 1), "must be <= 0"),
        (lambda g: g.randomized_response([1], epsilon=1, categories=10**13), "must be <= 0"),
        (
            lambda g: g.wishart(np.zeros((9, 2, 2)), sensitivity=1, degrees=9, scale=1),
            "must be one matrix",  # nine were charged like one
        ),
        (
            lambda g: g.wishart(np.zeros((0, 0)), sensitivity=1, degrees=9, scale=1),
            "must be one matrix",
        ),
        (lambda g: g.bit([1.5], epsilon=1), "probability must lie"),
        (lambda g: g.l2_ball(np.zeros((2, 0)), radius=1, epsilon=1), "one vector per user"),
        (lambda g: g.bit([0.5], epsilon=0), "epsilon must be"),
        (lambda g: g.l2_ball([0.5], radius=1, epsilon=1), "one vector per user"),
        (lambda g: g.l2_ball([[0.5]], radius=0, epsilon=1), "radius must be"),
        (
            lambda g: g.smooth(0.0, smooth_bound=0, smoothness=1, divisor=1, rho=1),
            "smooth_bound must be",
        ),
        (
            lambda g: g.smooth(0.0, smooth_bound=1, smoothness=1, divisor=1, rho=1, noise="cauchy"),
            "noise must be",
        ),
        (
            lambda g: g.smooth(0.0, smooth_bound=1, smoothness=1, divisor=1),
            "exactly one of rho= and epsilon=",
        ),
        (
            lambda g: g.smooth(0.0, smooth_bound=1, smoothness=1, divisor=1, rho=1, epsilon=1),
            "exactly one of rho= and epsilon=",
        ),
        (
            lambda g: g.smooth(0.0, smooth_bound=1, smoothness=1, divisor=1, epsilon=1),
            "only Gaussian noise has a cost at one epsilon, not arsinh-normal",
        ),
        (
            lambda g: g.smooth(
                0.0, smooth_bound=1, smoothness=1, divisor=1, epsilon=100, noise="gaussian"
            ),
            r"epsilon must be in \(0, 100\), got 100",
        ),
    ],
)
def test_bad_releases_are_refused_and_leave_nothing(release: Changed, message: str) -> None:
    for ledger in (Ledger(0), RecordingLedger(0)):
        with pytest.raises(ValueError, match=message):
            release(ledger)
        assert len(ledger.transcript) == 0


# ---------------------------------------------------------- noise that rounding takes away

NOISY: dict[str, Callable[[Ledger, float], Any]] = {
    "gaussian": lambda g, x: g.gaussian([x, 0.0], sensitivity=1, scale=1),
    "laplace": lambda g, x: g.laplace(x, sensitivity=1, scale=1),
    "symmetric gaussian": lambda g, x: g.symmetric_gaussian([[x]], sensitivity=1, scale=1),
    "narrow diagonal": lambda g, x: g.symmetric_gaussian(
        [[x]], sensitivity=1, scale=1, diagonal_variance=1e-30
    ),
    "symmetric laplace": lambda g, x: g.symmetric_laplace([[x]], sensitivity=1, scale=1),
    "wishart": lambda g, x: g.wishart([[x]], sensitivity=1, degrees=2, scale=1),
}


@pytest.mark.parametrize("value", [1e17, -1e17, 1.7e308, 2.0**40])
@pytest.mark.parametrize("kind", NOISY)
def test_no_value_is_so_large_that_its_noise_is_lost(kind: str, value: float) -> None:
    # the Laplace release of 1e17 was 1e17 in 2000 of 2000
    for make in (Ledger, RecordingLedger):
        ledger = make(0)
        outputs = [np.ravel(NOISY[kind](ledger, value))[0] for _ in range(300)]
        assert np.isfinite(outputs).all()
        assert outputs.count(value) <= 3  # of 2^40 the noise alone may be rounded away
        assert len(set(outputs)) > 200
    again = Ledger(0)
    assert outputs == [np.ravel(NOISY[kind](again, 1.01 * value))[0] for _ in range(300)]


@pytest.mark.parametrize("value", [1e17, -1e17, 1e300])
def test_scores_so_large_that_their_noise_is_lost_are_chosen_by_chance(value: float) -> None:
    scores = [value, np.nextafter(value, math.inf)]
    runs, ledger = 4000, Ledger(0)
    for select in (
        lambda: ledger.noisy_max(scores, sensitivity=1, scale=1),
        lambda: ledger.exponential(scores, sensitivity=1, epsilon=2),
        lambda: on_interval(ledger, scores, [0.5], epsilon=2) > 0.5,
    ):
        # fair coins but for 1e-9
        assert stats.binomtest(sum(select() for _ in range(runs)), runs).pvalue > 1e-9


def test_values_within_reach_are_released_as_they_are() -> None:
    rng, draws = np.random.default_rng(0), np.random.default_rng(5)
    value = rng.choice([-1.0, 1.0], 99) * 10.0 ** rng.uniform(-300, 12, 99)
    released = Ledger(np.random.default_rng(5)).gaussian(value, sensitivity=1, scale=1)
    np.testing.assert_array_equal(released, value + draws.standard_normal(99))
    far = value.copy()
    far[::3] = np.sign(far[::3]) * 10.0 ** rng.uniform(13, 300, 33)
    ledger, other = RecordingLedger(0), RecordingLedger(0)
    ledger.gaussian(far, sensitivity=1, scale=1)
    other.gaussian(value, sensitivity=1, scale=1)
    cut, kept = (one.transcript.releases[0].value for one in (ledger, other))
    np.testing.assert_array_equal(kept, value)
    np.testing.assert_array_equal(cut, np.clip(far, -(2.0**40), 2.0**40))
    # a replay compares what would have been released
    replayed = ReplayLedger(ledger.transcript)
    replayed.gaussian(far * 1e3, sensitivity=1, scale=1)
    assert np.abs(replayed.transcript.releases[0].value).max() == 2.0**40
    assert NoiselessLedger().laplace(1e17, sensitivity=1, scale=1) == 1e17


@pytest.mark.parametrize(
    "release",
    [
        lambda g, x: g.gaussian(x, sensitivity=1, scale=4),
        lambda g, x: g.laplace(x, sensitivity=1, scale=4),
        lambda g, x: g.symmetric_gaussian([[x]], sensitivity=1, scale=8, diagonal_variance=0.25),
        lambda g, x: g.symmetric_gaussian([[x]], sensitivity=1, scale=4, diagonal_variance=9),
        lambda g, x: g.symmetric_laplace([[x]], sensitivity=1, scale=4),
        lambda g, x: g.wishart([[x]], sensitivity=1, degrees=2, scale=4),
        lambda g, x: g.noisy_max([x], sensitivity=1, scale=4),
        lambda g, x: g.exponential([x], sensitivity=3, epsilon=1.5),
        lambda g, x: on_interval(g, [x], [], sensitivity=3, epsilon=1.5),
    ],
)
def test_how_far_noise_reaches_is_that_many_scales(release: Callable[..., object]) -> None:
    ledger = RecordingLedger(0)
    for value in (1e17, -1e17, 2.0**41):
        release(ledger, value)
    cut = [np.ravel(made.value)[0] for made in ledger.transcript.releases]
    assert cut == [2.0**42, -(2.0**42), 2.0**41]


@pytest.mark.parametrize("value", [0.0, 1.7e308])
@pytest.mark.parametrize("scale", [1e308, 1e141, 1e-141, 5e-324])
def test_scales_at_which_noise_is_no_double_are_refused_whatever_the_value(
    value: float, scale: float
) -> None:
    # twenty numbers near the largest double came out as infinities, or not
    calls: list[Callable[[Ledger], object]] = [
        lambda g: g.gaussian([value] * 20, sensitivity=1, scale=scale),
        lambda g: g.laplace([value] * 20, sensitivity=scale, scale=1),
        lambda g: g.exponential([value], sensitivity=1, epsilon=scale),
        lambda g: on_interval(g, [value], [], epsilon=scale),
        lambda g: g.noisy_max([value], sensitivity=1, scale=scale),
        lambda g: g.symmetric_laplace([[value]], sensitivity=1, scale=scale),
        lambda g: g.symmetric_gaussian([[value]], sensitivity=1, scale=1, diagonal_variance=scale),
    ]
    for make in (Ledger, RecordingLedger):
        for call in calls:
            ledger = make(0)
            with pytest.raises(ValueError, match=r"must be (from|in)"):
                call(ledger)
            assert not ledger.transcript.entries


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_the_largest_and_smallest_legal_scales_give_finite_outputs(scale: float) -> None:
    for value in (0.0, 1e300, -1.7e308):
        ledger = Ledger(0)
        found = [
            ledger.gaussian([value] * 99, sensitivity=scale, scale=scale),
            ledger.laplace([value] * 99, sensitivity=1 / scale, scale=scale),
            ledger.symmetric_gaussian(
                np.full((9, 9), value), sensitivity=1, scale=scale, diagonal_variance=scale
            ),
            ledger.wishart(np.full((3, 3), value), sensitivity=1, degrees=1e139, scale=scale),
            ledger.exponential([value] * 9, sensitivity=scale, epsilon=1 / scale),
            on_interval(ledger, [value] * 2, [0.5], sensitivity=scale, epsilon=1 / scale),
            on_interval(ledger, [value], [], lower=-9e139, upper=9e139, epsilon=scale),
            ledger.noisy_max([value] * 9, sensitivity=1, scale=scale),
        ]
        assert all(np.isfinite(each).all() for each in found)
        assert len(np.unique(found[0])) == 99


@pytest.mark.parametrize("number", [np.longdouble(1), Fraction(1, 2), pd.NA, None, "1", True])
def test_parameters_of_a_release_are_refused_by_name(number: Any) -> None:
    ledger = Ledger(0)
    for name in ("sensitivity", "scale"):
        with pytest.raises(TypeError, match=f"{name} must be a real number"):
            ledger.laplace([0.0], **{"sensitivity": 1, "scale": 1, name: number})
    with pytest.raises(TypeError, match="epsilon must be a real number"):
        ledger.randomized_response([1], epsilon=number)
    assert not ledger.transcript.entries


def test_the_rounding_of_an_asymmetric_matrix_is_not_released() -> None:
    matrix = np.array([[1.0, 0.1 + 0.2], [0.3, 2.0]])
    assert matrix[0, 1] != matrix[1, 0]
    released = Ledger(0).symmetric_gaussian(matrix, sensitivity=1, scale=1)
    np.testing.assert_array_equal(released, released.T)


@pytest.mark.parametrize("value", [0.25, 1e300, -1.7e308])
@pytest.mark.parametrize("bound", [5e-324, 1e-300, 1e308])
@pytest.mark.parametrize("divisor", [1e-140, 1e140])
def test_smooth_noise_is_a_double_whatever_the_private_bound(
    value: float, bound: float, divisor: float
) -> None:
    ledger = RecordingLedger(0)
    noisy = ledger.smooth([value], smooth_bound=bound, smoothness=1, divisor=divisor, rho=1)
    (release,) = ledger.transcript.releases
    assert release.mechanism.scale > 0
    assert np.isfinite(noisy).all()
    assert np.isfinite(release.mechanism.log_density(noisy, release.value, 0)).all()


@pytest.mark.parametrize("value", [1e200, -1.7e308, 5e-324])
@pytest.mark.parametrize("radius", [5e-324, 1.0, 1e300])
def test_no_vector_is_too_long_or_too_short_for_the_ball(value: float, radius: float) -> None:
    noisy = Ledger(0).l2_ball(np.full((3, 4), value), radius=radius, epsilon=1)
    assert np.isfinite(noisy).all()


def test_a_long_vector_takes_no_square_of_memory() -> None:
    assert Ledger(0).l2_ball(np.zeros((1, 10**6)), radius=1, epsilon=1).shape == (1, 10**6)


def test_open_ledger() -> None:
    ledger = Ledger(0)
    assert open_ledger(ledger) is ledger
    assert isinstance(open_ledger(None), Ledger)
    with pytest.raises(TypeError, match="must be a Ledger"):
        open_ledger(7)  # type: ignore[arg-type]
