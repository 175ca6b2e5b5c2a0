"""Numbers of which a theorem assumes something: computed or checked apart from the code."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from reference.local.one_bit_bernstein_mechanism import bit_loss
from reference.local.selected_noise_bernstein_mechanism import Constants, index_sensitivity

COIN = Decimal(2) ** -48
"""Most that a loss may count for rounding: four of what the code allows for a coin of doubles."""


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


def stated_bit_loss(bit_epsilon: float) -> float:
    """Return the loss that the code states for a bit, if e^epsilon_0 <= 2 - e^-loss, but closely.

    Raises
    ------
    ValueError
        If it is another.
    """
    loss = bit_loss(bit_epsilon)
    over = 2 - (-Decimal(loss)).exp() - Decimal(bit_epsilon).exp()
    if not 0 <= over <= COIN:
        raise ValueError(f"2 - e^-loss - e^epsilon_0 must be in [0, {COIN:.3g}], got {over:.3g}")
    return loss


def stated_index_move(constants: Constants) -> float:
    """Return by how much the code says that log-probabilities of an index move, if 2 bases.

    Raises
    ------
    ValueError
        If it is less, or more by other than rounding.
    """
    moved, most = index_sensitivity(constants), constants.n_candidates * float(COIN)
    over = moved - 2 * constants.base_epsilon
    if not 0 <= over <= most:
        raise ValueError(f"moved - 2 base must be in [0, {most:.3g}], got {over:.3g}")
    return moved
