"""Blocks of runs of a mechanism, and what comes out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.core.sides import SIDES

Outputs = NDArray[Any] | Sequence[Any]
"""Outputs of several runs: an array with a leading axis of runs, or a list of any objects."""


@dataclass(frozen=True)
class Block:
    """Runs ``start`` to ``start + size - 1`` on data set ``side`` (0 is D, 1 is D')."""

    side: int
    start: int
    size: int

    def seed_sequence(self, seed: int) -> np.random.SeedSequence:
        """Return the seed of this block."""
        return np.random.SeedSequence(seed, spawn_key=(self.side, self.start))

    def __str__(self) -> str:
        last = self.start + self.size - 1
        runs = f"run {last}" if self.size == 1 else f"runs {self.start} to {last}"
        return f"{runs} on {SIDES[self.side]}"


@dataclass(frozen=True)
class Raised:
    """The outcome of a run that raised: an output like any other."""

    name: str
