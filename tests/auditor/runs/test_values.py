"""Values of any type: when two are the same, and when many become one array."""

import copy
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from auditor.runs.blocks import Raised
from auditor.runs.values import same, stacked

SPARSE = [
    f"{form}_{kind}"
    for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
    for kind in ("array", "matrix")
]


@pytest.mark.parametrize(
    ("values", "dtype", "shape"),
    [
        ([1.5, float("nan")], "f", (2,)),
        ([1, 2], "i", (2,)),
        ([True, np.True_], "b", (2,)),
        ([0, 0.5], "f", (2,)),
        ([np.float32(1), np.int64(2)], "f", (2,)),
        ([np.zeros(3), np.ones(3)], "f", (2, 3)),
        ([np.zeros((2, 3), dtype=int)] * 4, "i", (4, 2, 3)),
        ([np.array(1.0)] * 4, "f", (4,)),
        ([(1, 2.5), (3, 4.5)], "f", (2, 2)),
        ([[[1], [2]]] * 5, "i", (5, 2, 1)),
    ],
)
def test_numbers_become_one_array(values: Any, dtype: str, shape: tuple[int, ...]) -> None:
    array = stacked(values)
    assert isinstance(array, np.ndarray)
    assert (array.dtype.kind, array.shape) == (dtype, shape)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(array, values, strict=True))


@pytest.mark.parametrize(
    "values",
    [
        [True, 1],
        [0.5, None],
        ["1", "2"],
        [1, Raised("ValueError")],
        [2**70, 1],
        [2**63, -1],  # numpy would round them to floats
        [2**53 + 1, 0.5],
        [1j, 2j],
        [np.zeros(2), np.zeros(3)],
        [np.zeros(2), np.zeros(2, dtype=bool)],
        [np.array(["a"]), np.array(["b"])],
        [(1, 2), [1, 2]],
        [(1, 2), (1,)],
        [(1, "a"), (1, "a")],
        [(), ()],
        [pd.Timestamp(0), pd.Timestamp(1)],
        [],
    ],
)
def test_what_would_lose_something_stays_a_list(values: Any) -> None:
    assert type(stacked(values)) is list
    assert all(a is b for a, b in zip(stacked(values), values, strict=True))


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        np.float32("nan"),
        np.array(math.nan),
        [1, float("nan"), [None, "a"]],
        {"a": np.array([1.0, np.nan]), "b": (1,)},
        np.array([1, "a", None, np.nan], dtype=object),
        pd.DataFrame({"a": [1.0, np.nan], "b": ["x", "y"]}),
        {1, 2},
        Raised("a"),
        type("Plain", (), {})(),
    ],
)
def test_copies_are_the_same(value: Any) -> None:
    assert same(value, copy.deepcopy(value))
    assert same(math.nan, math.inf - math.inf)


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_arrays_are_compared_by_what_they_store(
    kind: str, recwarn: pytest.WarningsRecorder
) -> None:
    make = getattr(scipy.sparse, kind)
    one, other = make(np.diag([1.0, math.nan, 3.0])), make(np.diag([1.0, math.nan, 3.0]))
    getattr(other, "has_canonical_format", None)  # csr caches the answer as an attribute
    assert same(one, other)
    assert same(one, copy.deepcopy(one))
    for diagonal, place in (([1.0, math.nan, 4.0], 0), ([1.0, math.nan, 3.0], 1), (np.ones(4), 0)):
        assert not same(one, make(np.diag(diagonal, k=place)))
    assert not same(make(np.eye(2)), make(np.eye(2, dtype=int)))
    assert not same([one, 1], [make(np.eye(3)), 1])
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (0.5, float("nan")),
        ([1, 2], [1]),
        ([1, [2]], [1, [3]]),
        ([1, 0.5], [True, 0.5]),
        ((1, (0,)), (1.0, (0,))),
        ({"a": 1}, {"b": 1}),
        ({"a": [1]}, {"a": [2]}),
        (np.zeros(2), np.zeros(3)),
        (np.zeros(2), np.zeros(2, dtype=np.float32)),
        (np.zeros(2), np.array([0, np.nan])),
        (np.array([1, "a"], dtype=object), np.array([1, "b"], dtype=object)),
        (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})),
        (Raised("a"), Raised("b")),
    ],
)
def test_what_differs_is_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)
