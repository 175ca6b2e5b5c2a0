"""Outputs of any kind as rows of a table: what all outcomes of a mechanism look like to a learner.

An output is flattened into *entries*: a scalar is one entry, a vector has one for every
coordinate, a dict one for every key. An entry is a number, or one of the categories seen in
training (a string, None, True among numbers, "this list was too short to have the entry", ...).
The layout of the entries is learned from training outputs; any later output can be encoded in it,
whatever it is, and the same output gives the same row in whatever block it comes.

Objects are opened, see :mod:`auditor.runs.plain_data`. Texts and bytes that hardly ever recur say
little as categories, so the numbers in them are read. What stays shut is counted
(:attr:`Encoding.shut`), because nothing that it says can be seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.core.errors import visible
from auditor.events.texts import AS_IT_IS, has_numbers, is_text, opened_text, seldom_recur
from auditor.runs.blocks import Outputs
from auditor.runs.plain_data import MISSING, MOST_ENTRIES, PLAIN, Token, plain
from reference._validation import FloatArray

Codes = NDArray[np.int32]

MOST_CATEGORIES = 2**16
WIDEST = 2**53
"""Integers beyond it are not all doubles: they are a list of a double and what is left."""
_DEEPEST = 12
_PIECE = 2**14
_SEQUENCES = (list, tuple)
_CONTAINERS = (list, tuple, dict)
_REAL = {float, int, bool}
_NUMERIC = {float, int, list, tuple, dict}
"""Types of entries that are numbers: that of a list or a dict is its length."""


def category_name(category: Any) -> str:
    """Return how a category is shown to people."""
    return visible(category.text) if isinstance(category, Token) else repr(category)


@dataclass(frozen=True)
class OutcomeTable:
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
    _known: dict[int, tuple[Any, FloatArray]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: slice) -> OutcomeTable:
        if rows.indices(len(self)) == (0, len(self), 1):
            return self
        return OutcomeTable(self.numbers[rows], {j: codes[rows] for j, codes in self.codes.items()})

    def floats(self) -> FloatArray:
        """Return the numbers as doubles, by rows in memory, so that sums do not depend on it."""
        return np.ascontiguousarray(self.numbers, dtype=np.float64)

    def pieces(self) -> Iterator[OutcomeTable]:
        """Yield the rows in pieces that fit a processor's cache."""
        rows = max(1, 2**18 // max(1, self.numbers.shape[1]))
        for start in range(0, len(self), rows):
            yield self[start : start + rows]

    def seen_by(self, view: Callable[[OutcomeTable], FloatArray]) -> FloatArray:
        """Return a view's columns, computed once and kept with the table; they are read-only."""
        if id(view) not in self._known:
            columns = view(self).view()
            columns.flags.writeable = False
            self._known[id(view)] = view, columns  # the view is kept: ids are used again
        return self._known[id(view)][1]


def _plain(values: Sequence[Any]) -> tuple[Sequence[Any], set[type]]:
    """Return the values as types that the encoding knows, and those types."""
    kinds = set(map(type, values))
    if not kinds <= PLAIN:
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
    texts : bool
        Whether texts and bytes are opened, because as categories they hardly ever recur.
    pairs : bool
        Whether dicts are lists of pairs, because their keys hardly ever recur.
    shut : int
        How many of the training outputs had a value here that cannot be looked into: it recurs
        with none, or lies too deep or too far behind.
    """

    name: str
    categories: dict[Any, int] = field(default_factory=dict)
    own: bool = True
    items: list[Layout] = field(default_factory=list)
    values: dict[Any, Layout] = field(default_factory=dict)
    texts: bool = False
    pairs: bool = False
    shut: int = 0

    @classmethod
    def of_shape(cls, name: str, shape: tuple[int, ...]) -> Layout:
        """Return the layout of arrays of numbers of one shape."""
        if not shape:
            return cls(name)
        items = [cls.of_shape(f"{name}[{i}]", shape[1:]) for i in range(shape[0])]
        return cls(name, own=False, items=items)

    @classmethod
    def learn(
        cls,
        name: str,
        values: Sequence[Any],
        room: int = MOST_ENTRIES,
        depth: int = 0,
        *,
        open_texts: bool = True,
    ) -> Layout:
        """Learn the layout of a place from the values found there, at most ``room`` entries.

        ``open_texts=False`` takes texts as they are, because what is in them is read elsewhere.
        """
        values, kinds = _plain(values)
        here = cls(name)
        if open_texts and not kinds.isdisjoint((str, bytes, Token)):
            once = seldom_recur([v for v in values if is_text(v)], len(values))
            here.texts = any(map(has_numbers, once))
        if dict in kinds:
            keys = [key for v in values if type(v) is dict for key in v]
            here.pairs = bool(seldom_recur(keys, len(values)))
        if here.texts or here.pairs:
            values = here._opened(values)
            kinds = set(map(type, values))
        if not kinds.isdisjoint(_CONTAINERS):
            if depth < _DEEPEST:
                here._learn_below(values, room, depth)
            else:
                here.shut = sum(type(v) in _CONTAINERS and len(v) > 0 for v in values)
        if here.own:
            here._learn_categories(values, kinds)
            here.name = f"len({name})" if kinds.issubset(_CONTAINERS) else name
        return here

    def _opened(self, values: Sequence[Any]) -> Sequence[Any]:
        if self.texts:
            values = [opened_text(value) for value in values]
        if self.pairs:
            values = [tuple(v.items()) if type(v) is dict else v for v in values]
        return values

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
            self.values[key] = Layout.learn(
                f"{self.name}[{_key_name(key)}]",
                _at_key(values, key),
                room // len(counts),
                depth + 1,
                open_texts=not (self.texts and key in AS_IT_IS),
            )
        if self.texts and "text" in self.values:
            self.values["text"].shut = 0  # what it is, its other parts say
        alike = len(lengths) == 1 and lengths != {-1}
        keys = self.values.keys()
        self.own = not alike and not all(type(v) is dict and v.keys() == keys for v in values)
        self.shut = sum(
            len(v) > width if type(v) in _SEQUENCES else type(v) is dict and len(counts) > room
            for v in values
        )

    def _learn_categories(self, values: Sequence[Any], kinds: set[type]) -> None:
        if kinds <= _NUMERIC or kinds == {bool}:
            return
        counts = Counter(v for v in values if type(v) not in _NUMERIC)
        # what happened once may never happen again: it is counted among the unseen
        common = [
            c
            for c, count in counts.most_common(MOST_CATEGORIES)
            if count > 1 or _is_token(c, "failed")
        ]
        self.categories = {c: code for code, c in enumerate(common or [MISSING], start=1)}
        self.shut += sum(
            count
            for c, count in counts.items()
            if _is_token(c, "shut") or (count == 1 and c not in self.categories)
        )

    def most_shut(self) -> Layout:
        """Return the place, this or one below, where most values cannot be looked into."""
        below = [place.most_shut() for place in (*self.items, *self.values.values())]
        return max([self, *below], key=lambda place: place.shut)

    def entries(self) -> list[Layout]:
        """Return the places with an entry of their own, in the order of the table's columns."""
        below = [*self.items, *self.values.values()]
        return ([self] if self.own else []) + [e for place in below for e in place.entries()]

    def encode(self, values: Sequence[Any]) -> Iterator[tuple[FloatArray, Codes | None]]:
        """Yield the numbers and the codes of every entry."""
        values, kinds = _plain(values)
        if self.texts or self.pairs:
            values = self._opened(values)
            kinds = set(map(type, values))
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


def _key_name(key: Any) -> str:
    return repr(plain(key) if isinstance(key, np.generic) else key)


def _is_token(value: Any, kind: str) -> bool:
    return type(value) is Token and value.kind == kind


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


def describe_row(table: OutcomeTable, row: int, layouts: Sequence[Layout]) -> str:
    """Return the first entries of an encoded output, those it does not have left out."""
    shown = []
    for j, layout in enumerate(layouts):
        code = int(table.codes[j][row]) if j in table.codes else 0
        length = "length " if layout.name.startswith("len(") else ""
        names = {0: f"{length}{float(table.numbers[row, j]):.6g}"}
        names |= {value: category_name(c) for c, value in layout.categories.items()}
        shown.append(names.get(code, "unseen"))
    shown = [text for text in shown if text != repr(MISSING)]
    return f"({', '.join(shown[:8])}{', ...' if len(shown) > 8 else ''})"


# ---------------------------------------------------------------------------- the encoding


@dataclass(frozen=True)
class Encoding:
    """A map from outputs to rows.

    Attributes
    ----------
    layout : Layout
    shape : tuple of int or None
        Of one output, if all training outputs were arrays of numbers; then ``layout`` is of it.
    shut : float
        Share of the training outputs that have a value at some one place that cannot be looked
        into: of an unknown type, or a text without numbers that came only once.
    shut_at : str
        The place.
    """

    layout: Layout
    shape: tuple[int, ...] | None
    shut: float = 0.0
    shut_at: str = ""

    @classmethod
    def learn(cls, first: Outputs, second: Outputs) -> Encoding:
        """Learn the encoding from training outputs of both sides."""
        first, second = _gathered(first), _gathered(second)
        shapes = {_shape(outputs) for outputs in (first, second)}
        shape = shapes.pop()
        if shape is not None and not shapes and not (_has_wide(first) or _has_wide(second)):
            return cls(Layout.of_shape("output", shape), shape)
        listed = [*_listed(first), *_listed(second)]
        layout = Layout.learn("output", listed)
        most = layout.most_shut()
        return cls(layout, None, most.shut / max(1, len(listed)), most.name)

    @property
    def entries(self) -> list[Layout]:
        """The places that the columns of a table stand for."""
        return self.layout.entries()

    def table(self, outputs: Outputs) -> OutcomeTable:
        """Encode outputs, any objects at all; never raises."""
        outputs = _gathered(outputs)
        if self.shape is not None and _shape(outputs) == self.shape:
            return OutcomeTable(_real(np.asarray(outputs)).reshape(len(outputs), -1), {})
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
        return OutcomeTable(numbers, codes)


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
