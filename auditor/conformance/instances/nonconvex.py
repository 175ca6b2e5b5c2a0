"""Cases of the nonconvex algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.conformance.instance import Instance
from auditor.conformance.instances.convex import records, responses
from reference.constraint_sets import L1Ball, L2Ball, Polytope
from reference.losses import Biweight, GeneralizedLinear, Huber, Linear, Records, Sigmoid
from reference.mirror_maps import Euclidean, QNorm
from reference.nonconvex import (
    frank_wolfe_l1,
    frank_wolfe_l2,
    langevin_dynamics,
    mirror_descent,
    proximal_gradient_descent,
)
from reference.proximal import L1Norm, Ridge

PAIR: Records = (np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
"""For a linear loss of bound 1, which cuts the second record to (0.6, 0.8): gradient (0.8, 0.4)."""


def iris() -> Records:
    """Return 50 flowers of scikit-learn's iris data, versicolor and virginica, in units of 4 cm."""
    from sklearn.datasets import load_iris  # loads slowly

    features, kinds = load_iris(return_X_y=True)
    scaled = (features[50::2] - [6.2, 2.9, 4.9, 1.7]) / 2
    return np.round(scaled, 6), np.where(kinds[50::2] == 1, 1.0, -1.0)


def proximal() -> tuple[Instance, ...]:
    """DP-PGD."""
    module = proximal_gradient_descent

    return (
        Instance(
            "by-hand",
            "Two steps on two records, the second of which is cut; the proximal map cuts 1/4 off "
            "every coordinate, and a step leaves the ball.",
            {
                "data": PAIR,
                "loss": Linear(),
                "constraint": L2Ball(1.0),
                "regularizer": L1Norm(0.5),
                "initial": np.array([0.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": module.Constants(sensitivity=1.0, noise_scale=2.0, step_size=0.5),
            },
            seed=8,
        ),
        Instance(
            "middle",
            "Four steps without regulariser and constraint; the printed noise is of another size.",
            {
                "data": records(40, 3, 1),
                "loss": Sigmoid(feature_bound=0.8),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 4,
            },
            seed=2,
        ),
        Instance(
            "l1-ball",
            "An l1 ball and an l1 norm.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(threshold=0.5),
                "constraint": L1Ball(0.25),
                "regularizer": L1Norm(0.02),
                "initial": np.array([0.125, -0.125, 0.0, 0.0]),
                "epsilon": 2.0,
                "delta": 1e-3,
                "n_iterations": 3,
            },
        ),
        Instance(
            "real-data",
            "Classification of 50 flowers by a sigmoid loss with a ridge.",
            {
                "data": iris(),
                "loss": Sigmoid(),
                "regularizer": Ridge(0.1),
                "initial": np.zeros(4),
                "epsilon": 2.0,
                "delta": 1e-3,
                "n_iterations": 3,
            },
        ),
    )


def frank_wolfe_gaussian() -> tuple[Instance, ...]:
    """DP-FW-L2."""
    module = frank_wolfe_l2

    return (
        Instance(
            "by-hand",
            "Two steps, each half of the way to a point of the unit circle; the second record is "
            "cut to length 1.",
            {
                "data": PAIR,
                "loss": Linear(),
                "constraint": L2Ball(1.0),
                "initial": np.array([0.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": module.Constants(sensitivity=1.0, noise_scale=2.0, step_size=0.5),
            },
        ),
        Instance(
            "middle",
            "Four steps in an l2 ball so small that a single step would go the whole way.",
            {
                "data": records(40, 3, 1),
                "loss": Sigmoid(feature_bound=0.8),
                "constraint": L2Ball(0.6),
                "initial": np.array([0.25, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 4,
            },
            seed=2,
        ),
        Instance(
            "l1-ball",
            "Steps towards vertices of an l1 ball: the sign and place of the gradient's largest "
            "entry are all that counts.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(threshold=0.5),
                "constraint": L1Ball(2.0),
                "initial": np.array([0.25, -0.25, 0.0, 0.25]),
                "epsilon": 2.0,
                "delta": 1e-3,
                "n_iterations": 3,
            },
        ),
    )


def mirror() -> tuple[Instance, ...]:
    """DP-PMD."""
    module = mirror_descent

    return (
        Instance(
            "by-hand",
            "Two steps in a ball of radius 2, where a step is 4 times as long as in the unit ball; "
            "the second record is cut to length 1, and a step leaves the ball.",
            {
                "data": PAIR,
                "loss": Linear(),
                "mirror_map": Euclidean(2.0),
                "regularizer": L1Norm(0.5),
                "initial": np.array([0.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": module.Constants(sensitivity=1.0, noise_scale=2.0, step_size=0.25),
            },
        ),
        Instance(
            "middle",
            "Four steps in an l2 ball without regulariser.",
            {
                "data": records(40, 3, 1),
                "loss": Sigmoid(feature_bound=0.8),
                "mirror_map": Euclidean(2.0),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "n_iterations": 4,
            },
            seed=2,
        ),
        Instance(
            "l1-ball",
            "The geometry of the q-norm in an l1 ball, which steps leave, with an l1 norm.",
            {
                "data": responses(24, 4, 5),
                "loss": Huber(),
                "mirror_map": QNorm(1.5),
                "regularizer": L1Norm(0.1),
                "initial": np.array([0.75, -0.5, 0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-3,
                "n_iterations": 4,
                "constants": module.Constants(sensitivity=1 / 12, noise_scale=0.3, step_size=1.0),
            },
        ),
    )


def frank_wolfe_exponential() -> tuple[Instance, ...]:
    """DP-FW-L1."""
    module = frank_wolfe_l1

    return (
        Instance(
            "by-hand",
            "Two selections among the four vertices of the unit l1 ball; an entry of the second "
            "record is cut to 1.",
            {
                "data": (np.array([[1.0, 0.5], [-0.5, 3.0]]), np.array([1.0, -1.0])),
                "loss": Linear(feature_norm="l-infinity"),
                "constraint": L1Ball(1.0),
                "initial": np.array([0.0, 0.5]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "n_iterations": 2,
                "constants": module.Constants(sensitivity=1.0, step_epsilon=2.0, step_size=0.5),
            },
            seed=6,
        ),
        Instance(
            "middle",
            "Five selections among points that are no ball's vertices, of which one is none of the "
            "hull's; gradients are bounded in l2.",
            {
                "data": responses(24, 2, 3),
                "loss": Huber(threshold=0.5),
                "constraint": Polytope(
                    np.array([[0.4, 0.0], [0.0, 0.4], [-0.2, -0.2], [0.1, -0.3], [0.1, 0.1]])
                ),
                "initial": np.array([0.05, 0.0]),
                "epsilon": 8.0,
                "delta": 1e-3,
                "n_iterations": 5,
            },
            seed=8,
        ),
        Instance(
            "l1-ball",
            "Five selections in an l1 ball so small that a single step would go the whole way.",
            {
                "data": records(40, 3, 1),
                "loss": Sigmoid(feature_norm="l-infinity", feature_bound=0.8),
                "constraint": L1Ball(0.6),
                "initial": np.array([0.25, -0.125, 0.0]),
                "epsilon": 4.0,
                "delta": 1e-5,
                "n_iterations": 5,
            },
            seed=4,
        ),
    )


def langevin() -> tuple[Instance, ...]:
    """DP-GLD."""
    module = langevin_dynamics

    return (
        Instance(
            "by-hand",
            "Two steps with the regulariser's gradient; the second record is cut to length 1.",
            {
                "data": PAIR,
                "loss": Linear(),
                "regularizer": Ridge(0.5),
                "initial": np.array([0.0, 2.0]),
                "epsilon": 1.0,
                "delta": 1e-2,
                "inverse_temperature": 1.0,
                "n_iterations": 2,
                "constants": module.Constants(sensitivity=1.0, noise_scale=2.0, step_size=0.5),
            },
        ),
        Instance(
            "middle",
            "Five steps, of the size that makes the privacy noise that of the dynamics.",
            {
                "data": records(40, 3, 1),
                "loss": Sigmoid(feature_bound=1.2),
                "regularizer": Ridge(0.25),
                "initial": np.array([0.5, -0.25, 0.0]),
                "epsilon": 1.0,
                "delta": 1e-5,
                "inverse_temperature": 64.0,
                "n_iterations": 5,
            },
        ),
        Instance(
            "robust-regression",
            "Another loss, of which some residuals are cut.",
            {
                "data": responses(24, 4, 3),
                "loss": Huber(threshold=0.5),
                "regularizer": Ridge(0.125),
                "initial": np.array([0.25, -0.25, 0.0, 0.25]),
                "epsilon": 2.0,
                "delta": 1e-3,
                "inverse_temperature": 400.0,
                "n_iterations": 3,
            },
        ),
    )


def _population(**arguments: Any) -> dict[str, Any]:
    return {"epsilon": 4.0, "delta": 1e-3, "n_iterations": 4, **arguments}


def _answers(n: int, dimension: int, seed: int) -> Records:
    """Return records with labels 0 and 1."""
    features, labels = records(n, dimension, seed)
    return features, (labels + 1) / 2


def population_gaussian() -> tuple[Instance, ...]:
    """DP-FW-L2 for generalised linear models and robust regression."""
    return (
        Instance(
            "by-hand",
            "Two steps, each half of the way to a point of the unit circle, for the link s itself; "
            "the second record is cut to length 1.",
            _population(
                data=(np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([1.0, 0.0])),
                loss=GeneralizedLinear(link="identity"),
                initial=np.array([0.5, 0.0]),
                n_iterations=2,
                constants=frank_wolfe_l2.Constants(sensitivity=4.0, noise_scale=2.0, step_size=0.5),
            ),
        ),
        Instance(
            "middle",
            "The sigmoid link; the noise of the printed sensitivity is of another size.",
            _population(
                data=_answers(40, 3, 1),
                loss=GeneralizedLinear(feature_bound=0.8),
                initial=np.array([0.5, -0.25, 0.0]),
            ),
            seed=2,
        ),
        Instance(
            "probit",
            "The probit link.",
            _population(
                data=_answers(24, 4, 2),
                loss=GeneralizedLinear(link="probit"),
                initial=np.array([0.25, -0.25, 0.0, 0.5]),
            ),
        ),
        Instance(
            "robust-regression",
            "A biweight, beyond whose threshold a residual counts nothing.",
            _population(
                data=responses(24, 3, 3),
                loss=Biweight(feature_bound=1.0, threshold=1.5),
                initial=np.array([0.25, -0.25, 0.0]),
            ),
        ),
    )


def population_exponential() -> tuple[Instance, ...]:
    """DP-FW-L1 for generalised linear models and robust regression."""
    return (
        Instance(
            "by-hand",
            "Two selections among the four vertices of the unit l1 ball, for the link s itself; an "
            "entry of the second record is cut to 1.",
            _population(
                data=(np.array([[1.0, 0.5], [-0.5, 3.0]]), np.array([1.0, 0.0])),
                loss=GeneralizedLinear(link="identity", feature_norm="l-infinity"),
                initial=np.array([0.0, 0.5]),
                n_iterations=2,
                constants=frank_wolfe_l1.Constants(
                    sensitivity=4.0, step_epsilon=16.0, step_size=0.5
                ),
            ),
        ),
        Instance(
            "middle",
            "The sigmoid link; with the printed sensitivity another vertex is selected.",
            _population(
                data=_answers(40, 3, 1),
                loss=GeneralizedLinear(feature_norm="l-infinity", feature_bound=0.8),
                initial=np.array([0.5, -0.25, 0.0]),
                epsilon=8.0,
            ),
            seed=4,
        ),
        Instance(
            "probit",
            "The probit link, with features bounded in l2.",
            _population(
                data=_answers(24, 4, 2),
                loss=GeneralizedLinear(link="probit"),
                initial=np.array([0.25, -0.25, 0.0, 0.5]),
                epsilon=8.0,
            ),
            seed=2,
        ),
        Instance(
            "robust-regression",
            "A biweight, beyond whose threshold a residual counts nothing.",
            _population(
                data=responses(24, 3, 3),
                loss=Biweight(feature_norm="l-infinity", feature_bound=1.0, threshold=1.5),
                initial=np.array([0.25, -0.25, 0.0]),
                epsilon=8.0,
            ),
        ),
    )


def net() -> tuple[Instance, ...]:
    """Exponential mechanism over a net."""
    return (
        Instance(
            "by-hand",
            "A net of five points of [-2, 2], of which the outer two are projected; the second "
            "record is cut to length 1.",
            {
                "data": (np.array([[1.0], [3.0], [-0.5]]), np.array([1.0, 1.0, 1.0])),
                "loss": Linear(),
                "regularizer": Ridge(0.5),
                "dimension": 1,
                "epsilon": 8.0,
                "accuracy": 0.6,
            },
            seed=7,
        ),
        Instance(
            "middle",
            "A net of a disc, of the accuracy of the theorem.",
            {
                "data": records(20, 2, 1),
                "loss": Sigmoid(),
                "regularizer": Ridge(0.5),
                "dimension": 2,
                "epsilon": 1.3,
            },
            seed=4,
        ),
        Instance(
            "coarse-disc",
            "A coordinate goes no farther than rounding the radius to the grid does, although the "
            "next point would be within the accuracy of the disc as well.",
            {
                "data": records(12, 2, 5),
                "loss": Sigmoid(),
                "regularizer": Ridge(0.5),
                "dimension": 2,
                "epsilon": 2.0,
                "accuracy": 0.1473,
            },
            seed=6,
        ),
    )


INSTANCES = {
    "diss-4.1.16": proximal,
    "diss-4.1.17": frank_wolfe_gaussian,
    "diss-4.1.18": mirror,
    "diss-4.1.19": frank_wolfe_exponential,
    "diss-4.2.20": langevin,
    "diss-4.2.21": population_gaussian,
    "diss-4.2.22": population_exponential,
    "diss-4.2.4-EM": net,
}
