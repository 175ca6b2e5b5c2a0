"""Cases of the sparse algorithms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.conformance.instance import Instance
from reference.constraint_sets import L2Ball
from reference.losses import Biweight, Huber, Logistic, Records, Sigmoid
from reference.sparse import iterative_hard_thresholding, peeling

LEDGER = "reference.privacy.ledger.live"
LOSSES = "reference.losses.linear_models"


def zhang_1() -> tuple[Instance, ...]:
    """Noisy hard thresholding."""
    rng = np.random.default_rng(1)
    spread = np.round(rng.standard_t(3, 10), 3)
    flat = np.round(rng.uniform(-1.0, 1.0, 16), 3)

    return (
        Instance(
            "by-hand",
            "Two of four coordinates, the larger of them negative: two selections by absolute "
            "value, then two values, in the order of selection.",
            {
                "vector": np.array([4.0, 0.5, -5.0, 1.0]),
                "sparsity": 2,
                "sensitivity": 0.25,
                "epsilon": 1.0,
                "delta": 1e-5,
                "constants": peeling.Constants(noise_scale=1.0),
            },
        ),
        Instance(
            "huge-epsilon",
            "At this epsilon the printed noise is too small, and pure privacy gives the scale.",
            {"vector": flat, "sparsity": 12, "sensitivity": 0.5, "epsilon": 60.0, "delta": 0.1},
            seed=4,
        ),
        Instance(
            "middle",
            "Twelve of sixteen coordinates with noise as large as they are.",
            {"vector": flat, "sparsity": 12, "sensitivity": 0.01, "epsilon": 1.0, "delta": 1e-3},
            seed=2,
        ),
        Instance(
            "one-of-many",
            "One coordinate of ten: one selection and one value, of some of the records.",
            {
                "vector": spread,
                "sparsity": 1,
                "sensitivity": 0.1,
                "epsilon": 1.0,
                "delta": 1e-5,
                "records": np.array([0, 2, 3, 7]),
            },
        ),
        Instance(
            "all",
            "Every coordinate is kept: the selection only decides the order of the values.",
            {
                "vector": np.array([0.25, -0.75, 0.5]),
                "sparsity": 3,
                "sensitivity": 0.1,
                "epsilon": 4.0,
                "delta": 1e-3,
            },
        ),
        Instance(
            "large-epsilon",
            "At this epsilon the printed noise is too small, and zero-concentrated privacy gives "
            "the scale.",
            {"vector": flat, "sparsity": 12, "sensitivity": 0.3, "epsilon": 5.0, "delta": 0.1},
            seed=3,
        ),
    )


def _records(n: int, dimension: int, seed: int) -> Records:
    """Return features, of which some are longer than 1, and labels -1 and 1."""
    rng = np.random.default_rng(seed)
    features = np.round(rng.standard_normal((n, dimension)) / np.sqrt(dimension), 3)
    margins = features @ np.linspace(1.0, -1.0, dimension) + 0.3 * rng.standard_normal(n)
    return features, np.where(margins < 0, -1.0, 1.0)


def breast_cancer() -> Records:
    """Return 40 records of scikit-learn's breast cancer data: five features, standardised."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:400:10, [0, 1, 4, 7, 9]]
    standard = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)
    return np.round(standard, 6), np.where(labels[:400:10] == 1, 1.0, -1.0)


def diss_5_3_43() -> tuple[Instance, ...]:
    """Private iterative hard thresholding."""
    rng = np.random.default_rng(5)
    features, _ = _records(24, 5, 5)
    responses = np.round(features @ [1.0, 0.0, -1.0, 0.0, 0.0] + rng.standard_t(2, 24), 3)
    usual = {"epsilon": 1.0, "delta": 1e-3}
    return (
        Instance(
            "by-hand",
            "One step on two records, the first of which is cut from length 10 to 5 and has a "
            "residual beyond the threshold; one of three coordinates is kept.",
            {
                **usual,
                "data": (np.array([[6.0, 8.0, 0.0], [0.0, 0.0, 2.0]]), np.array([-2.0, 1.5])),
                "loss": Huber(feature_bound=5.0, threshold=1.0),
                "initial": np.array([0.5, 0.0, 0.0]),
                "sparsity": 1,
                "n_iterations": 1,
                "constants": iterative_hard_thresholding.Constants(
                    sensitivity=5.0, noise_scale=2.0, step_size=0.5
                ),
            },
        ),
        Instance(
            "middle",
            "Four steps of a logistic regression, two of six coordinates; nothing is projected.",
            {
                **usual,
                "data": _records(40, 6, 4),
                "loss": Logistic(feature_bound=1.25),
                "initial": np.zeros(6),
                "sparsity": 2,
                "n_iterations": 4,
            },
        ),
        Instance(
            "ball",
            "Points are truncated first and projected then; the ball binds in some of the steps.",
            {
                **usual,
                "epsilon": 2.0,
                "data": _records(30, 4, 6),
                "loss": Sigmoid(),
                "constraint": L2Ball(0.6),
                "initial": np.array([0.0, -0.5, 0.0, 0.0]),
                "sparsity": 2,
                "n_iterations": 4,
            },
            seed=2,
        ),
        Instance(
            "all-coordinates",
            "Nothing is truncated, and gross errors have no slope at all: noisy gradient descent.",
            {
                **usual,
                "data": (features, responses),
                "loss": Biweight(feature_bound=1.0, threshold=1.0),
                "initial": np.array([0.25, 0.0, -0.25, 0.0, 0.0]),
                "sparsity": 5,
                "n_iterations": 3,
            },
        ),
        Instance(
            "real-data",
            "Forty records of the breast cancer data, two of five coordinates in a ball.",
            {
                **usual,
                "epsilon": 4.0,
                "data": breast_cancer(),
                "loss": Logistic(feature_bound=2.0),
                "constraint": L2Ball(0.75),
                "initial": np.zeros(5),
                "sparsity": 2,
                "n_iterations": 5,
            },
        ),
    )


INSTANCES: dict[str, Callable[[], tuple[Instance, ...]]] = {
    "zhang-1": zhang_1,
    "diss-5.3.43": diss_5_3_43,
}
