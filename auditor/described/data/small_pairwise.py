"""Small data and settings that several algorithms share (pairwise)."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor import Setting
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball, PositiveSemidefiniteBall
from reference.losses import Records
from reference.pairwise.losses import AUC, MetricLearning, Midpoint, Regularized

FEW = np.array([[1.0, 0.0], [0.0, 3.0], [-1.0, 1.0], [2.0, 2.0]])
"""Four records, of which two and four are longer than the bound 2 of ``MIDPOINT``."""


MIDPOINT = Midpoint(feature_bound=2.0)


def vectors(n: int, dimension: int, seed: int) -> FloatArray:
    """Return records, some of them longer than 1."""
    rng = np.random.default_rng(seed)
    records: FloatArray = np.round(0.4 + 0.6 * rng.standard_normal((n, dimension)), 3)
    return records


def labelled(n: int, dimension: int, seed: int) -> Records:
    """Return features, some of them longer than 1, and labels -1 and 1 that depend on them."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_normal((n, dimension)) / np.sqrt(dimension), 3)
    scores = features @ np.arange(1.0, dimension + 1) + rng.standard_normal(n)
    return features, np.where(scores < 0, -1.0, 1.0)


PRIVATE: dict[str, Any] = {"epsilon": 8.0, "delta": 1e-3}


BY_HAND: dict[str, Any] = {
    "loss": MIDPOINT,
    "constraint": L2Ball(1.0),
    "initial": np.array([0.0, -0.5]),
    **PRIVATE,
}


def problem(data: Any, loss: Any, constraint: Any, initial: Any) -> dict[str, Any]:
    """Return the arguments that say what is learned, where, and from which point, and the claim."""
    known = {"data": data, "loss": loss, "constraint": constraint, "initial": np.array(initial)}
    return known | PRIVATE


def auc(n: int, seed: int) -> dict[str, Any]:
    """Return a problem of the area under the curve, regularised."""
    loss = Regularized(AUC(feature_bound=0.6), 0.25, np.array([0.25, 0.0, -0.25]))
    return problem(labelled(n, 3, seed), loss, L2Ball(0.5), [0.25, -0.25, 0.125])


def metric(n: int, seed: int, loss: Any = None) -> dict[str, Any]:
    """Return a problem of metric learning, by default regularised."""
    if loss is None:
        identity = np.array([0.5, 0.0, 0.0, 0.5])
        loss = Regularized(MetricLearning(feature_bound=0.8), 1.0, identity)
    start = [0.5, 0.125, 0.125, 0.25]
    return problem(labelled(n, 2, seed), loss, PositiveSemidefiniteBall(0.75), start)


def convex_settings(by_hand: dict[str, Any], options: dict[str, Any]) -> tuple[Setting, ...]:
    """Return what the algorithms for convex losses have in common.

    Parameters
    ----------
    by_hand : dict
        The constants of the case by hand, and arguments of the algorithm's own.
    options : dict
        Arguments of the algorithm's own in the other cases.
    """
    return (
        Setting(
            "by-hand",
            "Three steps on four records, regularised around a point that is not 0.",
            {"data": FEW, **BY_HAND, "strength": 1.0, **by_hand},
        ),
        Setting(
            "middle",
            "The area under the curve, regularised; the set is left by some of the steps.",
            problem(labelled(18, 3, 3), AUC(feature_bound=0.8), L2Ball(0.75), [0.25, -0.5, 0.25])
            | {"strength": 0.5, **options},
            seed=2,
        ),
        Setting(
            "metric",
            "A metric in the cone of positive semidefinite matrices, regularised.",
            metric(12, 4, MetricLearning(feature_bound=0.75)) | {"strength": 0.5, **options},
            seed=3,
        ),
    )
