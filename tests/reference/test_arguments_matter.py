"""Every algorithm runs with the constants and from the starting point that it is given."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import fields, replace
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from auditor.described import left_out
from reference.catalogue import entries, entry
from reference.constants import PositiveConstants
from reference.privacy.ledger import RecordingLedger

PARAMETERS = {i: inspect.signature(entry(i).function).parameters for i in entries()}


def outcome(identifier: str, arguments: dict[str, Any]) -> str:
    """Return a digest of all that a run released and returned, or why it is refused."""
    ledger = RecordingLedger(5)
    try:
        result = entry(identifier).function(**{**arguments, "ledger": ledger})
    except ValueError as error:
        return f"refused: {error}"
    made = [
        (r.mechanism, r.claim.sensitivity, r.claim.background_sensitivity, r.value, r.output)
        for r in ledger.transcript.releases
    ]
    return sha256(pickle.dumps((result, made))).hexdigest()


def used_constants(identifier: str, arguments: dict[str, Any]) -> PositiveConstants:
    """Return the constants that the algorithm takes of its own accord."""
    ledger = RecordingLedger(0)
    entry(identifier).function(**{**arguments, "ledger": ledger})
    return ledger.transcript.fixed[0].constants  # type: ignore[no-any-return]


@pytest.mark.parametrize("identifier", [i for i in entries() if "constants" in PARAMETERS[i]])
def test_other_constants_give_another_run_or_are_refused(identifier, arguments_of):
    arguments = arguments_of(identifier)
    constants = used_constants(identifier, arguments)
    usual = outcome(identifier, arguments)
    assert not usual.startswith("refused")
    assert outcome(identifier, {**arguments, "constants": constants}) == usual
    numbers = [f.name for f in fields(constants) if isinstance(getattr(constants, f.name), float)]
    assert numbers
    for name in numbers:
        changed = replace(constants, **{name: 0.75 * getattr(constants, name)})
        same = outcome(identifier, {**arguments, "constants": changed}) == usual
        assert same == (f"constants.{name}" in left_out(identifier)), name


@pytest.mark.parametrize("identifier", [i for i in entries() if "initial" in PARAMETERS[i]])
def test_another_starting_point_gives_another_run(identifier, arguments_of):
    arguments = arguments_of(identifier)
    start = arguments["initial"]
    if start is None:  # in the two that have features and labels, and for the tasks of the third
        data = arguments["data"]
        start = np.zeros(np.shape(data[0] if isinstance(data, tuple) else data)[1])
    start = np.array(start, dtype=float)
    usual = outcome(identifier, arguments)
    # where the records of the case are huge, only the sign of the start shows
    others = (
        (0.75 * start, -0.75 * start) if start.any() else (start + 0.01 * np.eye(start.size)[0],)
    )
    runs = [outcome(identifier, {**arguments, "initial": other}) for other in others]
    assert any(run != usual and not run.startswith("refused") for run in runs), runs
