"""Random bytes: the system's, or known ones for tests."""

from __future__ import annotations

import hashlib
import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reference._validation import IntArray

WORD = 64
"""Bits of a word."""

RandomWords = NDArray[np.uint64]


class ByteSource(Protocol):
    """A source of random bytes."""

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""

    def spawn(self, count: int) -> list[ByteSource]:
        """Return sources that are independent of this one and of each other."""


class SystemBytes:
    """Bytes of the operating system's generator, which is cryptographic."""

    def take(self, count: int) -> bytes:
        """Return ``count`` bytes of :func:`os.urandom`."""
        return os.urandom(count)

    def spawn(self, count: int) -> list[ByteSource]:
        """Return sources of the same kind: no state is shared."""
        return [SystemBytes() for _ in range(count)]


class KnownBytes:
    """Bytes that follow from a seed, for tests and vectors: who knows the seed knows the noise.

    Each call returns SHAKE-128 of the seed and of the number of the call.

    Parameters
    ----------
    seed : int or str
    """

    def __init__(self, seed: int | str) -> None:
        self._seed, self._calls, self._spawned = str(seed), 0, 0

    def take(self, count: int) -> bytes:
        """Return the bytes of the next call."""
        self._calls += 1
        return hashlib.shake_128(f"{self._seed}/{self._calls}".encode()).digest(count)

    def spawn(self, count: int) -> list[ByteSource]:
        """Return sources with seeds of their own, which follow from this one."""
        first = self._spawned
        self._spawned += count
        return [KnownBytes(f"{self._seed}:{first + i}") for i in range(count)]


class RandomBits:
    """Random words and integers of a source of bytes.

    Parameters
    ----------
    source : ByteSource
    """

    def __init__(self, source: ByteSource) -> None:
        self.source = source

    def words(self, size: int) -> RandomWords:
        """Return independent uniform 64-bit words."""
        return np.frombuffer(self.source.take(8 * size), dtype="<u8").astype(np.uint64, copy=False)

    def word(self) -> int:
        """Return one uniform 64-bit word."""
        return int.from_bytes(self.source.take(8), "little")

    def below(self, bound: int) -> int:
        """Return a uniform integer in [0, bound), whatever the size of ``bound`` >= 1."""
        width = (bound - 1).bit_length()
        while True:
            drawn = int.from_bytes(self.source.take((width + 7) // 8), "little") >> (-width % 8)
            if drawn < bound:
                return drawn

    def integers(self, bound: int, size: int) -> IntArray:
        """Return independent uniform integers in [0, bound), 1 <= bound < 2^63.

        Words beyond the last multiple of ``bound`` are drawn again: their remainders would make
        small integers likelier.
        """
        most = np.uint64(2**WORD // bound * bound - 1)
        words = self.words(size).copy()
        while (beyond := words > most).any():
            words[beyond] = self.words(int(np.count_nonzero(beyond)))
        return (words % np.uint64(bound)).astype(np.int64)

    def subset(self, population: int, size: int) -> IntArray:
        """Return ``size`` different integers in [0, population), every ordered choice as likely.

        Of many integers, these are the first in the order of random words; of few, integers are
        drawn one by one and repetitions dropped.
        """
        if 2 * size > population:
            while True:
                words = self.words(population)
                order = np.argsort(words, kind="stable")
                ranked = words[order]
                if not (ranked[1:] == ranked[:-1]).any():
                    return order[:size].astype(np.int64)
        drawn = np.empty(0, dtype=np.int64)
        while drawn.size < size:
            more = np.concatenate([drawn, self.integers(population, size + 16)])
            drawn = more[np.sort(np.unique(more, return_index=True)[1])]
        return drawn[:size]
