"""Accounts that ledgers give to each other: their checks, and the numbers of their records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reference._validation import (
    listed,
    require_choice,
    require_count,
    require_in_interval,
    require_kind,
    require_positive,
)
from reference.privacy.ledger.transcript import (
    UNITS,
    PublicEntry,
    RecordSelection,
    Release,
    ReleaseClaim,
    SubsampleEntry,
    TranscriptEntry,
    own_records,
    own_sample,
)
from reference.privacy.mechanisms import Cost, Mechanism


@dataclass(frozen=True)
class Account:
    """The releases of a spawned ledger, for :meth:`~reference.privacy.ledger.Ledger.collect`.

    Plain data, which any process may send to any other; as private as a transcript. Its form is
    checked when it is collected; the scales and sensitivities that it states are believed.

    Attributes
    ----------
    name : str
        Of the ledger that it is of.
    entries : tuple of entries
        As in its transcript.
    """

    name: str
    entries: tuple[TranscriptEntry, ...]


def inside(block: RecordSelection, records: RecordSelection) -> RecordSelection:
    """Return records of a block by their numbers in the whole.

    Parameters
    ----------
    block : slice, ndarray of int or None
        The block; ``None`` is everybody.
    records : slice, ndarray of int or None
        Numbers within the block, all of it if ``None``. Both are as :func:`own_records` returns.
    """
    if block is None or records is None:
        return block if records is None else records
    if isinstance(block, np.ndarray):
        return block[records]
    numbers = range(block.start, block.stop, block.step or 1)
    if isinstance(records, slice):
        part = numbers[records]
        return slice(part.start, part.stop, part.step)
    return numbers.start + numbers.step * records


def own_account(account: Account) -> Account:
    """Return an account with entries of our own, or raise."""
    require_kind("accounts", account, Account, "what close() of spawned ledgers returns")
    require_kind("the name of an account", account.name, str, "that of a ledger")
    entries = listed("entries of an account", account.entries)
    return Account(account.name, tuple(_own_entry(entry) for entry in entries))


def _own_entry(entry: TranscriptEntry) -> TranscriptEntry:
    """Return an entry of an account with a claim of our own, whose cost is known, or raise."""
    require_kind("entries of an account", entry, _ENTRIES, "those of a ledger")
    if not isinstance(entry, Release):
        return entry
    claim = entry.claim
    require_kind("the mechanism of an entry", entry.mechanism, Mechanism, "that of a ledger")
    require_kind("the claim of an entry", claim, ReleaseClaim, "that of a ledger")
    sensitivity = require_positive("sensitivity", claim.sensitivity)
    own = Release(
        entry.mechanism,
        ReleaseClaim(
            sensitivity,
            require_choice("unit", claim.unit, UNITS),
            own_records(claim.records),
            None if claim.sample is None else own_sample(claim.sample),
            require_in_interval(
                "background_sensitivity",
                claim.background_sensitivity,
                0.0,
                sensitivity,
                closed=True,
            ),
            require_count("attributes", claim.attributes),
        ),
    )
    try:
        cost = own.cost().cost
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        cost = Cost(pure=-1.0)
    if not (cost.pure >= 0 and cost.rho >= 0):
        raise ValueError("the mechanism of an entry must have a cost")
    return own


_ENTRIES = (Release, SubsampleEntry, PublicEntry)


def merged(
    own: Sequence[TranscriptEntry],
    spawned: Iterable[tuple[Sequence[TranscriptEntry], RecordSelection]],
) -> tuple[TranscriptEntry, ...]:
    """Return the entries of a ledger, then those of the ones spawned from it, renumbered.

    Parameters
    ----------
    own : sequence of entries
    spawned : iterable of (entries, records)
        Of each spawned ledger its entries, and the block of records that it reads.
    """
    entries = list(map(handed_out, own))
    for others, block in spawned:
        offset = len(entries)
        entries.extend(_renumbered(entry, block, offset) for entry in others)
    return tuple(entries)


def handed_out(entry: TranscriptEntry) -> TranscriptEntry:
    """Return an entry with a view of its records: whoever has an array can set its type."""
    if not isinstance(entry, Release) or not isinstance(entry.claim.records, np.ndarray):
        return entry
    return entry._replace(claim=entry.claim._replace(records=entry.claim.records.view()))


def _renumbered(entry: TranscriptEntry, block: RecordSelection, offset: int) -> TranscriptEntry:
    if not isinstance(entry, Release):
        return entry
    claim = entry.claim
    sample = claim.sample
    if sample is not None:
        sample = replace(sample, position=sample.position + offset)
    return entry._replace(claim=claim._replace(records=inside(block, claim.records), sample=sample))
