"""The sparse vector technique: two private forms, and four published ones that are not.

All answer a stream of counting queries by "above" (true) or "below" (false) a noisy threshold, and
most of them halt after c answers "above". They are Algorithms 1 to 6 of

    M. Lyu, D. Su and N. Li, "Understanding the sparse vector technique for differential privacy",
    PVLDB 10(6), 2017 (their Figure 1),

here with queries of sensitivity 1 and one threshold T for all of them:

===========  =============  ============  ==============  =====  ==============================
algorithm    first budget   rho           nu_i            halts  besides
===========  =============  ============  ==============  =====  ==============================
1            e1 = eps/2     Lap(1/e1)     Lap(2c/e2)      yes
2            e1 = eps/2     Lap(c/e1)     Lap(2c/e1)      yes    after "above" a new rho, Lap(c/e2)
3            e1 = eps/2     Lap(1/e1)     Lap(c/e2)       yes    releases q_i + nu_i for "above"
4            e1 = eps/4     Lap(1/e1)     Lap(1/e2)       yes
5            e1 = eps/2     Lap(1/e1)     0               no
6            e1 = eps/2     Lap(1/e1)     Lap(1/e2)       no
===========  =============  ============  ==============  =====  ==============================

where e2 = eps - e1, and query i is answered "above" if q_i + nu_i >= T + rho. Algorithms 1 and 2
are eps-DP, Algorithm 4 is (1 + 6c)/4 eps-DP, and the others are eps'-DP for no eps' that holds for
streams of any length.

The data are a binary table, one row for each person and one column for each query, which counts
the ones in it. Neighbours replace one row, so every answer may move by one, up or down.

Given rho, the answers are independent. The probability of a trace is therefore an integral over
rho alone, and traces with the same numbers of answers "above" and "below" of every kind of query
(what it counts on D and on D') are equally likely: laws over 2^20 traces are sums of a few dozen
integrals. The integrands are piecewise smooth; the panels of the quadrature end at their kinks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import laplace as laplace_law

from auditor.runs.blocks import Outputs
from auditor.zoo.exact import Masses, epsilon_of_masses
from auditor.zoo.specimen import Specimen
from reference._validation import FloatArray, IntArray

CountTable = NDArray[np.int64]
Answers = NDArray[np.int8]
"""Shape (runs, queries): 1 above, 0 below, -1 not answered because the mechanism had halted."""

Gaps = tuple[float, ...]
"""True answer minus threshold, of every query."""

# ------------------------------------------------------------------------ the algorithms


def algorithm_1(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    cutoff: int,
    threshold: float,
    ragged: bool = False,
) -> Outputs:
    """Lyu et al., Algorithm 1: private.

    The noise of the threshold covers all answers "below" (shift rho by one), that of the queries
    each of the c answers "above" (shift nu_i by two): eps/2 + c 2 eps/(4c).
    """
    above = _above(data, rng, size, threshold, 2 / epsilon, 4 * cutoff / epsilon)
    return _released(_halted(above, cutoff), ragged)


def algorithm_2(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    cutoff: int,
    threshold: float,
    ragged: bool = False,
) -> Outputs:
    """Dwork and Roth (2014), Algorithm 2 ("Sparse"), as in Lyu et al., Algorithm 2: private.

    c runs of the technique, each halting at its first answer "above", of eps/c each.
    """
    answers = np.asarray(data.sum(axis=0) - threshold)
    thresholds = rng.laplace(scale=2 * cutoff / epsilon, size=(size, cutoff))
    noisy = answers + rng.laplace(scale=4 * cutoff / epsilon, size=(size, answers.size))
    released = np.full((size, answers.size), -1, dtype=np.int8)
    found, rows = np.zeros(size, dtype=np.int64), np.arange(size)
    for query in range(answers.size):
        above = noisy[rows, query] >= thresholds[rows, found[rows]]
        released[rows, query] = above
        found[rows] += above
        rows = rows[found[rows] < cutoff]
    return _released(released, ragged)


def algorithm_3(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    threshold: float,
) -> list[list[float | None]]:
    """Roth's lecture notes (2011), as in Lyu et al., Algorithm 3 with c = 1: broken.

    For "above" the noisy answer itself is released (``None`` for "below"). It bounds the noisy
    threshold from above, so the earlier answers "below" are no longer covered by the threshold's
    noise: each of them may cost eps/2.

    Where all k answers are one larger on D', outputs of k - 1 answers "below" and then a are
    likelier on D by a factor that tends to e^(k eps/2) as a decreases: the integrals over the
    thresholds below a hold only the exponential tails of nu_1, ..., nu_(k-1), and each of these
    differs by e^(eps/2), as does the density of nu_k. No output has a larger one.
    """
    answers = np.asarray(data.sum(axis=0) - threshold)
    noisy = answers + rng.laplace(scale=2 / epsilon, size=(size, answers.size))
    above = noisy >= rng.laplace(scale=2 / epsilon, size=(size, 1))
    first = np.where(above.any(axis=1), above.argmax(axis=1), answers.size)
    values = noisy[np.arange(size), np.minimum(first, answers.size - 1)] + threshold
    return [
        [None] * answers.size if where == answers.size else [*[None] * where, value]
        for where, value in zip(first.tolist(), values.tolist(), strict=True)
    ]


def algorithm_4(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    *,
    epsilon: float,
    cutoff: int,
    threshold: float,
    ragged: bool = False,
) -> Outputs:
    """Lee and Clifton (KDD 2014), as in Lyu et al., Algorithm 4: (1 + 6c)/4 eps-DP.

    The noise of the queries pays for one answer "above", and c are given.
    """
    above = _above(data, rng, size, threshold, 4 / epsilon, 4 / (3 * epsilon))
    return _released(_halted(above, cutoff), ragged)


def algorithm_5(
    data: CountTable, rng: np.random.Generator, size: int, *, epsilon: float, threshold: float
) -> Answers:
    """Stoddard, Chen and Machanavajjhala (2014), as in Lyu et al., Algorithm 5: broken.

    The queries have no noise, so two of them whose order differs on D and D' are separated by
    thresholds between them: an output that is impossible on one side.
    """
    answers = np.asarray(data.sum(axis=0) - threshold)
    noise = rng.laplace(scale=2 / epsilon, size=(size, 1))
    return np.asarray(answers >= noise).astype(np.int8)


def algorithm_6(
    data: CountTable, rng: np.random.Generator, size: int, *, epsilon: float, threshold: float
) -> Answers:
    """Chen, Xiao, Zhang and Xu (KDD 2015), as in Lyu et al., Algorithm 6: broken.

    As many answers "above" as there are queries, for the price of one.
    """
    return _above(data, rng, size, threshold, 2 / epsilon, 2 / epsilon).astype(np.int8)


def _above(
    data: CountTable,
    rng: np.random.Generator,
    size: int,
    threshold: float,
    threshold_scale: float,
    query_scale: float,
) -> NDArray[np.bool_]:
    answers = np.asarray(data.sum(axis=0) - threshold)
    noisy = rng.laplace(scale=query_scale, size=(size, answers.size))
    noisy += answers
    return np.asarray(noisy >= rng.laplace(scale=threshold_scale, size=(size, 1)))


def _halted(above: NDArray[np.bool_], cutoff: int) -> Answers:
    before = np.cumsum(above, axis=1, dtype=np.int8) - above
    return np.where(before < cutoff, above, np.int8(-1)).astype(np.int8)


def _released(answers: Answers, ragged: bool) -> Outputs:
    """Return the answers as an array, or as lists of booleans that end where it halted."""
    if not ragged:
        return answers
    lengths = np.count_nonzero(answers >= 0, axis=1)
    rows = (answers == 1).tolist()
    return [row[:length] for row, length in zip(rows, lengths.tolist(), strict=True)]


# ------------------------------------------------------------------------------ the laws

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_REACH = 45.0
"""Thresholds further from every kink, in units of their noise, have a probability of e^-45."""


def _panels(kinks: Sequence[float], scale: float, step: float) -> FloatArray:
    """Return edges of panels no wider than ``step``, among them all kinks."""
    ends = [min(kinks) - _REACH * scale, *sorted(set(kinks)), max(kinks) + _REACH * scale]
    pieces = [
        np.linspace(low, high, math.ceil((high - low) / step), endpoint=False)
        for low, high in pairwise(ends)
    ]
    return np.append(np.concatenate(pieces), ends[-1])


def _quadrature(edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the nodes and weights of Gauss-Legendre panels, each of shape (panels, nodes)."""
    half = np.diff(edges) / 2
    return (edges[:-1] + half)[:, None] + half[:, None] * _NODES, half[:, None] * _WEIGHTS


class TraceLaw(ABC):
    """The laws of a mechanism's traces on D and on D'."""

    @property
    @abstractmethod
    def masses(self) -> Masses:
        """Probabilities of (classes of) traces on D and on D'."""

    def epsilon(self, delta: float) -> float:
        """Return the smallest epsilon at ``delta``."""
        return epsilon_of_masses(self.masses, delta)


class AnswersLaw(TraceLaw):
    """The laws of traces that are answers "above" or "below" alone."""

    @abstractmethod
    def log_ratio(self, outputs: Any) -> FloatArray:
        """Return log P(trace | D)/P(trace | D')."""


@dataclass(frozen=True)
class OneThreshold(AnswersLaw):
    """Algorithms 1, 4 and 6: all answers are compared with the same noisy threshold.

    Attributes
    ----------
    gaps : (tuple of float, tuple of float)
        On D and on D'.
    threshold_scale, query_scale : float
        Of the Laplace noise.
    cutoff : int
        Answers "above" after which it halts; more than there are queries if it never does.
    """

    gaps: tuple[Gaps, Gaps]
    threshold_scale: float
    query_scale: float
    cutoff: int

    @cached_property
    def kinds(self) -> tuple[IntArray, FloatArray]:
        """The kind of every query, and the gaps of every kind, of shape (2, kinds)."""
        gaps, kinds = np.unique(np.array(self.gaps), axis=1, return_inverse=True)
        return np.asarray(kinds).ravel(), np.asarray(gaps)

    @cached_property
    def masses(self) -> Masses:
        """Probabilities of the classes of equally likely traces."""
        counts, ways = self._classes()
        first, second = (np.exp(self._log_probability(counts, side)) for side in (0, 1))
        return ways * first, ways * second

    def _classes(self) -> tuple[IntArray, FloatArray]:
        """Return how often each class answers "below" and "above" each kind, and its traces.

        Returns
        -------
        counts : ndarray of shape (classes, 2, kinds)
        ways : ndarray of shape (classes,)
        """
        kinds, gaps = self.kinds
        width = gaps.shape[1]
        running, halted = Counter({(0,) * (2 * width): 1}), Counter[tuple[int, ...]]()
        for kind in kinds.tolist():
            following = Counter[tuple[int, ...]]()
            for counts, ways in running.items():
                for place in (kind, width + kind):  # below, above
                    more = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
                    done = sum(more[width:]) == self.cutoff and place >= width
                    (halted if done else following)[more] += ways
            running = following
        classes = running + halted
        counts_array = np.array(list(classes), dtype=np.int64).reshape(-1, 2, width)
        return counts_array, np.array(list(classes.values()), dtype=np.float64)

    def _log_probability(self, counts: IntArray, side: int) -> FloatArray:
        """Return the log-probability of one trace of each class."""
        gaps = self.kinds[1][side]
        step = min(self.threshold_scale, self.query_scale) / 4
        nodes, weights = _quadrature(_panels([0.0, *gaps], self.threshold_scale, step))
        rho = nodes.ravel()
        below = laplace_law.logcdf((rho - gaps[:, None]) / self.query_scale)
        above = laplace_law.logsf((rho - gaps[:, None]) / self.query_scale)
        terms = counts[:, 0].astype(float) @ below + counts[:, 1].astype(float) @ above
        terms += laplace_law.logpdf(rho, scale=self.threshold_scale)
        return np.asarray(logsumexp(terms, b=weights.ravel(), axis=1))

    def log_ratio(self, outputs: Any) -> FloatArray:
        """Return log P(trace | D)/P(trace | D') of an array of answers."""
        kinds, gaps = self.kinds
        width = gaps.shape[1]
        of_kind = np.equal.outer(kinds, np.arange(width)).astype(np.float32)
        answers = np.asarray(outputs)
        counts = np.stack([(answers == value) @ of_kind for value in (0, 1)], axis=1)
        code = counts.reshape(len(counts), -1) @ float(kinds.size + 1) ** np.arange(2 * width)
        _, at, which = np.unique(code, return_index=True, return_inverse=True)
        distinct = counts[at].astype(np.int64)
        ratio = self._log_probability(distinct, 0) - self._log_probability(distinct, 1)
        return np.asarray(ratio[which])


@dataclass(frozen=True)
class NewThresholds(AnswersLaw):
    """Algorithm 2: after every answer "above" there is a new noisy threshold.

    A trace is made of independent pieces, each of which ends at an answer "above" or at the end
    of the stream.

    Attributes
    ----------
    gaps, threshold_scale, query_scale, cutoff
        As for :class:`OneThreshold`.
    """

    gaps: tuple[Gaps, Gaps]
    threshold_scale: float
    query_scale: float
    cutoff: int

    @cached_property
    def pieces(self) -> tuple[FloatArray, FloatArray]:
        """Log-probabilities of pieces on D and on D', each of shape (k + 1, k + 1).

        Entry (s, e) is that of the piece from query s to the answer "above" at query e; entry
        (s, k) that of answers "below" from query s to the end.
        """
        return self._pieces(self.gaps[0]), self._pieces(self.gaps[1])

    def _pieces(self, gaps: Gaps) -> FloatArray:
        k, offsets = len(gaps), np.array(gaps)[:, None]
        step = min(self.threshold_scale, self.query_scale) / 4
        nodes, weights = _quadrature(_panels([0.0, *gaps], self.threshold_scale, step))
        rho = nodes.ravel()
        below = laplace_law.logcdf((rho - offsets) / self.query_scale)
        above = laplace_law.logsf((rho - offsets) / self.query_scale)
        ends = np.vstack([above, np.zeros_like(rho)])
        table = np.full((k + 1, k + 1), -math.inf)
        for start in range(k + 1):
            terms = laplace_law.logpdf(rho, scale=self.threshold_scale)
            for end in range(start, k + 1):
                table[start, end] = logsumexp(terms + ends[end], b=weights.ravel())
                if end < k:
                    terms = terms + below[end]
        return table

    @cached_property
    def masses(self) -> Masses:
        """Probabilities of all traces."""
        k = len(self.gaps[0])
        traces = [
            [*places, k] if found < self.cutoff else [*places]
            for found in range(self.cutoff + 1)
            for places in combinations(range(k), found)
        ]
        steps = [list(pairwise([-1, *places])) for places in traces]
        first, second = (
            np.array([math.exp(sum(table[s + 1, e] for s, e in trace)) for trace in steps])
            for table in self.pieces
        )
        return first, second

    def log_ratio(self, outputs: Any) -> FloatArray:
        """Return log P(trace | D)/P(trace | D') of an array of answers."""
        answers = np.asarray(outputs)
        k = answers.shape[1]
        first, second = self.pieces
        ratio = np.subtract(first, second, out=np.zeros_like(first), where=np.isfinite(first))
        total, start = np.zeros(len(answers)), np.zeros(len(answers), dtype=np.int64)
        for query in range(k):
            above = answers[:, query] == 1
            total[above] += ratio[start[above], query]
            start[above] = query + 1
        running = np.count_nonzero(answers == 1, axis=1) < self.cutoff
        total[running] += ratio[start[running], k]
        return total


@dataclass(frozen=True)
class ReleasedAnswer(TraceLaw):
    """Algorithm 3 with c = 1, where all k answers are one larger on D'.

    An output is a number j of answers "below" and a value a. Its density is the density of nu at
    a - q_j times the integral over the thresholds below a of their density times the
    probabilities of the answers "below". The values are those of the nodes of a quadrature, whose
    weights turn densities into masses.

    Attributes
    ----------
    queries : int
    gap : float
        Of every query on D.
    scale : float
        Of the Laplace noise of the threshold and of the queries.
    """

    queries: int
    gap: float
    scale: float

    def epsilon(self, delta: float) -> float:
        """Return the smallest epsilon at ``delta``; see :func:`algorithm_3` for delta = 0."""
        return self.queries / self.scale if delta == 0 else super().epsilon(delta)

    @cached_property
    def masses(self) -> Masses:
        """Masses of (j, a) at the nodes, and of "below" throughout."""
        return self._side(self.gap), self._side(self.gap + 1)

    def _side(self, gap: float) -> FloatArray:
        # narrow panels: the worst event ends at a node, and epsilon is wanted to 1e-6
        edges = _panels([0.0, self.gap, self.gap + 1], self.scale, self.scale / 64)
        nodes, weights = _quadrature(edges)
        # the nodes of a panel's part to the left of each of its nodes
        left, width = edges[:-1, None, None], (nodes - edges[:-1, None])[..., None]
        inner = left + width * (_NODES + 1) / 2
        value = np.exp(laplace_law.logpdf(nodes - gap, scale=self.scale))
        masses = []
        for j in range(self.queries + 1):
            whole = np.sum(self._integrand(nodes, gap, j) * weights, axis=1)
            if j == self.queries:
                masses.append(np.array([whole.sum()]))
                break
            part = (self._integrand(inner, gap, j) * _WEIGHTS).sum(axis=-1) * width[..., 0] / 2
            below = np.concatenate([[0.0], np.cumsum(whole)[:-1]])[:, None] + part
            masses.append((below * value * weights).ravel())
        return np.concatenate(masses)

    def _integrand(self, rho: FloatArray, gap: float, below: int) -> FloatArray:
        density = laplace_law.logpdf(rho, scale=self.scale)
        return np.asarray(np.exp(density + below * laplace_law.logcdf((rho - gap) / self.scale)))


@dataclass(frozen=True)
class NoiselessQueries(AnswersLaw):
    """Algorithm 5: a trace says between which gaps the threshold's noise lies.

    Attributes
    ----------
    gaps : (tuple of float, tuple of float)
    threshold_scale : float
    """

    gaps: tuple[Gaps, Gaps]
    threshold_scale: float

    @cached_property
    def traces(self) -> dict[bytes, tuple[float, float]]:
        """Probabilities on D and on D' of every trace that is possible on one of them."""
        sides = [self._side(np.array(gaps)) for gaps in self.gaps]
        return {
            trace: (sides[0].get(trace, 0.0), sides[1].get(trace, 0.0))
            for trace in sides[0] | sides[1]
        }

    def _side(self, gaps: FloatArray) -> dict[bytes, float]:
        levels = np.unique(gaps)
        edges = np.concatenate([[-math.inf], levels, [math.inf]])
        chances = np.diff(laplace_law.cdf(edges, scale=self.threshold_scale))
        # noise up to levels[i] and above the level before answers "above" from levels[i] on
        traces = [(gaps >= level).astype(np.int8).tobytes() for level in edges[1:]]
        return dict(zip(traces, chances.tolist(), strict=True))

    @cached_property
    def masses(self) -> Masses:
        """Probabilities of all traces."""
        first, second = zip(*self.traces.values(), strict=True)
        return np.array(first), np.array(second)

    def log_ratio(self, outputs: Any) -> FloatArray:
        """Return log P(trace | D)/P(trace | D'), which may be infinite."""
        answers = np.asarray(outputs, dtype=np.int8)
        code = answers @ 2.0 ** np.arange(answers.shape[1])
        _, at, which = np.unique(code, return_index=True, return_inverse=True)
        first, second = np.array([self.traces[row.tobytes()] for row in answers[at]]).T
        with np.errstate(divide="ignore"):
            ratio = np.log(first) - np.log(second)
        return np.asarray(ratio[which])


# -------------------------------------------------------------------------- the specimens

_PAPER = "Lyu, Su and Li, 'Understanding the sparse vector technique' (2017), "


def _tables(moves: Sequence[int], base: int = 2) -> tuple[CountTable, CountTable]:
    """Return two tables that differ in one row.

    Query i counts ``base`` on the first and ``base + moves[i]`` on the second.
    """
    step = np.array(moves, dtype=np.int64)
    own, other = (step < 0).astype(np.int64), (step > 0).astype(np.int64)
    others = (np.arange(base)[:, None] < base - own).astype(np.int64)
    return np.vstack([own, others]), np.vstack([other, others])


def _gaps(pair: tuple[CountTable, CountTable], threshold: float) -> tuple[Gaps, Gaps]:
    first, second = (tuple((table.sum(axis=0) - threshold).tolist()) for table in pair)
    return first, second


_SIX = _tables([1] * 4 + [-1] * 2)
_TWENTY = _tables([1] * 15 + [-1] * 5)
_HALVES = _tables([1] * 10 + [-1] * 10)
_SWAPPED = _tables([1, -1] * 6)
_TWO = _tables([1, -1])
_RAISED = _tables([1] * 4)

_LAW_1 = OneThreshold(_gaps(_SIX, 2), threshold_scale=2, query_scale=8, cutoff=2)
_LAW_1_LONG = OneThreshold(_gaps(_TWENTY, 2), threshold_scale=2, query_scale=20, cutoff=5)
_LAW_2 = NewThresholds(_gaps(_SIX, 2), threshold_scale=4, query_scale=8, cutoff=2)
_LAW_2_LONG = NewThresholds(_gaps(_TWENTY, 2), threshold_scale=6, query_scale=12, cutoff=3)
_LAW_3 = ReleasedAnswer(queries=4, gap=0, scale=2)
_LAW_4 = OneThreshold(_gaps(_SIX, 2), threshold_scale=4, query_scale=4 / 3, cutoff=2)
_LAW_4_LONG = OneThreshold(_gaps(_TWENTY, 2), threshold_scale=4, query_scale=4 / 3, cutoff=5)
_LAW_4_SHORT = OneThreshold(_gaps(_TWO, 2), threshold_scale=4, query_scale=4 / 3, cutoff=1)
_LAW_5 = NoiselessQueries(_gaps(_SWAPPED, 2), threshold_scale=2)
_LAW_5_RARE = NoiselessQueries(_gaps(_SWAPPED, 12), threshold_scale=2)
_LAW_6 = OneThreshold(_gaps(_HALVES, 2), threshold_scale=2, query_scale=2, cutoff=21)

_ALGORITHMS: dict[int, tuple[Callable[..., Outputs], str]] = {
    1: (algorithm_1, ""),
    2: (algorithm_2, "Dwork and Roth (2014), 'Sparse'; "),
    3: (algorithm_3, "Roth's lecture notes (2011); "),
    4: (algorithm_4, "Lee and Clifton (2014); "),
    5: (algorithm_5, "Stoddard, Chen and Machanavajjhala (2014); "),
    6: (algorithm_6, "Chen, Xiao, Zhang and Xu (2015); "),
}
"""By their numbers in the paper, with where they come from; the first two are private."""


def _specimen(
    name: str,
    number: int,
    pair: tuple[CountTable, CountTable],
    law: TraceLaw,
    *,
    vector: bool = False,
    **options: Any,
) -> Specimen:
    """Return a specimen of an algorithm of the paper at epsilon 1, with what its law says."""
    algorithm, origin = _ALGORITHMS[number]
    return Specimen(
        name,
        partial(algorithm, epsilon=1.0, **options),
        pair,
        1.0,
        law.epsilon,
        broken=number > 2,
        source=f"{origin}{_PAPER}Algorithm {number}",
        vector=vector,
        log_ratio=law.log_ratio if vector and isinstance(law, AnswersLaw) else None,
    )


SPECIMENS: tuple[Specimen, ...] = (
    _specimen("sparse-vector-1", 1, _SIX, _LAW_1, cutoff=2, threshold=2, ragged=True),
    _specimen("sparse-vector-1-of-20", 1, _TWENTY, _LAW_1_LONG, cutoff=5, threshold=2, vector=True),
    _specimen("sparse-vector-2", 2, _SIX, _LAW_2, cutoff=2, threshold=2, ragged=True),
    _specimen("sparse-vector-2-of-20", 2, _TWENTY, _LAW_2_LONG, cutoff=3, threshold=2, vector=True),
    _specimen("sparse-vector-3", 3, _RAISED, _LAW_3, threshold=2),
    _specimen("sparse-vector-4", 4, _SIX, _LAW_4, cutoff=2, threshold=2, ragged=True),
    _specimen("sparse-vector-4-of-20", 4, _TWENTY, _LAW_4_LONG, cutoff=5, threshold=2, vector=True),
    _specimen("sparse-vector-4-of-2", 4, _TWO, _LAW_4_SHORT, cutoff=1, threshold=2, ragged=True),
    _specimen("sparse-vector-5", 5, _SWAPPED, _LAW_5, threshold=2, vector=True),
    _specimen("sparse-vector-5-rare", 5, _SWAPPED, _LAW_5_RARE, threshold=12, vector=True),
    _specimen("sparse-vector-6", 6, _HALVES, _LAW_6, threshold=2, vector=True),
)
