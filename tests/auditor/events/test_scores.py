"""Scores: what is counted, against the log-likelihood ratios they estimate. Seeds are fixed."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable

import numpy as np
import pytest

from auditor.events.classifiers import Boosted, LinearScore
from auditor.events.features import Cells, Lines, Products, Unmixed, total
from auditor.events.outcomes import Encoding, Layout, OutcomeTable
from auditor.events.regression import Regression
from auditor.events.scores import (
    AdditiveScore,
    Bins,
    Column,
    Constant,
    Counted,
    Distance,
    Score,
    keys,
    log_ratios,
)
from auditor.events.views import CodeView, Differences, NumberView, Summaries, Tables
from auditor.runs.blocks import Outputs


def encoded(first: Outputs, second: Outputs) -> tuple[Encoding, Tables, list[Layout]]:
    encoding = Encoding.learn(first, second)
    tables = encoding.table(first), encoding.table(second)
    return encoding, tables, encoding.layout.entries()


def numbers_of(table: OutcomeTable) -> NumberView:
    return NumberView(tuple(f"output[{j}]" for j in range(table.numbers.shape[1])))


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def test_log_ratios_of_cells_with_many_runs_are_those_of_their_counts() -> None:
    found = log_ratios(np.array([[30_000.0, 10_000.0]]), np.array([[10_000.0, 30_000.0]]))
    np.testing.assert_allclose(found, [[math.log(3), -math.log(3)]], atol=1e-3)
    # samples of different sizes
    found = log_ratios(np.array([[30_000.0, 10_000.0]]), np.array([[1000.0, 3000.0]]))
    np.testing.assert_allclose(found, [[math.log(3), -math.log(3)]], atol=1e-2)


def test_a_rare_cell_must_be_solid_to_be_ranked_high() -> None:
    # 3 against 0 may be luck; 300 against 100 is not; nor is 40 against 0, and it says more
    first = np.array([[9657.0, 3, 300, 40, 0, 0]])
    second = np.array([[9900.0, 0, 100, 0, 0, 0]])
    _, chance, solid, certain, *unseen = log_ratios(first, second)[0]
    assert 0 <= chance < 0.5
    assert 0.9 < solid < math.log(3)
    assert certain > 1.5
    assert unseen == [0.0, 0.0]


def test_columns_that_say_nothing_are_shrunk_and_weak_ones_are_not() -> None:
    rng = np.random.default_rng(0)
    runs, cells = 100_000, 16
    null = rng.multinomial(runs, np.full(cells, 1 / cells), size=(2, 200)).astype(float)
    noise = np.log(null[0] / null[1])
    assert np.mean(log_ratios(null[0], null[1]) ** 2) < 0.15 * np.mean(noise**2)
    # log-ratios of 0.05 in every cell, each no more than two standard deviations
    leak = np.where(np.arange(cells) % 2, 0.05, -0.05)
    shares = np.exp(leak) / cells
    weak = rng.multinomial(runs, shares / shares.sum(), size=200).astype(float)
    found = log_ratios(weak, null[1])
    assert np.mean((found - leak) ** 2) < 0.35 * np.mean(leak**2)


def test_common_values_and_what_is_no_number_have_cells_of_their_own() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=4000)
    values[:400] = 0.25
    values[400:800] = math.nan
    rng.shuffle(values)
    _, tables, _ = encoded(values[:2000], values[2000:])
    bins = Bins.fit(NumberView(("output",)), tables, 10)
    near = np.array([0.25, math.nextafter(0.25, 1), math.nextafter(0.25, -1), math.nan, 9.0, -9.0])
    cells = bins(OutcomeTable(near[:, None], {}))[:, 0].tolist()
    assert len(set(cells)) == 6
    total = sum(bins.counts(table)[0] for table in tables)
    assert total.sum() == 4000
    assert total[cells[0]] == 400
    assert total[cells[3]] == 400


def test_integers_have_a_cell_each() -> None:
    values = np.repeat(np.arange(5), 20)
    _, tables, _ = encoded(values, values)
    bins = Bins.fit(NumberView(("output",)), tables, 8)
    assert bins.cuts.shape == (4, 1)
    assert bins(OutcomeTable(np.arange(5)[:, None], {}))[:, 0].tolist() == [0, 1, 2, 3, 4]


def test_every_category_has_a_cell() -> None:
    _, tables, _ = encoded(["a", "b", "b", None, None, None, 1.0, 2.0], ["a"])
    bins = Bins.fit(NumberView(("output",)), tables, 4)
    cells = bins(tables[0])[:, 0].tolist()
    assert cells[1] == cells[2]
    assert cells[3] == cells[4] == cells[5]
    assert len({cells[0], cells[1], cells[3], cells[6], cells[7]}) == 5


def test_the_additive_score_of_independent_entries_is_the_log_ratio() -> None:
    rng = np.random.default_rng(2)
    n, d = 40_000, 12
    first, second = rng.laplace(0.3, 1, (n, d)), rng.laplace(0, 1, (n, d))
    fresh = rng.laplace(0.3, 1, (4000, d))
    encoding, tables, layouts = encoded(first, second)
    score = AdditiveScore.fit(numbers_of(tables[0]), tables, 32, layouts)
    exact = (np.abs(fresh) - np.abs(fresh - 0.3)).sum(axis=1)
    found = score(encoding.table(fresh))
    assert correlation(found, exact) > 0.98
    assert float(np.mean(np.abs(found - exact))) < 0.2


def test_sums_of_noise_are_independent_in_their_differences() -> None:
    rng = np.random.default_rng(3)
    n, d = 20_000, 10
    steps = [rng.laplace(size=(n, d)) for _ in range(3)]
    for first in (steps[0], steps[2]):
        first[:, 4] += 1.0
    _, tables, _ = encoded(*(np.cumsum(s, axis=1) for s in steps[:2]))
    fresh = OutcomeTable(np.cumsum(steps[2], axis=1), {})
    exact = np.abs(steps[2][:, 4]) - np.abs(steps[2][:, 4] - 1)
    names = numbers_of(tables[0]).names
    found = AdditiveScore.fit(Differences(names), tables, 16)(fresh)
    assert correlation(found, exact) > 0.97
    assert correlation(AdditiveScore.fit(NumberView(names), tables, 16)(fresh), exact) < 0.9


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (["yes"] * 70 + [None] * 30, ["yes"] * 30 + [None] * 70, "output in {'yes'}"),
        ([0] * 70 + [1] * 30, [0] * 30 + [1] * 70, "output <= 0"),
        ([1.5] * 70 + [math.nan] * 30, [1.5] * 30 + [math.nan] * 70, "output is a number"),
        ([3, 5, 5, 5, 5] * 20, [3, 3, 5, 7, 7] * 20, "3 < output <= 5"),
    ],
)
def test_the_event_of_a_scalar_is_a_set_of_outcomes(
    first: list[object], second: list[object], text: str
) -> None:
    _, tables, layouts = encoded(first, second)
    score = AdditiveScore.fit(NumberView(("output",)), tables, 8, layouts)
    assert score.describe(0.1) == text


def test_a_negative_threshold_is_told_by_what_it_leaves_out() -> None:
    _, tables, layouts = encoded(["a"] * 60 + ["b"] * 40, ["a"] * 60 + ["c"] * 40)
    score = AdditiveScore.fit(NumberView(("output",)), tables, 8, layouts)
    assert score.describe(-1.0) == "not (output in {'c'})"
    inside = score(tables[1]) > -1.0
    assert inside.tolist() == [True] * 60 + [False] * 40


def test_keys_are_equal_exactly_for_equal_rows() -> None:
    bits = (np.arange(2**12)[:, None] >> np.arange(12)) & 1
    assert np.unique(keys(OutcomeTable(bits.astype(bool), {}))).size == 2**12
    pairs = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [math.nan, 1.0], [-math.nan, 1.0]])
    zero, minus, swapped, nan, other = keys(OutcomeTable(pairs, {})).tolist()
    assert zero == minus
    assert nan == other
    assert len({zero, swapped, nan}) == 3
    coded = OutcomeTable(
        np.full((3, 2), math.nan), {0: np.array([1, 1, 2]), 1: np.array([2, 2, 1])}
    )
    one, same, different = keys(coded).tolist()
    assert one == same != different


def test_whole_outputs_are_counted() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.random((3000, 3)) < 0.5, rng.random((3000, 3)) < 0.5
    first[:, 2] = first[:, 0] ^ first[:, 1]  # no entry, nor any two, say anything
    encoding, tables, layouts = encoded(first, second)
    score = Counted.fit(tables, layouts)
    assert score is not None
    found = score(encoding.table(np.array([[False, True, True], [True, True, True]])))
    assert found[0] == pytest.approx(math.log(2), abs=0.2)
    assert found[1] < -3
    assert score.describe(0.0).startswith("output one of 4 (of 8 that recur), e.g. (")


def test_outputs_seen_once_tell_what_those_never_seen_are_worth() -> None:
    # D mostly gives a new number every time, D' mostly the same one
    first = [i + 0.25 for i in range(900)] + [-1] * 100
    second = [i + 0.75 for i in range(100)] + [-1] * 900
    encoding, tables, layouts = encoded(first, second)
    score = Counted.fit(tables, layouts)
    assert score is not None
    new, known = score(encoding.table([1e6, -1]))
    assert new == pytest.approx(math.log(9), abs=0.2)
    assert known == pytest.approx(-math.log(9), abs=0.2)
    assert score.describe(0.0).endswith("or a rarer one")


def test_continuous_outputs_are_not_counted() -> None:
    rng = np.random.default_rng(5)
    _, tables, layouts = encoded(rng.normal(size=1000), rng.normal(size=1000))
    assert Counted.fit(tables, layouts) is None


def test_the_linear_score_is_fishers_discriminant_for_normal_outputs() -> None:
    rng = np.random.default_rng(6)
    mixing = np.eye(4) + np.array([[0, 0.8, 0, 0], [0, 0, 0, 0], [0, 0, 0, -2], [0, 0, 0, 0]])
    shift = np.array([0.5, 0.0, 0.5, 0.0])
    draws = [rng.normal(size=(20_000, 4)) @ mixing.T + shift * side for side in (1, 0)]
    _, tables, _ = encoded(*draws)
    score = LinearScore.fit([numbers_of(tables[0])], tables)
    best = np.linalg.solve(mixing @ mixing.T, shift)
    cosine = score.weights @ best / np.linalg.norm(score.weights) / np.linalg.norm(best)
    assert cosine > 0.99


def test_scores_tell_the_direction_of_their_entries() -> None:
    rng = np.random.default_rng(6)
    first, second = rng.normal(size=(4000, 3)), rng.normal(size=(4000, 3))
    first[:, 0] += 1.0
    first[:, 2] -= 2.0
    _, tables, layouts = encoded(first, second)
    told = LinearScore.fit([numbers_of(tables[0])], tables).describe(0.5)
    assert told.startswith("weighted sum > 0.5 (it rises with output[0]")
    assert re.search(r" and falls with output\[2\].* most\)$", told)
    told = AdditiveScore.fit(numbers_of(tables[0]), tables, 8, layouts).describe(1.0)
    assert "(most from output[2] where small, output[0] where large" in told


def test_boosted_trees_find_what_two_entries_say_together() -> None:
    rng = np.random.default_rng(7)
    n = 8000
    first, second, fresh = rng.normal(size=(n, 5)), rng.normal(size=(n, 5)), rng.normal(size=(n, 5))
    first[:, 3] = np.copysign(first[:, 3], first[:, 1])
    _, tables, _ = encoded(first, second)
    score = Boosted.fit([numbers_of(tables[0])], tables, Constant(), 0)
    together = fresh[:, 1] * fresh[:, 3] > 0
    found = score(OutcomeTable(fresh, {})) > 0
    assert np.mean(found == together) > 0.95
    assert "most from output[" in score.describe(0.0)
    told = score.describe(0.0).partition("most from ")[2].partition(")")[0].split(", ")
    assert set(told[:2]) == {"output[1]", "output[3]"}


def test_distance_is_from_the_median() -> None:
    table = OutcomeTable(np.array([[0.0], [1.0], [1e308], [-1e308], [2.0], [math.nan]]), {})
    score = Distance.fit(NumberView(("output",)), (table, table))
    assert score is not None
    assert score.centre == 1.0
    np.testing.assert_array_equal(score(table)[:2], [0.5, 0.0])
    assert score.describe(2.0) == "|output - 1| > 4"


def test_summaries() -> None:
    outputs = np.array([[3.0, 0.0, 5.0, math.nan], [0.0, 0.0, 0.0, 0.0], [math.nan] * 4])
    found = Summaries(np.array([1.0, 1.0, 1.0, 1.0]))
    values = dict(zip(found.names, found(OutcomeTable(outputs, {})).T.tolist(), strict=True))
    # where all entries are equal, or none is a number, some say nothing
    expected = {
        "sum": [8, 0, 0],
        "sum of squares": [34, 0, 0],
        "largest entry": [5, 0],
        "smallest entry": [0, 0],
        "index of the largest entry": [2],
        "index of the smallest entry": [1],
        "entries that are numbers": [3, 4, 0],
        "entries above their averages": [2, 0, 0],
        "first index above its average": [0, 4, 4],
        "last index above its average": [2, -1, -1],
        "first index without a number": [3, 4, 0],
    }
    assert {name: values[name][: len(told)] for name, told in expected.items()} == expected
    assert values.keys() == expected.keys()


Fit = Callable[[Tables, list[Layout]], Score | None]


def all_fits() -> dict[str, Fit]:
    def view(tables: Tables) -> NumberView:
        return numbers_of(tables[0])

    def rich(tables: Tables, layouts: list[Layout]) -> Score | None:
        names = view(tables).names
        return Regression(names, (tables, tables), Summaries.fit(tables)).fit([0])

    def mixed(tables: Tables, layouts: list[Layout]) -> Score | None:
        unmixed = Unmixed(view(tables).names, (1, 0), np.array([[1.0, 2.0], [-0.5, 1.0]]))
        return AdditiveScore.fit(unmixed, tables, 4)

    def products(tables: Tables, layouts: list[Layout]) -> Score | None:
        parts = Cells.fit(view(tables), tables, 4), Lines.fit(view(tables), tables)
        width = sum(one.groups.size for one in parts)
        if width == 0:
            return None
        at = np.arange(width)
        rng = np.random.default_rng(1)
        pairs = Products(parts, (at, at[::-1]), rng.normal(size=width), rng.normal(size=width))
        return total(parts, rng.normal(size=width), pairs)

    def trees(tables: Tables, layouts: list[Layout]) -> Score:
        codes = tuple(tables[0].codes)
        more = [CodeView(codes, tuple(map(str, codes)))] if codes else []
        return Boosted.fit([view(tables), Summaries.fit(tables), *more], tables, Constant(), 0)

    return {
        "column": lambda t, _: Column(view(t), 0),
        "distance": lambda t, _: Distance.fit(view(t), t),
        "additive": lambda t, layouts: AdditiveScore.fit(view(t), t, 9, layouts),
        "differences": lambda t, _: AdditiveScore.fit(Differences(view(t).names), t, 9),
        "counted": Counted.fit,
        "regression": rich,
        "unmixed": mixed,
        "products": products,
        "boosted": trees,
    }


def awkward(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    values = rng.choice([1e300, -1e300, math.nan, math.inf, -math.inf, 0.0, 1.0], (n, d))
    return np.where(rng.random((n, d)) < 0.5, values, rng.normal(size=(n, d)))


@pytest.mark.parametrize("name", all_fits())
@pytest.mark.parametrize("kind", ["plain", "awkward", "constant", "nothing", "list"])
def test_a_score_is_a_function_of_the_output(name: str, kind: str) -> None:
    rng = np.random.default_rng(8)
    n, d = 400, 5
    sides: list[Outputs] = []
    for shift in (0.0, 0.5):
        outputs: Outputs = rng.normal(shift, 1, (n, d))
        if kind == "awkward":
            outputs = awkward(rng, n, d)
        elif kind in ("constant", "nothing"):
            outputs = np.full((n, d), 3.0 if kind == "constant" else math.nan)
        elif kind == "list":
            outputs = [[None, "a", 1.0, shift, x][: rng.integers(6)] for x in rng.normal(size=n)]
        sides.append(outputs)
    encoding, tables, layouts = encoded(*sides)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score = all_fits()[name](tables, layouts)
        if score is None:
            varies = kind not in ("constant", "nothing")
            assert name == "counted" or (
                not varies and name in ("distance", "regression", "products")
            )
            return
        whole = score(tables[0])
        assert whole.shape == (n,)
        # the same number in any block, and whatever the order in memory, to the last digit
        for i in (0, 1, n - 1):
            one = score(tables[0][i : i + 1])
            np.testing.assert_array_equal(one, whole[i : i + 1])
        turned = OutcomeTable(np.asfortranarray(tables[0].numbers), tables[0].codes)
        np.testing.assert_array_equal(score(turned), whole)
        assert score(encoding.table([None, 5, "x", [1] * 9])).shape == (4,)
        assert score.describe(0.5)
