"""Manifests of libraries: a TOML file each, from which environments and the page are made.

To add a library, write ``manifests/KEY.toml`` (its fields are those of :class:`Library`) and
``KEY_subjects.py``, whose ``subjects()`` yields a
:class:`~benchmarks.libraries.subject.Subject` for every mechanism: what is called, on which pair,
and what the library claims of it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

MANIFESTS = Path(__file__).parent / "manifests"


@dataclass(frozen=True)
class Library:
    """A library that is checked.

    Attributes
    ----------
    title : str
        Its name and version.
    requirements : list of str
        Pinned; the first is the library itself.
    neighbours : str
        What its claims are about, in Markdown.
    left_out : str
        What is not checked, in Markdown, as the end of "Left out: ".
    """

    title: str
    requirements: list[str]
    neighbours: str
    left_out: str


def libraries() -> dict[str, Library]:
    """Return all libraries by key."""
    return {
        path.stem: Library(**tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted(MANIFESTS.glob("*.toml"))
    }
