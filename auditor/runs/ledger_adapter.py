"""Adapt mechanism(data, ledger) to the mechanism(data, rng) interface."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor.runs.instrument import Instrumented
from auditor.runs.runner import MechanismFunction
from reference.privacy.ledger import Ledger

# Every worker of such a mechanism loads this module, and so what it imports.


def with_generator(mechanism: MechanismFunction) -> MechanismFunction:
    """Adapt a mechanism that takes a ledger to one that takes a generator."""
    return partial(_run, mechanism)


def _run(mechanism: MechanismFunction, data: Any, rng: np.random.Generator) -> Any:
    # of code that knows no ledger, the black box should see the noise that it draws itself
    releasing = mechanism.plain if isinstance(mechanism, Instrumented) else mechanism
    return releasing(data, Ledger(rng))
