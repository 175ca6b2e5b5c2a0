"""DP-GD-SO (diss-4.3.27): audit and settings."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, form
from auditor.described.data import saddles
from auditor.described.data.linear_models import without_normalisation
from auditor.described.data.small_second_order import LINE, saddle, second_order
from reference.constraint_sets import L2Ball
from reference.losses import Cosine
from reference.nonconvex.constrained_descent import Constants, constants_for, dp_constrained_descent


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
        mutants=without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """DP-GD-SO."""
    run = partial(second_order, dp_constrained_descent)
    by_hand = Constants(
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
    chosen = Constants(
        sensitivity=1 / 24,
        hessian_sensitivity=1 / 24,
        noise_scale=0.1,
        hessian_noise_scale=0.1,
        step_size=0.25,
        curvature_step_size=0.5,
        slope_threshold=0.25,
        curvature_threshold=0.1,
        cut=0.02,
    )
    middle = {"epsilon": 4.0, "accuracy": 0.5, "n_iterations": 4}
    steps, two = {"accuracy": 0.5, "n_iterations": 5}, {"accuracy": 0.5, "n_iterations": 2}
    steeper = replace(chosen, slope_threshold=0.5)
    return (
        Setting(
            "by-hand",
            "Steps of first and of second order on [-1, 1], then the end.",
            run(LINE, Cosine(), L2Ball(1.0), initial=[0.25], constants=by_hand, **steps),
            seed=14,
        ),
        Setting(
            "middle",
            "Steps and thresholds of the theorem.",
            run(saddle(40, 3, 1), Cosine(1.25), L2Ball(1.5), **middle),
            seed=3,
        ),
        Setting(
            "branches",
            "Steps of second order to the minimum over the ball, to one where the cut binds and to "
            "the ball's other local minimum, which is cut off less than the global one.",
            run(saddle(24, 3, 2), Cosine(), L2Ball(1.0), constants=chosen, **steps),
            seed=38,
        ),
        Setting(
            "from-zero",
            "At 0 the minima over the ball are two opposite points, of which the cut leaves one.",
            run(
                saddle(24, 3, 2), Cosine(), L2Ball(1.5), initial=[0.0] * 3, constants=steeper, **two
            ),
            seed=4,  # no twins: which of the two minima a routine finds first is its own affair
        ),
        Setting(
            "none-found",
            "All steps are taken, so that nothing is returned beside the path.",
            run(saddle(24, 3, 2), Cosine(), L2Ball(2.0), accuracy=0.01, n_iterations=3),
        ),
    )


CASES = {"diss-4.3.27": constrained_descent}
SETTINGS = {"diss-4.3.27": settings}
LEFT_OUT = {
    "diss-4.3.27": {
        "all of epsilon": "a first-order step releases no Hessian",
        "constants.step_size": "the few iterations of the setting do not reach it",
        "constants.slope_threshold": "the few iterations of the setting do not reach it",
        "constants.curvature_threshold": "the few iterations of the setting do not reach it",
        "constants.cut": "the few iterations of the setting do not reach it",
    }
}
