"""Bounds on the effect of floating-point rounding on a privacy loss."""

from __future__ import annotations

import math

import numpy as np

from auditor.mechanisms import rounding_allowance
from reference.privacy.ledger import Release


def loss_rounding(first: Release, second: Release, n: int) -> float:
    """Bound the part of a release's privacy loss that the rounding of the query can have made.

    What a sensitivity larger by :func:`~auditor.mechanisms.rounding_allowance` would cost more, for
    a mechanism of finite pure cost; 0 for others.

    Parameters
    ----------
    first, second : Release
        The same release under the two data sets.
    n : int
        Number of records.
    """
    assert first.value is not None
    assert second.value is not None
    claimed = first.claim.sensitivity
    if not math.isfinite(claimed) or np.array_equal(first.value, second.value):
        return 0.0
    with np.errstate(divide="ignore"):  # a bit that is certain under one data set
        allowance = rounding_allowance(first, second, n, claimed)
    cost = first.mechanism.cost(claimed).pure
    if not math.isfinite(cost):
        return 0.0
    return first.mechanism.cost(claimed + allowance).pure - cost
