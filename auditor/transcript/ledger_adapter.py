"""Adapt mechanism(data, ledger) to the mechanism(data, rng) interface."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor.core.context import LedgerKind
from auditor.runs.instrument import Instrumented
from auditor.runs.runner import MechanismFunction
from auditor.transcript.ledgers import ledgers_of, live_ledger

# Every worker of such a mechanism loads this module, and so what it imports.


def with_generator(mechanism: MechanismFunction, kind: LedgerKind) -> MechanismFunction:
    """Adapt a mechanism that takes a ledger, of a kind, to one that takes a generator."""
    return partial(_run, mechanism, kind)


def _run(
    mechanism: MechanismFunction, kind: LedgerKind, data: Any, rng: np.random.Generator
) -> Any:
    # of code that knows no ledger, the black box should see the noise that it draws itself
    releasing = mechanism.plain if isinstance(mechanism, Instrumented) else mechanism
    with ledgers_of(kind):
        ledger = live_ledger(rng)
    return releasing(data, ledger)
