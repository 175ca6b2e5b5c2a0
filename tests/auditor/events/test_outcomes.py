"""Outputs become rows: small examples worked out by hand."""

from __future__ import annotations

import enum
import math
import pickle
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from auditor.events.outcomes import MISSING, Encoding, Token, describe_row, plain
from auditor.events.scores import keys
from auditor.runs.sampling import Outputs, Raised

NAN = math.nan


def names(encoding: Encoding) -> list[str]:
    return [entry.name for entry in encoding.layout.entries()]


def rows(encoding: Encoding, outputs: Outputs) -> list[list[Any]]:
    """Return every entry as its number, or as (code,) if it is a category."""
    table = encoding.table(outputs)
    found: list[list[Any]] = []
    for i, numbers in enumerate(table.numbers.tolist()):
        codes = {j: int(code[i]) for j, code in table.codes.items()}
        found.append([(codes[j],) if codes.get(j) else x for j, x in enumerate(numbers)])
    return found


def test_arrays_of_numbers_are_not_copied() -> None:
    outputs = np.arange(12.0).reshape(3, 4)
    encoding = Encoding.learn(outputs, outputs)
    table = encoding.table(outputs)
    assert np.shares_memory(table.numbers, outputs)
    assert table.codes == {}
    assert names(encoding) == ["output[0]", "output[1]", "output[2]", "output[3]"]
    assert names(Encoding.learn(np.zeros(2), np.zeros(2))) == ["output"]


def test_higher_arrays_are_flattened_row_by_row() -> None:
    outputs = np.arange(8).reshape(2, 2, 2)
    encoding = Encoding.learn(outputs, outputs)
    assert names(encoding) == ["output[0][0]", "output[0][1]", "output[1][0]", "output[1][1]"]
    assert rows(encoding, outputs) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_categories_are_coded_by_how_common_they_are() -> None:
    outputs = ["b", "a", "b", None, None, "b", 2.5, NAN, "once"]
    encoding = Encoding.learn(outputs, [])
    # b, None, and anything else; "a" and "once" happened once and may never happen again
    found = rows(encoding, ["b", None, "a", "once", "never", 2.5, 7])
    assert found == [[(1,)], [(2,)], [(3,)], [(3,)], [(3,)], [2.5], [7.0]]
    assert math.isnan(rows(encoding, [NAN])[0][0])


def test_ragged_lists_have_a_length_and_missing_entries() -> None:
    outputs = [[None, True], [None], [None, None, True], [None, True]] * 2
    encoding = Encoding.learn(outputs[:4], outputs[4:])
    assert names(encoding) == ["len(output)", "output[0]", "output[1]", "output[2]"]
    # output[0]: None is 1. output[1]: True 1, missing 2, None 3. output[2]: missing 1, True 2
    assert rows(encoding, outputs[:3]) == [
        [2, (1,), (1,), (1,)],
        [1, (1,), (2,), (1,)],
        [3, (1,), (3,), (2,)],
    ]
    # longer than any seen in training, or no list at all
    assert rows(encoding, [[None] * 9])[0] == [9, (1,), (3,), (3,)]
    assert rows(encoding, ["text"])[0][1:] == [(2,), (2,), (1,)]


def test_true_is_a_number_only_among_its_kind() -> None:
    alone = Encoding.learn([True, False] * 2, [True])
    assert rows(alone, [True, False, 1]) == [[1], [0], [1]]
    mixed = Encoding.learn([True, 1.0, True, 2.0], [])
    assert rows(mixed, [True, 1.0, 1]) == [[(1,)], [1], [1]]
    # as a category it still counts in sums: its number is 1
    assert mixed.table([True]).numbers[0, 0] == 1


def test_strings_are_not_the_numbers_they_look_like() -> None:
    encoding = Encoding.learn(["1", 1, "1", 1], [])
    assert rows(encoding, ["1", 1]) == [[(1,)], [1]]


def test_dicts_have_an_entry_for_every_key() -> None:
    outputs = [{"x": 1.0, "y": "u"}, {"y": "u", "x": 2.0}]
    encoding = Encoding.learn(outputs, outputs)
    assert names(encoding) == ["output['x']", "output['y']"]
    assert rows(encoding, [*outputs, {}, {"x": 3.0, "z": 1}])[1] == [2.0, (1,)]
    sparse = Encoding.learn([{"x": 1.0}, {}] * 2, [])
    assert names(sparse) == ["len(output)", "output['x']"]
    assert rows(sparse, [{"x": 5.0}, {}]) == [[1, 5.0], [0, (1,)]]


@pytest.mark.parametrize(
    "outputs",
    [
        np.array([0.5, -1.0, NAN, math.inf, 1e300]),
        np.array([True, False, True]),
        np.array([3, -4, 2**62]),
        np.arange(12.0).reshape(3, 4),
        np.arange(12).reshape(3, 2, 2) % 2 == 0,
        np.array([1 + 2j, 3j]),
        np.array(["2020-01-01", "2021-02-03"], dtype="M8[D]"),
        np.array([0.1, 0.2], dtype=np.float32),
    ],
    ids=str,
)
def test_a_row_does_not_depend_on_its_block(outputs: np.ndarray) -> None:
    encoding = Encoding.learn(outputs, outputs)
    expected = encoding.table(outputs).numbers.astype(float)
    listed = [*outputs, None]  # one run gave None, so the block came as a list
    for block in (listed, [outputs[0], *listed][1:], listed[:-1]):
        np.testing.assert_array_equal(encoding.table(block).numbers[: len(outputs)], expected)
    for i in range(len(outputs)):
        np.testing.assert_array_equal(encoding.table(listed[i : i + 1]).numbers[0], expected[i])
    assert np.isnan(encoding.table([None]).numbers).all()


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Point:
    x: float


class Bare:
    def __init__(self) -> None:
        self.x = 2.0


class Hostile:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError("repr")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.array([1, 2]), [1, 2]),
        (np.array(3.0), 3.0),
        (Fraction(1, 4), 0.25),
        (1 + 2j, (1.0, 2.0)),
        ({2, 1}, (1, 2)),
        (Colour.RED, Token("Colour.RED")),
        (Raised("E"), Token("Raised(name='E')")),
        (Point(1.5), {"type": "Point", "x": 1.5}),
        (Bare(), {"type": "Bare", "x": 2.0}),
        (Hostile(), Token("Hostile")),
        (range(2), Token("range range(0, 2)")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_becomes_of_other_types(value: Any, expected: Any) -> None:
    found = plain(value)
    assert type(found) is type(expected)
    assert found == expected


def test_integers_beyond_the_doubles_are_categories_of_their_own() -> None:
    huge = 10**400
    outputs = [huge, huge, -huge, -huge, 1]
    encoding = Encoding.learn(outputs, outputs)
    assert rows(encoding, [huge, -huge, 2, 3 * huge]) == [[(1,)], [(2,)], [2.0], [(3,)]]


def test_what_contains_itself_ends() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    encoding = Encoding.learn([loop, [1]], [loop])
    assert len(encoding.table([loop, [[[]]], 3])) == 3


def test_missing_survives_a_pickle() -> None:
    # encodings are sent to worker processes
    encoding = pickle.loads(pickle.dumps(Encoding.learn([[1, 2], [1], [1]], [])))
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert rows(encoding, [[4]]) == [[1, 4.0, (1,)]]


def test_a_row_in_words() -> None:
    outputs = [["a", 0.25], ["a"], ["a", 1]]
    encoding = Encoding.learn(outputs, outputs)
    layouts = encoding.layout.entries()
    table = encoding.table(outputs)
    assert describe_row(table, 0, layouts) == "(2, 'a', 0.25)"
    assert describe_row(table, 1, layouts) == "(1, 'a')"
    bits = np.zeros((1, 9), dtype=bool)
    encoding = Encoding.learn(bits, bits)
    text = describe_row(encoding.table(bits), 0, encoding.layout.entries())
    assert text == "(0, 0, 0, 0, 0, 0, 0, 0, ...)"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (2**53 + 1, 2**53),
        (2**63 - 1, 2**63 - 2),
        (-(2**70) - 1, -(2**70)),
        (10**400, 10**400 + 1),
        (np.uint64(2**63 + 1), np.uint64(2**63)),
        (np.datetime64(2**60, "ns"), np.datetime64(2**60 + 1, "ns")),
    ],
)
def test_integers_that_doubles_cannot_tell_apart_are_told_apart(one: Any, two: Any) -> None:
    for first, second in (
        ([one] * 30, [two] * 30),
        ([(one, "a")] * 30, [(two, "a")] * 30),
        (np.array([one] * 30), np.array([two] * 30)),
    ):
        encoding = Encoding.learn(first, second)
        tables = [encoding.table(outputs) for outputs in (first, second)]
        assert (keys(tables[0])[0] != keys(tables[1])).all()
        np.testing.assert_array_equal(keys(encoding.table(first[:1])), keys(tables[0])[:1])


def test_small_integers_stay_one_number() -> None:
    encoding = Encoding.learn([1, 2, 2**53], [3, -(2**53), 5])
    assert len(encoding.entries) == 1
    assert not encoding.entries[0].categories
    assert Encoding.learn(np.arange(5), np.arange(5)).shape == ()
