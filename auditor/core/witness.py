"""Contents of a witness: the two data sets, and the seeds of its runs.

The witness of a catalogued form is read back beside the form, which gives types and shapes and
the records that a large witness leaves out (:func:`describe_pair`, :func:`restore_pair`). That of
any other mechanism stands alone and says what its data sets are (:func:`encode_pair`,
:func:`decode_pair`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from auditor.core.case import Data
from auditor.core.errors import InputError
from auditor.core.neighbours import is_frame, n_records, replace_record
from auditor.core.pair_names import SIDES

SMALL = 2000
"""Numbers in the two data sets up to which a form's witness carries them whole."""

LARGEST = 100_000
"""Characters of a data set's description up to which a witness that stands alone keeps it."""

# ---------------------------------------------------------------------------------- beside its form


def describe_pair(pair: tuple[Data, Data], replaced: int) -> dict[str, Any]:
    """Return the data sets of a witness: whole if small, else the record that differs."""
    parts = [data if isinstance(data, tuple) else (data,) for data in pair]
    if sum(np.size(part) for data in parts for part in data) <= SMALL:
        return {"D": pair[0], "D'": pair[1]}
    rows = [
        [part[replaced] if replaced < n_records(part) else None for part in data] for data in parts
    ]
    return {"replaced": replaced, "record in D": rows[0], "record in D'": rows[1]}


def restore_pair(pair: tuple[Data, Data], witness: Mapping[str, Any]) -> tuple[Data, Data]:
    """Return the data sets of a witness, perhaps read back from JSON.

    Parameters
    ----------
    pair : (Data, Data)
        The form's own, which says whether a data set is an array or a tuple of arrays, and gives
        the records that a witness too large to be carried whole leaves out.
    witness : mapping
        As made by :func:`describe_pair`.
    """
    if "D" in witness:
        return _like(pair[0], witness["D"]), _like(pair[1], witness["D'"])
    index = witness["replaced"]
    rows = (witness["record in D"], witness["record in D'"])
    first, second = (
        replace_record(data, index, tuple(row) if isinstance(data, tuple) else row[0])
        for data, row in zip(pair, rows, strict=True)
    )
    return first, second


def _like(data: Data, stored: Any) -> Data:
    if isinstance(data, tuple):
        return tuple(
            np.asarray(part, dtype=like.dtype) for like, part in zip(data, stored, strict=True)
        )
    return np.asarray(stored, dtype=data.dtype)


# --------------------------------------------------------------------------------------- on its own


def encode_pair(pair: tuple[Any, Any]) -> dict[str, Any]:
    """Return the two data sets in JSON types; as text if they are large or of another type."""
    return {name: _whole_or_text(data) for name, data in zip(SIDES, pair, strict=True)}


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
    if is_frame(data) and data.index.equals(type(data)(index=range(len(data))).index):
        columns = [[_encode(name), _encode(data[name].tolist())] for name in data.columns]
        return {"frame": columns, "dtypes": [str(dtype) for dtype in data.dtypes]}
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
    if "frame" in plain:
        return _decode_frame(plain)
    if "tuple" in plain:
        return tuple(_decode(item) for item in plain["tuple"])
    if "dict" in plain:
        return {_decode(key): _decode(value) for key, value in plain["dict"]}
    raise InputError(
        f"the witness does not hold its data sets ({plain['text']}); give pair=(D, D')"
    )


def _decode_frame(plain: Mapping[str, Any]) -> Any:
    import pandas as pd

    columns = zip(plain["frame"], plain["dtypes"], strict=True)
    return pd.DataFrame(
        {
            _decode(name): pd.Series(_decode(values), dtype=dtype)
            for (name, values), dtype in columns
        }
    )


# -------------------------------------------------------------------------------------------- seeds


def describe_seeds(sequence: np.random.SeedSequence) -> dict[str, Any]:
    """Return what :func:`restore_seeds` needs."""
    return {"entropy": sequence.entropy, "spawn_key": list(sequence.spawn_key)}


def restore_seeds(described: Mapping[str, Any], runs: int) -> list[np.random.SeedSequence]:
    """Return the seeds of the runs behind a witness."""
    key = tuple(described["spawn_key"])
    return np.random.SeedSequence(described["entropy"], spawn_key=key).spawn(runs)
