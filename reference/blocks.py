"""Splitting of the records into disjoint blocks, one per iteration."""

from __future__ import annotations

from typing import Any

from reference._validation import require_count


def disjoint_blocks(n: int, count: int) -> list[slice]:
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

    Returns
    -------
    list of slice

    Raises
    ------
    ValueError, TypeError
        If ``count`` is not such a number.
    """
    size = n // require_count("the number of blocks", count, at_most=n)
    return [slice(k * size, (k + 1) * size) for k in range(count)]


def take_records(records: Any, block: slice) -> Any:
    """Return the records of one block, of an array or of a tuple of arrays of equal length."""
    if isinstance(records, tuple):
        return tuple(part[block] for part in records)
    return records[block]
