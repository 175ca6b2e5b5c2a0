"""The algorithm itself: which nodes are released when, and what is made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from reference.privacy import Ledger, NoiselessLedger, RecordingLedger
from tree_regression.algorithm import (
    LARGEST,
    Constants,
    completed,
    constants_for,
    nodes_of_a_record,
    tree_regression,
)
from tree_regression.printed import printed

GIVEN = {
    "radius": 3.0,
    "step_size": 0.1,
    "clipping_threshold": 1.0,
    "epsilon": 1.0,
    "delta": 1e-3,
}


def some_data(n: int, p: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, p))
    return features, features @ np.arange(1.0, p + 1) + rng.normal(size=n)


def test_the_nodes_of_five_records_by_hand() -> None:
    ends = {t: [(node.start, node.stop) for node in completed(t)] for t in range(1, 6)}
    assert ends == {
        1: [(0, 1)],
        2: [(1, 2), (0, 2)],
        3: [(2, 3)],
        4: [(3, 4), (2, 4), (0, 4)],
        5: [(4, 5)],
    }


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33])
def test_no_record_is_in_more_nodes_than_the_first(n: int) -> None:
    nodes = [node for t in range(1, n + 1) for node in completed(t)]
    counts = [sum(node.start <= record < node.stop for node in nodes) for record in range(n)]
    assert max(counts) == counts[0] == nodes_of_a_record(n) == math.floor(math.log2(n)) + 1


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_a_pass_spends_what_it_claims(n: int) -> None:
    ledger = Ledger(0)
    tree_regression(some_data(n), **GIVEN, ledger=ledger)
    assert ledger.spent(delta=GIVEN["delta"]).epsilon == pytest.approx(1.0, rel=1e-6)
    assert len(ledger.transcript.releases) == 2 * n - n.bit_count()


def test_the_wrong_count_spends_more_where_n_is_a_power_of_two() -> None:
    spent = {}
    for n in (5, 8):
        ledger = Ledger(0)
        printed(some_data(n), **GIVEN, ledger=ledger)
        spent[n] = ledger.spent(delta=GIVEN["delta"]).epsilon
    assert spent[5] == pytest.approx(1.0, rel=1e-6)
    assert spent[8] > 1.15


@pytest.mark.parametrize("radius", [3.0, 0.4])
def test_without_noise_it_follows_the_leader(radius: float) -> None:
    features, labels = some_data(11)
    given = {**GIVEN, "radius": radius}
    found = tree_regression((features, labels), **given, ledger=NoiselessLedger(0))
    x, total, path = np.zeros(3), np.zeros(3), [np.zeros(3)]
    for z, y in zip(features, labels, strict=True):
        gradient = (z @ x - y) * z
        total += gradient / max(1.0, float(np.linalg.norm(gradient)))
        x = -0.1 * total
        x = x / max(1.0, float(np.linalg.norm(x)) / radius)
        path.append(x)
    np.testing.assert_allclose(found.path, path, rtol=1e-13, atol=1e-15)
    assert (np.linalg.norm(path, axis=1).max() == pytest.approx(radius)) == (radius < 1)
    np.testing.assert_allclose(found.average, np.mean(path[:-1], axis=0), rtol=1e-13)


def test_a_prefix_sum_is_that_of_its_noisy_nodes() -> None:
    ledger = RecordingLedger(4)
    given = {**GIVEN, "radius": LARGEST, "step_size": 1.0}
    path = tree_regression(some_data(7), **given, ledger=ledger).path
    releases = ledger.transcript.releases
    nodes = [node for t in range(1, 8) for node in completed(t)]
    assert [release.claim.records for release in releases] == nodes
    released = [np.asarray(release.output) for release in releases]
    # 1 | 2, 1-2 | 3 | 4, 3-4, 1-4 | 5 | 6, 5-6 | 7
    parts = {1: [0], 2: [2], 3: [2, 3], 4: [6], 5: [6, 7], 6: [6, 9], 7: [6, 9, 10]}
    for t, own in parts.items():
        np.testing.assert_allclose(path[t], -sum(released[k] for k in own), rtol=1e-12)


def test_a_rotation_of_the_features_rotates_the_path() -> None:
    features, labels = some_data(9)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    plain, turned = (
        tree_regression((z, labels), **GIVEN, ledger=NoiselessLedger(0)).path
        for z in (features, features @ turn)
    )
    np.testing.assert_allclose(turned, plain @ turn, rtol=1e-10, atol=1e-12)


def test_the_order_of_the_records_matters() -> None:
    features, labels = some_data(9)
    first = tree_regression((features, labels), **GIVEN, ledger=NoiselessLedger(0)).average
    other = tree_regression(
        (features[::-1], labels[::-1]), **GIVEN, ledger=NoiselessLedger(0)
    ).average
    assert np.linalg.norm(first - other) > 1e-3


def test_huge_records_pull_no_more_than_others() -> None:
    features, labels = some_data(4)
    features[2] = 1e300
    labels[3] = -1e300
    path = tree_regression((features, labels), **GIVEN, ledger=NoiselessLedger(0)).path
    assert np.isfinite(path).all()
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() <= 0.1 * (1 + 1e-12)


def test_the_constants_by_hand() -> None:
    found = constants_for(4, clipping_threshold=2.0, epsilon=1.0, delta=1e-2)
    one = constants_for(1, clipping_threshold=2.0, epsilon=1.0, delta=1e-2)
    assert found.sensitivity == one.sensitivity == 4.0
    assert found.noise_scale == pytest.approx(math.sqrt(3) * one.noise_scale, rel=1e-9)


def test_other_constants_are_taken() -> None:
    ledger = RecordingLedger(0)
    tree_regression(some_data(2), **GIVEN, constants=Constants(2.0, 50.0), ledger=ledger)
    assert {release.mechanism.scale for release in ledger.transcript.releases} == {50.0}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": 3}, "must be .features, labels."),
        ({"data": ([[1.0]], [1.0, 2.0])}, "got shapes"),
        ({"data": ([1.0], [1.0])}, "got shapes"),
        ({"data": (np.zeros((0, 2)), [])}, "got shapes"),
        ({"data": ([[math.nan]], [1.0])}, "must be finite"),
        ({"data": ([[1.0]], [math.inf])}, "must be finite"),
        ({"radius": 0.0}, "radius must be"),
        ({"step_size": -1.0}, "step_size must be"),
        ({"clipping_threshold": math.inf}, "clipping_threshold must be"),
        ({"epsilon": math.nan}, "epsilon must be"),
        ({"delta": 0.0}, "delta must be"),
    ],
)
def test_bad_input_is_refused_before_any_release(changes: dict[str, Any], message: str) -> None:
    ledger = Ledger(0)
    given = {"data": some_data(4), **GIVEN, **changes}
    with pytest.raises(ValueError, match=message):
        tree_regression(**given, ledger=ledger)
    assert ledger.transcript.releases == ()
