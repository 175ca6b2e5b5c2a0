"""The relation of two data sets: every kind of data set, and what cannot be one."""

from collections import namedtuple
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.checking.relations import relation_of, require_neighbours
from auditor.core.errors import InputError
from auditor.core.neighbours import same_value
from reference.privacy.guarantees import Relation

REPLACE, ADD = Relation.REPLACE_ONE, Relation.ADD_OR_REMOVE_ONE
FRAME = pd.DataFrame({"age": [30, 40, 50], "city": ["Rome", None, "Oslo"]})


def changed(frame: pd.DataFrame, row: int, column: str, value: Any) -> pd.DataFrame:
    copy = frame.copy()
    copy.loc[row, column] = value
    return copy


NEIGHBOURS = [
    # arrays
    (np.zeros(20), np.r_[np.zeros(19), 1.0], REPLACE, 19),
    (np.arange(5.0), np.delete(np.arange(5.0), 3), ADD, 3),
    (np.zeros((3, 2)), np.array([[0, 0], [0, 5], [0, 0]]), REPLACE, 1),
    (np.array([np.nan, 1.0]), np.array([np.nan, 2.0]), REPLACE, 1),
    (np.array(["a", "b"]), np.array(["a", "long"]), REPLACE, 1),
    (np.array([1.0]), np.empty(0), ADD, 0),
    # tuples of parts
    ((np.zeros((4, 2)), np.zeros(4)), (np.zeros((4, 2)), np.array([0, 0, 7.0, 0])), REPLACE, 2),
    ((np.eye(3), [1, 2, 3]), (np.eye(3)[1:], [2, 3]), ADD, 0),
    # lists of any objects, one record each
    ([1, 2, 3], [1, 3], ADD, 1),
    ([1, 2, 3, 4], [1, 2, 3], ADD, 3),
    ([1, 1, 1], [1, 1], ADD, None),
    ([[1], [2, 3], []], [[1], [2, 3], [9, 9, 9]], REPLACE, 2),
    ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}], REPLACE, 1),
    ([np.zeros(2), np.zeros(3)], [np.zeros(2), np.array([0, 0, 1.0])], REPLACE, 1),
    (["x", None, float("nan")], ["x", "y", float("nan")], REPLACE, 1),
    ([["a", 1], ["b", 2]], [["a", 1], ["b", 3]], REPLACE, 1),
    ((0, 1, 1), (0, 0, 1), REPLACE, 1),
    # no parts of one length: a tuple of two records
    (([1, 2], [3, 4, 5]), ([1, 2], [6, 7, 8]), REPLACE, 1),
    ([], [3], ADD, 0),
    # tables: the index does not matter, values do
    (FRAME, changed(FRAME, 1, "city", "Bonn"), REPLACE, 1),
    (FRAME, FRAME.drop(index=0), ADD, 0),
    (FRAME["age"], FRAME["age"].drop(index=2), ADD, 2),
    # dicts of columns, dicts and sets by key
    ({"x": [1, 2], "y": [3, 4]}, {"y": [3, 5], "x": [1, 2]}, REPLACE, 1),
    ({"x": np.zeros(3), "y": [1, 2, 3]}, {"x": np.zeros(2), "y": [1, 3]}, ADD, 1),
    ({"ann": 1, "bob": 2}, {"ann": 1, "bob": 5}, REPLACE, 1),
    ({"ann": 1, "bob": 2}, {"ann": 1, "eve": 2}, REPLACE, 1),
    ({"ann": [1], "bob": [2, 3]}, {"bob": [2, 3]}, ADD, 0),
    ({1, 2}, {1, 2, 3}, ADD, None),
    # the data of one user
    ("yes", "no", REPLACE, 0),
    (0, 1.5, REPLACE, 0),
    (None, "x", REPLACE, 0),
    (np.float64(0), np.array(1.0), REPLACE, 0),
]


@pytest.mark.parametrize(("first", "second", "relation", "index"), NEIGHBOURS)
def test_neighbours_of_every_kind(first: Any, second: Any, relation: Relation, index: int) -> None:
    for pair in ((first, second), (second, first)):
        found, where = relation_of(*pair)
        assert found is relation
        if index is not None and not isinstance(first, (dict, set)):
            assert where == index
    if index is not None:
        assert relation_of(first, second)[1] == index


Point = namedtuple("Point", "x y")

STRANGERS = [
    (np.zeros(3), np.zeros(3), "equal"),
    ([float("nan")], [float("nan")], "equal"),
    ([np.array([1.0, np.nan])], [np.array([1.0, np.nan])], "equal"),
    (FRAME, FRAME.set_index(np.array([7, 8, 9])), "equal"),
    ({"a": 1}, {"a": 1}, "equal"),
    ("x", "x", "equal"),
    ([], [], "equal"),
    (np.zeros(9), np.r_[np.zeros(7), 1, 2], r"differ in 2 of 9 records \(7, 8\).*relation=\"any\""),
    (np.zeros(9), np.ones(9), r"9 of 9 records \(0, 1, 2, 3, 4, \.\.\.\)"),
    (np.zeros(3), np.ones(2), "more than one record that only one of them has"),
    ([1, 2, 3], [3, 2], "more than one record that only one of them has"),
    (np.zeros(3), np.zeros(1), "D has 3 records and D' has 1"),
    (np.zeros((3, 2)), np.zeros((3, 4)), r"different shapes, \(2,\) and \(4,\)"),
    (FRAME, FRAME.rename(columns={"age": "years"}), "different parts .age, years on one side"),
    ((np.zeros(2), np.zeros(2)), (np.zeros(2),), "different parts"),
    (FRAME.iloc[:, [0, 0]], FRAME.iloc[:, [0, 0]], "two columns of one name"),
    (np.zeros(2, dtype=[("a", float)]), np.zeros(2), "different fields"),
    # one part differs in several records
    ({"x": [1, 2], "y": [3, 4]}, {"x": [7, 8], "y": [3, 4]}, "differ in 2 of 2 records"),
    ({"a": 1, "b": 2}, {"a": 3, "b": 4}, "differ in 2 of the keys they share"),
    ({"a": 1, "b": 2}, {"a": 3}, "1 are in D alone"),
    ({1, 2}, {3, 4}, "2 are in D alone and 2 in D' alone"),
    ([1, 2], np.array([1, 3]), "D is a list but D' is an array"),
    (1, [1], "D is one plain value but D' is a list"),
    (object(), object(), r"cannot tell neighbours of type object; relation=\"any\" vouches"),
    (Point(1, 2), Point(3, 4), "differ in 2 of 2 records"),
]


@pytest.mark.parametrize(("first", "second", "message"), STRANGERS)
def test_no_neighbours(first: Any, second: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        relation_of(first, second)
    assert "\n" not in str(caught.value)


def test_the_relation_of_the_claim() -> None:
    pair = ([1, 2], [1, 3])
    assert require_neighbours(*pair) == (REPLACE, 1)
    assert require_neighbours(*pair, "replace") == (REPLACE, 1)
    assert require_neighbours([1, 2], [1], ADD) == (ADD, 1)
    with pytest.raises(InputError, match="replace-one neighbours, but the claim is about add/rem"):
        require_neighbours(*pair, "add-remove")
    with pytest.raises(InputError, match="'replace', 'add-remove', 'replace-label', got 'swap'"):
        require_neighbours(*pair, "swap")  # type: ignore[arg-type]


LABELS = np.array([0.1, 0.2, 0.3])
OTHERS = np.array([0.1, 0.7, 0.3])
LABELLED = [
    ((np.eye(3), LABELS), (np.eye(3), OTHERS), 1),
    ((list("abc"), np.eye(3), LABELS), (list("abc"), np.eye(3), OTHERS), 1),
    (FRAME, changed(FRAME, 2, "city", "Bonn"), 2),
    ({"x": [1, 2], "y": [3, 4]}, {"x": [1, 2], "y": [3, 5]}, 1),
    # rows of an array, of a list: the last entry
    (np.c_[np.eye(3), LABELS], np.c_[np.eye(3), OTHERS], 1),
    ([("a", 1), ("b", 2)], [("a", 1), ("b", 3)], 1),
    # one user, as in the local model
    ((np.ones(3), 0.5), (np.ones(3), -0.5), 0),
    ((2.0, 1), (2.0, 0), 0),
]


@pytest.mark.parametrize(("first", "second", "index"), LABELLED)
def test_neighbours_in_a_label(first: Any, second: Any, index: int) -> None:
    assert require_neighbours(first, second, "replace-label") == (Relation.REPLACE_LABEL, index)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ((np.eye(3), LABELS), (np.eye(3)[::-1], LABELS), "differ in 2 of 3 records"),
        ((OTHERS, LABELS), (LABELS, LABELS), "more of record 1 than its label"),
        ((OTHERS, LABELS), (LABELS, OTHERS), "more of record 1 than its label"),
        (FRAME, changed(FRAME, 2, "age", 51), "more of record 2 than its label"),
        ({"x": [1, 2], "y": [3, 4]}, {"x": [1, 3], "y": [3, 4]}, "more of record 1"),
        (np.c_[LABELS, LABELS], np.c_[OTHERS, LABELS], "more of record 1 than its label"),
        ([("a", 1), ("b", 2)], [("a", 1), ("c", 2)], "more of record 1 than its label"),
        ((np.ones(3), 0.5), (np.zeros(3), -0.5), "more of record 0 than its label"),
        # as many columns, so three records in each; and a tuple of two records, not one record
        ((("a", 1), ("b", 2)), (("c", 1), ("b", 2)), "more of record 0 than its label"),
        (LABELS, OTHERS, "records have no label"),
        ([1, 2], [1, 3], "records have no label"),
        ({"ann": 1, "bob": 2}, {"ann": 1, "bob": 5}, "records have no label"),
        ((np.eye(3), LABELS), (np.eye(3)[1:], LABELS[1:]), "add/remove-one neighbours, but"),
        ((np.ones(3), 0.5), (np.ones(3), 0.5), "equal"),
        ((np.eye(3), LABELS), (np.eye(3), LABELS), "equal"),
    ],
)
def test_no_neighbours_in_a_label(first: Any, second: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        require_neighbours(first, second, Relation.REPLACE_LABEL)


def test_the_user_vouches_for_what_cannot_be_judged() -> None:
    graph, other = object(), object()
    assert require_neighbours(graph, other, "any") is None
    assert require_neighbours(np.zeros(5), np.ones(5), "any") is None
    with pytest.raises(InputError, match="equal"):
        require_neighbours(np.zeros(5), np.zeros(5), "any")
    with pytest.raises(InputError, match="equal"):
        require_neighbours(graph, graph, "any")


# every container of the same records says the same
records = st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=1, max_size=6)


@settings(max_examples=200)
@given(records, records)
def test_all_containers_agree_with_the_definition(first: list[float], second: list[float]) -> None:
    removals = [first[:i] + first[i + 1 :] for i in range(len(first))]
    additions = [second[:i] + second[i + 1 :] for i in range(len(second))]
    apart = sum(a != b for a, b in zip(first, second, strict=False))
    expected = None
    if second in removals or first in additions:
        expected = ADD
    elif len(first) == len(second) and apart == 1:
        expected = REPLACE
    for make in (list, np.array, lambda r: (np.array(r), list(r)), lambda r: {"x": r, "y": r}):
        try:
            found, index = relation_of(make(first), make(second))
        except InputError:
            found = None
        assert found is expected
        if found is REPLACE:
            assert first[index] != second[index]
        if found is ADD:
            longer, shorter = sorted((first, second), key=len, reverse=True)
            assert longer[:index] + longer[index + 1 :] == shorter


def test_same_values() -> None:
    nan = float("nan")
    assert same_value([1, (nan, np.array([nan]))], [1, (float("nan"), np.array([nan]))])
    assert same_value({"a": np.zeros(2)}, {"a": np.zeros(2)})
    assert same_value(FRAME, FRAME.copy())
    for one, two in (
        (np.zeros(2), np.zeros(3)),
        (np.zeros(2), [0.0, 0.0]),
        ([1], (1,)),
        ({"a": 1}, {"b": 1}),
        ([1, 2], [1]),
        ("a", 1),
        (pd.NA, 1),
        (FRAME, changed(FRAME, 0, "age", 31)),
        (FRAME, 1),
        (FRAME["age"], FRAME["age"].copy()),  # no single truth value: never taken for the same
    ):
        assert not same_value(one, two)
        assert not same_value(two, one)
