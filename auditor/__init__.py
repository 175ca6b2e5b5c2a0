"""An auditor that tries to prove differentially private algorithms wrong.

To check any mechanism::

    import auditor
    verdict = auditor.check(mechanism, pair=(D, D2), epsilon=1.0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.checking.engine import check, check_samples, measure, measure_samples
    from auditor.checking.rerun import rerun
    from auditor.checking.result import CheckResult, Measurement, Rerun
    from auditor.checking.source import Program
    from auditor.conformance.conform import conform
    from auditor.core.errors import InputError
    from auditor.runs.declaration import Primitive
    from auditor.runs.instrument import instrument

# What users call, and where it is. Loaded when first used: the auditor takes a second to load.
_PLACES = {
    "CheckResult": "auditor.checking.result",
    "InputError": "auditor.core.errors",
    "Measurement": "auditor.checking.result",
    "Primitive": "auditor.runs.declaration",
    "Program": "auditor.checking.source",
    "Rerun": "auditor.checking.result",
    "check": "auditor.checking.engine",
    "check_samples": "auditor.checking.engine",
    "conform": "auditor.conformance.conform",
    "instrument": "auditor.runs.instrument",
    "measure": "auditor.checking.engine",
    "measure_samples": "auditor.checking.engine",
    "rerun": "auditor.checking.rerun",
}

__all__ = [
    "CheckResult",
    "InputError",
    "Measurement",
    "Primitive",
    "Program",
    "Rerun",
    "check",
    "check_samples",
    "conform",
    "instrument",
    "measure",
    "measure_samples",
    "rerun",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
