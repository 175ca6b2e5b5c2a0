"""A witness, read back from JSON, shows its violation again, and only on the form that has it."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.neighbours import same_value
from auditor.core.witness import (
    LARGEST,
    SMALL,
    decode_pair,
    describe_pair,
    encode_pair,
    restore_pair,
)
from auditor.described import build_case
from auditor.questions import accounting, sensitivity

CONTEXT = Context(seed=3)


@pytest.mark.parametrize(
    ("identifier", "form", "question"),
    [
        ("wang-1", "printed", accounting),
        ("diss-6.3.51-W1", "printed", accounting),
        ("diss-6.1.46", "printed", sensitivity),
        ("diss-3.2.6", "printed", sensitivity),
        ("diss-4.1.19", "printed-proof", sensitivity),
    ],
)
def test_a_witness_shows_its_violation_again(identifier: str, form: str, question: Any) -> None:
    case = build_case(identifier)
    verdict = question.audit(case.forms[form], CONTEXT)
    assert verdict.status == "violated"
    witness = json.loads(json.dumps(verdict.to_json()))["witness"]
    assert question.reproduce(case.forms[form], witness)
    assert not question.reproduce(case.forms["corrected"], witness)


@pytest.mark.parametrize("size", [5, SMALL])
def test_a_pair_comes_back_from_its_description(size: int) -> None:
    x, y = np.arange(2.0 * size).reshape(size, 2), np.arange(size)
    moved = np.where(np.arange(size)[:, None] == 3, -1.0, x)
    for pair in (((x, y), (moved, y)), (x, moved)):
        stored = json.loads(json.dumps(describe_pair(pair, 3), default=lambda a: a.tolist()))
        for made, kept in zip(restore_pair(pair, stored), pair, strict=True):
            assert same_value(made, kept)
            parts = zip(made, kept, strict=True) if isinstance(kept, tuple) else [(made, kept)]
            assert all(part.dtype == like.dtype for part, like in parts)


@pytest.mark.parametrize(
    "data",
    [
        3,
        True,
        None,
        "text",
        -math.inf,
        0.1,
        math.nan,
        [1, [2.5, "x"]],
        (1, (2, None)),
        {"a": [1], 2: (3,)},
        np.array([[1.5, math.nan], [math.inf, 0.1]]),
        np.array([1, 2], dtype=np.int32),
        np.array(["a", "bc"]),
        np.float64(0.1),
        (np.zeros((2, 2)), np.array([True, False])),
    ],
)
def test_data_sets_come_back_as_they_were(data: Any) -> None:
    stored = json.loads(json.dumps(encode_pair((data, data))))
    for found in decode_pair(stored):
        assert type(found) is type(data)
        np.testing.assert_equal(found, data)
        if isinstance(data, np.ndarray):
            assert found.dtype == data.dtype


def test_a_frame_comes_back_as_it_was() -> None:
    frame = pd.DataFrame({"name": ["a", "b"], "x": [0.5, math.nan], 3: [1, 2], "on": [True, False]})
    stored = json.loads(json.dumps(encode_pair((frame, frame.iloc[:1]))))
    one, two = decode_pair(stored)
    pd.testing.assert_frame_equal(one, frame)
    pd.testing.assert_frame_equal(two, frame.iloc[:1])
    moved = frame.set_index("name")  # an index that says something is not left out silently
    assert "text" in encode_pair((moved, moved))["D"]


def test_what_has_no_json_form_is_described_and_not_invented() -> None:
    for data in (object(), {1, 2}, np.zeros(LARGEST)):
        described = encode_pair((data, 0))
        json.dumps(described)
        assert len(described["D"]["text"]) < 250
        with pytest.raises(InputError, match="give pair"):
            decode_pair(described)
    with pytest.raises(InputError, match="no data sets"):
        decode_pair({})
