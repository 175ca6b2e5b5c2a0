"""Ranges in which a guarantee holds: those of its numbers, and what the algorithm refuses beyond.

The range of a name is said once, in :mod:`reference.parameters`. Where an algorithm's own is
narrower, only its code says so: it is asked at the ends of the range, and its refusal is quoted.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.core.case import Call, Data, Form
from auditor.core.neighbours import n_records
from reference.parameters import PARAMETERS, Parameter, ParameterError
from reference.privacy.ledger import Ledger
from reference.privacy.ledger.modes import RecordingLedger

NEAREST = 1 - 1e-9
"""Largest number tried below an open upper end, as a multiple of it."""

MANY = 10_000
"""The largest whole number that is tried."""

MADE = frozenset({"constants", "public_noise", "partition"})
"""Arguments that an algorithm can make itself; those of a case may not fit other parameters."""


REFUSALS = (ParameterError, ValueError, ArithmeticError)
"""Exceptions by which an algorithm refuses arguments; the papers' raise the first alone."""


class Accepted(BaseException):
    """The algorithm has validated its arguments: it releases something."""


class StoppingLedger(RecordingLedger):
    """A ledger that ends the run at its first entry."""

    def _release(self, *_: object) -> object:
        raise Accepted

    def _draw_subsample(self, *_: object) -> object:  # type: ignore[override]
        raise Accepted

    def public(self, _: object) -> object:  # type: ignore[override]
        """End the run."""
        raise Accepted


@dataclass(frozen=True)
class Range:
    """The range of one parameter in which a guarantee holds.

    Attributes
    ----------
    name : str
        Of the parameter, or ``"records"``.
    legal : str
        What it may be, wherever a parameter has this name.
    refused : tuple of (float, str)
        Numbers of that range that this algorithm refuses, given the data and the other arguments
        of its case, and what it says.
    """

    name: str
    legal: str
    refused: tuple[tuple[float, str], ...] = ()

    def describe(self) -> str:
        """Return the range in a line."""
        more = "; ".join(f"at {number:g}, {why}" for number, why in self.refused)
        return f"{self.legal}; {more}" if more else self.legal


def ranges(form: Form) -> tuple[Range, ...]:
    """Return the ranges of the numbers that a form's algorithm takes, and of its records.

    Nothing is released: a run ends before its first release.

    Parameters
    ----------
    form : Form
        Without parameters that can be changed, as :func:`auditor.form` keeps them, there are none.
    """
    run, data = form.run, form.pair[0]
    if not isinstance(run, Call):
        return ()
    found = [
        Range(name, legal(PARAMETERS[name]), tuple(_refused(run, data, PARAMETERS[name])))
        for name in inspect.signature(run.function).parameters
        if name in PARAMETERS
    ]
    alone = refusal(changed(run, {}), _first(data))
    return (*found, Range("records", "1 or more", () if alone is None else ((1, alone),)))


def legal(parameter: Parameter) -> str:
    """Return the range of a number in words, with the limits of doubles."""
    low, high = parameter.limits
    if parameter.whole or (low <= parameter.low and high >= parameter.high):
        return parameter.legal
    return f"{parameter.legal}, from {low:g} to {high:g}"


def refusal(run: Call, data: Data) -> str | None:
    """Return why arguments are refused before any release, if they are."""
    ledger: Ledger = StoppingLedger(0)
    try:
        run(data, ledger)
    except REFUSALS as error:
        return reason(error)
    except Accepted:
        pass
    return None


def reason(error: BaseException) -> str:
    """Return what was to be, of a refusal, without what was given."""
    if isinstance(error, ParameterError):
        return f"{error.name} must {error.legal}"
    return str(error)


def _refused(run: Call, data: Data, parameter: Parameter) -> Iterator[tuple[float, str]]:
    for number in ends(parameter):
        why = refusal(changed(run, {parameter.name: number}), data)
        if why is not None:
            yield number, why


def changed(run: Call, changes: Mapping[str, Any]) -> Call:
    """Return a call with other parameters, from which what an algorithm can make follows again."""
    return run.changed({**dict.fromkeys(MADE & run.parameters.keys()), **changes})


def ends(parameter: Parameter) -> tuple[float, float]:
    """Return the smallest and the largest number of a range, or one near the largest."""
    if parameter.whole:
        return int(parameter.low), MANY
    low, high = parameter.limits
    least = max(low, parameter.low) if parameter.closed else max(low, np.finfo(float).tiny)
    return least, min(high, parameter.high * NEAREST if math.isfinite(parameter.high) else math.inf)


def _first(data: Data) -> Data:
    parts = data if isinstance(data, tuple) else (data,)
    first = tuple(part[:1] for part in parts if n_records(part))
    return first if isinstance(data, tuple) else first[0]
