"""The largest noisy score."""

from __future__ import annotations

import math

import numpy as np

from auditor.mechanisms.pairs import NOTHING, Attained, Two, threshold_pair
from auditor.mechanisms.selection import SelectionKind, selected
from reference._validation import FloatArray
from reference.privacy.mechanisms import NoisyMax

REACH = 16.0
"""Noise scales beyond which a score does not matter to a selection (probability 1e-7)."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)


class NoisyMaxKind(SelectionKind[NoisyMax]):
    """The index of the largest noisy score."""

    def candidates(self) -> int:
        """Return the number of candidates that are not excluded."""
        if self.release.value is None:
            return 2
        return super().candidates() - len(set(self.mechanism.excluded))

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        """Place the winner."""
        m = self.mechanism
        keep = np.setdiff1d(np.arange(self.value.size), m.excluded)
        probabilities = laplace_argmax_probabilities(self.value[keep] / m.scale)
        return selected(probabilities, int(np.searchsorted(keep, int(self.release.output))), rng)

    def pair(self, tilt: float) -> Attained:
        """Move the scores of two candidates by the sensitivity in opposite directions."""
        if self.candidates() < 2:
            return NOTHING
        half = self.claim.sensitivity / self.mechanism.scale
        return threshold_pair(half, tilt, _laplace_difference)


def laplace_argmax_probabilities(scores: FloatArray) -> FloatArray:
    """Return the probability of every candidate to have the largest score + standard Laplace noise.

    The same integral as :func:`reference.privacy.mechanisms.laplace_argmax_log_probability`, for
    all candidates at once and to about 1e-6, which is all that a test of draws needs.
    """
    best = float(scores.max())
    near = np.flatnonzero(scores > best - REACH)
    levels = scores[near]
    low, high = float(levels.min()) - REACH, best + REACH
    # panels that no kink (a score) crosses, at most 1/2 wide
    edges = np.unique(np.concatenate([np.arange(low, high, 0.5), [high], levels]))
    half = np.diff(edges) / 2
    x = ((edges[:-1] + half)[:, None] + half[:, None] * _NODES).ravel()
    weights = (half[:, None] * _WEIGHTS).ravel()
    gap = x[:, None] - levels
    density = 0.5 * np.exp(-np.abs(gap))
    log_cdf = np.where(gap < 0, gap - np.log(2.0), np.log1p(-density))
    others = log_cdf.sum(axis=1, keepdims=True) - log_cdf
    probabilities = np.zeros(scores.size)
    probabilities[near] = weights @ (density * np.exp(others))
    return probabilities


def _laplace_difference(x: float) -> Two:
    """Return log-probabilities of a unit Laplace minus another below and above ``x``."""

    def upper(y: float) -> float:
        # integral of (1 + t) e^-t / 4 from y >= 0
        return -y + math.log((2 + y) / 4)

    if x >= 0:
        return math.log1p(-math.exp(upper(x))), upper(x)
    return upper(-x), math.log1p(-math.exp(upper(-x)))
