"""What a statistical witness carries: the data sets, and the seeds of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from auditor.case import Data
from auditor.neighbours import n_records

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


def describe_seeds(sequence: np.random.SeedSequence) -> dict[str, Any]:
    """Return what :func:`restore_seeds` needs."""
    return {"entropy": sequence.entropy, "spawn_key": list(sequence.spawn_key)}


def restore_seeds(described: Mapping[str, Any], runs: int) -> list[np.random.SeedSequence]:
    """Return the seeds of the runs behind a witness."""
    key = tuple(described["spawn_key"])
    return np.random.SeedSequence(described["entropy"], spawn_key=key).spawn(runs)
