"""The live ledger, which draws the noise and enters every release in its account."""

from __future__ import annotations

from collections.abc import Callable
from os import getpid
from typing import Self, TypeVar

import numpy as np

from reference._validation import (
    FloatArray,
    ParameterTypeError,
    ParameterValueError,
    require_count,
    require_flag,
    require_kind,
)
from reference.privacy.filters import Filter
from reference.privacy.ledger.additive import AdditiveReleases
from reference.privacy.ledger.book import RandomState, streams
from reference.privacy.ledger.local import LocalReleases
from reference.privacy.ledger.selection import SelectionReleases
from reference.privacy.ledger.transcript import (
    MOST_APART,
    Fixed,
    PublicEntry,
    Release,
    ReleaseClaim,
    Subsample,
    SubsampleEntry,
    read_only,
    record_count,
    require_among,
)
from reference.privacy.ledger.values import fresh, within_reach
from reference.privacy.mechanisms import Draw, Mechanism, Output

T = TypeVar("T")


class Ledger(SelectionReleases, LocalReleases):
    """A live ledger: draws the noise and remembers what every release cost.

    Parameters
    ----------
    seed : int, SeedSequence, BitGenerator, Generator or None
        Passed to :func:`numpy.random.default_rng`; ``None`` takes entropy from the system.

    limit : (epsilon, delta), optional
        No record, however the releases are chosen, bears more: one that could exceed it raises
        :class:`~reference.privacy.filters.LimitExceeded` before anything is drawn. A privacy filter
        (:mod:`reference.privacy.filters`), which counts no amplification by sampling; :attr:`left`
        is what may still be spent. A release per label, which protects no record, is refused.

    Raises
    ------
    TypeError
        When it is copied or pickled: a copy would repeat its noise, and what the copy spends would
        be lost. Other processes are given what :meth:`spawn` returns.
    RuntimeError
        When something is released, or the account asked for, in a process that has it by a fork.

    Examples
    --------
    >>> ledger = Ledger(7)
    >>> mean = ledger.gaussian([0.25], sensitivity=0.01, scale=0.05)
    >>> round(ledger.spent(delta=1e-5).epsilon, 3)
    0.726
    """

    def __init__(
        self, seed: RandomState = None, *, limit: tuple[float, float] | None = None
    ) -> None:
        super().__init__(seed)
        if limit is not None:
            require_kind("limit", limit, tuple, "a pair (epsilon, delta)")
            if len(limit) != 2:
                raise ParameterValueError("limit", "be a pair (epsilon, delta)", limit)
            self._filter = Filter(*limit)
        self._samples: dict[int, Subsample] = {}

    # ------------------------------------------------------------------ how a mode differs

    def _release(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> Output:
        """Release a value of our own, which nobody else holds, under a claim of our own."""
        if getpid() != self._process:
            self._require_process()
        with self._lock:
            array = self._admitted(mechanism, value, claim)
            release = Release(mechanism, claim)
            if self._filter is not None:
                cost = release.cost().cost
                self._filter.charge(cost, self._numbers(claim.records), times=claim.attributes)
            # before anything is drawn, so that a signal handler which closes or sends the ledger in
            # the middle of this does so either with this release or without its noise
            self._entries.append(release)
            if self._closed:
                self._require_open()
            return self._drawn(mechanism, array)[1]

    def _drawn(self, mechanism: Mechanism, array: FloatArray) -> tuple[Draw, Output]:
        """Return a standardised draw and the output that follows from it."""
        draw = mechanism.draw(array, self._rng)
        return draw, mechanism.output(array, draw)

    def _admitted(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> FloatArray:
        """Return the value of a release that may be made here; raise before anything is drawn."""
        if self._closed:
            self._require_open()
        array = within_reach(mechanism, value)
        if claim.records is not None or claim.sample is not None or self._block is not None:
            self._require_records(array, claim)
        return array

    def _require_records(self, array: FloatArray, claim: ReleaseClaim) -> None:
        """Raise unless the records that a release is charged to are as many as it reads."""
        records, sample = claim.records, claim.sample
        known = self._size if records is None else record_count(records)
        if records is not None:
            require_among(records, self._size)
        if sample is not None:
            position = sample.position
            if type(position) is not int or self._samples.get(position) is not sample:
                raise ParameterValueError("sample", "be what subsample() of this ledger returned")
            if records is not None and sample.population != known:
                raise ParameterValueError(
                    f"a sample of {sample.population} records",
                    "be charged to as many",
                    got=f"records={records!r}",
                )
            known = sample.size
        if claim.unit == "dataset" or known is None:
            return
        if array.shape[:1] != (known,):
            rows = array.shape[0] if array.ndim else "no"
            raise ParameterValueError(
                f"a release per {claim.unit} of {known} records", "have as many rows", got=f"{rows}"
            )

    def subsample(self, population: int, size: int, *, replace: bool = False) -> Subsample:
        """Draw ``size`` of ``population`` records uniformly, whatever the data.

        Amplification needs the indices secret: whoever learns whether a record was drawn has what
        the release costs without sampling. They must not be published, logged or be visible in
        the time a run takes; a transcript keeps them for the audit, and is not for publication.

        Parameters
        ----------
        population : int
            Number of records, >= 1.
        size : int
            Number of draws, from 1 to 10^8; at most ``population`` without replacement.
        replace : bool, default False
            Draw with replacement.

        Returns
        -------
        Subsample
            Pass it as ``sample=`` to every release computed from it.
        """
        replace = require_flag("replace", replace)
        population = require_count("population", population, at_most=self._size)
        size = require_count(
            "size", size, at_most=MOST_APART if replace else min(population, MOST_APART)
        )
        self._require_process()
        with self._lock:
            self._require_open()
            entry = self._draw_subsample(population, size, replace)
            self._entries.append(entry)
            position = len(self._entries) - 1
            while self._entries[position] is not entry:  # a signal handler released meanwhile
                position -= 1
            sample = Subsample(read_only(entry.indices()), population, replace, position)
            self._samples[position] = sample
            return sample

    def _draw_subsample(self, population: int, size: int, replace: bool) -> SubsampleEntry:
        base = self._rng.choice(population, size, replace=replace)
        return SubsampleEntry(population, size, replace, None, base, np.arange(size), 0)

    def public(self, draw: Callable[[np.random.Generator], T]) -> T:
        """Return ``draw(rng)``: randomness that is published and depends on no data.

        Examples
        --------
        >>> Ledger(0).public(lambda rng: int(rng.integers(10))) in range(10)
        True
        """
        if not callable(draw):
            raise ParameterTypeError(
                "draw", "be a function of a generator", got=f"{type(draw).__name__}"
            )
        self._require_process()
        with self._lock:
            self._require_open()
            value = draw(self._rng)
            self._entries.append(PublicEntry(fresh(value)))
        return value

    def note(self, fixed: Fixed) -> None:
        """Take note of what theory fixed for a run: a recording ledger keeps it."""

    def _others(self, count: int) -> list[Self]:
        if type(self) is not Ledger:
            raise TypeError(f"only a live Ledger spawns others, not a {type(self).__name__}")
        return [type(self)(rng) for rng in streams(self._rng, count)]


# as its own, so that its page in the API shows what it releases
for _releases in (AdditiveReleases, SelectionReleases, LocalReleases):
    for _name, _method in vars(_releases).items():
        if not _name.startswith("_"):
            setattr(Ledger, _name, _method)


def open_ledger(ledger: Ledger | None) -> Ledger:
    """Return ``ledger``, or a fresh live one if it is ``None``.

    Raises
    ------
    TypeError
        If it is anything else, such as a bare seed.
    """
    if ledger is None:
        return Ledger()
    if not isinstance(ledger, Ledger):
        raise ParameterTypeError(
            "ledger", "be a Ledger (e.g. Ledger(seed)) or None", got=f"{type(ledger).__name__}"
        )
    return ledger
