"""Screens for structure: what independent noise would not have is found, and named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from auditor.events.outcomes import OutcomeTable
from auditor.events.structure import (
    MOST_COLUMNS,
    MOST_TIED,
    Copies,
    _tied_columns,
    _tied_rows,
    indicators,
    pair_views,
)

N = 3000
RNG = np.random.default_rng


def table(numbers: Any) -> OutcomeTable:
    return OutcomeTable(np.asarray(numbers), {})


def names(d: int) -> list[str]:
    return [f"output[{j}]" for j in range(d)]


def noise(seed: int, d: int, n: int = N) -> np.ndarray:
    return RNG(seed).laplace(size=(n, d))


def found(first: Any, second: Any, *, thorough: bool = True) -> Iterator[str]:
    tables = table(first), table(second)
    for one in indicators(tables, names(len(first[0])), thorough=thorough):
        shares = [float(np.mean(one(side))) for side in tables]
        yield f"{one.describe(0.5)}: {shares[0]:.2g} to {shares[1]:.2g}"


@pytest.mark.parametrize("d", [1, 3, 8, 80])
@pytest.mark.parametrize("thorough", [False, True])
def test_independent_noise_has_none(d: int, thorough: bool) -> None:
    first, second = noise(0, d), noise(1, d) + 0.3
    assert not list(found(first, second, thorough=thorough))
    assert not list(pair_views((table(first), table(second)), names(d)))


@pytest.mark.parametrize("d", [2, 3, 8, 80])
@pytest.mark.parametrize("sign", [1, -1])
def test_rare_repeats_are_found_in_all_runs(d: int, sign: int) -> None:
    first, second = noise(0, d), noise(1, d)
    second[-15:, d - 1] = sign * second[-15:, 0]
    (line,) = found(first, second)
    assert line == f"output[{d - 1}] == {'-' * (sign < 0)}output[0]: 0 to 0.005"


def test_repeats_among_whole_numbers_are_found() -> None:
    first, second = RNG(0).integers(-5, 6, (2, N, 6))
    second[: N // 3, 4] = second[: N // 3, 1]
    lines = list(found(first, second))
    assert any(line.startswith("output[4] == output[1]: ") for line in lines)
    assert not any(" - " in line for line in lines)  # whole numbers differ by one as often as not


def test_a_repeat_is_not_called_a_difference_of_zero() -> None:
    first, second = noise(0, 4), noise(1, 4)
    second[: N // 5, 3] = second[: N // 5, 0]
    assert list(found(first, second)) == ["output[3] == output[0]: 0 to 0.2"]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_constant_difference_is_found(sign: int) -> None:
    first, second = noise(0, 4), noise(1, 4)
    for side, constant in ((first, 0.3), (second, 1.7)):
        side[:, 3] = sign * side[:, 1] + constant
    lines = list(found(first, second))
    of = "output[3] - output[1]" if sign > 0 else "output[3] + output[1]"
    assert lines == [f"{of} == 0.3: 1 to 0", f"{of} == 1.7: 0 to 1"]


def test_the_same_difference_on_both_sides_tells_nothing() -> None:
    first, second = noise(0, 4), noise(1, 4)
    for side in (first, second):
        side[:, 3] = side[:, 1]
        side[:, 2] = side[:, 0] + 1.25
    assert not list(found(first, second))


def test_differences_are_those_of_the_first_columns() -> None:
    first, second = noise(0, MOST_COLUMNS + 2, 200), noise(1, MOST_COLUMNS + 2, 200)
    second[:, -1] = second[:, 0] + 0.3
    assert not list(found(first, second))


def test_values_that_recur_are_found() -> None:
    first, second = noise(0, 3), noise(1, 3)
    second[RNG(2).random(N) < 0.1, 2] = -0.4
    (line,) = found(first, second, thorough=False)
    assert line.startswith("output[2] == -0.4: 0 to 0.")


def test_what_is_no_number_equals_nothing() -> None:
    first, second = noise(0, 3), noise(1, 3)
    first[:, 0], second[:, 0] = np.nan, np.inf
    second[:, 1] = np.nan
    second[:, 2] = -np.inf
    lines = list(found(first, second))
    assert "output[0] == inf: 0 to 1" in lines
    assert not any("nan" in line for line in lines)
    assert Copies((0, 1), ("a", "b"), 1)(table([[np.nan, np.nan], [np.inf, np.inf]])).sum() == 0


@pytest.mark.parametrize("d", [10, 40, 80])
def test_a_pair_of_another_correlation_is_named(d: int) -> None:
    sides = [RNG(side).normal(size=(500, d)) for side in (0, 1)]
    for sign, side in zip((-1, 1), sides, strict=True):
        side[:, d - 3] = sign * 0.8 * side[:, 2] + 0.6 * side[:, d - 3]
    (view,) = pair_views((table(sides[0]), table(sides[1])), names(d))
    assert view.columns == (2, d - 3)
    product = [view(table(side))[:, 0].mean() for side in sides]
    assert product == pytest.approx([-0.8, 0.8], abs=0.15)


def test_a_shift_alone_is_no_correlation() -> None:
    first, second = noise(0, 10), noise(1, 10) + 5.0
    assert not list(pair_views((table(first), table(second)), names(10)))


def test_wide_outputs_are_compared_where_they_repeat() -> None:
    first, second = noise(0, 1000, 200), noise(1, 1000, 200)
    second[-40:, 900] = -second[-40:, 7]
    second[:8, 300:] = second[:8, [5]]  # so that other entries are tied, too
    tied = _tied_columns([_tied_rows(table(side), 500) for side in (first, second)])
    assert tied.size == MOST_TIED
    assert {7, 900} <= set(tied.tolist())
    assert "output[900] == -output[7]: 0 to 0.2" in found(first, second)
