"""Outputs become rows: small examples worked out by hand."""

from __future__ import annotations

import enum
import hashlib
import math
import pickle
from collections import deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from auditor.events import outcomes
from auditor.events.outcomes import (
    MISSING,
    Encoding,
    OutcomeTable,
    Token,
    describe_row,
    plain,
)
from auditor.events.scores import keys
from auditor.events.texts import numbers_in_bytes, opened_text
from auditor.runs.blocks import Outputs, Raised

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


def test_arrays_of_numbers_are_flattened_row_by_row_and_not_copied() -> None:
    outputs = np.arange(8.0).reshape(2, 2, 2)
    encoding = Encoding.learn(outputs, outputs)
    table = encoding.table(outputs)
    assert np.shares_memory(table.numbers, outputs)
    assert table.codes == {}
    assert names(encoding) == ["output[0][0]", "output[0][1]", "output[1][0]", "output[1][1]"]
    assert rows(encoding, outputs) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert names(Encoding.learn(np.zeros(2), np.zeros(2))) == ["output"]


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


def test_true_is_a_number_only_among_its_kind_and_a_text_never() -> None:
    alone = Encoding.learn([True, False] * 2, [True])
    assert rows(alone, [True, False, 1]) == [[1], [0], [1]]
    mixed = Encoding.learn([True, 1.0, True, 2.0], [])
    assert rows(mixed, [True, 1.0, 1]) == [[(1,)], [1], [1]]
    # as a category it still counts in sums: its number is 1
    assert mixed.table([True]).numbers[0, 0] == 1
    assert rows(Encoding.learn(["1", 1, "1", 1], []), ["1", 1]) == [[(1,)], [1]]


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


class Slotted:
    __slots__ = ("__weakref__", "__x")

    def __init__(self, x: float) -> None:
        self.__x = x

    def __repr__(self) -> str:
        return "Slotted()"


class Tagged(float):
    tag: int

    def __new__(cls, value: float, tag: int) -> Tagged:
        made = super().__new__(cls, value)
        made.tag = tag
        return made


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
        (np.longdouble(1.5), 1.5),
        (1 + np.longdouble(2) ** -60, (1.0, 2.0**-60)),
        (np.longdouble(math.inf), math.inf),
        (np.clongdouble(2), (np.longdouble(2), np.longdouble(0))),
        (np.datetime64(3, "ns"), 3),
        (np.array([3], dtype="m8[s]"), [3]),
        (Fraction(1, 4), 0.25),
        (Fraction(10**400), Token("1" + 400 * "0")),
        (1 + 2j, (1.0, 2.0)),
        ({2, 1}, (1, 2)),
        (Colour.RED, Token("Colour.RED")),
        (Raised("E"), Token("raised E", "failed")),
        (Point(1.5), {"type": "Point", "x": 1.5}),
        (Bare(), {"type": "Bare", "x": 2.0}),
        (Hostile(), Token("Hostile", "shut")),
        (object(), Token("object", "shut")),
        (len, Token("builtin_function_or_method", "shut")),
        (range(2), {"start": 0, "stop": 2, "step": 1}),
        (SimpleNamespace(x=1.0), {"type": "SimpleNamespace", "x": 1.0}),
        (Slotted(2.0), {"type": "Slotted", "_Slotted__x": 2.0}),
        (Tagged(1.5, 3), {"value": 1.5, "tag": 3}),
        (deque([1, 2]), (1, 2)),
        (bytearray(b"ab"), b"ab"),
        (Fraction(1, 3), (1 / 3, float(Fraction(1, 3) - Fraction(1 / 3)))),
        (Decimal("0.1"), (0.1, float(Fraction(1, 10) - Fraction(0.1)))),
        (Decimal("0.5"), 0.5),
        (timedelta(seconds=2), 2_000_000),
        (datetime(1970, 1, 2), 86_400_000_000),
        (datetime(1970, 1, 1, tzinfo=UTC), (0, 0.0)),
        (date(1, 1, 3), 3),
        (time(0, 1), 60_000_000),
        (pd.Timestamp(1), 1),
        (pd.Timedelta(3), 3),
        (pd.Interval(0.5, 2.0), {"type": "Interval", "state": (0.5, 2.0, "right")}),
        (pd.Series([1, 2]), [1, 2]),
        (pd.Series([1.0], index=["a"]), {"index": ["a"], "values": [1.0]}),
        (np.ma.array([1, 2], mask=[0, 1]), {"data": [1, 2], "mask": [False, True]}),
        (ValueError(3.5), ("ValueError", (3.5,))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_becomes_of_other_types(value: Any, expected: Any) -> None:
    found = plain(value)
    assert type(found) is type(expected)
    assert found == expected


def test_a_sparse_array_is_opened() -> None:
    small = plain(sparse.csr_array([[0.0, 2.0]]))
    assert small["value"] == {"stored": 1, "values": [[0.0, 2.0]]}
    large = plain(sparse.csr_array(([5.0], ([3], [999])), shape=(1000, 1000)))["value"]
    assert large == {"shape": (1000, 1000), "places": [[3], [999]], "data": [5.0]}


def test_the_numbers_in_texts_are_read_where_texts_hardly_ever_recur() -> None:
    outputs = [f"about {i}.5 of {i * i} (yes)" for i in range(50)]
    encoding = Encoding.learn(outputs, outputs[:0])
    assert encoding.shut == 0
    at = names(encoding).index("output['numbers'][0]")
    assert rows(encoding, ["about -1 of 2"])[0][at : at + 2] == [-1.0, 2.0]
    pattern = encoding.entries[names(encoding).index("output['pattern']")]
    assert pattern.categories == {"about # of # (yes)": 1}
    assert names(Encoding.learn(["about 1.5"] * 20 + ["about 2.5"] * 20, [])) == ["output"]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("1e-3 and .5, -7.", (1e-3, 0.5, -7.0)),
        ((1.375).hex(), (1.375,)),
        ("0110", (0, 1, 1, 0)),
        ("10", (1, 0)),
        ("123456789012345", (123456789012345,)),
        ("12345678901234567", (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7)),
        ("none", ()),
    ],
)
def test_numbers_in_a_text(words: str, numbers: tuple[float, ...]) -> None:
    assert opened_text(words)["numbers"] == numbers
    assert opened_text(Token(words))["numbers"] == numbers
    assert opened_text(words)["length"] == len(words)
    # bytes are a text where they are printable and more than a number
    assert opened_text(b"1234 5678")["numbers"] == (1234.0, 5678.0)
    assert "bytes" in opened_text(b"1234 567")


def test_lists_and_dicts_share_the_entries_that_are_looked_at() -> None:
    for output in ([[0.0] * 600] * 2, {"a": [0.0] * 600, "b": [0.0] * 600}):
        assert len(Encoding.learn([output] * 2, []).entries) == 1024


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((5).to_bytes(2, "big"), [1280.0, 5.0]),
        (np.array([1.5, -2.0, 0.0]).tobytes(), [1.5, -2.0, 0.0]),
        (np.array([1.5, -2.0, 0.0], dtype=">f8").tobytes(), [1.5, -2.0, 0.0]),
        (np.array([3, -4]).tobytes(), [3.0, -4.0]),
        (np.array([1.5, -2.0, 0.25], dtype="f4").tobytes(), [1.5, -2.0, 0.25]),
        (hashlib.sha256(b"").digest(), None),
    ],
)
def test_numbers_in_bytes(value: bytes, expected: list[float] | None) -> None:
    assert numbers_in_bytes(value) == expected
    opened = opened_text(value)
    assert opened["pattern"] == (value if expected is None else b"")


def test_what_cannot_be_looked_into_is_counted() -> None:
    def shut(outputs: list[Any]) -> float:
        return Encoding.learn(outputs, outputs[:0]).shut

    assert shut([hashlib.sha256(bytes([i])).hexdigest() for i in range(100)]) == 1.0
    assert shut([hashlib.sha256(bytes([i])).digest() for i in range(100)]) == 1.0
    assert shut([(1.0, object()) for _ in range(10)] + [(2.0, None)] * 10) == 0.5
    assert shut([str(i / 7) for i in range(100)]) == 0.0
    assert shut([stats.norm(loc=i / 7) for i in range(100)]) == 0.0
    # what another object's method knows is told nowhere else
    assert shut([SimpleNamespace(n=1, at=stats.norm(loc=i / 7).pdf) for i in range(100)]) == 1.0
    assert shut(["a", "b"] * 20 + ["never again"]) == 1 / 41
    assert shut([{i / 7: 1} for i in range(100)]) == 0.0
    assert shut([["x"] * 1025, ["x"] * 1024]) == 0.5  # the last entry is not looked at
    # below the deepest place that is looked at, what is empty hides nothing
    deep: list[list[Any]] = [[], [1.0]]
    for _ in range(outcomes._DEEPEST):
        deep = [[value] for value in deep]
    assert shut(deep) == 0.5
    cells = dict.fromkeys(range(1024), 1)
    assert shut([cells] * 2) == 0.0
    assert shut([{**cells, 1024: 1}] * 2) == 1.0
    narrow: Any = [1]
    for _ in range(20):
        narrow = [narrow]
    assert shut([narrow] * 2) == 1.0
    deep: Any = [1]
    for _ in range(20):
        deep = [deep, "x"]
    assert shut([deep, [1]]) == 0.5


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
    assert describe_row(table, 0, layouts) == "(length 2, 'a', 0.25)"
    assert describe_row(table, 1, layouts) == "(length 1, 'a')"
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


def test_a_table_keeps_what_a_view_saw_of_all_its_rows_and_of_no_others() -> None:
    table = OutcomeTable(np.arange(4.0)[:, None], {0: np.arange(4, dtype=np.int32)})
    asked: list[int] = []

    def doubled(rows: OutcomeTable) -> Any:
        asked.append(len(rows))
        return 2 * rows.floats()

    seen = table.seen_by(doubled)
    assert seen[:, 0].tolist() == [0, 2, 4, 6]
    assert table.seen_by(doubled) is seen
    assert table[:].seen_by(doubled) is seen
    assert asked == [4]
    with pytest.raises(ValueError, match="read-only"):
        seen[0] = 1
    for rows in (slice(None, None, 2), slice(1, None), slice(0, 3)):
        part = table[rows]
        expected = np.arange(4)[rows].tolist()
        assert part.numbers[:, 0].tolist() == part.codes[0].tolist() == expected
        assert part.seen_by(doubled)[:, 0].tolist() == [2 * number for number in expected]
