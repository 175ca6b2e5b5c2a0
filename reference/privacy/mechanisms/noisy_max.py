"""The largest noisy score, and the probability that a candidate has it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from reference._validation import FloatArray
from reference.privacy.mechanisms.mechanism import (
    REACH,
    Cost,
    Draw,
    Mechanism,
    Output,
    half_square,
    ratio,
)

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_REACH = 60.0  # exp(-60) of the mass is left further than this from every score


@dataclass(frozen=True)
class NoisyMax(Mechanism):
    """Index of the largest score + Lap(scale), among those not excluded; l-infinity.

    ``excluded`` are indices released earlier (public). Source: Zhang and Zhang (2021), Algorithm 1.
    Noise of doubles lies within 36.1 scales, ln 2^52: an index whose score is 73 scales below the
    best is never shown, but may be on a neighbour.
    """

    scale: float
    excluded: tuple[int, ...] = ()
    kind: ClassVar[str] = "noisy max"
    norm: ClassVar[str] = "l-infinity of the scores"

    @property
    def reach(self) -> float:
        return REACH * self.scale

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.laplace(size=value.shape)

    def _masked(self, scores: FloatArray) -> FloatArray:
        masked = np.array(scores, dtype=np.float64)
        masked[list(self.excluded)] = -np.inf
        return masked

    def output(self, value: FloatArray, draw: Draw) -> NDArray[np.int64]:
        return np.asarray(np.argmax(self._masked(value + self.scale * draw)))

    def noiseless(self, value: FloatArray) -> NDArray[np.int64]:
        return np.asarray(np.argmax(self._masked(value)))

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        if int(output) in self.excluded:
            return np.asarray(-np.inf)
        keep = np.ones(value.size, dtype=bool)
        keep[list(self.excluded)] = False
        winner = int(np.count_nonzero(keep[: int(output)]))
        return np.asarray(laplace_argmax_log_probability(value[keep] / self.scale, winner))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        return np.asarray(np.abs(value - other).max())

    def rescaled(self, factor: float) -> NoisyMax:
        return replace(self, scale=self.scale * factor)

    def cost(self, sensitivity: float) -> Cost:
        """Return the cost, 2 sensitivity/scale: scores may move either way (no monotone case)."""
        epsilon = ratio(2 * sensitivity, self.scale)
        return Cost(pure=epsilon, rho=half_square(epsilon))


def laplace_argmax_log_probability(scores: FloatArray, winner: int) -> float:
    """Log-probability that ``winner`` has the largest score + standard Laplace noise.

    Integrates the density of the winner's noisy score times the others' distribution functions,
    in the log domain, by Gauss-Legendre panels that never cross a kink (a score).

    Parameters
    ----------
    scores : ndarray of shape (k,)
        Scores in units of the noise scale.
    winner : int
        Index of the candidate.
    """
    if scores.size == 1:
        return 0.0
    others = np.delete(scores, winner)
    low = min(scores[winner], others.max()) - _REACH
    high = max(scores[winner], others.max()) + _REACH
    # a candidate further below both never decides
    levels, counts = np.unique(others[others >= low], return_counts=True)
    edges = _panel_edges(np.unique(np.concatenate([[low, high, scores[winner]], levels])))
    half = np.diff(edges) / 2
    x = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
    gap = x[..., None] - levels
    below = np.minimum(gap, 0.0) - math.log(2.0)
    log_cdf = np.where(gap < 0, below, np.log1p(-0.5 * np.exp(-np.maximum(gap, 0.0))))
    log_integrand = -np.abs(x - scores[winner]) - math.log(2.0) + log_cdf @ counts
    largest = log_integrand.max()
    integral = (half[:, None] * _WEIGHTS * np.exp(log_integrand - largest)).sum()
    return min(0.0, float(largest) + math.log(integral))


def _panel_edges(kinks: FloatArray) -> FloatArray:
    """Split the gaps between kinks into panels of one noise scale.

    Further than the reach from both ends of a gap the integrand is either constant or negligible:
    one panel.
    """
    pieces = []
    for low, high in pairwise(kinks):
        if high - low > 2 * _REACH + 1:
            steps = np.arange(_REACH)
            pieces.extend([low + steps, [low + _REACH], high - _REACH + steps])
        else:
            pieces.append(np.linspace(low, high, math.ceil(high - low), endpoint=False))
    return np.concatenate([*pieces, kinks[-1:]])
