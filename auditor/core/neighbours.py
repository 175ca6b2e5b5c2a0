"""Neighbouring data sets: where a record may lie, and how two data sets may differ.

A :class:`Domain` is the set of values one record may take. It can be searched in two ways: by
Hypothesis (:meth:`Domain.strategy`) and by an optimiser in [-1, 1]^k (:meth:`Domain.decode`).
Both reach the boundary and, where the domain is unbounded, huge values. Ready-made:

====================================  =============================================
a bounded number, bounded vectors     ``Box((), 0, 1)``, ``Box((3,), 0, 1)``
any finite numbers                    ``Everything((3,))``
an l2, l1 or linf ball                ``Ball(3, 1.0)``, ``norm=1``, ``norm=math.inf``
binary rows, small whole numbers      ``Integers((8,))``, ``Integers((), 1, 5)``
categories                            ``Choice(("yes", "no"))``
a vector of counts                    ``Counts(5)``
the rows of a real table              ``Table(rows)``
records with several parts            ``Product((Ball(3, 1.0), Choice((-1, 1))))``
====================================  =============================================

:func:`neighbours` is a Hypothesis strategy for pairs of data sets that differ as a privacy claim
allows; :func:`search_worst_pair` looks for the two records that make an objective largest.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy import optimize

from auditor.core.errors import InputError
from reference._validation import require_count
from reference.privacy.guarantees import Model, Relation

FloatArray = NDArray[np.float64]
HUGE = 1e12
"""Largest magnitude the optimiser tries where a domain is unbounded."""
INSIDE = 1 - 1e-12
"""Points pulled onto a sphere stay inside it, in whatever order somebody adds up their norm."""
LANDMARKS = 60
"""At most about this many records are worth trying first."""


class Domain(ABC):
    """The values one record may take."""

    @property
    @abstractmethod
    def parameters(self) -> int:
        """Number k of search parameters of :meth:`decode`."""

    @abstractmethod
    def decode(self, point: FloatArray) -> Any:
        """Map a point of [-1, 1]^k to a record; the boundary of the cube reaches extremes."""

    @abstractmethod
    def encode(self, record: Any) -> FloatArray:
        """Map a record to a point that :meth:`decode` maps back to it, up to rounding."""

    @abstractmethod
    def strategy(self) -> st.SearchStrategy[Any]:
        """Return a Hypothesis strategy for records."""

    @property
    def size(self) -> int | None:
        """Number of records of a data set if nobody says; ``None``: a data set is one record."""
        return None

    def landmarks(self) -> list[Any]:
        """Return records worth trying first: extremes, and values at which programs branch."""
        return [self.decode(point) for point in _corners(self.parameters)]

    def data_set(self, records: Sequence[Any]) -> Any:
        """Return the data set made of ``records``."""
        return stack_records(list(records))


def _corners(dimension: int) -> list[FloatArray]:
    """Return the corners of [-1, 1]^k with all, or all but one, signs equal, 0 and the axes."""
    corners = [np.ones(dimension), -np.ones(dimension), np.zeros(dimension)]
    if dimension == 1:
        return corners
    alternating = np.where(np.arange(dimension) % 2 == 0, 1.0, -1.0)
    corners += [alternating, -alternating]
    # evenly spread axes if there are too many
    shown = np.unique(np.linspace(0, dimension - 1, LANDMARKS // 8).astype(int))
    for axis in np.eye(dimension)[shown]:
        corners += [axis, -axis, 2 * axis - 1, 1 - 2 * axis]
    return corners


def _index(point: FloatArray, count: int) -> int:
    """Return which of ``count`` equal parts of [-1, 1] holds the point."""
    unit = (float(np.clip(point[0], -1, 1)) + 1) / 2
    return min(int(unit * count), count - 1)


def _centre(index: int, count: int) -> FloatArray:
    """Return the middle of one of ``count`` equal parts of [-1, 1]."""
    return np.array([(2 * index + 1) / count - 1])


def _spread(count: int) -> list[int]:
    """Return at most :data:`LANDMARKS` of the indices 0..count-1: all, or evenly spread ones."""
    if count <= LANDMARKS:
        return list(range(count))
    return [int(index) for index in np.linspace(0, count - 1, LANDMARKS).astype(int)]


@dataclass(frozen=True)
class Box(Domain):
    """Arrays with every entry in [low, high]. ``shape=()`` is a scalar."""

    shape: tuple[int, ...]
    low: float
    high: float

    def __post_init__(self) -> None:
        if not -math.inf < self.low <= self.high < math.inf:
            raise InputError(
                f"a box needs finite low <= high, got {self.low!r} and {self.high!r}; "
                "Everything(shape) is the domain without bounds"
            )

    @property
    def parameters(self) -> int:
        return int(np.prod(self.shape))

    def decode(self, point: FloatArray) -> FloatArray:
        unit = (np.clip(point, -1, 1) + 1) / 2
        # exact at both ends, and never outside by rounding
        inside = np.clip(self.low * (1 - unit) + self.high * unit, self.low, self.high)
        return np.asarray(inside).reshape(self.shape)

    def encode(self, record: Any) -> FloatArray:
        width = self.high - self.low
        unit = (np.asarray(record, dtype=np.float64).ravel() - self.low) / (width or 1.0)
        return np.asarray(np.clip(2 * unit - 1, -1, 1))

    def landmarks(self) -> list[Any]:
        inside = [x for x in (0.0, 1.0, -1.0) if self.low < x < self.high]
        return super().landmarks() + [np.full(self.shape, x) for x in inside]

    def strategy(self) -> st.SearchStrategy[Any]:
        elements = st.floats(self.low, self.high) | st.sampled_from([self.low, self.high])
        return hnp.arrays(np.float64, self.shape, elements=elements)


@dataclass(frozen=True)
class Everything(Domain):
    """Arrays of any finite real numbers; the search is logarithmic in magnitude."""

    shape: tuple[int, ...]
    largest: float = HUGE

    @property
    def parameters(self) -> int:
        return int(np.prod(self.shape))

    def decode(self, point: FloatArray) -> FloatArray:
        # x -> sinh(c x) covers every scale from 0 to the largest magnitude
        reach = np.arcsinh(self.largest)
        return np.asarray(np.sinh(np.clip(point, -1, 1) * reach)).reshape(self.shape)

    def encode(self, record: Any) -> FloatArray:
        flat = np.asarray(record, dtype=np.float64).ravel()
        return np.asarray(np.clip(np.arcsinh(flat) / np.arcsinh(self.largest), -1, 1))

    def landmarks(self) -> list[Any]:
        return super().landmarks() + [np.full(self.shape, x) for x in (1.0, -1.0)]

    def strategy(self) -> st.SearchStrategy[Any]:
        extremes = st.sampled_from([0.0, 1.0, -1.0, self.largest, -self.largest, 1e-300, 5e-324])
        elements = st.floats(-self.largest, self.largest) | extremes
        return hnp.arrays(np.float64, self.shape, elements=elements)


@dataclass(frozen=True)
class Ball(Domain):
    """Vectors whose l2 norm (or l1, ``norm=1``, or linf, ``norm=math.inf``) is <= ``radius``."""

    dimension: int
    radius: float
    norm: float = 2.0

    def __post_init__(self) -> None:
        if self.dimension < 1 or not 0 < self.radius < math.inf:
            raise InputError(
                "a ball needs dimension >= 1 and a finite radius > 0, got "
                f"{self.dimension!r} and {self.radius!r}"
            )
        if self.norm not in (1, 2, math.inf):
            raise InputError(f"norm must be 1, 2 or math.inf, got {self.norm!r}")

    @property
    def parameters(self) -> int:
        return self.dimension

    def decode(self, point: FloatArray) -> FloatArray:
        # the cube covers the ball; outside points are pulled onto the sphere
        vector = np.clip(point, -1, 1) * self.radius
        norm = float(np.linalg.norm(vector, self.norm))
        return vector if norm <= self.radius else vector * (self.radius / norm * INSIDE)

    def encode(self, record: Any) -> FloatArray:
        return np.asarray(record, dtype=np.float64) / self.radius

    def strategy(self) -> st.SearchStrategy[Any]:
        cube = hnp.arrays(np.float64, (self.dimension,), elements=st.floats(-1, 1))
        axes = st.integers(0, self.dimension - 1).flatmap(
            lambda j: st.sampled_from([1.0, -1.0]).map(lambda s: s * np.eye(self.dimension)[j])
        )
        return (cube | axes).map(self.decode)


@dataclass(frozen=True)
class Integers(Domain):
    """Arrays of integers in {low, ..., high} (binary: 0, 1), stored as floats."""

    shape: tuple[int, ...]
    low: int = 0
    high: int = 1

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise InputError(f"integers need low <= high, got {self.low!r} and {self.high!r}")

    @property
    def parameters(self) -> int:
        return int(np.prod(self.shape))

    def decode(self, point: FloatArray) -> FloatArray:
        unit = (np.clip(point, -1, 1) + 1) / 2
        steps = np.minimum(np.floor(unit * (self.high - self.low + 1)), self.high - self.low)
        return np.asarray(self.low + steps).reshape(self.shape)

    def encode(self, record: Any) -> FloatArray:
        steps = np.asarray(record, dtype=np.float64).ravel() - self.low
        return np.asarray((2 * steps + 1) / (self.high - self.low + 1) - 1)

    def landmarks(self) -> list[Any]:
        if self.parameters > 1:
            return super().landmarks()
        values = (self.low + index for index in _spread(self.high - self.low + 1))
        return [np.full(self.shape, float(value)) for value in values]

    def strategy(self) -> st.SearchStrategy[Any]:
        elements = st.integers(self.low, self.high).map(float)
        return hnp.arrays(np.float64, self.shape, elements=elements)


@dataclass(frozen=True)
class Choice(Domain):
    """One value out of a few: the labels -1 and 1, categories, or any objects.

    Records that are numbers or strings make arrays, any other values lists.
    """

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        if len(self.values) == 0:
            raise InputError("a choice needs at least one value")

    @property
    def parameters(self) -> int:
        return 1

    @property
    def _plain(self) -> bool:
        numbers = all(isinstance(value, (bool, int, float, np.number)) for value in self.values)
        return numbers or all(isinstance(value, str) for value in self.values)

    def _record(self, index: int) -> Any:
        return np.asarray(self.values[index]) if self._plain else self.values[index]

    def decode(self, point: FloatArray) -> Any:
        return self._record(_index(point, len(self.values)))

    def encode(self, record: Any) -> FloatArray:
        same = (same_value(value, bare(record)) for value in self.values)
        return _centre(list(same).index(True), len(self.values))

    def landmarks(self) -> list[Any]:
        return [self._record(index) for index in _spread(len(self.values))]

    def data_set(self, records: Sequence[Any]) -> Any:
        return stack_records(list(records)) if self._plain else list(records)

    def strategy(self) -> st.SearchStrategy[Any]:
        return st.integers(0, len(self.values) - 1).map(self._record)


@dataclass(frozen=True)
class Counts(Domain):
    """Vectors of counts: every record is the number of a cell, a data set counts the records.

    Neighbours differ by one in one cell (add/remove-one), or by one record that moved from a cell
    to another (replace-one).

    Parameters
    ----------
    cells : int
    total : int
        Sum of the counts of a data set.
    """

    cells: int
    total: int = 10

    def __post_init__(self) -> None:
        if self.cells < 1 or self.total < 1:
            raise InputError(
                f"counts need at least one cell and one record, got {self.cells!r} cells and "
                f"total {self.total!r}"
            )

    @property
    def parameters(self) -> int:
        return 1

    @property
    def size(self) -> int:
        return self.total

    def decode(self, point: FloatArray) -> int:
        return _index(point, self.cells)

    def encode(self, record: int) -> FloatArray:
        return _centre(record, self.cells)

    def landmarks(self) -> list[Any]:
        return _spread(self.cells)

    def data_set(self, records: Sequence[int]) -> NDArray[np.int64]:
        return np.bincount(np.asarray(records, dtype=np.int64), minlength=self.cells)

    def strategy(self) -> st.SearchStrategy[int]:
        return st.integers(0, self.cells - 1)


@dataclass(frozen=True, eq=False)
class Table(Domain):
    """A real table: an array, a list, a pandas DataFrame or a tuple of arrays (axis 0 = rows).

    Every record is the number of a row, and a data set is made of rows: all of them in their
    order if nobody says how many records a data set has. Neighbours lack a row, or have another
    row of the table in its place. The rows of a DataFrame are numbered anew.
    """

    rows: Any

    def __post_init__(self) -> None:
        if not isinstance(self.rows, (np.ndarray, list, tuple)) and not is_frame(self.rows):
            raise InputError(
                "a table must be an array, a list, a pandas DataFrame or a tuple of arrays, got "
                f"{type(self.rows).__name__}"
            )
        if isinstance(self.rows, tuple) and len({len(part) for part in self.rows}) != 1:
            raise InputError("the parts of a table must have equally many rows")
        if self.size < 1:
            raise InputError("a table needs at least one row")

    @property
    def parameters(self) -> int:
        return 1

    @property
    def size(self) -> int:
        return n_records(self.rows)

    def decode(self, point: FloatArray) -> int:
        return _index(point, self.size)

    def encode(self, record: int) -> FloatArray:
        return _centre(record, self.size)

    def landmarks(self) -> list[Any]:
        """Return the rows with the smallest and largest entries, and evenly spread ones."""
        extreme: dict[int, None] = {}
        for column in self._numbers():
            extreme |= dict.fromkeys((int(np.argmax(column)), int(np.argmin(column))))
        return list(dict.fromkeys([*extreme, *_spread(self.size)]))[:LANDMARKS]

    def _numbers(self) -> list[FloatArray]:
        """Return the columns of numbers without NaN."""
        if is_frame(self.rows):
            parts = [self.rows[name].to_numpy() for name in self.rows.columns]
        else:
            parts = list(self.rows) if isinstance(self.rows, tuple) else [self.rows]
        columns = []
        for part in parts:
            array = np.asarray(part) if isinstance(part, np.ndarray) else _as_numbers(part)
            if array.dtype.kind in "biuf":
                columns += list(array.reshape(self.size, -1).T.astype(np.float64))
        return [column for column in columns if not np.isnan(column).any()]

    def data_set(self, records: Sequence[int]) -> Any:
        return _take(self.rows, np.asarray(records, dtype=np.int64))

    def strategy(self) -> st.SearchStrategy[int]:
        return st.integers(0, self.size - 1)


def is_frame(data: Any) -> bool:
    """Return whether ``data`` is a pandas DataFrame, without loading pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _as_numbers(rows: Any) -> NDArray[Any]:
    """Return a list of numbers, or of rows of numbers, as an array; else an array of objects."""
    try:
        return np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(len(rows), dtype=object)


def _take(rows: Any, numbers: NDArray[np.int64]) -> Any:
    """Return a new data set made of the rows with these numbers."""
    if isinstance(rows, tuple):
        return tuple(_take(part, numbers) for part in rows)
    if isinstance(rows, np.ndarray):
        return rows[numbers]
    if is_frame(rows):
        return rows.iloc[numbers].reset_index(drop=True)
    return [rows[number] for number in numbers]


@dataclass(frozen=True)
class Product(Domain):
    """Records with several parts, e.g. (x, y): one domain each."""

    parts: tuple[Domain, ...]

    @property
    def parameters(self) -> int:
        return sum(part.parameters for part in self.parts)

    def decode(self, point: FloatArray) -> tuple[Any, ...]:
        cuts = np.cumsum([part.parameters for part in self.parts])[:-1]
        pieces = np.split(np.asarray(point), cuts)
        return tuple(part.decode(piece) for part, piece in zip(self.parts, pieces, strict=True))

    def encode(self, record: tuple[Any, ...]) -> FloatArray:
        pieces = (part.encode(piece) for part, piece in zip(self.parts, record, strict=True))
        return np.concatenate(list(pieces))

    def landmarks(self) -> list[Any]:
        """Return records whose parts are the i-th landmarks, or the first ones but for one part."""
        each = [part.landmarks() for part in self.parts]
        orders = [tuple(i % len(m) for m in each) for i in range(max(map(len, each)))]
        for part, marks in enumerate(each):
            orders += [
                (0,) * part + (i,) + (0,) * (len(each) - part - 1) for i in range(len(marks))
            ]
        kept = list(dict.fromkeys(orders))[:LANDMARKS]
        return [tuple(m[i] for m, i in zip(each, order, strict=True)) for order in kept]

    def data_set(self, records: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        pieces = zip(*records, strict=True)
        return tuple(part.data_set(piece) for part, piece in zip(self.parts, pieces, strict=True))

    def strategy(self) -> st.SearchStrategy[Any]:
        return st.tuples(*(part.strategy() for part in self.parts))


# ------------------------------------------------------------------------------ data sets


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


def n_records(data: Any) -> int:
    """Return the number of records."""
    return len(data[0]) if isinstance(data, tuple) else len(data)


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


def bare(record: Any) -> Any:
    """Return a record as its user would write it: a number or a string instead of a 0-d array."""
    if isinstance(record, tuple):
        return tuple(bare(part) for part in record)
    return record.item() if isinstance(record, np.ndarray) and record.ndim == 0 else record


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
    except (TypeError, ValueError):  # e.g. a comparison that gives no single truth value
        return False


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


RelationName = Literal["replace", "add-remove"]


def as_relation(relation: Relation | str) -> Relation:
    """Return a relation given by its name: "replace" or "add-remove", or as it is written.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    named = {"replace": Relation.REPLACE_ONE, "add-remove": Relation.ADD_OR_REMOVE_ONE}
    if isinstance(relation, Relation):
        return relation
    for name, known in named.items():
        if relation in (name, known.value):
            return known
    raise InputError(f"relation must be 'replace' or 'add-remove', got {relation!r}")


@dataclass(frozen=True)
class Neighbourhood:
    """Which pairs are neighbours: where records lie, how many, and how two data sets differ.

    Parameters
    ----------
    domain : Domain or SearchStrategy
        With a Hypothesis strategy of records of any type, a data set is a list.
    n : int, optional
        Number of records. Without it a data set is one bare record, as in the local model (one
        user, two inputs); but all rows of a :class:`Table`, and the total of :class:`Counts`.
    relation : Relation

    Raises
    ------
    InputError
        For what is no domain or no number of records.
    """

    domain: Domain | st.SearchStrategy[Any]
    n: int | None = None
    relation: Relation = Relation.REPLACE_ONE

    def __post_init__(self) -> None:
        if not isinstance(self.domain, (Domain, st.SearchStrategy)):
            raise InputError(
                "a domain must be one of auditor.core.neighbours or a Hypothesis strategy of "
                f"records, got {type(self.domain).__name__}"
            )
        try:
            if self.n is not None:
                require_count("n", self.n)
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from None

    @property
    def _default_size(self) -> int | None:
        return self.domain.size if isinstance(self.domain, Domain) else None

    @property
    def records(self) -> int:
        """Number of records of the larger data set."""
        return self.n or self._default_size or 1

    def whole(self) -> list[Any] | None:
        """Return the records of every larger data set, if there is no choice."""
        whole_table = isinstance(self.domain, Table) and self.n is None
        return list(range(self.records)) if whole_table else None

    def strategy(self) -> st.SearchStrategy[Any]:
        """Return a Hypothesis strategy for records."""
        return self.domain.strategy() if isinstance(self.domain, Domain) else self.domain

    def pair(self, records: list[Any], index: int, new: Any = None) -> tuple[Any, Any]:
        """Return the data set of ``records``, and the one without or with another record ``index``.

        Raises
        ------
        InputError
            If the second data set would be empty.
        """
        replaced = self.relation is Relation.REPLACE_ONE
        if not replaced and len(records) < 2:
            raise InputError("add/remove-one needs at least two records, got n=1")
        if self.n is None and self._default_size is None:
            return bare(records[0]), bare(new)
        other = [*records[:index], *([new] if replaced else []), *records[index + 1 :]]
        return self._data_set(records), self._data_set(other)

    def _data_set(self, records: list[Any]) -> Any:
        return self.domain.data_set(records) if isinstance(self.domain, Domain) else list(records)


def neighbours(
    domain: Domain | st.SearchStrategy[Any],
    *,
    n: int | None = None,
    relation: Relation | RelationName = Relation.REPLACE_ONE,
    model: Model = Model.CENTRAL,
) -> st.SearchStrategy[tuple[Any, Any]]:
    """Return a Hypothesis strategy for pairs of neighbouring data sets of ``n`` records.

    Parameters
    ----------
    domain : Domain or SearchStrategy
        Where every record lies. With a strategy of records of any type a data set is a list.
    n : int, optional
        Number of records. Without it a data set is one bare record, as in the local model (one
        user, two inputs); but all rows of a :class:`Table`, and the total of :class:`Counts`.
    relation : Relation, "replace" or "add-remove"
        Replace-one, or add/remove-one (the second data set then has n - 1 records).
    model : Model
        With ``Model.LOCAL_ATTRIBUTE`` the replaced record keeps all attributes but one.

    Raises
    ------
    InputError
        When the strategy is made, for what is no domain, number of records or relation.
    ValueError
        When it is drawn from, for add/remove-one with fewer than two records.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(neighbours(Box((2,), 0.0, 1.0), n=3))
    ... def check(pair):
    ...     assert len(differing_records(*pair)) <= 1
    >>> check()
    """
    return _pairs_of(Neighbourhood(domain, n, as_relation(relation)), model)


@st.composite
def _pairs_of(draw: st.DrawFn, setting: Neighbourhood, model: Model) -> tuple[Any, Any]:
    records = setting.whole()
    if records is None:
        records = [draw(setting.strategy()) for _ in range(setting.records)]
    index = draw(st.integers(0, len(records) - 1))
    if setting.relation is Relation.ADD_OR_REMOVE_ONE:
        return setting.pair(records, index)
    new = draw(setting.strategy())
    if model is Model.LOCAL_ATTRIBUTE:
        size = sum(np.size(part) for part in (new if isinstance(new, tuple) else (new,)))
        new = with_one_attribute(records[index], new, draw(st.integers(0, size - 1)))
    return setting.pair(records, index, new)


def stack_records(records: list[Any]) -> Any:
    """Return the data set made of ``records``, all of the same domain."""
    if isinstance(records[0], tuple):
        return tuple(np.stack(parts) for parts in zip(*records, strict=True))
    return np.stack(records)


def random_records(domain: Domain, n: int, rng: np.random.Generator) -> Any:
    """Return ``n`` records at uniformly drawn search points of ``domain``."""
    points = rng.uniform(-1, 1, (n, domain.parameters))
    return domain.data_set([domain.decode(point) for point in points])


# ------------------------------------------------------------------------------ directed search

Objective = Callable[[Any, Any, int], float]
"""``objective(old, new, variation)``: how bad it is to replace record ``old`` by ``new``.

``variation`` in [0, VARIATIONS) selects everything else (the other records, the seed of the
ledger); 0 is the situation as given.
"""

VARIATIONS = 100
_GRID = 64
"""Hypothesis draws every coordinate in [-1, 1] as a multiple of 1/64."""


@dataclass(frozen=True)
class WorstPair:
    """What :func:`search_worst_pair` found.

    Attributes
    ----------
    value : float
        Largest value of the objective (-infinity if there was none).
    old, new : Any
        The two records.
    variation : int
    traces : dict
        ``"hypothesis"`` and ``"scipy"``: largest value so far, of both, after every evaluation.
    """

    value: float
    old: Any
    new: Any
    variation: int
    traces: dict[str, list[float]]

    @property
    def evaluations(self) -> int:
        """Number of times the objective was evaluated."""
        return sum(len(trace) for trace in self.traces.values())


def search_worst_pair(
    objective: Objective,
    domain: Domain,
    *,
    seed: int | np.random.SeedSequence,
    examples: int = 60,
    evaluations: int = 120,
) -> WorstPair:
    """Search two records of ``domain`` for the largest value of ``objective``.

    First Hypothesis, which likes extremes and hill-climbs by ``hypothesis.target``; then, from
    what it found, differential evolution and (in few dimensions) Nelder-Mead from scipy.

    Parameters
    ----------
    objective : callable
        See :data:`Objective`; deterministic. NaN counts as minus infinity.
    domain : Domain
    seed : int or SeedSequence
        The same seed gives the same search, in any process.
    examples, evaluations : int
        Budgets of the two methods, each >= 1; the second may be exceeded by one generation.

    Examples
    --------
    Two points of the unit ball, as far apart as possible:

    >>> far = lambda old, new, variation: float(np.linalg.norm(old - new))
    >>> found = search_worst_pair(far, Ball(2, 1.0), seed=0)
    >>> round(found.value, 3)
    2.0
    """
    require_count("examples", examples)
    require_count("evaluations", evaluations)
    sequence = np.random.SeedSequence(seed) if isinstance(seed, int) else seed
    search = _Search(objective, domain)
    rng = np.random.default_rng(sequence)
    search.by_hypothesis(int(rng.integers(2**63)), examples)
    search.by_scipy(rng, evaluations)
    old, new = search.records(search.point)
    return WorstPair(search.best, old, new, search.variation, search.traces)


class _Search:
    """The best candidate so far, in search coordinates: two records side by side."""

    def __init__(self, objective: Objective, domain: Domain) -> None:
        self._objective = objective
        self._domain = domain
        self.dimension = 2 * domain.parameters
        self.best = -math.inf
        self.point = np.zeros(self.dimension)
        self.variation = 0
        self.traces: dict[str, list[float]] = {"hypothesis": [], "scipy": []}

    def records(self, point: FloatArray) -> tuple[Any, Any]:
        old, new = np.split(point, 2)
        return self._domain.decode(old), self._domain.decode(new)

    def evaluate(self, method: str, point: FloatArray, variation: int) -> float:
        value = float(self._objective(*self.records(point), variation))
        if math.isnan(value):
            value = -math.inf
        if value > self.best:
            self.best, self.point, self.variation = value, np.array(point), variation
        self.traces[method].append(self.best)
        return value

    def by_hypothesis(self, seed: int, examples: int) -> None:
        # Integers below 100 on purpose: Hypothesis mixes larger constants, and floats, that it
        # finds in the source of whatever modules are loaded into what it draws, which would make
        # the search depend on the process.
        coordinate = st.sampled_from([-_GRID, _GRID]) | st.integers(-_GRID, _GRID)
        points = st.tuples(*[coordinate] * self.dimension)

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.target),
            suppress_health_check=list(hypothesis.HealthCheck),
            verbosity=hypothesis.Verbosity.quiet,
        )
        @hypothesis.given(points, st.integers(0, VARIATIONS - 1))
        def attempt(point: tuple[int, ...], variation: int) -> None:
            value = self.evaluate("hypothesis", np.array(point) / _GRID, variation)
            hypothesis.target(_finite(value), label="objective")

        attempt()

    def by_scipy(self, rng: np.random.Generator, evaluations: int) -> None:
        variation = self.variation

        def loss(point: FloatArray) -> float:
            return -_finite(self.evaluate("scipy", np.clip(point, -1, 1), variation))

        polish = evaluations // 3 if self.dimension <= 12 else 0
        size = min(20, max(5, (evaluations - polish) // 6))
        # half of the population are opposite corners: the extremes of most bounded queries
        corners = rng.choice([-1.0, 1.0], (size // 2, self.dimension // 2))
        population = rng.uniform(-1, 1, (size, self.dimension))
        population[: size // 2] = np.hstack([corners, -corners])
        population[-1] = self.point
        optimize.differential_evolution(
            loss,
            optimize.Bounds(-np.ones(self.dimension), np.ones(self.dimension)),
            init=population,
            maxiter=max(0, (evaluations - polish) // size - 1),
            # a flat objective is not convergence
            tol=0.0,
            atol=-1.0,
            polish=False,
            rng=rng,
        )
        if polish:
            # a simplex that leaves the best point inwards
            steps = np.where(self.point > 0, -0.1, 0.1) * np.eye(self.dimension)
            optimize.minimize(
                loss,
                self.point,
                method="Nelder-Mead",
                options={
                    "maxfev": polish,
                    "initial_simplex": np.vstack([self.point, self.point + steps]),
                },
            )


def _finite(value: float) -> float:
    """Clamp an objective for optimisers that refuse infinities, and square what they get."""
    return min(max(value, -1e150), 1e150)
