"""What a statistical witness carries: the data sets, and the seeds of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from auditor.core.case import Data
from auditor.core.neighbours import n_records, replace_record

SMALL = 2000
"""Numbers in the two data sets up to which a witness carries them whole."""


def describe_pair(pair: tuple[Data, Data], replaced: int) -> dict[str, Any]:
    """Return the data sets of a witness: whole if small, else the record that differs."""
    parts = [data if isinstance(data, tuple) else (data,) for data in pair]
    if sum(np.size(part) for data in parts for part in data) <= SMALL:
        return {"D": pair[0], "D'": pair[1]}
    rows = [
        [part[replaced] if replaced < n_records(part) else None for part in data] for data in parts
    ]
    return {"replaced": replaced, "record in D": rows[0], "record in D'": rows[1]}


def restore_pair(pair: tuple[Data, Data], witness: Mapping[str, Any]) -> tuple[Data, Data]:
    """Return the data sets of a witness, perhaps read back from JSON.

    Parameters
    ----------
    pair : (Data, Data)
        The form's own, which says whether a data set is an array or a tuple of arrays, and gives
        the records that a witness too large to be carried whole leaves out.
    witness : mapping
        As made by :func:`describe_pair`.
    """
    if "D" in witness:
        return _like(pair[0], witness["D"]), _like(pair[1], witness["D'"])
    index = witness["replaced"]
    rows = (witness["record in D"], witness["record in D'"])
    first, second = (
        replace_record(data, index, tuple(row) if isinstance(data, tuple) else row[0])
        for data, row in zip(pair, rows, strict=True)
    )
    return first, second


def _like(data: Data, stored: Any) -> Data:
    if isinstance(data, tuple):
        return tuple(
            np.asarray(part, dtype=like.dtype) for like, part in zip(data, stored, strict=True)
        )
    return np.asarray(stored, dtype=data.dtype)


def describe_seeds(sequence: np.random.SeedSequence) -> dict[str, Any]:
    """Return what :func:`restore_seeds` needs."""
    return {"entropy": sequence.entropy, "spawn_key": list(sequence.spawn_key)}


def restore_seeds(described: Mapping[str, Any], runs: int) -> list[np.random.SeedSequence]:
    """Return the seeds of the runs behind a witness."""
    key = tuple(described["spawn_key"])
    return np.random.SeedSequence(described["entropy"], spawn_key=key).spawn(runs)
