"""The output rule of Wang (2020), section 4.1: an iterate chosen uniformly at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reference._validation import FloatArray
from reference.privacy.ledger import Ledger


@dataclass(frozen=True)
class RandomIterate:
    """An iterate chosen at random, with the path it was chosen from.

    The guarantees of section 4.1 cover the whole path. (Choosing the iterate with the smallest
    gradient norm instead would not be private: Remark 4.1.1.)

    Attributes
    ----------
    output : ndarray of shape (p,)
        x_R, what the printed algorithms return.
    index : int
        R, in {1, ..., T}.
    path : ndarray of shape (T + 1, p)
        x_1, ..., x_{T+1}.
    """

    output: FloatArray
    index: int
    path: FloatArray


def choose_iterate(path: Sequence[FloatArray], ledger: Ledger) -> RandomIterate:
    """Draw R uniformly from {1, ..., T}, publicly, and return x_R; the path is x_1..x_{T+1}."""

    def draw(rng: np.random.Generator) -> int:
        return 1 + int(rng.integers(len(path) - 1))

    index = ledger.public(draw)
    return RandomIterate(path[index - 1], index, np.array(path))
