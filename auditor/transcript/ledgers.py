"""The ledgers that an audit runs algorithms on: with noise of numpy's, or exact ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from auditor.core.context import LedgerKind
from reference.privacy.exact.sources import KnownBytes
from reference.privacy.ledger import ExactLedger, Ledger, RecordingExactLedger, RecordingLedger
from reference.privacy.ledger.book import RandomState

_kind: ContextVar[LedgerKind] = ContextVar("kind of ledger", default="numpy")


@contextmanager
def ledgers_of(kind: LedgerKind) -> Iterator[None]:
    """Have all that runs inside use ledgers of a kind."""
    token = _kind.set(kind)
    try:
        yield
    finally:
        _kind.reset(token)


def live_ledger(seed: RandomState) -> Ledger:
    """Return a live ledger whose noise follows from a seed."""
    if _kind.get() == "numpy":
        return Ledger(seed)
    return ExactLedger(insecure_bytes=KnownBytes(np.random.default_rng(seed).bytes(32).hex()))


def recording_ledger(seed: RandomState, target: int | None = None) -> RecordingLedger:
    """Return a recording ledger whose noise follows from a seed."""
    kind = RecordingLedger if _kind.get() == "numpy" else RecordingExactLedger
    return kind(seed, target=target)
