"""Outputs as plain data: numbers, texts, arrays and lists, all that may leave a worker.

Objects are opened: dates are numbers, sparse matrices and tables of pandas are arrays, any other
object is its attributes, slots included, or what it would be pickled as. :func:`plain` opens one
level, as far as an encoding of outputs looks; :func:`opened` opens all of them, so that nothing
but plain data is left.
"""

from __future__ import annotations

import datetime
import enum
import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from types import ModuleType
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from auditor.core.errors import InputError, pass_interrupts
from auditor.runs.blocks import Outputs, Raised
from auditor.runs.values import MOST_AXES, ROOM, Code, attributes, is_code, is_coroutine

MOST_ENTRIES = 1024
"""Entries of a list-like output beyond these are not looked at."""
TokenKind = Literal["", "failed", "shut"]


class Token(NamedTuple):
    """A category that is told by its text, e.g. a value of a type unknown to us.

    Attributes
    ----------
    text : str
    kind : {"", "failed", "shut"}
        A run without an output; a value of which only the type can be seen.
    """

    text: str
    kind: TokenKind = ""


_GLOBAL: Any = np.random.mtrand._rand
"""The same for everybody, and part of no output that refers to it."""


class _Missing:
    def __repr__(self) -> str:
        return "missing"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""The entry of an output that is too short to have it."""


@dataclass(frozen=True, repr=False)
class Key:
    """A key of a dict that was an object, in a worker.

    Attributes
    ----------
    shown : str
        Its repr.
    value : object
        The key opened.
    """

    shown: str
    value: Any = field(hash=False)

    def __repr__(self) -> str:
        return self.shown


SCALARS = frozenset([float, int, bool, str, bytes, type(None)])
PLAIN = SCALARS | {_Missing, Token, list, tuple, dict}


def plain(value: Any) -> Any:
    """Return a value as one of the types in :data:`PLAIN`, its items as they are; never raises."""
    if type(value) in PLAIN:
        return value
    try:
        return _converted(value)
    except BaseException as error:  # an object may do anything when asked what it is
        pass_interrupts(error)
        return _shut(value)


def _shut(value: Any) -> Token:
    return Token(name_of(value), "shut")


def name_of(value: Any) -> str:
    """Return the name of the type of a value."""
    if type(value) is Code:
        return value.name
    # whatever its metaclass says
    return cast("str", type.__dict__["__qualname__"].__get__(type(value)))


def _converted(value: Any) -> Any:
    if _is_bare_array(value):  # before all that is slow to ask: most outputs that come here are
        return _of_bare_array(value)
    if isinstance(value, Raised):
        return Token(f"raised {value.name}", "failed")
    if isinstance(value, Key):
        return plain(value.value)
    if isinstance(value, (enum.Enum, type, ModuleType)):
        return Token(str(value))
    if is_code(value):
        return _shut(value)
    if hasattr(value, "__array__"):
        listed = _of_array(value)
        return listed if type(listed) in PLAIN else plain(listed)
    if value is _GLOBAL:
        return Token("numpy.random")
    inside = {} if isinstance(value, Fraction) else attributes(value)
    inside = {name: item for name, item in inside.items() if not _is_own_code(item, value)}
    base = _base(value)
    if base is not None:
        return {"value": base, **inside} if inside else base
    name = name_of(value)
    if inside:
        return {"type": name, **inside}
    state = _state(value)
    if state:
        return {"type": name, "state": state}
    text = repr(value)
    if " at 0x" in text:  # an address, which differs from run to run
        return _shut(value)
    return Token(f"{name} {text}")


def _is_own_code(item: Any, owner: Any) -> bool:
    """Return whether an attribute is code of the object that has it, which is opened anyway."""
    code = item.pyfunc if isinstance(item, np.vectorize) else item
    return inspect.ismethod(code) and code.__self__ is owner


def _of_bare_array(value: Any) -> Any:
    """Return what an array, or a scalar of NumPy, holds: times as whole numbers."""
    listed = (value.astype(np.int64) if value.dtype.kind in "mM" else value).tolist()
    if isinstance(listed, np.longdouble):  # more than a double, and no number of Python's
        finite = np.isfinite(listed)
        return _with_rest(Fraction(*listed.as_integer_ratio())) if finite else float(listed)
    if isinstance(listed, np.clongdouble):
        return (listed.real, listed.imag)
    return listed if type(listed) in PLAIN else plain(listed)


def _of_array(value: Any) -> Any:
    """Return what anything that can be an array holds; of pandas with its labels."""
    array = np.asarray(value)
    if array.ndim > MOST_AXES:
        return {"shape": array.shape, "values": array.ravel()}
    listed = _of_bare_array(array)
    if isinstance(value, np.ma.MaskedArray):
        return {"data": listed, "mask": np.ma.getmaskarray(value).tolist()}
    labels = {
        name: list(getattr(value, name))
        for name in ("index", "columns")
        if type(getattr(value, name, None)).__name__.endswith("Index")
        and type(getattr(value, name)).__name__ != "RangeIndex"
    }
    return {**labels, "values": listed} if labels else listed


def _base(value: Any) -> Any:
    """Return a value of a well-known type as a plain one, None if it is of none."""
    if isinstance(value, complex):
        return (value.real, value.imag)
    if isinstance(value, (Fraction, Decimal)):
        return _with_rest(value)
    if isinstance(value, (float, int)):
        return float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return _of_time(value)
    if isinstance(value, dict):
        return dict(dict.items(value))
    if isinstance(value, Mapping):  # which need not end
        return {key: value[key] for key in islice(value, min(len(value), MOST_ENTRIES + 1))}
    if isinstance(value, range):
        return {"start": value.start, "stop": value.stop, "step": value.step}
    if isinstance(value, (list, tuple)):
        own: Any = list if isinstance(value, list) else tuple
        return tuple(own.__iter__(value))
    if isinstance(value, Sequence):
        return tuple(islice(value, MOST_ENTRIES + 1))
    if isinstance(value, (set, frozenset)):
        own = set if isinstance(value, set) else frozenset
        return tuple(sorted(own.__iter__(value), key=repr))
    if isinstance(value, BaseException):
        return (name_of(value), value.args)
    if hasattr(value, "tocoo"):  # a sparse array
        return _of_sparse(value)
    return None


def _with_rest(value: Fraction | Decimal) -> Any:
    """Return the nearest double of a fraction, with what is left of it if there is anything."""
    try:
        nearest = float(value)
    except OverflowError:  # what a Decimal has as an infinity
        return Token(str(value))
    if not math.isfinite(nearest):
        return nearest if not _is_finite(value) else Token(str(value))
    rest = float(Fraction(value) - Fraction(nearest))
    return (nearest, rest) if rest else nearest


def _is_finite(value: Fraction | Decimal) -> bool:
    return value.is_finite() if isinstance(value, Decimal) else True


def _of_time(value: datetime.date | datetime.time | datetime.timedelta) -> Any:
    """Return a time as a whole number: of days, microseconds, or (pandas) nanoseconds."""
    if hasattr(value, "value"):  # of pandas
        return int(value.value)
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.datetime):
        since = value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
        return _with_zone(_of_time(since), value)
    if isinstance(value, datetime.time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return _with_zone(seconds * 10**6 + value.microsecond, value)
    return value.toordinal()


def _with_zone(microseconds: int, value: datetime.datetime | datetime.time) -> Any:
    offset = value.utcoffset()
    return microseconds if offset is None else (microseconds, offset.total_seconds())


def _of_sparse(value: Any) -> Any:
    """Return a sparse array as a dense one if that is not too large, else where it is not zero."""
    entries = value.tocoo()
    if math.prod(entries.shape) <= MOST_ENTRIES:
        return {"stored": len(entries.data), "values": entries.toarray().tolist()}
    places = [array.tolist() for array in entries.nonzero()]
    return {"shape": entries.shape, "places": places, "data": entries.data.tolist()}


def _state(value: Any) -> tuple[Any, ...]:
    """Return what would be pickled of an object, if that is anything."""
    try:
        reduced = value.__reduce_ex__(2)
    except BaseException as error:  # what cannot be pickled raises anything
        pass_interrupts(error)
        return ()
    if not isinstance(reduced, tuple):
        return ()
    _, arguments, *others = reduced
    return tuple(
        part
        for part in (*arguments, *others)
        if part is not None and part is not type(value) and not (type(part) is tuple and not part)
    )


def require_values(outputs: Iterable[Any]) -> None:
    """Raise InputError if an output is code that has yet to run: the mechanism never ran."""
    code = [output for output in outputs if is_code(output)]
    close(code)
    if code:
        raise InputError(
            f"the mechanism returned a {name_of(code[0])}, which is code yet to run; it must "
            "return the values that it releases"
        )


def close(outputs: Iterable[Any]) -> None:
    """Close coroutines, of which Python would warn that they were never awaited."""
    for output in outputs:
        if is_coroutine(output):
            output.close()


# ------------------------------------------------------------------------- all levels at once

ARRAY_KINDS = "biufcmMSU"
"""Arrays of these kinds hold nothing but their bytes."""
_DEEPEST = 16
"""Containers deeper inside are emptied: no encoding looks there."""
ITSELF = Token("itself")
"""Stands for a container inside of itself."""


def opened_all(outputs: Outputs) -> Outputs:
    """Return outputs as an array of numbers or a list of plain data, see :func:`opened`."""
    if isinstance(outputs, np.ndarray):
        return outputs
    if SCALARS.issuperset(map(type, outputs)):
        return list(outputs)
    return [output if type(output) is Raised else opened(output) for output in outputs]


def opened(value: Any) -> Any:
    """Return a value as plain data in every depth that is looked at; never raises.

    An encoding takes what is returned for what the value is. What is left is scalars, arrays and
    NumPy scalars of :data:`ARRAY_KINDS`, lists, tuples, dicts, :class:`Token`, :class:`Code` and,
    as keys, :class:`Key`.
    """
    try:
        return _opened(value, 0, ROOM)
    except BaseException as error:
        pass_interrupts(error)
        return _shut(value)


def is_shut(opened: Any) -> bool:
    """Return whether what was opened has a part of which only the type can be seen."""
    if type(opened) is dict:
        return any(map(is_shut, opened.values()))
    if type(opened) in (list, tuple):
        return not SCALARS.issuperset(map(type, opened)) and any(map(is_shut, opened))
    return type(opened) is Code or (type(opened) is Token and opened.kind == "shut")


def _opened(value: Any, depth: int, room: int, around: tuple[int, ...] = ()) -> Any:
    """Open a value with ``room`` for so many items; ``around`` are the ids of what it is in."""
    kind = type(value)
    if kind in SCALARS or kind is Token or _is_bare_array(value):
        return value
    if id(value) in around:
        return ITSELF
    around = (*around, id(value))
    if kind not in PLAIN:
        if is_code(value) and not isinstance(value, (enum.Enum, type)):
            close([value])
            return Code(name_of(value))
        value, room = plain(value), min(room, MOST_ENTRIES)
        kind = type(value)
        if kind in SCALARS or kind is Token:
            return value
    if kind is dict:
        share = room // max(1, len(value))
        return {} if depth > _DEEPEST else _opened_dict(value, depth + 1, share, around)
    if kind not in (list, tuple):
        return _shut(value)
    if depth > _DEEPEST:
        return kind()
    if SCALARS.issuperset(map(type, value)):
        return value
    share = room // max(1, min(room, len(value)))
    seen = [_opened(item, depth + 1, share, around) for item in value[:room]]
    return kind([*seen, *[None] * (len(value) - len(seen))])


def _opened_dict(
    value: dict[Any, Any], depth: int, room: int, around: tuple[int, ...]
) -> dict[Any, Any]:
    return {_key(key): _opened(item, depth, room, around) for key, item in value.items()}


def _key(key: Any) -> Any:
    if type(key) in SCALARS or (type(key) is tuple and SCALARS.issuperset(map(type, key))):
        return key
    if isinstance(key, np.generic):
        return plain(key)
    return Key(f"{key!r}", _opened(key, 0, MOST_ENTRIES))


def _is_bare_array(value: Any) -> bool:
    bare = type(value) is np.ndarray or isinstance(value, np.generic)
    return bare and value.dtype.kind in ARRAY_KINDS and value.ndim <= MOST_AXES
