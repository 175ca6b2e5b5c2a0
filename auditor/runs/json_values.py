"""Data sets and outputs as JSON, as docs/how-to/program-protocol.md has them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from auditor.core.errors import InputError

SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def encode(data: Any) -> str:
    """Return a data set as JSON.

    Arrays become nested lists, data frames an object with a list for every column, and NaN and
    the infinities the strings that JavaScript has for them: JSON has no such numbers, and many
    languages refuse the names that Python would write.

    Raises
    ------
    TypeError, ValueError
        If it holds what JSON has no place for.
    """
    return json.dumps(_plain(data), allow_nan=False)


def _plain(data: Any) -> Any:
    if isinstance(data, float):
        return float(data) if math.isfinite(data) else _name(data)
    if isinstance(data, dict):
        if not all(isinstance(key, str) for key in data):
            raise TypeError("a dict whose keys are not strings")
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if hasattr(data, "to_dict"):  # pandas
        return _plain(data.to_dict("list") if hasattr(data, "columns") else data.tolist())
    if isinstance(data, (np.ndarray, np.generic)):
        listed = data.tolist()
        if data.dtype.kind in "biu" or (data.dtype.kind == "f" and np.isfinite(data).all()):
            return listed
        if isinstance(listed, type(data)):  # a number that Python has no type for
            raise TypeError(f"a value of type {type(data).__name__}")
        return _plain(listed)
    if data is None or isinstance(data, (bool, int, str)):
        return data
    raise TypeError(f"a value of type {type(data).__name__}")


def _name(number: float) -> str:
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def decoded(value: Any) -> Any:
    """Return a value from JSON with the names of NaN and the infinities replaced by them."""
    if isinstance(value, str):
        return SPECIAL.get(value, value)
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items()}
    return value


def encoded(data: Any, side: str) -> bytes:
    """Return the data set of a side as JSON; raise InputError if it holds what JSON has not."""
    try:
        return encode(data).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{side} cannot be written as JSON ({error}); give numbers, strings, None, and arrays, "
            "lists, data frames or dicts of them"
        ) from None
