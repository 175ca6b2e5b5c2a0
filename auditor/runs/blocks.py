"""Blocks of runs of a mechanism, and what comes out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.core.pair_names import SIDES

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

    def randomness(self, seed: int) -> Randomness:
        """Return where the generator of this block starts."""
        sequence = self.seed_sequence(seed)
        bits = np.random.PCG64(sequence)
        entropy = int.from_bytes(sequence.generate_state(8).tobytes(), "little")
        return Randomness(bits.state, entropy)

    def __str__(self) -> str:
        last = self.start + self.size - 1
        runs = f"run {last}" if self.size == 1 else f"runs {self.start} to {last}"
        return f"{runs} on {SIDES[self.side]}"


@dataclass(frozen=True)
class Randomness:
    """A generator that does not tell whose it is: the seed of a block names its side.

    Attributes
    ----------
    state : dict
        Of the bit generator.
    entropy : int
        Seed of the generators that are spawned from it.
    """

    state: Any
    entropy: int

    def generator(self) -> np.random.Generator:
        """Return the generator of ``default_rng(seed_sequence)`` of the block."""
        bits = np.random.PCG64(np.random.SeedSequence(self.entropy))
        bits.state = self.state
        return np.random.Generator(bits)


@dataclass(frozen=True)
class Raised:
    """The outcome of a run that raised: an output like any other."""

    name: str


def joined(parts: Sequence[Outputs]) -> Outputs:
    """Return blocks of outputs as one: an array if all are arrays of one shape, else a list."""
    if all(isinstance(part, np.ndarray) for part in parts):
        shapes = {np.shape(part)[1:] for part in parts}
        if len(shapes) == 1:
            return np.concatenate(parts) if len(parts) > 1 else parts[0]
    return [output for part in parts for output in part]
