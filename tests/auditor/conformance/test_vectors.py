"""The files of vectors of every kind: made again from the reference they are the same."""

from __future__ import annotations

import importlib
import inspect
import json
from typing import Any

import pytest

from auditor.conformance import accounting, mechanisms, store
from auditor.conformance.kinds import NAMES
from auditor.described import modules, raised
from reference.privacy.ledger import Ledger

VERIFIED = ("constants",)
"""Kinds that take too long to make again; CI asks their results: ``touchstone vectors verify``."""


@pytest.mark.parametrize(
    ("kind", "of"),
    [(kind, of) for kind, of, _ in store.files() if kind not in VERIFIED],
)
def test_is_what_the_reference_makes_of_it_today(
    kind: str, of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regenerated, a file is the same to the last byte, the mutants that it names included."""
    path = store.path_of(kind, of)
    if of == "tight":  # whose misreadings take half a minute: those of the file are taken over
        known = {case["id"]: case["catches"] for case in store.read(path)}
        monkeypatch.setattr(accounting, "first_noticed", lambda case, _: known[case["id"]])
    kept, made = path.read_text(encoding="utf-8"), store.generated(kind, of)
    if of in UNSTEADY:
        kept, made = (json.dumps(_without_catches(json.loads(text))) for text in (kept, made))
    assert kept == made


UNSTEADY = ("diss-5.1.37",)
"""Vectors of which some processors notice one broken twin more: it is not named."""


def _without_catches(content: dict[str, Any]) -> dict[str, Any]:
    cases = [{**case, "catches": []} for case in content["cases"]]
    return {**content, "cases": cases}


@pytest.mark.parametrize("of", modules())
def test_versions_are_raised_of_vectors_that_there_are(of: str) -> None:
    assert set(raised(of)) <= {kind for kind, name, _ in store.files() if name == of}
    module = importlib.import_module(modules()[of])
    assert set(getattr(module, "RAISED", {})) <= set(module.CASES)


@pytest.mark.parametrize("kind", sorted({*NAMES} - {"algorithms", "accounting", *VERIFIED}))
def test_the_reference_conforms(kind: str, vectors: Any) -> None:
    cases = [case for (name, _), found in vectors.items() if name == kind for case in found]
    assert cases
    assert [str(gap) for case in cases if (gap := store.wrong(case))] == []


def test_every_release_of_the_ledger_has_vectors_and_one_that_catches_something(
    vectors: Any,
) -> None:
    methods = inspect.getmembers(Ledger, inspect.isfunction)
    first = {name: [*inspect.signature(method).parameters, "", ""][1] for name, method in methods}
    releases = {
        name for name, parameter in first.items() if parameter in ("value", "scores", "probability")
    }
    assert set(mechanisms.SETTINGS) == releases
    for of in releases:
        assert any(case["catches"] for case in vectors["mechanisms", of]), of
