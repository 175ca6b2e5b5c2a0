"""Hints for mechanisms that read records where a data set is a tuple of columns.

That is so of a :class:`~auditor.core.neighbours.Product`. A mechanism that unpacks each record
fails on columns, unless there are as many records as parts: then it runs, on numbers of several
records.
So it is tried once on another number of records.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from auditor.checking.source import OutputSource
from auditor.core.errors import InputError
from auditor.core.neighbours import Neighbourhood, Product
from auditor.runs.blocks import Block, Outputs
from auditor.runs.clock import Clock

UNPACKED = "values to unpack"
"""Words of the exception when a column is unpacked like a record."""


@contextmanager
def reading_columns(domain: Any) -> Iterator[None]:
    """Say what a data set is where a mechanism fails on records with several parts."""
    try:
        yield
    except InputError as error:
        if not isinstance(domain, Product) or UNPACKED not in str(error):
            raise
        raise InputError(
            f"{error}; a data set of a Product is a tuple of {len(domain.parts)} columns, "
            "(x, y, ...), with one entry a record: zip(*data) gives the records"
        ) from error


def require_columns(source: OutputSource, candidates: Any, seed: int) -> None:
    """Run a mechanism once if there are as many records as parts, on one record more.

    Raises
    ------
    InputError
        If it unpacks columns like records. Other failures may be about the number of records.
    """
    if not isinstance(candidates, Neighbourhood) or not isinstance(candidates.domain, Product):
        return
    domain, n = candidates.domain, candidates.records
    if n != len(domain.parts):
        return
    record = domain.landmarks()[0]
    pair = replace(candidates, n=n + 1).pair([record] * (n + 1), 0, domain.landmarks()[-1])
    sampler = source.sampler(pair, seed, Clock())
    try:
        list(sampler.draw([Block(0, 0, 1)], _seen))
    except InputError as error:
        if UNPACKED in str(error):
            raise
    finally:
        sampler.close()


def _seen(outputs: Outputs) -> int:
    return len(outputs)
