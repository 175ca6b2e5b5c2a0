"""Vectors: pairs that are all zero but for one record, gross errors, and distances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auditor.core.case import Data
from auditor.core.neighbours import replace_record
from reference._validation import FloatArray


def one_record(
    n: int, first: Sequence[float], second: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return neighbours of n records, all zero but record 0: ``first`` against ``second``."""
    data = np.zeros((n, len(first)))
    other = data.copy()
    data[0], other[0] = first, second
    return data, other


def thousandfold(data: Data, index: int) -> tuple[Data, int]:
    """Return the neighbour in which a record is a thousand times too large, a gross error."""
    if isinstance(data, tuple):
        return replace_record(data, index, tuple(1000 * part[index] for part in data)), index
    return replace_record(data, index, 1000 * data[index]), index


def relative_distance(private: FloatArray, baseline: FloatArray) -> float:
    """Return ||private - baseline|| / ||baseline||, of matrices in the Frobenius norm."""
    return float(np.linalg.norm(private - baseline) / np.linalg.norm(baseline))
