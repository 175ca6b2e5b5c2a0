"""The laws of the exact samplers, by goodness of fit, and broken twins of each.

A right sampler fails a test with probability 1e-6 (``ALPHA``), were its bytes not fixed: all of
them together with less than 1e-4. Twins are broken in one place, and must fail at 1e-9.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from benchmarks.exact_ledger.laws import ALPHA, Law, chi_square, fit, uniform_fit
from reference.privacy.exact import choices, noise, releases, specification, wishart
from reference.privacy.exact.intervals import Interval
from reference.privacy.exact.lazy import Uniform, settle
from reference.privacy.exact.releases import exact_output
from reference.privacy.exact.sources import KnownBytes, RandomBits
from reference.privacy.exact.wishart import rounded_wishart
from reference.privacy.mechanisms import (
    Bit,
    Exponential,
    IntervalExponential,
    L2BallRandomizer,
    NoisyMax,
    RandomizedResponse,
    SmoothSensitivity,
    SymmetricGaussian,
    laplace_argmax_log_probability,
)

BROKEN = 1e-9


def bits_of(seed: int) -> RandomBits:
    return RandomBits(KnownBytes(seed))


# ------------------------------------------------------------------------- the specification


def _discrete_laplace(t: int) -> Law:
    total = (1 + math.exp(-1 / t)) / (1 - math.exp(-1 / t))
    return lambda k: math.exp(-abs(k) / t) / total


def _discrete_gaussian(s: int) -> Law:
    total = sum(math.exp(-k * k / (2 * s * s)) for k in range(-40 * s, 40 * s + 1))
    return lambda k: math.exp(-k * k / (2 * s * s)) / total


def specified_p_value(name: str, size: int = 4000) -> float:
    """Return the p-value of a sampler of the specification against its law."""
    bits, x = bits_of(1), Fraction(7, 5)
    if name == "coin":
        chance = math.exp(-x)
        coins = [specification.bernoulli_exp(bits, x) for _ in range(size)]
        return fit(coins, lambda k: chance if k else 1 - chance, 0, 1)
    if name == "laplace":
        drawn = [specification.discrete_laplace(bits, 2) for _ in range(size)]
        return fit(drawn, _discrete_laplace(2), -30, 30)
    drawn = [specification.discrete_gaussian(bits, 3) for _ in range(size)]
    return fit(drawn, _discrete_gaussian(3), -18, 18)


@pytest.mark.parametrize("name", ["coin", "laplace", "gaussian"])
def test_the_specification_has_its_laws(name: str) -> None:
    assert specified_p_value(name) > ALPHA


def _without_sign_rejection(bits: RandomBits, t: int) -> int:
    size = specification.geometric(bits, t)
    return -size if bits.below(2) else size


def _off_by_one(bits: RandomBits, x: Fraction) -> bool:
    k = 2
    while specification.bernoulli(bits, x / k):
        k += 1
    return k % 2 == 1


@pytest.mark.parametrize(
    ("name", "twin", "seen"),
    [
        ("discrete_laplace", _without_sign_rejection, "laplace"),
        ("_bernoulli_exp_unit", _off_by_one, "coin"),
        ("geometric", lambda bits, t: min(bits.below(t), 1), "laplace"),
    ],
)
def test_a_broken_specification_is_seen(name: str, twin: Any, seen: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(specification, name, twin)
    assert specified_p_value(seen, 2000) < BROKEN


# ------------------------------------------------------------------------------ rounded noise


def _rounded(kind: Any, seed: int, size: int, value: float, scale: float) -> Any:
    return noise.rounded_sums(np.full(size, value), scale, kind(bits_of(seed), size))


def coarse_p_value(kind: Any, law: Any, monkeypatch: Any, size: int = 200_000) -> float:
    """Return that of sums on a grid as coarse as the noise, where rounding shows."""
    monkeypatch.setattr(noise, "GRID_BITS", 0)
    drawn = _rounded(kind, 2, size, 0.3, 1.5)
    return fit(drawn, lambda k: law.cdf((k + 0.2) / 1.5) - law.cdf((k - 0.8) / 1.5), -15, 15)


LAWS = [(noise.Laplaces, stats.laplace), (noise.Normals, stats.norm)]


@pytest.mark.parametrize(("kind", "law"), LAWS)
def test_sums_on_a_coarse_grid_have_the_law_of_rounded_real_ones(
    kind: Any, law: Any, monkeypatch: Any
) -> None:
    assert coarse_p_value(kind, law, monkeypatch) > ALPHA


@pytest.mark.parametrize("size", [200_000, 10_000_000])
@pytest.mark.parametrize(("kind", "law"), LAWS)
def test_noise_has_its_law_up_to_the_tails(kind: Any, law: Any, size: int) -> None:
    drawn = _rounded(kind, 3, size, 0.25, 3.0)
    assert uniform_fit(law.cdf((drawn - 0.25) / 3)) > ALPHA
    assert uniform_fit(law.sf((drawn - 0.25) / 3)) > ALPHA


def test_laplace_noise_floors_to_the_specification(monkeypatch: Any) -> None:
    """On a grid as coarse as the scale, 1/2 more rounds up to the floor of the noise, plus 1."""
    monkeypatch.setattr(noise, "GRID_BITS", 0)
    fast = _rounded(noise.Laplaces, 4, 40_000, 0.5, 1.0) - 1
    bits = bits_of(5)
    slow = np.array([specification.floored_laplace(bits, 1) for _ in range(8_000)])
    cells = np.arange(-6, 7)
    table = [np.bincount(np.clip(x, -6, 6).astype(int) + 6, minlength=13) for x in (fast, slow)]
    assert cells.size == table[0].size
    assert stats.chi2_contingency(table).pvalue > ALPHA


def test_normal_noise_agrees_with_the_discrete_gaussian_of_the_specification() -> None:
    """At 2^6 steps a unit, the laws of rounded and of discrete noise are 2e-5 apart."""
    bits = bits_of(6)
    slow = np.array([specification.discrete_gaussian(bits, 64) for _ in range(3000)]) / 64
    fast = _rounded(noise.Normals, 7, 30_000, 0.0, 1.0)
    assert stats.ks_2samp(slow + 2.0**-8, fast).pvalue > ALPHA


def test_two_normal_numbers_of_a_pair_are_independent() -> None:
    drawn = noise.Normals(bits_of(8), 100_000).values
    quadrants = stats.norm.cdf(drawn.reshape(2, -1)) * 8
    table, _, _ = np.histogram2d(*quadrants, bins=8, range=[[0, 8], [0, 8]])
    assert chi_square(table.ravel().astype(np.int64), np.full(64, 1 / 64)) > ALPHA


def _reused_word(usual: Any) -> Any:
    def words(self: RandomBits, size: int) -> Any:
        drawn = usual(self, size).copy()
        drawn[1::2] = drawn[::2][: drawn[1::2].size]
        return drawn

    return words


def _short_tail(usual: Any) -> Any:
    return lambda self, size: usual(self, size) | np.uint64(2**55)


def _no_sign(usual: Any) -> Any:
    return lambda self, size: usual(self, size) & np.uint64(2**63 - 1)


@pytest.mark.parametrize("twin", [_short_tail, _no_sign])
@pytest.mark.parametrize(("kind", "law"), LAWS)
def test_broken_words_are_seen_in_the_noise(
    twin: Any, kind: Any, law: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(RandomBits, "words", twin(RandomBits.words))
    drawn = _rounded(kind, 9, 2_000_000, 0.0, 1.0)
    assert min(uniform_fit(law.cdf(drawn)), uniform_fit(law.sf(drawn))) < BROKEN


def test_a_word_that_is_used_twice_is_seen(monkeypatch: Any) -> None:
    monkeypatch.setattr(RandomBits, "words", _reused_word(RandomBits.words))
    drawn = stats.norm.cdf(noise.Normals(bits_of(8), 20_000).values[:10_000].reshape(-1, 2).T)
    assert stats.spearmanr(*drawn).pvalue < BROKEN


# ------------------------------------------------------------------------------ integers, coins


def test_integers_are_uniform_and_modulo_bias_is_seen(monkeypatch: Any) -> None:
    bound = 3 * 2**61  # 2^64 is 8/3 of it: unrejected, two thirds of the integers are likelier

    def cells(size: int = 20_000) -> float:
        return uniform_fit(bits_of(10).integers(bound, size) / bound, 30)

    assert cells() > ALPHA

    def biased(self: RandomBits, bound: int, size: int) -> Any:
        return (self.words(size) % np.uint64(bound)).astype(np.int64)

    monkeypatch.setattr(RandomBits, "integers", biased)
    assert cells() < BROKEN


@pytest.mark.parametrize(("population", "size"), [(6, 2), (6, 5), (1, 1)])
def test_every_ordered_subset_is_as_likely(population: int, size: int) -> None:
    bits = bits_of(11)
    drawn = np.array([bits.subset(population, size) for _ in range(20_000)])
    assert (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all()
    code = (drawn * population ** np.arange(size)).sum(axis=1)
    seen = np.unique(code, return_counts=True)[1]
    assert seen.size == math.perm(population, size)
    assert chi_square(seen, np.full(seen.size, 1 / seen.size)) > ALPHA if seen.size > 1 else True


def test_coins_have_their_probabilities() -> None:
    chances = np.repeat([0.0, 1e-3, 0.3, 1 - 1e-3, 1.0], 40_000)
    heads = choices.given_coins(bits_of(12), chances).reshape(5, -1).sum(axis=1)
    assert heads[0] == 0
    assert heads[4] == 40_000
    for count, chance in zip(heads[1:4], (1e-3, 0.3, 1 - 1e-3), strict=True):
        assert stats.binomtest(int(count), 40_000, chance).pvalue > ALPHA


# ---------------------------------------------------------------------------------- mechanisms

ROWS, SINGLE = 40_000, 4000


def mechanism_p_value(name: str, seed: int) -> float:
    """Return the p-value of many releases of a mechanism against its law."""
    bits = bits_of(seed)
    if name == "exponential":
        scores, rate = np.array([0.0, 1.0, 2.5, -3.0]), 0.75
        law = np.exp(rate * scores) / np.exp(rate * scores).sum()
        drawn = exact_output(Exponential(rate), np.tile(scores, (ROWS, 1)), bits)
        return fit(drawn, lambda k: float(law[k]), 0, 3)
    if name == "randomized response":
        drawn = exact_output(RandomizedResponse(1.0, 4), np.full(ROWS, 2.0), bits)
        return fit(drawn, lambda k: (math.e if k == 2 else 1.0) / (3 + math.e), 0, 3)
    if name == "bit":
        drawn = exact_output(Bit(), np.full(ROWS, 0.3), bits)
        return fit(drawn, lambda k: (0.7, 0.3)[k], 0, 1)
    if name == "noisy max":
        scores, max_of = np.array([0.0, 0.5, 1.5, 1.5]), NoisyMax(2.0, (3,))
        picked = [int(exact_output(max_of, scores, bits)) for _ in range(SINGLE)]
        law = [math.exp(laplace_argmax_log_probability(scores[:3] / 2, k)) for k in range(3)]
        return fit(picked, lambda k: law[k], 0, 2)
    if name == "interval exponential":
        points = IntervalExponential(0.8, -1.0, 4.0)
        pieces = np.array([[0.0, 2.0, 9.0, 1.0], [-1.0, 0.5, 3.0, 3.0]])
        found = [float(exact_output(points, pieces, bits)) for _ in range(SINGLE)]
        masses = np.exp(0.8 * np.array([0, 2, 1])) * [1.5, 2.5, 1.0]
        ends = np.concatenate([[0], np.cumsum(masses / masses.sum())])
        return uniform_fit(np.interp(found, [-1.0, 0.5, 3.0, 4.0], ends), 40)
    if name in ("smooth normal", "smooth arsinh"):
        kind = "gaussian" if name == "smooth normal" else "arsinh-normal"
        smooth = SmoothSensitivity(2.0, 0.1, 0.5, 1.0, kind)
        standard = (exact_output(smooth, np.full(ROWS, 3.0), bits) - 3) / 4
        shaped = np.arcsinh(standard) if name == "smooth arsinh" else standard
        return uniform_fit(stats.norm.cdf(shaped))
    if name == "symmetric":
        matrices = exact_output(SymmetricGaussian(2.0, 3.0), np.zeros((ROWS // 4, 2, 2)), bits)
        assert (matrices == np.swapaxes(matrices, 1, 2)).all()
        diagonal = stats.norm.cdf(matrices[:, [0, 1], [0, 1]] / (2 * math.sqrt(3)))
        off = stats.norm.cdf(matrices[:, 0, 1] / 2)
        return uniform_fit(np.concatenate([diagonal.ravel(), off]))
    raise ValueError(name)


@pytest.mark.parametrize(
    "name",
    [
        "exponential",
        "randomized response",
        "bit",
        "noisy max",
        "interval exponential",
        "smooth normal",
        "smooth arsinh",
        "symmetric",
    ],
)
def test_a_mechanism_releases_by_its_law(name: str) -> None:
    assert mechanism_p_value(name, 13) > ALPHA


@pytest.mark.parametrize(
    ("name", "module", "function", "twin"),
    [
        ("exponential", choices.np, "cumsum", lambda x, axis: np.add.accumulate(x[:, ::-1], axis)),
        ("interval exponential", choices, "_point", lambda bits, left, right, *_: left),
        ("noisy max", noise, "signs", lambda words: np.ones(words.size)),
        ("bit", RandomBits, "words", lambda self, size: np.zeros(size, dtype=np.uint64)),
        (
            "randomized response",
            RandomBits,
            "integers",
            lambda self, k, size: np.zeros(size, dtype=int),
        ),
        ("smooth normal", noise, "signs", lambda words: np.ones(words.size)),
        ("symmetric", noise, "signs", lambda words: np.ones(words.size)),
    ],
)
def test_a_broken_mechanism_is_seen(
    name: str, module: Any, function: str, twin: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(module, function, twin)
    assert mechanism_p_value(name, 14) < BROKEN


@pytest.mark.parametrize(
    "name", ["exponential", "randomized response", "bit", "interval exponential", "noisy max"]
)
def test_intervals_decide_as_doubles_do(name: str, monkeypatch: Any) -> None:
    """With a margin that no double passes, every decision is one of intervals."""
    monkeypatch.setattr(sys.modules[__name__], "ROWS", 300)
    monkeypatch.setattr(sys.modules[__name__], "SINGLE", 300)
    by_doubles = mechanism_p_value(name, 19)
    for module, margin in ((choices, "SLACK"), (choices, "UNIT"), (releases, "UNIT")):
        monkeypatch.setattr(module, margin, 1.0)
    assert mechanism_p_value(name, 19) == by_doubles


@pytest.mark.parametrize("degrees", [3.0, 4.0, 7.3, 2.5])
def test_a_wishart_matrix_has_its_law(degrees: float) -> None:
    """By Bartlett its Cholesky factor has independent entries, of which each is looked at."""
    bits, size = bits_of(15), 2
    value = np.array([[3.0, -5.0], [-5.0, 0.25]])
    noisy = np.array([rounded_wishart(bits, value, degrees=degrees, scale=2.0) for _ in range(400)])
    lower = np.linalg.cholesky((noisy - value) / 2)
    numbers = [stats.chi2.cdf(lower[:, i, i] ** 2, degrees - i) for i in range(size)]
    numbers.append(stats.norm.cdf(lower[:, 1, 0]))
    for u in numbers:
        assert stats.kstest(u, "uniform").pvalue > ALPHA
    assert abs(stats.spearmanr(*numbers[:2]).statistic) < 0.25


@pytest.mark.parametrize(("low", "high", "kept"), [(-1, 0, False), (-1, 1, None), (0, 1, None)])
def test_a_gamma_number_is_refused_only_where_its_root_is_surely_not_positive(
    low: int, high: int, kept: bool | None
) -> None:
    """A root that may be positive asks for more digits, however little it may be."""
    root, normal = Interval(low, high, 8), SimpleNamespace(interval=lambda *_: Interval(0, 0, 8))
    gamma: Any = SimpleNamespace(root=lambda _: root, normal=normal, d=Fraction(1))
    assert wishart._kept(gamma, Uniform(bits_of(1).word), 8) is kept


@pytest.mark.parametrize("shape", [Fraction(1), Fraction(5, 4), Fraction(7)])
def test_a_gamma_number_is_kept_as_marsaglia_and_tsang_say(shape: Fraction) -> None:
    """The law hardly changes if all are kept: the decisions are compared with those of doubles."""
    bits, d = bits_of(20), shape - Fraction(1, 3)
    kept, close = [], 0
    for _ in range(400):
        gamma, uniform = wishart._Gamma(d, noise.Normals(bits, 1)), Uniform(bits.word)
        decision = settle(
            [*gamma.normal.uniforms(0), uniform], partial(wishart._kept, gamma, uniform)
        )
        x, u = float(gamma.normal.values[0]), uniform.digits / 2.0**uniform.length
        root = 1 + x / math.sqrt(9 * d)
        excess = -1.0
        if root > 0:
            excess = x * x / 2 + float(d) * (1 - root**3 + 3 * math.log(root)) - math.log(u)
        close += abs(excess) < 1e-6
        assert decision == (excess > 0) or abs(excess) < 1e-6
        number = gamma.interval(200)
        assert math.isclose(number.low / 2.0**200, float(d) * root**3, abs_tol=1e-9)
        kept.append(decision)
    assert close < 3
    assert 0.9 < np.mean(kept) < 1


def test_wishart_degrees_below_two_have_their_law() -> None:
    bits = bits_of(16)
    drawn = [
        float(rounded_wishart(bits, np.zeros((1, 1)), degrees=0.8, scale=1.0)[0, 0])
        for _ in range(600)
    ]
    assert stats.kstest(drawn, stats.chi2(0.8).cdf).pvalue > ALPHA


def test_the_l2_ball_is_unbiased_and_has_its_norm() -> None:
    ball, value = L2BallRandomizer(1.0, 1.0), np.tile([0.6, 0.0, 0.0], (ROWS, 1))
    drawn = exact_output(ball, value, bits_of(17))
    assert np.allclose(np.linalg.norm(drawn, axis=1), ball.output_norm(3))
    off = (drawn.mean(axis=0) - value[0]) / (drawn.std(axis=0) / math.sqrt(ROWS))
    assert (np.abs(off) < 5.5).all()


def test_a_line_of_one_dimension_is_never_zero() -> None:
    drawn = exact_output(L2BallRandomizer(1.0, 0.5), np.zeros((ROWS, 1)), bits_of(18))
    assert stats.binomtest(int((drawn > 0).sum()), ROWS).pvalue > ALPHA
