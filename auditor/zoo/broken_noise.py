"""Broken mechanisms whose noise has the wrong law, or is not random enough.

What they release, and its sensitivity, is right.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.zoo import noise
from auditor.zoo.additive import gaussian_truth
from auditor.zoo.broken_disclosure import told_apart
from auditor.zoo.exact import (
    Masses,
    bernoulli,
    epsilon_of_masses,
    laplace_excess,
    laplace_mass,
    truth_of,
)
from auditor.zoo.specimen import Broken, Specimen
from reference._validation import FloatArray, IntArray
from reference.privacy.guarantees import laplace_delta, smallest_epsilon

# ------------------------------------------------------------------------------ Gaussian


def gaussian_by_the_laplace_formula(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a count with Gaussian noise whose standard deviation is sensitivity/epsilon.

    That is the scale of Laplace noise. Counts one apart are epsilon standard deviations apart:
    epsilon-Gaussian DP, exactly. Relation: replace one record (0 or 1).
    """
    return noise.gaussian(float(data.sum()), 1 / epsilon, rng, size)


def gaussian_by_the_classic_formula(
    data: NDArray[np.int64],
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    delta: float,
) -> FloatArray:
    """Release a count with Gaussian noise of scale sqrt(2 log(1.25/delta))/epsilon.

    The formula is a theorem for epsilon < 1 only. The counts are epsilon/sqrt(2 log(1.25/delta))
    standard deviations apart, and that Gaussian DP is exact; at epsilon = 8 and delta = 0.1 it
    needs epsilon = 10.05. Relation: replace one record (0 or 1).
    """
    return noise.gaussian(
        float(data.sum()), math.sqrt(2 * math.log(1.25 / delta)) / epsilon, rng, size
    )


# ------------------------------------------------------------------- noise drawn again


def _drawn_again(
    draw: Callable[[int], FloatArray], accepted: Callable[[FloatArray], Any], size: int
) -> FloatArray:
    values = draw(size)
    refused = np.flatnonzero(~accepted(values))
    while refused.size:
        values[refused] = draw(refused.size)
        refused = refused[~accepted(values[refused])]
    return values


def noise_drawn_again_if_large(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float, most: float
) -> FloatArray:
    """Release a count with Laplace noise, drawn again while it is larger than ``most``.

    The noise has the density of Laplace noise of scale 1/epsilon on [-most, most], divided by its
    mass Z there. For counts one apart the outputs in an interval of length 1 at one end are
    possible on one side only, with probability P(-most < noise < 1 - most)/Z; at a delta below
    that no epsilon is enough. Relation: replace one record (0 or 1).
    """
    total = float(data.sum())
    return _drawn_again(
        lambda runs: noise.laplace(total, 1 / epsilon, rng, runs),
        lambda values: np.abs(values - total) <= most,
        size,
    )


def noise_drawn_again_if_large_truth(epsilon: float, most: float, delta: float) -> float:
    """Return the smallest epsilon of :func:`noise_drawn_again_if_large`.

    The law on D' is that on D moved by one, and both are symmetric, so one direction is as good
    as the other.
    """
    scale = 1 / epsilon
    whole = laplace_mass((0.0, scale), -most, most)

    def excess(level: float) -> float:
        shared = laplace_excess((0.0, scale), (1.0, scale), level, 1 - most, most)
        return (laplace_mass((0.0, scale), -most, 1 - most) + shared) / whole

    if delta < laplace_mass((0.0, scale), -most, 1 - most) / whole:
        return math.inf
    return smallest_epsilon(excess, delta)


def negative_outputs_drawn_again(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a count with Laplace noise of scale 1/epsilon, drawn again while it is negative.

    Counts cannot be negative, but the probability Z = P(count + noise >= 0) by which the density
    is divided depends on the count: 1/2 at 0 and 1 - e^-epsilon/2 at 1. At the output 0 the
    log-ratio is epsilon + log(2 - e^-epsilon), and nowhere larger. (Setting negative outputs
    to 0 would be post-processing.) Relation: replace one record (0 or 1).
    """
    total = float(data.sum())
    return _drawn_again(
        lambda runs: noise.laplace(total, 1 / epsilon, rng, runs),
        lambda values: values >= 0,
        size,
    )


def negative_outputs_drawn_again_truth(epsilon: float, delta: float) -> float:
    """Return the smallest epsilon of :func:`negative_outputs_drawn_again` at counts 0 and 1."""
    if delta == 0:
        return epsilon + math.log(2 - math.exp(-epsilon))
    laws = [(0.0, 1 / epsilon), (1.0, 1 / epsilon)]
    kept = [laplace_mass(law, 0.0, math.inf) for law in laws]

    def excess(level: float) -> float:
        return max(
            laplace_excess(laws[a], laws[b], level + math.log(kept[a] / kept[b]), 0.0) / kept[a]
            for a, b in ((0, 1), (1, 0))
        )

    return smallest_epsilon(excess, delta)


def no_noise_after_ten_tries(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a mean with Laplace noise from a rejection sampler that gives up after ten tries.

    A try is accepted with probability 1/2; after ten failures, with probability 2^-10, the noise
    is 0 and the output is the mean itself. That output has no probability on the other side (here
    the means are sixths, and noisy outputs are dyadic), so no epsilon is enough for a delta below
    2^-10. On all other outputs the law is 1 - 2^-10 times that of Laplace noise of scale
    1/(n epsilon), so delta(e) = 2^-10 + (1 - 2^-10) laplace_delta(e). Relation: replace one
    record (0 or 1).
    """
    mean = float(data.mean())
    values = noise.laplace(mean, 1 / (data.size * epsilon), rng, size)
    values[rng.geometric(0.5, size=size) > 10] = mean
    return values


def no_noise_after_ten_tries_truth(epsilon: float, delta: float) -> float:
    """Return the smallest epsilon of :func:`no_noise_after_ten_tries`."""
    bare = 2.0**-10
    if delta < bare:
        return math.inf
    return smallest_epsilon(lambda e: bare + (1 - bare) * laplace_delta(epsilon, e), delta)


# ------------------------------------------------------------------- noise on its own grid


def noise_cast_to_integer(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> IntArray:
    """Release count + int(Laplace noise of scale 1/epsilon).

    Casting cuts towards zero, so 0 collects the noise of (-1, 1), twice the length of any other
    integer: with a = e^-epsilon, P(0) = 1 - a and P(k) = a^|k| (1 - a)/2. The ratio of P(0) to P(1)
    is 2 e^epsilon: epsilon + log 2. (Casting the sum of an integer and the noise would be
    post-processing of it.) Relation: replace one record (0 or 1).
    """
    cut = np.trunc(rng.laplace(scale=1 / epsilon, size=size)).astype(np.int64)
    return np.asarray(data.sum() + cut)


def noise_cast_to_integer_masses(epsilon: float) -> Masses:
    """Return the masses of the outputs near counts 0 and 1."""
    reach = math.ceil(100 / epsilon)
    outputs = np.arange(-reach, reach + 1)

    def law(noise_values: IntArray) -> FloatArray:
        weight = np.where(noise_values == 0, 1.0, 0.5) * -math.expm1(-epsilon)
        return np.asarray(weight * np.exp(-epsilon * np.abs(noise_values)))

    return law(outputs), law(outputs - 1)


def noise_on_a_coarse_grid(
    data: FloatArray, rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a mean of n values in [0, 1] with Laplace noise rounded to multiples of its scale.

    The scale is 1/(n epsilon). The mean itself is on no grid: one value moved by a quarter moves
    all outputs by a quarter of the pitch (at epsilon = 1), so those of D and D' have nothing in
    common. (Rounding the sum of the two would be post-processing.) Relation: replace one record.
    """
    scale = 1 / (data.size * epsilon)
    steps = np.rint(rng.laplace(size=size))
    return np.asarray(np.clip(data, 0.0, 1.0).mean() + steps * scale)


def laplace_on_the_doubles(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a count with Laplace noise by inversion, in double precision: +-log(u)/epsilon.

    Over the reals it is epsilon-DP. On the doubles, at epsilon = 1 and counts 0 and 1: an output
    smaller than 1/2 in absolute value is, on D', 1 plus a noise between -3/2 and -1/2. That is a
    multiple of 2^-53, and so is 1, and their sum is exact: the output is a multiple of 2^-53. On D
    it is the noise itself, whose last bit is worth 2^-54 or less where it is smaller than 1/2;
    most of these outputs are multiples of nothing larger. So no epsilon is enough for a delta
    below the probability of "smaller than 1/2 and no multiple of 2^-53" on D, about 0.27 (and
    certainly 0.2). Relation: replace one record (0 or 1).
    """
    uniform = 1.0 - rng.random(size)
    sign = rng.integers(0, 2, size=size) * 2.0 - 1.0
    return np.asarray(data.sum() + sign * np.log(uniform) / epsilon)


def laplace_on_the_doubles_truth(delta: float) -> float:
    """Return infinity.

    Raises
    ------
    ValueError
        If delta is 0.2 or more: the exact law over all doubles is not known.
    """
    if delta >= 0.2:
        raise ValueError(f"the truth is known for delta < 0.2 only, got {delta}")
    return math.inf


# ------------------------------------------------------------------------- randomness


def fixed_seed(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a count with Laplace noise of scale 1/epsilon from a generator seeded with 0.

    The noise is the same number in every run, on D and on D'. Relation: replace one record
    (0 or 1).
    """
    drawn = float(np.random.default_rng(0).laplace(scale=1 / epsilon))
    return np.full(size, data.sum() + drawn)


def seed_from_the_data(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a count with Laplace noise of scale 1/epsilon, seeded by a checksum of the data.

    Repeating the query does not average the noise out, because the output is a function of the
    data. Relation: replace one record (0 or 1).
    """
    drawn = np.random.default_rng(zlib.crc32(data.tobytes())).laplace(scale=1 / epsilon)
    return np.full(size, data.sum() + float(drawn))


def few_generator_states(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> FloatArray:
    """Release a count with Laplace noise of scale 1/epsilon from a generator with 256 seeds.

    There are 256 outputs on D and as many on D', and none of them is the same.
    Relation: replace one record (0 or 1).
    """
    states = rng.integers(0, 256, size=size)
    return np.asarray(data.sum() + _noise_of_seeds()[states] / epsilon)


def one_run_of_few_generator_states(
    data: NDArray[np.int64], rng: np.random.Generator, *, epsilon: float
) -> float:
    """Run :func:`few_generator_states` once, with draws that an instrumented Laplace sees."""
    seeded = np.random.default_rng(int(rng.integers(0, 256)))
    return float(seeded.laplace(data.sum(), 1 / epsilon))


@lru_cache(maxsize=1)
def _noise_of_seeds() -> FloatArray:
    return np.array([np.random.default_rng(seed).laplace() for seed in range(256)])


def few_generator_states_truth(epsilon: float, delta: float) -> float:
    """Return the smallest epsilon at counts 0 and 1, by enumeration of the seeds."""
    sides = [count + _noise_of_seeds() / epsilon for count in (0, 1)]
    first, second = (np.isin(np.unique(sides), side) / side.size for side in sides)
    return epsilon_of_masses((first, second), delta)


def same_noise_on_two_counts(
    data: NDArray[np.int64], rng: np.random.Generator, size: int, *, epsilon: float
) -> IntArray:
    """Release two counts with two-sided geometric noise, the same on both.

    Each is epsilon/2-DP, but the difference of the two is exact. The data are a binary table with
    two columns, which are counted; on D' one row has another bit in the first. Relation: replace
    one record.

    Returns
    -------
    ndarray of shape (size, 2)
    """
    drawn = noise.two_sided_geometric(epsilon / 2, rng, (size, 1))
    return np.asarray(data.sum(axis=0) + drawn)


# ------------------------------------------------------------------- randomized response


def biased_coin(
    data: int, rng: np.random.Generator, size: int, *, heads: float
) -> NDArray[np.bool_]:
    """Answer truthfully if a fair coin shows heads, else as a second coin says.

    With a fair second coin this is Warner's design as it is usually taught: yes with probability
    3/4 or 1/4, log 3-DP. If the second shows heads with probability h, yes has probability
    1/2 + h/2 or h/2, and no 1/2 - h/2 or 1 - h/2: for h = 0.4 the largest ratio is 7/2.
    Local model: one user, whose answer is 1 or 0.
    """
    truthful = rng.random(size) < 0.5
    return np.where(truthful, data == 1, rng.random(size) < heads)


def two_category_odds_for_many(
    data: int, rng: np.random.Generator, size: int, *, epsilon: float, categories: int
) -> IntArray:
    """Report a category with probability e^epsilon/(1 + e^epsilon), else another, uniformly.

    Each of the k - 1 others has probability 1/((1 + e^epsilon)(k - 1)), so the ratio is
    (k - 1) e^epsilon: epsilon + log(k - 1). Local model: one user, with another category.
    """
    lies = rng.random(size) < 1 / (1 + math.exp(epsilon))
    others = rng.integers(1, categories, size=size)
    return np.asarray((data + lies * others) % categories)


def two_category_odds_for_many_masses(epsilon: float, categories: int) -> Masses:
    """Return the masses of the user's category, that of the other user, and the rest together."""
    kept = 1 / (1 + math.exp(-epsilon))
    each = (1 - kept) / (categories - 1)
    rest = each * (categories - 2)
    return np.array([kept, each, rest]), np.array([each, kept, rest])


# -------------------------------------------------------------------------- the specimens

_COUNTS = (np.array([0, 0, 0, 0, 0, 0]), np.array([1, 0, 0, 0, 0, 0]))
_FINE = (np.array([0.0, 0.5, 1.0, 0.75]), np.array([0.25, 0.5, 1.0, 0.75]))
_COLUMNS = (
    np.array([[0, 1], [1, 1], [1, 0], [0, 1]]),
    np.array([[1, 1], [1, 1], [1, 0], [0, 1]]),
)

SPECIMENS: tuple[Specimen, ...] = (
    Broken(
        "gaussian-by-the-laplace-formula",
        partial(gaussian_by_the_laplace_formula, epsilon=1.0),
        _COUNTS,
        partial(gaussian_truth, 1.0),
        "one noise taken for the other, and a delta for a formality",
        delta=1e-5,
    ),
    Broken(
        "gaussian-by-the-classic-formula",
        partial(gaussian_by_the_classic_formula, epsilon=8.0, delta=0.1),
        _COUNTS,
        partial(gaussian_truth, 8.0 / math.sqrt(2 * math.log(12.5))),
        "Dwork and Roth (2014), Theorem A.1, which asks for epsilon < 1; its use beyond is "
        "reviewed by Zhao et al., 'Reviewing and improving the Gaussian mechanism' (2019)",
        epsilon=8.0,
        delta=0.1,
    ),
    Broken(
        "noise-drawn-again-if-large",
        partial(noise_drawn_again_if_large, epsilon=1.0, most=6.0),
        _COUNTS,
        partial(noise_drawn_again_if_large_truth, 1.0, 6.0),
        "quality control: an answer too far from the truth is not let out",
    ),
    Broken(
        "negative-outputs-drawn-again",
        partial(negative_outputs_drawn_again, epsilon=1.0),
        _COUNTS,
        partial(negative_outputs_drawn_again_truth, 1.0),
        "a nonnegative count by rejection",
    ),
    Broken(
        "no-noise-after-ten-tries",
        partial(no_noise_after_ten_tries, epsilon=1.0),
        (np.array([0, 0, 1, 0, 0, 0]), np.array([1, 0, 1, 0, 0, 0])),
        partial(no_noise_after_ten_tries_truth, 1.0),
        "a bounded loop around a rejection sampler, with 0 as the default",
    ),
    Broken(
        "noise-cast-to-integer",
        partial(noise_cast_to_integer, epsilon=3.0),
        _COUNTS,
        truth_of(*noise_cast_to_integer_masses(3.0)),
        "integer noise from a real-valued sampler, by a cast",
        epsilon=3.0,
    ),
    Broken(
        "noise-on-a-coarse-grid",
        partial(noise_on_a_coarse_grid, epsilon=1.0),
        _FINE,
        told_apart,
        "noise rounded before it is added instead of afterwards",
    ),
    Broken(
        "laplace-on-the-doubles",
        partial(laplace_on_the_doubles, epsilon=1.0),
        _COUNTS,
        laplace_on_the_doubles_truth,
        "Mironov, 'On significance of the least significant bits' (2012); found in later libraries "
        "in other forms by Haney, Desfontaines, Hartman, Shrestha and Hay, 'Precision-based "
        "attacks and interval refining' (2022)",
        arithmetic=True,
    ),
    Broken(
        "fixed-seed",
        partial(fixed_seed, epsilon=1.0),
        _COUNTS,
        told_apart,
        "a seed for the tests that reached production",
    ),
    Broken(
        "seed-from-the-data",
        partial(seed_from_the_data, epsilon=1.0),
        _COUNTS,
        told_apart,
        "'sticky' noise against averaging, as in Diffix (which does not claim differential "
        "privacy); attacked by Gadotti, Houssiau, Rocher, Livshits and de Montjoye (2019)",
    ),
    Broken(
        "few-generator-states",
        partial(few_generator_states, epsilon=1.0),
        _COUNTS,
        partial(few_generator_states_truth, 1.0),
        "a generator seeded by too little, as in Debian's OpenSSL (CVE-2008-0166: the process id)",
    ),
    Broken(
        "same-noise-on-two-counts",
        partial(same_noise_on_two_counts, epsilon=1.0),
        _COLUMNS,
        told_apart,
        "noise drawn once and added to several answers",
    ),
    Broken(
        "biased-coin",
        partial(biased_coin, heads=0.4),
        (1, 0),
        truth_of(*bernoulli(0.7, 0.2)),
        "Warner's randomized response (1965) with a second coin that is not fair",
        epsilon=math.log(3),
    ),
    Broken(
        "two-category-odds-for-many",
        partial(two_category_odds_for_many, epsilon=1.0, categories=4),
        (0, 2),
        truth_of(*two_category_odds_for_many_masses(1.0, 4)),
        "k-ary randomized response (Kairouz, Oh and Viswanath, 2014) with the odds of two "
        "categories",
    ),
)
