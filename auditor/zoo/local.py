"""Local randomizers: one person's value, hidden by chance before it is sent."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard
from scipy.special import binom

from auditor.zoo import noise
from auditor.zoo.exact import Masses, epsilon_of_masses, opposite_losses_epsilon, product
from auditor.zoo.noise import Bits
from auditor.zoo.specimen import BatchedMechanism, Specimen
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
    sets = np.array([binom(k - 2, chosen - i) for i in (1, 1, 2, 0)])
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


def rappor_permanent(
    value: str, rng: np.random.Generator, size: int, *, bits: int, hashes: int, f: float
) -> Bits:
    """Send the Bloom filter of a string, every bit replaced by a fair coin with probability f.

    A bit is thus true with probability 1 - f/2. Strings whose filters have no bit in common differ
    in 2 hashes bits, with a loss of at most log((1 - f/2)/(f/2)) each; 2 hashes times that is the
    epsilon of Erlingsson, Pihur and Korolova, Theorem 1.

    Returns
    -------
    ndarray of uint8, shape (size, bits)
        f is rounded to a multiple of 1/128.

    References
    ----------
    Erlingsson, Pihur and Korolova, "RAPPOR" (2014), one-time RAPPOR.
    """
    filled = bloom_filter(value, bits, hashes)
    lie = round(128 * f)
    return noise.coins(np.where(filled, 256 - lie, lie).astype(np.uint8), rng, (size, bits))


def rappor_reports(
    value: str,
    rng: np.random.Generator,
    size: int,
    *,
    bits: int,
    hashes: int,
    f: float,
    reports: int,
    p: float,
    q: float,
) -> Bits:
    """Send reports of one permanent response: a 1 in it as 1 with probability q, a 0 with p.

    See :func:`report_masses`.

    Returns
    -------
    ndarray of uint8, shape (size, reports * bits)
        The reports one after the other; p and q are rounded to multiples of 1/256.

    References
    ----------
    Erlingsson, Pihur and Korolova, "RAPPOR" (2014), section 2.
    """
    permanent = rappor_permanent(value, rng, size, bits=bits, hashes=hashes, f=f)
    chances = np.array([round(256 * p), round(256 * q)], dtype=np.uint8)[permanent]
    sent = noise.coins(chances[:, None, :], rng, (size, reports, bits))
    return sent.reshape(size, reports * bits)


def report_masses(f: float, reports: int, p: float, q: float) -> Masses:
    """Return the laws of how many reports of a bit are 1, for a true bit and for a false one.

    Given the permanent bit the reports are independent coins, so the number of ones among them is
    sufficient and binomial, with probability q or p; the permanent bit is right with probability
    1 - f/2.
    """
    ones = np.arange(reports + 1)
    ways = binom(reports, ones)
    likely = ways * q**ones * (1 - q) ** (reports - ones)
    unlikely = ways * p**ones * (1 - p) ** (reports - ones)
    true, false = 1 - f / 2, f / 2
    return true * likely + false * unlikely, false * likely + true * unlikely


def bits_truth(masses: Masses, count: int, delta: float) -> float:
    """Return the truth of bits that differ one way in ``count`` places and the other in as many.

    Everything else has the same law on both sides; the truth is that of 2 ``count`` independent
    outcomes.
    """
    return epsilon_of_masses(product(*[masses] * count, *[masses[::-1]] * count), delta)


def bits_log_ratio(
    masses: Masses,
    first: tuple[int, ...],
    second: tuple[int, ...],
    reports: int,
    outputs: NDArray[Any],
) -> FloatArray:
    """Return the log-ratio of bits, from how many reports of every bit are 1.

    Parameters
    ----------
    masses : (ndarray of shape (reports + 1,), same)
        Of the number of ones, for a true bit and for a false one.
    first, second : tuple of int
        Bits that are true under D only, and under D' only.
    reports : int
    outputs : ndarray of shape (n, reports * bits)
    """
    loss = np.log(masses[0]) - np.log(masses[1])
    by_report = outputs.reshape(len(outputs), reports, -1)
    first_ones = by_report[:, :, list(first)].sum(axis=1, dtype=np.intp)
    second_ones = by_report[:, :, list(second)].sum(axis=1, dtype=np.intp)
    return np.asarray(loss[first_ones].sum(axis=1) - loss[second_ones].sum(axis=1))


def only(first: str, second: str, bits: int, hashes: int) -> tuple[int, ...]:
    """Return the bits that the Bloom filter of ``first`` has and that of ``second`` has not."""
    one, other = (bloom_filter(value, bits, hashes) for value in (first, second))
    return tuple(np.flatnonzero(one & ~other).tolist())


# --------------------------------------------------------------------------- specimens

_COLOURS = ("red", "orange", "yellow", "green", "blue", "indigo", "violet", "none")
_ANSWERS = ("yes", "no", None, math.nan)

_SITES = ("example.org", "example.net")
"""Their Bloom filters with two hashes have no bit in common, in 64 bits nor in 16."""

_F, _P, _Q = 0.5, 0.5, 0.75


def _bit_vectors(
    name: str,
    mechanism: BatchedMechanism,
    masses: Masses,
    epsilon: float,
    *,
    values: tuple[Any, Any],
    changed: tuple[tuple[int, ...], tuple[int, ...]],
    reports: int = 1,
    source: str,
) -> Specimen:
    """Return a specimen with bits whose laws are ``masses``, true in ``changed`` on either side."""
    return Specimen(
        name=name,
        mechanism=mechanism,
        pair=values,
        epsilon=epsilon,
        truth=partial(bits_truth, masses, len(changed[0])),
        broken=False,
        source=source,
        vector=True,
        log_ratio=partial(bits_log_ratio, masses, *changed, reports),
    )


def _rappor(name: str, bits: int, reports: int, epsilon: float) -> Specimen:
    """Return a specimen of the reports of a permanent response; of the response itself for 0."""
    if reports == 0:
        mechanism: BatchedMechanism = partial(rappor_permanent, bits=bits, hashes=2, f=_F)
        masses = report_masses(_F, 1, 0.0, 1.0)
    else:
        mechanism = partial(rappor_reports, bits=bits, hashes=2, f=_F, reports=reports, p=_P, q=_Q)
        masses = report_masses(_F, reports, _P, _Q)
    return _bit_vectors(
        name,
        mechanism,
        masses,
        epsilon,
        values=_SITES,
        changed=(only(*_SITES, bits, 2), only(*_SITES[::-1], bits, 2)),
        reports=max(reports, 1),
        source="Erlingsson, Pihur and Korolova (2014)",
    )


_PERMANENT = 4 * math.log((1 - _F / 2) / (_F / 2))
"""Erlingsson, Pihur and Korolova, Theorem 1, with two hashes."""

_SENT = ((_F * (_P + _Q) / 2 + (1 - _F) * _Q), (_F * (_P + _Q) / 2 + (1 - _F) * _P))
_ONE_REPORT = 2 * math.log(_SENT[0] * (1 - _SENT[1]) / (_SENT[1] * (1 - _SENT[0])))
"""The same, Theorem 2."""

SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        name="randomized-response",
        mechanism=partial(randomized_response, epsilon=1.0),
        pair=(True, False),
        epsilon=1.0,
        truth=partial(opposite_losses_epsilon, 1.0),
        broken=False,
        source="Warner (1965)",
    ),
    Specimen(
        name="randomized-colour",
        mechanism=partial(randomized_category, epsilon=1.5, categories=_COLOURS),
        pair=("green", "violet"),
        epsilon=1.5,
        truth=partial(randomized_category_truth, 1.5, len(_COLOURS)),
        broken=False,
        source="Kairouz, Bonawitz and Ramage (2016)",
    ),
    Specimen(
        name="randomized-missing",
        mechanism=partial(randomized_category, epsilon=1.0, categories=_ANSWERS),
        pair=(None, math.nan),
        epsilon=1.0,
        truth=partial(randomized_category_truth, 1.0, len(_ANSWERS)),
        broken=False,
        source="Kairouz, Bonawitz and Ramage (2016), over answers that may be None or NaN",
    ),
    Specimen(
        name="hadamard-response",
        mechanism=partial(hadamard_response, epsilon=1.0, order=16),
        pair=(3, 9),
        epsilon=1.0,
        truth=partial(hadamard_truth, 1.0),
        broken=False,
        source="Acharya, Sun and Zhang (2019)",
    ),
    Specimen(
        name="subset-selection",
        mechanism=partial(subset_selection, epsilon=1.0, k=16, chosen=4),
        pair=(2, 11),
        epsilon=1.0,
        truth=partial(subset_selection_truth, 1.0, 16, 4),
        broken=False,
        source="Ye and Barg (2018)",
        vector=True,
        log_ratio=partial(subset_selection_log_ratio, (2, 11), 1.0),
    ),
    _bit_vectors(
        "optimized-unary-encoding",
        partial(unary_encoding, k=32, keep=128, lie=32),
        (np.array([1 / 2, 1 / 2]), np.array([7 / 8, 1 / 8])),
        math.log(7),
        values=(5, 20),
        changed=((5,), (20,)),
        source="Wang, Blocki, Li and Jha (2017)",
    ),
    _rappor("rappor-one-time", 64, 0, _PERMANENT),
    _rappor("rappor-report", 64, 1, _ONE_REPORT),
    _rappor("rappor-longitudinal", 16, 4, _PERMANENT),
)
