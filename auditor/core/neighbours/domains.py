"""Domains of records: sets of values that can be searched and drawn from."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from auditor.core.errors import InputError
from auditor.core.neighbours.records import (
    as_numbers,
    bare,
    is_frame,
    n_records,
    same_value,
    stack_records,
    take_records,
    values_in,
)
from reference._validation import FloatArray

HUGE = 1e12
"""Largest magnitude the optimiser tries where a domain is unbounded."""
INSIDE = 1 - 1e-12
"""Points pulled onto a sphere stay inside it, in whatever order somebody adds up their norm."""
LANDMARKS = 60
"""Approximate number of records that are worth trying first."""


class Domain(ABC):
    """The values one record may take.

    Attributes
    ----------
    real : bool
        Whether its records are somebody's, which no message may quote.
    """

    real = False

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

    @property
    def width(self) -> int:
        """Number of numbers, or other values, in a record of a data set."""
        return self.parameters

    def landmarks(self) -> list[Any]:
        """Return records worth trying first: extremes, and values at which programs branch."""
        return [self.decode(point) for point in _corners(self.parameters)]

    def reaches(self) -> list[tuple[Any, Any]]:
        """Return pairs of records at 1, 10, 100, ... times the unit where the domain has no bound.

        The first of a pair is minus a tenth of the second: neither a bound on one side alone, nor
        a statistic that is blind to signs, hides how far the second moves it. Empty for bounded
        domains, of which somebody says that no record lies outside.
        """
        return []

    def data_set(self, records: Sequence[Any]) -> Any:
        """Return the data set made of ``records``."""
        return stack_records(list(records))

    def data_set_at(self, points: FloatArray) -> Any:
        """Return the data set of the records that the rows of ``points`` decode to."""
        return self.data_set([self.decode(point) for point in points])


def _corners(dimension: int) -> list[FloatArray]:
    """Return the corners of [-1, 1]^k with all, or all but one, signs equal, 0 and the axes."""
    corners = [np.ones(dimension), -np.ones(dimension), np.zeros(dimension)]
    if dimension == 1:
        return corners
    alternating = np.where(np.arange(dimension) % 2 == 0, 1.0, -1.0)
    corners += [alternating, -alternating]
    # evenly spread axes if there are too many
    shown = np.unique(np.linspace(0, dimension - 1, LANDMARKS // 8).astype(int))
    for axis in (_axis(index, dimension) for index in shown.tolist()):
        corners += [axis, -axis, 2 * axis - 1, 1 - 2 * axis]
    return corners


def _axis(index: int, dimension: int) -> FloatArray:
    """Return a unit vector."""
    axis = np.zeros(dimension)
    axis[index] = 1.0
    return axis


def _spread(count: int) -> list[int]:
    """Return at most :data:`LANDMARKS` of the indices 0..count-1: all, or evenly spread ones."""
    if count <= LANDMARKS:
        return list(range(count))
    return [int(index) for index in np.linspace(0, count - 1, LANDMARKS).astype(int)]


class _Arrays(Domain):
    """Arrays of one shape, with a search parameter for every entry."""

    shape: tuple[int, ...]

    @property
    def parameters(self) -> int:
        return int(np.prod(self.shape))


class _Numbered(Domain):
    """Records that are numbered: parts of [-1, 1], of equal length, stand for the numbers."""

    parameters = 1

    @property
    @abstractmethod
    def _count(self) -> int:
        """Number of records."""

    def _record(self, index: int) -> Any:
        """Return the record with a number; by default the number is the record."""
        return index

    def _number(self, record: Any) -> int:
        """Return the number of a record."""
        return int(record)

    def decode(self, point: FloatArray) -> Any:
        unit = (float(np.clip(point[0], -1, 1)) + 1) / 2
        return self._record(min(int(unit * self._count), self._count - 1))

    def encode(self, record: Any) -> FloatArray:
        return np.array([(2 * self._number(record) + 1) / self._count - 1])

    def landmarks(self) -> list[Any]:
        return [self._record(index) for index in _spread(self._count)]

    def strategy(self) -> st.SearchStrategy[Any]:
        return st.integers(0, self._count - 1).map(self._record)


@dataclass(frozen=True)
class Box(_Arrays):
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
class Everything(_Arrays):
    """Arrays of any finite real numbers; the search is logarithmic in magnitude."""

    shape: tuple[int, ...]
    largest: float = HUGE

    def decode(self, point: FloatArray) -> FloatArray:
        # x -> sinh(c x) covers every scale from 0 to the largest magnitude
        reach = np.arcsinh(self.largest)
        return np.asarray(np.sinh(np.clip(point, -1, 1) * reach)).reshape(self.shape)

    def encode(self, record: Any) -> FloatArray:
        flat = np.asarray(record, dtype=np.float64).ravel()
        return np.asarray(np.clip(np.arcsinh(flat) / np.arcsinh(self.largest), -1, 1))

    def landmarks(self) -> list[Any]:
        return super().landmarks() + [np.full(self.shape, x) for x in (1.0, -1.0)]

    def reaches(self) -> list[tuple[Any, Any]]:
        scales = 10.0 ** np.arange(math.floor(math.log10(self.largest) + 1e-9) + 1)
        return [(np.full(self.shape, -x / 10), np.full(self.shape, x)) for x in scales]

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
        return np.asarray(self.data_set_at(np.asarray(point)[None])[0])

    def data_set_at(self, points: FloatArray) -> FloatArray:
        # the cube covers the ball; outside points are pulled onto the sphere
        vectors = np.clip(points, -1, 1) * self.radius
        norms = np.linalg.norm(vectors, self.norm, axis=1, keepdims=True)
        onto = np.where(
            norms > self.radius, self.radius * INSIDE / np.maximum(norms, self.radius), 1
        )
        return np.asarray(vectors * onto)

    def encode(self, record: Any) -> FloatArray:
        return np.asarray(record, dtype=np.float64) / self.radius

    def strategy(self) -> st.SearchStrategy[Any]:
        cube = hnp.arrays(np.float64, (self.dimension,), elements=st.floats(-1, 1))
        axes = st.integers(0, self.dimension - 1).flatmap(
            lambda j: st.sampled_from([1.0, -1.0]).map(lambda s: s * _axis(j, self.dimension))
        )
        return (cube | axes).map(self.decode)


@dataclass(frozen=True)
class Integers(_Arrays):
    """Arrays of integers in {low, ..., high} (binary: 0, 1), stored as floats."""

    shape: tuple[int, ...]
    low: int = 0
    high: int = 1

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise InputError(f"integers need low <= high, got {self.low!r} and {self.high!r}")

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
class Choice(_Numbered):
    """One value out of a few: the labels -1 and 1, categories, or any objects.

    Records that are numbers or strings make arrays, any other values lists.
    """

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        if len(self.values) == 0:
            raise InputError("a choice needs at least one value")

    @property
    def _count(self) -> int:
        return len(self.values)

    @property
    def _plain(self) -> bool:
        numbers = all(isinstance(value, (bool, int, float, np.number)) for value in self.values)
        return numbers or all(isinstance(value, str) for value in self.values)

    def _record(self, index: int) -> Any:
        return np.asarray(self.values[index]) if self._plain else self.values[index]

    def _number(self, record: Any) -> int:
        return [same_value(value, bare(record)) for value in self.values].index(True)

    def data_set(self, records: Sequence[Any]) -> Any:
        return stack_records(list(records)) if self._plain else list(records)


@dataclass(frozen=True)
class Counts(_Numbered):
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
    def _count(self) -> int:
        return self.cells

    @property
    def size(self) -> int:
        return self.total

    def data_set(self, records: Sequence[int]) -> NDArray[np.int64]:
        return np.bincount(np.asarray(records, dtype=np.int64), minlength=self.cells)


@dataclass(frozen=True, eq=False)
class Table(_Numbered):
    """A real table: an array, a list, a pandas DataFrame or a tuple of arrays (axis 0 = rows).

    Every record is the number of a row, and a data set is made of rows: all of them in their
    order if nobody says how many records a data set has. Neighbours lack a row, or have another
    row of the table in its place. The rows of a DataFrame are renumbered from 0.
    """

    rows: Any
    real = True

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
    def _count(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        return n_records(self.rows)

    @property
    def width(self) -> int:
        parts = self.rows if isinstance(self.rows, tuple) else (self.rows,)
        return sum(values_in(part) for part in parts) // self.size

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
            array = np.asarray(part) if isinstance(part, np.ndarray) else as_numbers(part)
            if array.dtype.kind in "biuf":
                columns += list(array.reshape(self.size, -1).T.astype(np.float64))
        return [column for column in columns if not np.isnan(column).any()]

    def data_set(self, records: Sequence[int]) -> Any:
        return take_records(self.rows, np.asarray(records, dtype=np.int64))


@dataclass(frozen=True)
class Product(Domain):
    """Records with several parts, e.g. (x, y): one domain each."""

    parts: tuple[Domain, ...]

    @property
    def real(self) -> bool:  # type: ignore[override]  # of a class attribute
        return any(part.real for part in self.parts)

    @property
    def parameters(self) -> int:
        return sum(part.parameters for part in self.parts)

    @property
    def width(self) -> int:
        return sum(part.width for part in self.parts)

    @property
    def _cuts(self) -> NDArray[np.int64]:
        return np.cumsum([part.parameters for part in self.parts])[:-1]

    def decode(self, point: FloatArray) -> tuple[Any, ...]:
        pieces = np.split(np.asarray(point), self._cuts)
        return tuple(part.decode(piece) for part, piece in zip(self.parts, pieces, strict=True))

    def data_set_at(self, points: FloatArray) -> tuple[Any, ...]:
        pieces = np.split(points, self._cuts, axis=1)
        return tuple(
            part.data_set_at(piece) for part, piece in zip(self.parts, pieces, strict=True)
        )

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

    def reaches(self) -> list[tuple[Any, Any]]:
        """Return pairs whose unbounded parts reach further and further, the others as they were."""
        if not any(part.reaches() for part in self.parts):
            return []
        ways = [part.reaches() or [(part.landmarks()[0],) * 2] for part in self.parts]
        steps = [
            [way[min(step, len(way) - 1)] for way in ways] for step in range(max(map(len, ways)))
        ]
        return [(tuple(one for one, _ in pair), tuple(two for _, two in pair)) for pair in steps]

    def data_set(self, records: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        pieces = zip(*records, strict=True)
        return tuple(part.data_set(piece) for part, piece in zip(self.parts, pieces, strict=True))

    def strategy(self) -> st.SearchStrategy[Any]:
        return st.tuples(*(part.strategy() for part in self.parts))


def random_records(domain: Domain, n: int, rng: np.random.Generator) -> Any:
    """Return ``n`` records at uniformly drawn search points of ``domain``."""
    return domain.data_set_at(rng.uniform(-1, 1, (n, domain.parameters)))
