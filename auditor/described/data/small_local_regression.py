"""Small data and settings that several algorithms share (local regression)."""

from __future__ import annotations

import numpy as np

from auditor.described.data.small_local import uniform
from reference._validation import FloatArray
from reference.local import nonlinear_hard_thresholding


def measured(seed: int, n: int, p: int, bound: float) -> tuple[FloatArray, FloatArray]:
    """Draw features, some of l1 norm above 1, and labels, some beyond +- bound."""
    features = uniform(seed, n, p, -0.6, 0.6)
    noise = uniform(seed + 1, n, 1, -0.4, 0.4)[:, 0]
    labels: FloatArray = (2 * bound * (features @ np.linspace(1.0, -0.5, p) + noise)).round(6)
    return features, labels


TWO_MEASURED = (np.array([[1.0, 1.0], [0.5, -0.25]]), np.array([4.0, -0.5]))
"""Two records: features that are scaled to l1 norm 1, a label that is cut."""


PUBLIC = uniform(31, 12, 3, -0.5, 0.5)


def signs(seed: int, n: int, p: int, slope: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Draw signs, but for a feature that is cut to 1, and labels near slope (0.6 x_2 - 0.3 x_p)."""
    rng = np.random.default_rng(seed)
    features: FloatArray = rng.choice([-1.0, 1.0], size=(n, p))
    features[0, 0] = 1.75
    noise = rng.uniform(-0.3, 0.3, size=n)
    labels: FloatArray = slope * (0.6 * features[:, 1] - 0.3 * features[:, -1]) + noise
    labels[1] = 40.0
    return features, labels.round(6)


TWO_SIGNS = (np.array([[1.0, -1.0], [3.0, 1.0]]), np.array([0.5, -8.0]))
"""Two records: a feature that is cut to 1, a label that is too large."""


EIGHT = nonlinear_hard_thresholding.EIGHT_X_AND_COSINE
