"""Records that differ, gross errors in real data, and distances between estimates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from auditor import Data, n_records, replace_record
from reference._validation import FloatArray

Neighbour = Callable[[Data, np.random.Generator], tuple[Data, int]]
"""A function that makes neighbours, as :class:`~auditor.core.case.RealData` takes it."""


SMOOTHED = "the smoothed truncation attains erf(sqrt(precision/2)) of its bound at most"
"""The ``not_attained`` of forms of which a record is truncated with little precision.

It is the mean of the truncation of x (1 + eta), eta of variance 1/precision, which grows with x to
the bound times P(eta > -1) - P(eta < -1).
"""


def one_record(n: int, first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return neighbours of n records, all zero but record 0: ``first`` against ``second``."""
    data = np.zeros((n, *np.shape(first)))
    other = data.copy()
    data[0], other[0] = first, second
    return data, other


def flipped_label(n: int, features: ArrayLike) -> tuple[Data, Data]:
    """Return neighbours with labels 1 and features of zeros; record 0 has ``features``, 1 or -1."""
    rows, _ = one_record(n, features, features)
    labels, flipped = one_record(n, 1.0, -1.0)
    labels[1:] = flipped[1:] = 1.0
    return (rows, labels), (rows, flipped)


def replaced_by(*records: float) -> Neighbour:
    """Return what replaces a random record by one of these, at random."""

    def neighbour(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
        index = int(rng.integers(len(data)))
        return replace_record(data, index, rng.choice(records)), index

    return neighbour


def misrecorded(factor: float, among: int | None = None) -> Neighbour:
    """Return what multiplies a random one of the first ``among`` records: a gross error."""

    def neighbour(data: Data, rng: np.random.Generator) -> tuple[Data, int]:
        index = int(rng.integers(among or n_records(data)))
        if isinstance(data, tuple):
            return replace_record(data, index, tuple(factor * part[index] for part in data)), index
        return replace_record(data, index, factor * data[index]), index

    return neighbour


def relative_error(private: float, baseline: float) -> float:
    """Return |private - baseline|/baseline."""
    return abs(private - baseline) / baseline


def squared_distance(estimate: FloatArray, truth: FloatArray) -> float:
    """Return ||estimate - truth||^2."""
    return float(((estimate - truth) ** 2).sum())


def relative_distance(private: FloatArray, baseline: FloatArray) -> float:
    """Return ||private - baseline|| / ||baseline||, of matrices in the Frobenius norm."""
    return float(np.linalg.norm(private - baseline) / np.linalg.norm(baseline))
