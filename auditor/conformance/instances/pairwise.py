"""Cases of the pairwise algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.conformance.instance import Instance
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball, PositiveSemidefiniteBall
from reference.losses import Records
from reference.pairwise import finite_buffer, offline
from reference.pairwise.losses import AUC, MetricLearning, Midpoint, Regularized

LOSSES = "reference.pairwise.losses"
FEW = np.array([[1.0, 0.0], [0.0, 3.0], [-1.0, 1.0], [2.0, 2.0]])
"""Four records, of which two and four are longer than the bound 2 of ``MIDPOINT``."""
MIDPOINT = Midpoint(feature_bound=2.0)
METRIC = PositiveSemidefiniteBall(0.75)


STEP = "w = constraint.project(w - chosen.step_size / t * gradient)"


def _vectors(n: int, dimension: int, seed: int) -> FloatArray:
    """Return records, some of them longer than 1."""
    rng = np.random.default_rng(seed)
    records: FloatArray = np.round(0.4 + 0.6 * rng.standard_normal((n, dimension)), 3)
    return records


def _labelled(n: int, dimension: int, seed: int) -> Records:
    """Return features, some of them longer than 1, and labels -1 and 1 that depend on them."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_normal((n, dimension)) / np.sqrt(dimension), 3)
    scores = features @ np.arange(1.0, dimension + 1) + rng.standard_normal(n)
    return features, np.where(scores < 0, -1.0, 1.0)


def breast_cancer() -> Records:
    """Return 40 records of scikit-learn's breast cancer data: four features, standardised."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:400:10, [0, 1, 4, 7]]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0) / 2
    return np.round(standard, 6), np.where(labels[:400:10] == 1, 1.0, -1.0)


PRIVATE: dict[str, Any] = {"epsilon": 8.0, "delta": 1e-3}
BY_HAND: dict[str, Any] = {
    "loss": MIDPOINT,
    "constraint": L2Ball(1.0),
    "initial": np.array([0.0, -0.5]),
    **PRIVATE,
}
METRIC_ARGUMENTS: dict[str, Any] = {
    "constraint": METRIC,
    "initial": np.array([0.5, 0.125, 0.125, 0.25]),
    **PRIVATE,
}


def diss_3_3_9() -> tuple[Instance, ...]:
    """Online learning from all pairs, strongly convex."""
    return (
        Instance(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the first output is "
            "public, and the path goes on without noise.",
            {
                "data": FEW,
                **BY_HAND,
                "constants": finite_buffer.Constants(
                    first_phase=1, step_size=2.0, pair_sensitivity=6.0, noise_multiplier=0.25
                ),
            },
        ),
        Instance(
            "middle",
            "A first phase of several rounds; losses of the area under the curve, regularised.",
            {
                "data": _labelled(20, 3, 1),
                "loss": Regularized(AUC(feature_bound=0.6), 0.25, np.array([0.25, 0.0, -0.25])),
                "constraint": L2Ball(0.5),
                "initial": np.array([0.25, -0.25, 0.125]),
                **PRIVATE,
            },
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices: projections cut eigenvalues.",
            {
                "data": _labelled(14, 2, 2),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
            },
        ),
    )


def convex_instances(by_hand: dict[str, Any], options: dict[str, Any]) -> tuple[Instance, ...]:
    """Return what the algorithms for convex losses have in common.

    Parameters
    ----------
    by_hand : dict
        The constants of the case by hand, and arguments of the algorithm's own.
    options : dict
        Arguments of the algorithm's own in the other cases.
    """
    return (
        Instance(
            "by-hand",
            "Three steps on four records, regularised around a point that is not 0.",
            {"data": FEW, **BY_HAND, "strength": 1.0, **by_hand},
        ),
        Instance(
            "middle",
            "The area under the curve, regularised; the set is left by some of the steps.",
            {
                "data": _labelled(18, 3, 3),
                "loss": AUC(feature_bound=0.8),
                "constraint": L2Ball(0.75),
                "initial": np.array([0.25, -0.5, 0.25]),
                **PRIVATE,
                "strength": 0.5,
                **options,
            },
            seed=2,
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices, regularised.",
            {
                "data": _labelled(12, 2, 4),
                "loss": MetricLearning(feature_bound=0.75),
                **METRIC_ARGUMENTS,
                "strength": 0.5,
                **options,
            },
            seed=3,
        ),
    )


def diss_3_3_10() -> tuple[Instance, ...]:
    """Online learning from all pairs, convex."""
    constants = finite_buffer.Constants(
        first_phase=1, step_size=1.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    return convex_instances({"constants": constants}, {})


def diss_3_3_12() -> tuple[Instance, ...]:
    """Online learning with a buffer, strongly convex."""
    return (
        Instance(
            "by-hand",
            "Three steps on four records with a buffer of one; the fourth record's sensitivity is "
            "larger because the buffer has forgotten.",
            {
                "data": FEW,
                **BY_HAND,
                "buffer_size": 1,
                "constants": finite_buffer.Constants(
                    first_phase=1, step_size=2.0, pair_sensitivity=6.0, noise_multiplier=0.25
                ),
            },
        ),
        Instance(
            "middle",
            "A buffer of four of twenty records, some of which replace others.",
            {
                "data": _vectors(20, 3, 5),
                "loss": Regularized(Midpoint(feature_bound=0.9), 0.5, np.array([0.25, 0.0, 0.0])),
                "constraint": L2Ball(0.35),
                "initial": np.array([0.0, 0.25, -0.125]),
                **PRIVATE,
                "buffer_size": 4,
            },
            seed=4,
        ),
        Instance(
            "large-buffer",
            "A buffer larger than the stream keeps everything, and records of the first phase too.",
            {
                "data": _labelled(12, 2, 6),
                "loss": Regularized(AUC(feature_bound=0.9), 1.0, np.array([0.0, 0.5])),
                "constraint": L2Ball(1.25),
                "initial": np.array([0.5, -0.5]),
                **PRIVATE,
                "buffer_size": 50,
            },
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices, with a buffer of two.",
            {
                "data": _labelled(12, 2, 7),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
                "buffer_size": 2,
            },
        ),
    )


def diss_3_3_13() -> tuple[Instance, ...]:
    """Online learning with a buffer, convex."""
    constants = finite_buffer.Constants(
        first_phase=1, step_size=1.0, pair_sensitivity=6.0, noise_multiplier=0.25
    )
    by_hand, middle, metric = convex_instances(
        {"constants": constants, "buffer_size": 1},
        {"buffer_size": 2},
    )
    # those of the first without constants become vectors of their own: here of the metric's loss
    return by_hand, metric, middle


def diss_3_3_14() -> tuple[Instance, ...]:
    """Offline learning, strongly convex."""
    return (
        Instance(
            "by-hand",
            "Three steps on four records, two of which are cut to length 2; the average of the "
            "four points is released and projected.",
            {
                "data": FEW,
                **BY_HAND,
                "constants": offline.Constants(
                    first_phase=1, step_size=2.0, sensitivity=4.0, noise_scale=2.0
                ),
            },
        ),
        Instance(
            "middle",
            "The area under the curve, regularised; a first phase of several rounds.",
            {
                "data": _labelled(24, 3, 8),
                "loss": Regularized(AUC(feature_bound=0.6), 0.25, np.array([0.25, 0.0, -0.25])),
                "constraint": L2Ball(0.5),
                "initial": np.array([0.25, -0.25, 0.125]),
                **PRIVATE,
            },
        ),
        Instance(
            "metric",
            "A metric in the cone of positive semidefinite matrices; noise makes it indefinite.",
            {
                "data": _labelled(14, 2, 9),
                "loss": Regularized(
                    MetricLearning(feature_bound=0.8), 1.0, np.array([0.5, 0.0, 0.0, 0.5])
                ),
                **METRIC_ARGUMENTS,
            },
        ),
        Instance(
            "no-step",
            "A first phase longer than the data: the starting point is released.",
            {
                "data": _vectors(5, 2, 10),
                **BY_HAND,
                "constants": offline.Constants(
                    first_phase=7, step_size=2.0, sensitivity=0.1, noise_scale=0.5
                ),
            },
        ),
    )


def diss_3_3_15() -> tuple[Instance, ...]:
    """Offline learning, convex."""
    constants = offline.Constants(first_phase=1, step_size=1.0, sensitivity=4.0, noise_scale=2.0)
    return (
        *convex_instances({"constants": constants}, {}),
        Instance(
            "real-data",
            "The area under the curve on forty records of the breast cancer data.",
            {
                "data": breast_cancer(),
                "loss": AUC(feature_bound=0.75),
                "constraint": L2Ball(2.0),
                "initial": np.array([-0.5, 0.0, 0.0, -0.5]),
                **PRIVATE,
                "strength": 0.5,
            },
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "diss-3.3.9": diss_3_3_9,
    "diss-3.3.10": diss_3_3_10,
    "diss-3.3.12": diss_3_3_12,
    "diss-3.3.13": diss_3_3_13,
    "diss-3.3.14": diss_3_3_14,
    "diss-3.3.15": diss_3_3_15,
}
