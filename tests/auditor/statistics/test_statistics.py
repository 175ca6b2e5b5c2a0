"""Validity of the shared bounds, by exact enumeration wherever the sample space is finite."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from auditor.statistics.combination import bonferroni, fisher_product
from auditor.statistics.means import mean_lower, mean_p_value, mean_upper
from auditor.statistics.proportions import clopper_pearson, rejected_curve, two_sample_p_value


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("alpha", [0.2, 0.05, 1e-4])
def test_clopper_pearson_covers_every_proportion(n: int, alpha: float) -> None:
    lower, upper = clopper_pearson(np.arange(n + 1), n, alpha)
    for p in np.linspace(0, 1, 101):
        mass = stats.binom.pmf(np.arange(n + 1), n, p)
        assert mass[lower > p].sum() <= alpha + 1e-12
        assert mass[upper < p].sum() <= alpha + 1e-12


def test_clopper_pearson_is_as_tight_as_exactness_allows() -> None:
    lower, upper = clopper_pearson([0, 5, 20], 20, 0.01)
    assert lower[0] == 0
    assert upper[2] == 1
    assert upper[0] == pytest.approx(1 - 0.01 ** (1 / 20))
    # at the bound itself the observed tail has probability alpha
    assert stats.binom.sf(4, 20, lower[1]) == pytest.approx(0.01)
    assert stats.binom.cdf(5, 20, upper[1]) == pytest.approx(0.01)


def test_fisher_product_is_the_law_of_a_product_of_uniforms() -> None:
    # P(UV <= x) = integral of min(1, x/u) du = x - x log x
    assert fisher_product(0.0) == 0
    assert fisher_product(1.0) == 1
    u = (np.arange(100_000) + 0.5) / 100_000
    for x in (1e-3, 0.2, 0.9):
        assert fisher_product(x) == pytest.approx(np.minimum(1, x / u).mean(), abs=1e-4)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (0.7, 0.05)])
def test_two_sample_p_value_is_valid_for_every_proportion(epsilon: float, delta: float) -> None:
    def ceiling(q: float) -> float:
        return math.exp(epsilon) * q + delta

    n1, n2 = np.arange(12), np.arange(14)
    p_values = np.array(
        [[two_sample_p_value((k, 11), (m, 13), ceiling) for m in n2.tolist()] for k in n1.tolist()]
    )
    least_conservative = 0.0
    for q in np.linspace(0, 1, 41):
        p = min(1.0, ceiling(q))
        mass = np.outer(stats.binom.pmf(n1, 11, p), stats.binom.pmf(n2, 13, q))
        for alpha in (0.3, 0.05, 0.01):
            rejected = mass[p_values <= alpha].sum()
            assert rejected <= alpha
            least_conservative = max(least_conservative, rejected / alpha)
    assert least_conservative > 0.1  # valid, but not by never rejecting


@pytest.mark.parametrize(("first", "second"), [((30, 50), (10, 50)), ((9, 400), (1, 300))])
def test_two_sample_p_value_bounds_the_supremum_closely(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    (k, n), (m, size) = first, second
    q = np.linspace(0, 1, 200_001)[1:-1]
    p = np.minimum(1, 1.2 * q + 0.01)
    products = stats.binom.sf(k - 1, n, p) * stats.binom.cdf(m, size, q)
    exact = fisher_product(float(products.max()))
    found = two_sample_p_value(first, second, lambda x: np.asarray(1.2 * x + 0.01))
    assert exact <= found <= 1.07 * exact


def test_two_sample_p_value_knows_the_extremes() -> None:
    assert two_sample_p_value((1000, 1000), (0, 1000), lambda q: math.e * q) < 1e-30
    # more successes on the first side, or fewer on the second, never weaken the evidence
    grid = [two_sample_p_value((k, 50), (10, 50), lambda q: q) for k in range(51)]
    assert all(a >= b for a, b in itertools.pairwise(grid))
    grid = [two_sample_p_value((30, 50), (m, 50), lambda q: q) for m in range(51)]
    assert all(a <= b for a, b in itertools.pairwise(grid))


def test_where_no_ceiling_can_be_refuted_none_is_asked_for() -> None:
    def ceiling(q: np.ndarray) -> np.ndarray:
        raise AssertionError("asked for")

    for first, second in (((0, 10), (3, 10)), ((7, 10), (10, 10)), ((0, 0), (0, 0))):
        assert two_sample_p_value(first, second, ceiling) == 1
        p, q = rejected_curve(first, second, 0.5)
        assert (p.tolist(), q.tolist()) == ([0.0], [1.0])
    # one run less, or more, and there is something to refute
    for first, second in (((1, 10), (0, 10)), ((10, 10), (9, 10)), ((10, 10), (0, 10))):
        assert two_sample_p_value(first, second, lambda q: q / 2) < 0.9
        assert rejected_curve(first, second, 0.9)[0].size > 1


@pytest.mark.parametrize(
    "law", [(0.9, 0.1, 0.0), (0.6, 0.3, 0.1), (0.2, 0.5, 0.3), (0.97, 0, 0.03)]
)
def test_mean_p_value_and_bounds_are_valid(law: tuple[float, float, float]) -> None:
    n, middle = 12, 0.35
    mean = middle * law[1] + law[2]
    # of samples of {0, middle, 1}: the test rejects, the lower bound is above, the upper below
    wrong = {alpha: np.zeros(3) for alpha in (0.5, 0.1, 0.02)}
    for counts in ((i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)):
        mass = float(stats.multinomial.pmf(counts, n, law))
        if mass < 1e-9:
            continue
        sample = np.repeat([0.0, middle, 1.0], counts)
        p_value = mean_p_value(sample, mean)
        for alpha, share in wrong.items():
            lower, upper = mean_lower(sample, alpha), mean_upper(sample, alpha)
            share += mass * np.array([p_value <= alpha, lower > mean, upper < mean])
    for alpha, share in wrong.items():
        assert (share <= alpha).all()


def test_mean_lower_inverts_the_test() -> None:
    sample = np.random.default_rng(1).beta(0.3, 6.0, size=500)
    for alpha in (0.05, 1e-5):
        lower = mean_lower(sample, alpha)
        assert mean_p_value(sample, lower) == pytest.approx(alpha, rel=1e-3)
        assert lower < sample.mean() < mean_upper(sample, alpha)


def test_the_bounds_are_monotone_in_the_sample() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        sample = rng.random(40) * (rng.random(40) < 0.3)
        larger = np.minimum(1.0, sample + rng.random(40) * (rng.random(40) < 0.3))
        assert mean_lower(larger, 0.01) >= mean_lower(sample, 0.01) - 1e-12
        assert mean_upper(larger, 0.01) >= mean_upper(sample, 0.01) - 1e-12
        assert mean_p_value(larger, 0.2) <= mean_p_value(sample, 0.2) + 1e-12


def test_the_bounds_see_rare_events_at_their_own_scale() -> None:
    n, alpha = 1000, 1e-4
    # nothing seen: the best possible bound is -log(alpha)/n
    assert mean_upper(np.zeros(n), alpha) < 1.2 * -math.log(alpha) / n
    assert mean_lower(np.zeros(n), alpha) == 0
    assert mean_upper(np.ones(n), alpha) == 1
    # a variable of mean 0.02 and small variance: far above Hoeffding's vacuous bound
    rare = np.zeros(n)
    rare[:80] = 0.25
    assert 0.01 < mean_lower(rare, alpha) < 0.02 < mean_upper(rare, alpha) < 0.04


def test_mean_p_value_at_the_edge_of_the_range() -> None:
    assert mean_p_value([0.0, 0.0], 0.0) == 1
    assert mean_p_value([0.0, 1e-9], 0.0) == 0
    assert mean_p_value(np.ones(30), 1.0) == 1
    assert mean_lower(np.full(5, 1e-250), 0.1) == 0


@pytest.mark.parametrize("sample", [[], [0.5, 1.2], [-0.1], [math.nan]])
def test_a_sample_outside_the_unit_interval_is_refused(sample: list[float]) -> None:
    with pytest.raises(ValueError, match="sample must"):
        mean_p_value(sample, 0.5)


def test_bonferroni() -> None:
    assert bonferroni([]) == 1
    assert bonferroni([0.02, 0.5, 0.9]) == pytest.approx(0.06)
    assert bonferroni([0.7, 0.5]) == 1
