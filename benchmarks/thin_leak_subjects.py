"""Mechanisms whose exact likelihood ratio is known: DP-Sniper's 20, and ten fresh ones.

DP-Sniper's (Bichsel, Steffen, Bogunovic and Vechev, 2021) have its parameters: epsilon 0.1, ten
queries of the sparse vector technique. The fresh ones were written before any result was seen, and
nothing in :mod:`auditor.events` was chosen on either.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import logsumexp

from reference._validation import FloatArray

Draw = Callable[[np.random.Generator, int], Any]
Ratio = Callable[[Any], FloatArray]
EPSILON = 0.1


@dataclass(frozen=True)
class Subject:
    """A mechanism on a pair: how both sides draw, and log P(output | D)/P(output | D')."""

    name: str
    sides: tuple[Draw, Draw]
    ratio: Ratio

    def draw(self, side: int, runs: int, seed: int) -> Any:
        """Return outputs of independent runs on one side."""
        return self.sides[side](np.random.default_rng([seed, side]), runs)


def by_law(name: str, laws: tuple[Any, Any], *, draw: Any = None) -> Subject:
    """Return a subject whose coordinates are independent, with scipy's laws on both sides."""

    def sample(side: int, rng: np.random.Generator, runs: int) -> Any:
        shape = np.broadcast_shapes(*(np.shape(a) for a in laws[side].args))
        return laws[side].rvs(size=(runs, *shape), random_state=rng)

    def ratio(outputs: Any) -> FloatArray:
        density = "logpmf" if hasattr(laws[0].dist, "pmf") else "logpdf"
        terms = getattr(laws[0], density)(outputs) - getattr(laws[1], density)(outputs)
        return np.asarray(terms if np.ndim(outputs) == 1 else terms.sum(axis=1))

    return Subject(name, (partial(sample, 0), partial(sample, 1)), ratio)


# -------------------------------------------------------------------- sparse vector technique

HALVES = np.ones(10), np.repeat([2.0, 0.0], 5)
"""Answers of the ten queries on D and on D': StatDP's pattern "half half"."""
NOT_ABOVE, NOT_ASKED = -1000.0, -2000.0


@dataclass(frozen=True)
class Threshold:
    """Compare noisy queries with one noisy threshold (Lyu, Su and Li, 2017).

    Attributes
    ----------
    scale, query_scale : float
        Of the Laplace noise of the threshold and of the queries; 0 is no noise.
    cutoff : int
        Answers "above" after which it halts.
    threshold : float
    released : {"no", "same", "new"}
        Whether an answer "above" is the number that was compared, or has noise of its own, of scale
        ``number_scale``.
    """

    scale: float
    query_scale: float
    cutoff: int = 1
    threshold: float = 1.0
    released: str = "no"
    number_scale: float = 1.0

    def draw(self, answers: FloatArray, rng: np.random.Generator, runs: int) -> FloatArray:
        """Return 1 above, 0 below and -1 after halting, or numbers and codes."""
        limit = self.threshold + rng.laplace(scale=self.scale, size=(runs, 1))
        noisy = answers + rng.laplace(size=(runs, answers.size)) * self.query_scale
        above = noisy >= limit
        asked = np.cumsum(above, axis=1) - above < self.cutoff
        if self.released == "no":
            return np.where(asked, above, -1)
        numbers = noisy
        if self.released == "new":
            numbers = answers + rng.laplace(scale=self.number_scale, size=noisy.shape)
        return np.where(asked, np.where(above, numbers, NOT_ABOVE), NOT_ASKED)

    def log_probability(self, answers: FloatArray, outputs: Any) -> FloatArray:
        """Return the log-probability, or log-density, of outputs."""
        codes, numbers = np.asarray(outputs), np.zeros(np.shape(outputs))
        if self.released != "no":
            above = codes > NOT_ABOVE
            numbers = np.where(above, codes, math.inf)
            codes = np.where(above, 1, np.where(codes == NOT_ABOVE, 0, -1))
        kinds, which = np.unique(codes, axis=0, return_inverse=True)
        result = np.zeros(len(codes))
        for kind, code in enumerate(kinds):
            rows = which.ravel() == kind
            result[rows] = self._of_kind(answers, code, numbers[rows])
        return result

    def _of_kind(self, answers: FloatArray, code: NDArray[Any], numbers: FloatArray) -> FloatArray:
        edges = np.linspace(-45 * self.scale, 45 * self.scale, 4001)
        noise = (edges[1:] + edges[:-1]) / 2
        log = stats.laplace.logpdf(noise, scale=self.scale) + math.log(edges[1] - edges[0])
        density = np.zeros(len(numbers))
        for j in np.flatnonzero(code >= 0):
            gap = noise + self.threshold - answers[j]
            if code[j] == 0 or self.released != "same":
                log = log + self._compared(gap, above=bool(code[j]))
            if code[j] == 1 and self.released != "no":
                scale = self.query_scale if self.released == "same" else self.number_scale
                density += stats.laplace.logpdf(numbers[:, j] - answers[j], scale=scale)
        if self.released != "same" or not (code == 1).any():
            return density + logsumexp(log)
        # the number that was compared is above the threshold: the noise is at most so large
        sums = np.append(-math.inf, np.logaddexp.accumulate(log))
        most = numbers[:, code == 1].min(axis=1) - self.threshold
        return density + np.interp(most, edges[1:], sums[1:])

    def _compared(self, gap: FloatArray, *, above: bool) -> FloatArray:
        if self.query_scale == 0:
            with np.errstate(divide="ignore"):
                return np.log((gap <= 0) if above else (gap > 0))
        law = stats.laplace(scale=self.query_scale)
        return np.asarray(law.logsf(gap) if above else law.logcdf(gap))

    def subject(self, name: str, pair: tuple[FloatArray, FloatArray] = HALVES) -> Subject:
        """Return the mechanism on a pair of answers."""

        def ratio(outputs: Any) -> FloatArray:
            logs = [self.log_probability(answers, outputs) for answers in pair]
            with np.errstate(invalid="ignore"):
                return np.asarray(logs[0] - logs[1])

        return Subject(name, (partial(self.draw, pair[0]), partial(self.draw, pair[1])), ratio)


def together(name: str, one: Subject, other: Subject, width: int) -> Subject:
    """Return two independent mechanisms, whose outputs are put side by side."""

    def draw(side: int, rng: np.random.Generator, runs: int) -> FloatArray:
        return np.hstack([one.sides[side](rng, runs), other.sides[side](rng, runs)])

    def ratio(outputs: FloatArray) -> FloatArray:
        return one.ratio(outputs[:, :width]) + other.ratio(outputs[:, width:])

    return Subject(name, (partial(draw, 0), partial(draw, 1)), ratio)


# ---------------------------------------------------------------------------- DP-Sniper's others

FIVE = np.ones(5), np.array([2.0, 0.0, 0.0, 0.0, 0.0])


def noisy_max(name: str, noise: Any, *, value: bool) -> Subject:
    """Return the largest noisy answer, or its index, by quadrature."""

    def draw(side: int, rng: np.random.Generator, runs: int) -> Any:
        noisy = FIVE[side] + noise.rvs(size=(runs, 5), random_state=rng)
        return noisy.max(axis=1) if value else noisy.argmax(axis=1)

    def parts(answers: FloatArray, points: FloatArray) -> FloatArray:
        """Return the log-density of "entry j is the largest and is here"."""
        below = noise.logcdf(points[:, None] - answers)
        density = noise.logpdf(points[:, None] - answers)
        return np.asarray(density + below.sum(axis=1, keepdims=True) - below)

    points = np.linspace(-400, 1200, 1_600_001)[1::2]
    with np.errstate(invalid="ignore"):
        masses = [np.nansum(np.exp(parts(a, points)), axis=0) for a in FIVE] if not value else []

    def ratio(outputs: Any) -> FloatArray:
        if not value:
            return np.asarray(np.log(masses[0] / masses[1])[outputs])
        with np.errstate(invalid="ignore"):
            logs = [
                logsumexp(np.nan_to_num(parts(a, outputs), nan=-math.inf), axis=1) for a in FIVE
            ]
            return np.asarray(logs[0] - logs[1])

    return Subject(name, (partial(draw, 0), partial(draw, 1)), ratio)


def prefix_sums(name: str) -> Subject:
    """Return running sums of ten noisy answers, all of which move by one."""

    def draw(side: int, rng: np.random.Generator, runs: int) -> FloatArray:
        return np.cumsum(1.0 - side + rng.laplace(scale=1 / EPSILON, size=(runs, 10)), axis=1)

    def ratio(outputs: FloatArray) -> FloatArray:
        x = np.diff(outputs, axis=1, prepend=0.0)
        return np.asarray(EPSILON * (np.abs(x) - np.abs(x - 1)).sum(axis=1))

    return Subject(name, (partial(draw, 0), partial(draw, 1)), ratio)


def bits(name: str, high: float, low: float) -> Subject:
    """Return 20 random bits, of which four are likelier on D and four others on D'."""
    places = np.zeros(20), np.zeros(20)
    places[0][:4], places[1][4:8] = 1, 1
    laws = [stats.bernoulli(low + (high - low) * place) for place in places]
    return by_law(name, (laws[0], laws[1]))


def truncated_geometric(name: str) -> Subject:
    """Return a count between 0 and 5 with clamped two-sided geometric noise."""
    values, laws = np.arange(6), []
    for count in (1, 0):
        law = stats.dlaplace(EPSILON)
        mass = law.pmf(values - count)
        mass[0], mass[5] = law.cdf(-count), law.sf(4 - count)
        laws.append(stats.rv_discrete(values=(values, mass))())
    return by_law(name, (laws[0], laws[1]))


def sniper() -> list[Subject]:
    """Return DP-Sniper's mechanisms; a bit of RAPPOR is kept, or is a coin, as they have it."""
    laplace = stats.laplace
    one, two = 2 / EPSILON, 4 / (3 * EPSILON)
    third, four = Threshold(one, 2 * one, 2, released="same"), Threshold(4 / EPSILON, two, 2)
    kept = 0.25
    return [
        by_law("laplace", (laplace(1, 10), laplace(0, 10))),
        truncated_geometric("truncated-geometric"),
        by_law("noisy-hist-1", (laplace(FIVE[0], 10), laplace([0.0, 1, 1, 1, 1], 10))),
        by_law("noisy-hist-2", (laplace(FIVE[0], 0.1), laplace([0.0, 1, 1, 1, 1], 0.1))),
        noisy_max("noisy-max-1", laplace(scale=one), value=False),
        noisy_max("noisy-max-2", stats.expon(scale=one), value=False),
        noisy_max("noisy-max-3", laplace(scale=one), value=True),
        noisy_max("noisy-max-4", stats.expon(scale=one), value=True),
        Threshold(one, 2 * one, threshold=0.5).subject("sparse-vector-1"),
        Threshold(one, 2 * one).subject("sparse-vector-2"),
        Threshold(one, one, released="same").subject("sparse-vector-3"),
        Threshold(4 / EPSILON, two).subject("sparse-vector-4"),
        Threshold(one, 0.0, 11).subject("sparse-vector-5"),
        Threshold(one, one, 11).subject("sparse-vector-6"),
        bits("rappor", 0.5 + 0.05 * kept, 0.5 - 0.05 * kept),
        bits("one-time-rappor", 0.525, 0.475),
        by_law("parallel-laplace", (laplace(np.ones(20), 200), laplace(np.zeros(20), 200))),
        together("parallel-svt", third.subject("3"), four.subject("4"), 10),
        prefix_sums("prefix-sums"),
        Threshold(3 / EPSILON, 12 / EPSILON, 2, released="new", number_scale=6 / EPSILON).subject(
            "numerical-svt"
        ),
    ]


# -------------------------------------------------------------------------------- fresh ones


def transformed(name: str, base: Subject, forward: FloatArray, shift: float = 0.0) -> Subject:
    """Return a subject whose outputs are multiplied by an invertible matrix."""
    back = np.linalg.inv(forward)
    sides = tuple(
        lambda rng, runs, side=side: base.sides[side](rng, runs) @ forward + shift
        for side in (0, 1)
    )
    return Subject(name, (sides[0], sides[1]), lambda x: base.ratio((x - shift) @ back))


def equal_pairs(name: str, agree: tuple[float, float]) -> Subject:
    """Return 24 fair bits; those of a pair agree with a probability that tells the sides apart."""

    def draw(side: int, rng: np.random.Generator, runs: int) -> NDArray[Any]:
        first, same = rng.random((runs, 12)) < 0.5, rng.random((runs, 12)) < agree[side]
        return np.hstack([first, first == same])

    def ratio(outputs: NDArray[Any]) -> FloatArray:
        same = (outputs[:, :12] == outputs[:, 12:]).sum(axis=1)
        loss = math.log(agree[0] / agree[1]), math.log((1 - agree[0]) / (1 - agree[1]))
        return np.asarray(same * loss[0] + (12 - same) * loss[1])

    return Subject(name, (partial(draw, 0), partial(draw, 1)), ratio)


def ranked(name: str, scores: tuple[FloatArray, FloatArray], kept: int) -> Subject:
    """Return names of the largest scores with Gumbel noise, in order (Plackett and Luce)."""
    names = [f"item {i}" for i in range(scores[0].size)]

    def draw(side: int, rng: np.random.Generator, runs: int) -> list[list[str]]:
        noisy = scores[side] + rng.gumbel(size=(runs, len(names)))
        order = np.argsort(-noisy, axis=1)[:, :kept]
        return [[names[i] for i in row] for row in order.tolist()]

    laws = []
    for score in scores:
        law = {}
        for chosen in itertools.permutations(range(len(names)), kept):
            left, log = set(range(len(names))), 0.0
            for i in chosen:
                log += score[i] - logsumexp(score[sorted(left)])
                left.remove(i)
            law[tuple(names[i] for i in chosen)] = log
        laws.append(law)

    def ratio(outputs: list[list[str]]) -> FloatArray:
        return np.array([laws[0][key] - laws[1][key] for key in map(tuple, outputs)])

    return Subject(name, (partial(draw, 0), partial(draw, 1)), ratio)


def sampled_record(name: str, rate: float, move: FloatArray) -> Subject:
    """Return a Gaussian vector that a record moves in one run of some."""

    def draw(side: int, rng: np.random.Generator, runs: int) -> FloatArray:
        moved = rng.random((runs, 1)) < rate * (1 - side)
        return rng.normal(size=(runs, move.size)) + moved * move

    def ratio(outputs: FloatArray) -> FloatArray:
        log = outputs @ move - move @ move / 2
        return np.asarray(np.logaddexp(math.log1p(-rate), math.log(rate) + log))

    return Subject(name, (partial(draw, 0), partial(draw, 1)), ratio)


def words(subject: Subject) -> Subject:
    """Return a subject whose codes -1, 0 and 1 are released as lists of words."""
    known = {-1: "not asked", 0: "below", 1: "above"}
    codes = {word: code for code, word in known.items()}

    def draw(side: int, rng: np.random.Generator, runs: int) -> list[list[str]]:
        return [[known[c] for c in row] for row in subject.sides[side](rng, runs).tolist()]

    def ratio(outputs: Sequence[Sequence[str]]) -> FloatArray:
        return subject.ratio(np.array([[codes[word] for word in row] for row in outputs]))

    return Subject(subject.name, (partial(draw, 0), partial(draw, 1)), ratio)


def choices(name: str) -> Subject:
    """Return a list of 12 answers, each of which is one of 12 categories with few odds for one."""
    laws = [np.full(12, 1.0), np.full(12, 1.0)]
    laws[0][3], laws[1][8] = math.exp(0.3), math.exp(0.3)
    laws = [law / law.sum() for law in laws]

    def draw(side: int, rng: np.random.Generator, runs: int) -> NDArray[Any]:
        return rng.choice(12, size=(runs, 12), p=laws[side])

    return Subject(
        name,
        (partial(draw, 0), partial(draw, 1)),
        lambda x: np.asarray(np.log(laws[0] / laws[1])[x].sum(axis=1)),
    )


def fresh() -> list[Subject]:
    """Return mechanisms that DP-Sniper did not have."""
    rng = np.random.default_rng(2026)
    normal, laplace = stats.norm, stats.laplace
    zero, moved = np.zeros(12), np.full(12, 0.12) * np.where(np.arange(12) % 2, 1, -1)
    covariance = np.full((12, 12), 0.9) + 0.1 * np.eye(12)
    mixing = rng.normal(size=(8, 8))
    walk = np.triu(0.8 ** np.abs(np.subtract.outer(np.arange(16), np.arange(16))))
    scales = np.full(20, 1.0), np.full(20, 1.03)
    return [
        transformed(
            "correlated-gaussian",
            by_law("", (normal(zero, 1), normal(moved / math.sqrt(0.1), 1))),
            np.linalg.cholesky(covariance).T,
        ),
        transformed(
            "mixed-laplace",
            by_law("", (laplace(np.zeros(8), 1), laplace(np.full(8, 0.15), 1))),
            mixing,
        ),
        by_law("noise-scale", (normal(0, scales[0]), normal(0, scales[1]))),
        equal_pairs("agreeing-bits", (0.54, 0.5)),
        ranked("ranked-names", (np.zeros(7), np.r_[0.4, -0.4, np.zeros(5)]), 3),
        transformed(
            "autoregressive",
            by_law(
                "",
                (laplace(np.zeros(16), 1), laplace(np.r_[np.zeros(5), 0.5, -0.4, np.zeros(9)], 1)),
            ),
            walk,
        ),
        sampled_record("sampled-gaussian", 0.3, np.full(10, 0.4)),
        words(
            Threshold(2.0, 4.0, 2).subject(
                "words-of-a-threshold", (np.ones(8), np.repeat([2.0, 0.0], 4))
            )
        ),
        choices("many-choices"),
        by_law(
            "discrete-histogram",
            (
                stats.dlaplace(0.4, np.r_[20, 9, np.full(22, 12)]),
                stats.dlaplace(0.4, np.r_[19, 10, np.full(22, 12)]),
            ),
        ),
    ]


SNIPER, FRESH = sniper(), fresh()
