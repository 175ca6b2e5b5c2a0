"""The ledger: the single door through which private data is released.

An algorithm touches its data freely and calls the ledger for every number that leaves it. What
the ledger does with a release depends on its mode:

===================  ====================================================================
live                 draw noise and return the noisy value (``Ledger(seed)``)
exact                the same, with the exact law of real noise (``ExactLedger()``)
recording            the same, and keep a transcript (``RecordingLedger(seed)``)
replaying            return the outputs of a transcript and keep the new values
                     (``ReplayLedger(transcript)``)
given draws          use a list of standardised draws (``GivenDrawsLedger(draws)``)
noiseless            return the values themselves (``NoiselessLedger()``)
mutated              change every release before it is made (``MutatedLedger(inner, change)``)
===================  ====================================================================

All but the exact one are for research and audits, not for releasing statistics of real people.
Their noise is that of numpy's generator, which is not cryptographic, and a fixed seed on real data
is a leak. It is of
doubles, whose low bits break pure DP: with Laplace noise of scale 1, 43% of the releases of 0 are
doubles that no release of 1 can be. It also ends: Laplace noise at 36.1 scales, the Gumbel noise of
a selection at -3.7 and 36.8. So :meth:`~Ledger.exponential`, :meth:`~Ledger.selections` and
:meth:`~Ledger.interval_exponential` never show what has an exponent 41 below the best one,
:meth:`~Ledger.noisy_max` and :meth:`~Ledger.peeling` what is 73 scales below; on a neighbour each
such outcome may have a probability of up to e^(epsilon - 40). The account is of the releases that
were made, as if they had been fixed beforehand: a run that is stopped by what it has spent, or
chooses as it goes, needs a privacy filter, ``Ledger(limit=(epsilon, delta))``. A ledger belongs to
one process: it is not copied, and other processes are given what :meth:`Ledger.spawn` returns.

What a ledger is given becomes its own before anything is checked, drawn or charged: numbers are
plain floats and integers, a value is read once into an array that nobody else holds, and so are the
indices of records. Nothing that a caller still holds changes an account. Python keeps nobody from
private names, ``object.__setattr__`` or the memory under an array that was handed out: whoever
writes there can change an account. Threads may share a ledger and those that were spawned from it:
one call waits for the other. A signal handler may release in the middle of a release, which
is entered and charged before its noise is drawn; in the middle of a charge or of ``spawn`` it is
refused. A transcript holds values, draws and subsamples, and is as private as the data.
"""

from __future__ import annotations

from reference.privacy.ledger.accounts import Account
from reference.privacy.ledger.book import RandomState
from reference.privacy.ledger.exact import ExactLedger, RecordingExactLedger
from reference.privacy.ledger.live import Ledger, open_ledger
from reference.privacy.ledger.modes import (
    ControlFlowError,
    GivenDrawsLedger,
    MutatedLedger,
    NoiselessLedger,
    RecordingLedger,
    ReplayLedger,
)
from reference.privacy.ledger.transcript import (
    Fixed,
    Protected,
    PublicEntry,
    RecordSelection,
    Release,
    ReleaseClaim,
    Subsample,
    SubsampleEntry,
    Transcript,
    TranscriptEntry,
    Unit,
)

__all__ = [
    "Account",
    "ControlFlowError",
    "ExactLedger",
    "Fixed",
    "GivenDrawsLedger",
    "Ledger",
    "MutatedLedger",
    "NoiselessLedger",
    "Protected",
    "PublicEntry",
    "RandomState",
    "RecordSelection",
    "RecordingExactLedger",
    "RecordingLedger",
    "Release",
    "ReleaseClaim",
    "ReplayLedger",
    "Subsample",
    "SubsampleEntry",
    "Transcript",
    "TranscriptEntry",
    "Unit",
    "open_ledger",
]
