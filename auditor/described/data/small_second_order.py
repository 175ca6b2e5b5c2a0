"""Small data and settings that several algorithms share (second order)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.described.data.calls import Arguments, arguments_of
from reference.losses import Cosine, Records


def second_order(
    function: Callable[..., Any], data: Any, loss: Any = None, *between: Any, **others: Any
) -> Arguments:
    """Return the arguments of a second-order method, by default for the cosine loss.

    It starts near the saddle and claims (1, 0.01), unless ``others`` say otherwise.
    """
    usual = {"initial": [0.25, -0.25, 0.125], "epsilon": 1.0, "delta": 1e-2} | others
    named = arguments_of(function, data, loss or Cosine(), *between, **usual)
    return {name: named[name] for name in ("epsilon", "delta")} | named  # as in the vectors


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
