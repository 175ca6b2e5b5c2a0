"""The right mechanisms of the zoo: what they draw, and what their truth is, checked from outside.

The laws here are written again from the mechanisms' descriptions, with scipy's distributions or by
enumeration, and nothing of the zoo's own arithmetic. Truths are compared with the definition of
(epsilon, delta) on these laws, with another library's composition, or with the exact log-ratio of
sampled outputs. Seeds are fixed; every statistical test would fail a right mechanism with a
probability below 1e-6 for a random seed, and nearly always fails one whose scale is 2% off.
"""

from __future__ import annotations

import copy
import functools
import itertools
import math
import pickle
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import integrate, special, stats

from auditor.checking.examination import examine
from auditor.questions.samplers import uniformity
from auditor.runs.sampling import FunctionSampler
from auditor.statistics.claims import EpsilonDelta
from auditor.statistics.means import mean_lower, mean_upper
from auditor.zoo import additive, learning_steps, local, noise, selection, vectors
from auditor.zoo.exact import STEP, composed_laplace, sampled_gaussian
from auditor.zoo.specimen import Specimen

ALL = [
    specimen
    for module in (additive, local, selection, vectors, learning_steps)
    for specimen in module.SPECIMENS
]
BY_NAME = {specimen.name: specimen for specimen in ALL}
VECTORS = [specimen for specimen in ALL if specimen.vector]

DELTAS = (1e-6, 1e-4, 1e-2, 0.1, 0.3)
ALPHA = 1e-9
"""Error probability of each statistical test."""

Law = Mapping[Any, float]
"""Probability by outcome."""


def named(specimens: Sequence[Specimen]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("specimen", specimens, ids=[s.name for s in specimens])


def outputs(specimen: Specimen, side: int, size: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(side,)))
    return specimen(specimen.pair[side], rng, size)


# ------------------------------------------------------------------------- any mechanism


@named(ALL)
def test_claims_are_true(specimen: Specimen) -> None:
    assert not specimen.broken
    assert specimen.truth(specimen.delta) <= specimen.epsilon * (1 + 1e-9)


LOOSE = {
    "rappor-longitudinal",
    "exponential-colour",
    "noisy-max-laplace",
    "stable-histogram",
    "propose-test-release",
    "propose-test-release-unstable",
    "smooth-median",
}


@named(ALL)
def test_claims_are_tight_but_for_those_that_are_known_not_to_be(specimen: Specimen) -> None:
    truth = specimen.truth(specimen.delta)
    if specimen.name in LOOSE:
        assert truth < 0.99 * specimen.epsilon
    else:
        assert truth == pytest.approx(specimen.epsilon, rel=1e-9)


@named(ALL)
def test_truth_decreases_in_delta(specimen: Specimen) -> None:
    truths = [specimen.truth(delta) for delta in (0.0, *DELTAS)]
    assert all(a >= b for a, b in itertools.pairwise(truths))
    assert truths[-1] < truths[0]


def contents(drawn: Any) -> Any:
    return drawn.tobytes() if isinstance(drawn, np.ndarray) else repr(drawn)


@named(ALL)
def test_runs_depend_on_data_and_seed_alone(specimen: Specimen) -> None:
    data = copy.deepcopy(specimen.pair)
    twin = pickle.loads(pickle.dumps(specimen))
    for side in (0, 1):
        first = outputs(specimen, side, 1000)
        assert len(first) == 1000
        assert isinstance(first, np.ndarray | list)
        assert contents(first) == contents(outputs(twin, side, 1000))
        assert contents(first) != contents(outputs(specimen, side, 1000, seed=1))
    assert repr(data) == repr(specimen.pair)
    assert len(outputs(specimen, 0, 1)) == 1


@named(VECTORS)
def test_vectors_have_ten_to_eighty_dimensions(specimen: Specimen) -> None:
    drawn = outputs(specimen, 0, 3)
    assert drawn.ndim == 2
    assert 10 <= drawn.shape[1] <= 80
    assert specimen.log_ratio is not None
    assert specimen.log_ratio(drawn).shape == (3,)


@named(VECTORS)
def test_memory_is_a_few_times_the_output(specimen: Specimen) -> None:
    tracemalloc.start()
    try:
        drawn = outputs(specimen, 0, 100_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5 * drawn.nbytes + 2**22


# -------------------------------------------------------------------------------- pairs


def _replaced(first: Any, second: Any) -> bool:
    return sum(a != b for a, b in zip(first, second, strict=True)) == 1


def _added(first: Sequence[Any], second: Sequence[Any]) -> bool:
    more, less = (Counter(map(repr, records)) for records in (first, second))
    return (more - less).total() + (less - more).total() == 1


def _next(first: float, second: float) -> bool:
    return abs(first - second) == 1


def _scores(first: Any, second: Any) -> bool:
    return bool((np.abs(np.subtract(first, second)) <= 1).all())


def _different(first: Any, second: Any) -> bool:
    return type(first) is not type(second) or first != second


def _unit(first: Any, second: Any) -> bool:
    return all(((x >= 0) & (x <= 1)).all() for x in (first, second))


def _row_added(first: Any, second: Any) -> bool:
    return _added(list(first), list(second))


def _example_added(first: Any, second: Any) -> bool:
    return _row_added(np.column_stack(first), np.column_stack(second))


RELATIONS: dict[Callable[[Any, Any], bool], str] = {
    _next: "laplace suppressed-count geometric clamped-geometric discrete-gaussian "
    "analytic-gaussian staircase",
    _replaced: "laplace-clipped-mean exponential-colour stable-histogram laplace-histogram "
    "laplace-prefix-sums binary-tree geometric-histogram sample-and-aggregate smooth-median",
    _different: "randomized-response randomized-colour randomized-missing hadamard-response "
    "subset-selection optimized-unary-encoding rappor-one-time rappor-report rappor-longitudinal",
    _scores: "noisy-max-laplace noisy-max-exponential",
    _added: "frequent-keys propose-test-release propose-test-release-unstable sampled-mean",
    _unit: "parallel-laplace",
    _row_added: "gaussian-sum",
    _example_added: "dp-sgd-step dp-sgd-four-steps",
}


@named(ALL)
def test_pairs_are_neighbours(specimen: Specimen) -> None:
    (relation,) = [r for r, names in RELATIONS.items() if specimen.name in names.split()]
    assert relation(*specimen.pair)


# ----------------------------------------------------------------- laws of real numbers


@dataclass(frozen=True)
class Real:
    """A distribution of numbers by its two tails; ``hidden`` below it is NaN."""

    cdf: Callable[[Any], Any]
    sf: Callable[[Any], Any]
    hidden: float = -math.inf

    def masses(self, edges: np.ndarray) -> np.ndarray:
        """Of (-inf, edges[0]), the intervals between, (edges[-1], inf)."""
        edges = np.concatenate([[-math.inf], edges, [math.inf]])
        below, above = self.cdf(edges), self.sf(edges)
        return np.where(above[:-1] < 0.5, -np.diff(above), np.diff(below))


def frozen(law: Any, hidden: float = -math.inf) -> Real:
    return Real(law.cdf, law.sf, hidden)


def _staircase(centre: float) -> Real:
    """Steps of the density at gamma = 0.3, e^epsilon = e^2, summed to the 40th."""
    gamma, b = 0.3, math.exp(-2.0)
    inner, outer = np.arange(40) + 0.0, np.arange(40) + gamma
    edges = np.sort(np.concatenate([inner, outer, [40.0]]))
    heights = np.repeat(b ** np.arange(41), 2)[1:-1]  # 1, b, b, b^2, b^2, ...
    weight = np.append(0.0, np.cumsum(heights * np.diff(edges)))

    def sf(x: Any) -> Any:
        distance = np.abs(np.asarray(x) - centre)
        tail = 0.5 * (1 - np.interp(distance, edges, weight / weight[-1]))
        return np.where(np.asarray(x) > centre, tail, 1 - tail)

    return Real(lambda x: sf(2 * centre - np.asarray(x)), sf)


def _mixture(*parts: tuple[float, Any]) -> Real:
    return Real(
        lambda x: sum(weight * law.cdf(x) for weight, law in parts),
        lambda x: sum(weight * law.sf(x) for weight, law in parts),
    )


def _median(x: Sequence[float]) -> float:
    return sorted(x)[len(x) // 2]


def _local_sensitivity(x: tuple[float, ...]) -> float:
    moved = [_median((*x[:i], end, *x[i + 1 :])) for i in range(len(x)) for end in (0.0, 1.0)]
    return max(abs(median - _median(x)) for median in moved)


def smooth_median(records: tuple[float, ...]) -> tuple[float, float]:
    """Centre and scale, by the definition of smooth sensitivity, at epsilon 1 and delta 0.01.

    Over the data sets that are k replacements away, for every k; moving records to the ends of the
    range is the most that moving them can do.
    """
    beta = 1.0 / (2 * math.log(2 / 0.01))
    smooth = 0.0
    for other in itertools.product(*[sorted({x, 0.0, 1.0}) for x in records]):
        k = sum(a != b for a, b in zip(records, other, strict=True))
        smooth = max(smooth, math.exp(-beta * k) * _local_sensitivity(other))
    return _median(records), 2 * smooth / 1.0


def _smooth_median_laws(specimen: Specimen) -> tuple[Real, Real]:
    first, second = (stats.laplace(*smooth_median(records)) for records in specimen.pair)
    return frozen(first), frozen(second)


def _gaussian_laws(specimen: Specimen) -> tuple[Real, Real]:
    sigma = specimen.mechanism.keywords["sigma"]  # type: ignore[attr-defined]
    return frozen(stats.norm(41, sigma)), frozen(stats.norm(42, sigma))


REAL: dict[str, Callable[[Specimen], tuple[Real, Real]]] = {
    "laplace": lambda _: (frozen(stats.laplace(41, 1)), frozen(stats.laplace(42, 1))),
    "laplace-clipped-mean": lambda _: (
        frozen(stats.laplace(0.225, 0.2)),
        frozen(stats.laplace(0.325, 0.2)),
    ),
    "suppressed-count": lambda _: (
        frozen(stats.laplace(20, 1), hidden=20.4),
        frozen(stats.laplace(21, 1), hidden=20.4),
    ),
    "analytic-gaussian": _gaussian_laws,
    "staircase": lambda _: (_staircase(41.0), _staircase(42.0)),
    "sampled-mean": lambda _: (
        _mixture((0.75, stats.laplace(0, 0.25)), (0.25, stats.laplace(0.5, 0.25))),
        frozen(stats.laplace(0, 0.25)),
    ),
    # the medians of the other blocks are 1/11, 4/11, 7/11 and 10/11
    "sample-and-aggregate": lambda _: (
        frozen(stats.laplace(0.4, 0.25)),
        frozen(stats.laplace(0.6, 0.25)),
    ),
    "smooth-median": _smooth_median_laws,
}

RANGES = {
    "laplace": (10.0, 73.0, 1000),
    "laplace-clipped-mean": (-6.0, 6.5, 5000),
    "suppressed-count": (20.4, 52.0, 1000),
    "analytic-gaussian": (0.0, 83.0, 500),
    "staircase": (21.0, 62.0, 1000),
    "sampled-mean": (-7.5, 8.0, 5000),
    "sample-and-aggregate": (-7.0, 8.0, 5000),
    "smooth-median": (-60.0, 61.0, 1000),
}
"""Where all but 1e-13 of either law, or NaN, is; and cells per unit."""


def cut(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Both laws on one partition, so fine that it costs no more than 1e-6 of epsilon."""
    first, second = REAL[name](BY_NAME[name])
    low, high, cells = RANGES[name]
    edges = np.linspace(low, high, round((high - low) * cells) + 1)
    return first.masses(edges), second.masses(edges)


@pytest.mark.parametrize("name", REAL)
def test_draws_of_numbers_follow_their_law(name: str) -> None:
    """Kolmogorov and Smirnov's test and one of scale, given that the number is shown at all."""
    for side, law in enumerate(REAL[name](BY_NAME[name])):
        drawn = outputs(BY_NAME[name], side, 200_000)
        shown = drawn[~np.isnan(drawn)]
        hidden = float(law.cdf(law.hidden))
        assert stats.binomtest(drawn.size - shown.size, drawn.size, hidden).pvalue > ALPHA
        assert uniformity((law.cdf(shown) - hidden) / (1 - hidden)).p_value > ALPHA


@pytest.mark.parametrize("name", [n for n in REAL if n not in ("sampled-mean", "smooth-median")])
def test_draws_of_numbers_reach_far_tails(name: str) -> None:
    """The 500 smallest and largest of 200,000 are where the law has 1/400 of its weight."""
    for side, law in enumerate(REAL[name](BY_NAME[name])):
        drawn = outputs(BY_NAME[name], side, 200_000, seed=1)
        for tail in (law.cdf, law.sf):
            if tail is law.cdf and math.isfinite(law.hidden):
                continue
            share = tail(drawn)
            count = int(np.count_nonzero(share < 1 / 400))
            assert stats.binomtest(count, drawn.size, 1 / 400).pvalue > ALPHA


@pytest.mark.parametrize("seed", range(12))
def test_smooth_sensitivity_is_as_defined(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records = tuple(rng.choice([0.0, 0.05, 0.3, 0.4, 0.45, 0.9, 1.0], size=rng.choice([3, 5])))
    found = learning_steps.smooth_median_law(records, 1.0, 0.01)
    assert found == pytest.approx(smooth_median(records))


# ----------------------------------------------------------------- laws of few outcomes


def counted(drawn: Any) -> Mapping[Any, int]:
    """How often every outcome was drawn; vectors as tuples, NaN as its name."""
    if not isinstance(drawn, np.ndarray):
        counts = Counter(drawn)
        return {"NaN" if key != key else key: count for key, count in counts.items()}
    if drawn.ndim == 2:
        return Counter(map(tuple, drawn.tolist()))
    values, times = np.unique(drawn, return_counts=True)
    return dict(zip(values.tolist(), times.tolist(), strict=True))


def _category(truth: Any, names: Sequence[Any], epsilon: float) -> Law:
    total = math.exp(epsilon) + len(names) - 1
    return {name: (math.exp(epsilon) if name == truth else 1.0) / total for name in names}


def _geometric(centre: int, epsilon: float) -> Law:
    weights = {k: math.exp(-epsilon * abs(k - centre)) for k in range(centre - 60, centre + 61)}
    total = sum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


def _clamped(law: Law, low: int, high: int) -> Law:
    clamped: Counter[int] = Counter()
    for k, probability in law.items():
        clamped[min(max(k, low), high)] += probability
    return clamped


def _discrete_gaussian(centre: int, sigma: float) -> Law:
    weights = {
        k: math.exp(-((k - centre) ** 2) / (2 * sigma**2)) for k in range(centre - 50, centre + 51)
    }
    total = sum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


def _hadamard(answer: int) -> Law:
    """Sylvester's matrix has the sign (-1)^(number of bits that row and column share)."""
    told = 1 / (1 + math.exp(-1.0))
    agrees = {y: ((answer + 1) & y).bit_count() % 2 == 0 for y in range(16)}
    return {y: (told if agree else 1 - told) / 8 for y, agree in agrees.items()}


COLOURS = ["red", "orange", "yellow", "green", "blue", "indigo", "violet", "none"]


def _exponential(votes: Sequence[str]) -> Law:
    names = ["amber", "blue", "cyan", "green", "lilac", "pink", "red", "teal", "white"]
    weights = {name: math.exp(0.5 * votes.count(name)) for name in names}
    return {name: weight / sum(weights.values()) for name, weight in weights.items()}


def _noisy_max_laplace(counts: Sequence[float]) -> Law:
    def below(x: float) -> float:
        return 0.5 * math.exp(x) if x < 0 else 1 - 0.5 * math.exp(-x)

    def wins(i: int) -> float:
        def density(x: float) -> float:
            others = [below(x - count) for j, count in enumerate(counts) if j != i]
            return 0.5 * math.exp(-abs(x - counts[i])) * math.prod(others)

        pieces = itertools.pairwise([-40.0, *sorted(counts), 50.0])
        return math.fsum(integrate.quad(density, a, b, epsabs=1e-12)[0] for a, b in pieces)

    return {i: wins(i) for i in range(len(counts))}


def _permute_and_flip(counts: Sequence[float], epsilon: float) -> Law:
    """In random order, a candidate is taken with probability e^(-epsilon (best - count)/2)."""
    chances: Counter[int] = Counter()
    orders = list(itertools.permutations(range(len(counts))))
    for order in orders:
        reached = 1 / len(orders)
        for i in order:
            taken = math.exp(-epsilon / 2 * (max(counts) - counts[i]))
            chances[i] += reached * taken
            reached *= 1 - taken
    return chances


def _frequent(counts: Mapping[str, int]) -> Law:
    law = {}
    above = {key: float(stats.laplace.sf(4.0, count, 2.0)) for key, count in counts.items()}
    for shown in itertools.product([True, False], repeat=len(counts)):
        keys = tuple(key for key, show in zip(counts, shown, strict=True) if show)
        law[keys] = math.prod(above[key] if key in keys else 1 - above[key] for key in counts)
    return law


def _mode(winner: str, distance: int) -> Law:
    released = float(stats.laplace.sf(math.log(20.0), distance, 1.0))
    return {winner: released, None: 1 - released}


DISCRETE: dict[str, Callable[[], tuple[Law, Law]]] = {
    "geometric": lambda: (_geometric(7, 1.0), _geometric(8, 1.0)),
    "clamped-geometric": lambda: (
        _clamped(_geometric(0, 2.0), 0, 5),
        _clamped(_geometric(1, 2.0), 0, 5),
    ),
    "discrete-gaussian": lambda: (_discrete_gaussian(7, 2.0), _discrete_gaussian(8, 2.0)),
    "randomized-response": lambda: (
        _category(True, (True, False), 1.0),
        _category(False, (True, False), 1.0),
    ),
    "randomized-colour": lambda: (
        _category("green", COLOURS, 1.5),
        _category("violet", COLOURS, 1.5),
    ),
    "randomized-missing": lambda: (
        _category(None, ("yes", "no", None, "NaN"), 1.0),
        _category("NaN", ("yes", "no", None, "NaN"), 1.0),
    ),
    "hadamard-response": lambda: (_hadamard(3), _hadamard(9)),
    "exponential-colour": lambda: (
        _exponential(["blue"] * 9 + ["red", "teal", "amber"]),
        _exponential(["blue"] * 10 + ["red", "teal"]),
    ),
    "noisy-max-laplace": lambda: (
        _noisy_max_laplace((3, 5, 4, 6, 2)),
        _noisy_max_laplace((4, 4, 3, 5, 1)),
    ),
    "noisy-max-exponential": lambda: (
        _permute_and_flip((1, 5), 1.0),
        _permute_and_flip((2, 4), 1.0),
    ),
    "frequent-keys": lambda: (
        _frequent({"apple": 3, "bread": 2, "cheese": 0, "dates": 2, "eggs": 1, "fish": 4}),
        _frequent({"apple": 2, "bread": 1, "cheese": 0, "dates": 2, "eggs": 1, "fish": 3}),
    ),
    "propose-test-release": lambda: (_mode("a", 2), _mode("a", 3)),
    "propose-test-release-unstable": lambda: (_mode("a", 0), _mode("b", 0)),
    "subset-selection": lambda: (_subsets(2), _subsets(11)),
}


def _subsets(answer: int) -> Law:
    """All 1820 sets of 4 of 16."""
    weights = {}
    for chosen in itertools.combinations(range(16), 4):
        bits = tuple(int(i in chosen) for i in range(16))
        weights[bits] = math.exp(1.0) if answer in chosen else 1.0
    total = sum(weights.values())
    return {bits: weight / total for bits, weight in weights.items()}


def aligned(laws: tuple[Law, Law]) -> tuple[np.ndarray, np.ndarray]:
    keys = list({**laws[0], **laws[1]})
    first, second = (np.array([law.get(key, 0.0) for key in keys]) for law in laws)
    return first, second


@pytest.mark.parametrize("name", DISCRETE)
def test_draws_of_outcomes_follow_their_law(name: str) -> None:
    """The count of every outcome is binomial; nothing else is drawn."""
    runs = 300_000
    for side, law in enumerate(DISCRETE[name]()):
        assert sum(law.values()) == pytest.approx(1, abs=1e-9)
        counts = counted(outputs(BY_NAME[name], side, runs))
        assert set(counts) <= set(law)
        p = np.array(list(law.values()))
        k = np.array([counts.get(outcome, 0) for outcome in law])
        tails = np.minimum(special.bdtr(k, runs, p), special.bdtrc(k - 1, runs, p))
        assert 2 * len(law) * tails[p > 0].min() > ALPHA


def test_permute_and_flip_with_more_candidates() -> None:
    counts = (3.0, 5.0, 4.0, 4.5, 1.0)
    expected = _permute_and_flip(counts, 1.3)
    found = selection.noisy_max_exponential_masses(counts, 1.3)
    assert found == pytest.approx([expected[i] for i in range(5)], rel=1e-12)


# --------------------------------------------------------------- truths by these laws


def by_definition(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """The smallest epsilon with sum (p - e^epsilon q)_+ <= delta, both ways, by bisection."""

    def excess(epsilon: float) -> float:
        growth = math.exp(epsilon)
        return max(float(np.maximum(a - growth * b, 0.0).sum()) for a, b in ((p, q), (q, p)))

    low, high = 0.0, 60.0
    if excess(low) <= delta * (1 + 1e-12):
        return 0.0
    if excess(high) > delta * (1 + 1e-12):
        return math.inf
    while high - low > 1e-11:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > delta else (low, middle)
    return high


def largest_loss(p: np.ndarray, q: np.ndarray, least: float = 0.0) -> float:
    """Of outcomes of more than ``least`` on both sides."""
    kept = (p > least) & (q > least)
    return float(np.abs(np.log(p[kept] / q[kept])).max())


@pytest.mark.parametrize("name", REAL)
def test_truth_of_numbers(name: str) -> None:
    specimen = BY_NAME[name]
    p, q = cut(name)
    assert p.sum() == pytest.approx(1)
    assert q.sum() == pytest.approx(1)
    for delta in (specimen.delta or 1e-3, *DELTAS):
        assert specimen.truth(delta) == pytest.approx(by_definition(p, q, delta), abs=2e-6)
    if name in ("analytic-gaussian", "smooth-median"):
        assert specimen.truth(0.0) == math.inf
    else:
        assert specimen.truth(0.0) == pytest.approx(largest_loss(p, q, 1e-8), abs=2e-6)


@pytest.mark.parametrize("name", DISCRETE)
def test_truth_of_outcomes(name: str) -> None:
    specimen = BY_NAME[name]
    p, q = aligned(DISCRETE[name]())
    for delta in (specimen.delta or 1e-3, *DELTAS):
        assert specimen.truth(delta) == pytest.approx(by_definition(p, q, delta), abs=1e-9)
    if name in ("discrete-gaussian", "propose-test-release-unstable"):
        assert specimen.truth(0.0) == math.inf
    else:
        assert specimen.truth(0.0) == pytest.approx(largest_loss(p, q), abs=1e-9)


# -------------------------------------------------------------------- stable histogram

THRESHOLD = 1 + 2 * math.log(50.0)


def _stable_laws() -> tuple[np.ndarray, np.ndarray]:
    """The cells of the noisy count of "weather", or absence, with and without the new key."""
    edges = np.linspace(THRESHOLD, 90.0, 100_001)
    count = [frozen(stats.laplace(n, 2.0)).masses(edges) for n in (9, 10)]
    new = float(stats.laplace.sf(THRESHOLD, 1, 2.0))
    return (
        np.concatenate([new * count[0], (1 - new) * count[0]]),
        np.concatenate([np.zeros_like(count[1]), count[1]]),
    )


def test_truth_of_the_stable_histogram() -> None:
    specimen = BY_NAME["stable-histogram"]
    p, q = _stable_laws()
    assert specimen.truth(0.0099) == math.inf
    for delta in (0.01, 0.011, 0.02, 0.1, 0.3):
        assert specimen.truth(delta) == pytest.approx(by_definition(p, q, delta), abs=2e-6)


def test_draws_of_the_stable_histogram() -> None:
    runs = 100_000
    for side, counts in enumerate(
        ({"weather": 9, "news": 30, "rare disease": 1}, {"weather": 10, "news": 30})
    ):
        drawn = outputs(BY_NAME["stable-histogram"], side, runs)
        assert set().union(*drawn) == set(counts)
        shown: Counter[tuple[bool, ...]] = Counter(
            tuple(key in output for key in counts) for output in drawn
        )
        above = [float(stats.laplace.sf(THRESHOLD, count, 2.0)) for count in counts.values()]
        for pattern in itertools.product([True, False], repeat=len(counts)):
            chance = math.prod(a if show else 1 - a for a, show in zip(above, pattern, strict=True))
            assert stats.binomtest(shown[pattern], runs, chance).pvalue > ALPHA
        for key, count in counts.items():
            law = stats.laplace(count, 2.0)
            values = [output[key] for output in drawn if key in output]
            below = float(law.cdf(THRESHOLD))
            assert uniformity((law.cdf(values) - below) / (1 - below)).p_value > ALPHA


# ------------------------------------------------------------------------ bit vectors


def _coin(probability: float) -> np.ndarray:
    return np.array([1 - probability, probability])


def _patterns(f: float, p: float, q: float, reports: int, bit: bool) -> np.ndarray:
    """All 2^reports patterns of the reports of one bit, given the permanent bit and summed."""
    total = np.zeros(1)
    for permanent, chance in ((True, q), (False, p)):
        pattern = np.ones(1)
        for _ in range(reports):
            pattern = np.outer(pattern, _coin(chance)).ravel()
        total = total + (1 - f / 2 if permanent == bit else f / 2) * pattern
    return total


def _all_bits(true: np.ndarray, false: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.ones(1), np.ones(1)
    for one, other in [(true, false)] * count + [(false, true)] * count:
        first, second = np.outer(first, one).ravel(), np.outer(second, other).ravel()
    return first, second


BITS: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "optimized-unary-encoding": lambda: _all_bits(_coin(1 / 2), _coin(1 / 8), 1),
    "rappor-one-time": lambda: _all_bits(_coin(3 / 4), _coin(1 / 4), 2),
    "rappor-report": lambda: _all_bits(
        _patterns(0.5, 0.5, 0.75, 1, True), _patterns(0.5, 0.5, 0.75, 1, False), 2
    ),
    "rappor-longitudinal": lambda: _all_bits(
        _patterns(0.5, 0.5, 0.75, 4, True), _patterns(0.5, 0.5, 0.75, 4, False), 2
    ),
}


@pytest.mark.parametrize("name", BITS)
def test_truth_of_bits(name: str) -> None:
    p, q = BITS[name]()
    for delta in DELTAS:
        expected = by_definition(p, q, delta)
        assert BY_NAME[name].truth(delta) == pytest.approx(expected, abs=1e-9)
    assert BY_NAME[name].truth(0.0) == pytest.approx(largest_loss(p, q), abs=1e-9)


def _chances(name: str, side: int) -> tuple[np.ndarray, int]:
    """The probability of every bit of one report to be 1, and the number of reports."""
    value = BY_NAME[name].pair[side]
    if name == "optimized-unary-encoding":
        return np.where(np.arange(32) == value, 1 / 2, 1 / 8), 1
    bits, low, high, reports = {
        "rappor-one-time": (64, 1 / 4, 3 / 4, 1),
        "rappor-report": (64, 9 / 16, 11 / 16, 1),  # f/2 (p + q) + (1 - f) p or q
        "rappor-longitudinal": (16, 9 / 16, 11 / 16, 4),
    }[name]
    return np.where(local.bloom_filter(value, bits, 2), high, low), reports


@pytest.mark.parametrize("numerator", [1, 32, 128, 255])
def test_coins_are_exact(numerator: int) -> None:
    runs = 2_000_000
    ones = int(noise.coins(numerator, np.random.default_rng(5), (runs,)).sum())
    assert stats.binomtest(ones, runs, numerator / 256).pvalue > ALPHA


@pytest.mark.parametrize("name", BITS)
def test_draws_of_bits(name: str) -> None:
    runs = 30_000
    for side in (0, 1):
        chances, reports = _chances(name, side)
        drawn = outputs(BY_NAME[name], side, runs).reshape(runs, reports, -1)
        assert set(np.unique(drawn)) == {0, 1}
        for k, p in zip(drawn.sum(axis=0).T, chances, strict=True):
            for count in k:
                assert stats.binomtest(int(count), runs, p).pvalue > ALPHA
        # different bits are independent; the reports of one bit are patterns of their own
        for p in np.unique(chances):
            same = drawn[:, 0, chances == p]
            assert stats.binomtest(int(same.sum()), same.size, p).pvalue > ALPHA
        flat = drawn[:, 0].astype(float)
        correlation = np.corrcoef(flat, rowvar=False) - np.eye(flat.shape[1])
        assert np.abs(correlation).max() < 7.5 / math.sqrt(runs)


def test_reports_of_a_permanent_bit() -> None:
    runs = 50_000
    for side in (0, 1):
        drawn = outputs(BY_NAME["rappor-longitudinal"], side, runs).reshape(runs, 4, 16)
        codes = drawn.transpose(0, 2, 1) @ (1 << np.arange(3, -1, -1))
        filled = local.bloom_filter(BY_NAME["rappor-longitudinal"].pair[side], 16, 2)
        for bit in range(16):
            law = _patterns(0.5, 0.5, 0.75, 4, bool(filled[bit]))
            counts = np.bincount(codes[:, bit], minlength=16)
            assert stats.chisquare(counts, runs * law).pvalue > ALPHA


def _log_law(name: str, side: int, bits: np.ndarray) -> np.ndarray:
    """Log-probabilities of outputs, of shape (runs, reports, bits)."""
    reports = bits.shape[1]
    if reports == 1:
        return stats.bernoulli.logpmf(bits[:, 0], _chances(name, side)[0]).sum(axis=1)
    codes = bits.transpose(0, 2, 1) @ (1 << np.arange(reports - 1, -1, -1))
    filled = local.bloom_filter(BY_NAME[name].pair[side], bits.shape[2], 2)
    laws = np.log([_patterns(0.5, 0.5, 0.75, reports, bool(bit)) for bit in filled])
    return laws[np.arange(filled.size), codes].sum(axis=1)


@pytest.mark.parametrize("name", BITS)
def test_log_ratio_of_bits(name: str) -> None:
    log_ratio = BY_NAME[name].log_ratio
    assert log_ratio is not None
    for side in (0, 1):
        drawn = outputs(BY_NAME[name], side, 200)
        bits = drawn.reshape(200, _chances(name, side)[1], -1)
        expected = _log_law(name, 0, bits) - _log_law(name, 1, bits)
        assert log_ratio(drawn) == pytest.approx(expected, abs=1e-9)


def test_draws_of_subsets_have_each_category_as_often_as_they_should() -> None:
    for side, answer in enumerate((2, 11)):
        drawn = outputs(BY_NAME["subset-selection"], side, 200_000)
        assert (drawn.sum(axis=1) == 4).all()
        law = _subsets(answer)
        shares = np.array(list(law.values())) @ np.array(list(law))
        for count, share in zip(drawn.sum(axis=0), shares, strict=True):
            assert stats.binomtest(int(count), len(drawn), share).pvalue > ALPHA


def test_log_ratio_of_subsets() -> None:
    log_ratio = BY_NAME["subset-selection"].log_ratio
    assert log_ratio is not None
    first, second = _subsets(2), _subsets(11)
    for side in (0, 1):
        drawn = outputs(BY_NAME["subset-selection"], side, 200)
        expected = [math.log(first[key] / second[key]) for key in map(tuple, drawn.tolist())]
        assert log_ratio(drawn) == pytest.approx(expected, abs=1e-12)


def test_bloom_filters_have_no_bit_in_common() -> None:
    for bits in (16, 64):
        one, other = (local.bloom_filter(v, bits, 2) for v in BY_NAME["rappor-report"].pair)
        assert one.sum() == other.sum() == 2
        assert not (one & other).any()


# ------------------------------------------------------------------------- noisy vectors


def _tree(stream: Sequence[int]) -> list[int]:
    return [
        sum(stream[start : start + length])
        for length in (1, 2, 4, 8, 16, 32)
        for start in range(0, 32, length)
    ]


def _centres(name: str, side: int) -> tuple[Any, Any]:
    """What the noise is added to, and its law around 0 for every coordinate."""
    data = BY_NAME[name].pair[side]
    if name in ("laplace-histogram", "geometric-histogram"):
        counts = [list(data).count(cell) for cell in range(50)]
        return counts, stats.laplace(0, 1.0) if name[0] == "l" else stats.dlaplace(1.0)
    if name == "laplace-prefix-sums":
        return [sum(data[: i + 1]) for i in range(32)], stats.laplace(0, 8.0)
    if name == "binary-tree":
        return _tree(data.tolist()), stats.laplace(0, 2.0)
    if name == "parallel-laplace":
        return list(data), stats.laplace(0, 60.0 / np.arange(1, 21))
    assert name == "gaussian-sum"  # all rows are longer than 1
    return sum(row / math.sqrt(row @ row) for row in data), stats.norm(0, 1.25)


NOISY = [
    "laplace-histogram",
    "laplace-prefix-sums",
    "binary-tree",
    "parallel-laplace",
    "geometric-histogram",
    "gaussian-sum",
]


@pytest.mark.parametrize("name", NOISY)
def test_draws_of_noisy_vectors(name: str) -> None:
    """Every coordinate has its law (by its uniform transform), and no two are correlated."""
    runs = 6_000
    for side in (0, 1):
        centres, law = _centres(name, side)
        residual = outputs(BY_NAME[name], side, runs) - np.array(centres)
        uniform = law.cdf(residual)
        if name == "geometric-histogram":  # a uniform place in the atom
            uniform -= law.pmf(residual) * np.random.default_rng(1).random(residual.shape)
        for numbers in [uniform.ravel(), *uniform.T]:
            assert uniformity(numbers).p_value > ALPHA
        correlation = np.corrcoef(uniform, rowvar=False) - np.eye(uniform.shape[1])
        assert np.abs(correlation).max() < 7.5 / math.sqrt(runs)


@pytest.mark.parametrize("name", NOISY)
def test_log_ratio_of_noisy_vectors(name: str) -> None:
    specimen = BY_NAME[name]
    assert specimen.log_ratio is not None
    for side in (0, 1):
        drawn = outputs(specimen, side, 50)
        logs = []
        for other in (0, 1):
            centres, law = _centres(name, other)
            density = law.logpmf if name == "geometric-histogram" else law.logpdf
            logs.append(density(drawn - np.array(centres)).sum(axis=1))
        assert specimen.log_ratio(drawn) == pytest.approx(logs[0] - logs[1], abs=1e-9)


LAPLACES = {
    "laplace-histogram": [1.0] * 2,
    "laplace-prefix-sums": [1 / 8] * 32,
    "binary-tree": [1 / 2] * 6,
    "parallel-laplace": [i / 60 for i in range(1, 21)],
}


@pytest.mark.parametrize("name", LAPLACES)
def test_truth_of_composed_laplace_is_that_of_another_library(name: str) -> None:
    truth = BY_NAME[name].truth
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


def test_halving_the_step_changes_nothing() -> None:
    for name, losses in LAPLACES.items():
        unit = min(losses)
        split = 2 * math.ceil(unit / STEP)
        finer = composed_laplace(tuple(round(split * loss / unit) for loss in losses), unit / split)
        for delta in (1e-6, 1e-3, 0.1):
            assert BY_NAME[name].truth(delta) == pytest.approx(finer.epsilon(delta), abs=1e-7)


def test_truth_of_the_geometric_histogram() -> None:
    law = [np.array([stats.dlaplace.pmf(k - c, 1.0) for k in range(-45, 46)]) for c in (0, 1)]
    p = np.outer(law[0], law[1]).ravel()
    q = np.outer(law[1], law[0]).ravel()
    truth = BY_NAME["geometric-histogram"].truth
    for delta in DELTAS:
        assert truth(delta) == pytest.approx(by_definition(p, q, delta), abs=1e-9)
    assert truth(0.0) == pytest.approx(2.0)


def test_truth_of_the_gaussian_sum() -> None:
    specimen = BY_NAME["gaussian-sum"]
    (first, _), (second, _) = (_centres("gaussian-sum", side) for side in (0, 1))
    shift = math.sqrt(((first - second) ** 2).sum()) / 1.25
    edges = np.linspace(-9, 10, 50_001)
    p, q = (frozen(stats.norm(mean, 1)).masses(edges) for mean in (shift, 0))
    for delta in DELTAS:
        assert specimen.truth(delta) == pytest.approx(by_definition(p, q, delta), abs=2e-6)
    assert specimen.truth(0.0) == math.inf


# ------------------------------------------------------------------------------- DP-SGD

GRADIENTS = {"dp-sgd-step": (20, 1, 0.8), "dp-sgd-four-steps": (10, 4, 1.0)}
"""Dimensions, steps, sigma."""


def _sums(name: str, side: int, runs: int) -> np.ndarray:
    """The noisy sums of gradients, from the models: shape (runs, steps, d)."""
    d, steps, _ = GRADIENTS[name]
    models = outputs(BY_NAME[name], side, runs).reshape(runs, steps, d)
    return -2.0 * np.diff(models, axis=1, prepend=0.0)


def _outlier(d: int) -> np.ndarray:
    """The clipped gradient of an example x whose target is far above x . w."""
    x = np.linspace(0.1, 1, d)
    return -x / np.sqrt(x @ x)


@pytest.mark.parametrize("name", GRADIENTS)
def test_draws_of_gradients(name: str) -> None:
    """Along the outlier's gradient the mixture, elsewhere the noise alone, all independent."""
    d, steps, sigma = GRADIENTS[name]
    axes = np.linalg.qr(np.column_stack([_outlier(d), np.eye(d)[:, : d - 1]]))[0]
    axes[:, 0] = _outlier(d)
    alone = frozen(stats.norm(0, sigma))
    mixed = _mixture((0.75, stats.norm(0, sigma)), (0.25, stats.norm(1, sigma)))
    for side, along in ((0, mixed), (1, alone)):
        rotated = (_sums(name, side, 10_000) @ axes).reshape(10_000, steps * d)
        laws = [along if i % d == 0 else alone for i in range(steps * d)]
        uniform = np.array([law.cdf(column) for column, law in zip(rotated.T, laws, strict=True)])
        for numbers in [uniform.ravel(), *uniform]:
            assert uniformity(numbers).p_value > ALPHA
        correlation = np.corrcoef(rotated, rowvar=False) - np.eye(steps * d)
        assert np.abs(correlation).max() < 7.5 / math.sqrt(10_000)


@pytest.mark.parametrize(("length", "expected"), [(0.2, 0.2), (1.0, 1.0), (3.0, 1.0)])
def test_gradients_are_clipped_to_length_one(length: float, expected: float) -> None:
    """One example, sampled half of the time, and next to no noise."""
    example = np.array([[0.3, -0.4]]), np.array([2 * length])  # gradient 2 length (-0.3, 0.4)
    models = learning_steps.noisy_gradients(
        example, np.random.default_rng(0), 50, steps=1, sigma=1e-9, rate=0.5, expected=1.0
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
    log_ratio = BY_NAME[name].log_ratio
    assert log_ratio is not None
    for side in (0, 1):
        sums = _sums(name, side, 50)
        without = stats.norm.logpdf(sums, 0, sigma).sum(axis=2)
        within = stats.norm.logpdf(sums, _outlier(d), sigma).sum(axis=2)
        mixed = np.logaddexp(math.log(0.75) + without, math.log(0.25) + within)
        expected = (mixed - without).sum(axis=1)
        assert log_ratio(outputs(BY_NAME[name], side, 50)) == pytest.approx(expected, abs=1e-9)


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
    compare_with_library(BY_NAME[name].truth, composed)
    assert BY_NAME[name].truth(0.0) == math.inf


def test_halving_the_step_of_gradient_losses_changes_nothing() -> None:
    for name, (_, steps, sigma) in GRADIENTS.items():
        single = sampled_gaussian(1 / sigma, 0.25, STEP / 2)
        finer = single
        for _ in range(steps - 1):
            finer = finer.then(single)
        for delta in (1e-6, 1e-3, 0.1):
            assert BY_NAME[name].truth(delta) == pytest.approx(finer.epsilon(delta), abs=1e-7)


# ------------------------------------------------------------------------------ arithmetic

REAL_VALUED = {*REAL, *NOISY, *GRADIENTS, "stable-histogram"} - {"geometric-histogram"}


@pytest.mark.parametrize("name", sorted(REAL_VALUED))
def test_low_order_bits_of_numbers_tell_nothing(name: str) -> None:
    """Real numbers lie on a grid: whatever they were added to, their last bits are zeros."""
    drawn = outputs(BY_NAME[name], 1, 1000)
    if name == "stable-histogram":
        drawn = np.array([number for output in drawn for number in output.values()])
    shown = drawn[~np.isnan(drawn)]
    assert shown.size > 500
    assert np.array_equal(shown, np.round(shown * 2**20) / 2**20)


# ------------------------------------------------------------------------------ log-ratios


@pytest.fixture(scope="module")
def losses() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """log P/Q of outputs on D and on D', of every vector mechanism."""
    found = {}
    for specimen in VECTORS:
        assert specimen.log_ratio is not None
        sides = [specimen.log_ratio(outputs(specimen, side, 20_000, seed=2)) for side in (0, 1)]
        found[specimen.name] = (sides[0], sides[1])
    return found


Losses = dict[str, tuple[np.ndarray, np.ndarray]]


@named(VECTORS)
def test_log_ratios_are_those_of_two_densities(specimen: Specimen, losses: Losses) -> None:
    """E_Q f(P/Q) P/Q = E_P f(P/Q), with f(r) = 1, 1/r and 1/(1 + r).

    The first two, E_Q P/Q = 1 and 1 = E_P Q/P, are within 6.5 standard errors. The last compares
    means of numbers in [0, 1], with exact bounds.
    """
    on_p, on_q = losses[specimen.name]
    for ratio in (np.exp(on_q), np.exp(-on_p)):
        assert abs(ratio.mean() - 1) < 6.5 * ratio.std() / math.sqrt(ratio.size)
    under_p, under_q = special.expit(-on_p), special.expit(on_q)
    assert mean_lower(under_p, ALPHA) < mean_upper(under_q, ALPHA)
    assert mean_lower(under_q, ALPHA) < mean_upper(under_p, ALPHA)


@named(VECTORS)
def test_log_ratios_have_the_truth(specimen: Specimen, losses: Losses) -> None:
    """delta(epsilon) = E (1 - e^(epsilon - loss))_+, in the worse order, at epsilon = truth."""
    on_p, on_q = losses[specimen.name]
    for delta in (1e-3, 1e-2, 0.05, 0.1):
        epsilon = specimen.truth(delta)
        if epsilon == 0:
            continue
        excess = [-np.expm1(np.minimum(0.0, epsilon - loss)) for loss in (on_p, -on_q)]
        assert max(mean_lower(values, ALPHA) for values in excess) < delta
        assert max(mean_upper(values, ALPHA) for values in excess) > delta


# ------------------------------------------------------------------------------- auditing


@named(ALL)
def test_the_auditor_never_certifies_more_than_the_truth(specimen: Specimen) -> None:
    """At an error probability of 1e-6 each."""
    sampler = FunctionSampler(specimen, specimen.pair, seed=3, batched=True)
    claim = EpsilonDelta(specimen.epsilon, specimen.delta)
    try:
        evidence = examine(sampler, claim, alpha=1e-6, samples=4000, seed=4)
    finally:
        sampler.close()
    for delta in (0.0, specimen.delta, 0.01, 0.05):
        assert evidence.epsilon(delta) <= specimen.truth(delta)


def test_the_truth_of_unary_encoding_is_that_of_the_chances_it_sends_with() -> None:
    """A chance that is off by 1/256 moves the truth by .8%, which runs do not show."""
    specimen = BY_NAME["optimized-unary-encoding"]
    assert isinstance(specimen.mechanism, functools.partial)
    chances = specimen.mechanism.keywords
    p, q = chances["keep"] / 256, chances["lie"] / 256
    assert specimen.truth(0.0) == pytest.approx(math.log(p * (1 - q) / (q * (1 - p))), rel=1e-12)
