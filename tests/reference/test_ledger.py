"""The ledger in all its modes, and replays of its transcripts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from auditor.transcript.replay import record, replay
from reference.privacy.ledger import (
    ControlFlowError,
    GivenDrawsLedger,
    Ledger,
    MutatedLedger,
    NoiselessLedger,
    RecordingLedger,
    ReplayLedger,
    Subsample,
    open_ledger,
)
from reference.privacy.mechanisms import Gaussian

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


def test_open_ledger() -> None:
    ledger = Ledger(0)
    assert open_ledger(ledger) is ledger
    assert isinstance(open_ledger(None), Ledger)
    with pytest.raises(TypeError, match="must be a Ledger"):
        open_ledger(7)  # type: ignore[arg-type]
