"""The ledger: the single door through which private data is released.

An algorithm touches its data freely and calls the ledger for every number that leaves it. What
the ledger does with a release depends on its mode:

===================  ====================================================================
live                 draw noise and return the noisy value (``Ledger(seed)``)
recording            the same, and keep a transcript (``RecordingLedger(seed)``)
replaying            return the outputs of a transcript and keep the new values
                     (``ReplayLedger(transcript)``)
given draws          use a list of standardised draws (``GivenDrawsLedger(draws)``)
noiseless            return the values themselves (``NoiselessLedger()``)
mutated              change every release before it is made (``MutatedLedger(inner, change)``)
===================  ====================================================================
"""

from __future__ import annotations

from reference.privacy.ledger.live import Ledger, RandomState, open_ledger
from reference.privacy.ledger.modes import (
    ControlFlowError,
    GivenDrawsLedger,
    MutatedLedger,
    NoiselessLedger,
    RecordingLedger,
    ReplayLedger,
)
from reference.privacy.ledger.transcript import (
    Entry,
    Protected,
    PublicEntry,
    Records,
    Release,
    ReleaseClaim,
    Subsample,
    SubsampleEntry,
    Transcript,
    Unit,
)

__all__ = [
    "ControlFlowError",
    "Entry",
    "GivenDrawsLedger",
    "Ledger",
    "MutatedLedger",
    "NoiselessLedger",
    "Protected",
    "PublicEntry",
    "RandomState",
    "RecordingLedger",
    "Records",
    "Release",
    "ReleaseClaim",
    "ReplayLedger",
    "Subsample",
    "SubsampleEntry",
    "Transcript",
    "Unit",
    "open_ledger",
]
