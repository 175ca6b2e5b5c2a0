"""Addresses are what others cite: each is there once, and does not change."""

from __future__ import annotations

import re

import pytest

from auditor.core import addresses
from auditor.site.worst_errors import ERRORS
from proofs_checks.statement import statements
from reference.catalogue import PAPERS, entries, errata, withdrawn


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("004 Theorem 4.1.6", "004/theorem-4.1.6"),
        ("000 Theorem 4", "000/theorem-4"),
        ("004 (3.79)", "004/equation-3.79"),
        ("002 (36)-(39)", "002/36-39"),
        ("000 (18), sensitivity", "000/18-sensitivity"),
        ("004 l.1187 (phi)", "004/l.1187-phi"),
        ("004 Proof of Lemma 5.1.8", "004/proof-of-lemma-5.1.8"),
    ],
)
def test_addresses_of_statements(key: str, address: str) -> None:
    assert addresses.of_statement(key) == address


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("wang-2/E2", "errata/wang-2/E2"),
        ("000 Lemma 4/E1", "errata/000-lemma-4/E1"),
        ("004 (5.49)/E1", "errata/004-equation-5.49/E1"),
        ("diss-6.3.51-W1/E1", "errata/diss-6.3.51-W1/E1"),
    ],
)
def test_addresses_of_errata(name: str, address: str) -> None:
    assert addresses.of_erratum(name) == address


def test_every_address_is_there_once() -> None:
    known = entries().values()
    found = [addresses.of_statement(item.key) for item in statements()]
    found += [addresses.of_erratum(name) for name in (*errata(), *withdrawn())]
    found += [addresses.of_algorithm(name) for e in known for name in (e.id, *e.aliases)]
    found += [addresses.of_paper(label) for label in PAPERS]
    # a file system that ignores case must keep them apart, too
    assert len({address.casefold() for address in found}) == len(found)
    assert all(re.fullmatch(r"[A-Za-z0-9./-]+", address) for address in found)


def test_links_are_relative() -> None:
    assert addresses.relative("004/index", "004/theorem-4.1.6") == "../004/theorem-4.1.6.html"
    assert addresses.relative("index", "papers") == "papers.html"
    assert addresses.relative("errata/wang-2/E2", "000/index") == "../../000/index.html"


def test_the_errors_that_matter_are_fifteen_of_the_worst() -> None:
    assert len(ERRORS) == 15
    known = errata()
    for name, (title, words) in ERRORS.items():
        assert known[name].severity in ("S1", "S2"), name
        assert not known[name].copy_of, name
        assert len(title) < 80
        assert 120 < len(words) < 500
    grades = [known[name].severity for name in ERRORS]
    assert grades == sorted(grades)
