"""Broken mechanisms that say something exactly: what is missing, what exists, where they stop.

Noise protects the numbers that it is added to. Each of these mechanisms adds enough of it, and
tells something else about the data without any.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from auditor.runs.blocks import Outputs, Raised
from auditor.zoo import noise
from auditor.zoo.exact import Masses, truth_of
from auditor.zoo.specimen import Broken, Specimen
from reference._validation import FloatArray

Words = NDArray[np.str_]


def told_apart(delta: float) -> float:
    """Return the smallest epsilon where no output is possible on both data sets: infinity."""
    return math.inf if delta < 1 else 0.0


# -------------------------------------------------------------------------- missing values


def nan_reaches_the_output(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the sum of values clipped to [0, 1] with Laplace noise of scale 1/epsilon.

    Clipping leaves a NaN as it is, and NaN plus noise is NaN. Where one record is NaN on D and
    a number on D', the outputs are NaN on D and numbers on D'. Relation: replace one record.
    """
    return noise.laplace(np.clip(data, 0.0, 1.0).sum(), 1 / epsilon, rng, size)


def kept_rows_are_counted(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the noisy sum of the rows that are not NaN, and how many they are, exactly.

    One row fewer is kept where one record is NaN. Relation: replace one record.

    Returns
    -------
    ndarray of shape (size, 2)
        The sum, with Laplace noise of scale 1/epsilon, and the number of rows.
    """
    kept = data[~np.isnan(data)]
    total = noise.laplace(np.clip(kept, 0.0, 1.0).sum(), 1 / epsilon, rng, size)
    return np.column_stack([total, np.full(size, float(kept.size))])


# ---------------------------------------------------------------------- what there is


def keys_of_the_data(
    data: Words, rng: np.random.Generator, size: int, *, epsilon: float
) -> list[tuple[tuple[str, int], ...]]:
    """Release the noisy count of every word of the data.

    The counts have two-sided geometric noise, P(k) proportional to e^(-epsilon |k|), enough for
    adding or removing a record; but a word that only the removed record has is missing from the
    output. Relation: add or remove one record.

    Returns
    -------
    list of tuple
        Pairs of a word and its noisy count.
    """
    words, counts = np.unique(data, return_counts=True)
    noisy = counts + noise.two_sided_geometric(epsilon, rng, (size, words.size))
    return [tuple(zip(words.tolist(), row, strict=True)) for row in noisy.tolist()]


def keys_above_a_threshold(
    data: Words, rng: np.random.Generator, size: int, *, epsilon: float, least: int
) -> list[tuple[tuple[str, int], ...]]:
    """Release the words whose noisy count is ``least`` or more: claimed with delta = 0.

    As :func:`keys_of_the_data`, but a word of a single record is seldom released: with
    probability m = P(1 + noise >= least) = a^(least - 1)/(1 + a), a = e^-epsilon. The other words
    have the same law with and without it, so the outcomes that matter are that it is released (m
    against 0) or not (1 - m against 1): no epsilon is enough below delta = m, and 0 is enough from
    there on. Relation: add or remove one record.
    """
    return [
        tuple(pair for pair in run if pair[1] >= least)
        for run in keys_of_the_data(data, rng, size, epsilon=epsilon)
    ]


def keys_above_a_threshold_masses(epsilon: float, least: int) -> Masses:
    """Return the masses of "the word is released" and "it is not"."""
    released = math.exp(-epsilon * (least - 1)) / (1 + math.exp(-epsilon))
    return np.array([released, 1 - released]), np.array([0.0, 1.0])


# ------------------------------------------------------------------------- control flow


def raises_on_an_empty_group(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> Outputs:
    """Release the mean of a group: a noisy sum divided by a noisy count, each at epsilon/2.

    Records are pairs (in the group: 0 or 1; value in [0, 1]). The code insists that the group is
    not empty, so that the division makes sense, and raises if it is: an outcome of D alone, where
    the only member of D' is missing. Relation: replace one record.
    """
    members = data[data[:, 0] == 1, 1]
    if members.size == 0:
        return [Raised("AssertionError")] * size
    total = noise.laplace(members.sum(), 2 / epsilon, rng, size)
    count = noise.laplace(float(members.size), 2 / epsilon, rng, size)
    return noise.on_grid(total / np.maximum(count, 1.0))


def stops_at_the_first_empty_bin(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float, bins: int
) -> list[list[float]]:
    """Release the noisy counts of bins 0, 1, ... until a bin has no record.

    The counts have Laplace noise of scale 2/epsilon, enough for replacing a record; how many there
    are says exactly which bin is the first empty one. Relation: replace one record.
    """
    counts = np.bincount(data, minlength=bins)
    until = int(np.argmin(np.append(counts, 0) > 0))
    released: list[list[float]] = noise.laplace(counts[:until], 2 / epsilon, rng, size).tolist()
    return released


# -------------------------------------------------------------------------- the specimens

_WORDS = np.array(["flu"] * 12 + ["cold"] * 9 + ["gout"])
_VALUES = np.array([0.5, 0.25, 1.0, 0.75, 0.0])
_MISSING = np.array([math.nan, 0.25, 1.0, 0.75, 0.0])
_EMPTY = np.array([[0.0, 0.5], [0.0, 1.0], [0.0, 0.25]])
_MEMBER = np.array([[1.0, 0.5], [0.0, 1.0], [0.0, 0.25]])
_GAP = np.array([0, 0, 0, 1, 1, 2, 4, 4])
_NO_GAP = np.array([0, 0, 0, 1, 1, 2, 3, 4])

SPECIMENS: tuple[Specimen, ...] = (
    Broken(
        "nan-reaches-the-output",
        partial(nan_reaches_the_output, epsilon=1.0),
        (_MISSING, _VALUES),
        told_apart,
        "clipping by comparisons, which are all false for NaN",
    ),
    Broken(
        "kept-rows-are-counted",
        partial(kept_rows_are_counted, epsilon=1.0),
        (_MISSING, _VALUES),
        told_apart,
        "rows with missing values dropped before a private query, and their number kept as public",
    ),
    Broken(
        "keys-of-the-data",
        partial(keys_of_the_data, epsilon=1.0),
        (_WORDS, _WORDS[:-1]),
        told_apart,
        "GROUP BY with noisy counts; the remedy is a threshold on them, at a delta > 0, as in "
        "Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo and Gipson (2020)",
    ),
    Broken(
        "keys-above-a-threshold",
        partial(keys_above_a_threshold, epsilon=1.0, least=6),
        (_WORDS, _WORDS[:-1]),
        truth_of(*keys_above_a_threshold_masses(1.0, 6)),
        "the threshold of Korolova, Kenthapadi, Mishra and Ntoulas (2009) without its delta",
    ),
    Broken(
        "raises-on-an-empty-group",
        partial(raises_on_an_empty_group, epsilon=1.0),
        (_EMPTY, _MEMBER),
        told_apart,
        "an assertion on private data",
    ),
    Broken(
        "stops-at-the-first-empty-bin",
        partial(stops_at_the_first_empty_bin, epsilon=1.0, bins=5),
        (_GAP, _NO_GAP),
        told_apart,
        "a loop that ends on a comparison of private data; the length of the output counts it",
    ),
)
