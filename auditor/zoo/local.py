"""Local randomizers: one person's value, hidden by chance before it is sent."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard
from scipy.special import binom as ways
from scipy.stats import binom

from auditor.zoo import noise
from auditor.zoo.exact import Masses, epsilon_of_masses, opposite_losses_epsilon, product
from auditor.zoo.noise import Bits
from auditor.zoo.specimen import Specimen
from reference._validation import FloatArray, IntArray

# ------------------------------------------------------------------- randomized response


def randomized_response(
    answer: bool, rng: np.random.Generator, size: int, *, epsilon: float
) -> NDArray[np.bool_]:
    """Tell the truth with probability e^epsilon/(e^epsilon + 1), else lie.

    Each outcome has one probability for one answer and the other for the other: losses +-epsilon.

    References
    ----------
    Warner, "Randomized response" (1965).
    """
    return np.equal(rng.random(size) < 1 / (1 + math.exp(-epsilon)), answer)


def randomized_category(
    answer: Any,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    categories: Sequence[Any],
) -> NDArray[Any] | list[Any]:
    """Tell the truth with probability e^epsilon/(e^epsilon + k - 1), else another of k categories.

    For two different answers, either one is e^epsilon times as likely where it is true, and the
    k - 2 others are equally likely. A category that is not a string, such as None or NaN, makes
    the output a list of objects.

    References
    ----------
    Kairouz, Bonawitz and Ramage, "Discrete distribution estimation under local privacy" (2016).
    """
    k = len(categories)
    keep = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    truth = next(i for i, category in enumerate(categories) if _same(category, answer))
    shift = np.where(rng.random(size) < keep, 0, rng.integers(1, k, size=size))
    code = (truth + shift) % k
    if all(isinstance(category, str) for category in categories):
        return np.take(np.asarray(categories), code)
    table = np.empty(k, dtype=object)
    table[:] = categories
    chosen: list[Any] = table[code].tolist()
    return chosen


def _same(one: Any, other: Any) -> bool:
    return bool(one == other or (one != one and other != other))  # NaN is not equal to itself


def randomized_category_truth(epsilon: float, k: int, delta: float) -> float:
    """Return the truth of :func:`randomized_category`: the answer, the neighbour's, the others."""
    weight = np.array([math.exp(epsilon), 1.0, k - 2.0])
    p = weight / weight.sum()
    return epsilon_of_masses((p, p[[1, 0, 2]]), delta)


def hadamard_response(
    answer: int, rng: np.random.Generator, size: int, *, epsilon: float, order: int
) -> IntArray:
    """Send a column in which the answer's row of a Hadamard matrix is 1, or one where it is -1.

    The former with probability e^epsilon/(e^epsilon + 1); then any of the order/2 such columns.
    Row 0, all ones, is nobody's: the answers are 0..order - 2.

    Of two rows, a quarter of the columns is 1 in both, a quarter -1 in both, and two quarters tell
    them apart: with s = e^epsilon/(e^epsilon + 1), the losses 0, 0, epsilon and -epsilon have the
    probabilities s/2, (1 - s)/2, s/2 and (1 - s)/2.

    References
    ----------
    Acharya, Sun and Zhang, "Hadamard response" (2019), section 4.
    """
    columns = np.argsort(-hadamard(order)[answer + 1], kind="stable")  # the ones first
    half = order // 2
    place = rng.integers(0, half, size=size)
    place += half * (rng.random(size) >= 1 / (1 + math.exp(-epsilon)))
    return np.asarray(columns[place])


def hadamard_truth(epsilon: float, delta: float) -> float:
    """Return the truth of :func:`hadamard_response`; half of the time nothing is learned."""
    told = 1 / (1 + math.exp(-epsilon))
    p, q = np.array([told, 1 - told, 1.0]) / 2, np.array([1 - told, told, 1.0]) / 2
    return epsilon_of_masses((p, q), delta)


# ------------------------------------------------------------------------------- subsets


def subset_selection(
    answer: int, rng: np.random.Generator, size: int, *, epsilon: float, k: int, chosen: int
) -> Bits:
    """Send a set of ``chosen`` of the k categories, e^epsilon times as likely if it has the answer.

    Returns
    -------
    ndarray of uint8, shape (size, k)
        1 for the categories in the set.

    References
    ----------
    Ye and Barg, "Optimal schemes for discrete distribution estimation under locally differential
    privacy" (2018).
    """
    odds = chosen * math.exp(epsilon) / (k - chosen)
    sent = np.empty((size, k), dtype=np.uint8)
    sent[:, answer] = rng.random(size) < odds / (1 + odds)
    missing = chosen - sent[:, answer]
    # a uniform set of the others: each in turn with probability missing/(how many are left)
    others = np.delete(np.arange(k), answer)
    for i, other in enumerate(others):
        sent[:, other] = rng.random(size) * (others.size - i) < missing
        missing -= sent[:, other]
    return sent


def subset_selection_truth(epsilon: float, k: int, chosen: int, delta: float) -> float:
    """Return the truth of :func:`subset_selection`, for two different answers.

    A set with the answer has the weight e^epsilon, another 1. So the loss of a set is epsilon if
    it has the answer and not the neighbour's, -epsilon the other way round, else 0. There are
    C(k - 2, chosen - 1) sets of the first kind and of the second, C(k - 2, chosen - 2) with both
    and C(k - 2, chosen) with neither.
    """
    sets = np.array([ways(k - 2, chosen - i) for i in (1, 1, 2, 0)])
    weight = np.exp(epsilon * np.array([1.0, 0.0, 1.0, 0.0]))
    p = sets * weight / (sets @ weight)
    return epsilon_of_masses((p, p[[1, 0, 2, 3]]), delta)


def subset_selection_log_ratio(
    answers: tuple[int, int], epsilon: float, outputs: NDArray[Any]
) -> FloatArray:
    """Return epsilon ([answer in the set] - [neighbour's answer in the set])."""
    first, second = answers
    return np.asarray(epsilon * (outputs[:, first].astype(np.float64) - outputs[:, second]))


# --------------------------------------------------------------------------- bit vectors


def unary_encoding(
    answer: int, rng: np.random.Generator, size: int, *, k: int, keep: int, lie: int
) -> Bits:
    """Send k bits: that of the answer is 1 with probability keep/256, the others with lie/256.

    Against another answer two bits have another law. A bit that is 1 with probability p against q
    has a loss of at most log(p/q), and the other of at most log((1 - q)/(1 - p)); together
    log(p (1 - q)/(q (1 - p))), which is log((1 - q)/q) for the optimized p = 1/2.

    Returns
    -------
    ndarray of uint8, shape (size, k)

    References
    ----------
    Wang, Blocki, Li and Jha, "Locally differentially private protocols for frequency estimation"
    (2017), section 4.2.
    """
    chances = np.full(k, lie, dtype=np.uint8)
    chances[answer] = keep
    return noise.coins(chances, rng, (size, k))


def bloom_filter(value: str, bits: int, hashes: int) -> NDArray[np.bool_]:
    """Return a Bloom filter of a string: ``hashes`` of ``bits`` bits set, or fewer if they agree.

    Parameters
    ----------
    value : str
    bits : int
        A power of two, at most 256.
    hashes : int
        At most 32.
    """
    digest = hashlib.sha256(value.encode()).digest()
    filled = np.zeros(bits, dtype=bool)
    filled[[byte % bits for byte in digest[:hashes]]] = True
    return filled


@dataclass(frozen=True)
class Reports:
    """Reports of a permanent response.

    Attributes
    ----------
    bits, hashes : int
        Of the Bloom filter.
    count : int
        How many reports there are.
    p, q : float
        Probabilities with which a 0 and a 1 of the permanent response are sent as 1; rounded to
        multiples of 1/256.
    f : float
        Probability with which a bit of the filter is replaced by a fair coin; rounded to a
        multiple of 1/128.
    """

    bits: int
    count: int
    hashes: int = 2
    p: float = 0.5
    q: float = 0.75
    f: float = 0.5


def rappor_permanent(value: str, rng: np.random.Generator, size: int, *, reports: Reports) -> Bits:
    """Send the Bloom filter of a string, every bit replaced by a fair coin with probability f.

    A bit is thus true with probability 1 - f/2. Strings whose filters have no bit in common differ
    in 2 hashes bits, with a loss of at most log((1 - f/2)/(f/2)) each; 2 hashes times that is the
    epsilon of Erlingsson, Pihur and Korolova, Theorem 1.

    Returns
    -------
    ndarray of uint8, shape (size, bits)

    References
    ----------
    Erlingsson, Pihur and Korolova, "RAPPOR" (2014), one-time RAPPOR.
    """
    filled = bloom_filter(value, reports.bits, reports.hashes)
    lie = round(128 * reports.f)
    chances = np.where(filled, 256 - lie, lie).astype(np.uint8)
    return noise.coins(chances, rng, (size, reports.bits))


def rappor_reports(value: str, rng: np.random.Generator, size: int, *, reports: Reports) -> Bits:
    """Send reports of one permanent response: a 1 in it as 1 with probability q, a 0 with p.

    See :func:`report_masses`.

    Returns
    -------
    ndarray of uint8, shape (size, count * bits)
        The reports one after the other.

    References
    ----------
    Erlingsson, Pihur and Korolova, "RAPPOR" (2014), section 2.
    """
    permanent = rappor_permanent(value, rng, size, reports=reports)
    chances = np.array([round(256 * reports.p), round(256 * reports.q)], dtype=np.uint8)[permanent]
    sent = noise.coins(chances[:, None, :], rng, (size, reports.count, reports.bits))
    return sent.reshape(size, -1)


def report_masses(reports: Reports) -> Masses:
    """Return the laws of how many reports of a bit are 1, for a true bit and for a false one.

    Given the permanent bit the reports are independent coins, so the number of ones among them is
    sufficient and binomial, with probability q or p; the permanent bit is right with probability
    1 - f/2.
    """
    ones = np.arange(reports.count + 1)
    likely = binom.pmf(ones, reports.count, reports.q)
    unlikely = binom.pmf(ones, reports.count, reports.p)
    true, false = 1 - reports.f / 2, reports.f / 2
    return true * likely + false * unlikely, false * likely + true * unlikely


def bits_truth(masses: Masses, count: int, delta: float) -> float:
    """Return the truth of bits that differ one way in ``count`` places and the other in as many.

    Everything else has the same law on both sides; the truth is that of 2 ``count`` independent
    outcomes.
    """
    return epsilon_of_masses(product(*[masses] * count, *[masses[::-1]] * count), delta)


ChangedBits = tuple[IntArray, IntArray]
"""The bits that are true under D only, and those under D' only; as many."""


def bits_log_ratio(masses: Masses, changed: ChangedBits, outputs: NDArray[Any]) -> FloatArray:
    """Return the log-ratio of bits, from how many reports of every bit are 1.

    Parameters
    ----------
    masses : (ndarray of shape (reports + 1,), same)
        Of the number of ones, for a true bit and for a false one.
    changed : (ndarray of int, ndarray of int)
    outputs : ndarray of shape (n, reports * bits)
    """
    loss = np.log(masses[0]) - np.log(masses[1])
    ones = outputs.reshape(len(outputs), masses[0].size - 1, -1).sum(axis=1, dtype=np.intp)
    first, second = (loss[ones[:, bits]].sum(axis=1) for bits in changed)
    return np.asarray(first - second)


# --------------------------------------------------------------------------- specimens

_COLOURS = ("red", "orange", "yellow", "green", "blue", "indigo", "violet", "none")
_ANSWERS = ("yes", "no", None, math.nan)

_SITES = ("example.org", "example.net")
"""Strings whose Bloom filters with two hashes share no bit, neither of 64 bits nor of 16."""


def _rappor(name: str, mechanism: Any, reports: Reports, epsilon: float) -> Specimen:
    """Return a specimen of the reports of :data:`_SITES`."""
    law = report_masses(reports)
    first, second = (bloom_filter(site, reports.bits, reports.hashes) for site in _SITES)
    changed = np.flatnonzero(first & ~second), np.flatnonzero(second & ~first)
    return Specimen(
        name,
        partial(mechanism, reports=reports),
        _SITES,
        partial(bits_truth, law, changed[0].size),
        "Erlingsson, Pihur and Korolova (2014)",
        epsilon=epsilon,
        log_ratio=partial(bits_log_ratio, law, changed),
    )


_ONE = Reports(64, 1)
_PERMANENT = 4 * math.log((1 - _ONE.f / 2) / (_ONE.f / 2))
"""Erlingsson, Pihur and Korolova, Theorem 1, with two hashes."""

_SENT = [_ONE.f * (_ONE.p + _ONE.q) / 2 + (1 - _ONE.f) * chance for chance in (_ONE.q, _ONE.p)]
_ONE_REPORT = 2 * math.log(_SENT[0] * (1 - _SENT[1]) / (_SENT[1] * (1 - _SENT[0])))
"""The same, Theorem 2."""

_UNARY = np.array([1 / 2, 1 / 2]), np.array([7 / 8, 1 / 8])

SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        "randomized-response",
        partial(randomized_response, epsilon=1.0),
        (True, False),
        partial(opposite_losses_epsilon, 1.0),
        "Warner (1965)",
    ),
    Specimen(
        "randomized-colour",
        partial(randomized_category, epsilon=1.5, categories=_COLOURS),
        ("green", "violet"),
        partial(randomized_category_truth, 1.5, len(_COLOURS)),
        "Kairouz, Bonawitz and Ramage (2016)",
        epsilon=1.5,
    ),
    Specimen(
        "randomized-missing",
        partial(randomized_category, epsilon=1.0, categories=_ANSWERS),
        (None, math.nan),
        partial(randomized_category_truth, 1.0, len(_ANSWERS)),
        "Kairouz, Bonawitz and Ramage (2016), over answers that may be None or NaN",
    ),
    Specimen(
        "hadamard-response",
        partial(hadamard_response, epsilon=1.0, order=16),
        (3, 9),
        partial(hadamard_truth, 1.0),
        "Acharya, Sun and Zhang (2019)",
    ),
    Specimen(
        "subset-selection",
        partial(subset_selection, epsilon=1.0, k=16, chosen=4),
        (2, 11),
        partial(subset_selection_truth, 1.0, 16, 4),
        "Ye and Barg (2018)",
        log_ratio=partial(subset_selection_log_ratio, (2, 11), 1.0),
    ),
    Specimen(
        "optimized-unary-encoding",
        partial(unary_encoding, k=32, keep=128, lie=32),
        (5, 20),
        partial(bits_truth, _UNARY, 1),
        "Wang, Blocki, Li and Jha (2017)",
        epsilon=math.log(7),
        log_ratio=partial(bits_log_ratio, _UNARY, (np.array([5]), np.array([20]))),
    ),
    _rappor("rappor-one-time", rappor_permanent, Reports(64, 1, p=0.0, q=1.0), _PERMANENT),
    _rappor("rappor-report", rappor_reports, _ONE, _ONE_REPORT),
    _rappor("rappor-longitudinal", rappor_reports, Reports(16, 4), _PERMANENT),
)
