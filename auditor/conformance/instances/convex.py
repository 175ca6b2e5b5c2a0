"""Cases of the convex algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.conformance.instance import Instance
from reference._validation import FloatArray
from reference.constraint_sets import L1Ball, L2Ball
from reference.convex import (
    accelerated_mirror_descent,
    katyusha,
    output_perturbation,
    stochastic_gradient_descent,
    svrg,
    svrg_plus_plus,
)
from reference.losses import Huber, Linear, Logistic, Records
from reference.mirror_maps import Euclidean, QNorm
from reference.proximal import L1Norm, NoRegularizer, Ridge

VARIANCE_REDUCTION = "reference.convex.variance_reduction"


SMALL: Records = (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 4.0]))
"""For a Huber loss of bound and threshold 1: the second record is cut, and its residual too."""


def records(n: int, dimension: int, seed: int) -> Records:
    """Return records with labels -1 and 1, about half of them longer than 1 in l2."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, dimension)) * (0.9 / np.sqrt(dimension))
    labels = np.where(features @ np.arange(1.0, dimension + 1) + rng.standard_normal(n) < 0, -1, 1)
    return features, labels.astype(np.float64)


def responses(n: int, dimension: int, seed: int) -> Records:
    """Return records with responses, some of whose residuals are above 1 in size."""
    features, _ = records(n, dimension, seed)
    noise = np.random.default_rng(seed + 1).standard_normal(n)
    response: FloatArray = features @ np.arange(1.0, dimension + 1) + noise
    return features, response


def breast_cancer() -> Records:
    """Return 50 records of scikit-learn's breast cancer data in units that leave most of them."""
    from sklearn.datasets import load_breast_cancer  # loads slowly

    features, labels = load_breast_cancer(return_X_y=True)
    chosen = features[:500:10, [0, 1, 4, 7]]  # mean radius, texture, smoothness, concave points
    scaled = (chosen - [14, 19, 0.1, 0.05]) / [8, 10, 0.03, 0.08]
    return np.round(scaled, 6), np.where(labels[:500:10] == 1, 1.0, -1.0)


def sgd() -> tuple[Instance, ...]:
    """Noisy stochastic gradient descent."""
    module = stochastic_gradient_descent

    lots = records(20, 3, 12)
    lot = module.constants_for(
        Logistic(), 1.5, n=20, dimension=3, epsilon=1.0, delta=1e-2, n_iterations=3, batch_size=2
    )
    return (
        Instance(
            "by-hand",
            "Two steps, of sizes 1 and 1/2, on batches of two of three records; the second one "
            "leaves the unit ball, and the last record is cut to length 1.",
            {
                "data": (
                    np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]]),
                    np.array([1.0, -1.0, 1.0]),
                ),
                "loss": Linear(),
                "constraint": L2Ball(1.0),
                "initial": np.array([0.5, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": module.Constants(
                    batch_size=2, sensitivity=1.0, noise_scale=0.5, step_size=1.0, decay=1.0
                ),
            },
            seed=26,
        ),
        Instance(
            "middle",
            "Four steps, whose size falls as one over the root of their number.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "constraint": L2Ball(2.0),
                "initial": np.zeros(3),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 4,
            },
        ),
        Instance(
            "strongly-convex",
            "All records in every step, steps of size 1/(mu t), a ridge, and an l1 ball that a "
            "step leaves.",
            {
                "data": responses(24, 3, 2),
                "loss": Huber(threshold=0.5),
                "constraint": L1Ball(0.25),
                "regularizer": Ridge(0.5),
                "initial": np.array([0.125, -0.125, 0.0]),
                "epsilon": 8.0,
                "delta": 1e-2,
                "n_iterations": 3,
                "strong_convexity": 0.5,
            },
        ),
        Instance(
            "lots",
            "Lots of a tenth of the records; noise of standard deviation G sigma/n instead of G "
            "sigma/l on the mean of a lot, as printed, gives another result.",
            {
                "data": lots,
                "loss": Logistic(),
                "constraint": L2Ball(1.5),
                "initial": np.array([0.3, 0.3, 0.3]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 3,
                "constants": lot,
            },
        ),
        Instance(
            "real-data",
            "Logistic regression on 50 records of the breast cancer data.",
            {
                "data": breast_cancer(),
                "loss": Logistic(feature_bound=2.0),
                "constraint": L2Ball(3.0),
                "initial": np.zeros(4),
                "epsilon": 2.0,
                "delta": 1e-3,
                "n_iterations": 3,
            },
        ),
    )


def _small(**constants: Any) -> dict[str, Any]:
    """Return arguments of one epoch of two steps that a person can follow."""
    return {
        "data": SMALL,
        "loss": Huber(),
        "regularizer": Ridge(2.0),
        "initial": np.zeros(2),
        "epsilon": 1.0,
        "delta": 0.25,
        "n_epochs": 1,
        **constants,
    }


def svrg_cases() -> tuple[Instance, ...]:
    """DP-SVRG."""
    return (
        Instance(
            "by-hand",
            "One epoch of two steps on batches of one of two records; features and residuals "
            "beyond 1 are cut, and the proximal map halves.",
            _small(
                n_inner=2,
                constants=svrg.Constants(
                    batch_size=1,
                    sensitivity=5.0,
                    background_sensitivity=1.0,
                    noise_scale=2.0,
                    step_size=0.5,
                ),
            ),
            seed=2,
        ),
        Instance(
            "middle",
            "Two epochs of two steps on sampled batches.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.5),
                "regularizer": Ridge(0.1),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 2,
            },
        ),
        Instance(
            "whole-data-set",
            "Every batch is the whole data set, and an l1 norm sets coordinates to 0.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8),
                "regularizer": L1Norm(4.0),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "epsilon": 8.0,
                "delta": 1e-2,
                "n_epochs": 1,
                "n_inner": 3,
            },
        ),
        Instance(
            "single-records",
            "Batches of one record, as printed; the printed noise gives another result.",
            {
                "data": records(20, 3, 4),
                "loss": Logistic(),
                "regularizer": NoRegularizer(),
                "initial": np.array([1.0, -1.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 2,
                "constants": svrg.constants_for(
                    Logistic(), n=20, epsilon=1.0, delta=1e-2, n_epochs=2, n_inner=2, batch_size=1
                ),
            },
        ),
    )


def katyusha_cases() -> tuple[Instance, ...]:
    """DP-Katyusha."""
    return (
        Instance(
            "by-hand",
            "One epoch of two steps on all of two records, the second of which weighs twice as "
            "much; as printed there is no noise at all.",
            # of an epsilon and delta at which the printed form takes all records as well
            _small(
                strong_convexity=2.0,
                n_inner=2,
                constants=katyusha.Constants(
                    batch_size=2,
                    sensitivity=1.0,
                    background_sensitivity=1.0,
                    noise_scale=2.0,
                    step_size=0.5,
                    momentum=0.5,
                ),
            ),
        ),
        Instance(
            "middle",
            "Two epochs of two steps on sampled batches; the second starts where the first ended.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "regularizer": Ridge(0.05),
                "initial": np.array([0.5, -0.25, 0.0]),
                "strong_convexity": 0.05,
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 2,
            },
        ),
        Instance(
            "whole-data-set",
            "Every batch is the whole data set, the momentum is cut to 1/2, and an l1 norm sets "
            "coordinates to 0; as printed there is no noise.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8),
                "regularizer": L1Norm(0.1),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "strong_convexity": 0.5,
                "epsilon": 8.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 3,
            },
        ),
    )


def svrg_plus_plus_cases() -> tuple[Instance, ...]:
    """DP-SVRG++."""
    return (
        Instance(
            "by-hand",
            "One epoch, of two steps, on batches of one of two records; features and residuals "
            "beyond 1 are cut, and the proximal map halves.",
            _small(
                n_inner=1,
                constants=svrg_plus_plus.Constants(
                    batch_size=1,
                    sensitivity=5.0,
                    background_sensitivity=1.0,
                    noise_scale=2.0,
                    step_size=0.5,
                ),
            ),
            seed=2,
        ),
        Instance(
            "middle",
            "Epochs of two and four steps on sampled batches; the second starts where the first "
            "ended.",
            {
                "data": records(20, 3, 1),
                "loss": Logistic(),
                "regularizer": Ridge(0.1),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 0.05,
                "n_epochs": 2,
                "n_inner": 1,
            },
        ),
        Instance(
            "whole-data-set",
            "Every batch is the whole data set, and an l1 norm sets coordinates to 0.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8),
                "regularizer": L1Norm(1.0),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "epsilon": 12.0,
                "delta": 1e-2,
                "n_epochs": 2,
                "n_inner": 1,
            },
        ),
        Instance(
            "single-records",
            "Batches of one record, as printed; the printed noise gives another result.",
            {
                "data": records(20, 3, 4),
                "loss": Logistic(),
                "regularizer": NoRegularizer(),
                "initial": np.array([1.0, -1.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_epochs": 1,
                "n_inner": 2,
                "constants": svrg_plus_plus.constants_for(
                    Logistic(), n=20, epsilon=1.0, delta=1e-2, n_epochs=1, n_inner=2, batch_size=1
                ),
            },
        ),
    )


def mirror_descent() -> tuple[Instance, ...]:
    """DP-AccMD."""
    return (
        Instance(
            "by-hand",
            "Two steps in the unit ball; the second record is cut to length 1, and the second "
            "mirror step leaves the ball.",
            {
                "data": (np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([1.0, 1.0])),
                "loss": Linear(),
                "mirror_map": Euclidean(1.0),
                "initial": np.array([0.0, -0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": accelerated_mirror_descent.Constants(
                    sensitivity=1.0, noise_scale=0.5, smoothness=1.0
                ),
            },
        ),
        Instance(
            "middle",
            "Four steps in an l2 ball.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "mirror_map": Euclidean(2.0),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 4,
            },
        ),
        Instance(
            "l1-ball",
            "The geometry of the q-norm in an l1 ball, which mirror steps leave; gradient steps "
            "from its boundary take mass from several coordinates.",
            {
                "data": responses(24, 4, 5),
                "loss": Huber(),
                "mirror_map": QNorm(1.5),
                "initial": np.array([0.75, -0.5, 0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 3,
                "constants": accelerated_mirror_descent.Constants(
                    sensitivity=1 / 12, noise_scale=0.3, smoothness=0.25
                ),
            },
            seed=3,
        ),
    )


def output_perturbation_cases() -> tuple[Instance, ...]:
    """Output perturbation of gradient descent."""
    return (
        Instance(
            "by-hand",
            "Two exact steps on two records, both of which are cut in the first, and noise once.",
            {
                "data": SMALL,
                "loss": Huber(),
                "regularizer": Ridge(0.5),
                "initial": np.array([1.0, 0.0]),
                "epsilon": 1.0,
                "delta": 0.25,
                "n_iterations": 2,
                "constants": output_perturbation.Constants(
                    step_size=0.5, sensitivity=1.0, noise_scale=2.0
                ),
            },
        ),
        Instance(
            "middle",
            "Five exact steps with a ridge, and noise once.",
            {
                "data": records(40, 3, 1),
                "loss": Logistic(feature_bound=0.8),
                "regularizer": Ridge(0.25),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 5,
            },
        ),
        Instance(
            "no-regularizer",
            "Without a regulariser, where the sensitivity grows with the number of steps.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(feature_bound=0.8, threshold=0.5),
                "regularizer": NoRegularizer(),
                "initial": np.array([0.05, -0.05, 0.0, 0.5]),
                "epsilon": 2.0,
                "delta": 1e-5,
                "n_iterations": 3,
            },
        ),
    )


INSTANCES = {
    "diss-2.sgd-accountant": sgd,
    "diss-3.1.1": svrg_cases,
    "diss-3.1.2": katyusha_cases,
    "diss-3.1.3": svrg_plus_plus_cases,
    "diss-3.1.4": mirror_descent,
    "diss-3.1.baselines": output_perturbation_cases,
}
