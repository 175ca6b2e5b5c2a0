"""The query that the mechanisms of chapter 2 release here: a sum of bounded records."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_magnitude
from reference.clipping import clip_entries


def bounded_records(data: ArrayLike, bound: float) -> FloatArray:
    """Return records of shape (n, p) with their entries cut to [-bound, bound], or raise.

    Replacing a record then moves every entry of their sum by at most 2 bound: the sum by
    2 p bound in l1 and 2 sqrt(p) bound in l2.

    Parameters
    ----------
    data : array_like of shape (n, p)
    bound : float
        > 0, public.
    """
    records = require_array("data", data, ndim=2)
    require_magnitude("bound", bound)
    return clip_entries(records, bound)
