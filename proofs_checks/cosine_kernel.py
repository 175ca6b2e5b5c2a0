"""The minimum of a sum of cosines, to more digits than doubles have."""

from __future__ import annotations

from decimal import Decimal

import numpy as np


def least_kernel(q: int) -> Decimal:
    """Return the minimum over x = cos(phi) of the sum of cos(v phi), v < q, to 30 digits."""

    def kernel(x: Decimal) -> Decimal:
        values = [Decimal(1), x]
        for _ in range(2, q):
            values.append(2 * x * values[-1] - values[-2])
        return sum(values[:q], Decimal())

    grid = np.linspace(-1, 1, 100 * q)
    best = int(np.argmin(np.polynomial.chebyshev.chebval(grid, np.ones(q))))
    low, high = (Decimal(grid[min(max(best + k, 0), len(grid) - 1)]) for k in (-1, 1))
    for _ in range(100):  # a third less each time
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if kernel(first) < kernel(second) else (first, high)
    return kernel(low)
