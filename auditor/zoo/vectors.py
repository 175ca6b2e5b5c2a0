"""Vectors of 20 to 63 noisy numbers, over which the leak is spread."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.zoo import noise
from auditor.zoo.additive import gaussian_truth
from auditor.zoo.exact import (
    STEP,
    composed_laplace,
    epsilon_of_masses,
    opposite_losses_masses,
    product,
)
from auditor.zoo.specimen import BatchedMechanism, Specimen
from reference._validation import FloatArray, IntArray
from reference.clipping import clip_rows
from reference.privacy.guarantees import gaussian_dp_epsilon

# ------------------------------------------------------------------- what is noised


def histogram(records: ArrayLike, cells: int) -> FloatArray:
    """Return how many records are in each of the cells 0..cells - 1."""
    return np.bincount(np.asarray(records), minlength=cells).astype(np.float64)


def prefix_sums(stream: ArrayLike) -> FloatArray:
    """Return the sums of the first 1, 2, ... numbers of a stream."""
    return np.cumsum(stream, dtype=np.float64)


def binary_tree(stream: ArrayLike) -> FloatArray:
    """Return the sums over all dyadic intervals of a stream of 2^k numbers, the shortest first.

    Returns
    -------
    ndarray of shape (2^(k + 1) - 1,)
    """
    level = np.asarray(stream, dtype=np.float64)
    levels = [level]
    while level.size > 1:
        level = level[0::2] + level[1::2]
        levels.append(level)
    return np.concatenate(levels)


# ----------------------------------------------------------------------- Laplace noise


def laplace_histogram(
    records: ArrayLike, rng: np.random.Generator, size: int, *, cells: int, epsilon: float
) -> FloatArray:
    """Release a histogram with Laplace noise of scale 2/epsilon.

    Replacing a record moves one cell down and one up: two of the releases of
    :func:`composed_laplace_truth`, with a largest loss of epsilon/2 each.

    Returns
    -------
    ndarray of shape (size, cells)

    References
    ----------
    Dwork, McSherry, Nissim and Smith (2006), with the replace-one relation.
    """
    return noise.laplace(histogram(records, cells), 2 / epsilon, rng, size)


def laplace_prefix_sums(
    stream: ArrayLike, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the n prefix sums of a stream with Laplace noise of scale n/epsilon.

    Changing the first bit moves all prefix sums by 1: n of the releases of
    :func:`composed_laplace_truth`, with a largest loss of epsilon/n each.

    Returns
    -------
    ndarray of shape (size, n)

    References
    ----------
    Dwork, Naor, Pitassi and Rothblum, "Differential privacy under continual observation" (2010),
    the simple counter.
    """
    sums = prefix_sums(stream)
    return noise.laplace(sums, sums.size / epsilon, rng, size)


def binary_tree_counts(
    stream: ArrayLike, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the sums over all dyadic intervals of a stream with Laplace noise.

    Of the 2^(k + 1) - 1 intervals of 2^k bits, k + 1 hold a given bit, so the scale is
    (k + 1)/epsilon, and changing a bit makes k + 1 of the releases of
    :func:`composed_laplace_truth`, with a largest loss of epsilon/(k + 1) each.

    Returns
    -------
    ndarray of shape (size, 2^(k + 1) - 1)

    References
    ----------
    Chan, Shi and Song, "Private and continual release of statistics" (2011), the binary mechanism.
    """
    sums = binary_tree(stream)
    levels = math.log2(sums.size + 1)
    return noise.laplace(sums, levels / epsilon, rng, size)


def parallel_laplace(
    values: ArrayLike, rng: np.random.Generator, size: int, *, epsilons: tuple[float, ...]
) -> FloatArray:
    """Release numbers in [0, 1], each with Laplace noise of scale 1/epsilon of its own.

    Changing all from 0 to 1 makes the releases of :func:`composed_laplace_truth` with the largest
    losses ``epsilons``: their sum at delta 0, less at delta > 0.

    Returns
    -------
    ndarray of shape (size, len(epsilons))
    """
    return noise.laplace(values, 1 / np.array(epsilons), rng, size)


def composed_laplace_truth(epsilons: tuple[float, ...], delta: float) -> float:
    """Return the truth of independent Laplace releases with the given largest losses.

    The noise of different releases is independent, so the loss is the sum of theirs. At delta 0
    the smallest epsilon is the sum of the largest losses, all attained together with positive
    probability. At delta > 0 it is that of the composed
    :func:`~auditor.zoo.exact.composed_laplace`. Releases whose value is the same on both sides
    have no loss and are left out.

    Parameters
    ----------
    epsilons : tuple of float
        Whole multiples of the smallest one.
    delta : float
        0, or at least 1e-12.
    """
    if delta == 0:
        return math.fsum(epsilons)
    unit = min(epsilons)
    split = math.ceil(unit / STEP)
    steps = tuple(split * round(epsilon / unit) for epsilon in epsilons)
    return composed_laplace(steps, unit / split).epsilon(delta)


def laplace_log_ratio(
    first: FloatArray, second: FloatArray, scales: FloatArray, outputs: NDArray[np.float64]
) -> FloatArray:
    """Return sum_i (|x_i - second_i| - |x_i - first_i|)/scale_i.

    Parameters
    ----------
    first, second : ndarray of shape (d,)
        What the noise is added to, under D and under D'.
    scales : ndarray of shape (d,) or ()
    outputs : ndarray of shape (n, d)
    """
    changed = np.flatnonzero(first != second)
    x, scale = outputs[:, changed], np.broadcast_to(scales, first.shape)[changed]
    losses = np.abs(x - second[changed])
    losses -= np.abs(x - first[changed])
    return np.asarray(losses @ (1 / scale))


# ------------------------------------------------------------------ geometric, Gaussian


def geometric_histogram(
    records: ArrayLike, rng: np.random.Generator, size: int, *, cells: int, epsilon: float
) -> IntArray:
    """Release a histogram with two-sided geometric noise, P(k) proportional to e^(-epsilon|k|/2).

    Replacing a record moves two cells by 1: see :func:`geometric_histogram_truth`.

    Returns
    -------
    ndarray of int, shape (size, cells)
    """
    noisy = noise.two_sided_geometric(epsilon / 2, rng, (size, cells))
    noisy += histogram(records, cells).astype(np.int64)
    return noisy


def geometric_histogram_truth(epsilon: float, delta: float) -> float:
    """Return the truth of :func:`geometric_histogram`.

    A cell that moves by 1 has the loss epsilon/2 on one side of the step and -epsilon/2 on the
    other (see :func:`auditor.zoo.additive.geometric_count`); two such cells are independent.
    """
    cell = opposite_losses_masses(epsilon / 2)
    return epsilon_of_masses(product(cell, cell), delta)


def geometric_log_ratio(
    first: FloatArray, second: FloatArray, rate: float, outputs: NDArray[np.int64]
) -> FloatArray:
    """Return rate times sum_i (|x_i - second_i| - |x_i - first_i|)."""
    return laplace_log_ratio(first, second, np.array(1 / rate), outputs.astype(np.float64))


def gaussian_sum(
    records: FloatArray, rng: np.random.Generator, size: int, *, sigma: float
) -> FloatArray:
    """Release the sum of vectors, clipped to length 1, with Gaussian noise of deviation sigma.

    Adding or removing a record moves the sum by a vector of length at most 1. Rotated so that this
    vector is along the first axis, all other coordinates have the same independent noise on both
    sides: what is left is one number with a shift, mu = 1/sigma. See
    :func:`auditor.zoo.additive.gaussian_count`.

    Parameters
    ----------
    records : ndarray of shape (n, d)
    rng : Generator
    size : int
    sigma : float

    Returns
    -------
    ndarray of shape (size, d)
    """
    return noise.gaussian(clip_rows(records, 1.0).sum(axis=0), sigma, rng, size)


def gaussian_log_ratio(
    first: FloatArray, second: FloatArray, sigma: float, outputs: NDArray[np.float64]
) -> FloatArray:
    """Return (x - (first + second)/2) . (first - second)/sigma^2."""
    shift = (first - second) / sigma**2
    return np.asarray(outputs @ shift - (first + second) @ shift / 2)


# --------------------------------------------------------------------------- specimens

_CELLS = 50
_RECORDS = np.arange(200) * 7 % _CELLS
_REPLACED = np.r_[31, _RECORDS[1:]]

_STREAM = np.arange(32) % 3 % 2
_FLIPPED = np.r_[1 - _STREAM[0], _STREAM[1:]]

_BUDGETS = tuple(float(i) / 60 for i in range(1, 21))

_SIGMA = 1.25
_ROWS = np.cos(np.arange(4 * 20)).reshape(4, 20)
_SUM, _FEWER = clip_rows(_ROWS, 1.0).sum(axis=0), clip_rows(_ROWS[1:], 1.0).sum(axis=0)


_ZEROS, _ONES = np.zeros(len(_BUDGETS)), np.ones(len(_BUDGETS))
_PARALLEL = partial(composed_laplace_truth, _BUDGETS)


def _laplace_specimen(
    name: str,
    mechanism: BatchedMechanism,
    pair: tuple[NDArray[Any], NDArray[Any]],
    value: Callable[[NDArray[Any]], FloatArray],
    scale: float,
    source: str,
) -> Specimen:
    """Return a specimen of a value of the data, with Laplace noise of one scale."""
    first, second = (value(data) for data in pair)
    losses = np.abs(first - second) / scale
    truth = partial(composed_laplace_truth, tuple(losses[losses > 0].tolist()))
    log_ratio = partial(laplace_log_ratio, first, second, np.array(scale))
    return Specimen(name, mechanism, pair, truth, source, truth(0.0), log_ratio=log_ratio)


SPECIMENS: tuple[Specimen, ...] = (
    _laplace_specimen(
        "laplace-histogram",
        partial(laplace_histogram, cells=_CELLS, epsilon=2.0),
        (_RECORDS, _REPLACED),
        partial(histogram, cells=_CELLS),
        1.0,
        "Dwork, McSherry, Nissim and Smith (2006), replace-one",
    ),
    _laplace_specimen(
        "laplace-prefix-sums",
        partial(laplace_prefix_sums, epsilon=4.0),
        (_STREAM, _FLIPPED),
        prefix_sums,
        8.0,
        "Dwork, Naor, Pitassi and Rothblum (2010)",
    ),
    _laplace_specimen(
        "binary-tree",
        partial(binary_tree_counts, epsilon=3.0),
        (_STREAM, _FLIPPED),
        binary_tree,
        2.0,
        "Chan, Shi and Song (2011)",
    ),
    Specimen(
        "parallel-laplace",
        partial(parallel_laplace, epsilons=_BUDGETS),
        (_ZEROS, _ONES),
        _PARALLEL,
        "Dwork, McSherry, Nissim and Smith (2006), composed exactly",
        epsilon=_PARALLEL(1e-3),
        delta=1e-3,
        log_ratio=partial(laplace_log_ratio, _ZEROS, _ONES, 1 / np.array(_BUDGETS)),
    ),
    Specimen(
        "geometric-histogram",
        partial(geometric_histogram, cells=_CELLS, epsilon=2.0),
        (_RECORDS, _REPLACED),
        partial(geometric_histogram_truth, 2.0),
        "Ghosh, Roughgarden and Sundararajan (2009), replace-one",
        epsilon=2.0,
        log_ratio=partial(
            geometric_log_ratio, histogram(_RECORDS, _CELLS), histogram(_REPLACED, _CELLS), 1.0
        ),
    ),
    Specimen(
        "gaussian-sum",
        partial(gaussian_sum, sigma=_SIGMA),
        (_ROWS, _ROWS[1:]),
        partial(gaussian_truth, 1 / _SIGMA),
        "Balle and Wang (2018)",
        epsilon=gaussian_dp_epsilon(1 / _SIGMA, 1e-3),
        delta=1e-3,
        log_ratio=partial(gaussian_log_ratio, _SUM, _FEWER, _SIGMA),
    ),
)
