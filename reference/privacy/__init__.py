"""Guarantees, the ledger, accounting and calibration (Wang (2020), chapter 2).

For research and audits: what this is not fit for is in :mod:`reference.privacy.ledger` and in
``SECURITY.md``.
"""

from reference.privacy.accounting import Spent
from reference.privacy.filters import Left, LimitExceeded
from reference.privacy.guarantees import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Guarantee,
    Model,
    PureDP,
    Relation,
    RenyiDP,
)
from reference.privacy.ledger import (
    ControlFlowError,
    ExactLedger,
    GivenDrawsLedger,
    Ledger,
    MutatedLedger,
    NoiselessLedger,
    RecordingLedger,
    ReplayLedger,
    Transcript,
    open_ledger,
)

__all__ = [
    "ZCDP",
    "ApproximateDP",
    "ControlFlowError",
    "ExactLedger",
    "GaussianDP",
    "GivenDrawsLedger",
    "Guarantee",
    "Ledger",
    "Left",
    "LimitExceeded",
    "Model",
    "MutatedLedger",
    "NoiselessLedger",
    "PureDP",
    "RecordingLedger",
    "Relation",
    "RenyiDP",
    "ReplayLedger",
    "Spent",
    "Transcript",
    "open_ledger",
]
