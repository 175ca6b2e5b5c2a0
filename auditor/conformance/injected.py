"""A generator whose numbers are the draws of a case, for ports that insist on drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Size = int | tuple[int, ...] | None


class InjectedGenerator:
    """Answers like a :class:`numpy.random.Generator`, with given draws in place of random numbers.

    Noise is standardised in a case: what is asked for with a location and a scale is the next
    draws, shifted and scaled. Calls may cut the draws differently than the reference does, such
    as one number at a time, as long as their order is the same.

    Parameters
    ----------
    draws : sequence
        Of a case.
    """

    def __init__(self, draws: Sequence[Any]) -> None:
        self._numbers = _flat(draws)
        self._left = sum(1 for _ in _flat(draws))

    def _next(self, size: Size) -> Any:
        count = 1 if size is None else math.prod((size,) if isinstance(size, int) else size)
        if count > self._left:
            raise ValueError(f"{count} draws are asked for, {self._left} are left")
        self._left -= count
        taken = np.array([next(self._numbers) for _ in range(count)])
        return taken[0] if size is None else taken.reshape(size)

    def standard_normal(self, size: Size = None) -> Any:
        """Return the next draws."""
        return self._next(size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Any:
        """Return loc + scale times the next draws."""
        return loc + scale * self._next(size)

    laplace = gumbel = normal

    def random(self, size: Size = None) -> Any:
        """Return the next draws, which are in [0, 1)."""
        return self._next(size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Size = None) -> Any:
        """Return low + (high - low) times the next draws."""
        return low + (high - low) * self._next(size)

    def integers(self, low: int, high: int | None = None, size: Size = None) -> Any:
        """Return the next draws, which are indices."""
        del low, high
        return self._next(size)

    def choice(self, a: Any, size: Size = None, replace: bool = True) -> Any:
        """Return the next draws as indices, or what they are the indices of."""
        del replace
        chosen = self._next(size)
        return chosen if isinstance(a, (int, np.integer)) else np.asarray(a)[chosen]

    def permutation(self, x: Any) -> NDArray[Any]:
        """Return the next draws as an order of ``x``."""
        several = np.arange(x) if isinstance(x, (int, np.integer)) else np.asarray(x)
        order: NDArray[Any] = several[self._next(len(several))]
        return order

    def require_used(self) -> None:
        """Raise ValueError unless all draws were asked for."""
        if self._left:
            raise ValueError(f"{self._left} draws were not asked for")


def _flat(draws: Any) -> Iterator[Any]:
    if isinstance(draws, (list, tuple, np.ndarray)):
        for item in draws:
            yield from _flat(item)
    else:
        yield draws
