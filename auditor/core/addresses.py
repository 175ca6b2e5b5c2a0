"""Addresses of the pages of the site, which never change because others cite them.

An address is the name of a page without its ending, such as ``004/theorem-4.1.6``.
"""

from __future__ import annotations

import re


def of_statement(key: str) -> str:
    """Return the address of a statement: ``"004 Theorem 4.1.6"`` is at ``004/theorem-4.1.6``.

    A display, which is numbered in brackets, is an equation: ``"004 (3.79)"`` is at
    ``004/equation-3.79``.

    Parameters
    ----------
    key : str
        Of :class:`proofs_checks.statement.Statement`.
    """
    paper, _, number = key.partition(" ")
    display = re.fullmatch(r"\(([^()]*)\)", number)
    return f"{paper}/{_word(f'equation {display[1]}' if display else number)}"


def of_erratum(name: str) -> str:
    """Return the address of an erratum: ``errata/wang-2/E2``, ``errata/000-lemma-4/E1``.

    Parameters
    ----------
    name : str
        Of :class:`reference.catalogue.Erratum`, or of one that was withdrawn.
    """
    belongs_to, _, number = name.rpartition("/")
    if " " in belongs_to:
        belongs_to = of_statement(belongs_to).replace("/", "-")
    return f"errata/{belongs_to}/{number}"


def of_algorithm(identifier: str) -> str:
    """Return the address of an entry, or of another number of it: ``algorithms/wang-2``."""
    return f"algorithms/{identifier}"


def of_paper(label: str) -> str:
    """Return the address of a paper with all its statements: ``004/index``."""
    return f"{label}/index"


def relative(page: str, target: str) -> str:
    """Return the link from one page to another, as files: both are addresses."""
    up = "../" * page.count("/")
    return f"{up}{target}.html"


def _word(text: str) -> str:
    """Return a text as part of an address: small letters, digits, dots and hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.casefold()).strip("-.")
