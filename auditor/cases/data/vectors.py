"""Pairs of data sets of vectors that are all zero but for one record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reference._validation import FloatArray


def one_record(
    n: int, first: Sequence[float], second: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return neighbours of n records, all zero but record 0: ``first`` against ``second``."""
    data = np.zeros((n, len(first)))
    other = data.copy()
    data[0], other[0] = first, second
    return data, other
