"""Public random partitions of users, each part of whom answers one question."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, IntArray, ParameterValueError, require_array
from reference.privacy.ledger import Ledger


def random_partition(rng: np.random.Generator, n: int, parts: int) -> IntArray:
    """Return the part of each of n users: parts as equal as can be, in random order."""
    return rng.permutation(n) % parts


def open_partition(partition: ArrayLike | None, n: int, parts: int, ledger: Ledger) -> IntArray:
    """Return the given part of every user, or a random one that the ledger publishes.

    Every part must have a user, or its mean would have none to be estimated from; that depends on
    public numbers alone.

    Raises
    ------
    ValueError, TypeError
        Before anything is drawn.
    """
    if n < parts:
        raise ParameterValueError("data", f"have a record for each of {parts} parts", got=f"{n}")
    if partition is None:
        return ledger.public(lambda rng: random_partition(rng, n, parts))
    given = require_array("partition", partition, ndim=1, shape=(n,))
    if not np.array_equal(np.unique(given), np.arange(parts)):
        raise ParameterValueError(
            "partition", f"hold every integer from 0 to {parts - 1}, and no other"
        )
    return given.astype(np.int64)


def means_by_part(messages: FloatArray, partition: IntArray) -> FloatArray:
    """Return the mean message of every part."""
    found: FloatArray = np.bincount(partition, weights=messages) / np.bincount(partition)
    return found
