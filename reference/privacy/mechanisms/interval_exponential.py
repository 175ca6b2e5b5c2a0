"""The exponential mechanism over an interval, for scores that are step functions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from reference._validation import FloatArray, IntArray
from reference.privacy.mechanisms.mechanism import Cost, Draw, Mechanism, Output, half_square


@dataclass(frozen=True)
class IntervalExponential(Mechanism):
    """Density at x in [lower, upper) proportional to exp(rate * score(x)); sup norm of the score.

    McSherry and Talwar (2007), with length for their base measure. The score is constant between
    breaks that may depend on the data: a value is an array of shape (2, k) with the k scores and
    the left ends of their pieces, which never fall and of which the first is ``lower``; a piece
    ends where the next begins. ``rate`` = epsilon / (2 sensitivity).

    Sampled exactly: a piece by Gumbel noise on rate * score + log length, then a uniform point of
    it. The lengths belong to the law. Without them a piece would be selected whatever its length,
    and its ends, which are data, would show. Noise and point are doubles: what that
    breaks is in :mod:`reference.privacy.ledger`.
    """

    rate: float
    lower: float
    upper: float
    kind: ClassVar[str] = "interval exponential"
    norm: ClassVar[str] = "l-infinity of the score over the interval"

    def ends(self, value: FloatArray) -> FloatArray:
        """Return where every piece of a value ends."""
        return np.append(value[1, 1:], self.upper)

    def pieces(self, value: FloatArray, points: FloatArray) -> IntArray:
        """Return the index of the piece in which each point of [lower, upper) is."""
        return np.asarray(np.searchsorted(value[1], points, side="right") - 1)

    def log_masses(self, value: FloatArray) -> FloatArray:
        """Return the log-probability of every piece, up to a constant."""
        with np.errstate(divide="ignore"):  # a piece without length has no probability
            return np.asarray(self.rate * value[0] + np.log(self.ends(value) - value[1]))

    def draw(self, value: FloatArray, rng: np.random.Generator) -> Draw:
        return rng.gumbel(size=value.shape[-1]), np.asarray(rng.random())

    def output(self, value: FloatArray, draw: Draw) -> FloatArray:
        gumbel, uniform = draw
        piece = int(np.argmax(self.log_masses(value) + gumbel))
        start, end = value[1, piece], self.ends(value)[piece]
        point = start + (end - start) * np.asarray(uniform)
        # a point that is rounded to the end would be the next piece's
        return np.asarray(point if point < end else start)

    def noiseless(self, value: FloatArray) -> FloatArray:
        """Return the middle of the first piece with the largest score that has a length."""
        scores, starts = value
        ends = self.ends(value)
        piece = int(np.argmax(np.where(starts < ends, scores, -np.inf)))
        return np.asarray(starts[piece] + (ends[piece] - starts[piece]) / 2)

    def log_density(self, output: Output, value: FloatArray, axes: int) -> FloatArray:
        if not self.lower <= float(output) < self.upper:
            return np.asarray(-np.inf)
        score = value[0, self.pieces(value, np.asarray(output))]
        return np.asarray(self.rate * score - np.logaddexp.reduce(self.log_masses(value)))

    def distance(self, value: FloatArray, other: FloatArray, axes: int) -> FloatArray:
        # every stretch on which both scores are constant begins at an end of a piece
        starts = np.union1d(value[1], other[1])
        starts = starts[starts < self.upper]
        mine, theirs = (x[0, self.pieces(x, starts)] for x in (value, other))
        return np.asarray(np.abs(mine - theirs).max())

    def rescaled(self, factor: float) -> IntervalExponential:
        return replace(self, rate=self.rate / factor)

    def cost(self, sensitivity: float) -> Cost:
        """As of a selection: epsilon-bounded range needs no finite set of outputs."""
        epsilon = max(2 * self.rate * sensitivity, math.ulp(0.0))
        return Cost(pure=epsilon, rho=half_square(epsilon / 2))
