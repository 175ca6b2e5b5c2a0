"""DP-PMD (diss-4.1.18): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting
from auditor.described.data import linear_models as shared
from auditor.described.data.calls import steps_of
from auditor.described.data.small_convex import records, responses
from auditor.described.data.small_nonconvex import PAIR
from reference._validation import FloatArray
from reference.losses import Huber, Linear, Sigmoid
from reference.mirror_maps import Euclidean, QNorm
from reference.nonconvex.mirror_descent import Constants, constants_for, dp_mirror_descent
from reference.privacy.ledger import Ledger
from reference.proximal import L1Norm


def _form(mirror_map: Any = Euclidean(1.0), *, bound: float = 1.0, **options: Any) -> Form:  # noqa: B008
    """On the pair that is worst for the linear loss."""
    return shared.linear_form(
        dp_mirror_descent,
        Linear(bound),
        mirror_map,
        dimension=3,
        epsilon=1.0,
        delta=1e-2,
        n_iterations=4,
        exact_query=shared.exact_linear_gradient,
        **options,
    )


def _run(
    ledger: Ledger, loss: shared.RepeatedRecords, p: int, n: int, epsilon: float
) -> tuple[FloatArray, float]:
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-5}
    one = constants_for(loss, 1.0, n=n, n_iterations=1, **claim)
    result = dp_mirror_descent(
        np.arange(n),
        loss,
        Euclidean(1.0),
        L1Norm(5e-5),
        initial=np.zeros(p),
        n_iterations=max(1, round(math.sqrt(4 * loss.smoothness / p) / one.noise_scale)),
        ledger=ledger,
        **claim,
    )
    return result.path, one.step_size


def mirror_descent() -> Case:
    """Account as DP-PGD does; the step is that of a ball's geometry."""
    theorem = "Theorem 4.1.5: E||g_R||_2 = O(p^{1/4}/sqrt(n epsilon))"
    sizes = tuple(960.0 * 2**k for k in range(5))
    return Case(
        id="diss-4.1.18",
        forms={
            # x descends along the gradient, which is +e_1 G/n under the first data set
            "corrected": _form(statistic=lambda result: -float(result.path[-1][0])),
            "corrected-l1": _form(QNorm(1.0), no_black_box="that of the l2 ball stands for it"),
        },
        scaling=shared.rates_of_steps(_run, 7_680.0, 1_920, sizes=sizes, delta=1e-5, claim=theorem),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=shared.without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """DP-PMD."""
    run, corner = partial(steps_of, dp_mirror_descent), [0.75, -0.5, 0.25, 0.0]
    start = [0.5, -0.25, 0.0]
    by_hand = Constants(sensitivity=1.0, noise_scale=2.0, step_size=0.25)
    pulled = {"regularizer": L1Norm(0.5), "constants": by_hand}
    chosen = Constants(sensitivity=1 / 12, noise_scale=0.3, step_size=1.0)
    in_l1 = {"regularizer": L1Norm(0.1), "constants": chosen}
    return (
        Setting(
            "by-hand",
            "Two steps in a ball of radius 2, where a step is 4 times as long as in the unit ball; "
            "the second record is cut to length 1, and a step leaves the ball.",
            run(PAIR, Linear(), Euclidean(2.0), [0.0, 0.5], (1.0, 1e-2, 2), **pulled),
        ),
        Setting(
            "middle",
            "Four steps in an l2 ball without regulariser.",
            run(records(40, 3, 1), Sigmoid(0.8), Euclidean(2.0), start, (1.0, 1e-5, 4)),
            seed=2,
        ),
        Setting(
            "l1-ball",
            "The geometry of the q-norm in an l1 ball, which steps leave, with an l1 norm.",
            run(responses(24, 4, 5), Huber(), QNorm(1.5), corner, (1.0, 1e-3, 4), **in_l1),
        ),
    )


CASES = {"diss-4.1.18": mirror_descent}
SETTINGS = {"diss-4.1.18": settings}
