"""A check's witness as JSON: its data sets and its claim, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from auditor.core.errors import InputError
from auditor.statistics.claims import Claim, Concentrated, EpsilonDelta, Gaussian, Renyi, TradeOff

LARGEST = 100_000
"""Characters of a data set's description up to which a witness keeps it whole."""

_CLAIMS = {kind.__name__: kind for kind in (EpsilonDelta, Gaussian, Renyi, Concentrated)}


def encode_pair(pair: tuple[Any, Any]) -> dict[str, Any]:
    """Return the two data sets in JSON types; as text if they are large or of another type."""
    return {name: _whole_or_text(data) for name, data in zip(("D", "D'"), pair, strict=True)}


def _whole_or_text(data: Any) -> Any:
    try:
        plain = _encode(data)
    except TypeError:
        return _text(data)
    return plain if len(repr(plain)) <= LARGEST else _text(data)


def _text(data: Any) -> dict[str, str]:
    text = repr(data)
    return {"text": text if len(text) <= 200 else f"{text[:200]}..."}


def decode_pair(witness: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the data sets of a witness.

    Raises
    ------
    InputError
        If the witness does not hold them whole.
    """
    if "D" not in witness:
        raise InputError("the witness has no data sets; give pair=(D, D')")
    return _decode(witness["D"]), _decode(witness["D'"])


def _encode(data: Any) -> Any:
    if isinstance(data, np.generic):  # before float, of which numpy's is a kind
        return {"scalar": _encode(data.item()), "dtype": str(data.dtype)}
    if data is None or isinstance(data, (bool, int, str)):
        return data
    if isinstance(data, float):
        return data if math.isfinite(data) else {"float": repr(data)}
    if isinstance(data, np.ndarray) and data.dtype != object:
        return {"array": _encode(data.tolist()), "dtype": str(data.dtype)}
    if isinstance(data, list):
        return [_encode(item) for item in data]
    if isinstance(data, tuple):
        return {"tuple": [_encode(item) for item in data]}
    if isinstance(data, dict):
        return {"dict": [[_encode(key), _encode(value)] for key, value in data.items()]}
    raise TypeError(f"{type(data).__name__} has no JSON form")


def _decode(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_decode(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    if "float" in plain:
        return float(plain["float"])
    if "scalar" in plain:
        return np.dtype(plain["dtype"]).type(_decode(plain["scalar"]))
    if "array" in plain:
        return np.array(_decode(plain["array"]), dtype=plain["dtype"])
    if "tuple" in plain:
        return tuple(_decode(item) for item in plain["tuple"])
    if "dict" in plain:
        return {_decode(key): _decode(value) for key, value in plain["dict"]}
    raise InputError(
        f"the witness does not hold its data sets ({plain['text']}); give pair=(D, D')"
    )


def encode_claim(claim: Claim) -> dict[str, Any]:
    """Return a claim in JSON types; a trade-off function by its name alone."""
    if isinstance(claim, TradeOff):
        return {"kind": "TradeOff", "name": claim.describe()}
    assert is_dataclass(claim)
    return {"kind": type(claim).__name__, **asdict(claim)}


def decode_claim(plain: Mapping[str, Any]) -> Claim:
    """Return the claim of a witness.

    Raises
    ------
    InputError
        If it was a trade-off function.
    """
    kind = _CLAIMS.get(plain["kind"])
    if kind is None:
        raise InputError(f"the witness's claim is {plain['name']}; give claim=...")
    return kind(**{key: value for key, value in plain.items() if key != "kind"})
