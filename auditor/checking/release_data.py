"""Data sets of any type as the arrays that questions about releases need."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.checking.relations import relation_of
from auditor.core.case import Data
from auditor.core.errors import InputError, pass_interrupts
from auditor.core.neighbours import Domain, same_value, stack_records

PROBES = 16
"""Records of a domain that are compared with what a data set of them looks like."""


@dataclass(frozen=True)
class ReleaseEncoding:
    """Data sets of any type as the arrays that the questions need, and back.

    Attributes
    ----------
    pair : (Data, Data)
        Arrays, or tuples of arrays of equal length.
    decode : callable
        Returns a fresh data set for the mechanism.
    searchable : bool
        Whether the arrays are the data, so that records can be replaced in them.
    """

    pair: tuple[Data, Data]
    decode: Callable[[Data], Any]
    searchable: bool


def encoded(pair: tuple[Any, Any]) -> ReleaseEncoding:
    """Encode arrays and tuples of arrays as themselves, numbers and lists of numbers as arrays.

    Of anything else only the two data sets themselves are known: they become two arrays of as many
    record numbers, the first one counting up from 0, the second one down from -1.
    """
    first, second = pair
    if _is_array(first) and _is_array(second):
        return ReleaseEncoding((first, second), lambda data: data.copy(), searchable=True)
    if _is_arrays(first) and _is_arrays(second):
        return ReleaseEncoding(
            (first, second), lambda data: tuple(part.copy() for part in data), searchable=True
        )
    arrays = (_numbers(first), _numbers(second))
    if arrays[0] is not None and arrays[1] is not None:
        if arrays[0].ndim == arrays[1].ndim == 0:
            scalars = (arrays[0][None], arrays[1][None])
            return ReleaseEncoding(scalars, lambda data: data[0].item(), searchable=True)
        if arrays[0].ndim > 0 and arrays[1].ndim > 0 and type(first) is type(second):
            return ReleaseEncoding(
                (arrays[0], arrays[1]), lambda data: type(first)(data.tolist()), searchable=True
            )
    numbered = (np.arange(_size(first)), -1 - np.arange(_size(second)))
    return ReleaseEncoding(
        numbered, lambda data: _copied(first if data[0] >= 0 else second), searchable=False
    )


def _is_array(data: Any) -> bool:
    return (
        isinstance(data, np.ndarray)
        and data.ndim > 0
        and data.size > 0
        and not data.dtype.hasobject
    )


def _is_arrays(data: Any) -> bool:
    return (
        isinstance(data, tuple)
        and len(data) > 0
        and all(map(_is_array, data))
        and len({len(part) for part in data}) == 1
    )


def _numbers(data: Any) -> np.ndarray[Any, Any] | None:
    """Return a number, or a list or tuple of (lists of) numbers, as an array; else ``None``."""
    if type(data) not in (list, tuple) and not isinstance(data, (int, float, np.number)):
        return None
    try:
        array = np.asarray(data)
    except ValueError:  # ragged
        return None
    if array.dtype.kind not in "biuf" or array.size == 0:
        return None
    # a list of tuples would come back as a list of lists
    back = array.item() if array.ndim == 0 else type(data)(array.tolist())
    return array if same_value(back, data) else None


def _size(data: Any) -> int:
    return max(1, len(data)) if hasattr(data, "__len__") else 1


def _copied(data: Any) -> Any:
    try:
        return copy.deepcopy(data)
    except BaseException as error:  # what cannot be copied is shared by all runs
        pass_interrupts(error)
        return data


def index_replaced(pair: tuple[Any, Any]) -> int:
    """Return the index of the record in which two data sets differ; 0 if they do not show it."""
    try:
        return relation_of(*pair)[1]
    except InputError:
        return 0


def no_search_of(domain: Domain | None, encoding: ReleaseEncoding) -> str:
    """Return why the records of a domain cannot be put into the data sets; "" if they can."""
    if domain is None:
        return "no data domain is given"
    if not encoding.searchable:
        return "the data sets are no arrays of records"
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (PROBES, domain.parameters))
    records = [domain.decode(point) for point in points]
    try:
        stacked = stack_records(records)
    except (TypeError, ValueError):  # records that make no arrays
        return "the records of the domain make no arrays"
    if not same_value(domain.data_set(records), stacked):
        return "a data set of the domain is not the list of its records"
    mine, theirs = (_layout(data) for data in (encoding.pair[0], stacked))
    if [shape for shape, _ in mine] != [shape for shape, _ in theirs]:
        return (
            f"the records of the data sets are {_words(mine)}, those of the domain {_words(theirs)}"
        )
    if any(np.result_type(a, b) != a for (_, a), (_, b) in zip(mine, theirs, strict=True)):
        return f"the data sets hold {_words(mine)}, the domain {_words(theirs)}"
    return ""


def _layout(data: Data) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
    parts = data if isinstance(data, tuple) else (data,)
    return [(part.shape[1:], part.dtype) for part in parts]


def _words(layout: Sequence[tuple[tuple[int, ...], np.dtype[Any]]]) -> str:
    return " and ".join(f"{dtype} of shape {shape}" for shape, dtype in layout)
