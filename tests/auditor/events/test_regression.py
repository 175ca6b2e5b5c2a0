"""Regression on groups of features: each family finds what no other does. Seeds are fixed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from auditor.events import regression
from auditor.events.features import Cells, Lines, Total, Unmixed
from auditor.events.outcomes import OutcomeTable
from auditor.events.regression import Regression, fit_weights
from auditor.events.views import Summaries, Tables

N = 8000
Draw = Callable[[np.random.Generator], tuple[np.ndarray, ...]]


def table(numbers: np.ndarray) -> OutcomeTable:
    return OutcomeTable(np.asarray(numbers, dtype=np.float64), {})


def fitted(first: np.ndarray, second: np.ndarray) -> Total | None:
    cut = len(first) // 2
    halves = tuple(
        (table(first[part]), table(second[part])) for part in (slice(cut), slice(cut, None))
    )
    names = tuple(f"output[{j}]" for j in range(first.shape[1]))
    summaries = Summaries.fit(halves[0])
    return Regression(names, (halves[0], halves[1]), summaries).fit([0, 1])


def gaussian(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return two sides, fresh outputs and their log-ratios: correlated noise, moved across it."""
    root = np.linalg.cholesky(np.full((6, 6), 0.95) + 0.05 * np.eye(6)).T
    move = np.array([0.0, 0.5, 0, -0.4, 0, 0])
    first, second, fresh = (rng.normal(size=(N, 6)) for _ in range(3))
    return first @ root, (second + move) @ root, fresh @ root, move @ move / 2 - fresh @ move


def values(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return sides of which each has every second value of one entry more often."""
    odds = np.where(np.arange(20) % 2, 1.0, 1.6)
    one, two = odds / odds.sum(), odds[::-1] / odds.sum()
    sides = [rng.integers(0, 20, (N, 4)).astype(float) for _ in range(3)]
    for side, law in zip(sides, (one, two, one), strict=True):
        side[:, 2] = rng.choice(20, N, p=law)
    return *sides, np.log(one / two)[sides[2][:, 2].astype(int)]


def mixed(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return sides with Laplace noise that is mixed, and a move that noise of one kind covers."""
    mixing = np.random.default_rng(3).normal(size=(5, 5))
    first, second, fresh = (rng.laplace(size=(N, 5)) for _ in range(3))
    move = np.array([0.7, 0, 0, 0, 0])
    exact = np.abs(fresh[:, 0] - 0.7) - np.abs(fresh[:, 0])
    return first @ mixing, (second + move) @ mixing, fresh @ mixing, exact


def agreeing(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return sides whose pairs of bits agree in more runs of one."""
    sides = [rng.integers(0, 2, (N, 8)).astype(float) for _ in range(3)]
    same = rng.random((N, 4)) < 0.62
    sides[0][:, 4:] = np.where(same, sides[0][:, :4], 1 - sides[0][:, :4])
    agree = (sides[2][:, :4] == sides[2][:, 4:]).sum(axis=1)
    return *sides, agree * math.log(0.62) + (4 - agree) * math.log(0.38)


def correlation(draw: Draw) -> float:
    first, second, fresh, exact = draw(np.random.default_rng(5))
    score = fitted(first, second)
    return 0.0 if score is None else float(np.corrcoef(score(table(fresh)), exact)[0, 1])


def no_lines(patch: pytest.MonkeyPatch) -> None:
    features = regression._features

    def others(*given: Any) -> list[Any]:
        return [one for one in features(*given) if not isinstance(one, Lines)]

    patch.setattr(regression, "_features", others)


@pytest.mark.parametrize(
    ("draw", "leave_out", "with_it", "without"),
    [
        (gaussian, no_lines, 0.95, 0.9),
        (values, lambda patch: patch.setattr(regression, "FEW_VALUES", 0), 0.9, 0.85),
        (mixed, lambda patch: patch.setattr(Unmixed, "fit", lambda *_: None), 0.95, 0.93),
        (agreeing, lambda patch: patch.setattr(regression, "MOST_PRODUCTS", 0), 0.95, 0.5),
    ],
    ids=["lines", "values", "unmixed", "products"],
)
def test_a_family_of_features_finds_what_no_other_does(
    draw: Draw,
    leave_out: Callable[[pytest.MonkeyPatch], None],
    with_it: float,
    without: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert correlation(draw) > with_it
    leave_out(monkeypatch)
    assert correlation(draw) < without


def test_a_group_that_says_nothing_is_shrunk_away() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4000, 60)).astype(np.float32)
    label = (rng.random(4000) < 1 / (1 + np.exp(-0.2 * x[:, :5].sum(axis=1)))).astype(float)
    weights, residual = fit_weights(x, label, np.repeat([0, 1], [5, 55]))
    assert weights[:5] == pytest.approx(np.full(5, 0.2), abs=0.1)
    assert np.abs(weights[5:]).max() < 0.02
    assert abs(residual.mean()) < 1e-6


def test_a_mean_has_the_variance_of_its_column_by_the_runs() -> None:
    columns = np.array([[0.0, 2.0], [4.0, 3.0], [2.0, 7.0], [6.0, 4.0]], dtype=np.float32)
    mean, variance = regression._moments(columns)
    np.testing.assert_allclose(mean, [3.0, 4.0])
    np.testing.assert_allclose(variance, [5.0 / 4, 3.5 / 4])


def test_what_never_varies_has_no_features() -> None:
    assert fitted(np.zeros((400, 3)), np.zeros((400, 3))) is None


def test_cells_of_few_runs_have_no_feature() -> None:
    rng = np.random.default_rng(2)
    tables: Tables = tuple(
        table(rng.choice([0, 1, 2], (2000, 2), p=[0.6, 0.395, 0.005])) for _ in "12"
    )  # type: ignore[assignment]
    names = ("a", "b")
    cells = Cells.fit(regression.NumberView(names), tables, 8)
    columns = cells(tables[0])
    assert columns.shape[1] == cells.groups.size
    assert np.all(columns.sum(axis=0) >= 0.005 * 2000)
    assert np.linalg.matrix_rank(np.hstack([columns, np.ones((2000, 1))])) == columns.shape[1] + 1


def columns_of(draw: Draw) -> tuple[bool, list[str]]:
    """Return whether the entries of a side depend, and the views of all features."""
    sides = draw(np.random.default_rng(5))[:2]
    tables: Tables = (table(sides[0]), table(sides[1]))
    names = tuple(f"output[{j}]" for j in range(sides[0].shape[1]))
    features = regression._features(names, tables, Summaries.fit(tables))
    lines = Lines.fit(regression.NumberView(names), tables)
    views = [type(regression._view(one)).__name__ for one in features]
    return regression._depend(lines, tables), views


def independent(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return rng.laplace(size=(N, 6)), rng.laplace(size=(N, 6)) + 0.1


def turned(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return sides with noise that is mixed and yet does not correlate."""
    turn = np.array([[1.0, 1.0], [1.0, -1.0]])
    return rng.laplace(size=(N, 2)) @ turn, rng.laplace(size=(N, 2)) @ turn + 0.1


@pytest.mark.parametrize("draw", [mixed, gaussian, turned])
def test_only_entries_that_depend_are_unmixed(draw: Draw) -> None:
    depend, views = columns_of(draw)
    assert depend
    assert "Differences" in views
    assert ("Unmixed" in views) == (draw is not gaussian)


def test_independent_entries_are_left_as_they_are() -> None:
    depend, views = columns_of(independent)
    assert not depend
    assert {"Differences", "Unmixed"}.isdisjoint(views)
