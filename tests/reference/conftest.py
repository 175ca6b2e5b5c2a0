"""Calls of the catalogue's algorithms as their audits make them, and changed ones."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from auditor.cases import build_case
from reference.catalogue import entry
from reference.parameters import ParameterError
from reference.privacy.ledger import RecordingLedger


def _arguments_of(identifier: str) -> dict[str, Any]:
    """Return the arguments with which the corrected form's case calls the algorithm.

    Read off the call itself: with something that is no ledger it ends at its first line.
    """
    function = entry(identifier).function
    form = build_case(identifier).forms["corrected"]
    with pytest.raises(TypeError, match="ledger must be") as caught:
        form.run(form.pair[0], "no ledger")
    code = inspect.unwrap(function).__code__
    (call,) = (f.frame.raw for f in caught.traceback if f.frame.raw.f_code is code)
    return {name: call.f_locals[name] for name in inspect.signature(function).parameters}


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
