"""Small data and settings that several algorithms share (convex)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.described.data.calls import Arguments, arguments_of
from reference._validation import FloatArray
from reference.losses import Records

SMALL: Records = (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 4.0]))
"""For a Huber loss of bound and threshold 1: the second record is cut, and its residual too."""


def records(n: int, dimension: int, seed: int) -> Records:
    """Return records with labels -1 and 1, about half of them longer than 1 in l2."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, dimension)) * (0.9 / np.sqrt(dimension))
    labels = np.where(features @ np.arange(1.0, dimension + 1) + rng.standard_normal(n) < 0, -1, 1)
    return features, labels.astype(np.float64)


def responses(n: int, dimension: int, seed: int) -> Records:
    """Return records with responses, some of whose residuals are above 1 in size."""
    features, _ = records(n, dimension, seed)
    noise = np.random.default_rng(seed + 1).standard_normal(n)
    response: FloatArray = features @ np.arange(1.0, dimension + 1) + noise
    return features, response


def epochs_of(function: Callable[..., Any], *given: Any, **others: Any) -> Arguments:
    """Return the arguments of a method in epochs, as :func:`arguments_of` does.

    ``given`` are the data, the loss and the regulariser; then the start, and the claim with its
    numbers of steps, ``(epsilon, delta, n_epochs, n_inner)``.
    """
    *objects, start, (epsilon, delta, n_epochs, n_inner) = given
    claim = {"epsilon": epsilon, "delta": delta, "n_epochs": n_epochs, "n_inner": n_inner}
    return arguments_of(function, *objects, initial=start, **claim, **others)
