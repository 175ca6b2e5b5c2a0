"""The search for the worst pair: planted leaks, thrift, and what it refuses."""

import math
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from auditor.checking.search import (
    LAST_SHARE,
    LEAST_RUNS,
    MOST_RUNS,
    SURE,
    FoundPair,
    _Breeder,
    _Entry,
    _Genes,
    _Race,
    find_pair,
)
from auditor.core.errors import InputError
from auditor.core.neighbours import (
    Ball,
    Box,
    Choice,
    Counts,
    Integers,
    Neighbourhood,
    Product,
    Table,
    differ_in_label,
    differing_records,
    neighbours,
)
from auditor.runs.blocks import Block
from auditor.runs.clock import OutOfTime
from auditor.statistics.claims import Claim, EpsilonDelta, Gaussian
from reference.privacy.guarantees import Relation

Mechanism = Callable[[Any, np.random.Generator, int], Any]
Pair = tuple[Any, Any]
SEEDS = range(3)


class Sampler:
    """Runs of a batched mechanism; keeps a record of what was asked."""

    def __init__(self, mechanism: Mechanism, pair: tuple[Any, Any], seed: int, log: list[Any]):
        self.mechanism, self.pair, self.seed, self.log = mechanism, pair, seed, log
        self.findings: list[Any] = []

    def draw(self, blocks: Iterable[Block], reduce: Callable[[Any], Any]) -> Iterator[Any]:
        for block in blocks:
            rng = np.random.default_rng(block.seed_sequence(self.seed))
            self.log.append(("run", self.seed, block))
            yield reduce(self.mechanism(self.pair[block.side], rng, block.size))

    def close(self) -> None:
        self.log.append(("close", self.seed))


def find(
    mechanism: Mechanism,
    pairs: Any,
    *,
    level: float = 1.0,
    runs: int = 6000,
    seed: int = 0,
    log: list[Any] | None = None,
    family: Claim | None = None,
    **options: Any,
) -> FoundPair:
    kept = [] if log is None else log
    return find_pair(
        lambda pair, seed: Sampler(mechanism, pair, seed, kept),
        pairs,
        family or EpsilonDelta(level),
        alpha=0.01,
        runs=runs,
        seed=seed,
        **options,
    )


# ------------------------------------------------------------------------------ planted leaks
#
# Every case: the mechanism; where to search; the true epsilon of a pair (in closed form: the
# mechanisms add Laplace noise, or leak completely); and what it must be, of a claimed 1.


def too_little_noise(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.clip(data, 0, 1).mean() + rng.laplace(scale=0.3 / len(data), size=size)


def at_zero(data: Any, rng: np.random.Generator, size: int) -> Any:
    noise = rng.laplace(scale=4 / len(data), size=size)
    return data.mean() + (0 * noise if (data == 0).any() else noise)


def at_the_maximum(data: Any, rng: np.random.Generator, size: int) -> Any:
    scale = (0.01 if (data == 3).any() else 4) / len(data)
    return data.mean() + rng.laplace(scale=scale, size=size)


def clipped_above_only(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.minimum(data, 1).sum() + rng.laplace(size=size)


def empty_cell(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.where(data == 0, 0.0, data + rng.laplace(scale=2, size=(size, len(data))))


def one_empty_cell(data: Any, rng: np.random.Generator, size: int) -> Any:
    noisy = data + rng.laplace(scale=2, size=(size, len(data)))
    noisy[:, 11] = np.where(data[11] == 0, 0.0, noisy[:, 11])
    return noisy


def last_record(data: Any, rng: np.random.Generator, size: int) -> Any:
    weights = np.r_[np.full(len(data) - 1, 0.2), 4.0]
    return weights @ data + rng.laplace(size=size)


def secret_category(data: Any, rng: np.random.Generator, size: int) -> Any:
    if data == "k":
        return ["k"] * size
    return [str(data) if u < 0.1 else "abcdefghijklmnopqrst"[int(20 * u)] for u in rng.random(size)]


def unclipped_in_rome(data: Any, rng: np.random.Generator, size: int) -> Any:
    return rome(data) + rng.laplace(size=size)


def rome(data: Any) -> float:
    return sum(r["income"] if r["city"] == "Rome" else min(r["income"], 1) for r in data)


def row_sum(data: Any, rng: np.random.Generator, size: int) -> Any:
    return data[:, 0].sum() + rng.laplace(size=size)


PEOPLE = st.fixed_dictionaries(
    {"income": st.floats(0, 50), "city": st.sampled_from(["Oslo", "Bonn", "Rome"])}
)
ROWS = np.random.default_rng(5).uniform(0, 0.5, size=(200, 2))
ROWS[137, 0] = 6.0
ADD = Relation.ADD_OR_REMOVE_ONE
PEOPLE_AND_LABELS = Product((Box((2,), -50, 50), Box((), -5, 5)))


def leaks(if_either: Callable[[Any], bool]) -> Callable[[Any, Any], float]:
    """Return the epsilon of a mechanism that gives away everything if a property changes."""
    return lambda first, second: math.inf if if_either(first) != if_either(second) else 1.0


PLANTED = {
    "too little noise": (
        too_little_noise,
        Neighbourhood(Box((), 0, 1), 20),
        lambda a, b: abs(a.sum() - b.sum()) / 0.3,
        2.0,
    ),
    "a record of exactly 0, inside the domain": (
        at_zero,
        Neighbourhood(Box((), -1, 3), 20),
        leaks(lambda data: bool((data == 0).any())),
        math.inf,
    ),
    "a record at the maximum": (
        at_the_maximum,
        Neighbourhood(Box((), -1, 3), 20),
        lambda a, b: math.inf if (a == 3).any() or (b == 3).any() else 1.0,
        math.inf,
    ),
    "clipping forgotten below": (
        clipped_above_only,
        Neighbourhood(Box((), -10, 10), 10),
        lambda a, b: abs(np.minimum(a, 1).sum() - np.minimum(b, 1).sum()),
        5.0,
    ),
    "clipping forgotten below, a record more or less": (
        clipped_above_only,
        Neighbourhood(Box((), -10, 10), 10, ADD),
        lambda a, b: abs(np.minimum(a, 1).sum() - np.minimum(b, 1).sum()),
        5.0,
    ),
    "an empty cell": (
        empty_cell,
        Neighbourhood(Counts(5, 10)),
        leaks(lambda data: tuple(data == 0)),  # type: ignore[arg-type, return-value]
        math.inf,
    ),
    "one empty cell of 15": (
        one_empty_cell,
        Neighbourhood(Counts(15, 40)),
        leaks(lambda data: bool(data[11] == 0)),
        math.inf,
    ),
    "the last record": (
        last_record,
        Neighbourhood(Box((), 0, 1), 10),
        lambda a, b: abs(np.r_[np.full(9, 0.2), 4.0] @ (a - b)),
        2.0,
    ),
    "a category": (
        secret_category,
        Neighbourhood(Choice(tuple("abcdefghijklmnopqrst"))),
        leaks(lambda data: bool(data == "k")),
        math.inf,
    ),
    "records of any type": (
        unclipped_in_rome,
        Neighbourhood(PEOPLE, 8),
        lambda a, b: abs(rome(a) - rome(b)),
        2.0,
    ),
    "a strategy of pairs": (
        unclipped_in_rome,
        neighbours(PEOPLE, n=8),
        lambda a, b: abs(rome(a) - rome(b)),
        2.0,
    ),
    "a row of a table": (
        row_sum,
        Neighbourhood(Table(ROWS)),
        lambda a, b: abs(a[:, 0].sum() - b[:, 0].sum()),
        2.0,
    ),
    "a row of a table less": (
        row_sum,
        Neighbourhood(Table(ROWS), None, ADD),
        lambda a, b: abs(a[:, 0].sum() - b[:, 0].sum()),
        2.0,
    ),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("seed", SEEDS)
def test_planted_leaks_are_found(name: str, seed: int) -> None:
    mechanism, pairs, epsilon, least = PLANTED[name]
    found = find(mechanism, pairs, seed=seed)
    assert epsilon(*found.pair) >= least
    assert found.runs <= 6000
    if least == math.inf or least >= 5:
        assert found.runs < 6000  # a gross leak ends the search


@pytest.mark.slow
def test_the_pair_found_is_nearly_the_worst() -> None:
    # true epsilons of the pairs found, against 2.5, by closed form
    def rectified(data: Any, rng: np.random.Generator, size: int) -> Any:
        return np.maximum(data, 0).sum() + rng.laplace(size=size)

    for seed in SEEDS:
        first, second = find(
            rectified, Neighbourhood(Box((), -1, 2.5), 10), level=0, runs=3000, seed=seed
        ).pair
        assert abs(np.maximum(first, 0).sum() - np.maximum(second, 0).sum()) >= 2.2

    def vector(data: Any, rng: np.random.Generator, size: int) -> Any:
        return data.mean(axis=0) + rng.normal(scale=0.1, size=(size, data.shape[1]))

    for norm in (1, 2, math.inf):
        found = find(
            vector,
            Neighbourhood(Ball(4, 1.0, norm), 10),
            runs=3000,
            family=Gaussian(0.0),
        )
        diameter = 4.0 if norm == math.inf else 2.0
        apart = np.linalg.norm(found.pair[0].sum(0) - found.pair[1].sum(0))
        assert apart >= 0.85 * diameter


def narrow_peak(data: Any, rng: np.random.Generator, size: int) -> Any:
    return peak(data) + rng.laplace(size=size)


def peak(data: Any) -> float:
    return 6 * float(np.exp(-np.abs(data - 0.37) / 0.04).sum())


@pytest.mark.slow
def test_changes_of_good_pairs_climb(monkeypatch: pytest.MonkeyPatch) -> None:
    # over 20 seeds: 3.2 (sd 1.7) with changes, 1.5 (sd 1.8) without; the worst pair has 6
    def average() -> float:
        pairs = [
            find(narrow_peak, Neighbourhood(Box((), 0, 1), 3), level=0, runs=4000, seed=seed).pair
            for seed in range(8)
        ]
        return float(np.mean([abs(peak(first) - peak(second)) for first, second in pairs]))

    climbed = average()
    monkeypatch.setattr("auditor.checking.search.CHILDREN", 0)
    assert climbed > average() + 0.3


def test_a_right_mechanism_uses_the_budget_and_promises_no_more_than_it_has() -> None:
    def right(data: Any, rng: np.random.Generator, size: int) -> Any:
        return data.mean() + rng.laplace(scale=1 / len(data), size=size)

    for seed in SEEDS:
        found = find(right, Neighbourhood(Box((), 0, 1), 20), seed=seed, runs=5000)
        assert 4000 < found.runs <= 5000
        assert 0.5 < found.level < 1.3
        assert found.tried > 20
        assert abs(found.pair[0].sum() - found.pair[1].sum()) > 0.9


# ------------------------------------------------------------------------------ how it searches


def right_sum(data: Any, rng: np.random.Generator, size: int) -> Any:
    return np.sum(data) + rng.laplace(size=size)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_search() -> None:
    for pairs in (
        Neighbourhood(Box((2,), 0, 1), 4),
        Neighbourhood(PEOPLE, 4),
        neighbours(Box((2,), 0, 1), n=4),
    ):
        tried: list[list[str]] = [[], [], []]
        for seed, seen in zip((3, 3, 4), tried, strict=True):

            def remember(pair: Pair, its_seed: int, seen: list[str] = seen) -> Sampler:
                seen.append(repr(pair))
                return Sampler(first_number, pair, its_seed, [])

            found = find_pair(remember, pairs, EpsilonDelta(0.0), alpha=0.01, runs=1500, seed=seed)
            seen.append(repr(found))
        assert tried[0] == tried[1]
        assert set(tried[0][:-1]) != set(tried[2][:-1])


def test_good_pairs_are_run_again_until_they_are_sure_and_beyond_that_only_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: dict[bool, set[float]] = {False: set(), True: set()}
    extend = _Race.extend

    def told(race: _Race, entry: Any) -> None:
        sizes[race.left <= LAST_SHARE * race.budget].add(entry.size / race.least)
        extend(race, entry)

    monkeypatch.setattr(_Race, "extend", told)
    find(right_sum, Neighbourhood(Box((), 0, 1), 4), runs=6000)
    # twice as often every time
    assert sizes[False] == {1, SURE / 2} == {1, 2}
    assert max(sizes[True]) >= SURE


def first_number(data: Any, rng: np.random.Generator, size: int) -> Any:
    number = data[0]["income"] if isinstance(data, list) else data[0, 0]
    return number + rng.laplace(size=size)


@pytest.mark.slow
def test_no_run_is_used_twice_and_the_budget_is_kept() -> None:
    log: list[Any] = []
    found = find(right_sum, Neighbourhood(Box((), 0, 1), 4), log=log, runs=3000)
    spans: dict[Any, list[range]] = {}
    for entry in log:
        if entry[0] == "run":
            _, seed, block = entry
            spans.setdefault((seed, block.side), []).append(
                range(block.start, block.start + block.size)
            )
    used = {key: [run for span in group for run in span] for key, group in spans.items()}
    assert all(len(runs) == len(set(runs)) for runs in used.values())
    for side in (0, 1):
        assert sum(len(runs) for (_, s), runs in used.items() if s == side) == found.runs
    assert len({seed for seed, _ in spans}) == found.tried
    # the best pairs were run again, every sampler was closed
    assert max(map(len, spans.values())) >= 3
    assert sum(entry[0] == "close" for entry in log) == sum(map(len, spans.values())) / 2
    assert find(right_sum, Neighbourhood(Box((), 0, 1), 4), runs=10**6).runs <= MOST_RUNS


def test_every_pair_tried_is_a_new_pair_of_neighbours() -> None:
    seen: list[tuple[Any, Any]] = []

    def remember(pair: tuple[Any, Any], seed: int) -> Sampler:
        seen.append(pair)
        return Sampler(right_sum, pair, seed, [])

    for relation in (Relation.REPLACE_ONE, ADD):
        seen.clear()
        found = find_pair(
            remember,
            Neighbourhood(Integers((), 0, 2), 3, relation),
            EpsilonDelta(0.0),
            alpha=0.01,
            runs=4000,
            seed=0,
        )
        for first, second in seen:
            short = [np.delete(first, i) for i in range(3)]
            if relation is ADD:
                assert any(np.array_equal(second, other) for other in short)
            else:
                assert first.shape == second.shape
                assert np.count_nonzero(first != second) == 1
        assert len({frozenset((a.tobytes(), b.tobytes())) for a, b in seen}) == found.tried


def test_a_whole_table_is_left_whole() -> None:
    rows = np.random.default_rng(1).random((12, 2))
    for relation in (Relation.REPLACE_ONE, ADD):
        seen: list[tuple[Any, Any]] = []

        def remember(pair: tuple[Any, Any], seed: int, seen: list[Any] = seen) -> Sampler:
            seen.append(pair)
            return Sampler(row_sum, pair, seed, [])

        pairs = Neighbourhood(Table(rows), None, relation)
        find_pair(remember, pairs, EpsilonDelta(0.0), alpha=0.01, runs=4000, seed=0)
        assert len(seen) > 12
        for first, second in seen:
            np.testing.assert_array_equal(first, rows)
            if relation is ADD:
                assert any(np.array_equal(second, np.delete(rows, i, axis=0)) for i in range(12))
            else:
                assert all(row in rows.tolist() for row in second.tolist())
                assert np.count_nonzero((first != second).any(axis=1)) == 1


def test_a_domain_with_a_single_pair_costs_next_to_nothing() -> None:
    found = find(right_sum, Neighbourhood(Choice((0.0, 1.0))), level=0)
    assert found.tried == 1
    assert found.runs <= 64
    assert sorted(map(float, found.pair)) == [0, 1]


def test_a_budget_too_small_for_anything_gives_the_first_extreme() -> None:
    found = find(right_sum, Neighbourhood(Box((), 0, 1), 3), runs=LEAST_RUNS - 1)
    assert (found.tried, found.runs) == (1, 0)
    assert [data.tolist() for data in found.pair] == [[1, 1, 1], [0, 1, 1]]
    few = find(right_sum, Neighbourhood(Box((), 0, 1), 3), runs=100)
    assert 90 <= few.runs <= 100
    assert few.tried >= 3


def test_a_record_is_changed_in_one_coordinate_or_a_little_or_drawn_anew() -> None:
    breeder = _Breeder(Neighbourhood(Box((3,), -1, 1), 4), np.random.default_rng(0))
    record = np.array([0.21, -0.32, 0.43])
    moves = np.array([breeder._changed(record) for _ in range(600)]) - record
    sizes = np.abs(moves).max(axis=1)
    moved = (np.abs(moves) > 1e-9).sum(axis=1)
    # a third each, of which about a half to three quarters look like nothing else
    assert (moved == 1).mean() == pytest.approx(1 / 3, abs=0.05)
    assert 0.1 < ((moved == 3) & (sizes < 0.2)).mean() < 0.3
    assert 0.15 < ((moved == 3) & (sizes > 0.9)).mean() < 0.4


def test_every_kind_of_change_occurs() -> None:
    breeder = _Breeder(Neighbourhood(Integers((), 0, 9), 4), np.random.default_rng(0))
    parent = _Genes([np.asarray(x) for x in (1.0, 2.0, 3.0, 4.0)], 1, np.asarray(7.0))
    other = _Genes([np.asarray(x) for x in (5.0, 6.0, 8.0, 9.0)], 2, np.asarray(0.0))
    kinds = set()
    for _ in range(300):
        child = breeder.child([parent])
        records = [float(record) for record in child.records]
        old, others = records.pop(child.index), sorted(records)
        kinds.add((old != 2, float(child.new) != 7, others != [1, 3, 4], child.index != 1))
    alone = np.eye(4, dtype=bool)
    assert {tuple(kind) for kind in alone.tolist()} <= kinds
    crossed = [breeder.child([parent, other]).records for _ in range(300)]
    assert [5.0, 2.0, 8.0, 9.0] in crossed


def test_a_pair_that_refutes_the_claim_beats_one_that_was_lucky() -> None:
    def pair_of(number: int) -> Pair:
        return [number], [9]

    race = _Race(
        lambda pair, seed: Sampler(right_sum, pair, seed, []),
        EpsilonDelta(1.0),
        0.01,
        0,
        0,
        quoted=True,
    )
    for number, promise in enumerate((1.2, 1.5)):
        race.entries.append(_Entry(partial(pair_of, number), None, 0, promise=promise))
    assert race.found().pair == ([1], [9])
    race._refuted = next(entry for entry in race.entries if entry.promise == 1.2)
    assert race.found().pair == ([0], [9])


def test_no_pair_is_judged_again_by_fewer_runs_than_before() -> None:
    log: list[Any] = []
    race = _Race(
        lambda pair, seed: Sampler(right_sum, pair, seed, log),
        EpsilonDelta(1.0),
        0.01,
        1000,
        0,
        quoted=True,
    )
    entry = _Entry(lambda: ([1], [2]), None, 0, size=600, promise=1.0)
    race.left = 500
    race.extend(entry)
    assert (race.left, entry.size, log) == (500, 600, [])
    entry.size = 300  # not twice as many, but more
    race.extend(entry)
    assert (race.left, entry.size) == (0, 500)


def test_only_the_pair_at_hand_is_in_memory() -> None:
    table = Table(np.random.default_rng(0).random((20_000, 25)))  # 4 MB
    tracemalloc.start()
    try:
        found = find(row_sum, Neighbourhood(table), level=0, runs=2000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.tried > 10
    assert peak < 40e6


def test_outputs_of_any_kind() -> None:
    def ragged(data: Any, rng: np.random.Generator, size: int) -> Any:
        return [
            None if u < 0.1 else ("x", [1.0] * int(10 * u + sum(data))) for u in rng.random(size)
        ]

    found = find(ragged, Neighbourhood(st.integers(0, 9), 2))
    assert abs(sum(found.pair[0]) - sum(found.pair[1])) >= 2


# ----------------------------------------------------------------------------------- bad input


def test_nothing_to_choose_from() -> None:
    for pairs in (
        Neighbourhood(Choice((1.0,)), 3),
        Neighbourhood(st.just("x"), 3),
        Neighbourhood(Table([1])),
        st.just(("x", "x")),
    ):
        with pytest.raises(InputError, match="no two different neighbouring data sets"):
            find(right_sum, pairs)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (st.just(3), r"must give two data sets, \(D, D'\)"),
        (st.just(([0, 0], [1, 1])), "differ in 2 of 2 records"),
        (st.nothing(), "drawing from the strategy failed"),
        (st.just(1).map(lambda x: x / 0), "failed with ZeroDivisionError"),
        (Neighbourhood(st.nothing(), 2), "drawing from the strategy failed"),
        (Neighbourhood(Box((), 0, 1), 1, ADD), "at least two records"),
    ],
)
def test_bad_strategies(pairs: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        find(right_sum, pairs)
    assert "\n" not in str(caught.value)


def test_the_user_vouches_for_pairs() -> None:
    apart = st.just((np.zeros(3), np.ones(3)))
    assert find(right_sum, apart, relation="any").tried == 1
    with pytest.raises(InputError, match="differ in 3 of 3"):
        find(right_sum, apart)
    with pytest.raises(InputError, match="the claim is about add/remove-one"):
        find(right_sum, st.just(([1], [2])), relation="add-remove")


def test_pairs_on_which_the_mechanism_fails() -> None:
    log: list[Any] = []

    def fails_on(bad: Callable[[Any], bool]) -> Mechanism:
        def run(data: Any, rng: np.random.Generator, size: int) -> Any:
            if bad(data):
                raise InputError("it raised ValueError on both data sets")
            return right_sum(data, rng, size)

        return run

    # some pairs cannot be run: another is found
    found = find(fails_on(lambda data: (data == 1).all()), Neighbourhood(Box((), 0, 1), 3), log=log)
    assert all((data != 1).any() for data in found.pair)
    assert found.level > 0
    with pytest.raises(InputError, match=r"ValueError on both data sets \(on the pair D = array"):
        find(fails_on(lambda data: True), Neighbourhood(Box((), 0, 1), 3), log=log)
    assert {seed for what, seed, *_ in log if what == "run"} == {
        seed for what, seed, *_ in log if what == "close"
    }


def test_other_errors_are_not_hidden() -> None:
    def broken(data: Any, rng: np.random.Generator, size: int) -> Any:
        raise ZeroDivisionError("mine")

    for pairs in (Neighbourhood(Box((), 0, 1), 3), neighbours(Box((), 0, 1), n=3)):
        log: list[Any] = []
        with pytest.raises(ZeroDivisionError, match="mine"):
            find(broken, pairs, log=log)
        assert [entry[0] for entry in log] == ["run", "close"]


@hypothesis.settings(max_examples=2)
@hypothesis.given(st.integers(0, 3))
def test_a_domain_is_searched_inside_of_a_property_test(seed: int) -> None:
    # (with a strategy Hypothesis wants HealthCheck.nested_given suppressed, on the outer test)
    assert find(right_sum, Neighbourhood(Box((), 0, 1), 2), runs=500, seed=seed).tried > 1


def test_neighbours_in_a_label_keep_their_features() -> None:
    pairs = Neighbourhood(PEOPLE_AND_LABELS, 3, Relation.REPLACE_LABEL)
    breeder = _Breeder(pairs, np.random.default_rng(0))
    parents = list(breeder.first(60))
    children = [breeder.child(parents) for _ in range(200)]
    made = [breeder.pair(genes) for genes in [*parents, *children]]
    assert all(differ_in_label(*pair) for pair in made)
    assert sum(bool(differing_records(*pair)) for pair in made) > 200

    def shows_features(data: Any, rng: np.random.Generator, size: int) -> Any:
        return data[0].sum() + rng.normal(size=size)

    def noises_labels(data: Any, rng: np.random.Generator, size: int) -> Any:
        return data[1].sum() + rng.normal(size=size)

    # next to nothing is found, and the ends of the labels
    assert find(shows_features, pairs, level=0).level < 0.5
    data, other = find(noises_labels, pairs, level=0).pair
    assert abs(data[1] - other[1]).max() > 9


@pytest.mark.parametrize("problem", [OutOfTime(), ValueError("no luck")])
def test_nothing_more_is_drawn_from_a_strategy_after_a_problem(problem: BaseException) -> None:
    drawn: list[int] = []

    def noted(value: int) -> int:
        drawn.append(value)
        return value

    def mechanism(data: Any, rng: np.random.Generator, size: int) -> Any:
        raise problem

    record = st.integers(0, 2**20).map(noted)
    with suppress(ValueError):
        find(mechanism, st.tuples(record, record), relation="any")
    assert len(drawn) <= 8  # the first pairs are of one value twice
