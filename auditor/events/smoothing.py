"""Thresholds chosen by smooth estimates of an event's probabilities.

Counts of the runs above a threshold are noisy, and the best of many noisy levels is a lucky one.
But how much likelier a score is on one side than on the other changes little from one score to the
next. So the log-ratio is estimated in cells of scores by a Gaussian process, and the probabilities
of an event follow from the log-ratios of all its cells.

Only runs that train are looked at: the certificate, made on other runs, holds whatever is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit, ndtri

from auditor.events.thresholds import ThresholdChoice, doubted_level
from auditor.statistics.claims import Claim
from reference._validation import FloatArray

FEW_SCORES = 30
"""Different scores up to which counts choose: neighbours among so few may have little in common."""
FEWEST_RUNS = 200
"""Runs a side from which on there is something to be smoothed."""
CELLS, SMALLEST = 80, 40
"""About the most cells, and the runs of both sides in the outermost ones."""
SPREAD_OF_SLOPES = 0.25
"""Variance of the slope of the log-ratio, in a score or its rank that has variance 1."""
BENDS, ALONE = (0.0, 0.001, 0.01, 0.1), (0.0, 0.01, 0.1, 1.0)
"""Variances of the log-ratio's smooth departures from a line, and of those of a cell by itself."""
STEPS = 3
"""Steps of Newton's method; the log-ratios hardly change after them."""
STEEPEST = 8.0
"""Largest log-ratio at which a cell's likelihood is expanded."""
CAUTION = 1.0
"""Standard errors by which estimated probabilities approach each other when thresholds compete."""
LEAST_WEIGHT = 0.01
"""Models with a smaller share of the evidence are left out, for time."""


@dataclass(frozen=True)
class _Cells:
    """Cells of scores in ascending order.

    Attributes
    ----------
    cuts : ndarray of shape (cells - 1,)
        Thresholds between neighbouring cells.
    first, second : ndarray of shape (cells,)
        Runs of the two sides.
    score : ndarray of shape (cells,)
        The average of the scores.
    """

    cuts: FloatArray
    first: FloatArray
    second: FloatArray
    score: FloatArray

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray, threshold: float) -> _Cells | None:
        """Cut finite scores, finer in the tails and also at a threshold; None if they are few."""
        pooled = np.sort(np.concatenate([first, second]))
        if not np.isfinite(pooled[[0, -1]]).all():
            return None
        ends = np.flatnonzero(pooled[1:] > pooled[:-1])
        if ends.size < FEW_SCORES:
            return None
        tail = np.geomspace(min(SMALLEST, pooled.size / 2), pooled.size / 2, CELLS // 2)
        wanted = np.append(tail, pooled.size - tail)
        at = ends[np.minimum(np.searchsorted(ends, wanted), ends.size - 1)]
        at = np.append(at, np.searchsorted(pooled, threshold, side="right") - 1)
        at = np.unique(at[(at >= 0) & (at < pooled.size - 1)])
        cuts = pooled[at] / 2 + pooled[at + 1] / 2
        cuts = np.where((cuts >= pooled[at]) & (cuts < pooled[at + 1]), cuts, pooled[at])
        cells = [np.searchsorted(cuts, side, side="left") for side in (first, second)]
        counts = [np.bincount(cell, minlength=cuts.size + 1).astype(np.float64) for cell in cells]
        sums = np.bincount(np.concatenate(cells), weights=np.concatenate([first, second]))
        return cls(cuts, counts[0], counts[1], sums / (counts[0] + counts[1]))

    def log_ratios(self) -> tuple[FloatArray, FloatArray]:
        """Return the expected log-ratios of the cells and their covariance.

        The log-ratio is a line in the score or in its rank's normal deviate, plus smooth
        departures, plus departures of single cells. The models are averaged by their evidence.
        The likelihood of the counts is expanded around the log-ratios of the step before.
        """
        start = math.log(self.first.sum() / self.second.sum())
        one, two = self.first + 0.5, self.second + 0.5
        seen, noise, priors = np.log(one / two) - start, 1 / one + 1 / two, list(self._priors())
        mean, spread, priors = _averaged(priors, seen, noise)
        for _ in range(STEPS - 1):
            at = np.clip(mean, -STEEPEST, STEEPEST)
            chance = expit(at + start)
            noise = 1 / ((self.first + self.second) * chance * (1 - chance))
            seen = at + noise * (self.first * (1 - chance) - self.second * chance)
            mean, spread, priors = _averaged(priors, seen, noise)
        return mean, spread

    def _priors(self) -> Iterator[FloatArray]:
        """Yield the covariances of the log-ratios under every model."""
        runs = self.first + self.second
        rank = ndtri((np.cumsum(runs) - runs / 2) / runs.sum())
        alone = np.eye(runs.size)
        smooth = np.exp(-((rank[:, None] - rank) ** 2) / 2)
        score = np.clip(self.score, *np.quantile(self.score, [0.02, 0.98]))
        for place in (rank, score):
            centred = place - np.average(place, weights=runs)
            centred /= math.sqrt(np.average(centred**2, weights=runs)) or 1.0
            line = 1 + SPREAD_OF_SLOPES * np.outer(centred, centred)
            for bend in BENDS:
                for own in ALONE:
                    yield line + bend * smooth + own * alone

    def events(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the probabilities of "score > cut" on both sides, and their angles' errors.

        The angle of p is 2 arcsin(sqrt(p)).
        """
        ratio, covariance = self.log_ratios()
        runs = self.first + self.second
        slope = runs * expit(ratio) * expit(-ratio)
        above = np.triu(np.ones((runs.size, runs.size)), 1)[:-1]
        found = []
        for masses in (runs * expit(ratio), runs * expit(-ratio)):
            share = above @ masses / masses.sum()
            change = slope * (above - share[:, None]) / masses.sum()
            variance = np.einsum("ij,ij->i", change @ covariance, change)
            binomial = np.maximum(share * (1 - share), 1e-12)
            found.append((share, np.sqrt(np.maximum(variance, 0.0) / binomial)))
        (p, p_error), (q, q_error) = found
        return p, q, p_error, q_error


def _averaged(
    priors: Sequence[FloatArray], seen: FloatArray, noise: FloatArray
) -> tuple[FloatArray, FloatArray, list[FloatArray]]:
    """Return mean and covariance of what was seen with noise, over priors; and the likely priors.

    The priors are averaged by their evidence.
    """
    roots = [np.linalg.cholesky(prior + np.diag(noise)) for prior in priors]
    whites = [solve_triangular(root, seen, lower=True) for root in roots]
    evidence = np.array(
        [
            -(white @ white) / 2 - np.log(np.diag(root)).sum()
            for root, white in zip(roots, whites, strict=True)
        ]
    )
    weights = np.exp(evidence - evidence.max())
    likely = np.flatnonzero(weights > LEAST_WEIGHT * weights.sum()).tolist()
    weights = weights[likely] / weights[likely].sum()
    halves = [solve_triangular(roots[k], priors[k], lower=True) for k in likely]
    means = np.array([half.T @ whites[k] for half, k in zip(halves, likely, strict=True)])
    mean = weights @ means
    spread = (weights * (means - mean).T) @ (means - mean)
    for weight, half, k in zip(weights, halves, likely, strict=True):
        spread += weight * (priors[k] - half.T @ half)
    return mean, spread, [priors[k] for k in likely]


def smoother_choice(
    choice: ThresholdChoice,
    scores: tuple[FloatArray, FloatArray],
    family: Claim,
    alpha: float,
    certifying: int,
) -> ThresholdChoice:
    """Return a choice with the threshold that promises most by smooth estimates.

    Or as it is if it promises more, which is what counts say even of the luckiest of thresholds:
    the scores are not smooth then. Also if there are few runs or few different scores.

    Parameters
    ----------
    choice : ThresholdChoice
        The best by counts.
    scores : (ndarray, ndarray)
        Of the two sides.
    family, alpha, certifying
        As of :func:`auditor.events.thresholds.choose_threshold`.
    """
    if min(map(len, scores)) < FEWEST_RUNS:
        return choice
    cells = _Cells.of(*scores, choice.threshold)
    if cells is None:
        return choice
    p, q, p_error, q_error = cells.events()
    doubt = float(ndtri(1 - alpha)) / math.sqrt(2 * max(certifying, 1))
    doubts = doubt + CAUTION * p_error, doubt + CAUTION * q_error
    levels = np.array(
        [doubted_level(p, q, family, doubts), doubted_level(q, p, family, doubts[::-1])]
    )
    side, at = np.unravel_index(int(np.argmax(levels)), levels.shape)
    promise = float(levels[side, at])
    if promise <= choice.promise:
        return choice
    return replace(choice, threshold=float(cells.cuts[at]), side=int(side), promise=promise)
