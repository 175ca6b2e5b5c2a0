"""Small data and settings that several algorithms share (second order)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference.losses import Records


def second_order(**arguments: Any) -> dict[str, Any]:
    """Return the arguments, with the claim that the settings of second-order methods share."""
    return {"epsilon": 1.0, "delta": 1e-2, **arguments}


WAVES: Records = (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 3.5]))
"""For a cosine loss of bound 1, which cuts the second record to length 1."""


LINE: Records = (np.array([[1.0], [3.0]]), np.array([0.5, 0.25]))
"""As :data:`WAVES`, in one dimension, where F is concave at 0."""


def saddle(n: int, dimension: int, seed: int) -> Records:
    """Return records near the axes whose risk, a mean of cosines, has a saddle near 0.

    It falls on either side along the first axis and rises along the others.
    """
    rng = np.random.default_rng(seed)
    axes = np.arange(n) % dimension
    features = 1.1 * np.eye(dimension)[axes] + 0.1 * rng.standard_normal((n, dimension))
    labels = np.where(axes == 0, 0.0, 3.0) + 0.2 * rng.standard_normal(n)
    return features, labels
