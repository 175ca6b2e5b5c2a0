"""Small data and settings that several algorithms share (matrices)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from auditor import Setting
from reference._validation import FloatArray
from reference.matrices import laplace_covariance_perturbation

ITERATED: dict[str, Any] = {
    "tolerance": 1e-7,
    "because": "the minimiser is approached by iterations, which stop at a relative residual of "
    "1e-9",
}
"""Options of a setting with a graphical lasso; all here are within 2e-8 of the minimiser."""


def users(seed: int, n: int, sizes: tuple[float, ...]) -> FloatArray:
    """Draw normal records with these standard deviations, the second added to the first."""
    rng = np.random.default_rng(seed)
    records = rng.standard_normal((n, len(sizes))) * np.array(sizes)
    records[:, 0] += records[:, 1]
    found: FloatArray = records.round(6)
    return found


def wines(n_columns: int) -> FloatArray:
    """Return every fourth wine of scikit-learn's, columns over their largest, in the unit ball."""
    from sklearn.datasets import load_wine

    rows = load_wine().data[::4, :n_columns]
    found: FloatArray = rows / rows.max(axis=0) / np.sqrt(n_columns)
    return found.round(6)


TWO = np.array([[2.0, 0.0], [0.6, 0.8]])
"""Two records, the first of which is scaled to norm 1."""


ALONG_AXES = np.array([[3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]])


SPREAD = users(1, 20, (0.5, 0.4, 0.25, 0.2))
"""Some of these records are longer than 1 and some are not."""


ONE_LARGE = users(2, 60, (0.9, 0.2, 0.1, 0.2))
"""The first coordinate is most of these records."""


def first_draws(seed: int, count: int) -> FloatArray:
    """Return the first standard normal draws of a run, to put a threshold exactly at one."""
    return np.random.default_rng(seed).standard_normal(count)


def precision(by_hand: Any, indefinite: Any, **parameters: float) -> tuple[Setting, ...]:
    """Return the cases that the perturbations of a second moment share."""
    return (
        Setting(
            "by-hand",
            "Two records, one of which is scaled to norm 1, and a graphical lasso of two "
            "variables, diagonal penalised.",
            {"data": TWO, **parameters, "penalty": 0.5, "constants": by_hand},
            **ITERATED,
        ),
        Setting(
            "middle",
            "Four variables; some records are longer than 1.",
            {"data": SPREAD, **parameters, "penalty": 0.1},
            seed=2,
            **ITERATED,
        ),
        Setting(
            "indefinite",
            "Noise that makes the second moment indefinite, beyond the penalty: without the "
            "projection on the positive semidefinite cone there is no minimiser.",
            {"data": SPREAD[:, :3], **parameters, "penalty": 0.25, "constants": indefinite},
            seed=3,
            **ITERATED,
        ),
        Setting(
            "one-variable",
            "One variable: the answer is one over the noisy moment, but not less than 0, plus the "
            "penalty.",
            {
                "data": np.array([[0.9], [-0.7]]),
                **parameters,
                "penalty": 0.1,
                "constants": replace(indefinite, noise_scale=0.125),
            },
        ),
    )


def laplace_precision() -> tuple[Setting, ...]:
    """Covariance perturbation, Laplace."""
    kind = laplace_covariance_perturbation.Constants
    return precision(kind(1.0, 0.25), kind(0.5, 0.5), epsilon=2.0)
