"""Values of any type: whether two are the same, what is in them, and when many make one array."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Iterator, Sequence
from itertools import chain
from types import CoroutineType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.core.errors import pass_interrupts

MOST_AXES = 32
"""Arrays of more are no tables of numbers; NumPy has 64, one of which is that of the runs."""
ROOM = 10**6
"""Items of one output that are looked at, at most."""
_IDENTITY: Any = object.__eq__
_BARE = frozenset([float, int, bool, str, bytes, complex, type(None)])
"""Types whose equality says all: most outputs are of one."""


def same(one: Any, other: Any) -> bool:
    """Return whether two values are the same, NaN being the same as NaN.

    Arrays, sparse ones too, lists, tuples, dicts, pandas objects and objects with attributes are
    compared in depth.
    Values that cannot be compared count as the same: a difference is only claimed where one is
    seen.
    """
    try:
        return _same(one, other)
    except BaseException as error:  # too deep, or of a class that cannot be compared
        pass_interrupts(error)
        return True


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other) and not _is_one_class(type(one), type(other)):
        return False
    if type(one) in _BARE:
        return _equal(one, other, otherwise=False)
    if isinstance(one, np.ndarray):
        return _same_arrays(one, other)
    if hasattr(one, "tocoo"):  # a sparse array: not by its attributes, which hold what it cached
        return one.shape == other.shape and _same_sparse(one.tocoo(), other.tocoo())
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and (_same_bare(one, other) or all(map(_same, one, other)))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if hasattr(one, "equals"):  # pandas and its kin
        return bool(one.equals(other))
    if isinstance(one, type):
        return _is_one_class(one, other)
    if is_code(one):
        return True
    mine, theirs = attributes(one), attributes(other)
    if not _same(mine, theirs):
        return False
    if type(one).__eq__ is not _IDENTITY and type(one) is type(other):
        return dataclasses.is_dataclass(one) or _equal(one, other, otherwise=True)
    return bool(mine) or _shown(one) == _shown(other)


def _is_one_class(one: type, other: type) -> bool:
    """Return whether two classes are made by the same lines, as one is that a function defines."""
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def _same_bare(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether two sequences are equal and of plain numbers and texts alone, fast."""
    types = list(map(type, one))
    return _BARE.issuperset(types) and types == list(map(type, other)) and bool(one == other)


def _same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if isinstance(one, np.ma.MaskedArray):
        values = np.ma.getdata(one), np.ma.getdata(other)
        masks = np.ma.getmaskarray(one), np.ma.getmaskarray(other)
        return _same_arrays(*values) and np.array_equal(*masks)
    if one.dtype.hasobject:
        return all(map(_same, one.ravel().tolist(), other.ravel().tolist()))
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def _same_sparse(one: Any, other: Any) -> bool:
    """Return whether two sparse arrays of coordinates store the same entries, in any order."""
    mine, theirs = (np.lexsort(entries.coords) for entries in (one, other))
    return _same_arrays(one.data[mine], other.data[theirs]) and all(
        np.array_equal(a[mine], b[theirs]) for a, b in zip(one.coords, other.coords, strict=True)
    )


def _equal(one: Any, other: Any, *, otherwise: bool) -> bool:
    """Return whether ``one == other``, or both are NaN; ``otherwise`` if that is no question."""
    try:
        return bool(one == other) or bool(one != one and other != other)
    except BaseException as error:
        pass_interrupts(error)
        return otherwise


def _shown(value: Any) -> str | None:
    """Return the repr of an object if it may say more than where the object is."""
    try:
        text = repr(value)
    except BaseException as error:
        pass_interrupts(error)
        return None
    return None if " at 0x" in text else text


# ---------------------------------------------------------------------------- what is inside


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object: those in its dict and those in slots."""
    found: dict[str, Any] = {}
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            if name.startswith("__") and not name.endswith("__"):  # a private name
                name = f"_{kind.__name__.lstrip('_')}{name}"
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return {**found, **getattr(value, "__dict__", {})}


@dataclasses.dataclass(frozen=True)
class Code:
    """Stands for code that was returned in a worker; ``name`` is that of its type."""

    name: str


def is_coroutine(value: Any) -> bool:
    """Return whether a value is a coroutine, whatever it says of its class."""
    return issubclass(type(value), CoroutineType)


def is_code(value: Any) -> bool:
    """Return whether a value is code that has yet to run: a function, a coroutine, an iterator."""
    return (
        isinstance(value, Code)
        or inspect.isroutine(value)
        or inspect.isawaitable(value)
        or inspect.isasyncgen(value)
        or isinstance(value, (Iterator, functools.partial))
    )


# -------------------------------------------------------------------------------- stacking


def stacked(values: Sequence[Any]) -> NDArray[Any] | list[Any]:
    """Return values as one array with a leading axis if nothing is lost by it, else as a list.

    Numbers (bool, int or float; integers among floats if they are exact), numeric arrays of one
    shape, and lists or tuples of numbers of one length are stacked. Everything else stays a list.
    """
    if {*map(type, values)} == {np.ndarray}:
        return _stacked_arrays(values)
    if not all(map(_is_small, values[:1])):
        return list(values)
    leaves, shape = values, [len(values)]
    types = {*map(type, values)}
    while types in ({list}, {tuple}):
        lengths = {*map(len, leaves)}
        if len(lengths) > 1:
            return list(values)
        shape.append(lengths.pop())
        leaves = list(chain.from_iterable(leaves))
        types = {*map(type, leaves)}
    kinds = {_kind(kind) for kind in types}
    if not _go_together(kinds):
        return list(values)
    array = np.asarray(leaves)
    if array.dtype.kind not in "biuf" or (kinds == {"i"} and array.dtype.kind == "f"):
        return list(values)  # integers beyond 64 bits
    if kinds == {"i", "f"} and not _exact(leaves):
        return list(values)
    return array.reshape(shape)


def _stacked_arrays(arrays: Sequence[NDArray[Any]]) -> NDArray[Any] | list[Any]:
    shapes = {array.shape for array in arrays}
    kinds = {_kind(dtype.type) for dtype in {array.dtype for array in arrays}}
    if len(shapes) > 1 or not _go_together(kinds) or arrays[0].ndim > MOST_AXES:
        return list(arrays)
    flat = np.concatenate(arrays, axis=None)  # several times as fast as np.stack
    return flat.reshape(len(arrays), *shapes.pop())


def _is_small(value: Any) -> bool:
    """Return whether lists in lists, all as long as the first of their depth, make an array."""
    axes, size = 0, 1
    while type(value) in (list, tuple) and value:
        axes, size, value = axes + 1, size * len(value), value[0]
        if axes > MOST_AXES or size > ROOM:  # perhaps it contains itself
            return False
    return True


def _kind(kind: type) -> str:
    """Return "b" for booleans, "i" for integers, "f" for floats, "" for anything else."""
    if kind in (bool, int, float):
        return {bool: "b", int: "i", float: "f"}[kind]
    if issubclass(kind, np.generic):
        return {"b": "b", "i": "i", "u": "i", "f": "f"}.get(np.dtype(kind).kind, "")
    return ""


def _go_together(kinds: set[str]) -> bool:
    # True next to 1 would become 1: an output that tells them apart must stay what it is
    return kinds in ({"b"}, {"i"}, {"f"}, {"i", "f"})


def _exact(leaves: Sequence[Any]) -> bool:
    return all(abs(leaf) <= 2**53 for leaf in leaves if _kind(type(leaf)) == "i")
