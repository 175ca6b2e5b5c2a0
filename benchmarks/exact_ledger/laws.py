"""Goodness of fit of every exact sampler to its law, tails included."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from reference._validation import FloatArray, IntArray
from reference.privacy.exact import noise
from reference.privacy.exact.releases import exact_output
from reference.privacy.exact.sources import KnownBytes, RandomBits
from reference.privacy.exact.wishart import rounded_wishart
from reference.privacy.mechanisms import (
    Bit,
    Exponential,
    IntervalExponential,
    L2BallRandomizer,
    Mechanism,
    NoisyMax,
    RandomizedResponse,
    SmoothSensitivity,
    laplace_argmax_log_probability,
)

Law = Callable[[int], float]

ALPHA = 1e-6
"""Probability with which a right sampler is refused by one p-value."""

CHUNK = 1_000_000
SLOWER = {"noisy max": 100, "point of an interval": 100, "Wishart": 1000}
"""Laws with so many times fewer draws, as they have no sampler for vectors."""


def chi_square(counts: IntArray, chances: Any) -> float:
    """Return the p-value of counts in cells of these probabilities.

    Cells where fewer than 10 are expected are joined with the next.
    """
    expected, cells = np.asarray(chances) * counts.sum(), []
    seen, due = 0.0, 0.0
    for count, want in zip(counts.tolist(), expected.tolist(), strict=True):
        seen, due = seen + count, due + want
        if due >= 10:
            cells.append((seen, due))
            seen, due = 0.0, 0.0
    last = cells.pop()
    cells.append((last[0] + seen, last[1] + due))
    found = sum((seen - due) ** 2 / due for seen, due in cells)
    return float(stats.chi2.sf(found, len(cells) - 1))


def cells_of(drawn: Any, low: int, high: int) -> IntArray:
    """Return counts of the integers from low to high, and of what is below and above."""
    values = np.clip(np.asarray(drawn, dtype=np.int64).ravel(), low - 1, high + 1)
    return np.bincount(values - low + 1, minlength=high - low + 3)


def chances_of(law: Law, low: int, high: int) -> FloatArray:
    """Return the probabilities of these cells; what is beyond is as likely on either side."""
    chances = np.array([law(k) for k in range(low, high + 1)])
    rest = max(0.0, 1 - chances.sum())
    return np.concatenate([[rest / 2], chances, [rest / 2]])


def fit(drawn: Any, law: Law, low: int, high: int) -> float:
    """Return the chi-square p-value of integers against a law; the tails beyond are one cell each.

    Cells of fewer than 10 are joined with the next.
    """
    return chi_square(cells_of(drawn, low, high), chances_of(law, low, high))


def edges_of(cells: int) -> FloatArray:
    """Return the edges of so many equal cells of [0, 1], and of the tails down to 1e-6."""
    tails = 10.0 ** np.arange(-6, -2)
    return np.unique(np.concatenate([np.linspace(0, 1, cells + 1), tails, 1 - tails]))


def uniform_fit(numbers: Any, cells: int = 200) -> float:
    """Return the p-value of numbers that should be uniform on [0, 1], with both tails looked at."""
    edges = edges_of(cells)
    return chi_square(np.histogram(numbers, edges)[0], np.diff(edges))


# ------------------------------------------------------------------------------------- all laws

Counted = tuple[Callable[[RandomBits, int], IntArray], FloatArray]
"""A function that counts so many draws by cells, and the probabilities of the cells."""


def laws() -> dict[str, Counted]:
    """Return every law: noise on its grid, noise of a private scale, choices, matrices."""
    selection = np.array([0.0, 1.0, 2.5, -3.0])
    weights = np.exp(0.75 * selection) / np.exp(0.75 * selection).sum()
    scores = np.array([0.0, 0.25, 0.75])
    best = [math.exp(laplace_argmax_log_probability(scores, k)) for k in range(3)]
    return {
        "Laplace": _uniform(_sums(noise.Laplaces, stats.laplace)),
        "Gaussian": _uniform(_sums(noise.Normals, stats.norm)),
        "smooth sensitivity, Gaussian": _uniform(_smooth("gaussian")),
        "smooth sensitivity, sinh": _uniform(_smooth("arsinh-normal")),
        "coin": _integers(_released(Bit(), 0.3), lambda k: (0.7, 0.3)[k], 1),
        "randomized response of 4": _integers(
            _released(RandomizedResponse(1.0, 4), 2.0),
            lambda k: (math.e if k == 2 else 1.0) / (3 + math.e),
            3,
        ),
        "selection from 4": _integers(
            _released(Exponential(0.75), selection), lambda k: float(weights[k]), 3
        ),
        "integers below 3 * 2^61": _uniform(
            lambda bits, size: bits.integers(3 * 2**61, size) / (3 * 2**61)
        ),
        "noisy max": _integers(_one_by_one(_best_of), lambda k: best[k], 2),
        "point of an interval": _uniform(_one_by_one(_place)),
        "side of the l2 ball": _integers(_sides, _side_chance, 1),
        "Wishart": _uniform(_one_by_one(_below)),
    }


def _uniform(draw: Callable[[RandomBits, int], Any], cells: int = 200) -> Counted:
    edges = edges_of(cells)
    return lambda bits, size: np.histogram(draw(bits, size), edges)[0], np.diff(edges)


def _integers(draw: Callable[[RandomBits, int], Any], law: Law, high: int) -> Counted:
    return lambda bits, size: cells_of(draw(bits, size), 0, high), chances_of(law, 0, high)


def _sums(kind: type[Any], law: Any) -> Callable[[RandomBits, int], Any]:
    def draw(bits: RandomBits, size: int) -> Any:
        noisy = noise.rounded_sums(np.full(size, 0.25), 3.0, kind(bits, size))
        return law.cdf((noisy - 0.25) / 3.0)

    return draw


def _smooth(kind: Any) -> Callable[[RandomBits, int], Any]:
    def draw(bits: RandomBits, size: int) -> Any:
        mechanism = SmoothSensitivity(2.0, 0.1, 0.5, 1.0, kind)
        standard = (exact_output(mechanism, np.full(size, 3.0), bits) - 3) / 4
        return stats.norm.cdf(standard if kind == "gaussian" else np.arcsinh(standard))

    return draw


def _released(mechanism: Mechanism, value: Any) -> Callable[[RandomBits, int], Any]:
    def draw(bits: RandomBits, size: int) -> Any:
        return exact_output(mechanism, np.tile(value, (size, *[1] * np.ndim(value))), bits)

    return draw


def _one_by_one(draw: Callable[[RandomBits], float]) -> Callable[[RandomBits, int], Any]:
    return lambda bits, size: np.array([draw(bits) for _ in range(size)])


def _best_of(bits: RandomBits) -> float:
    return float(exact_output(NoisyMax(2.0, (3,)), np.array([0.0, 0.5, 1.5, 1.5]), bits))


def _place(bits: RandomBits) -> float:
    """Return the distribution function of a density that a point has, at the point."""
    scores, starts = [0.0, 2.0, 9.0, 1.0], [-1.0, 0.5, 3.0, 3.0]
    points = IntervalExponential(0.8, -1.0, 4.0)
    found = float(exact_output(points, np.array([scores, starts]), bits))
    masses = np.exp(0.8 * np.array([0, 2, 1])) * [1.5, 2.5, 1.0]
    ends = np.concatenate([[0], np.cumsum(masses / masses.sum())])
    return float(np.interp(found, [-1.0, 0.5, 3.0, 4.0], ends))


def _sides(bits: RandomBits, size: int) -> Any:
    """Return whether an output lies on the value's side, of a value on the sphere."""
    value = np.tile([0.6, 0.8, 0.0], (size, 1))
    return (exact_output(L2BallRandomizer(1.0, 1.0), value, bits) * value).sum(axis=1) > 0


def _side_chance(k: int) -> float:
    return math.e / (1 + math.e) if k else 1 / (1 + math.e)


def _below(bits: RandomBits) -> float:
    """Return the distribution function of an entry of a Wishart matrix, at the entry."""
    noisy = rounded_wishart(bits, np.zeros((1, 1)), degrees=2.5, scale=2.0)
    return float(stats.chi2.cdf(noisy[0, 0] / 2, 2.5))


def p_values(draws: int) -> Iterator[tuple[str, int, float]]:
    """Yield of every law its name, how many draws were made, and their p-value."""
    for number, (name, (count, chances)) in enumerate(laws().items()):
        size = draws // SLOWER.get(name, 1)
        bits = RandomBits(KnownBytes(100 + number))
        chunks = [min(CHUNK, size - start) for start in range(0, size, CHUNK)]
        yield name, size, chi_square(sum(count(bits, chunk) for chunk in chunks), chances)
