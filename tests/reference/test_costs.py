"""No integer makes a run hang: what takes hours or all memory is refused before any release."""

from __future__ import annotations

import inspect
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import pytest

from reference.catalogue import entries, entry
from reference.privacy.ledger import RecordingLedger

SECONDS = 5.0
"""Seconds after which a run counts as hung: the slowest of these takes a tenth of a second."""
LARGE = (10**9, sys.maxsize)


@contextmanager
def in_time(what: str) -> Iterator[None]:
    """Fail if the block takes more than :data:`SECONDS`."""

    def late(*_: object) -> None:
        pytest.fail(f"{what} took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def runs_or_is_refused(identifier: str, arguments: dict[str, Any], name: str) -> None:
    """Run an algorithm: it ends in time, or with a ValueError that names the integer."""
    ledger, message = RecordingLedger(0), None
    with in_time(f"{identifier} with {name}"):
        try:
            entry(identifier).function(**{**arguments, "ledger": ledger})
        except ValueError as error:
            message = str(error)
    if message is not None:
        # data that do not have that dimension are refused by their own name
        assert name in message or (name == "dimension" and "features" in message)
        assert not ledger.transcript.entries, "refused after a release"


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("identifier", list(entries()))
def test_large_integers_are_refused_or_cost_nothing(identifier, large, arguments_of):
    arguments = arguments_of(identifier)
    parameters = inspect.signature(entry(identifier).function).parameters.values()
    for name in [p.name for p in parameters if p.annotation in ("int", "int | None")]:
        runs_or_is_refused(identifier, {**arguments, name: large}, name)


WITH_CONSTANTS = [
    identifier
    for identifier in entries()
    if "constants" in inspect.signature(entry(identifier).function).parameters
]


@pytest.mark.parametrize("identifier", WITH_CONSTANTS)
def test_large_integers_among_the_constants_are_refused_or_cost_nothing(identifier, arguments_of):
    # public numbers of a given shape would be refused for that
    arguments = {**arguments_of(identifier), "public_noise": None}
    known = inspect.signature(entry(identifier).function).parameters
    arguments = {name: arguments[name] for name in known}
    ledger = RecordingLedger(0)
    entry(identifier).function(**{**arguments, "ledger": ledger})
    chosen = ledger.transcript.fixed[0].constants
    for field in fields(chosen):
        for large in LARGE if field.type == "int" else ():
            changed = replace(chosen, **{field.name: large})
            runs_or_is_refused(identifier, {**arguments, "constants": changed}, field.name)
