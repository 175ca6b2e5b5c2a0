"""Laws of the zoo's mechanisms on D and on D', written again from their descriptions.

With scipy's distributions or by enumeration, and nothing of the zoo's own arithmetic.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from auditor.zoo import specimens
from reference.privacy.guarantees import gaussian_dp_mu

ZOO = specimens()
DELTAS = (1e-6, 1e-4, 1e-2, 0.1, 0.3)
ALPHA = 1e-9
"""Error probability of each statistical test."""

E = math.e
MU = gaussian_dp_mu(1.0, 1e-5)


def outputs(name: str, side: int, size: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(side,)))
    return ZOO[name](ZOO[name].pair[side], rng, size)


def by_definition(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """The smallest epsilon with sum (p - e^epsilon q)_+ <= delta, both ways, by bisection."""

    def excess(epsilon: float) -> float:
        growth = math.exp(epsilon)
        return max(float(np.maximum(a - growth * b, 0.0).sum()) for a, b in ((p, q), (q, p)))

    low, high, most = 0.0, 60.0, max(delta * (1 + 1e-12), 1e-15)
    if excess(low) <= most:
        return 0.0
    if excess(high) > most:
        return math.inf
    while high - low > 1e-11:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > most else (low, middle)
    return high


def largest_loss(p: np.ndarray, q: np.ndarray, least: float = 0.0) -> float:
    """Return the largest loss of outcomes of more than ``least`` on both sides."""
    kept = (p > least) & (q > least)
    return float(np.abs(np.log(p[kept] / q[kept])).max())


# ----------------------------------------------------------------------------- numbers


@dataclass(frozen=True)
class Real:
    """A distribution of numbers by its two tails, and an atom."""

    cdf: Callable[[Any], Any]
    sf: Callable[[Any], Any]
    place: float = math.nan
    atom: float = 0.0

    def masses(self, edges: np.ndarray) -> np.ndarray:
        """Return the masses of (-inf, edges[0]), the intervals between, (edges[-1], inf)."""
        edges = np.concatenate([[-math.inf], edges, [math.inf]])
        below, above = self.cdf(edges), self.sf(edges)
        return (1 - self.atom) * np.where(above[:-1] < 0.5, -np.diff(above), np.diff(below))


def laplace(centre: float, scale: float) -> Real:
    law = stats.laplace(centre, scale)
    return Real(law.cdf, law.sf)


def normal(centre: float, deviation: float) -> Real:
    law = stats.norm(centre, deviation)
    return Real(law.cdf, law.sf)


def between(law: Any, low: float, high: float = math.inf, atom: float = 0.0) -> Real:
    """Given that the number is between ``low`` and ``high``."""
    inside = law.cdf(high) - law.cdf(low)
    return Real(
        lambda x: (law.cdf(np.clip(x, low, high)) - law.cdf(low)) / inside,
        lambda x: (law.sf(np.clip(x, low, high)) - law.sf(high)) / inside,
        atom=atom,
    )


def suppressed(centre: float, least: float) -> Real:
    """NaN below ``least``."""
    law = stats.laplace(centre, 1)
    return between(law, least, atom=float(law.cdf(least)))


def bare(mean: float) -> Real:
    """The mean itself once in 1024 runs."""
    law = stats.laplace(mean, 1 / 6)
    return Real(law.cdf, law.sf, mean, 2.0**-10)


def largest_of_five(centre: float) -> Real:
    law = stats.laplace(centre, 2.0)
    return Real(lambda x: law.cdf(x) ** 5, lambda x: -special.powm1(law.cdf(x), 5))


def mixture(*parts: tuple[float, Any]) -> Real:
    return Real(
        lambda x: sum(weight * law.cdf(x) for weight, law in parts),
        lambda x: sum(weight * law.sf(x) for weight, law in parts),
    )


def staircase(centre: float) -> Real:
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


def median(x: Sequence[float]) -> float:
    return sorted(x)[len(x) // 2]


def local_sensitivity(x: tuple[float, ...]) -> float:
    moved = [median((*x[:i], end, *x[i + 1 :])) for i in range(len(x)) for end in (0.0, 1.0)]
    return max(abs(other - median(x)) for other in moved)


def smooth_median(records: tuple[float, ...], epsilon: float = 1.0) -> tuple[float, float]:
    """Centre and scale, by the definition of smooth sensitivity, at delta 0.01.

    Over the data sets that are k replacements away, for every k; moving records to the ends of the
    range is the most that moving them can do.
    """
    beta = epsilon / (2 * math.log(2 / 0.01))
    smooth = 0.0
    for other in itertools.product(*[sorted({x, 0.0, 1.0}) for x in records]):
        k = sum(a != b for a, b in zip(records, other, strict=True))
        smooth = max(smooth, math.exp(-beta * k) * local_sensitivity(other))
    return median(records), 2 * smooth / epsilon


CLASSIC = math.sqrt(2 * math.log(1.25 / 0.1)) / 8
SIGMA = ZOO["analytic-gaussian"].mechanism.keywords["sigma"]  # type: ignore[attr-defined]

REAL: dict[str, tuple[Real, Real, tuple[float, float, int]]] = {
    # the laws, where all but 1e-13 of either is, or of what is no atom, and cells per unit
    "laplace": (laplace(41, 1), laplace(42, 1), (10, 73, 1000)),
    "laplace-clipped-mean": (laplace(0.225, 0.2), laplace(0.325, 0.2), (-6, 6.5, 5000)),
    "suppressed-count": (suppressed(20, 20.4), suppressed(21, 20.4), (20.4, 52, 1000)),
    "analytic-gaussian": (normal(41, SIGMA), normal(42, SIGMA), (0, 83, 500)),
    "staircase": (staircase(41), staircase(42), (21, 62, 1000)),
    "sampled-mean": (
        mixture((0.75, stats.laplace(0, 0.25)), (0.25, stats.laplace(0.5, 0.25))),
        laplace(0, 0.25),
        (-7.5, 8, 5000),
    ),
    # the medians of the other blocks are 1/11, 4/11, 7/11 and 10/11
    "sample-and-aggregate": (laplace(0.4, 0.25), laplace(0.6, 0.25), (-7, 8, 5000)),
    "smooth-median": (
        *(laplace(*smooth_median(records)) for records in ZOO["smooth-median"].pair),
        (-60, 61, 1000),
    ),
    "partial-sum": (laplace(13, 1), laplace(14, 1), (-18, 45, 1000)),
    "partial-sum-of-half-the-noise": (laplace(13, 0.5), laplace(14, 0.5), (-3, 30, 2000)),
    "amplified-by-a-fixed-sample": (laplace(0.5, 1), laplace(1.5, 1), (-30, 32, 1000)),
    "clipped-after-the-sum": (laplace(5, 1), laplace(2.5, 1), (-28, 36, 1000)),
    "divided-by-the-exact-size": (laplace(1 / 3, 1 / 3), laplace(0, 1 / 2), (-16, 16, 3000)),
    "float32-running-sum": (
        laplace(2.0**24, 4096.0),
        laplace(2.0**24 + 8192, 4096.0),
        (2.0**24 - 2**17, 2.0**24 + 2**17, 1),
    ),
    "gaussian-by-the-classic-formula": (normal(0, CLASSIC), normal(1, CLASSIC), (-3, 4, 20_000)),
    "gaussian-by-the-laplace-formula": (normal(0, 1), normal(1, 1), (-8, 9, 3000)),
    "largest-value-for-sensitivity": (laplace(1, 1), laplace(2.25, 1), (-30, 33, 1000)),
    "median-with-the-noise-of-a-mean": (laplace(0, 1 / 11), laplace(1, 1 / 11), (-3, 4, 10_000)),
    "sum-without-clipping": (laplace(0.75, 1), laplace(8.75, 1), (-30, 40, 1000)),
    "negative-outputs-drawn-again": (
        between(stats.laplace(0, 1), 0),
        between(stats.laplace(1, 1), 0),
        (0, 32, 2000),
    ),
    "no-noise-after-ten-tries": (bare(1 / 6), bare(2 / 6), (-5, 5.5, 6000)),
    "noise-drawn-again-if-large": (
        between(stats.laplace(0, 1), -6, 6),
        between(stats.laplace(1, 1), -5, 7),
        (-6, 7, 4000),
    ),
    "noisy-max-with-its-value": (largest_of_five(2), largest_of_five(3), (-58, 62, 500)),
    "range-of-the-data": (laplace(0.5, 0.2), laplace(0.9, 0.6), (-18, 20, 2000)),
}
UNBOUNDED = {
    "analytic-gaussian",
    "smooth-median",
    "divided-by-the-exact-size",
    "gaussian-by-the-classic-formula",
    "gaussian-by-the-laplace-formula",
    "no-noise-after-ten-tries",
    "noise-drawn-again-if-large",
    "range-of-the-data",
}
"""Specimens for which no epsilon is enough at delta 0."""


def cut(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Both laws on one partition, so fine that it costs no more than 1e-6 of epsilon."""
    first, second, (low, high, cells) = REAL[name]
    edges = np.linspace(low, high, round((high - low) * cells) + 1)
    places = sorted({repr(law.place) for law in (first, second)})  # NaN is a place, too
    p, q = (
        np.append([law.atom * (repr(law.place) == x) for x in places], law.masses(edges))
        for law in (first, second)
    )
    return p, q


# ---------------------------------------------------------------------------- outcomes

Law = Mapping[Any, float]
"""Probability by outcome."""


def counted(drawn: Any) -> Mapping[Any, int]:
    """Count how often every outcome was drawn; vectors and lists as tuples, NaN as its name."""
    if not isinstance(drawn, np.ndarray):
        counts = Counter(tuple(x) if isinstance(x, list) else x for x in drawn)
        return {"NaN" if key != key else key: count for key, count in counts.items()}
    if drawn.ndim == 2:
        return Counter(map(tuple, drawn.tolist()))
    values, times = np.unique(drawn, return_counts=True)
    return dict(zip(values.tolist(), times.tolist(), strict=True))


def assert_counts(counts: Any, runs: int, chances: Any) -> None:
    """Each count is binomial; tested together at ``ALPHA``."""
    k, p = np.ravel(counts), np.ravel(chances)
    tails = np.minimum(special.bdtr(k, runs, p), special.bdtrc(k - 1, runs, p))
    assert 2 * k.size * tails[p > 0].min() > ALPHA
    assert not k[p == 0].any()


def assert_drawn(name: str, laws: Sequence[Law], runs: int) -> None:
    """The count of every outcome is binomial; nothing else is drawn."""
    for side, law in enumerate(laws):
        assert math.fsum(law.values()) == pytest.approx(1, abs=1e-9)
        counts = counted(outputs(name, side, runs))
        assert set(counts) <= set(law)
        assert_counts([counts.get(outcome, 0) for outcome in law], runs, list(law.values()))


def aligned(laws: Sequence[Law]) -> tuple[np.ndarray, np.ndarray]:
    keys = list({**laws[0], **laws[1]})
    first, second = (np.array([law.get(key, 0.0) for key in keys]) for law in laws)
    return first, second


def category(truth: Any, names: Sequence[Any], epsilon: float) -> Law:
    total = math.exp(epsilon) + len(names) - 1
    return {name: (math.exp(epsilon) if name == truth else 1.0) / total for name in names}


def normalised(weights: Mapping[Any, float]) -> Law:
    total = math.fsum(weights.values())
    return {outcome: weight / total for outcome, weight in weights.items()}


def geometric(centre: int, epsilon: float) -> Law:
    near = range(centre - 60, centre + 61)
    return normalised({k: math.exp(-epsilon * abs(k - centre)) for k in near})


def discrete_gaussian(centre: int, sigma: float) -> Law:
    near = range(centre - 50, centre + 51)
    return normalised({k: math.exp(-((k - centre) ** 2) / (2 * sigma**2)) for k in near})


def clamped(law: Law, low: int, high: int) -> Law:
    ends: Counter[int] = Counter()
    for k, probability in law.items():
        ends[min(max(k, low), high)] += probability
    return ends


def cast(count: int, scale: float) -> Law:
    """A count plus Laplace noise that is cut towards 0."""
    law, noise = stats.laplace(0, scale), np.arange(-60, 61)
    tail = law.sf(np.abs(noise)) - law.sf(np.abs(noise) + 1)
    chances = np.where(noise == 0, law.cdf(1) - law.cdf(-1), tail)
    return dict(zip((count + noise).tolist(), chances.tolist(), strict=True))


def hadamard(answer: int) -> Law:
    """Sylvester's matrix has the sign (-1)^(number of bits that row and column share)."""
    told = 1 / (1 + math.exp(-1.0))
    agrees = {y: ((answer + 1) & y).bit_count() % 2 == 0 for y in range(16)}
    return {y: (told if agree else 1 - told) / 8 for y, agree in agrees.items()}


def subsets(answer: int) -> Law:
    """All 1820 sets of 4 of 16."""
    sets = itertools.combinations(range(16), 4)
    return normalised(
        {tuple(int(i in one) for i in range(16)): E if answer in one else 1.0 for one in sets}
    )


def exponential(votes: Sequence[str]) -> Law:
    names = ["amber", "blue", "cyan", "green", "lilac", "pink", "red", "teal", "white"]
    return normalised({name: math.exp(0.5 * votes.count(name)) for name in names})


def noisy_max_laplace(counts: Sequence[float]) -> Law:
    def below(x: float) -> float:
        return 0.5 * math.exp(x) if x < 0 else 1 - 0.5 * math.exp(-x)

    def wins(i: int) -> float:
        def density(x: float) -> float:
            others = [below(x - count) for j, count in enumerate(counts) if j != i]
            return 0.5 * math.exp(-abs(x - counts[i])) * math.prod(others)

        pieces = itertools.pairwise([-40.0, *sorted(counts), 50.0])
        return math.fsum(integrate.quad(density, a, b, epsabs=1e-12)[0] for a, b in pieces)

    return {i: wins(i) for i in range(len(counts))}


def permute_and_flip(counts: Sequence[float], epsilon: float) -> Law:
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


def frequent(counts: Mapping[str, int]) -> Law:
    law = {}
    above = {key: float(stats.laplace.sf(4.0, count, 2.0)) for key, count in counts.items()}
    for shown in itertools.product([True, False], repeat=len(counts)):
        keys = tuple(key for key, show in zip(counts, shown, strict=True) if show)
        law[keys] = math.prod(above[key] if key in keys else 1 - above[key] for key in counts)
    return law


def mode(winner: str, distance: int) -> Law:
    released = float(stats.laplace.sf(math.log(20.0), distance, 1.0))
    return {winner: released, None: 1 - released}


def of_seeds(count: int) -> Law:
    return {count + np.random.default_rng(seed).laplace(): 1 / 256 for seed in range(256)}


COLOURS = ["red", "orange", "yellow", "green", "blue", "indigo", "violet", "none"]
ANSWERS = ("yes", "no", None, "NaN")
BASKETS = {"apple": 3, "bread": 2, "cheese": 0, "dates": 2, "eggs": 1, "fish": 4}

DISCRETE: dict[str, tuple[Law, Law]] = {
    "geometric": (geometric(7, 1.0), geometric(8, 1.0)),
    "clamped-geometric": (clamped(geometric(0, 2.0), 0, 5), clamped(geometric(1, 2.0), 0, 5)),
    "discrete-gaussian": (discrete_gaussian(7, 2.0), discrete_gaussian(8, 2.0)),
    "randomized-response": (
        category(True, (True, False), 1.0),
        category(False, (True, False), 1.0),
    ),
    "randomized-colour": (category("green", COLOURS, 1.5), category("violet", COLOURS, 1.5)),
    "randomized-missing": (category(None, ANSWERS, 1.0), category("NaN", ANSWERS, 1.0)),
    "hadamard-response": (hadamard(3), hadamard(9)),
    "exponential-colour": (
        exponential(["blue"] * 9 + ["red", "teal", "amber"]),
        exponential(["blue"] * 10 + ["red", "teal"]),
    ),
    "noisy-max-laplace": (noisy_max_laplace((3, 5, 4, 6, 2)), noisy_max_laplace((4, 4, 3, 5, 1))),
    "noisy-max-exponential": (permute_and_flip((1, 5), 1.0), permute_and_flip((2, 4), 1.0)),
    "frequent-keys": (frequent(BASKETS), frequent({**BASKETS, "apple": 2, "bread": 1, "fish": 3})),
    "propose-test-release": (mode("a", 2), mode("a", 3)),
    "propose-test-release-unstable": (mode("a", 0), mode("b", 0)),
    "subset-selection": (subsets(2), subsets(11)),
    "biased-coin": ({True: 0.7, False: 0.3}, {True: 0.2, False: 0.8}),
    "exponential-without-the-two": (
        normalised({k: E if k == 0 else E**3 for k in range(5)}),
        normalised({k: 1 if k == 0 else E**4 for k in range(5)}),
    ),
    "noise-cast-to-integer": (cast(0, 1 / 3), cast(1, 1 / 3)),
    "two-category-odds-for-many": (
        normalised({k: E if k == 0 else 1 / 3 for k in range(4)}),
        normalised({k: E if k == 2 else 1 / 3 for k in range(4)}),
    ),
    "few-generator-states": (of_seeds(0), of_seeds(1)),
}
