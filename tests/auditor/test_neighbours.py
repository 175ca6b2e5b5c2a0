import importlib.util
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.neighbours import (
    Ball,
    Box,
    Everything,
    Integers,
    Product,
    differing_records,
    n_records,
    neighbours,
    random_records,
    remove_record,
    replace_record,
    search_worst_pair,
    with_one_attribute,
)
from reference.privacy.guarantees import Model, Relation

DOMAINS = [
    Box((), -2.0, 3.0),
    Box((2, 2), 0.0, 1.0),
    Everything((3,)),
    Ball(4, 2.0),
    Integers((5,)),
    Product((Ball(2, 1.0), Integers((), -1, 1))),
]

steady = settings(max_examples=40, derandomize=True, database=None, deadline=None)


def contains(domain, record):
    """Membership, written independently of decode and strategy."""
    match domain:
        case Product(parts):
            return all(contains(d, r) for d, r in zip(parts, record, strict=True))
        case Ball(dimension, radius):
            return record.shape == (dimension,) and np.linalg.norm(record) <= radius * (1 + 1e-12)
        case Box(shape, low, high):
            return record.shape == shape and np.all((record >= low) & (record <= high))
        case Integers(shape, low, high):
            inside = np.all((record >= low) & (record <= high) & (record == np.round(record)))
            return record.shape == shape and inside
        case Everything(shape, largest):
            return record.shape == shape and np.all(np.abs(record) <= largest * (1 + 1e-9))


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
@steady
@given(data=st.data())
def test_both_ways_of_searching_stay_inside_the_domain(domain, data):
    assert contains(domain, data.draw(domain.strategy()))
    point = data.draw(st.tuples(*[st.floats(-1, 1)] * domain.parameters))
    assert contains(domain, domain.decode(np.array(point)))


@pytest.mark.parametrize(
    ("domain", "extreme"),
    [
        (Box((2,), -2.0, 3.0), [3.0, 3.0]),
        (Everything((2,)), [1e12, 1e12]),
        (Ball(2, 1.0), [0.5**0.5, 0.5**0.5]),
        (Integers((2,), 0, 7), [7.0, 7.0]),
    ],
)
def test_decode_reaches_the_extremes(domain, extreme):
    np.testing.assert_allclose(domain.decode(np.ones(2)), extreme, rtol=1e-9)


@steady
@given(st.data())
def test_neighbours_differ_as_the_relation_allows(data):
    domain = data.draw(st.sampled_from(DOMAINS))
    n = data.draw(st.integers(1, 4))
    first, second = data.draw(neighbours(domain, n=n))
    assert n_records(first) == n_records(second) == n
    assert len(differing_records(first, second)) <= 1
    if n > 1:
        removed = neighbours(domain, n=n, relation=Relation.ADD_OR_REMOVE_ONE)
        first, second = data.draw(removed)
        assert n_records(second) == n - 1
        assert any(not differing_records(remove_record(first, i), second) for i in range(n))


@steady
@given(neighbours(Box((4,), 0.0, 1.0), n=3, model=Model.LOCAL_ATTRIBUTE))
def test_attribute_neighbours_differ_in_one_entry(pair):
    assert np.count_nonzero(pair[0] != pair[1]) <= 1


def test_add_remove_of_a_single_record_is_refused():
    @settings(max_examples=1, database=None)
    @given(neighbours(Box((), 0.0, 1.0), n=1, relation=Relation.ADD_OR_REMOVE_ONE))
    def check(pair):
        raise AssertionError(pair)

    with pytest.raises(ValueError, match="at least two records"):
        check()


def test_editing_records_leaves_the_original_alone():
    data = (np.arange(6.0).reshape(3, 2), np.arange(3.0))
    changed = replace_record(data, 1, (np.array([9.0, 9.0]), np.array(8.0)))
    assert differing_records(data, changed) == [1]
    assert data[1].tolist() == [0, 1, 2]
    assert remove_record(data, 0)[1].tolist() == [1, 2]
    assert differing_records(np.array([np.nan, 1.0]), np.array([np.nan, 2.0])) == [1]


def test_with_one_attribute_counts_through_the_parts():
    old, new = (np.zeros(2), np.array(0.0)), (np.ones(2), np.array(5.0))
    assert [p.tolist() for p in with_one_attribute(old, new, 1)] == [[0.0, 1.0], 0.0]
    assert [p.tolist() for p in with_one_attribute(old, new, 2)] == [[0.0, 0.0], 5.0]
    assert [p.tolist() for p in with_one_attribute(old, new, 3)] == [[1.0, 0.0], 0.0]
    assert with_one_attribute(np.zeros(2), np.ones(2), 0).tolist() == [1.0, 0.0]


def distance(old, new, variation):
    del variation
    return float(np.linalg.norm(np.asarray(old) - np.asarray(new)))


@pytest.mark.parametrize(
    ("domain", "best"),
    [
        (Ball(2, 1.0), 2.0),
        (Ball(10, 3.0), 6.0),
        (Box((3,), 0.0, 2.0), 2 * 3**0.5),
        (Integers((4,)), 2.0),
        (Everything((2,)), 2e12 * 2**0.5),
    ],
    ids=str,
)
def test_search_finds_the_farthest_pair(domain, best):
    found = search_worst_pair(distance, domain, seed=0)
    assert found.value == pytest.approx(best, rel=1e-3)
    assert distance(found.old, found.new, 0) == found.value
    assert contains(domain, found.old)
    assert contains(domain, found.new)


def test_search_finds_an_interior_peak_and_the_right_variation():
    # a narrow bump in the interior, three times higher in one variation of a hundred
    def bump(old, new, variation):
        away = np.sum((old - 0.37) ** 2) + np.sum((new + 0.11) ** 2)
        return (3.0 if variation >= 50 else 1.0) / (1 + 20 * away)

    found = search_worst_pair(bump, Box((2,), -1.0, 1.0), seed=1, examples=100, evaluations=300)
    assert found.value > 2.9
    assert found.variation >= 50


def test_every_stage_of_the_search_climbs():
    def peak(old, new, variation):
        return -float(np.sum((old - 0.37) ** 2) + np.sum((new + 0.11) ** 2))

    # 200 random points of [-1, 1]^8 stay about 1.2 away; hypothesis.target climbs
    climbed = [
        search_worst_pair(peak, Box((4,), -1.0, 1.0), seed=s, examples=200, evaluations=1)
        for s in range(5)
    ]
    assert max(found.traces["hypothesis"][-1] for found in climbed) > -0.4
    # differential evolution alone gets to 1e-3; Nelder-Mead polishes
    polished = [
        search_worst_pair(peak, Box((2,), -1.0, 1.0), seed=s, evaluations=240) for s in range(3)
    ]
    assert max(found.value for found in polished) > -1e-5


def test_trace_is_the_best_so_far_of_both_methods_within_budget():
    values = []

    def objective(old, new, variation):
        values.append(distance(old, new, variation))
        return values[-1]

    found = search_worst_pair(objective, Ball(3, 1.0), seed=2, examples=30, evaluations=60)
    traces = found.traces["hypothesis"] + found.traces["scipy"]
    assert traces == np.maximum.accumulate(values).tolist()
    assert found.evaluations == len(values)
    assert len(found.traces["hypothesis"]) <= 30
    assert len(found.traces["scipy"]) <= 60 + 20


def test_nan_and_infinite_objectives_do_not_stop_the_search():
    def wild(old, new, variation):
        del new, variation
        if old[0] > 0.5:
            return float("nan")
        return float("inf") if old[0] < -0.9 else float(old[0])

    assert search_worst_pair(wild, Box((1,), -1.0, 1.0), seed=3).value == float("inf")
    nothing = search_worst_pair(lambda *_: float("nan"), Box((1,), 0.0, 1.0), seed=3)
    assert nothing.value == -float("inf")


def load_module_full_of_constants(folder):
    path = folder / "constants_everywhere.py"
    path.write_text("VALUES = [" + ", ".join(f"{i}, {i / 7}" for i in range(100, 400)) + "]\n")
    spec = importlib.util.spec_from_file_location("constants_everywhere", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["constants_everywhere"] = module
    spec.loader.exec_module(module)


def test_search_does_not_depend_on_what_else_is_loaded(tmp_path):
    # Hypothesis draws constants from the source of loaded modules; other workers load others
    def candidates(seed):
        tried = []

        def objective(old, new, variation):
            tried.append((*old, *new, variation))
            return float(np.sin(np.sum(old) * 1e-3) + np.cos(new[0] * variation))

        search_worst_pair(objective, Everything((2,)), seed=seed, examples=100)
        return tried

    before = candidates(4)
    try:
        load_module_full_of_constants(tmp_path)
        after = candidates(4)
    finally:
        sys.modules.pop("constants_everywhere", None)
    assert before == after
    assert before != candidates(5)


def test_random_records_lie_in_the_domain():
    domain = Product((Ball(2, 1.0), Integers((), -1, 1)))
    vectors, labels = random_records(domain, 20, np.random.default_rng(0))
    assert np.all(np.linalg.norm(vectors, axis=1) <= 1 + 1e-12)
    assert set(labels) == {-1.0, 0.0, 1.0}
