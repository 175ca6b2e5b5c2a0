"""Several records at once, and records far away: gaps that one record in [0, 1] does not show."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import auditor
from auditor import Box, Choice, Everything, GaussianDP, InputError, Product
from auditor.checking.candidate_pairs import Breeder
from auditor.checking.relations import require_neighbours
from auditor.core.neighbours import Neighbourhood, Table, differing_records
from auditor.core.witness import decode_pair
from auditor.zoo.broken_sensitivity import largest_value_for_sensitivity
from reference.privacy.guarantees import Relation

RUNS = 40_000
ADD = Relation.ADD_OR_REMOVE_ONE
too_little = partial(largest_value_for_sensitivity, epsilon=0.02)  # truth 0.025


def enough(data: Any, rng: np.random.Generator, size: int) -> Any:
    """Release the same sum with noise for 5/4, the most that a record moves it."""
    return np.clip(data, -0.25, 1.0).sum() + rng.laplace(scale=1.25 / 0.02, size=size)


def pair_of(k: int) -> tuple[Any, Any]:
    first = np.full(30, -0.25)
    second = first.copy()
    second[:k] = 1.0
    return first, second


def checked(mechanism: Any, **options: Any) -> Any:
    return auditor.check(mechanism, epsilon=0.02, samples=RUNS, batched=True, **options)


def test_a_gap_shows_in_twenty_records_that_one_does_not_show() -> None:
    assert checked(too_little, pair=pair_of(1)).status != "violated"
    found = checked(too_little, pair=pair_of(20), group=20)
    assert found.status == "violated"
    assert found.claim == "0.4-DP of 20 records (0.02-DP of one)"
    assert 0.4 < found.level_lower <= 0.5
    assert auditor.rerun(too_little, found.witness, batched=True).shown


@pytest.mark.parametrize("seed", range(3))
def test_a_right_mechanism_is_right_of_groups(seed: int) -> None:
    """Flagged with probability 0.01 at most by either check, and at these seeds by none."""
    assert checked(enough, pair=pair_of(20), group=20, seed=seed).status == "holds"
    searched = checked(enough, domain=Box((), -1, 2), n=30, group=20, seed=seed)
    assert searched.status == "holds"


def test_a_group_is_searched() -> None:
    found = checked(too_little, domain=Box((), -1, 2), n=30, group=20)
    assert found.status == "violated"
    assert len(differing_records(*decode_pair(found.witness))) == 20


def test_a_trade_off_function_of_a_group_is_run_again() -> None:
    def f(size: Any) -> Any:
        return np.maximum(1 - np.exp(0.02) * np.asarray(size), np.exp(-0.02) * (1 - size))

    options: Any = {"claim": f, "samples": RUNS, "batched": True}
    found = auditor.check(too_little, pair=pair_of(20), group=20, **options)
    assert found.status == "violated"
    assert auditor.rerun(too_little, found.witness, claim=f, batched=True).shown


@pytest.mark.parametrize("relation", [Relation.REPLACE_ONE, ADD])
def test_pairs_that_are_bred_differ_in_as_many_records_at_most(relation: Relation) -> None:
    setting = Neighbourhood(Box((), 0, 1), 6, relation, group=4)
    breeder = Breeder(setting, np.random.default_rng(0))
    parents = list(breeder.first(30))
    children = [breeder.child(parents) for _ in range(99)]
    made = [breeder.pair(genes) for genes in [*parents, *children]]
    for first, second in made:
        if relation is ADD:
            assert (len(first), len(second)) == (6, 2)
            assert require_neighbours(first, second, "add-remove", group=4)[0] is ADD
        else:
            places = differing_records(first, second)
            assert len(places) in (0, 4)
            assert np.unique(first[places]).size <= 1


def test_a_whole_table_keeps_its_rows() -> None:
    rows = np.arange(8.0)
    first, second = Neighbourhood(Table(rows), None, group=3).pair(list(range(8)), 6, 2)
    assert first.tolist() == rows.tolist()
    assert second.tolist() == [2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("first", "second", "relation", "where"),
    [
        (np.zeros(5), np.array([0.0, 1, 0, 2, 0]), Relation.REPLACE_ONE, 1),
        (np.arange(6.0), np.array([0.0, 2, 3, 5]), ADD, 1),
        ([1, 1, 2, 2], [1, 2], ADD, None),
        ([1, 2, 3], [3], ADD, 0),
        ([1, 2, 3], [1], ADD, 1),
        ({"a": 1, "b": 2, "c": 3}, {"c": 3}, ADD, 0),
        ({"a": 1, "b": 2, "c": 3}, {"a": 4, "b": 5, "c": 3}, Relation.REPLACE_ONE, 0),
        ({1, 2, 3}, {3, 4, 5}, Relation.REPLACE_ONE, None),
    ],
)
def test_two_records_may_differ(first: Any, second: Any, relation: Relation, where: Any) -> None:
    for pair in ((first, second), (second, first)):
        assert require_neighbours(*pair, relation, group=2)[0] is relation
        with pytest.raises(InputError):
            require_neighbours(*pair, relation)
    if where is not None:
        assert require_neighbours(first, second, group=2) == (relation, where)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (np.zeros(5), np.ones(5), "differ in 5 of 5 records .* neighbours in 2 at most"),
        (np.zeros(5), np.zeros(2), "neighbours differ in 2 records at most"),
        ([1, 2, 3, 4], [1, 9], "differ by more than 2 records at most that only one"),
        ({1, 2, 3}, {4, 5, 6}, "3 are in D alone"),
    ],
)
def test_more_records_than_the_group_are_refused(first: Any, second: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        require_neighbours(first, second, group=2)


def test_labels_of_a_group_change_alone() -> None:
    features, labels = np.eye(4), np.zeros(4)
    pair = (features, labels), (features, np.array([0.0, 1, 1, 0]))
    assert require_neighbours(*pair, "replace-label", group=2)[1] == 1
    other = features + np.outer([0, 0, 1, 0], np.ones(4)), pair[1][1]
    with pytest.raises(InputError, match="differ in more of record 2 than its label"):
        require_neighbours(pair[0], other, "replace-label", group=2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pair": pair_of(20)}, "differ in 20 of 30 records"),
        ({"domain": Box((), 0, 1), "n": 5, "group": 6}, "a group of 6 needs data sets of as many"),
        (
            {"domain": Box((), 0, 1), "n": 5, "group": 5, "relation": "add-remove"},
            "needs at least 6 records",
        ),
        ({"pair": pair_of(2), "group": 0}, "group"),
    ],
)
def test_groups_that_make_no_sense_are_refused(options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        checked(enough, **options)


def test_a_ledger_is_audited_for_one_record() -> None:
    def mechanism(data: Any, ledger: Any) -> Any:
        return ledger.laplace(data.sum(), sensitivity=1.0, scale=1.0)

    with pytest.raises(InputError, match="every release is audited for one record, exactly"):
        auditor.check(mechanism, pair=pair_of(2), epsilon=1.0, group=2)


# --------------------------------------------------------------------- records that are far away


@pytest.mark.parametrize("relation", [Relation.REPLACE_ONE, ADD])
def test_a_record_is_tried_at_every_scale_where_nothing_bounds_it(relation: Relation) -> None:
    breeder = Breeder(Neighbourhood(Everything(()), 3, relation), np.random.default_rng(0))
    pairs = [breeder.pair(genes) for genes in breeder.first(16)]
    for scale in 10.0 ** np.arange(13):
        assert any(
            sorted({*map(float, one)} ^ {*map(float, two)} | {0.0})[-1] == scale
            and float(np.median(two)) == 0
            for one, two in (sorted(pair, key=lambda data: np.max(data))[::-1] for pair in pairs)
        ), scale


def test_a_bound_that_somebody_gives_is_kept() -> None:
    both = Product((Everything((2,)), Box((), 0, 5), Choice((-1, 1))))
    assert Box((3,), 0, 5).reaches() == []
    assert Product((Box((), 0, 5), Choice((-1, 1)))).reaches() == []
    reached = both.reaches()
    assert [float(record[0][1]) for _, record in reached] == [10.0**j for j in range(13)]
    assert all(0 <= record[1] <= 5 for pair in reached for record in pair)


def test_a_leak_of_records_in_one_decade_is_found() -> None:
    """Values above 1000 are dropped as implausible, nothing is clipped, the noise is for 100."""

    def plausible_sum(data: Any, rng: np.random.Generator, size: int) -> Any:
        return data[np.abs(data) <= 1000].sum() + rng.laplace(scale=200.0, size=size)

    options: Any = {"epsilon": 1.0, "samples": 20_000, "batched": True}
    for seed in range(3):
        found = auditor.check(plausible_sum, domain=Everything(()), n=3, seed=seed, **options)
        assert found.status == "violated"


# ----------------------------------------------------------- records with several parts: columns


PARTS = Product((Box((), 0, 1), Choice((-1, 1))))


def reads_records(data: Any, rng: np.random.Generator) -> float:
    return float(sum(x * y for x, y in data) + rng.laplace(scale=2.0))


def reads_columns(data: Any, rng: np.random.Generator) -> float:
    x, y = data
    return float((x * y).sum() + rng.laplace(scale=2.0))


@pytest.mark.parametrize("n", [2, 5])
def test_a_mechanism_that_reads_records_is_told_of_columns(n: int) -> None:
    options: Any = {"domain": PARTS, "n": n, "claim": GaussianDP(5.0), "samples": 2000}
    with pytest.raises(InputError, match="is a tuple of 2 columns") as caught:
        auditor.check(reads_records, **options)
    assert "\n" not in str(caught.value)
    assert auditor.check(reads_columns, **options).status == "holds"
