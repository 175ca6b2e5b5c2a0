"""Mechanisms that release vectors: coordinates, bits, gradients; log-ratios and truths.

Seeds are fixed; every statistical test would fail a right mechanism with a probability below 1e-6
for a random seed.
"""

from __future__ import annotations

import functools
import math
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import stats

from auditor.questions.samplers import uniformity
from auditor.zoo import learning_steps, local
from auditor.zoo.exact import STEP, composed_laplace, sampled_gaussian
from tests.auditor.zoo.laws import (
    ALPHA,
    DELTAS,
    DISCRETE,
    MU,
    ZOO,
    aligned,
    assert_counts,
    by_definition,
    largest_loss,
    mixture,
    normal,
    outputs,
)

VECTORS = [name for name, specimen in ZOO.items() if specimen.vector]
FEWEST, MOST = 10, 80
"""Dimensions."""


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_have_ten_to_eighty_dimensions(name: str) -> None:
    drawn = outputs(name, 0, 3)
    assert drawn.ndim == 2
    assert FEWEST <= drawn.shape[1] <= MOST
    assert ZOO[name].log_ratio(drawn).shape == (3,)


LARGE = ["laplace-histogram", "geometric-histogram", "gaussian-sum", "rappor-longitudinal"]


@pytest.mark.parametrize("name", [*LARGE, "subset-selection", "dp-sgd-four-steps"])
def test_memory_is_a_few_times_the_output(name: str) -> None:
    tracemalloc.start()
    try:
        drawn = outputs(name, 0, 50_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * drawn.nbytes + 2**22


def assert_uniform(uniform: np.ndarray) -> None:
    """Every column is uniform, and all together; no two are correlated."""
    for numbers in [uniform.ravel(), *uniform.T]:
        assert uniformity(numbers).p_value > ALPHA
    correlation = np.corrcoef(uniform, rowvar=False) - np.eye(uniform.shape[1])
    assert np.abs(correlation).max() < 7.5 / math.sqrt(len(uniform))


def assert_log_ratio(name: str, log_law: Callable[[int, np.ndarray], np.ndarray]) -> None:
    """The log-ratio is the difference of two log-laws, (side, outputs) -> logarithms."""
    for side in (0, 1):
        drawn = outputs(name, side, 100)
        expected = log_law(0, drawn) - log_law(1, drawn)
        assert ZOO[name].log_ratio(drawn) == pytest.approx(expected, abs=1e-9)


# ------------------------------------------------------------------------- coordinates


def histogram(name: str, side: int, cells: int) -> list[int]:
    return np.bincount(ZOO[name].pair[side], minlength=cells).tolist()


def tree(stream: Sequence[int]) -> list[int]:
    return [
        sum(stream[start : start + length])
        for length in (1, 2, 4, 8, 16, 32)
        for start in range(0, 32, length)
    ]


def unit_rows(side: int) -> Any:
    """All rows of the Gaussian sum are longer than 1."""
    return sum(row / math.sqrt(row @ row) for row in ZOO["gaussian-sum"].pair[side])


COUNTS = (np.arange(80).reshape(4, 20) % 2).sum(axis=0)
COORDINATES: dict[str, tuple[Callable[[int], Any], Any]] = {
    # what the noise is added to on either side, and its law around 0
    "laplace-histogram": (lambda s: histogram("laplace-histogram", s, 50), stats.laplace(0, 1)),
    "laplace-prefix-sums": (
        lambda s: [sum(ZOO["binary-tree"].pair[s][: i + 1]) for i in range(32)],
        stats.laplace(0, 8),
    ),
    "binary-tree": (lambda s: tree(ZOO["binary-tree"].pair[s].tolist()), stats.laplace(0, 2)),
    "parallel-laplace": (lambda s: [s] * 20, stats.laplace(0, 60 / np.arange(1, 21))),
    "geometric-histogram": (lambda s: histogram("laplace-histogram", s, 50), stats.dlaplace(1)),
    "gaussian-sum": (unit_rows, stats.norm(0, 1.25)),
    "budget-spent-twice": (lambda s: [4.25 + s] * 2, stats.laplace(0, 1)),
    "histogram-of-one-change": (lambda s: [1 - s, 2, 1, 1 + s], stats.laplace(0, 1)),
    "composition-by-square-root": (lambda s: COUNTS + s, stats.dlaplace(1 / math.sqrt(20))),
    "noise-for-the-largest-coordinate": (lambda s: COUNTS + s, stats.norm(0, 1 / MU)),
    "average-clipped-instead-of-gradients": (
        lambda s: np.full(12, s / math.sqrt(12)),
        stats.norm(0, 1 / (4 * MU)),
    ),
}


@pytest.mark.parametrize("name", COORDINATES)
def test_draws_of_coordinates(name: str) -> None:
    centres, law = COORDINATES[name]
    for side in (0, 1):
        centre = np.array(centres(side))
        residual = outputs(name, side, 120_000 // max(20, centre.size)) - centre
        uniform = law.cdf(residual)
        if hasattr(law.dist, "pmf"):  # a uniform place in the atom
            uniform -= law.pmf(residual) * np.random.default_rng(1).random(residual.shape)
        assert_uniform(uniform)


@pytest.mark.parametrize("name", [name for name in COORDINATES if ZOO[name].vector])
def test_log_ratio_of_coordinates(name: str) -> None:
    centres, law = COORDINATES[name]
    density = law.logpmf if hasattr(law.dist, "pmf") else law.logpdf
    assert_log_ratio(name, lambda s, x: density(x - np.array(centres(s))).sum(axis=1))


LAPLACES = {
    "laplace-histogram": [1.0] * 2,
    "laplace-prefix-sums": [1 / 8] * 32,
    "binary-tree": [1 / 2] * 6,
    "parallel-laplace": [i / 60 for i in range(1, 21)],
    "budget-spent-twice": [1.0] * 2,
    "histogram-of-one-change": [1.0] * 2,
}


@pytest.mark.parametrize("name", LAPLACES)
def test_truth_of_composed_laplace_is_that_of_another_library(name: str) -> None:
    truth = ZOO[name].truth
    assert truth(0.0) == pytest.approx(sum(LAPLACES[name]))
    composed = {}
    for pessimistic in (False, True):
        parts = [
            pld.from_laplace_mechanism(
                1 / loss, pessimistic_estimate=pessimistic, value_discretization_interval=2e-4
            ).self_compose(times)
            for loss, times in Counter(LAPLACES[name]).items()
        ]
        composed[pessimistic] = functools.reduce(lambda a, b: a.compose(b), parts)
    compare_with_library(truth, composed)


def compare_with_library(truth: Callable[[float], float], composed: Mapping[bool, Any]) -> None:
    """Its rounded-down losses bound the truth from below; its connected dots are close above it."""
    for delta in (1e-5, 1e-3, 1e-2, 0.1):
        low, high = (float(composed[p].get_epsilon_for_delta(delta)) for p in (False, True))
        assert low <= truth(delta) + 1e-7
        assert high - low < 0.01
        assert truth(delta) == pytest.approx(high, abs=5e-7)


@pytest.mark.parametrize("name", [name for name in LAPLACES if ZOO[name].vector])
def test_halving_the_step_changes_nothing(name: str) -> None:
    losses = LAPLACES[name]
    unit = min(losses)
    split = 2 * math.ceil(unit / STEP)
    finer = composed_laplace(tuple(round(split * loss / unit) for loss in losses), unit / split)
    for delta in (1e-6, 1e-3, 0.1):
        assert ZOO[name].truth(delta) == pytest.approx(finer.epsilon(delta), abs=1e-7)


@pytest.mark.parametrize(
    ("name", "rate", "times"),
    [("geometric-histogram", 1.0, 2), ("composition-by-square-root", 1 / math.sqrt(20), 20)],
)
def test_truth_of_geometric_coordinates(name: str, rate: float, times: int) -> None:
    """A coordinate that moves by 1 has one probability ratio on either side of the step."""
    k, law = np.arange(-400, 400), stats.dlaplace(rate)
    likely = law.pmf(k)[law.pmf(k) > law.pmf(k - 1)].sum()
    together = functools.reduce(np.convolve, [[1 - likely, likely]] * times)
    for delta in DELTAS:
        expected = by_definition(together, together[::-1], delta)
        assert ZOO[name].truth(delta) == pytest.approx(expected, abs=1e-9)
    assert ZOO[name].truth(0.0) == pytest.approx(rate * times)


NORMALS = [name for name, (_, law) in COORDINATES.items() if law.dist.name == "norm"]


@pytest.mark.parametrize("name", NORMALS)
def test_truth_of_normal_coordinates(name: str) -> None:
    """The truth is that of one number, as far apart as the vectors are."""
    centres, law = COORDINATES[name]
    shift = float(np.linalg.norm(np.subtract(centres(0), centres(1)))) / law.std()
    edges = np.linspace(-9, 9 + shift, 100_001)
    p, q = (normal(mean, 1).masses(edges) for mean in (shift, 0))
    for delta in DELTAS[1:]:
        assert ZOO[name].truth(delta) == pytest.approx(by_definition(p, q, delta), abs=1e-5)
    assert ZOO[name].truth(0.0) == math.inf


# ------------------------------------------------------------------------ bit vectors


def coin(probability: float) -> np.ndarray:
    return np.array([1 - probability, probability])


def patterns(reports: int, bit: bool) -> np.ndarray:
    """All 2^reports patterns of the reports of one bit; f = p = 1/2 and q = 3/4."""
    total = np.zeros(1)
    for permanent, chance in ((True, 3 / 4), (False, 1 / 2)):
        pattern = functools.reduce(np.outer, [coin(chance)] * reports).ravel()
        total = total + (3 / 4 if permanent == bit else 1 / 4) * pattern
    return total


def all_bits(true: np.ndarray, false: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.ones(1), np.ones(1)
    for one, other in [(true, false)] * count + [(false, true)] * count:
        first, second = np.outer(first, one).ravel(), np.outer(second, other).ravel()
    return first, second


KEPT, LIED = math.e / (1 + math.e), 1 / (1 + math.e)
SENT = ZOO["optimized-unary-encoding"].mechanism.keywords  # type: ignore[attr-defined]
TRUE, FALSE = SENT["keep"] / 256, SENT["lie"] / 256

BITS: dict[str, tuple[tuple[np.ndarray, np.ndarray], int, float, float, int]] = {
    # laws of what differs; bits, chances of false and of true ones, reports
    "optimized-unary-encoding": (all_bits(coin(TRUE), coin(FALSE), 1), 32, FALSE, TRUE, 1),
    "unary-encoding-at-full-budget": (all_bits(coin(KEPT), coin(LIED), 1), 16, LIED, KEPT, 1),
    "rappor-one-time": (all_bits(coin(3 / 4), coin(1 / 4), 2), 64, 1 / 4, 3 / 4, 1),
    "rappor-report": (all_bits(patterns(1, True), patterns(1, False), 2), 64, 9 / 16, 11 / 16, 1),
    "rappor-longitudinal": (
        all_bits(patterns(4, True), patterns(4, False), 2),
        16,
        9 / 16,  # f/2 (p + q) + (1 - f) p or q
        11 / 16,
        4,
    ),
}  # fmt: skip


def chances_of(name: str, side: int) -> np.ndarray:
    """The probability of every bit of one report to be 1."""
    _, bits, low, high, _ = BITS[name]
    return np.where(set_bits(name, side, bits), high, low)


def set_bits(name: str, side: int, bits: int) -> np.ndarray:
    value = ZOO[name].pair[side]
    return local.bloom_filter(value, bits, 2) if "rappor" in name else np.arange(bits) == value


@pytest.mark.parametrize("name", BITS)
def test_truth_of_bits(name: str) -> None:
    p, q = BITS[name][0]
    for delta in DELTAS:
        expected = by_definition(p, q, delta)
        assert ZOO[name].truth(delta) == pytest.approx(expected, abs=1e-9)
    assert ZOO[name].truth(0.0) == pytest.approx(largest_loss(p, q), rel=1e-12)


@pytest.mark.parametrize("name", BITS)
def test_draws_of_bits(name: str) -> None:
    runs, reports = 30_000, BITS[name][-1]
    for side in (0, 1):
        chances = chances_of(name, side)
        drawn = outputs(name, side, runs).reshape(runs, reports, -1)
        assert set(np.unique(drawn)) == {0, 1}
        assert_counts(drawn.sum(axis=0), runs, np.broadcast_to(chances, drawn.shape[1:]))
        # different bits are independent; the reports of one bit are patterns of their own
        for p in np.unique(chances):
            same = drawn[:, 0, chances == p]
            assert_counts(same.sum(), same.size, p)
        flat = drawn[:, 0].astype(float)
        correlation = np.corrcoef(flat, rowvar=False) - np.eye(flat.shape[1])
        assert np.abs(correlation).max() < 7.5 / math.sqrt(runs)
        if reports > 1:
            codes = drawn.transpose(0, 2, 1) @ (1 << np.arange(reports - 1, -1, -1))
            for code, bit in zip(codes.T, set_bits(name, side, flat.shape[1]), strict=True):
                counts = np.bincount(code, minlength=2**reports)
                assert stats.chisquare(counts, runs * patterns(reports, bit)).pvalue > ALPHA


@pytest.mark.parametrize("name", BITS)
def test_log_ratio_of_bits(name: str) -> None:
    reports = BITS[name][-1]

    def log_law(side: int, drawn: np.ndarray) -> np.ndarray:
        if reports == 1:
            return stats.bernoulli.logpmf(drawn, chances_of(name, side)).sum(axis=1)
        bits = drawn.reshape(len(drawn), reports, -1)
        codes = bits.transpose(0, 2, 1) @ (1 << np.arange(reports - 1, -1, -1))
        filled = set_bits(name, side, bits.shape[2])
        laws = np.log([patterns(reports, bool(bit)) for bit in filled])
        return laws[np.arange(filled.size), codes].sum(axis=1)

    assert_log_ratio(name, log_law)


def test_draws_and_log_ratio_of_subsets() -> None:
    laws = DISCRETE["subset-selection"]
    for side, law in enumerate(laws):
        drawn = outputs("subset-selection", side, 50_000)
        shares = aligned((law, law))[0] @ np.array(list(law))
        assert_counts(drawn.sum(axis=0), len(drawn), shares)
    assert_log_ratio(
        "subset-selection",
        lambda side, drawn: np.log([laws[side][key] for key in map(tuple, drawn.tolist())]),
    )


def test_bloom_filters_have_no_bit_in_common() -> None:
    for bits in (16, 64):
        one, other = (set_bits("rappor-report", side, bits) for side in (0, 1))
        assert one.sum() == other.sum() == 2
        assert not (one & other).any()


# ------------------------------------------------------------------------------- DP-SGD

GRADIENTS = {"dp-sgd-step": (20, 1, 0.8), "dp-sgd-four-steps": (10, 4, 1.0)}
"""Dimensions, steps, sigma."""


def sums_of(name: str, models: np.ndarray) -> np.ndarray:
    """The noisy sums of gradients, from the models: shape (runs, steps, d)."""
    d, steps, _ = GRADIENTS[name]
    return -2.0 * np.diff(models.reshape(len(models), steps, d), axis=1, prepend=0.0)


def outlier(d: int) -> np.ndarray:
    """The clipped gradient of an example x whose target is far above x . w."""
    x = np.linspace(0.1, 1, d)
    return -x / np.sqrt(x @ x)


@pytest.mark.parametrize("name", GRADIENTS)
def test_draws_of_gradients(name: str) -> None:
    """Along the outlier's gradient the mixture, elsewhere the noise alone, all independent."""
    d, steps, sigma = GRADIENTS[name]
    axes = np.linalg.qr(np.column_stack([outlier(d), np.eye(d)[:, : d - 1]]))[0]
    axes[:, 0] = outlier(d)
    alone = normal(0, sigma)
    mixed = mixture((0.75, stats.norm(0, sigma)), (0.25, stats.norm(1, sigma)))
    for side, along in ((0, mixed), (1, alone)):
        rotated = (sums_of(name, outputs(name, side, 5_000)) @ axes).reshape(5_000, steps * d)
        laws = [along if i % d == 0 else alone for i in range(steps * d)]
        columns = zip(rotated.T, laws, strict=True)
        assert_uniform(np.column_stack([law.cdf(column) for column, law in columns]))


@pytest.mark.parametrize(("length", "expected"), [(0.2, 0.2), (1.0, 1.0), (3.0, 1.0)])
def test_gradients_are_clipped_to_length_one(length: float, expected: float) -> None:
    """One example, sampled half of the time, and next to no noise."""
    example = np.array([[0.3, -0.4]]), np.array([2 * length])  # gradient 2 length (-0.3, 0.4)
    models = learning_steps.noisy_gradients(
        example,
        np.random.default_rng(0),
        50,
        training=learning_steps.Training(steps=1, sigma=1e-9, rate=0.5, expected=1.0),
    )
    gradients = -models[np.linalg.norm(models, axis=1) > 0.1]
    assert 10 < len(gradients) < 40
    assert gradients == pytest.approx(
        np.tile([-0.6, 0.8], (len(gradients), 1)) * expected, abs=1e-5
    )


@pytest.mark.parametrize("name", GRADIENTS)
def test_log_ratio_of_gradients(name: str) -> None:
    """The densities of the whole vectors, with the outlier in the sample and without."""
    d, _, sigma = GRADIENTS[name]

    def log_law(side: int, models: np.ndarray) -> np.ndarray:
        sums = sums_of(name, models)
        without = stats.norm.logpdf(sums, 0, sigma).sum(axis=2)
        within = stats.norm.logpdf(sums, outlier(d), sigma).sum(axis=2)
        mixed = np.logaddexp(math.log(0.75) + without, math.log(0.25) + within)
        return (without if side else mixed).sum(axis=1)

    assert_log_ratio(name, log_law)


@pytest.mark.parametrize("name", GRADIENTS)
def test_truth_of_gradients_is_that_of_another_library(name: str) -> None:
    _, steps, sigma = GRADIENTS[name]
    composed = {
        pessimistic: pld.from_gaussian_mechanism(
            sigma,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=5e-4,
            sampling_prob=0.25,
        ).self_compose(steps)
        for pessimistic in (False, True)
    }
    compare_with_library(ZOO[name].truth, composed)
    assert ZOO[name].truth(0.0) == math.inf
    single = sampled_gaussian(1 / sigma, 0.25, STEP / 2)
    finer = functools.reduce(lambda one, other: one.then(other), [single] * steps)
    for delta in (1e-6, 1e-3, 0.1):
        assert ZOO[name].truth(delta) == pytest.approx(finer.epsilon(delta), abs=1e-7)
