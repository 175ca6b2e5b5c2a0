"""Small data and settings that several algorithms share (local)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.local.approximately_convex import ApproximatelyConvex

OPEN: dict[str, Any] = {"left_open": ("gap",)}
"""Options of a setting that leaves the minimiser's certificate open: each solver has its own."""

INSIDE: dict[str, Any] = {
    **OPEN,
    "tolerance": 1e-4,
    "because": "a minimum inside is found to 1e-9 in value, and so to about the root of that in "
    "its place",
}
"""Options of a setting whose minimum is inside the set."""


def uniform(seed: int, n: int, p: int, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """Draw records with independent coordinates, of six digits."""
    found: FloatArray = np.random.default_rng(seed).uniform(low, high, (n, p))
    return found.round(6)


CUBE = uniform(5, 20, 2)


FOUR = np.array([[0.25], [0.5], [0.75], [1.0]])
"""Four users on the line."""


BUMPY = uniform(7, 15, 1, 0.3, 0.7)


SERVER = ApproximatelyConvex(closeness=0.05, lipschitz=2.0, n_iterations=20)
"""A minimiser that is a formula, gap included."""


def labelled(seed: int, n: int, p: int) -> tuple[FloatArray, FloatArray]:
    """Draw features, some longer than 1, and labels, some beyond [-1, 1]."""
    features = uniform(seed, n, p, -0.9, 0.9)
    return features, uniform(seed + 1, n, 1, -1.3, 1.3)[:, 0]


TWO_LABELLED = (np.array([[3.0, 4.0], [0.5, -0.5]]), np.array([1.0, -1.5]))
"""Two records: features that are scaled to norm 1, a label that is cut to -1."""
