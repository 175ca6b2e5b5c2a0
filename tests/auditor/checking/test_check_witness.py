"""A check's witness survives JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from auditor.checking.witness import (
    LARGEST,
    decode_claim,
    decode_pair,
    encode_claim,
    encode_pair,
)
from auditor.core.errors import InputError
from auditor.statistics.claims import Claim, Concentrated, EpsilonDelta, Gaussian, Renyi, TradeOff


@pytest.mark.parametrize(
    "data",
    [
        3,
        True,
        None,
        "text",
        -math.inf,
        0.1,
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


def test_nan_comes_back() -> None:
    first, _ = decode_pair(json.loads(json.dumps(encode_pair((math.nan, 0)))))
    assert math.isnan(first)


def test_what_has_no_json_form_is_described_and_not_invented() -> None:
    for data in (object(), {1, 2}, np.zeros(LARGEST)):
        described = encode_pair((data, 0))
        json.dumps(described)
        assert len(described["D"]["text"]) < 250
        with pytest.raises(InputError, match="give pair"):
            decode_pair(described)
    with pytest.raises(InputError, match="no data sets"):
        decode_pair({})


@pytest.mark.parametrize(
    "claim", [EpsilonDelta(1.0, 0.1), Gaussian(0.3), Renyi(2.0, 0.5), Concentrated(0.5)]
)
def test_claims_come_back(claim: Claim) -> None:
    assert decode_claim(json.loads(json.dumps(encode_claim(claim)))) == claim


def test_a_trade_off_function_does_not() -> None:
    stored = encode_claim(TradeOff(lambda x: 1 - x))
    with pytest.raises(InputError, match="give claim"):
        decode_claim(stored)
