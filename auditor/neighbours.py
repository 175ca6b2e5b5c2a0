"""Neighbouring data sets: where a record may lie, and how two data sets may differ.

A :class:`Domain` is the set of values one record may take. It can be searched in two ways: by
Hypothesis (:meth:`Domain.strategy`) and by an optimiser in [-1, 1]^k (:meth:`Domain.decode`).
Both reach the boundary and, where the domain is unbounded, huge values.

:func:`neighbours` is a Hypothesis strategy for pairs of data sets that differ as a privacy claim
allows; :func:`search_worst_pair` looks for the two records that make an objective largest.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy import optimize

from reference._validation import require_count
from reference.privacy.guarantees import Model, Relation

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
class Choice(Domain):
    """One number out of a few, e.g. the labels -1 and 1."""

    values: tuple[float, ...]

    @property
    def parameters(self) -> int:
        return 1

    def decode(self, point: FloatArray) -> FloatArray:
        unit = (float(np.clip(point[0], -1, 1)) + 1) / 2
        return np.asarray(self.values[min(int(unit * len(self.values)), len(self.values) - 1)])

    def strategy(self) -> st.SearchStrategy[Any]:
        return st.sampled_from(self.values).map(np.asarray)


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


def differing_records(data: Any, other: Any) -> list[int]:
    """Return the indices of the records in which two data sets of equal size differ."""
    parts = zip(data, other, strict=True) if isinstance(data, tuple) else [(data, other)]
    differ = np.zeros(n_records(data), dtype=bool)
    for mine, theirs in parts:
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


@st.composite
def neighbours(
    draw: st.DrawFn,
    domain: Domain,
    *,
    n: int,
    relation: Relation = Relation.REPLACE_ONE,
    model: Model = Model.CENTRAL,
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
    model : Model
        With ``Model.LOCAL_ATTRIBUTE`` the replaced record keeps all attributes but one.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(neighbours(Box((2,), 0.0, 1.0), n=3))
    ... def check(pair):
    ...     assert len(differing_records(*pair)) <= 1
    >>> check()
    """
    records = [draw(domain.strategy()) for _ in range(n)]
    index = draw(st.integers(0, n - 1))
    data = stack_records(records)
    if relation is Relation.ADD_OR_REMOVE_ONE:
        if n < 2:
            raise ValueError("add/remove-one needs at least two records, got n=1")
        return data, remove_record(data, index)
    new = draw(domain.strategy())
    if model is Model.LOCAL_ATTRIBUTE:
        size = sum(np.size(part) for part in (new if isinstance(new, tuple) else (new,)))
        new = with_one_attribute(records[index], new, draw(st.integers(0, size - 1)))
    return data, replace_record(data, index, new)


def stack_records(records: list[Any]) -> Any:
    """Return the data set made of ``records``, all of the same domain."""
    if isinstance(records[0], tuple):
        return tuple(np.stack(parts) for parts in zip(*records, strict=True))
    return np.stack(records)


def random_records(domain: Domain, n: int, rng: np.random.Generator) -> Any:
    """Return ``n`` records at uniformly drawn search points of ``domain``."""
    points = rng.uniform(-1, 1, (n, domain.parameters))
    return stack_records([domain.decode(point) for point in points])


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
