"""Every kind of release has what an auditor needs, and finds it."""

from __future__ import annotations

import inspect
import itertools

import mpmath
import numpy as np
import pytest

from auditor.mechanisms import KINDS, exact_distance, kind_of, rounding_allowance, uniforms
from auditor.mechanisms.noisy_max import laplace_argmax_probabilities
from auditor.mechanisms.release_kind import ReleaseKind, sampling_probability
from auditor.questions.mutants import _quiet
from auditor.transcript.replay import record, replay
from reference.privacy import mechanisms
from reference.privacy.ledger import Release, ReleaseClaim
from reference.privacy.ledger.transcript import Subsample
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


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("replace", [True, False])
def test_a_record_is_drawn_as_often_as_all_draws_say(size: int, replace: bool) -> None:
    population = 4
    every = (
        list(itertools.product(range(population), repeat=size))
        if replace
        else list(itertools.combinations(range(population), size))
    )
    share = sum(0 in drawn for drawn in every) / len(every)
    sample = Subsample(np.arange(size), population, replace, 0, size)
    assert sampling_probability(sample) == pytest.approx(share, rel=1e-12)


def test_every_mechanism_has_a_kind_of_its_own() -> None:
    assert set(KINDS) == set(EXPORTED)
    assert len(set(KINDS.values())) == len(KINDS)
    assert all(issubclass(kind, ReleaseKind) for kind in KINDS.values())


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


ONE = {"sensitivity": 1.0, "scale": 1.0}


def values_of_every_kind(data, ledger):
    x, scores = data[0], data[0] * np.array([1.0, 3.0, -2.0])
    matrix = np.random.default_rng(0).standard_normal((3, 3))
    matrix = x * (matrix + matrix.T)
    ledger.gaussian(x * np.array([1.0, -2.0]), **ONE)
    ledger.laplace(x * np.array([1.0, -2.0]), **ONE)
    ledger.symmetric_gaussian(matrix, diagonal_variance=2.0, **ONE)
    ledger.symmetric_laplace(matrix, **ONE)
    ledger.wishart(matrix, degrees=4.0, **ONE)
    ledger.exponential(scores, sensitivity=1.0, epsilon=1.0)
    breaks = [0.2 * x, 0.6 + 0.1 * x]
    ledger.interval_exponential(scores, breaks, lower=0.0, upper=1.0, sensitivity=1.0, epsilon=1.0)
    ledger.noisy_max(scores, **ONE)
    ledger.randomized_response([np.floor(x), 0.0], epsilon=1.0, categories=3, unit="dataset")
    ledger.bit(0.3 + 0.2 * x, epsilon=1.0, unit="dataset")
    ledger.l2_ball(x * np.array([[0.6, 0.4]]), radius=2.0, epsilon=1.0)
    ledger.smooth(3.0 * x, smooth_bound=1.0 + 0.5 * x, smoothness=0.1, divisor=2.0, rho=0.5)


def on_both_data_sets() -> list[tuple[Release, Release]]:
    """Return a release of every kind on two data sets."""
    transcript, _ = record(values_of_every_kind, np.array([0.5]), 0)
    replayed = replay(values_of_every_kind, np.array([2.0]), transcript)
    return list(zip(transcript.releases, replayed.releases, strict=True))


def test_distances_at_50_digits_agree_with_the_mechanisms():
    with mpmath.workdps(50):
        pairs = on_both_data_sets()
        for first, second in pairs:
            mechanism = first.mechanism
            if isinstance(mechanism, SmoothSensitivity):
                wanted = mechanism.smooth_distance(first.value, second.mechanism, second.value)
            else:
                distance = mechanism.distance(first.value, second.value, first.claim.axes)
                wanted = float(np.max(distance))
            pair = [first, second]
            if first.claim.unit == "record":
                pair = [release._replace(value=release.value[0]) for release in pair]
            assert wanted > 0
            assert float(exact_distance(*pair)) == pytest.approx(wanted, rel=1e-13)
    assert {first.mechanism.kind for first, _ in pairs} == {m.kind for m in EXPORTED}


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
    for pair in on_both_data_sets():
        few, many = (rounding_allowance(*pair, n, 1.0) for n in (1, 10**6))
        if pair[0].mechanism.kind == "randomized response":
            assert few == many == 0.0
        else:
            assert 0 < few < 1e-12
            assert few < many < 1e-2


def test_laplace_argmax_probabilities() -> None:
    scores = np.random.default_rng(3).normal(scale=4.0, size=15)
    scores[3] = -100.0
    expected = np.exp([laplace_argmax_log_probability(scores, i) for i in range(15)])
    np.testing.assert_allclose(laplace_argmax_probabilities(scores), expected, atol=1e-6)
    np.testing.assert_allclose(laplace_argmax_probabilities(np.zeros(4)), 0.25, atol=1e-6)
