"""Neighbouring data sets: where a record may lie, and how two data sets may differ.

A :class:`Domain` is the set of values one record may take. It can be searched in two ways: by
Hypothesis (:meth:`Domain.strategy`) and by an optimiser in [-1, 1]^k (:meth:`Domain.decode`).
Both reach the boundary and, where the domain is unbounded, huge values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from reference.privacy.guarantees import Relation

FloatArray = NDArray[np.float64]
HUGE = 1e12
"""Largest magnitude the optimiser tries where a domain is unbounded."""


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
    def strategy(self) -> st.SearchStrategy[Any]:
        """Return a Hypothesis strategy for records."""


@dataclass(frozen=True)
class Box(Domain):
    """Arrays with every entry in [low, high]. ``shape=()`` is a scalar."""

    shape: tuple[int, ...]
    low: float
    high: float

    @property
    def parameters(self) -> int:
        return int(np.prod(self.shape))

    def decode(self, point: FloatArray) -> FloatArray:
        unit = (np.clip(point, -1, 1) + 1) / 2
        return np.asarray(self.low + unit * (self.high - self.low)).reshape(self.shape)

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

    def strategy(self) -> st.SearchStrategy[Any]:
        extremes = st.sampled_from([0.0, 1.0, -1.0, self.largest, -self.largest, 1e-300])
        elements = st.floats(-self.largest, self.largest) | extremes
        return hnp.arrays(np.float64, self.shape, elements=elements)


@dataclass(frozen=True)
class Ball(Domain):
    """Vectors of l2 norm at most ``radius``."""

    dimension: int
    radius: float

    @property
    def parameters(self) -> int:
        return self.dimension

    def decode(self, point: FloatArray) -> FloatArray:
        # the cube covers the ball; outside points are pulled onto the sphere
        vector = np.asarray(point, dtype=np.float64) * self.radius
        norm = float(np.linalg.norm(vector))
        return vector if norm <= self.radius else vector * (self.radius / norm)

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

    @property
    def parameters(self) -> int:
        return int(np.prod(self.shape))

    def decode(self, point: FloatArray) -> FloatArray:
        unit = (np.clip(point, -1, 1) + 1) / 2
        steps = np.minimum(np.floor(unit * (self.high - self.low + 1)), self.high - self.low)
        return np.asarray(self.low + steps).reshape(self.shape)

    def strategy(self) -> st.SearchStrategy[Any]:
        elements = st.integers(self.low, self.high).map(float)
        return hnp.arrays(np.float64, self.shape, elements=elements)


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


@st.composite
def neighbours(
    draw: st.DrawFn,
    domain: Domain,
    *,
    n: int,
    relation: Relation = Relation.REPLACE_ONE,
) -> tuple[Any, Any]:
    """Return a Hypothesis strategy for pairs of neighbouring data sets of ``n`` records.

    Parameters
    ----------
    domain : Domain
        Where every record lies.
    n : int
        Number of records; 1 gives the pairs of the local model (one user, two inputs).
    relation : Relation
        Replace-one, or add/remove-one (the second data set then has n - 1 records).
    """
    records = [draw(domain.strategy()) for _ in range(n)]
    index = draw(st.integers(0, n - 1))
    data = _stack(records)
    if relation is Relation.ADD_OR_REMOVE_ONE:
        if n < 2:
            raise ValueError("add/remove-one needs at least two records, got n=1")
        return data, remove_record(data, index)
    return data, replace_record(data, index, draw(domain.strategy()))


def _stack(records: list[Any]) -> Any:
    if isinstance(records[0], tuple):
        return tuple(np.stack(parts) for parts in zip(*records, strict=True))
    return np.stack(records)
