"""Every method of the ledger that releases has vectors, which the reference gives."""

from __future__ import annotations

import inspect

import pytest

from auditor.conformance import mechanisms, store
from reference.privacy.ledger import Ledger


def test_every_release_of_the_ledger_has_vectors() -> None:
    methods = inspect.getmembers(Ledger, inspect.isfunction)
    first = {name: [*inspect.signature(method).parameters, "", ""][1] for name, method in methods}
    releases = {
        name for name, parameter in first.items() if parameter in ("value", "scores", "probability")
    }
    assert set(mechanisms.SETTINGS) == releases


@pytest.mark.parametrize("of", mechanisms.SETTINGS)
def test_is_what_the_reference_makes_of_it_today(of: str) -> None:
    path = store.path_of("mechanisms", of)
    assert path.read_text(encoding="utf-8") == store.generated("mechanisms", of)
    assert [str(gap) for case in store.read(path) if (gap := store.wrong(case))] == []


@pytest.mark.parametrize("of", mechanisms.SETTINGS)
def test_some_case_catches_something(of: str) -> None:
    assert any(case["catches"] for case in store.read(store.path_of("mechanisms", of)))
