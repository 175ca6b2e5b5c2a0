"""Bounds on restricted isometry constants. Seeds are fixed; no test depends on chance."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard

from reference.sparse.restricted_isometry import (
    RestrictedIsometry,
    isometry_of_gram,
    restricted_isometry,
)


def signs(n: int, p: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, p))


def bounds(features: Any, sparsity: int, seed: int = 0, **options: Any) -> RestrictedIsometry:
    return restricted_isometry(features, sparsity, rng=np.random.default_rng(seed), **options)


def by_singular_values(features: Any, support: Any) -> float:
    n = len(features)
    values = np.linalg.svd(features[:, list(support)] / np.sqrt(n), compute_uv=False) ** 2
    return float(max(values[0] - 1, 1 - values[-1]))


def test_orthogonal_columns_have_none() -> None:
    for sparsity in (1, 3, 40):  # of 3, more supports than are all tried
        found = bounds(hadamard(64)[:, :40].astype(float), sparsity)
        assert found.lower == pytest.approx(0.0, abs=1e-12)
        assert found.upper == pytest.approx(0.0, abs=1e-12)


def test_two_equal_columns_have_one() -> None:
    features = signs(400, 60)
    features[:, 41] = features[:, 7]
    two = bounds(features, 2)
    assert two.lower == two.upper == pytest.approx(1.0)
    assert two.support.tolist() == [7, 41]
    # of five, more than are all tried: they are found among 5.5 million supports
    five = bounds(features, 5)
    assert {7, 41} <= set(five.support)
    assert five.lower >= 1.0


def test_one_column_is_as_far_as_its_norm() -> None:
    found = bounds([[2.0, 1.0], [2.0, 0.5]], 1)
    assert found.lower == found.upper == pytest.approx(3.0)
    assert found.support.tolist() == [0]


@pytest.mark.parametrize("scale", [0.3, 1.2])
def test_a_column_of_another_length_is_found_on_either_side_of_one(scale: float) -> None:
    features = hadamard(64)[:, :40].astype(float)
    features[:, 23] *= scale
    found = bounds(features, 5)  # 658,008 supports
    assert found.lower == pytest.approx(abs(scale**2 - 1))
    assert found.upper == pytest.approx(abs(scale**2 - 1))
    assert 23 in found.support


def test_short_columns_are_searched_for_as_well() -> None:
    features = hadamard(128)[:, :100].astype(float)
    features[:, 90] *= 0.5  # among no start that is a column; products of columns stay exact
    found = bounds(features, 5, n_starts=3)
    assert found.lower == pytest.approx(0.75)
    assert 90 in found.support


def test_two_signs_are_as_far_from_isometric_as_they_are_correlated() -> None:
    features = signs(300, 100)  # 4,950 pairs, not all of them tried
    largest = np.abs(features.T @ features / 300 - np.eye(100)).max()
    found = bounds(features, 2)
    assert found.lower == pytest.approx(largest)
    assert found.upper == pytest.approx(largest)
    all_columns = by_singular_values(features, range(100))
    assert bounds(features, 60, n_starts=1).upper == pytest.approx(all_columns)


def test_columns_of_one_correlation_attain_the_circles() -> None:
    gram = np.full((40, 40), 0.05) + 0.95 * np.eye(40)
    found = isometry_of_gram(gram, 5, rng=np.random.default_rng(0))  # 658,008 supports
    assert found.lower == pytest.approx(4 * 0.05)
    assert found.upper == pytest.approx(4 * 0.05)


def test_a_few_columns_that_are_correlated_among_others_attain_the_circles() -> None:
    gram = np.eye(60)
    gram[:3, :3] += 0.05 * (1 - np.eye(3))
    found = isometry_of_gram(gram, 3, rng=np.random.default_rng(0))  # 34,220 supports
    assert found.support.tolist() == [0, 1, 2]
    assert found.lower == pytest.approx(2 * 0.05)
    assert found.upper == pytest.approx(2 * 0.05)


@pytest.mark.parametrize("seed", range(5))
def test_bounds_hold_and_the_search_finds_the_worst_of_few_supports(seed: int) -> None:
    features = signs(60, 16, seed)
    exact = max(by_singular_values(features, s) for s in combinations(range(16), 5))
    found = bounds(features, 5, seed)  # 4,368 supports: not all are tried
    assert found.lower == pytest.approx(by_singular_values(features, found.support))
    assert found.lower <= exact * (1 + 1e-12)
    assert found.lower >= 0.99 * exact
    assert exact <= found.upper * (1 + 1e-12)
    assert found.upper > found.lower


def test_few_supports_are_all_tried() -> None:
    features = signs(40, 14, 3)
    exact = max(by_singular_values(features, s) for s in combinations(range(14), 4))
    found = bounds(features, 4)
    assert found.lower == found.upper == pytest.approx(exact)


def test_at_p_and_above_it_is_that_of_all_columns() -> None:
    features = signs(30, 7)
    for sparsity in (7, 17):
        found = bounds(features, sparsity)
        assert found.lower == found.upper == pytest.approx(by_singular_values(features, range(7)))


def test_the_constant_grows_with_the_sparsity() -> None:
    features = signs(300, 100, 1)
    lower = [bounds(features, s).lower for s in (1, 2, 4, 8, 16)]
    assert (np.diff(lower) > 0).all()


@pytest.mark.parametrize(
    ("n", "at_least"), [(200, 1.15), (500, 0.65), (1000, 0.45), (2000, 0.29), (4000, 0.19)]
)
def test_seventeen_columns_of_two_hundred(n: int, at_least: float) -> None:
    """s* = 1, p = 200: at n = 2000 the 2/7 of Theorem 5.3.6 is not met yet."""
    found = bounds(signs(n, 200), 17)
    assert found.lower >= at_least
    assert found.lower == pytest.approx(by_singular_values(signs(n, 200), found.support))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"features": [[np.nan, 1.0]]}, ValueError, "features must be finite"),
        ({"features": [1.0, 2.0]}, ValueError, "features must have 2 dimension"),
        ({"sparsity": 0}, ValueError, "sparsity must be an integer >= 1"),
        ({"sparsity": 1.5}, TypeError, "sparsity must be an integer"),
        ({"n_starts": 0}, ValueError, "n_starts must be an integer >= 1"),
    ],
)
def test_bad_input_is_refused(change: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        bounds(**{"features": np.eye(2), "sparsity": 1, **change})
