"""Numbers of runs to ask a program for at once, given how many of its requests fail."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

FEW_FAIL, HALF_FAIL = 1 / 8, 1 / 2
"""Requests may grow while at most the first share of them fails, and shrink from the second on."""
GROWTH, SHRINKAGE = 4, 8
ENOUGH_FAILURES = 16
"""Requests that fail in a wave: as many say enough, and more would take long to start again."""


@dataclass(frozen=True)
class Wave:
    """Blocks whose requests were of one size: runs of each, requests and failed ones by side."""

    size: int
    requests: list[int] = field(default_factory=lambda: [0, 0])
    failed: list[int] = field(default_factory=lambda: [0, 0])

    def share(self) -> float:
        """Return the larger share of failed requests."""
        return max(f / max(1, r) for f, r in zip(self.failed, self.requests, strict=True))


class RequestSizes:
    """Numbers of runs of a request, the same on both sides: they must not tell them apart.

    Of a failing request one run counts as failed. If each of its m runs fails with probability p,
    independently, that is the share (1 - (1 - p)^m) / m of all runs. It is concave in p and 0 at 0,
    so that the ratio of two such shares is at most that of the probabilities, which the claim
    bounds. It is nearly p if few requests fail, and p if m = 1. If it is requests that fail,
    whatever their size, it is right for every m, but shows most for small ones.

    So requests are small at first, grow while few fail, and shrink when half do. They are so many
    that :data:`ENOUGH_FAILURES` are expected to fail in a wave (blocks that begin between two
    powers of two) if as large a share does as before; until any has, twice that number. All
    depends on earlier waves alone, so that runs are the same when they are drawn again from the
    first, and for any number of workers.

    Parameters
    ----------
    first, most : int
        Of the first wave, and of any.
    """

    def __init__(self, first: int, most: int) -> None:
        self._first, self._most = min(first, most), most
        self._waves: dict[int, Wave] = {}

    def wave(self, start: int, runs: int) -> Wave:
        """Return the next wave, of ``runs`` runs on both sides together from ``start`` on."""
        self._waves = {at: wave for at, wave in self._waves.items() if at < start}
        size = self._first
        if self._waves:
            last = self._waves[max(self._waves)]
            size = last.size
            if last.share() <= FEW_FAIL:
                size *= GROWTH
            elif last.share() > HALF_FAIL:
                size //= SHRINKAGE
        size = min(size, int(runs * self._share() / ENOUGH_FAILURES))
        self._waves[start] = Wave(int(np.clip(size, 1, self._most)))
        return self._waves[start]

    def _share(self) -> float:
        """Return the share of requests that failed so far; one half if none has."""
        failed = sum(sum(wave.failed) for wave in self._waves.values())
        requests = sum(sum(wave.requests) for wave in self._waves.values())
        return failed / requests if failed else 0.5
