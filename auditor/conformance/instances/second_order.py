"""Cases of the nonconvex algorithms that come to second-order stationary points."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.conformance.instance import Instance
from auditor.conformance.instances.convex import records
from reference.constraint_sets import L2Ball
from reference.losses import Cosine, Logistic, Records, Sigmoid
from reference.nonconvex import (
    constrained_descent,
    gradient_descent,
    select_stationary_point,
    stochastic_trust_region,
    trust_region,
)


def _second_order(**arguments: Any) -> dict[str, Any]:
    return {"epsilon": 1.0, "delta": 1e-2, **arguments}


WAVES: Records = (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 3.5]))
"""For a cosine loss of bound 1, which cuts the second record to length 1."""
LINE: Records = (np.array([[1.0], [3.0]]), np.array([0.5, 0.25]))
"""As :data:`WAVES`, in one dimension, where F is concave at 0."""


def saddle(n: int, dimension: int, seed: int) -> Records:
    """Return records near the axes whose risk, a mean of cosines, has a saddle near 0.

    It falls on either side along the first axis and rises along the others.
    """
    rng = np.random.default_rng(seed)
    axes = np.arange(n) % dimension
    features = 1.1 * np.eye(dimension)[axes] + 0.1 * rng.standard_normal((n, dimension))
    labels = np.where(axes == 0, 0.0, 3.0) + 0.2 * rng.standard_normal(n)
    return features, labels


def descent() -> tuple[Instance, ...]:
    """DP-GD."""
    module = gradient_descent

    return (
        Instance(
            "by-hand",
            "Two steps on two records, the second of which is cut to length 1.",
            _second_order(
                data=WAVES,
                loss=Cosine(),
                initial=np.array([0.5, 0.0]),
                n_iterations=2,
                constants=module.Constants(sensitivity=0.5, noise_scale=0.25, step_size=1.0),
            ),
        ),
        Instance(
            "middle",
            "Four steps; the result is the whole path.",
            _second_order(
                data=records(40, 3, 1),
                loss=Sigmoid(feature_bound=0.8),
                initial=np.array([0.5, -0.25, 0.0]),
                n_iterations=4,
            ),
        ),
        Instance(
            "logistic",
            "A convex loss.",
            _second_order(
                data=records(24, 4, 2),
                loss=Logistic(),
                initial=np.array([0.5, -0.25, 0.0, 0.25]),
                epsilon=8.0,
                n_iterations=3,
            ),
        ),
    )


def selection() -> tuple[Instance, ...]:
    """DP-GD and a test of every point."""
    module = select_stationary_point

    return (
        Instance(
            "by-hand",
            "A step, and a test of two points, of which the second passes.",
            _second_order(
                data=WAVES,
                loss=Cosine(),
                initial=np.array([0.5, 0.0]),
                accuracy=1.0,
                n_iterations=1,
                constants=module.Constants(
                    sensitivity=0.5,
                    hessian_sensitivity=0.5,
                    descent_noise_scale=0.25,
                    gradient_noise_scale=0.25,
                    hessian_noise_scale=0.25,
                    step_size=1.0,
                    gradient_threshold=0.25,
                    curvature_threshold=0.25,
                ),
            ),
        ),
        Instance(
            "middle",
            "Three steps, and a test of four points with thresholds of the theorem.",
            _second_order(
                data=saddle(40, 3, 1),
                loss=Cosine(feature_bound=1.25),
                initial=np.array([0.25, -0.25, 0.125]),
                epsilon=4.0,
                accuracy=0.25,
                n_iterations=3,
            ),
            seed=3,
        ),
        Instance(
            "branches",
            "Points fail by their gradient and by their Hessian, and the first of those that pass "
            "is taken.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=1.0,
                n_iterations=8,
                constants=module.Constants(
                    sensitivity=1 / 24,
                    hessian_sensitivity=1 / 24,
                    descent_noise_scale=0.1,
                    gradient_noise_scale=0.05,
                    hessian_noise_scale=0.05,
                    step_size=4.0,
                    gradient_threshold=0.15,
                    curvature_threshold=0.1,
                ),
            ),
        ),
        Instance(
            "none-passes",
            "No point passes, so that nothing is returned beside the path.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=0.01,
                n_iterations=2,
            ),
        ),
    )


SUBPROBLEM = "reference.nonconvex.trust_region_subproblem"


def constrained() -> tuple[Instance, ...]:
    """DP-GD-SO."""
    module = constrained_descent

    by_hand = module.Constants(
        sensitivity=0.5,
        hessian_sensitivity=0.5,
        noise_scale=0.25,
        hessian_noise_scale=0.25,
        step_size=0.5,
        curvature_step_size=0.5,
        slope_threshold=0.25,
        curvature_threshold=0.25,
        cut=0.125,
    )
    return (
        Instance(
            "by-hand",
            "Steps of first and of second order on [-1, 1], then the end.",
            _second_order(
                data=LINE,
                loss=Cosine(),
                constraint=L2Ball(1.0),
                initial=np.array([0.25]),
                accuracy=0.5,
                n_iterations=5,
                constants=by_hand,
            ),
            seed=14,
        ),
        Instance(
            "middle",
            "Steps and thresholds of the theorem.",
            _second_order(
                data=saddle(40, 3, 1),
                loss=Cosine(feature_bound=1.25),
                constraint=L2Ball(1.5),
                initial=np.array([0.25, -0.25, 0.125]),
                epsilon=4.0,
                accuracy=0.5,
                n_iterations=4,
            ),
            seed=3,
        ),
        Instance(
            "branches",
            "Steps of second order to the minimum over the ball, to one where the cut binds and to "
            "the ball's other local minimum, which is cut off less than the global one.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                constraint=L2Ball(1.0),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=0.5,
                n_iterations=5,
                constants=module.Constants(
                    sensitivity=1 / 24,
                    hessian_sensitivity=1 / 24,
                    noise_scale=0.1,
                    hessian_noise_scale=0.1,
                    step_size=0.25,
                    curvature_step_size=0.5,
                    slope_threshold=0.25,
                    curvature_threshold=0.1,
                    cut=0.02,
                ),
            ),
            seed=38,
        ),
        Instance(
            "from-zero",
            "At 0 the minima over the ball are two opposite points, of which the cut leaves one.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                constraint=L2Ball(1.5),
                initial=np.zeros(3),
                accuracy=0.5,
                n_iterations=2,
                constants=module.Constants(
                    sensitivity=1 / 24,
                    hessian_sensitivity=1 / 24,
                    noise_scale=0.1,
                    hessian_noise_scale=0.1,
                    step_size=0.25,
                    curvature_step_size=0.5,
                    slope_threshold=0.5,
                    curvature_threshold=0.1,
                    cut=0.02,
                ),
            ),
            seed=4,  # no twins: which of the two minima a routine finds first is its own affair
        ),
        Instance(
            "none-found",
            "All steps are taken, so that nothing is returned beside the path.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                constraint=L2Ball(2.0),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=0.01,
                n_iterations=3,
            ),
        ),
    )


def trust() -> tuple[Instance, ...]:
    """DP-TR."""
    module = trust_region

    return (
        Instance(
            "by-hand",
            "Steps of length 1/2 on a line until the multiplier is small.",
            _second_order(
                data=LINE,
                loss=Cosine(),
                initial=np.array([0.25]),
                accuracy=0.5,
                n_iterations=5,
                constants=module.Constants(
                    sensitivity=0.5,
                    hessian_sensitivity=0.5,
                    noise_scale=0.25,
                    hessian_noise_scale=0.25,
                    radius=0.5,
                    multiplier_threshold=0.5,
                ),
            ),
            seed=2,
        ),
        Instance(
            "middle",
            "Radius and threshold of the theorem.",
            _second_order(
                data=saddle(40, 3, 1),
                loss=Cosine(feature_bound=1.25),
                initial=np.array([0.25, -0.25, 0.125]),
                epsilon=2.0,
                accuracy=0.12,
                n_iterations=4,
            ),
            seed=10,
        ),
        Instance(
            "branches",
            "Steps on the sphere where the Hessian is indefinite, and one inside it, with "
            "multiplier 0, where it is not.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=0.5,
                n_iterations=6,
                constants=module.Constants(
                    sensitivity=1 / 24,
                    hessian_sensitivity=1 / 24,
                    noise_scale=0.02,
                    hessian_noise_scale=0.02,
                    radius=0.75,
                    multiplier_threshold=0.01,
                ),
            ),
            seed=3,
        ),
        Instance(
            "none-found",
            "All steps are taken, so that nothing is returned beside the path.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=0.01,
                n_iterations=3,
            ),
        ),
    )


def stochastic_trust() -> tuple[Instance, ...]:
    """DP-STR."""
    module = stochastic_trust_region

    claim: dict[str, Any] = {"epsilon": 0.75, "delta": 1e-2, "accuracy": 0.5, "n_iterations": 2}
    return (
        Instance(
            "by-hand",
            "Steps on a line, with a batch of two of three records for the gradient and another "
            "for the second derivative, until the multiplier is small.",
            _second_order(
                data=(np.array([[1.0], [3.0], [-1.0]]), np.array([0.5, 0.25, 3.0])),
                loss=Cosine(),
                initial=np.array([0.25]),
                accuracy=0.5,
                n_iterations=5,
                constants=module.Constants(
                    batch_size=2,
                    sensitivity=0.5,
                    hessian_sensitivity=0.5,
                    noise_scale=0.25,
                    hessian_noise_scale=0.25,
                    radius=0.5,
                    multiplier_threshold=0.5,
                ),
            ),
            seed=4,
        ),
        Instance(
            "middle",
            "Batches, radius and threshold of the theorem.",
            _second_order(
                data=saddle(40, 3, 1),
                loss=Cosine(feature_bound=1.25),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=0.25,
                n_iterations=4,
            ),
            seed=1,
        ),
        Instance(
            "whole-data-set",
            "Every batch is the whole data set.",
            _second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                initial=np.array([0.25, -0.25, 0.125]),
                epsilon=12.0,
                accuracy=0.12,
                n_iterations=4,
            ),
            seed=8,
        ),
        Instance(
            "single-records",
            "Batches of one record, as the printed noise allows, which gives another result.",
            {
                "data": saddle(24, 3, 2),
                "loss": Cosine(),
                "initial": np.array([0.25, -0.25, 0.125]),
                **claim,
                "constants": module.constants_for(
                    Cosine(), n=24, dimension=3, batch_size=1, **claim
                ),
            },
        ),
    )


INSTANCES = {
    "diss-4.3.25": descent,
    "diss-4.3.26": selection,
    "diss-4.3.27": constrained,
    "diss-4.3.28": trust,
    "diss-4.3.29": stochastic_trust,
}
