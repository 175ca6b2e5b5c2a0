import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from auditor.core.errors import InputError
from auditor.core.neighbours import (
    Ball,
    Box,
    Choice,
    Counts,
    Everything,
    Integers,
    Neighbourhood,
    Product,
    Table,
    as_relation,
    differ_in_label,
    differing_records,
    n_records,
    neighbours,
    random_records,
    remove_record,
    replace_record,
    same_value,
    with_label,
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
    Ball(3, 0.5, 1),
    Ball(3, 0.5, math.inf),
    Box((2,), -0.1, 0.3),
    Choice((-1.0, 1.0)),
    Choice(("yes", "no", "perhaps")),
    Product((Box((3,), 0.0, 1.0), Choice(("a", "b")))),
]
# of other types: values no array holds, counts, rows
OTHERS = [
    Choice((None, ("a", 1), "b")),
    Counts(4, 6),
    Table(np.arange(12.0).reshape(6, 2)),
    Table(["a", "b", "c"]),
    Table((np.eye(3), np.arange(3))),
    Table(pd.DataFrame({"x": [1, 2, 3], "y": ["a", "b", None]}, index=[7, 8, 9])),
]

steady = settings(max_examples=20)


def contains(domain, record):
    """Membership, written independently of decode and strategy."""
    match domain:
        case Product(parts):
            return all(contains(d, r) for d, r in zip(parts, record, strict=True))
        case Ball(dimension, radius, norm):
            return record.shape == (dimension,) and np.linalg.norm(record, norm) <= radius
        case Box(shape, low, high):
            return record.shape == shape and np.all((record >= low) & (record <= high))
        case Integers(shape, low, high):
            inside = np.all((record >= low) & (record <= high) & (record == np.round(record)))
            return record.shape == shape and inside
        case Everything(shape, largest):
            return record.shape == shape and np.all(np.abs(record) <= largest * (1 + 1e-9))
        case Choice(values):
            bare = getattr(record, "tolist", lambda: record)()
            return any(same_value(value, bare) for value in values)
        case Counts(cells):
            return record in range(cells)
        case Table():
            return record in range(n_records(domain.rows))


@pytest.mark.parametrize("domain", DOMAINS + OTHERS, ids=str)
@steady
@given(data=st.data())
def test_all_ways_of_searching_stay_inside_the_domain(domain, data):
    assert contains(domain, data.draw(domain.strategy()))
    point = data.draw(st.tuples(*[st.floats(-1, 1)] * domain.parameters))
    assert contains(domain, domain.decode(np.array(point)))


@pytest.mark.parametrize("domain", DOMAINS + OTHERS, ids=str)
def test_landmarks_are_few_records_of_the_domain(domain):
    landmarks = domain.landmarks()
    assert all(contains(domain, record) for record in landmarks)
    assert 1 < len(landmarks) <= 70


@pytest.mark.parametrize(
    ("domain", "extreme"),
    [
        (Ball(2, 3.0, math.inf), [3.0, 3.0]),
        (Ball(2, 3.0, 1), [1.5, 1.5]),
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
    box = Box((4,), 0.0, 1.0)
    first, second = data.draw(neighbours(box, n=n, model=Model.LOCAL_ATTRIBUTE))
    assert np.count_nonzero(first != second) <= 1


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


@pytest.mark.parametrize("domain", DOMAINS + OTHERS, ids=str)
@steady
@given(data=st.data())
def test_encode_undoes_decode(domain, data):
    point = np.array(data.draw(st.tuples(*[st.floats(-1, 1)] * domain.parameters)))
    record = domain.decode(point)
    again = domain.decode(domain.encode(record))
    whole = isinstance(record, tuple)
    for one, two in zip(*((record, again) if whole else ([record], [again])), strict=True):
        if isinstance(one, np.ndarray) and one.dtype.kind == "f":
            atol = 1e-3 if isinstance(domain, Everything) else 1e-12
            np.testing.assert_allclose(two, one, rtol=1e-9, atol=atol)
        else:
            assert one == two


@pytest.mark.parametrize(("low", "high"), [(-0.1, 0.3), (0.1, 0.7), (-3.3, 1e-9), (0.0, 1.0)])
def test_a_box_reaches_its_ends_exactly(low, high):
    # -0.1 + 1 * (0.3 - -0.1) is larger than 0.3
    assert Box((2,), low, high).decode(np.array([1.0, -1.0])).tolist() == [high, low]


def test_landmarks_reach_what_programs_branch_at():
    def values(domain):
        return [np.asarray(record).tolist() for record in domain.landmarks()]

    assert {3.0, -2.0, 0.5, 0.0, 1.0, -1.0} == set(values(Box((), -2.0, 3.0)))
    assert values(Counts(3)) == [0, 1, 2]
    assert values(Integers((), 1, 5)) == [1, 2, 3, 4, 5]
    assert {0.0, 1.0, -1.0} < set(values(Everything(())))
    corners = values(Integers((3,)))
    for row in ([0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]):
        assert row in corners
    assert values(Choice(("a", "b"))) == ["a", "b"]
    rows = np.zeros((500, 2))
    rows[321, 1], rows[77, 0] = 9.0, -3.0
    for table in (rows, pd.DataFrame(rows, columns=["a", "b"]), rows.tolist()):
        assert {321, 77} <= set(Table(table).landmarks())
    both = Product((Box((), 0, 1), Choice(("a", "b"))))
    pairs = {(float(x), str(c)) for x, c in both.landmarks()}
    assert {(1.0, "a"), (0.0, "a"), (1.0, "b"), (0.0, "b")} <= pairs


def test_data_sets_of_every_domain():
    labels = Choice((-1.0, 1.0)).data_set([np.asarray(1.0), np.asarray(-1.0)])
    assert labels.dtype == float
    words = Choice(("a", "bcd")).data_set([np.asarray("bcd"), np.asarray("a")])
    assert words.tolist() == ["bcd", "a"]
    assert Choice((None, "b")).data_set([None, "b"]) == [None, "b"]
    assert Counts(4).data_set([1, 1, 3]).tolist() == [0, 2, 0, 1]
    people = Product((Box((2,), 0, 1), Choice(("a", None))))
    features, cities = people.data_set([(np.zeros(2), "a"), (np.ones(2), None)])
    assert (features.tolist(), cities) == ([[0, 0], [1, 1]], ["a", None])
    assert OTHERS[2].data_set([5, 0]).tolist() == [[10, 11], [0, 1]]
    assert OTHERS[3].data_set([2, 2]) == ["c", "c"]
    assert [part.tolist() for part in OTHERS[4].data_set([1])] == [[[0, 1, 0]], [1]]
    frame = OTHERS[5].data_set([2, 0])
    assert (frame["x"].tolist(), frame.index.tolist()) == ([3, 1], [0, 1])


@pytest.mark.parametrize(
    ("domain", "width"),
    [
        (Box((2, 2), 0.0, 1.0), 4),
        (Choice(("a", "b")), 1),
        (Table(np.zeros((3, 2, 5))), 10),
        (Table(np.zeros(3)), 1),
        (Table(["abc", "d"]), 1),
        (Table([[1, 2], [3, 4], [5, 6]]), 2),
        (Table([1, 2, 3]), 1),
        (Table(pd.DataFrame({"a": [1, 2, 3], "b": "x"})), 2),
        (Table((np.zeros((3, 2)), np.zeros(3))), 3),
        (Product((Box((2,), 0.0, 1.0), Table(np.zeros((3, 5))))), 7),
    ],
)
def test_how_wide_a_record_is(domain, width):
    assert domain.width == width


def test_records_are_somebodys_if_any_part_is():
    table, box = Table(["Alice"]), Box((), 0.0, 1.0)
    real = [domain.real for domain in (table, box, Product((box, table)), Product((table, box)))]
    assert real == [True, False, True, True]
    assert not Product((box, box)).real


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box((), 1.0, 0.0), "finite low <= high, got 1.0 and 0.0"),
        (lambda: Box((), 0.0, math.inf), "Everything"),
        (lambda: Box((), math.nan, 1.0), "finite low <= high"),
        (lambda: Ball(0, 1.0), "dimension >= 1"),
        (lambda: Ball(2, -1.0), "finite radius > 0"),
        (lambda: Ball(2, 1.0, 3), "norm must be 1, 2 or math.inf, got 3"),
        (lambda: Integers((), 2, 1), "low <= high"),
        (lambda: Choice(()), "at least one value"),
        (lambda: Counts(0), "at least one cell"),
        (lambda: Counts(2, 0), "at least one cell and one record"),
        (lambda: Table([]), "at least one row"),
        (lambda: Table({"a": 1}), "got dict"),
        (lambda: Table((np.zeros(2), np.zeros(3))), "equally many rows"),
        (lambda: neighbours([1, 2], n=3), "Hypothesis strategy of records, got list"),
        (lambda: neighbours(Counts(2), n=0), "n must be an integer >= 1"),
        (lambda: neighbours(Counts(2), n=2.5), "n must be an integer"),
        (
            lambda: neighbours(Counts(2), relation="any"),
            "relation must be one of 'replace', 'add-remove', 'replace-label'",
        ),
        (
            lambda: neighbours(Box((3,), 0, 1), relation="replace-label"),
            "a Product whose last part is that of the labels, got Box",
        ),
    ],
)
def test_bad_domains(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@steady
@given(st.data())
def test_neighbouring_counts(data):
    first, second = data.draw(neighbours(Counts(4, 6)))
    assert first.sum() == second.sum() == 6
    assert sorted((second - first).tolist()) in ([0, 0, 0, 0], [-1, 0, 0, 1])
    first, second = data.draw(neighbours(Counts(4, 6), n=3, relation="add-remove"))
    assert (first.sum(), second.sum()) == (3, 2)
    assert sorted((first - second).tolist()) == [0, 0, 0, 1]


@steady
@given(st.data())
def test_neighbouring_tables(data):
    table = Table(np.arange(12.0).reshape(6, 2))
    first, second = data.draw(neighbours(table))
    assert np.array_equal(first, table.rows)
    assert len(differing_records(first, second)) <= 1
    assert all(row in table.rows.tolist() for row in second.tolist())
    first, second = data.draw(neighbours(table, relation="add-remove"))
    assert np.array_equal(first, table.rows)
    assert any(np.array_equal(second, np.delete(first, i, axis=0)) for i in range(6))
    first, second = data.draw(neighbours(table, n=2))
    assert (n_records(first), n_records(second)) == (2, 2)


@settings(max_examples=15)
@given(st.data())
def test_neighbours_from_a_strategy_of_records(data):
    tags = st.lists(st.booleans(), max_size=2)
    people = st.fixed_dictionaries({"age": st.integers(0, 99), "tags": tags})
    first, second = data.draw(neighbours(people, n=3))
    assert isinstance(first, list)
    assert sum(a != b for a, b in zip(first, second, strict=True)) <= 1
    first, second = data.draw(neighbours(people, n=3, relation="add-remove"))
    assert any(second == first[:i] + first[i + 1 :] for i in range(3))


@steady
@given(st.data())
def test_one_bare_record_is_the_local_model(data):
    assert all(x in ("a", "b") for x in data.draw(neighbours(st.sampled_from("ab"))))
    answers = data.draw(neighbours(Choice((None, "b"))))
    assert all(x in (None, "b") for x in answers)
    # plain values, which can be looked up in a dict, not 0-d arrays
    assert all(type(x) is str for x in data.draw(neighbours(Choice(("a", "b")))))
    assert all(type(x) is float for x in data.draw(neighbours(Box((), 0.0, 1.0))))
    for features, label in data.draw(neighbours(Product((Box((2,), 0, 1), Choice((-1, 1)))))):
        assert features.shape == (2,)
        assert type(label) is int
    x, y = data.draw(neighbours(Box((2,), 0.0, 1.0)))
    assert x.shape == y.shape == (2,)


def test_relations_by_name():
    assert as_relation("replace") is as_relation("replace-one") is Relation.REPLACE_ONE
    assert as_relation("add-remove") is as_relation("add/remove-one") is Relation.ADD_OR_REMOVE_ONE
    assert as_relation(Relation.REPLACE_ONE) is Relation.REPLACE_ONE
    assert as_relation("replace-label") is Relation.REPLACE_LABEL


@steady
@given(st.data())
def test_neighbours_in_a_label_have_equal_features(data):
    domain = Product((Box((2,), 0, 1), Choice((-1, 1)), Box((), -1, 1)))
    first, second = data.draw(neighbours(domain, n=3, relation="replace-label"))
    assert differ_in_label(first, second)
    assert len(differing_records(first, second)) <= 1
    first, second = data.draw(neighbours(domain, relation="replace-label"))
    assert np.array_equal(first[0], second[0])
    assert first[1] == second[1]


def test_what_differs_in_a_label_alone():
    data = (np.eye(2), np.array([1.0, 2.0]))
    assert differ_in_label(data, (np.eye(2), np.array([1.0, 5.0])))
    assert not differ_in_label(data, (-np.eye(2), data[1]))
    assert not differ_in_label(data, (np.eye(2)[:1], data[1][:1]))
    # no labels
    assert not differ_in_label(data[1], data[1])
    assert not differ_in_label((data[1],), (data[1],))
    x, y = with_label((np.ones(2), 1.0), (np.zeros(2), 5.0))
    assert (x.tolist(), y) == ([1.0, 1.0], 5.0)


def test_pairs_do_not_share_the_callers_list():
    records = ["a", "b"]
    first, second = Neighbourhood(st.text(), 2).pair(records, 0, "c")
    assert (first, second) == (["a", "b"], ["c", "b"])
    first.append("d")
    assert records == ["a", "b"]


@pytest.mark.parametrize("domain", DOMAINS + OTHERS, ids=str)
def test_a_data_set_is_made_of_the_records_at_its_points(domain):
    points = np.random.default_rng(0).uniform(-1, 1, (30, domain.parameters))
    points[0], points[1] = 1.0, 0.0
    one_by_one = domain.data_set([domain.decode(point) for point in points])
    assert same_value(domain.data_set_at(points), one_by_one)
    # and random records are those at the random points
    again = np.random.default_rng(0).uniform(-1, 1, (30, domain.parameters))
    drawn = random_records(domain, 30, np.random.default_rng(0))
    assert same_value(drawn, domain.data_set_at(again))


THOROUGH = settings(max_examples=2_000, derandomize=True, database=None)


@pytest.mark.parametrize("norm", [1, 2, math.inf])
def test_records_on_the_axes_of_a_ball_are_drawn(norm):
    on_an_axis = lambda x: np.count_nonzero(x) == 1 and x.sum() > 1.99  # noqa: E731
    record = find(Ball(3, 2.0, norm).strategy(), on_an_axis, settings=THOROUGH)
    assert contains(Ball(3, 2.0, norm), record)


@pytest.mark.parametrize(("domain", "last"), [(Counts(3), 2), (Table(["a", "b"]), 1)])
def test_the_last_record_is_drawn(domain, last):
    assert find(domain.strategy(), lambda record: record == last, settings=THOROUGH) == last
