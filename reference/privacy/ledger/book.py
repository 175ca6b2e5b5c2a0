"""The account of a ledger: its releases, and those of the ledgers spawned from it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any, NoReturn, Self
from uuid import uuid4

import numpy as np

from reference._validation import (
    FloatArray,
    ParameterTypeError,
    ParameterValueError,
    listed,
    require_choice,
    require_count,
    require_non_negative,
)
from reference.privacy import accounting
from reference.privacy.filters import Filter, Left
from reference.privacy.guarantees import Model
from reference.privacy.ledger.accounts import Account, handed_out, inside, merged, own_account
from reference.privacy.ledger.transcript import (
    PROTECTED,
    Protected,
    RecordSelection,
    Release,
    ReleaseClaim,
    Transcript,
    TranscriptEntry,
    own_records,
    record_count,
    require_among,
)
from reference.privacy.mechanisms import Mechanism, Output

RandomState = int | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None

_SPAWN = (
    "give each process a ledger of its own, from spawn(), and collect() what its close() returns"
)
_ELSEWHERE = (
    "this ledger belongs to another process, whose noise it would repeat and whose account would "
    f"not know of it; {_SPAWN}"
)
_SENT = "was sent to another process"

MOST_SPAWNED = 10**6
"""Ledgers that one call of spawn() may make: they take a minute and 1.5 gigabytes."""


class Book:
    """The entries of a ledger and what they cost; one process has it, and no copy is made.

    Parameters
    ----------
    seed : int, SeedSequence, BitGenerator, Generator or None
        Passed to :func:`numpy.random.default_rng`; ``None`` takes entropy from the system.
    """

    def __init__(self, seed: RandomState = None) -> None:
        self._rng = _generator(seed)
        self._entries: list[TranscriptEntry] = []
        self._process = os.getpid()
        # one call at a time, so that no two have the same noise or position. A signal handler that
        # interrupts one and calls again has its turn at once, before the rest of the first. Spawned
        # ledgers share the lock: of two, each could wait for the thread that holds the other.
        self._lock = RLock()
        self._spawning = False
        self._spawned: list[Self] = []
        self._collected: dict[str | None, tuple[TranscriptEntry, ...]] = {}
        self._filter: Filter | None = None
        # of a spawned one: its name, where it came from (unless that is another process), the
        # records of its block, and why it is closed
        self._name: str | None = None
        self._parent: Self | None = None
        self._block: RecordSelection = None
        self._closed = ""

    @property
    def _size(self) -> int | None:
        """Number of records that the ledger reads, if that was said."""
        return None if self._block is None else record_count(self._block)

    def _require_process(self) -> None:
        """Raise unless this is the process whose ledger it is.

        To be asked before the lock is: a fork may have copied it while another thread had it.
        """
        if os.getpid() != self._process:
            raise RuntimeError(_ELSEWHERE)

    def _require_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"this ledger {self._closed}; nothing more is released through it")

    def _release(self, mechanism: Mechanism, value: FloatArray, claim: ReleaseClaim) -> Output:
        """Release a value of our own, which nobody else holds, under a claim of our own."""
        raise NotImplementedError

    def _others(self, count: int) -> list[Self]:
        """Return ledgers of the same kind with other noise."""
        raise NotImplementedError

    def _sent_noise(self) -> object:
        """Return what the noise of this ledger follows from, for :meth:`_of_noise` elsewhere."""
        return self._rng

    @classmethod
    def _of_noise(cls, noise: Any) -> Self:
        """Return a ledger with the noise of one that was sent."""
        return cls(noise)

    # ------------------------------------------------------------------- in several processes

    def spawn(self, count: int, *, records: Sequence[RecordSelection] | None = None) -> list[Self]:
        """Return ledgers with independent noise, whose releases count as this one's.

        One that is used in this process, threads included, shows in :meth:`spent` at once. One may
        be sent to another process, once and before it is used: what it releases there is known
        when what its :meth:`close` returns has come back and was given to :meth:`collect`; until
        then :meth:`spent` refuses to answer. The noise depends on the seed and the order of
        spawning alone, not on where and when a ledger is used. So where a process died, and what it
        released is not known, the same work on the same data, from a ledger of the same seed (not
        ``None``), has the same outputs and an account of them all. A limit is that of all together,
        and keeps them in this process.

        Parameters
        ----------
        count : int
            How many, >= 1.
        records : sequence of (slice, ndarray of int or None), optional
            The records that each of them reads, among those of this one; they number these from 0,
            in the order that is given. Disjoint ones compose in parallel. By default everybody, so
            that all that is spent adds up.

        Returns
        -------
        list of ledgers

        Raises
        ------
        TypeError
            If this is not a live ledger: a mode that records or replays is for one run.
        ValueError
            If a block names a record twice, or one that this ledger does not read.

        Examples
        --------
        >>> import numpy as np
        >>> from reference.privacy import Ledger
        >>> ledger, data = Ledger(7), np.ones((100, 1))
        >>> blocks = [slice(0, 50), slice(50, 100)]
        >>> for block, part in zip(blocks, ledger.spawn(2, records=blocks)):
        ...     total = part.laplace(data[block].sum(axis=0), sensitivity=1, scale=2)
        >>> ledger.spent(delta=0).epsilon
        0.5

        In other processes:

        >>> def job(part, ledger):
        ...     return ledger.laplace(part.sum(axis=0), sensitivity=1, scale=2), ledger.close()
        >>> parts = ledger.spawn(2, records=blocks)
        >>> with Parallel(n_jobs=2) as parallel:  # doctest: +SKIP
        ...     results = parallel(delayed(job)(data[b], part) for b, part in zip(blocks, parts))
        >>> ledger.collect(account for _, account in results)  # doctest: +SKIP
        """
        count = require_count("count", count, at_most=MOST_SPAWNED)
        given = listed("records", [None] * count if records is None else records, count)
        if len(given) != count:
            more = "more" if len(given) > count else f"{len(given)}"
            raise ParameterValueError("records", f"name {count} blocks", got=f"{more}")
        blocks = self._own_blocks(given)
        self._require_process()
        with self._lock:
            self._require_open()
            if self._spawning:  # numpy counts the streams when it has made them
                raise RuntimeError("spawn() was called in the middle of itself; call it again")
            self._spawning = True
            try:
                made = self._others(count)
            finally:
                self._spawning = False
            for ledger, block in zip(made, blocks, strict=True):
                ledger._name, ledger._block = uuid4().hex, block
                ledger._parent, ledger._filter, ledger._lock = self, self._filter, self._lock
            self._spawned.extend(made)
            return made

    def _own_blocks(self, records: Iterable[RecordSelection]) -> list[RecordSelection]:
        """Return blocks as the ledger's own, each of them within the block of this one."""
        size, blocks = self._size, []
        everybody = None if size is None else slice(0, size)
        for given in records:
            block = own_records(given, ordered=True)
            if block is not None:
                require_among(block, size)
            blocks.append(everybody if block is None else block)
        return blocks

    def close(self) -> Account:
        """Return the account of a spawned ledger, which then releases nothing more."""
        if self._name is None:
            raise TypeError("only a ledger that was spawned has an account to give back")
        self._require_process()
        with self._lock:
            self._require_open()
            account = Account(self._name, self._all_entries())
            self._shut()
            return account

    def _shut(self) -> None:
        """Close this ledger and all that were spawned from it, whose releases would be lost."""
        with self._lock:
            self._closed = self._closed or "was closed"
            for ledger in self._spawned:
                ledger._shut()

    def _numbers(self, records: RecordSelection) -> RecordSelection:
        """Return records of this ledger as the one at the top numbers them."""
        own = inside(self._block, records)
        return own if self._parent is None else self._parent._numbers(own)

    def collect(self, accounts: Iterable[Account]) -> None:
        """Take in what ledgers that were spawned here and sent elsewhere have spent.

        Parameters
        ----------
        accounts : iterable of Account
            What their :meth:`close` returned, in any order. If one is refused, none is taken in.

        Raises
        ------
        ValueError
            If one is of no ledger spawned here, or if one of the same ledger was collected before.
        """
        self._require_process()
        # read before the lock is taken and before anything is compared: what the caller gave may
        # wait for another thread, or collect something itself
        given = [
            own_account(account) for account in listed("accounts", accounts, len(self._spawned))
        ]
        with self._lock:
            self._require_open()
            spawned = {ledger._name: ledger for ledger in self._spawned}
            taken: dict[str | None, tuple[TranscriptEntry, ...]] = {}
            for account in given:
                ledger = spawned.get(account.name)
                if ledger is None:
                    raise ValueError("an account must be of a ledger that was spawned here")
                if ledger._name in self._collected or ledger._name in taken:
                    raise ValueError(
                        "an account was collected before: one account twice, or two copies of a "
                        "ledger"
                    )
                for entry in account.entries:
                    if isinstance(entry, Release) and entry.claim.records is not None:
                        require_among(entry.claim.records, ledger._size)
                taken[ledger._name] = account.entries
            self._collected.update(taken)

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        """Send a spawned ledger that was not used yet, and close it here; or raise TypeError."""
        if self._name is None:
            raise TypeError(f"a ledger cannot be copied or pickled; {_SPAWN}")
        self._require_process()
        with self._lock:
            if self._entries or self._spawned:
                raise TypeError(
                    "a ledger that was used cannot be sent; send what its close() returns"
                )
            if self._filter is not None:
                raise TypeError(
                    "a ledger with a limit cannot be sent: what is left is known in one process "
                    "only; give each process a Ledger with a limit of its own"
                )
            self._require_open()
            self._closed = _SENT
        return _received, (type(self), self._sent_noise(), self._name, self._block)

    def __copy__(self) -> NoReturn:
        raise TypeError(f"a ledger cannot be copied; {_SPAWN}")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise TypeError(f"a ledger cannot be copied; {_SPAWN}")

    def __dask_tokenize__(self) -> object:
        """Return what Dask names a task by, which must not be a pickle."""
        return type(self).__name__, self._name or uuid4().hex

    # ------------------------------------------------------------------------- accounting

    def _all_entries(self) -> tuple[TranscriptEntry, ...]:
        """Return the entries of this ledger and of all that were spawned from it, or raise."""
        self._require_process()
        with self._lock:
            if self._closed == _SENT:
                raise RuntimeError(f"what this ledger spent is not known: it {_SENT}")
            if not self._spawned:
                return tuple(map(handed_out, self._entries))
            parts, missing = [], 0
            for ledger in self._spawned:
                # what is in this process is known here, whatever an account says of it
                if ledger._closed != _SENT:
                    parts.append((ledger._all_entries(), ledger._block))
                elif ledger._name in self._collected:
                    parts.append((self._collected[ledger._name], ledger._block))
                else:
                    missing += 1
            if missing:
                raise RuntimeError(
                    f"what {missing} of {len(self._spawned)} spawned ledgers spent is not known: "
                    "they were sent to other processes; collect() what their close() returns "
                    "there. If one died, repeat the same work on the same data from a ledger of "
                    "the same seed: the outputs are the same, so nothing more is released, and its "
                    "account is of them all"
                )
            return merged(self._entries, parts)

    @property
    def transcript(self) -> Transcript:
        """The entries so far (values and outputs only when recorded).

        Those of ledgers that were spawned follow the ledger's own.
        """
        return Transcript(self._all_entries())

    @property
    def left(self) -> Left | None:
        """The cost that one more release of every record may have, or ``None`` without a limit.

        Examples
        --------
        >>> from reference.privacy import Ledger
        >>> ledger = Ledger(0, limit=(1.0, 0.0))
        >>> noisy = ledger.laplace([0.0], sensitivity=1, scale=4)
        >>> ledger.left.epsilon
        0.75
        """
        self._require_process()
        return None if self._filter is None else self._filter.left()

    def spent(
        self,
        *,
        delta: float | None = None,
        epsilon: float | None = None,
        unit: Protected = "record",
    ) -> accounting.Spent:
        """Return what the releases so far cost the worst record, its worst attribute, or a label.

        Parameters
        ----------
        delta : float, optional
            In [0, 1): return the smallest certified epsilon at this delta.
        epsilon : float, optional
            >= 0: return the smallest certified delta at this epsilon. Give exactly one.
        unit : {"record", "attribute", "label"}
            What is protected: a whole record, which bears a release per attribute as often as it
            has attributes; a single attribute of it, which bears everything else in full; or its
            label alone. What a release per label costs a whole record is infinite.

        Returns
        -------
        Spent
            With fields ``epsilon``, ``delta``, ``method``, ``unit`` and ``model``. Each question
            has an upper bound of its own: the delta at the epsilon that was certified at some delta
            may exceed the latter, by a relative 1e-6 or less in all that was tried.

        Examples
        --------
        >>> from reference.privacy import Ledger
        >>> ledger = Ledger(0)
        >>> flipped = ledger.randomized_response([[0, 1, 1]], epsilon=0.5, unit="attribute")
        >>> ledger.spent(delta=0).epsilon, ledger.spent(delta=0, unit="attribute").epsilon
        (1.5, 0.5)
        """
        unit = require_choice("unit", unit, PROTECTED)
        delta = None if delta is None else require_non_negative("delta", delta)
        epsilon = None if epsilon is None else require_non_negative("epsilon", epsilon)
        transcript = self.transcript
        account = accounting.spent(transcript.charges_of(unit), delta=delta, epsilon=epsilon)
        local = Model.LOCAL_ATTRIBUTE if unit == "attribute" else Model.LOCAL
        model = local if transcript.local else Model.CENTRAL
        return replace(account, unit=unit, model=model)


def _received(kind: type[Book], noise: object, name: str, block: RecordSelection) -> Book:
    """Return a spawned ledger in the process that it was sent to."""
    ledger = kind._of_noise(noise)
    ledger._name, ledger._block = name, block
    return ledger


def _generator(seed: RandomState) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ParameterTypeError(
            "seed",
            "be None, an integer >= 0 or a sequence of them, or a SeedSequence, BitGenerator or "
            "Generator of numpy",
            got=f"{type(seed).__name__}",
        ) from None


def streams(rng: np.random.Generator, count: int) -> list[np.random.Generator]:
    """Return generators that no other call was given.

    numpy counts the streams that it spawned when it has made them. Two calls at once, of ledgers
    that were given one generator, make the same streams; the one that counts last sees it.
    """
    seeds = rng.bit_generator.seed_seq
    if not isinstance(seeds, np.random.SeedSequence):
        raise ParameterTypeError(
            "seed", "be a generator with a SeedSequence, or no ledger is spawned"
        )
    while True:
        before = seeds.n_children_spawned
        made = rng.spawn(count)
        if seeds.n_children_spawned == before + count:
            return made
