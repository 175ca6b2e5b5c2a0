"""DP-GD-SO (diss-4.3.27): audit and settings."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, form, scaled_claim
from auditor.described.data import saddles
from auditor.described.data.small_second_order import LINE, saddle, second_order
from reference.constraint_sets import L2Ball
from reference.losses import Cosine
from reference.nonconvex import constrained_descent as algorithm
from reference.nonconvex.constrained_descent import constants_for, dp_constrained_descent


def _form(*, bound: float = 1.0, **options: Any) -> Form:
    """Two second-order steps, which release all that is charged, from the worst gradient's point.

    The black box's run is a first-order step, which the gradient turns.
    """
    loss, ball = Cosine(feature_bound=bound), L2Ball(0.4)
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "accuracy": 1e-6, "n_iterations": 2}
    always_second_order = replace(
        constants_for(loss, ball, n=10, dimension=2, **claim),
        slope_threshold=1e9,
        curvature_threshold=1e-9,
    )
    return form(
        dp_constrained_descent,
        saddles.phases(10, bound, math.pi / 2, -math.pi / 2),
        loss,
        ball,
        initial=np.zeros(2),
        constants=always_second_order,
        box={"constants": None, "n_iterations": 1},
        domain=saddles.record_domain(bound),
        **claim,
        **options,
    )


def constrained_descent() -> Case:
    """At most one gradient and one Hessian a step, charged alike."""
    return Case(
        id="diss-4.3.27",
        forms={
            "corrected": _form(statistic=lambda found: float(found.path[-1][0])),
        },
        no_scaling="the n of Theorem 4.3.3 is beyond any run (D^7, (4.69)); that every noiseless "
        "step descends as (4.72) and (4.73) say is tested on recorded runs",
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(_form(bound=1e3, no_black_box="a mutant"), 1e-3)
        },
    )


def settings() -> tuple[Setting, ...]:
    """DP-GD-SO."""
    module = algorithm

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
        Setting(
            "by-hand",
            "Steps of first and of second order on [-1, 1], then the end.",
            second_order(
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
        Setting(
            "middle",
            "Steps and thresholds of the theorem.",
            second_order(
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
        Setting(
            "branches",
            "Steps of second order to the minimum over the ball, to one where the cut binds and to "
            "the ball's other local minimum, which is cut off less than the global one.",
            second_order(
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
        Setting(
            "from-zero",
            "At 0 the minima over the ball are two opposite points, of which the cut leaves one.",
            second_order(
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
        Setting(
            "none-found",
            "All steps are taken, so that nothing is returned beside the path.",
            second_order(
                data=saddle(24, 3, 2),
                loss=Cosine(),
                constraint=L2Ball(2.0),
                initial=np.array([0.25, -0.25, 0.125]),
                accuracy=0.01,
                n_iterations=3,
            ),
        ),
    )


CASES = {"diss-4.3.27": constrained_descent}
SETTINGS = {"diss-4.3.27": settings}
