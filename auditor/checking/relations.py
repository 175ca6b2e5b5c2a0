"""The relation of two data sets as neighbours, found from the data sets alone.

A data set is a collection of records, in an order:

- an array (axis 0 = records), or a tuple of arrays or lists of one length (the parts of records);
- a list or tuple of any other objects: one record each;
- a pandas DataFrame or Series: one record per row, whatever its index;
- a dict of columns of one length: one record per row; any other dict, or a set: one per key;
- a plain value (a number, a string, None): the data set of one user, as in the local model.

Of anything else (a graph, the answers to queries) only the user can say whether two of them are
neighbours, by ``relation="any"``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from auditor.core.errors import InputError
from auditor.core.neighbours import (
    RelationName,
    as_relation,
    differing_records,
    is_frame,
    n_records,
    same_value,
)
from reference.privacy.guarantees import Relation

Columns = tuple[NDArray[Any], ...]
"""The parts of records, each with axis 0 = records."""

VOUCH = 'relation="any" vouches for neighbours that cannot be told from the data'
_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)


def require_neighbours(
    first: Any,
    second: Any,
    relation: Relation | RelationName | Literal["any"] | None = None,
    *,
    group: int = 1,
) -> tuple[Relation, int] | None:
    """Return how two data sets are neighbours; ``None`` where the user vouches for it.

    Parameters
    ----------
    first, second : Any
        Data sets, see the module's docstring.
    relation : Relation, "replace", "add-remove", "replace-label" or "any", optional
        How they must be neighbours; if not given, replace-one or add/remove-one. With ``"any"``
        they must only not be the same.
    group : int
        How many records may differ.

    Raises
    ------
    InputError
        If they are not.
    """
    if isinstance(relation, str) and relation == "any":
        if same_value(first, second):
            raise InputError(_EQUAL)
        return None
    if relation is not None and as_relation(relation) is Relation.REPLACE_LABEL:
        return Relation.REPLACE_LABEL, _label_replaced(first, second, group)
    found, index = relation_of(first, second, group)
    if relation is not None and found is not as_relation(relation):
        raise InputError(
            f"D and D' are {found.value} neighbours, but the claim is about "
            f"{as_relation(relation).value}; change one of the two"
        )
    return found, index


_EQUAL = "D and D' are equal, so nothing can tell them apart; neighbours differ in one record"


def _label_replaced(first: Any, second: Any, group: int) -> int:
    """Return the index of the first record whose label differs: the label is its last part.

    The parts of a record are those of a tuple of columns, the columns of a DataFrame or a dict, or
    the entries of a row of an array or of a list or tuple in a list. A tuple whose last part is a
    plain value is one record.

    Raises
    ------
    InputError
        If anything else differs as well, or records have no parts.
    """
    if _is_one_record(first) and _is_one_record(second):
        if same_value(first, second):
            raise InputError(_EQUAL)
        changed = {0: (list(first), list(second))}
    else:
        relation, places = _differences(first, second, group)
        if relation is not Relation.REPLACE_ONE:
            raise InputError(
                f"D and D' are {relation.value} neighbours, but the claim is about "
                f"{Relation.REPLACE_LABEL.value}; change one of the two"
            )
        changed = {index: (_parts(first, index), _parts(second, index)) for index in places}
    for index, records in changed.items():
        if min(map(len, records)) < 2:
            raise InputError(
                "the claim is about replace-label, but records have no label: their last part, as "
                "in D = (features, labels)"
            )
        if not same_value(records[0][:-1], records[1][:-1]):
            raise InputError(
                f"D and D' differ in more of record {index} than its label, the last part, but "
                f"the claim is about {Relation.REPLACE_LABEL.value}; change one of the two"
            )
    return min(changed)


def _is_one_record(data: Any) -> bool:
    return isinstance(data, tuple) and len(data) > 0 and _kind(data[-1]) == "one plain value"


def _parts(data: Any, index: int) -> list[Any]:
    """Return the parts of a record of a data set."""
    if isinstance(data, dict) and not _has_parts(tuple(data.values())):
        return []  # by keys
    record = [column[index] for column in _named_columns(data).values()]
    if len(record) > 1 or is_frame(data):
        return record
    (only,) = record
    rows = isinstance(only, (list, tuple)) or (isinstance(only, np.ndarray) and only.ndim == 1)
    return list(only) if rows else record


def relation_of(first: Any, second: Any, group: int = 1) -> tuple[Relation, int]:
    """Return how two data sets are neighbours and the index of the first record that differs.

    Parameters
    ----------
    first, second : Any
        Data sets, see the module's docstring. The index is that in the larger one; of a dict by
        keys or a set, the place of the key among those of ``first``, then of ``second``.
    group : int
        How many records may differ.

    Raises
    ------
    InputError
        If they are equal, differ in more records, or cannot be compared.

    Examples
    --------
    >>> relation_of([1, 2, 3], [1, 3])
    (<Relation.ADD_OR_REMOVE_ONE: 'add/remove-one'>, 1)
    >>> relation_of("yes", "no")
    (<Relation.REPLACE_ONE: 'replace-one'>, 0)
    """
    relation, places = _differences(first, second, group)
    return relation, places[0]


def _differences(first: Any, second: Any, group: int) -> tuple[Relation, list[int]]:
    """Return how two data sets are neighbours, and the indices of the records that differ."""
    kinds = (_kind(first), _kind(second))
    if None in kinds:
        name = type(first if kinds[0] is None else second).__name__
        raise InputError(f"cannot tell neighbours of type {name}; {VOUCH}")
    if kinds[0] != kinds[1]:
        raise InputError(
            f"D is {kinds[0]} but D' is {kinds[1]}; give two data sets of the same kind"
        )
    if kinds[0] == "one plain value":
        if same_value(_plain(first), _plain(second)):
            raise InputError(_EQUAL)
        return Relation.REPLACE_ONE, [0]
    if kinds[0] == "a dict" and not _are_columns(first, second):
        return _by_key(first, second, group)
    if kinds[0] == "a set":
        return _by_key(dict.fromkeys(first), dict.fromkeys(second), group)
    return _by_position(*_comparable(first, second), group)


# --------------------------------------------------------------------- what a data set is made of


def _kind(data: Any) -> str | None:
    """Return what a data set is, in words; None if its records are not known."""
    if isinstance(data, _PLAIN) or (isinstance(data, np.ndarray) and data.ndim == 0):
        return "one plain value"
    if is_frame(data):
        return "a DataFrame"
    if _is_column(data) and not isinstance(data, list):
        return "an array"
    if _has_parts(data):
        return "a tuple of parts"
    if isinstance(data, (list, tuple)):
        return "a list"
    if isinstance(data, dict):
        return "a dict"
    return "a set" if isinstance(data, (set, frozenset)) else None


def _is_column(data: Any) -> bool:
    """Return whether something is an array, a list or a pandas Series."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.Series):
        return True
    return isinstance(data, list) or (isinstance(data, np.ndarray) and data.ndim > 0)


def _has_parts(data: Any) -> bool:
    """Return whether a data set is a tuple of columns of one length."""
    if not isinstance(data, tuple) or not data or not all(map(_is_column, data)):
        return False
    return len({len(part) for part in data}) == 1


def _are_columns(first: dict[Any, Any], second: dict[Any, Any]) -> bool:
    sides = (tuple(first.values()), tuple(second.values()))
    return first.keys() == second.keys() and all(map(_has_parts, sides))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, (np.generic, np.ndarray)) else value


def _column(data: Any) -> NDArray[Any]:
    """Return an array with axis 0 = records; a list becomes an array of objects."""
    if not isinstance(data, (list, tuple)):
        return np.asarray(data)
    column = np.empty(len(data), dtype=object)
    for index, record in enumerate(data):  # column[:] = data would take records for axes
        column[index] = record
    return column


def _comparable(first: Any, second: Any) -> tuple[Columns, Columns]:
    """Return the columns of two data sets of the same kind."""
    sides = (_named_columns(first), _named_columns(second))
    names = [list(side) for side in sides]
    if set(names[0]) != set(names[1]):
        odd = sorted(map(str, set(names[0]) ^ set(names[1])))
        raise InputError(
            f"the records of D and D' have different parts ({', '.join(odd[:5])} on one side "
            "only); give both the same"
        )
    columns = [[side[name] for name in names[0]] for side in sides]
    for mine, theirs in zip(*columns, strict=True):
        if mine.shape[1:] != theirs.shape[1:]:
            raise InputError(
                f"the records of D and D' have different shapes, {mine.shape[1:]} and "
                f"{theirs.shape[1:]}; give both the same"
            )
        if mine.dtype.names != theirs.dtype.names:
            raise InputError("the records of D and D' have different fields; give both the same")
    return tuple(columns[0]), tuple(columns[1])


def _named_columns(data: Any) -> dict[Any, NDArray[Any]]:
    if is_frame(data):
        if not data.columns.is_unique:
            raise InputError("a DataFrame has two columns of one name; rename one")
        return {name: data[name].to_numpy() for name in data.columns}
    if isinstance(data, dict):
        return {name: _column(part) for name, part in data.items()}
    parts = data if _has_parts(data) else (data,)
    return {f"part {number}": _column(part) for number, part in enumerate(parts)}


# ------------------------------------------------------------------------------- comparing them


def _by_position(first: Columns, second: Columns, group: int) -> tuple[Relation, list[int]]:
    sizes = (_size(first), _size(second))
    if abs(sizes[0] - sizes[1]) > group:
        raise InputError(
            f"D has {sizes[0]} records and D' has {sizes[1]}; neighbours differ in "
            f"{_records(group)} ({VOUCH})"
        )
    if sizes[0] == sizes[1]:
        differing = differing_records(first, second) if sizes[0] else []
        return Relation.REPLACE_ONE, _few(differing, sizes[0], group)
    larger, smaller = (first, second) if sizes[0] > sizes[1] else (second, first)
    return Relation.ADD_OR_REMOVE_ONE, _added(larger, smaller)


def _records(count: int) -> str:
    return "one record" if count == 1 else f"{count} records at most"


def _size(columns: Columns) -> int:
    return n_records(columns) if columns else 0


def _rows(columns: Columns, start: int, stop: int) -> Columns:
    return tuple(column[start:stop] for column in columns)


def _added(larger: Columns, smaller: Columns) -> list[int]:
    """Return which records of a data set another one lacks that has the others, in their order."""
    sizes, places = (_size(larger), _size(smaller)), []
    start = 0  # the first record of the smaller one that was not compared yet
    for added in range(sizes[0] - sizes[1]):
        ahead = (_rows(larger, start + added, sizes[1] + added), _rows(smaller, start, sizes[1]))
        differing = differing_records(*ahead) if start < sizes[1] else []
        start = start + differing[0] if differing else sizes[1]
        places.append(start + added)
    end = sizes[0] - sizes[1]
    rest = (_rows(larger, start + end, sizes[0]), _rows(smaller, start, sizes[1]))
    if start < sizes[1] and differing_records(*rest):
        raise InputError(
            f"D and D' differ by more than {_records(end)} that only one of them has (from record "
            f"{places[0]} on; the others must be the same, in the same order); {VOUCH}"
        )
    return places


def _few(differing: Sequence[int], records: int, group: int) -> list[int]:
    if not differing:
        raise InputError(_EQUAL)
    if len(differing) > group:
        shown = ", ".join(map(str, differing[:5])) + (", ..." if len(differing) > 5 else "")
        allowed = "one" if group == 1 else f"{group} at most"
        raise InputError(
            f"D and D' differ in {len(differing)} of {records} records ({shown}), neighbours in "
            f"{allowed}; {VOUCH}"
        )
    return list(differing)


def _by_key(
    first: dict[Any, Any], second: dict[Any, Any], group: int
) -> tuple[Relation, list[int]]:
    keys = list(first | second)
    gone = [key for key in keys if key not in second]
    come = [key for key in keys if key not in first]
    changed = [
        k for k in keys if k in first and k in second and not same_value(first[k], second[k])
    ]
    if not (gone or come or changed):
        raise InputError(_EQUAL)
    places = [keys.index(key) for key in gone + come + changed]
    if not changed and not (gone and come) and len(places) <= group:
        return Relation.ADD_OR_REMOVE_ONE, places
    if len(gone) == len(come) and len(gone) + len(changed) <= group:
        return Relation.REPLACE_ONE, places
    raise InputError(
        f"D and D' differ in {len(changed)} of the keys they share, {len(gone)} are in D alone and "
        f"{len(come)} in D' alone; neighbours differ in {_records(group).split()[0]} ({VOUCH})"
    )
