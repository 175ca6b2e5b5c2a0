"""Calls of the catalogue's algorithms as their audits make them, and changed ones."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np
import pytest

from auditor.described import build_case
from auditor.described.build import Call
from reference.catalogue import entry
from reference.parameters import ParameterError
from reference.privacy.ledger import RecordingLedger


@cache
def _usual(identifier: str) -> dict[str, Any]:
    """Return the arguments with which the corrected form's case calls the algorithm."""
    function = entry(identifier).function
    form = build_case(identifier).forms["corrected"]
    call = form.run
    assert isinstance(call, Call)
    # zhang-1 releases a vector, which its case makes of records
    data = form.pair[0] if call.function is function else np.mean(form.pair[0], axis=0)
    parameters = inspect.signature(function).parameters
    usual = {name: given.default for name, given in parameters.items()}
    given = dict(zip(parameters, (data, *call.arguments), strict=False))
    return {**usual, **given, **call.parameters, "ledger": None}


def _arguments_of(identifier: str) -> dict[str, Any]:
    """Return these arguments in a dictionary of the caller's own."""
    return dict(_usual(identifier))


def _refusal(identifier: str, changes: dict[str, Any]) -> str:
    """Return the message with which changed arguments are refused, before any release."""
    ledger = RecordingLedger(0)
    arguments = {**_arguments_of(identifier), **changes, "ledger": ledger}
    with pytest.raises((TypeError, ValueError)) as caught:
        entry(identifier).function(**arguments)
    own = isinstance(caught.value, ParameterError) or caught.type in (TypeError, ValueError)
    assert own, "an error of its own, not one of numpy's"
    assert not ledger.transcript.entries, "refused after a release"
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300
    return message


@pytest.fixture(scope="session")
def arguments_of() -> Any:
    return _arguments_of


@pytest.fixture(scope="session")
def refusal() -> Any:
    return _refusal
