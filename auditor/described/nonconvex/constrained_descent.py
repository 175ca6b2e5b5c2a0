"""How DP-GD-SO (diss-4.3.27) is audited."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from auditor import Case, Form, form, scaled_claim
from auditor.described.data import saddles
from reference.constraint_sets import L2Ball
from reference.losses import Cosine
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


CASES = {"diss-4.3.27": constrained_descent}
