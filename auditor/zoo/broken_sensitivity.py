"""Broken mechanisms whose noise suits a sensitivity that the released value does not have."""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import laplace as laplace_law

from auditor.zoo import noise
from auditor.zoo.additive import gaussian_truth
from auditor.zoo.broken_accounting import two_laplace_truth
from auditor.zoo.exact import Masses, epsilon_of_masses, other_scale_epsilon, truth_of
from auditor.zoo.specimen import Broken, Specimen
from auditor.zoo.vectors import gaussian_log_ratio, histogram
from reference._validation import FloatArray, IntArray
from reference.privacy.guarantees import gaussian_dp_mu, laplace_epsilon

# ------------------------------------------------------------------- counted too small


def histogram_of_one_change(
    data: IntArray, rng: np.random.Generator, size: int, *, epsilon: float, cells: int
) -> FloatArray:
    """Release a histogram with Laplace noise of scale 1/epsilon.

    A record that moves changes two cells by one each, a record that is added only one: the scale
    is that of the other relation. Relation: replace one record.

    Returns
    -------
    ndarray of shape (size, cells)
    """
    return noise.laplace(histogram(data, cells), 1 / epsilon, rng, size)


def clipped_after_the_sum(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the sum of n values, clipped to [0, n], with Laplace noise of scale 1/epsilon.

    The designer means values in [0, 1], but a single larger value is not clipped: on D one is
    2.5 larger than on D', and the sums differ by 2.5. Relation: replace one record.
    """
    return noise.laplace(float(np.clip(data.sum(), 0, data.size)), 1 / epsilon, rng, size)


def largest_value_for_sensitivity(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the sum of values clipped to [-1/4, 1] with Laplace noise of scale 1/epsilon.

    The largest absolute value, 1, is the sensitivity if a record is added; a record that is
    replaced may move the sum by 5/4. Relation: replace one record.
    """
    return noise.laplace(float(np.clip(data, -0.25, 1.0).sum()), 1 / epsilon, rng, size)


def median_with_the_noise_of_a_mean(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the median of n values in [0, 1] with Laplace noise of scale 1/(n epsilon).

    A mean moves by at most 1/n; the median of (n + 1)/2 zeros and (n - 1)/2 ones moves from 0 to 1
    with one record: n epsilon. Relation: replace one record.
    """
    return noise.laplace(float(np.median(data)), 1 / (data.size * epsilon), rng, size)


def sum_without_clipping(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the sum of values with Laplace noise of scale 1/epsilon, as if they were in [0, 1].

    Nothing makes them so: a record of 8 in place of 0 moves the sum by 8. Relation: replace one
    record.
    """
    return noise.laplace(float(data.sum()), 1 / epsilon, rng, size)


def float32_running_sum(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float, most: float
) -> FloatArray:
    """Release the sum of values in [0, ``most``], added in single precision, with Laplace noise.

    The scale is most/epsilon, but rounding adds to the sensitivity. From 2^24 on the singles are 2
    apart, and 1 apart below. One after the other, values of 1.25 each add 2 above 2^24 and 1 below.
    Here the first record is 0 on D and U = ``most`` = 4096 on D'; the next 4095 are U, so that the
    sums reach 2^24 - U and 2^24; then come U records of 1.25, after which they are 2^24 and
    2^24 + 2U: 2U apart. Relation: replace one record.
    """
    total = float(np.cumsum(data.astype(np.float32), dtype=np.float32)[-1])
    return noise.laplace(total, most / epsilon, rng, size)


# --------------------------------------------------------------------- scale of the data


def range_of_the_data(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the mean of n values with Laplace noise of scale (max - min)/(n epsilon).

    The scale itself is different on D': far out the densities of Laplace laws of different scales
    have an unbounded ratio, so no epsilon is enough at delta = 0. For delta > 0 see
    :func:`~auditor.zoo.exact.other_scale_epsilon`. Relation: replace one record, by any number.
    """
    scale = (data.max() - data.min()) / (data.size * epsilon)
    return noise.laplace(float(data.mean()), float(scale), rng, size)


def divided_by_the_exact_size(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the sum of n values in [0, 1] with Laplace noise of scale 1/epsilon, divided by n.

    n is public if records are replaced. If one is removed the scale is 1/((n - 1) epsilon)
    instead of 1/(n epsilon), and no epsilon is enough at delta = 0, as in
    :func:`range_of_the_data`. Relation: add or remove one record.
    """
    mean = float(np.clip(data, 0.0, 1.0).mean())
    return noise.laplace(mean, 1 / (data.size * epsilon), rng, size)


# ----------------------------------------------------------------------------- selection


def noisy_max_with_its_value(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release the largest of k noisy counts, with the noise that is enough for its index.

    The noise is Laplace of scale 2/epsilon. The data are a binary table whose columns are
    counted; on D' all k counts are one larger. With k equal counts c on D the largest is at most x
    with probability F(x - c)^k, F the distribution function of the noise. For x < c that is a
    multiple of e^(k epsilon x/2), so moving by one changes the density by e^(k epsilon/2). The
    log-ratio decreases in x (F^k is log-concave), so this is its supremum. Relation: replace one
    record.
    """
    counts = data.sum(axis=0)
    noisy = rng.laplace(scale=2 / epsilon, size=(size, counts.size))
    noisy += counts
    return noise.on_grid(noisy.max(axis=1))


def noisy_max_with_its_value_truth(epsilon: float, counts: int, delta: float) -> float:
    """Return the smallest epsilon for ``counts`` equal counts that move together.

    For delta > 0 by exact masses of intervals of 1/1000 of the scale. Within an interval the
    log-ratio varies by about 1/200 at most, and only the interval at which the worst event ends
    counts: the error is below 1e-6.
    """
    if delta == 0:
        return counts * epsilon / 2
    return epsilon_of_masses(_noisy_max_masses(epsilon, counts), delta)


@lru_cache(maxsize=4)
def _noisy_max_masses(epsilon: float, counts: int) -> Masses:
    edges = np.linspace(-40.0, 40.0, 80_001)

    def masses(centre: float) -> FloatArray:
        # in the upper half from the complement, which does not cancel
        below = np.exp(counts * laplace_law.logcdf(edges - centre))
        tail = laplace_law.sf(np.maximum(edges - centre, 0.0))
        beyond = -np.expm1(counts * np.log1p(-tail))
        return np.where(edges[1:] <= centre, np.diff(below), -np.diff(beyond))

    return masses(0.0), masses(epsilon / 2)


def exponential_without_the_two(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> IntArray:
    """Select a column of a binary table with probability proportional to e^(epsilon count).

    The exponential mechanism needs e^(epsilon count/2), because the counts and the sum over all
    columns both change. On D one record votes for column 0 alone, on D' for all others: with
    count 0 and b votes of the other records, the probability of column 0 is
    e^epsilon/(e^epsilon + (k - 1) e^(epsilon b)) against 1/(1 + (k - 1) e^(epsilon (b + 1))),
    nearly e^(2 epsilon) times as much. By enumeration. Relation: replace one record.
    """
    chances = _selection(data.sum(axis=0), epsilon)
    return np.asarray(np.searchsorted(np.cumsum(chances)[:-1], rng.random(size), side="right"))


def _selection(counts: IntArray, epsilon: float) -> FloatArray:
    weights = np.exp(epsilon * (counts - counts.max()))
    return np.asarray(weights / weights.sum())


# ------------------------------------------------------------------------ Gaussian vectors


def noise_for_the_largest_coordinate(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, mu: float
) -> FloatArray:
    """Release k counts with Gaussian noise of scale 1/mu: mu-Gaussian DP for each of them.

    The data are a binary table whose columns are counted. A record may change all of them by one,
    a distance of sqrt(k): sqrt(k) mu-Gaussian DP. Relation: replace one record.

    Returns
    -------
    ndarray of shape (size, k)
    """
    return noise.gaussian(data.sum(axis=0), 1 / mu, rng, size)


def average_clipped_instead_of_gradients(
    data: FloatArray, rng: np.random.Generator, size: int, *, mu: float
) -> FloatArray:
    """Release the average of n gradients, clipped to length 1, with Gaussian noise.

    The scale is 2/(n mu), for gradients that are clipped one by one: the average would move by at
    most 2/n. Clipped after averaging, one long gradient moves it from 0 to length 1, n/2 times as
    far: n mu/2-Gaussian DP. Relation: replace one gradient.

    Parameters
    ----------
    data : ndarray of shape (n, d)

    Returns
    -------
    ndarray of shape (size, d)
    """
    average = data.mean(axis=0)
    average /= max(1.0, float(np.linalg.norm(average)))
    return noise.gaussian(average, 2 / (len(data) * mu), rng, size)


# -------------------------------------------------------------------------- the specimens

_CELLS_A, _CELLS_B = np.array([0, 1, 1, 2, 3]), np.array([3, 1, 1, 2, 3])
_LONG, _SHORT = np.array([3.0, 0.5, 0.5, 0.5, 0.5]), np.full(5, 0.5)
_LOW, _HIGH = np.array([-0.25, 0.0, 0.5, 0.75]), np.array([1.0, 0.0, 0.5, 0.75])
_ZEROS = np.array([0.0] * 6 + [1.0] * 5)
_ONES = np.array([0.0] * 5 + [1.0] * 6)
_WITHIN, _BEYOND = np.array([0.0, 0.25, 0.5]), np.array([8.0, 0.25, 0.5])
_SPAN, _LARGE = np.array([0.0, 0.25, 0.5, 0.75, 1.0]), np.array([0.0, 0.25, 0.5, 0.75, 3.0])
_THREE, _PAIR = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0])
_ROUNDED = np.concatenate([np.full(4095, 4096.0), np.full(4096, 1.25)])
_BELOW, _ABOVE = np.append(0.0, _ROUNDED), np.append(4096.0, _ROUNDED)
_REST = np.ones((2, 5), dtype=np.int64)
_QUIET, _LOUD = (np.vstack([np.full(5, bit), _REST]) for bit in (0, 1))
_OTHERS = np.tile([0, 1, 1, 1, 1], (3, 1))
_VOTES = np.vstack([[1, 0, 0, 0, 0], _OTHERS]), np.vstack([[0, 1, 1, 1, 1], _OTHERS])
_GRID_ROWS = np.arange(80).reshape(4, 20) % 2
_NONE, _ALL = (np.vstack([np.full(20, bit), _GRID_ROWS]) for bit in (0, 1))
_MU = gaussian_dp_mu(1.0, 1e-5)
_DIRECTION = np.full(12, 1 / math.sqrt(12))
_BALANCED = np.outer([0.0, 1.0, -1.0, 0.5, -0.5, 1.0, -1.0, 0.0], _DIRECTION)
_OUTLIER = np.outer([20.0, 1.0, -1.0, 0.5, -0.5, 1.0, -1.0, 0.0], _DIRECTION)

SPECIMENS: tuple[Specimen, ...] = (
    Broken(
        "histogram-of-one-change",
        partial(histogram_of_one_change, epsilon=1.0, cells=4),
        (_CELLS_A, _CELLS_B),
        partial(two_laplace_truth, 1.0),
        "the two neighbouring relations of Dwork, McSherry, Nissim and Smith (2006) mixed up",
    ),
    Broken(
        "clipped-after-the-sum",
        partial(clipped_after_the_sum, epsilon=1.0),
        (_LONG, _SHORT),
        partial(laplace_epsilon, 2.5),
        "a bound on the result taken for a bound on each record",
    ),
    Broken(
        "largest-value-for-sensitivity",
        partial(largest_value_for_sensitivity, epsilon=1.0),
        (_LOW, _HIGH),
        partial(laplace_epsilon, 1.25),
        "the sensitivity of adding a record under the relation of replacing one",
    ),
    Broken(
        "median-with-the-noise-of-a-mean",
        partial(median_with_the_noise_of_a_mean, epsilon=1.0),
        (_ZEROS, _ONES),
        partial(laplace_epsilon, 11.0),
        "the global sensitivity of a median (Nissim, Raskhodnikova and Smith, 2007) overlooked",
    ),
    Broken(
        "sum-without-clipping",
        partial(sum_without_clipping, epsilon=1.0),
        (_WITHIN, _BEYOND),
        partial(laplace_epsilon, 8.0),
        "a range that is written in the documentation, and nowhere in the code",
    ),
    Broken(
        "float32-running-sum",
        partial(float32_running_sum, epsilon=1.0, most=4096.0),
        (_BELOW, _ABOVE),
        partial(laplace_epsilon, 2.0),
        "Casacuberta, Shoemate, Vadhan and Wagaman, 'Widespread underestimation of sensitivity in "
        "differentially private libraries' (2022); the data here are ours",
    ),
    Broken(
        "range-of-the-data",
        partial(range_of_the_data, epsilon=1.0),
        (_SPAN, _LARGE),
        partial(other_scale_epsilon, ((0.5, 0.2), (0.9, 0.6))),
        "bounds computed from the data when the user gives none",
    ),
    Broken(
        "divided-by-the-exact-size",
        partial(divided_by_the_exact_size, epsilon=1.0),
        (_THREE, _PAIR),
        partial(other_scale_epsilon, ((1 / 3, 1 / 3), (0.0, 0.5))),
        "a mean for the relation of replacing a record, claimed for adding one",
    ),
    Broken(
        "noisy-max-with-its-value",
        partial(noisy_max_with_its_value, epsilon=1.0),
        (_QUIET, _LOUD),
        partial(noisy_max_with_its_value_truth, 1.0, 5),
        "Ding, Wang, Wang, Zhang and Kifer, 'Detecting violations of differential privacy' (2018)",
    ),
    Broken(
        "exponential-without-the-two",
        partial(exponential_without_the_two, epsilon=1.0),
        _VOTES,
        truth_of(*(_selection(votes.sum(axis=0), 1.0) for votes in _VOTES)),
        "the exponential mechanism (McSherry and Talwar, 2007) without the factor 2",
    ),
    Broken(
        "noise-for-the-largest-coordinate",
        partial(noise_for_the_largest_coordinate, mu=_MU),
        (_NONE, _ALL),
        partial(gaussian_truth, math.sqrt(20) * _MU),
        "the sensitivity of one query used for a vector of them",
        delta=1e-5,
        log_ratio=partial(gaussian_log_ratio, _NONE.sum(axis=0), _ALL.sum(axis=0), 1 / _MU),
    ),
    Broken(
        "average-clipped-instead-of-gradients",
        partial(average_clipped_instead_of_gradients, mu=_MU),
        (_BALANCED, _OUTLIER),
        partial(gaussian_truth, 4 * _MU),
        "DP-SGD (Abadi et al., 2016) with the clipping after the average; a gradient's sensitivity "
        "wrong by a factor of the batch size was found in released code by Tramer, Terzis, "
        "Steinke, Song, Jagielski and Carlini, 'Debugging differential privacy' (2022)",
        delta=1e-5,
        log_ratio=partial(gaussian_log_ratio, np.zeros(12), _DIRECTION, 1 / (4 * _MU)),
    ),
)
