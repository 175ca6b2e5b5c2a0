"""The exact ledger: every algorithm runs on it, and it is a ledger like the live one."""

from __future__ import annotations

import multiprocessing
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import auditor
from auditor.described import build_case, modules, settings
from auditor.questions.accounting import account
from auditor.questions.domain import claimed
from reference.catalogue import entry
from reference.privacy import ExactLedger, Ledger, LimitExceeded, mechanisms
from reference.privacy.exact.noise import GRID_BITS, SIGNIFICANT
from reference.privacy.exact.releases import exact_output, sampler_of
from reference.privacy.exact.sources import KnownBytes
from reference.privacy.ledger import RecordingExactLedger, RecordingLedger, Release, ReplayLedger
from reference.privacy.mechanisms import Gaussian, Laplace, Mechanism, SmoothSensitivity, Wishart


def known(seed: int = 0, **given: Any) -> ExactLedger:
    return ExactLedger(insecure_bytes=KnownBytes(seed), **given)


def laplace(ledger: Ledger, value: Any = 0.0, scale: float = 1.0, **given: Any) -> Any:
    return ledger.laplace(value, sensitivity=1, scale=scale, **given)


# ------------------------------------------------------------------------------- all algorithms


@pytest.mark.parametrize("identifier", sorted(modules()))
def test_an_algorithm_runs_in_all_settings_and_spends_what_it_claims(identifier: str) -> None:
    for setting in settings(identifier):
        if setting.form:
            continue
        ledger = RecordingExactLedger(setting.seed)
        entry(identifier).function(**setting.arguments, ledger=ledger)
        transcript = ledger.transcript
        if setting.arguments.get("constants") is None:  # else they fix what is spent
            claim = claimed(build_case(identifier).forms["corrected"], setting.arguments)
            assert account(transcript, claim, bound_below=False).certified
        assert all(map(_is_on_its_grid, transcript.releases))


def _is_on_its_grid(release: Release) -> bool:
    """Return whether an output has no digits but those that its public scale allows."""
    output, mechanism = np.asarray(release.output), release.mechanism
    if isinstance(mechanism, SmoothSensitivity):
        steps = np.frexp(output)[0] * 2.0**SIGNIFICANT
    elif isinstance(mechanism, Laplace | Gaussian | Wishart):
        steps = output * 2.0 ** (GRID_BITS - np.floor(np.log2(mechanism.scale)))
    else:
        return True
    return bool((steps == np.rint(steps)).all())


def test_the_account_is_that_of_a_ledger() -> None:
    arguments = settings("wang-1")[0].arguments
    ledgers = [RecordingLedger(1), RecordingExactLedger(1), ExactLedger()]
    for ledger in ledgers:
        entry("wang-1").function(**arguments, ledger=ledger)
    one, two, three = (ledger.spent(delta=1e-6) for ledger in ledgers)
    assert one == two == three


# -------------------------------------------------------------------------------- as a ledger


def test_a_seed_is_refused() -> None:
    seeded: Any = ExactLedger
    with pytest.raises(TypeError, match="seed must be left out: whoever knows it has the noise"):
        seeded(7)
    for wrong in (7, b"bytes", KnownBytes):
        with pytest.raises(TypeError, match="insecure_bytes must be KnownBytes, for tests only"):
            seeded(insecure_bytes=wrong)


def test_two_ledgers_have_different_noise_and_known_bytes_the_same() -> None:
    one, two = (laplace(ExactLedger(), np.zeros(9)) for _ in range(2))
    assert (one != two).all()
    three, four = (laplace(known(3), np.zeros(9)) for _ in range(2))
    assert (three == four).all()
    assert (laplace(known(4), np.zeros(9)) != three).all()
    ledger = known(3)
    assert (laplace(ledger, np.zeros(9)) != laplace(ledger, np.zeros(9))).all()


def test_a_limit_is_kept_before_anything_is_drawn() -> None:
    ledger = known(limit=(1.0, 0.0))
    laplace(ledger, scale=1.0)
    calls = ledger._bits.source._calls  # type: ignore[attr-defined]
    with pytest.raises(LimitExceeded):
        laplace(ledger, scale=1.0)
    assert ledger._bits.source._calls == calls  # type: ignore[attr-defined]
    assert ledger.spent(delta=0).epsilon == 1.0


def test_spawned_ledgers_are_exact_and_independent_and_count() -> None:
    ledger = known(5)
    parts = ledger.spawn(2, records=[slice(0, 5), slice(5, 10)])
    noises = [laplace(part) for part in (*parts, *ledger.spawn(1), ledger)]
    assert len(set(map(float, noises))) == 4
    assert all(type(part) is ExactLedger for part in parts)
    assert ledger.spent(delta=0).epsilon == 3.0


def _job(ledger: ExactLedger) -> Any:
    return float(laplace(ledger)), ledger.close()


@pytest.mark.parametrize("make", [known, ExactLedger])
def test_a_spawned_ledger_works_in_another_process(make: Any) -> None:
    ledger = make()
    parts = ledger.spawn(2)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        (one, first), (two, second) = pool.map(_job, parts)
    assert one != two
    ledger.collect([first, second])
    assert ledger.spent(delta=0).epsilon == 2.0
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        pickle.dumps(ledger)


def test_a_replay_takes_the_transcript_of_an_exact_run() -> None:
    def run(ledger: Ledger, value: float) -> Any:
        return laplace(ledger, value) + ledger.exponential([0, value], sensitivity=1, epsilon=1)

    recording = RecordingExactLedger(1)
    out = run(recording, 0.0)
    replaying = ReplayLedger(recording.transcript)
    assert run(replaying, 1.0) == out
    assert float(replaying.finish().releases[0].value) == 1.0  # type: ignore[arg-type]


@pytest.mark.parametrize("replace", [False, True])
def test_subsamples_come_from_its_bytes(replace: bool) -> None:
    ledger = known(6)
    drawn = np.concatenate([ledger.subsample(10, 4, replace=replace).indices for _ in range(2000)])
    assert stats.chisquare(np.bincount(drawn, minlength=10)).pvalue > 1e-6
    assert (known(6).subsample(10, 4).indices == known(6).subsample(10, 4).indices).all()


def test_what_is_public_follows_from_its_bytes() -> None:
    one, two, three = (known(k).public(lambda rng: rng.random()) for k in (1, 1, 2))
    assert one == two != three


def test_every_mechanism_has_an_exact_sampler() -> None:
    named = (getattr(mechanisms, name) for name in mechanisms.__all__)
    kinds = [it for it in named if isinstance(it, type) and issubclass(it, Mechanism)]
    assert len(kinds) == 13
    for kind in kinds:
        assert kind is Mechanism or callable(sampler_of(kind))


def test_a_mechanism_without_an_exact_sampler_is_refused() -> None:
    class Other(Laplace):  # its noise may be another
        pass

    with pytest.raises(TypeError, match="no exact sampler of Other releases; use Ledger"):
        exact_output(Other(1.0), np.zeros(1), known()._bits)


# ------------------------------------------------------------------------------ extreme numbers


@pytest.mark.parametrize("scale", [1e-140, 3.0, 1e140])
@pytest.mark.parametrize("far", [0.0, 5e-324, 1e-3, 1.0, 2.0**40, 2.0**50])
def test_noise_has_its_scale_wherever_the_value_is(scale: float, far: float) -> None:
    value = far if far == 5e-324 else far * scale
    base = min(value, 2.0**40 * scale)  # where values are cut
    values, usual = np.full(4000, value), {"sensitivity": scale, "scale": scale}
    for release, law in ((known(7).laplace, "laplace"), (known(7).gaussian, "norm")):
        assert stats.kstest((release(values, **usual) - base) / scale, law).pvalue > 1e-6


def test_empty_values_are_released_as_such() -> None:
    ledger = known()
    assert laplace(ledger, np.zeros((0, 3))).shape == (0, 3)
    assert ledger.gaussian([], sensitivity=1, scale=1).shape == (0,)
    assert ledger.randomized_response([], epsilon=1).shape == (0,)


def test_a_point_of_an_interval_is_in_it_and_in_a_piece_with_a_length() -> None:
    ledger = known(8)
    for lower, upper in ((1e10, np.nextafter(1e10, np.inf)), (-9e139, 9e139), (0.0, 1e-140)):
        found = ledger.interval_exponential(
            [0.0, 9e9, 0.0], [lower, lower], lower=lower, upper=upper, sensitivity=1, epsilon=1
        )
        assert lower <= found < upper


def test_points_of_an_interval_are_on_the_grid_of_its_length() -> None:
    ledger = known(8)
    for lower, upper, step in ((-8.0, 8.0, 2.0**-48), (96.0, 97.5, 2.0**-46)):  # of doubles there
        found = np.array(
            [
                ledger.interval_exponential(
                    [0.0], [], lower=lower, upper=upper, sensitivity=1, epsilon=1
                )
                for _ in range(50)
            ]
        )
        assert (found / step == np.rint(found / step)).all()
        assert (found / step % 2 == 1).any()  # none coarser


def test_scores_far_apart_select_the_best() -> None:
    ledger = known(9)
    scores = [0.0, 1e12, 1e12 - 900]
    assert ledger.exponential(scores, sensitivity=1, epsilon=1) == 1
    assert ledger.noisy_max(scores, sensitivity=1, scale=1) == 1
    assert ledger.noisy_max(scores, sensitivity=1, scale=1, excluded=[1]) == 2


# ------------------------------------------------------------------------------- low-order bits


def _noisy_count(make: Any, data: Any, rng: Any) -> float:
    return float(laplace(make(rng), float(sum(data))))


def _exact(rng: Any) -> ExactLedger:
    return known(int(rng.integers(2**63)))


@pytest.mark.parametrize(("make", "status"), [(Ledger, "violated"), (_exact, "holds")])
def test_low_order_bits_tell_of_the_value_on_a_ledger_and_not_on_an_exact_one(
    make: Any, status: str
) -> None:
    found = auditor.check(
        partial(_noisy_count, make),
        pair=([0, 1], [0, 0]),
        epsilon=1.0,
        samples=6000,
        floating_point="count",
    )
    assert found.status == status
