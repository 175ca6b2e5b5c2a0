"""Choices: the best candidate, the keys that are frequent, an answer or none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike
from scipy.special import softmax

from auditor.zoo import noise
from auditor.zoo.exact import (
    bernoulli,
    epsilon_of_masses,
    laplace_excess,
    laplace_mass,
    product,
    truth_of,
)
from auditor.zoo.specimen import Specimen
from reference._validation import FloatArray, IntArray
from reference.privacy.guarantees import smallest_epsilon
from reference.privacy.mechanisms import laplace_argmax_log_probability

# ------------------------------------------------------------------- the best candidate


def exponential_choice(
    votes: Sequence[str],
    rng: np.random.Generator,
    size: int,
    *,
    candidates: tuple[str, ...],
    epsilon: float,
) -> list[str]:
    """Choose a candidate with probability proportional to e^(epsilon votes/2).

    Replacing a vote takes one from a candidate and gives one to another. At delta 0 the truth is
    epsilon/2 for the vote that a candidate loses, and the change of the log of the normalizing
    sum, which is nearly epsilon/2 more if the candidate that gains dominates it.

    References
    ----------
    McSherry and Talwar, "Mechanism design via differential privacy" (2007).
    """
    chances = exponential_masses(votes, candidates, epsilon)
    table = np.array(candidates, dtype=object)
    chosen: list[str] = table[rng.choice(len(candidates), size=size, p=chances)].tolist()
    return chosen


def exponential_masses(
    votes: Sequence[str], candidates: tuple[str, ...], epsilon: float
) -> FloatArray:
    """Return the probability of every candidate."""
    counts = Counter(votes)
    return np.asarray(softmax([epsilon / 2 * counts[name] for name in candidates]))


def noisy_max_laplace(
    counts: ArrayLike, rng: np.random.Generator, size: int, *, epsilon: float
) -> IntArray:
    """Release which count is largest after Laplace noise of scale 2/epsilon, and nothing else.

    A record moves every count by at most 1, some up and some down. See
    :func:`noisy_max_laplace_masses`.

    References
    ----------
    Dwork and Roth, "The algorithmic foundations of differential privacy" (2014), section 3.3.
    """
    scores = np.asarray(counts, dtype=np.float64)
    noisy = noise.standard_laplace(rng, (size, scores.size))
    noisy += epsilon / 2 * scores
    return np.asarray(noisy.argmax(axis=1))


def noisy_max_laplace_masses(counts: tuple[float, ...], epsilon: float) -> FloatArray:
    """Return the probability of every count to win in :func:`noisy_max_laplace`, by quadrature.

    Candidate i wins with the probability integral f(x - s_i) prod_(j != i) F(x - s_j) dx, for
    scores s in units of the scale and the standard Laplace density f and distribution function F.
    """
    scores = epsilon / 2 * np.array(counts)
    return np.exp([laplace_argmax_log_probability(scores, i) for i in range(len(counts))])


def noisy_max_exponential(
    counts: ArrayLike, rng: np.random.Generator, size: int, *, epsilon: float
) -> IntArray:
    """Release which count is largest after exponential noise of scale 2/epsilon.

    The same law as permute-and-flip. See :func:`noisy_max_exponential_masses`. The claim is tight
    for two counts that are two or more apart and move towards each other.

    References
    ----------
    McKenna and Sheldon, "Permute-and-flip" (2020); Ding, Kifer, Steinke et al., "The
    permute-and-flip mechanism is identical to report-noisy-max with exponential noise" (2021).
    """
    scores = np.asarray(counts, dtype=np.float64)
    noisy = rng.standard_exponential((size, scores.size))
    noisy += epsilon / 2 * scores
    return np.asarray(noisy.argmax(axis=1))


def noisy_max_exponential_masses(counts: ArrayLike, epsilon: float) -> FloatArray:
    """Return the probability of every count to win in :func:`noisy_max_exponential`.

    The noisy largest count is never below the largest count c. So the winner has a noisy count
    x >= c, and with t = e^(-epsilon (x - c)/2) in (0, 1] and p_j = e^(-epsilon (c - count_j)/2),
    count j stays below x with probability 1 - t p_j, and t has the density p_i for the winner i:
    its probability is p_i times the integral of prod_(j != i) (1 - t p_j) over (0, 1), of a
    polynomial, which Gauss-Legendre quadrature with enough nodes has without an error.
    """
    scores = np.asarray(counts, dtype=np.float64)
    p = np.exp(epsilon / 2 * (scores - scores.max()))
    nodes, weights = leggauss(scores.size)
    t = (1 + nodes) / 2
    stays = 1 - t[:, None] * p
    return np.array(
        [
            p[i] * (weights / 2) @ np.delete(stays, i, axis=1).prod(axis=1)
            for i in range(scores.size)
        ]
    )


# ------------------------------------------------------------------------ frequent keys


def frequent_keys(
    baskets: Iterable[Iterable[str]],
    rng: np.random.Generator,
    size: int,
    *,
    universe: tuple[str, ...],
    scale: float,
    threshold: float,
) -> list[tuple[str, ...]]:
    """Release which keys of a public universe have a count + Laplace noise above a threshold.

    Of at most 8 keys. See :func:`frequent_keys_truth`.

    Returns
    -------
    list of tuple of str
        In the order of the universe, of any length from none to all.
    """
    counts = Counter(key for basket in baskets for key in basket)
    values = np.array([counts[key] for key in universe], dtype=np.float64)
    above = noise.laplace(values, scale, rng, size) > threshold
    code = np.packbits(above, axis=1, bitorder="little")[:, 0]
    table = np.empty(2 ** len(universe), dtype=object)
    table[:] = [
        tuple(key for i, key in enumerate(universe) if number >> i & 1)
        for number in range(table.size)
    ]
    released: list[tuple[str, ...]] = table[code].tolist()
    return released


def frequent_keys_truth(
    changed: tuple[tuple[float, float], ...], scale: float, threshold: float, delta: float
) -> float:
    """Return the truth of :func:`frequent_keys`, by enumeration.

    Whether a key is released depends on its own noise alone, so the changed keys are independent
    coins and the others tell nothing. Where both counts are at or below the threshold, the coin's
    probabilities e^-(threshold - count)/scale / 2 have the ratio e^(1/scale) exactly; the set of
    all changed keys has the product.

    Parameters
    ----------
    changed : tuple of (float, float)
        Counts of the changed keys under D and under D'.
    """
    laws = [
        bernoulli(
            laplace_mass((first, scale), threshold, math.inf),
            laplace_mass((second, scale), threshold, math.inf),
        )
        for first, second in changed
    ]
    return epsilon_of_masses(product(*laws), delta)


def stable_histogram(
    records: Sequence[str], rng: np.random.Generator, size: int, *, epsilon: float, delta: float
) -> list[dict[str, float]]:
    """Release the noisy counts of the keys that occur, of an unknown universe, if large enough.

    Laplace noise has the scale 2/epsilon, since replacing a record moves two counts; the threshold
    is 1 + 2 log(1/(2 delta))/epsilon, so that a key with one record is released with probability
    delta. The claim: each of the two counts costs epsilon/2, a key that only one side has costs
    delta, and its absence log(1/(1 - delta)), which is less than epsilon/2. See
    :func:`stable_histogram_truth`.

    Returns
    -------
    list of dict
        Noisy count by key.

    References
    ----------
    Korolova, Kenthapadi, Mishra and Ntoulas, "Releasing search queries and clicks privately"
    (2009).
    """
    counts = Counter(records)
    keys = sorted(counts)
    values = np.array([counts[key] for key in keys], dtype=np.float64)
    noisy = noise.laplace(values, 2 / epsilon, rng, size)
    released: list[dict[str, float]] = [{} for _ in range(size)]
    above = noisy > 1 + 2 * math.log(1 / (2 * delta)) / epsilon
    for j, key in enumerate(keys):
        for run in np.flatnonzero(above[:, j]).tolist():
            released[run][key] = float(noisy[run, j])
    return released


def stable_histogram_truth(
    count: float, epsilon: float, claimed_delta: float, delta: float
) -> float:
    """Return the truth of :func:`stable_histogram` where a record leaves a key for a new one.

    Under D a key has ``count`` records and the new one 1; under D' the key has count + 1, and the
    new one none. Whether the new key is released is independent of the other. If it is, which has
    the probability d = ``claimed_delta`` under D and none under D', all is told. If not, the old
    key is absent or has a Laplace noisy count above the threshold, with laws p under D and q under
    D'. So with (p - e^e q)_+ summed over absence and integrated over counts,

    * D against D': delta(e) = d + (1 - d) sum (p - e^(e - log(1 - d)) q)_+,
    * D' against D: delta(e) = sum (q - e^(e + log(1 - d)) p)_+.

    Below d there is no epsilon.
    """
    scale = 2 / epsilon
    threshold = 1 + scale * math.log(1 / (2 * claimed_delta))
    p, q = (count, scale), (count + 1, scale)
    kept = math.log1p(-claimed_delta)

    def excess(first: tuple[float, float], second: tuple[float, float], e: float) -> float:
        absent = laplace_mass(first, -math.inf, threshold) - math.exp(min(e, 700.0)) * laplace_mass(
            second, -math.inf, threshold
        )
        return max(0.0, absent) + laplace_excess(first, second, e, low=threshold)

    def profile(e: float) -> float:
        forth = claimed_delta + (1 - claimed_delta) * excess(p, q, e - kept)
        return max(forth, excess(q, p, e + kept))

    if delta < claimed_delta:
        return math.inf
    return smallest_epsilon(profile, delta * (1 + 1e-12))


# -------------------------------------------------------------------- an answer or none


def propose_test_release(
    votes: Sequence[str], rng: np.random.Generator, size: int, *, epsilon: float, delta: float
) -> list[str | None]:
    """Release the most frequent vote if it is stable, else None.

    It is stable at the distance d = lead - 1, or 0 in a tie: it stays the winner if d votes are
    added or removed. Adding or removing a vote moves d by at most 1. The vote is released if d +
    Laplace noise of scale 1/epsilon exceeds log(1/(2 delta))/epsilon; at d = 0, the only distance
    at which a neighbour may have another winner, that has the probability delta.

    References
    ----------
    Dwork and Lei, "Differential privacy and robust statistics" (2009).
    """
    winner, distance = most_frequent(votes)
    noisy = epsilon * distance + noise.standard_laplace(rng, (size,))
    released = noisy > math.log(1 / (2 * delta))
    answers = np.array([None, winner], dtype=object)
    chosen: list[str | None] = answers[released.astype(np.intp)].tolist()
    return chosen


def most_frequent(votes: Sequence[str]) -> tuple[str, int]:
    """Return the most frequent vote, the first in alphabetical order in a tie, and its distance."""
    ranked = sorted(Counter(votes).items(), key=lambda item: (-item[1], item[0]))
    runner_up = ranked[1][1] if len(ranked) > 1 else 0
    return ranked[0][0], max(ranked[0][1] - runner_up - 1, 0)


def propose_test_release_truth(
    pair: tuple[tuple[str, ...], tuple[str, ...]],
    epsilon: float,
    claimed_delta: float,
    delta: float,
) -> float:
    """Return the truth of :func:`propose_test_release`, by enumeration of its outcomes.

    Where both have the same winner, the outcomes are the winner and None; else each winner is
    impossible on the other side, and there is no epsilon below the claimed delta.
    """
    laws = [_released(votes, epsilon, claimed_delta) for votes in pair]
    outcomes = sorted({name for law in laws for name in law})
    first, second = (np.array([law.get(name, 0.0) for name in outcomes]) for law in laws)
    return epsilon_of_masses((first, second), delta)


def _released(votes: Sequence[str], epsilon: float, delta: float) -> Mapping[str, float]:
    winner, distance = most_frequent(votes)
    law = (float(distance), 1 / epsilon)
    threshold = math.log(1 / (2 * delta)) / epsilon
    released = laplace_mass(law, threshold, math.inf)
    return {winner: released, "": laplace_mass(law, -math.inf, threshold)}


# --------------------------------------------------------------------------- specimens

_COLOURS = ("amber", "blue", "cyan", "green", "lilac", "pink", "red", "teal", "white")
_BLUE = ("blue",) * 9 + ("red", "teal")
_VOTES = ((*_BLUE, "amber"), (*_BLUE, "blue"))

_UP_DOWN = ((3.0, 5.0, 4.0, 6.0, 2.0), (4.0, 4.0, 3.0, 5.0, 1.0))
_CLOSER = ((1.0, 5.0), (2.0, 4.0))

_UNIVERSE = ("apple", "bread", "cheese", "dates", "eggs", "fish")
_OTHERS = (("apple",), ("apple", "bread"), ("dates", "eggs", "fish"), ("fish", "dates"), ("fish",))
_BASKETS = ((*_OTHERS, ("apple", "bread", "fish")), _OTHERS)

_STABLE = (("a",) * 5 + ("b",) * 2, ("a",) * 6 + ("b",) * 2)
_UNSTABLE = (("a",) * 3 + ("b",) * 3, ("a",) * 3 + ("b",) * 4)

_SEARCHES = ("weather",) * 9 + ("news",) * 30

SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        "exponential-colour",
        partial(exponential_choice, candidates=_COLOURS, epsilon=1.0),
        _VOTES,
        truth_of(*(exponential_masses(votes, _COLOURS, 1.0) for votes in _VOTES)),
        "McSherry and Talwar (2007)",
    ),
    Specimen(
        "noisy-max-laplace",
        partial(noisy_max_laplace, epsilon=2.0),
        _UP_DOWN,
        truth_of(*(noisy_max_laplace_masses(counts, 2.0) for counts in _UP_DOWN)),
        "Dwork and Roth (2014), section 3.3",
        epsilon=2.0,
    ),
    Specimen(
        "noisy-max-exponential",
        partial(noisy_max_exponential, epsilon=1.0),
        _CLOSER,
        truth_of(*(noisy_max_exponential_masses(counts, 1.0) for counts in _CLOSER)),
        "McKenna and Sheldon (2020), permute-and-flip",
    ),
    Specimen(
        "frequent-keys",
        partial(frequent_keys, universe=_UNIVERSE, scale=2.0, threshold=4.0),
        _BASKETS,
        partial(frequent_keys_truth, ((3.0, 2.0), (2.0, 1.0), (4.0, 3.0)), 2.0, 4.0),
        "noisy thresholds of baskets of at most three keys, a ragged output",
        epsilon=1.5,
    ),
    Specimen(
        "stable-histogram",
        partial(stable_histogram, epsilon=1.0, delta=0.01),
        ((*_SEARCHES, "rare disease"), (*_SEARCHES, "weather")),
        partial(stable_histogram_truth, 9.0, 1.0, 0.01),
        "Korolova, Kenthapadi, Mishra and Ntoulas (2009)",
        delta=0.01,
    ),
    Specimen(
        "propose-test-release",
        partial(propose_test_release, epsilon=1.0, delta=0.025),
        _STABLE,
        partial(propose_test_release_truth, _STABLE, 1.0, 0.025),
        "Dwork and Lei (2009)",
        delta=0.025,
    ),
    Specimen(
        "propose-test-release-unstable",
        partial(propose_test_release, epsilon=1.0, delta=0.025),
        _UNSTABLE,
        partial(propose_test_release_truth, _UNSTABLE, 1.0, 0.025),
        "Dwork and Lei (2009), where the winner changes",
        delta=0.025,
    ),
)
