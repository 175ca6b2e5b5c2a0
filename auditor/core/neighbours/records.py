"""Data sets as arrays or tuples of arrays, record by record."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.core.errors import pass_interrupts


def bare(record: Any) -> Any:
    """Return a record as its user would write it: a number or a string instead of a 0-d array."""
    if isinstance(record, tuple):
        return tuple(bare(part) for part in record)
    return record.item() if isinstance(record, np.ndarray) and record.ndim == 0 else record


def is_frame(data: Any) -> bool:
    """Return whether ``data`` is a pandas DataFrame, without loading pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def n_records(data: Any) -> int:
    """Return the number of records."""
    return len(data[0]) if isinstance(data, tuple) else len(data)


def values_in(rows: Any) -> int:
    """Return how many values there are in an array, a data frame or a list of equal records."""
    if isinstance(rows, list):
        return len(rows) * (len(rows[0]) if isinstance(rows[0], (list, tuple, np.ndarray)) else 1)
    return int(rows.size)


def replace_record(data: Any, index: int, record: Any) -> Any:
    """Return a copy of ``data`` with record ``index`` replaced.

    ``data`` is an array (axis 0 = records) or a tuple of such arrays with a tuple record.
    """
    if isinstance(data, tuple):
        return tuple(
            replace_record(part, index, piece) for part, piece in zip(data, record, strict=True)
        )
    copy = np.array(data, copy=True)
    copy[index] = record
    return copy


def remove_record(data: Any, index: int) -> Any:
    """Return a copy of ``data`` without record ``index``."""
    if isinstance(data, tuple):
        return tuple(remove_record(part, index) for part in data)
    return np.delete(data, index, axis=0)


def stack_records(records: list[Any]) -> Any:
    """Return the data set made of ``records``, all of the same domain."""
    if isinstance(records[0], tuple):
        return tuple(np.stack(parts) for parts in zip(*records, strict=True))
    return np.stack(records)


def same_value(value: Any, other: Any) -> bool:
    """Return whether two objects are the same value: arrays and NaN by content, to any depth."""
    if value is other:
        return True
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        if np.shape(value) != np.shape(other) or not isinstance(other, type(value)):
            return False
        return not differing_records(np.reshape(value, (1, -1)), np.reshape(other, (1, -1)))
    if isinstance(value, (list, tuple)) and type(value) is type(other):
        return len(value) == len(other) and all(map(same_value, value, other))
    if is_frame(value):
        return is_frame(other) and bool(value.equals(other))
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(same_value(value[k], other[k]) for k in value)
    try:
        return bool(value == other) or bool(value != value and other != other)
    except BaseException as error:  # e.g. a comparison that gives no single truth value
        pass_interrupts(error)
        return False


def differing_records(data: Any, other: Any) -> list[int]:
    """Return the indices of the records in which two data sets of equal size differ."""
    parts = zip(data, other, strict=True) if isinstance(data, tuple) else [(data, other)]
    differ = np.zeros(n_records(data), dtype=bool)
    for mine, theirs in parts:
        if mine.dtype == object or theirs.dtype == object:
            pairs = zip(mine.ravel(), theirs.ravel(), strict=True)
            unequal = np.array([not same_value(*pair) for pair in pairs], dtype=bool)
        else:
            # NaN is not a value of any domain, but a NaN that stays is no difference
            unequal = (mine != theirs) & ~((mine != mine) & (theirs != theirs))
        differ |= np.any(unequal.reshape(len(differ), -1), axis=1)
    return [int(index) for index in np.flatnonzero(differ)]


def with_one_attribute(old: Any, new: Any, index: int) -> Any:
    """Return record ``old`` with one of its attributes (entries) taken from ``new``.

    Parameters
    ----------
    old, new : array or tuple of arrays
        Records of the same domain.
    index : int
        Which entry, counted through all parts; taken modulo their number.
    """
    parts = old if isinstance(old, tuple) else (old,)
    others = new if isinstance(new, tuple) else (new,)
    index %= sum(np.size(part) for part in parts)
    changed = []
    for part, other in zip(parts, others, strict=True):
        copy = np.array(part, copy=True)
        if 0 <= index < copy.size:
            copy.flat[index] = np.asarray(other).flat[index]
        index -= copy.size
        changed.append(copy)
    return tuple(changed) if isinstance(old, tuple) else changed[0]


def with_label(old: Any, new: Any) -> Any:
    """Return record ``old`` = (x, .., y), a tuple, with its label, the last part, of ``new``."""
    return (*old[:-1], new[-1])


def differ_in_label(data: Any, other: Any) -> bool:
    """Return whether two data sets (features, .., labels) of equal size have equal features.

    False where there is no label: of data sets that are not tuples, or have one part only.
    """
    if not isinstance(data, tuple) or len(data) < 2 or n_records(data) != n_records(other):
        return False
    return not differing_records(data[:-1], other[:-1])


def as_numbers(rows: Any) -> NDArray[Any]:
    """Return a list of numbers, or of rows of numbers, as an array; else an array of objects."""
    try:
        return np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(len(rows), dtype=object)


def take_records(rows: Any, numbers: NDArray[np.int64]) -> Any:
    """Return a new data set made of the rows with these numbers."""
    if isinstance(rows, tuple):
        return tuple(take_records(part, numbers) for part in rows)
    if isinstance(rows, np.ndarray):
        return rows[numbers]
    if is_frame(rows):
        return rows.iloc[numbers].reset_index(drop=True)
    return [rows[number] for number in numbers]
