"""Pairs of data sets for a search to try: made of records, or drawn from a strategy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import hypothesis
import numpy as np
from hypothesis import strategies as st

from auditor.checking.check_options import DataPair
from auditor.checking.relations import require_neighbours
from auditor.core.errors import InputError, one_line, pass_interrupts
from auditor.core.neighbours import LANDMARKS, Domain, Neighbourhood, RelationName, same_value
from auditor.runs.clock import OutOfTime
from reference.privacy.guarantees import Relation

POOL = 60
"""Records drawn from a strategy of records."""


@dataclass(frozen=True)
class Genes:
    """The parts of a pair: the records of D, and the one that D' lacks or replaces."""

    records: list[Any]
    index: int
    new: Any


class Breeder:
    """Makes pairs of a neighbourhood: extremes, random ones, and changes of others."""

    def __init__(self, setting: Neighbourhood, rng: np.random.Generator) -> None:
        self._setting = setting
        self._rng = rng
        self._replaced = setting.relation is not Relation.ADD_OR_REMOVE_ONE
        self._whole = setting.whole()
        self._reaches: list[tuple[Any, Any]] = []
        self._origin: Any = None
        if isinstance(setting.domain, Domain):
            self._landmarks = setting.domain.landmarks()
            self._pool = self._landmarks
            self._reaches = setting.domain.reaches()
            self._origin = setting.domain.decode(np.zeros(setting.domain.parameters))
        else:
            self._pool = _drawn(setting.domain, POOL, seed=int(rng.integers(2**63)))
            self._landmarks = self._pool[:LANDMARKS]

    def pair(self, genes: Genes) -> DataPair:
        """Return the two data sets."""
        return self._setting.pair(genes.records, genes.index, genes.new)

    def first(self, count: int) -> Iterator[Genes]:
        """Return ``count`` pairs: two of three extreme if there are as many, the others random.

        Between the extreme ones are those of :meth:`_reaching`, in addition to ``count``.
        """
        extremes = list(itertools.islice(self._extremes(), 2 * count // 3))
        for both in itertools.zip_longest(self._reaching(), extremes):
            yield from (genes for genes in both if genes is not None)
        for _ in range(count - len(extremes)):
            yield self._random()

    def _reaching(self) -> Iterator[Genes]:
        """Return data sets at the origin but for a record that is further and further away."""
        others = [self._origin] * (self._setting.records - 1)
        for old, new in self._reaches:
            if self._replaced:
                yield Genes([old, *others], 0, new)
            else:
                yield Genes([new, *others], 0, None)

    def _extremes(self) -> Iterator[Genes]:
        """Return data sets whose records are all the same landmark but for one."""
        marks, n = self._landmarks, self._setting.records
        places = itertools.cycle((0, n - 1, n // 2))
        # (0, 1), (1, 2), ..., (0, 2), (1, 3), ...: every landmark has its turn early
        for distance in [*range(1, len(marks)), 0]:
            for first, place in zip(range(len(marks)), places, strict=False):
                old, new = marks[first], marks[(first + distance) % len(marks)]
                if self._whole is not None:
                    yield Genes(self._whole, old, new)
                elif self._replaced:
                    yield Genes([old] * n, place, new)
                else:
                    yield Genes([old] * place + [new] + [old] * (n - 1 - place), place, None)

    def _random(self) -> Genes:
        n = self._setting.records
        index = int(self._rng.integers(n))
        if self._whole is not None:
            return Genes(self._whole, index, self._record())
        old, new = (
            self._opposite() if self._rng.random() < 0.5 else (self._record(), self._record())
        )
        kind = self._rng.integers(3)
        if kind == 0:
            records = [self._record()] * n
        elif kind == 1:
            two = (self._record(), self._record())
            records = [two[i] for i in self._rng.integers(2, size=n)]
        else:
            records = [self._record() for _ in range(n)]
        records[index] = old
        return Genes(records, index, new)

    def _opposite(self) -> tuple[Any, Any]:
        """Return records at opposite corners, if the domain has corners."""
        domain = self._setting.domain
        if not isinstance(domain, Domain):
            return self._record(), self._record()
        corner = self._rng.choice([-1.0, 1.0], domain.parameters)
        return domain.decode(corner), domain.decode(-corner)

    def _record(self) -> Any:
        """Return a record: a landmark, or any."""
        if not isinstance(self._setting.domain, Domain):
            return self._chosen(self._pool)
        if self._rng.random() < 0.5:
            return self._chosen(self._landmarks)
        point = self._rng.uniform(-1, 1, self._setting.domain.parameters)
        return self._setting.domain.decode(point)

    def _chosen(self, options: list[Any]) -> Any:
        return options[int(self._rng.integers(len(options)))]

    def child(self, parents: list[Genes]) -> Genes:
        """Return a change of one of the pairs."""
        parent = self._chosen(parents)
        if self._whole is not None:
            n = len(self._whole)
            if n > 1 and (not self._replaced or self._rng.random() < 0.5):
                return Genes(self._whole, int(self._rng.integers(n)), parent.new)
            return Genes(self._whole, parent.index, self._changed(parent.new))
        records, index, new = list(parent.records), parent.index, parent.new
        n = len(records)
        change = self._chosen(["old", *["new", "apart"] * self._replaced, *["others"] * (n > 1)])
        if change == "old":
            records[index] = self._changed(records[index])
        elif change == "new":
            new = self._changed(new)
        elif change == "apart":
            records[index], new = self._apart(records[index], new)
        else:
            records, index = self._among_others(records, index, self._chosen(parents))
        return Genes(records, index, new)

    def _among_others(
        self, records: list[Any], index: int, another: Genes
    ) -> tuple[list[Any], int]:
        """Return the record ``index`` among other records, or in another place, and its place."""
        n, record = len(records), records[index]
        place = int(self._rng.integers(n))
        way = self._rng.integers(4)
        if way == 0:
            records[place] = self._changed(records[place])
        elif way == 1:
            records = [self._chosen([self._record(), record])] * n
        elif way == 2:
            records = list(another.records)
        else:
            records[index], index = records[place], place
        records[index] = record
        return records, index

    def _apart(self, old: Any, new: Any) -> tuple[Any, Any]:
        """Return two records moved to opposite ends in one coordinate."""
        domain = self._setting.domain
        if not isinstance(domain, Domain):
            return self._record(), self._record()
        one, two = np.array(domain.encode(old)), np.array(domain.encode(new))
        coordinate = int(self._rng.integers(one.size))
        one[coordinate] = self._chosen([-1.0, 1.0])
        two[coordinate] = -one[coordinate]
        return domain.decode(one), domain.decode(two)

    def _changed(self, record: Any) -> Any:
        """Return a record like another: one coordinate redrawn, all a little, or any record."""
        domain = self._setting.domain
        way = self._rng.integers(3)
        if way == 0 or not isinstance(domain, Domain):
            return self._record()
        point = np.array(domain.encode(record))
        if way == 1:
            value = self._chosen([-1.0, 0.0, 1.0, self._rng.uniform(-1, 1)])
            point[int(self._rng.integers(point.size))] = value
        else:
            point = point + self._rng.normal(0, self._chosen([0.03, 0.1, 0.3]), point.size)
        return domain.decode(np.clip(point, -1, 1))


# ------------------------------------------------------------------- what Hypothesis draws


def enter_drawn(
    enter: Callable[[Callable[[], DataPair]], None],
    pairs: st.SearchStrategy[DataPair],
    relation: Relation | RelationName | Literal["any"] | None,
    count: int,
    *,
    group: int,
    seed: int,
) -> None:
    """Enter pairs of a strategy.

    ``hypothesis.target`` is of no use here: the promises of a few runs are too noisy to climb.
    """

    def attempt(pair: Any) -> None:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError("a strategy of pairs must give two data sets, (D, D')")
        first, second = pair
        if same_value(first, second):
            return
        require_neighbours(first, second, relation, group=group)
        enter(lambda: (first, second))

    _for_each(pairs, attempt, count, seed=seed)


def _drawn(strategy: st.SearchStrategy[Any], count: int, *, seed: int) -> list[Any]:
    """Return different values of a strategy in the order of Hypothesis: simple ones first."""
    values: list[Any] = []

    def keep(value: Any) -> None:
        if not any(same_value(value, known) for known in values):
            values.append(value)

    _for_each(strategy, keep, count, seed=seed)
    return values


def _for_each(
    strategy: st.SearchStrategy[Any], use: Callable[[Any], None], count: int, *, seed: int
) -> None:
    """Call ``use`` with ``count`` values of a strategy."""
    problems: list[Exception | OutOfTime] = []

    class Stop(BaseException):
        """Ends Hypothesis at once: an Exception it would run again, and call it flaky."""

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        phases=(hypothesis.Phase.generate,),
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.given(strategy)
    def attempt(value: Any) -> None:
        try:
            use(value)
        except (Exception, OutOfTime) as problem:
            problems.append(problem)
            raise Stop from None

    try:
        attempt()
    except Stop:
        pass
    except BaseException as error:
        pass_interrupts(error)
        raise InputError(f"drawing from the strategy failed with {one_line(error)}") from error
    if problems:
        raise problems[0]
