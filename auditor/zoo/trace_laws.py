"""The laws of the answers of the sparse vector technique: exact, by quadrature.

Given the noise rho of the threshold, the answers are independent. The probability of a trace is
therefore an integral over rho alone, and traces with the same numbers of answers "above" and
"below" of every kind of query (what it counts on D and on D') are equally likely: laws over 2^20
traces are sums of a few dozen integrals. The integrands are piecewise smooth; the panels of the
quadrature end at their kinks.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import laplace as laplace_law

from auditor.zoo.exact import Masses, epsilon_of_masses
from reference._validation import FloatArray, IntArray

Gaps = tuple[float, ...]
"""True answer minus threshold, of every query."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_REACH = 45.0
"""Thresholds further from every kink, in units of their noise, have a probability of e^-45."""


def panels(kinks: Sequence[float], scale: float, step: float) -> FloatArray:
    """Return edges of panels no wider than ``step``, among them all kinks."""
    ends = [min(kinks) - _REACH * scale, *sorted(set(kinks)), max(kinks) + _REACH * scale]
    pieces = [
        np.linspace(low, high, math.ceil((high - low) / step), endpoint=False)
        for low, high in pairwise(ends)
    ]
    return np.append(np.concatenate(pieces), ends[-1])


def quadrature(edges: FloatArray) -> tuple[FloatArray, FloatArray]:
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
class NoisyQueries(AnswersLaw):
    """Answers "above" where a noisy query is not below a noisy threshold, up to a cutoff.

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

    def given_the_threshold(self, gaps: Sequence[float]) -> tuple[FloatArray, ...]:
        """Return, at the nodes of a quadrature over the noise of the threshold, what it needs.

        Returns
        -------
        log_density, weights : ndarray of shape (nodes,)
        below, above : ndarray of shape (gaps, nodes)
            Log-probabilities of either answer.
        """
        step = min(self.threshold_scale, self.query_scale) / 4
        nodes, weights = quadrature(panels([0.0, *gaps], self.threshold_scale, step))
        rho = nodes.ravel()
        distance = (rho - np.array(gaps)[:, None]) / self.query_scale
        log_density = laplace_law.logpdf(rho, scale=self.threshold_scale)
        below, above = laplace_law.logcdf(distance), laplace_law.logsf(distance)
        return log_density, weights.ravel(), below, above


class OneThreshold(NoisyQueries):
    """Algorithms 1, 4 and 6: all answers are compared with the same noisy threshold."""

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
        log_density, weights, below, above = self.given_the_threshold(self.kinds[1][side])
        terms = counts[:, 0].astype(float) @ below + counts[:, 1].astype(float) @ above
        return np.asarray(logsumexp(terms + log_density, b=weights, axis=1))

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


class NewThresholds(NoisyQueries):
    """Algorithm 2: after every answer "above" there is a new noisy threshold.

    A trace is made of independent pieces, each of which ends at an answer "above" or at the end
    of the stream.
    """

    @cached_property
    def pieces(self) -> tuple[FloatArray, FloatArray]:
        """Log-probabilities of pieces on D and on D', each of shape (k + 1, k + 1).

        Entry (s, e) is that of the piece from query s to the answer "above" at query e; entry
        (s, k) that of answers "below" from query s to the end.
        """
        return self._pieces(self.gaps[0]), self._pieces(self.gaps[1])

    def _pieces(self, gaps: Gaps) -> FloatArray:
        k = len(gaps)
        log_density, weights, below, above = self.given_the_threshold(gaps)
        ends = np.vstack([above, np.zeros_like(weights)])
        table = np.full((k + 1, k + 1), -math.inf)
        for start in range(k + 1):
            terms = log_density
            for end in range(start, k + 1):
                table[start, end] = logsumexp(terms + ends[end], b=weights)
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
        edges = panels([0.0, self.gap, self.gap + 1], self.scale, self.scale / 64)
        nodes, weights = quadrature(edges)
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
