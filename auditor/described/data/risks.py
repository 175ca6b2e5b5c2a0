"""Users' losses on [0, 1]^p, as the mechanisms on a grid of section 5.1 are audited with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from auditor import Data
from reference._validation import FloatArray
from reference.local.bernstein import Minimum
from reference.local.partition import means_by_part
from reference.local.risks import MeanSquaredDistance, minimum_of
from reference.privacy.ledger import Ledger

SQUARE = MeanSquaredDistance(1)
"""On the grid {0, 1} the records 0 and 1 have losses (0, 1) and (1, 0): the largest distance."""
OPTIMUM = 0.3
"""The record of every user in the recipes: the risk is (w - 0.3)^2, least there and 0."""


def unclipped_values(point: FloatArray, data: Data) -> FloatArray:
    """Return the values of :data:`SQUARE` at points for each user, which nobody clipped."""
    return SQUARE.values(np.broadcast_to(point, (len(data), 1)), data)


def value_error(
    function: Callable[..., Minimum], ledger: Ledger, *, n: float, **parameters: Any
) -> float:
    """Return by how much the least value of the polynomial is off that of the risk, which is 0.

    At most sup |polynomial - risk|, and linear in the noise where the excess risk is a square.
    """
    found = function(np.full((int(n), 1), OPTIMUM), SQUARE, **parameters, ledger=ledger)
    return abs(found.value)


class Level:
    """l(w; x) = x_1 for every w: a flat risk."""

    dimension = 1

    def values(self, points: FloatArray, records: FloatArray) -> FloatArray:
        """Return the first entry of every record."""
        del points
        return records[:, 0]


def level_error(
    function: Callable[..., Minimum], ledger: Ledger, *, n: float, **parameters: Any
) -> float:
    """Return by how much the least value of the polynomial is off a flat risk of 0.8.

    It is the least value of the noise's polynomial: proportional to the noise at every size of it.
    """
    data = np.full((int(n), 1), 0.8)
    found = function(data, Level(), order=1, **parameters, ledger=ledger)
    return abs(found.value - 0.8)


def at_zero(found: Minimum) -> float:
    """Return a statistic that is larger where the minimum is at 0, and the deeper it is."""
    depth = 1.0 - min(max(found.value, 0.0), 1.0)
    return depth if found.point[0] < 0.5 else -depth


def server(messages: FloatArray, partition: Any, *, degree: int) -> Minimum:
    """Return the minimum of the polynomial through the mean messages, p = 1."""
    return minimum_of(
        means_by_part(messages, partition),
        degree=degree,
        dimension=1,
        order=1,
        constraint=None,
    )
