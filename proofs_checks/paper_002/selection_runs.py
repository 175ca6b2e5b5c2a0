"""Runs of NoisyHT for Lemma B.1 and the steps of its proof."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reference._validation import FloatArray
from reference.privacy.ledger import Ledger, RecordingLedger
from reference.sparse.peeling import noise_scale, noisy_hard_thresholding


def missed_supports(d: int, b: float, runs: int, rng: np.random.Generator) -> int:
    """Count the runs of NoisyHT on beta* itself (s* = 4, s-hat = 45) that miss its support."""
    truth = np.zeros(d)
    truth[:3], truth[3] = math.sqrt((1 - b**2) / 3), b
    unit = noise_scale(1.0, 1e-5, sparsity=45, sensitivity=1.0)
    misses = 0
    for _ in range(runs):
        found = noisy_hard_thresholding(
            truth, sparsity=45, sensitivity=b / unit, epsilon=1.0, delta=1e-5, ledger=Ledger(rng)
        )
        misses += not set(range(4)) <= set(found.support.tolist())
    return misses


def _peel(
    vector: FloatArray, s: int, b: float, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], float]:
    """Return what NoisyHT with Laplace scale b selects, and W = sum of ||w_i||_inf^2."""
    unit = noise_scale(1.0, 1e-3, sparsity=s, sensitivity=1.0)
    ledger = RecordingLedger(rng)
    found = noisy_hard_thresholding(
        vector, sparsity=s, sensitivity=b / unit, epsilon=1.0, delta=1e-3, ledger=ledger
    )
    rounds = ledger.transcript.releases[:s]
    w = sum(float(np.abs(np.asarray(release.draw)).max() * b) ** 2 for release in rounds)
    return np.isin(np.arange(len(vector)), found.support), w


def lemma_b1_ratio(rng: np.random.Generator, *, with_noise: bool = True) -> float:
    """Return left over right of Lemma B.1 on one run of Algorithm 1, with or without W and xi."""
    d = int(rng.integers(8, 60))
    s_true = int(rng.integers(1, max(2, d // 8)))
    s = int(rng.integers(4 * s_true, d))
    truth = np.zeros(d)
    # any of the four sources of error may dominate, or be almost absent
    sizes = np.exp(rng.uniform(-4, 1, 4)) * np.where(rng.random(4) < 0.5, 1, 1e-6)
    away, alpha, xi, b = sizes.tolist()
    truth[:s_true] = np.exp(rng.uniform(-4, 2, s_true))
    ideal = truth + away * rng.standard_normal(d) * (rng.random(d) < rng.random())
    shift = rng.standard_normal(d)
    step = ideal + alpha * rng.choice([-1.0, 1.0], d) + xi * shift / np.linalg.norm(shift)
    chosen, w = _peel(step, s, b, rng)
    kept = np.where(chosen, ideal, 0)
    right = math.sqrt(1 + 4 * math.sqrt(s_true / s)) * np.linalg.norm(ideal - truth)
    right += (1 + math.sqrt(2)) * math.sqrt(s_true) * alpha
    if with_noise:
        right += (1 + math.sqrt(0.5)) * xi + 2 * math.sqrt(2 * w)
    return float(np.linalg.norm(kept - truth) / right)


def bracket_54(rng: np.random.Generator) -> tuple[float, float]:
    """Return 1 - Delta^2 and the bracket squared in (54), c0 = 1, alpha = xi = 0.

    bbar = beta* = (1, .5, b, 0, ...); runs of NoisyHT until one misses a coordinate.
    """
    d, s_true, s = 60, 3, 30
    for _ in range(1000):
        b = float(rng.choice([0.02, 0.05, 0.2]))
        truth = np.zeros(d)
        truth[:s_true] = 1.0, 0.5, b
        chosen, w = _peel(truth, s, b, rng)
        first, third = (truth != 0) & ~chosen, (truth == 0) & chosen
        if first.any():
            s1, s3, size = first.sum(), third.sum(), np.linalg.norm(truth)
            tilde = 2 * math.sqrt(2 * w) / (math.sqrt(2 * s1) * size)
            bracket = math.sqrt(s3 / (2 * s1)) * np.linalg.norm(truth[first]) / size
            return 0.0, float(bracket - math.sqrt(s3) * tilde)
    raise ArithmeticError("no run missed a coordinate")
