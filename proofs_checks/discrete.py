"""Finite pairs of distributions in rational arithmetic, which several statements are about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

Distribution = Sequence[Fraction]


def hockey_stick(p: Distribution, q: Distribution, gamma: Fraction) -> Fraction:
    """Return the smallest delta with P(S) <= gamma Q(S) + delta for all events S."""
    return sum((max(a - gamma * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))


def random_distribution(rng: np.random.Generator, size: int) -> list[Fraction]:
    """Return a random distribution on ``size`` outcomes, some of them impossible."""
    weights = [int(weight) for weight in rng.integers(0, 50, size=size)]
    weights[int(rng.integers(size))] += 1  # never all zero
    return [Fraction(weight, sum(weights)) for weight in weights]


def random_fraction(rng: np.random.Generator, low: int, high: int, parts: int = 10) -> Fraction:
    """Return a random multiple of 1/parts in [low, high)."""
    return Fraction(int(rng.integers(low * parts, high * parts)), parts)
