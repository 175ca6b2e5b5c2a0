"""Small data and settings that several algorithms share (nonconvex)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.described.data.calls import Arguments, arguments_of
from auditor.described.data.small_convex import records
from reference.losses import Records

PAIR: Records = (np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
"""For a linear loss of bound 1, which cuts the second record to (0.6, 0.8): gradient (0.8, 0.4)."""


def population(
    function: Callable[..., Any], data: Any, loss: Any, start: Any, **others: Any
) -> Arguments:
    """Return the arguments of a method for population risks.

    It takes four steps and claims (4, 0.001), unless ``others`` say otherwise.
    """
    claim = {"epsilon": 4.0, "delta": 1e-3, "n_iterations": 4} | others
    named = arguments_of(function, data, loss, initial=start, **claim)
    return {name: named[name] for name in ("epsilon", "delta", "n_iterations")} | named


def answers(n: int, dimension: int, seed: int) -> Records:
    """Return records with labels 0 and 1."""
    features, labels = records(n, dimension, seed)
    return features, (labels + 1) / 2
