"""Every kind of release has what an auditor needs, and finds it."""

from __future__ import annotations

import inspect
from typing import Any

import mpmath
import numpy as np
import pytest

from auditor.mechanisms import KINDS, exact_distance, kind_of, rounding_allowance, uniforms
from auditor.mechanisms.noisy_max import laplace_argmax_probabilities
from auditor.mechanisms.release_kind import ReleaseKind
from auditor.questions.mutants import _quiet
from auditor.transcript.replay import record, replay
from reference.privacy import mechanisms
from reference.privacy.ledger import RecordingLedger, Release, ReleaseClaim
from reference.privacy.mechanisms import (
    IntervalExponential,
    Laplace,
    Mechanism,
    SmoothSensitivity,
    laplace_argmax_log_probability,
)

EXPORTED = [
    found
    for name in mechanisms.__all__
    if inspect.isclass(found := getattr(mechanisms, name))
    and issubclass(found, Mechanism)
    and not inspect.isabstract(found)
]


@pytest.mark.parametrize("mechanism", EXPORTED)
def test_every_mechanism_has_its_kind(mechanism: type[Mechanism]) -> None:
    assert issubclass(KINDS[mechanism], ReleaseKind)


def test_no_kind_serves_two_mechanisms_or_none() -> None:
    assert set(KINDS) == set(EXPORTED)
    assert len(set(KINDS.values())) == len(KINDS)


def test_a_derived_mechanism_is_of_its_ancestors_kind() -> None:
    release = Release(_quiet(Laplace(2.0), 0.5), ReleaseClaim(1.0))
    assert type(release.mechanism) is not Laplace
    assert type(kind_of(release)) is KINDS[Laplace]


def test_an_unknown_mechanism_is_refused() -> None:
    class Unheard(Mechanism):
        kind = "unheard of"

    Unheard.__abstractmethods__ = frozenset()
    release = Release(Unheard(), ReleaseClaim(1.0), np.zeros(1), None, np.zeros(1))  # type: ignore[abstract]
    for ask in (
        lambda: exact_distance(release, release),
        lambda: rounding_allowance(release, release, 1, 1.0),
        lambda: uniforms(release, np.random.default_rng(0)),
    ):
        with pytest.raises(TypeError, match=r"'unheard of' releases of Unheard; add a kind"):
            ask()


def values_of_every_kind():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((3, 3))
    matrix = matrix + matrix.T

    def run(data, ledger):
        x = data[0]
        ledger.gaussian(x * np.array([1.0, -2.0]), sensitivity=1.0, scale=1.0)
        ledger.laplace(x * np.array([1.0, -2.0]), sensitivity=1.0, scale=1.0)
        ledger.symmetric_gaussian(x * matrix, sensitivity=1.0, scale=1.0, diagonal_variance=2.0)
        ledger.symmetric_laplace(x * matrix, sensitivity=1.0, scale=1.0)
        ledger.wishart(x * matrix, sensitivity=1.0, degrees=4.0, scale=1.0)
        ledger.exponential(x * np.array([1.0, 3.0, -2.0]), sensitivity=1.0, epsilon=1.0)
        ledger.interval_exponential(
            x * np.array([1.0, 3.0, -2.0]),
            [0.2 * x, 0.6 + 0.1 * x],
            lower=0.0,
            upper=1.0,
            sensitivity=1.0,
            epsilon=1.0,
        )
        ledger.noisy_max(x * np.array([1.0, 3.0, -2.0]), sensitivity=1.0, scale=1.0)
        ledger.randomized_response([np.floor(x), 0.0], epsilon=1.0, categories=3, unit="dataset")
        ledger.bit(0.3 + 0.2 * x, epsilon=1.0, unit="dataset")
        ledger.l2_ball(x * np.array([[0.6, 0.4]]), radius=2.0, epsilon=1.0)
        ledger.smooth(3.0 * x, smooth_bound=1.0 + 0.5 * x, smoothness=0.1, divisor=2.0, rho=0.5)

    return run


def test_distances_at_50_digits_agree_with_the_mechanisms():
    run = values_of_every_kind()
    data, other = np.array([0.5]), np.array([2.0])
    with mpmath.workdps(50):
        transcript, _ = record(run, data, 0)
        kinds = set()
        for first, second in zip(
            transcript.releases, replay(run, other, transcript).releases, strict=True
        ):
            mechanism = first.mechanism
            kinds.add(mechanism.kind)
            if isinstance(mechanism, SmoothSensitivity):
                wanted = mechanism.smooth_distance(first.value, second.mechanism, second.value)
            else:
                wanted = float(
                    np.max(mechanism.distance(first.value, second.value, first.claim.axes))
                )
            first, second = (
                r._replace(value=r.value[0]) if r.claim.unit == "record" else r
                for r in (first, second)
            )
            assert wanted > 0
            assert float(exact_distance(first, second)) == pytest.approx(wanted, rel=1e-13)
    assert len(kinds) == 12


def test_a_break_inside_a_piece_counts_from_both_sides() -> None:
    claim = ReleaseClaim(1.0)
    mechanism = IntervalExponential(1.0, 0.0, 1.0)
    whole, broken = (
        Release(mechanism, claim, np.array(value))
        for value in ([[1.0, 1.0], [0.0, 0.25]], [[1.0, 4.0], [0.0, 0.5]])
    )
    assert exact_distance(whole, broken) == exact_distance(broken, whole) == 3
    # what has no length does not count
    at_the_end = Release(mechanism, claim, np.array([[1.0, 9.0], [0.0, 1.0]]))
    assert exact_distance(whole, at_the_end) == exact_distance(at_the_end, whole) == 0


def test_every_kind_allows_for_the_rounding_of_what_it_computes() -> None:
    run = values_of_every_kind()
    data, other = np.array([0.5]), np.array([2.0])
    transcript, _ = record(run, data, 0)
    for first, second in zip(
        transcript.releases, replay(run, other, transcript).releases, strict=True
    ):
        few, many = (rounding_allowance(first, second, n, 1.0) for n in (1, 10**6))
        if first.mechanism.kind == "randomized response":
            assert few == many == 0.0
        else:
            assert 0 < few < 1e-12
            assert few < many < 1e-2


def test_every_kind_places_its_outputs_uniformly() -> None:
    run, runs, rng = values_of_every_kind(), 400, np.random.default_rng(1)
    numbers: dict[str, list[Any]] = {}
    for seed in range(runs):
        ledger = RecordingLedger(seed)
        run(np.array([0.5]), ledger)
        for release in ledger.transcript.releases:
            numbers.setdefault(release.mechanism.kind, []).append(uniforms(release, rng))
    for found in numbers.values():
        u = np.sort(np.concatenate(found))
        # Massart 1990: beyond 2.63/sqrt(n) with probability 2e-6
        distance = np.abs(u - (np.arange(u.size) + 0.5) / u.size).max()
        assert distance < 2.63 / np.sqrt(u.size)
    assert len(numbers) == len(KINDS)


def test_laplace_argmax_probabilities() -> None:
    scores = np.random.default_rng(3).normal(scale=4.0, size=15)
    scores[3] = -100.0
    expected = np.exp([laplace_argmax_log_probability(scores, i) for i in range(15)])
    np.testing.assert_allclose(laplace_argmax_probabilities(scores), expected, atol=1e-6)
    np.testing.assert_allclose(laplace_argmax_probabilities(np.zeros(4)), 0.25, atol=1e-6)
