"""The search for the pair of data sets on which a black box gives itself away most.

Many pairs are run a few times each; those that promise most are run again, twice as often every
time, and new pairs are made from them by changing a record (successive halving, Jamieson and
Talwalkar, "Non-stochastic best arm identification", 2016, with hill climbing). What a pair
promises is the level of the claim's family that an event, learned from one half of its runs, shows
on the other half. A pair that is run again is judged by the new runs alone: those before made it a
leader, perhaps by luck.

Nothing here certifies anything. The pair found is run afresh, so the search costs no validity.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Literal

import numpy as np
from hypothesis import strategies as st

from auditor.checking.candidate_pairs import Breeder, Genes, enter_drawn
from auditor.checking.check_options import DataPair
from auditor.core.errors import InputError, pass_interrupts
from auditor.core.neighbours import Neighbourhood, RelationName, same_value
from auditor.events.learning import Aim, learn_event
from auditor.runs.blocks import Block, Outputs
from auditor.runs.clock import OutOfTime
from auditor.runs.sampling import Sampler
from auditor.statistics.claims import Claim, certified_level
from auditor.statistics.proportions import two_sample_p_value
from reference.privacy.guarantees import Relation

MakeSampler = Callable[[DataPair, int], Sampler]

FIRST_RUNS = 64
"""Runs a side that every pair gets at first; fewer if the budget is small."""
LEAST_RUNS = 16
"""The fewest runs a side that say anything about a pair."""
LEAST_PAIRS = 16
"""Pairs that a small budget should allow, if with few runs each."""
MOST_RUNS = 20_000
"""Largest number of runs a side, whatever the budget."""
FIRST_SHARE = 0.3
"""Share of the budget for the pairs that are tried before any is changed."""
DRAWN_SHARE = 0.7
"""The same for pairs drawn from a strategy, which are not changed."""
LAST_SHARE = 0.3
"""Share of the budget that only decides between pairs."""
SURE = 4
"""Pairs run so many times as often as at first are not run again before that."""
KEPT = 8
"""Divisor of the number of pairs: one of so many is run again in the next round."""
LEADERS = 3
"""Least number of pairs that are run again in every round."""
CHILDREN = 12
"""Pairs made from the leaders in every round."""
DOUBT = 0.25
"""Error probability of the bounds by which pairs are compared."""
MOST_FAILURES = 8
"""Pairs on which the mechanism may fail to run before that is an error."""
GROSS = 1e-4
"""A pair that refutes the claim at alpha times this ends the search."""

_SEARCH_KEY = 7


@dataclass(frozen=True)
class FoundPair:
    """The pair that :func:`find_pair` found.

    Attributes
    ----------
    pair : (Any, Any)
        The two data sets.
    tried : int
        How many pairs were run.
    runs : int
        Runs on each side that were used.
    level : float
        The level of the claim's family that the pair promises: not a bound of anything. Minus
        infinity if the budget was too small to run it.
    """

    pair: DataPair
    tried: int
    runs: int
    level: float


def find_pair(
    make_sampler: MakeSampler,
    pairs: st.SearchStrategy[DataPair] | Neighbourhood,
    family: Claim,
    *,
    alpha: float,
    runs: int,
    seed: int,
    relation: Relation | RelationName | Literal["any"] | None = None,
    group: int = 1,
    quoted: bool = True,
) -> FoundPair:
    """Search the pair of data sets on which a mechanism's outputs differ most.

    Parameters
    ----------
    make_sampler : callable
        ``make_sampler(pair, seed)`` returns a sampler of the mechanism on a pair. It is called
        again when a pair is run again, and should be cheap. When a sampler's time is up the search
        ends with the best pair so far.
    pairs : Neighbourhood or SearchStrategy
        Where to search. A neighbourhood knows extremes and how to change a record; a Hypothesis
        strategy of pairs is only drawn from.
    family : Claim
        What makes a pair bad. If its level is positive, the search ends as soon as a pair refutes
        it beyond doubt.
    alpha : float
        Error probability of the certificate that will follow.
    runs : int
        Budget of runs on each side, of which at most :data:`MOST_RUNS` are used. If it is too
        small to run anything the first pair is returned.
    seed : int
        The same seed gives the same search; with a strategy only while the same modules are
        loaded, because Hypothesis mixes constants from their source into what it draws.
    relation : Relation, "replace", "add-remove", "replace-label" or "any", optional
        How pairs drawn from a strategy of pairs must be neighbours, see
        :func:`~auditor.checking.relations.require_neighbours`.
    group : int
        How many records may differ in them.
    quoted : bool
        Whether a pair on which the mechanism cannot be run may be told.

    Returns
    -------
    FoundPair

    Raises
    ------
    InputError
        If there are no two different data sets, a pair that was drawn is no pair of neighbours, or
        the mechanism cannot be run on several pairs.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_SEARCH_KEY,)))
    race = _Race(make_sampler, family, alpha, min(runs, MOST_RUNS), seed, quoted=quoted)
    breeder = None
    with suppress(OutOfTime):
        if isinstance(pairs, Neighbourhood):
            breeder = Breeder(pairs, rng)
            for genes in breeder.first(race.affordable(FIRST_SHARE)):
                race.enter(partial(breeder.pair, genes), genes)
        else:
            seed_drawn = int(rng.integers(2**63))
            count = race.affordable(DRAWN_SHARE)
            enter_drawn(race.enter, pairs, relation, count, group=group, seed=seed_drawn)
        _narrow(race, breeder)
    return race.found()


def _narrow(race: _Race, breeder: Breeder | None) -> None:
    """Run the best pairs again and again, fewer every time, and try changes of them."""
    again, last = len(race.entries) // KEPT, False
    while race.is_open() and len(race.leaders(2)) > 1:
        before = race.left
        last = last or race.left <= LAST_SHARE * race.budget
        for entry in race.leaders(max(LEADERS, again)):
            if last or entry.size < SURE * race.least:
                race.extend(entry)
        if breeder is not None and not last:
            parents = [entry.genes for entry in race.leaders(LEADERS) if entry.genes is not None]
            for _ in range(CHILDREN):
                child = breeder.child(parents)
                race.enter(partial(breeder.pair, child), child)
        again //= KEPT
        if race.left == before:  # every change is known, and every leader sure
            if last:
                break
            last = True


# ------------------------------------------------------------------------------------ the race


@dataclass
class _Entry:
    """A pair in the race; built again when needed, because data sets may be large."""

    make: Callable[[], DataPair]
    genes: Genes | None
    seed: int
    size: int = 0
    """Runs a side behind the promise."""
    next_run: int = 0
    promise: float = -np.inf


class _Race:
    """Pairs, what they promise, and the budget."""

    def __init__(
        self,
        make_sampler: MakeSampler,
        family: Claim,
        alpha: float,
        runs: int,
        seed: int,
        *,
        quoted: bool,
    ) -> None:
        self._make_sampler = make_sampler
        self._family = family
        self._alpha = alpha
        self._quoted = quoted
        self._sequence = np.random.SeedSequence(seed, spawn_key=(_SEARCH_KEY, 0))
        self._rng = np.random.default_rng(self._sequence)
        self._known: set[frozenset[bytes]] = set()  # digests of the two data sets
        self._refuted: _Entry | None = None
        self._failures: list[InputError] = []
        self.budget = runs
        self.left = runs
        self.least = int(np.clip(runs // LEAST_PAIRS, LEAST_RUNS, FIRST_RUNS))
        self.entries: list[_Entry] = []

    def is_open(self) -> bool:
        """Return whether there are runs left, and a reason to use them."""
        return self._refuted is None and self.left >= self.least

    def affordable(self, share: float) -> int:
        """Return how many pairs a share of the budget allows to run for the first time."""
        return max(LEAST_PAIRS, int(share * self.budget) // self.least)

    def enter(self, make: Callable[[], DataPair], genes: Genes | None = None) -> None:
        """Run a pair for the first time, unless the race is over, or it is known, or no pair."""
        if self.entries and not self.is_open():
            return
        pair = make()
        if same_value(*pair) or self._is_known(pair):
            return
        seed = int(self._sequence.spawn(1)[0].generate_state(1, np.uint64)[0])
        entry = _Entry(make, genes, seed)
        self.entries.append(entry)
        if self.is_open():
            self._run(entry, pair, self.least)

    def extend(self, entry: _Entry) -> None:
        """Run a pair again, twice as often as the last time if that can be afforded."""
        if self.is_open() and self.left >= entry.size:
            self._run(entry, entry.make(), min(2 * entry.size, self.left))

    def leaders(self, count: int) -> list[_Entry]:
        """Return the pairs that promise most, of those that could be run."""
        ran = [entry for entry in self.entries if entry.promise > -np.inf]
        return sorted(ran, key=lambda entry: -entry.promise)[:count]

    def found(self) -> FoundPair:
        """Return the pair that refutes the claim, else the one that promises most."""
        if not self.entries:
            raise InputError("there are no two different neighbouring data sets to choose from")
        ran = self.leaders(1)
        if not ran and self._failures:
            raise self._failures[0]
        best = self._refuted or (ran or self.entries)[0]
        return FoundPair(best.make(), len(self.entries), self.budget - self.left, best.promise)

    def _is_known(self, pair: DataPair) -> bool:
        try:
            key = frozenset(blake2b(pickle.dumps(data)).digest() for data in pair)
        except BaseException as error:  # a user's own type: the pair is tried again, then
            pass_interrupts(error)
            return False
        known = key in self._known
        self._known.add(key)
        return known

    def _run(self, entry: _Entry, pair: DataPair, size: int) -> None:
        self.left -= size
        start, entry.next_run, entry.size = entry.next_run, entry.next_run + size, size
        sampler = self._make_sampler(pair, entry.seed)
        try:
            first, second = sampler.draw([Block(side, start, size) for side in (0, 1)], _kept)
        except InputError as problem:
            entry.promise = -np.inf
            where = _shown(pair) if self._quoted else "of records that are not shown"
            self._failures.append(InputError(f"{problem} (on the pair {where})"))
            if len(self._failures) > MOST_FAILURES:
                raise self._failures[0] from problem
            return
        finally:
            sampler.close()
        self._judge(entry, *self._counts(first, second, size))

    def _judge(self, entry: _Entry, likely: tuple[int, int], unlikely: tuple[int, int]) -> None:
        entry.promise = certified_level(self._family, likely, unlikely, DOUBT)
        if self._family.level > 0:
            p_value = two_sample_p_value(likely, unlikely, self._family.ceiling)
            if p_value <= self._alpha * GROSS:
                self._refuted = entry

    def _counts(
        self, first: Outputs, second: Outputs, size: int
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return how often events learned from one half of the runs occur in the other half."""
        halves = (slice(0, size // 2), slice(size // 2, size))
        inside, outside = 0, 0
        for train, held in (halves, halves[::-1]):
            event = learn_event(
                first[train],
                second[train],
                Aim(self._family, self._alpha, certifying=size // 2),
                effort="quick",
                rng=self._rng,
            )
            counts = [int(np.count_nonzero(event.contains(o[held]))) for o in (first, second)]
            inside += counts[event.side]
            outside += counts[1 - event.side]
        return (inside, size), (outside, size)


def _kept(outputs: Outputs) -> Outputs:
    return outputs


def _shown(pair: DataPair) -> str:
    """Return a pair in one short line."""
    words = (" ".join(repr(data).split()) for data in pair)
    first, second = (text if len(text) <= 80 else f"{text[:80]}..." for text in words)
    return f"D = {first}, D' = {second}"
