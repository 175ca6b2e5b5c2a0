"""Outputs of any kind as rows of a table: what all outcomes of a mechanism look like to a learner.

An output is flattened into *entries*: a scalar is one entry, a vector has one for every
coordinate, a dict one for every key. An entry is a number, or one of the categories seen in
training (a string, None, True among numbers, "this list was too short to have the entry", ...).
The layout of the entries is learned from training outputs; any later output can be encoded in it,
whatever it is, and the same output gives the same row in whatever block it comes.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import islice, repeat, zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.runs.sampling import Outputs, Raised
from reference._validation import FloatArray

Codes = NDArray[np.int32]

MOST_ENTRIES = 1024
"""Entries of a list-like output beyond these are not looked at."""
MOST_CATEGORIES = 2**16
WIDEST = 2**53
"""Integers beyond it are not all doubles: they are a list of a double and what is left."""
_DEEPEST = 6
_PIECE = 2**14


class Token(NamedTuple):
    """A category that is told by its text, e.g. a value of a type unknown to us."""

    text: str


class _Missing:
    def __repr__(self) -> str:
        return "missing"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""The entry of an output that is too short to have it."""


def category_name(category: Any) -> str:
    """Return how a category is shown to people."""
    return category.text if isinstance(category, Token) else repr(category)


@dataclass(frozen=True)
class Table:
    """Encoded outputs.

    Attributes
    ----------
    numbers : ndarray of shape (n, d), any real dtype
        NaN where an entry is not a number.
    codes : dict of int to int32 array of shape (n,)
        Of the entries that are not always numbers: 0 for a number, 1, 2, ... for the categories
        in the layout's order, and one more for anything not seen (often enough) in training.
    """

    numbers: NDArray[Any]
    codes: Mapping[int, Codes]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: slice) -> Table:
        return Table(self.numbers[rows], {j: codes[rows] for j, codes in self.codes.items()})

    def floats(self) -> FloatArray:
        """Return the numbers as doubles, by rows in memory, so that sums do not depend on it."""
        return np.ascontiguousarray(self.numbers, dtype=np.float64)

    def pieces(self) -> Iterator[Table]:
        """Yield the rows in pieces that fit a processor's cache."""
        rows = max(1, 2**18 // max(1, self.numbers.shape[1]))
        for start in range(0, len(self), rows):
            yield self[start : start + rows]


# ------------------------------------------------------------------------------- one value

_SEQUENCES = (list, tuple)
_CONTAINERS = (list, tuple, dict)
_REAL = {float, int, bool}
_NUMERIC = {float, int, list, tuple, dict}
"""Types of entries that are numbers: that of a list or a dict is its length."""
_PLAIN = frozenset([float, int, bool, str, bytes, type(None), _Missing, Token, list, tuple, dict])


def plain(value: Any) -> Any:
    """Return a value as one of the types that the encoding knows; never raises."""
    if type(value) in _PLAIN:
        return value
    try:
        return _converted(value)
    except Exception:  # an object may do anything when asked what it is
        return Token(type(value).__qualname__)


def _converted(value: Any) -> Any:
    if isinstance(value, (enum.Enum, Raised)):
        return Token(str(value))
    if isinstance(value, np.generic) or hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.dtype.kind in "mM":
            array = array.astype(np.int64)
        listed = array.tolist()
        return listed if type(listed) in _PLAIN else plain(listed)
    if isinstance(value, complex):
        return (value.real, value.imag)
    if isinstance(value, (float, int, Fraction, Decimal)):
        return float(value)
    if isinstance(value, (str, bytes)):
        return str(value) if isinstance(value, str) else bytes(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, _SEQUENCES):
        return tuple(value)
    if isinstance(value, (set, frozenset)):
        return tuple(sorted(value, key=repr))
    name = type(value).__qualname__
    if dataclasses.is_dataclass(value):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {"type": name, **fields}
    text = repr(value)
    if " at 0x" in text:  # an address, which differs from run to run
        return {"type": name, **getattr(value, "__dict__", {})}
    return Token(f"{name} {text}")


def _plain(values: Sequence[Any]) -> tuple[Sequence[Any], set[type]]:
    """Return the values as types that the encoding knows, and those types."""
    kinds = set(map(type, values))
    if not kinds <= _PLAIN:
        values = [plain(value) for value in values]
        kinds = set(map(type, values))
    if int in kinds and any(map(_is_wide, values)):
        values = [_split(value) if _is_wide(value) else value for value in values]
        kinds = set(map(type, values))
    return values, kinds


def _is_wide(value: Any) -> bool:
    return type(value) is int and not -WIDEST <= value <= WIDEST


def _split(value: int) -> Any:
    """Return the nearest double of an integer and what is left, or its text beyond all doubles."""
    nearest = _float(value)
    if math.isinf(nearest):
        return Token(hex(value))
    return (nearest, value - int(nearest))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the doubles
        return math.inf if value > 0 else -math.inf


def _floats(values: Sequence[Any]) -> FloatArray:
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        return np.array([_float(value) for value in values])


# ------------------------------------------------------------------------------ the layout


@dataclass
class Layout:
    """The entries found at one place of the outputs, learned from training outputs.

    Attributes
    ----------
    name : str
        Of the place, e.g. ``output[3]``.
    categories : dict
        Category -> its code, 1, 2, ...; empty if the place always held a number.
    own : bool
        Whether the place has an entry of its own; not if it always held a list of one length, or
        a dict of the same keys, whose entries say all.
    items : list of Layout
        Of the items of a list.
    values : dict of key to Layout
        Of the values of a dict.
    """

    name: str
    categories: dict[Any, int] = field(default_factory=dict)
    own: bool = True
    items: list[Layout] = field(default_factory=list)
    values: dict[Any, Layout] = field(default_factory=dict)

    @classmethod
    def of_shape(cls, name: str, shape: tuple[int, ...]) -> Layout:
        """Return the layout of arrays of numbers of one shape."""
        if not shape:
            return cls(name)
        items = [cls.of_shape(f"{name}[{i}]", shape[1:]) for i in range(shape[0])]
        return cls(name, own=False, items=items)

    @classmethod
    def learn(
        cls, name: str, values: Sequence[Any], room: int = MOST_ENTRIES, depth: int = 0
    ) -> Layout:
        """Learn the layout of a place from the values found there, at most ``room`` entries."""
        values, kinds = _plain(values)
        here = cls(name)
        if depth < _DEEPEST and not kinds.isdisjoint(_CONTAINERS):
            here._learn_below(values, room, depth)
        if here.own:
            here._learn_categories(values, kinds)
            here.name = f"len({name})" if kinds.issubset(_CONTAINERS) else name
        return here

    def _learn_below(self, values: Sequence[Any], room: int, depth: int) -> None:
        lengths = {len(v) if type(v) in _SEQUENCES else -1 for v in values}
        width = min(max(lengths), room)
        if width > 0:
            self.items = [
                Layout.learn(f"{self.name}[{i}]", column, room // width, depth + 1)
                for i, column in enumerate(_columns(values, width))
            ]
        counts = Counter(key for v in values if type(v) is dict for key in v)
        for key, _ in counts.most_common(room):
            column = _at_key(values, key)
            below = Layout.learn(f"{self.name}[{key!r}]", column, room // len(counts), depth + 1)
            self.values[key] = below
        alike = len(lengths) == 1 and lengths != {-1}
        keys = self.values.keys()
        self.own = not alike and not all(type(v) is dict and v.keys() == keys for v in values)

    def _learn_categories(self, values: Sequence[Any], kinds: set[type]) -> None:
        if kinds <= _NUMERIC or kinds == {bool}:
            return
        counts = Counter(v for v in values if type(v) not in _NUMERIC)
        # what happened once may never happen again: it is counted among the unseen
        common = [c for c, count in counts.most_common(MOST_CATEGORIES) if count > 1]
        self.categories = {c: code for code, c in enumerate(common or [MISSING], start=1)}

    def entries(self) -> list[Layout]:
        """Return the places with an entry of their own, in the order of the table's columns."""
        below = [*self.items, *self.values.values()]
        return ([self] if self.own else []) + [e for place in below for e in place.entries()]

    def encode(self, values: Sequence[Any]) -> Iterator[tuple[FloatArray, Codes | None]]:
        """Yield the numbers and the codes of every entry."""
        values, kinds = _plain(values)
        if self.own:
            yield self._encode_own(values, kinds)
        if self.items:
            for place, column in zip(self.items, _columns(values, len(self.items)), strict=True):
                yield from place.encode(column)
        for key, place in self.values.items():
            yield from place.encode(_at_key(values, key))

    def _encode_own(
        self, values: Sequence[Any], kinds: set[type]
    ) -> tuple[FloatArray, Codes | None]:
        if not self.categories and kinds <= _REAL:
            return _floats(values), None
        # where categories are told apart, True is one of them
        numeric = _NUMERIC if self.categories else _NUMERIC | {bool}
        unseen, code_of = len(self.categories) + 1, self.categories.get
        if kinds.isdisjoint(numeric):
            listed = list(map(code_of, values, repeat(unseen)))
        else:
            listed = [0 if type(v) in numeric else code_of(v, unseen) for v in values]
        codes = np.array(listed, dtype=np.int32)
        known = np.full(unseen + 1, math.nan)
        for flag in (False, True):
            if flag in self.categories:
                known[self.categories[flag]] = flag
        numbers = known[codes]
        at = np.flatnonzero(codes == 0)
        some = [values[i] for i in at.tolist()]
        numbers[at] = _floats([len(v) if type(v) in _CONTAINERS else v for v in some])
        return numbers, codes if self.categories else None


def _columns(values: Sequence[Any], width: int) -> Iterator[tuple[Any, ...]]:
    """Yield the first ``width`` items of lists, position by position."""
    lists = [v if type(v) in _SEQUENCES else () for v in values]
    columns = zip_longest(*lists, fillvalue=MISSING)
    missing = (MISSING,) * len(values)
    found = 0
    for found, column in enumerate(islice(columns, width), start=1):  # noqa: B007
        yield column
    for _ in range(found, width):
        yield missing


def _at_key(values: Sequence[Any], key: Any) -> list[Any]:
    return [v.get(key, MISSING) if type(v) is dict else MISSING for v in values]


def describe_row(table: Table, row: int, layouts: Sequence[Layout]) -> str:
    """Return the first entries of an encoded output, those it does not have left out."""
    shown = []
    for j, layout in enumerate(layouts):
        code = int(table.codes[j][row]) if j in table.codes else 0
        names = {0: f"{float(table.numbers[row, j]):.6g}"}
        names |= {value: category_name(c) for c, value in layout.categories.items()}
        shown.append(names.get(code, "unseen"))
    shown = [text for text in shown if text != repr(MISSING)]
    return f"({', '.join(shown[:8])}{', ...' if len(shown) > 8 else ''})"


# ---------------------------------------------------------------------------- the encoding


@dataclass(frozen=True)
class Encoding:
    """How outputs become rows.

    Attributes
    ----------
    layout : Layout
    shape : tuple of int or None
        Of one output, if all training outputs were arrays of numbers; then ``layout`` is of it.
    """

    layout: Layout
    shape: tuple[int, ...] | None

    @classmethod
    def learn(cls, first: Outputs, second: Outputs) -> Encoding:
        """Learn the encoding from training outputs of both sides."""
        first, second = _gathered(first), _gathered(second)
        shapes = {_shape(outputs) for outputs in (first, second)}
        shape = shapes.pop()
        if shape is not None and not shapes and not (_has_wide(first) or _has_wide(second)):
            return cls(Layout.of_shape("output", shape), shape)
        return cls(Layout.learn("output", [*_listed(first), *_listed(second)]), None)

    @property
    def entries(self) -> list[Layout]:
        """The places that the columns of a table stand for."""
        return self.layout.entries()

    def table(self, outputs: Outputs) -> Table:
        """Encode outputs, any objects at all; never raises."""
        outputs = _gathered(outputs)
        if self.shape is not None and _shape(outputs) == self.shape:
            return Table(_real(np.asarray(outputs)).reshape(len(outputs), -1), {})
        listed, entries = _listed(outputs), len(self.entries)
        numbers = np.empty((len(listed), entries))
        codes: dict[int, Codes] = {
            j: np.empty(len(listed), dtype=np.int32)
            for j, entry in enumerate(self.entries)
            if entry.categories
        }
        for start in range(0, len(listed), _PIECE):
            piece = listed[start : start + _PIECE]
            for j, (column, code) in enumerate(self.layout.encode(piece)):
                numbers[start : start + len(piece), j] = column
                if code is not None:
                    codes[j][start : start + len(piece)] = code
        return Table(numbers, codes)


def _gathered(outputs: Outputs) -> Outputs:
    """Return a list of NumPy arrays, or scalars, of one shape and type as one array."""
    if isinstance(outputs, np.ndarray):
        return outputs
    kinds = set(map(type, outputs))
    same = len(kinds) == 1 and (kinds == {np.ndarray} or issubclass(kinds.pop(), np.generic))
    if same and len({(output.shape, output.dtype) for output in outputs}) == 1:
        return np.array(outputs)
    return outputs


def _shape(outputs: Outputs) -> tuple[int, ...] | None:
    """Return the shape of one output if the outputs are an array of numbers."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "biufcmM":
        return outputs.shape[1:] + ((2,) if outputs.dtype.kind == "c" else ())
    return None


def _has_wide(outputs: Outputs) -> bool:
    """Return whether an array has integers (or times) that doubles cannot tell apart."""
    if not isinstance(outputs, np.ndarray) or outputs.size == 0 or outputs.dtype.kind not in "iumM":
        return False
    array = _real(outputs)
    return int(array.max()) > WIDEST or int(array.min()) < -WIDEST


def _real(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], axis=-1)
    return array.astype(np.int64) if array.dtype.kind in "mM" else array


def _listed(outputs: Outputs) -> Sequence[Any]:
    if isinstance(outputs, np.ndarray):
        listed: list[Any] = _real(outputs).tolist()
        return listed
    return outputs if isinstance(outputs, _SEQUENCES) else list(outputs)
