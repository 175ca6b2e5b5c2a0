"""The registry: what an entry must say, and lookup."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference import catalogue
from reference.catalogue import (
    SEEDS,
    Entry,
    Erratum,
    Source,
    UnknownAlgorithmError,
    entries,
    entry,
)
from reference.privacy.guarantees import Model, Relation

ERRATUM = Erratum(2, "privacy", "misprint", "as printed", "true", "numbers", "audit:printed/x")
ENTRY = Entry(
    id="toy-1",
    name="Toy",
    sources=(Source("004", "Algorithm 1", "1-2"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP",
    utility_claim="none stated",
    function=lambda: None,
    aliases=("toy-one",),
    errata=(ERRATUM,),
)


def test_every_entry_is_complete_and_findable() -> None:
    known = entries()
    assert known
    assert list(known) == sorted(known)
    names = [name for e in known.values() for name in (e.id, *e.aliases)]
    assert len(names) == len(set(names))
    for identifier, e in known.items():
        assert entry(identifier) is e
        assert all(entry(alias) is e for alias in e.aliases)
        assert callable(e.function)
        assert e.function.__doc__
        assert e.sources
        assert e.name
        assert e.privacy_claim
        assert e.utility_claim
        # an entry with two sources numbers the errata of each card from one
        stated = [(erratum.number, erratum.statement) for erratum in e.errata]
        assert len(stated) == len(set(stated))
        for erratum in e.errata:
            assert erratum.reproduced_by.startswith(("audit:", "proofs:", "test:"))
            assert erratum.statement
            assert erratum.truth
            assert erratum.witness


def test_unknown_ids_name_the_known_ones() -> None:
    with pytest.raises(
        UnknownAlgorithmError, match=r"unknown algorithm 'nonsense'; known: .*wang-1"
    ):
        entry("nonsense")


def test_errata_by_number() -> None:
    assert ENTRY.erratum(2) is ERRATUM
    with pytest.raises(KeyError, match="no erratum 1"):
        ENTRY.erratum(1)


def test_sources_name_a_known_seed() -> None:
    assert set(SEEDS) == {"000", "001", "002", "003", "004"}
    with pytest.raises(ValueError, match="unknown seed '005'"):
        Source("005", "Algorithm 1", "1")


def test_the_same_id_twice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Module:
        __path__ = ("somewhere",)
        __name__ = "reference.em"
        ENTRY = replace(ENTRY, id="twice")

    class Info:
        name = "module"

    monkeypatch.setattr(catalogue.importlib, "import_module", lambda name: Module)
    monkeypatch.setattr(catalogue.pkgutil, "iter_modules", lambda path: [Info])
    with pytest.raises(RuntimeError, match="two entries are called 'twice'"):
        catalogue.entries.__wrapped__()
