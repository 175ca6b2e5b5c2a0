"""Splitting of the records into disjoint blocks, one per iteration."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from reference._validation import require_count


def disjoint_blocks(n: int, count: int, *, whole: bool = False) -> list[slice]:
    """Return ``count`` consecutive blocks of floor(n/count) records; the remainder is not used.

    The blocks do not depend on the records' values, so that a record is in at most one of them
    and releases on different blocks compose in parallel. The order of the records must not depend
    on their values either: shuffle sorted data first.

    Parameters
    ----------
    n : int
        Number of records.
    count : int
        Number of blocks, 1 <= count <= n.
    whole : bool, default False
        The last block takes the remainder too.

    Returns
    -------
    list of slice

    Raises
    ------
    ValueError, TypeError
        If ``count`` is not such a number.
    """
    size = n // require_count("the number of blocks", count, at_most=n)
    ends = [k * size for k in range(count)] + [n if whole else count * size]
    return [slice(*pair) for pair in pairwise(ends)]


def take_records(records: Any, block: slice) -> Any:
    """Return the records of one block, of an array or of a tuple of arrays of equal length."""
    if isinstance(records, tuple):
        return tuple(part[block] for part in records)
    return records[block]
