"""DP-FW-L2 (diss-4.1.17): audit and settings."""

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
from reference.constraint_sets import L1Ball, L2Ball
from reference.losses import Huber, Linear, Sigmoid
from reference.nonconvex.frank_wolfe_l2 import Constants, constants_for, dp_frank_wolfe_l2
from reference.privacy.ledger import Ledger


def _form(constraint: Any = L2Ball(1.0), *, bound: float = 1.0, **options: Any) -> Form:  # noqa: B008
    """On the pair that is worst for the linear loss."""
    return shared.linear_form(
        dp_frank_wolfe_l2,
        Linear(bound),
        constraint,
        epsilon=1.0,
        delta=1e-2,
        n_iterations=4,
        exact_query=shared.exact_linear_gradient,
        **options,
    )


def _mean_gap(
    rng: np.random.Generator,
    ledger: Ledger,
    loss: shared.RepeatedRecords,
    p: int,
    n: int,
    epsilon: float,
) -> float:
    """Return the mean Frank-Wolfe gap over the iterates, which the expectation over R is.

    T = n sqrt(rho)/sqrt(p) steps of the theorem's order, on the unit ball.
    """
    ball = L2Ball(1.0)
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-5}
    one = constants_for(loss, 1.0, n=n, n_iterations=1, **claim)
    result = dp_frank_wolfe_l2(
        np.arange(n),
        loss,
        ball,
        initial=np.zeros(p),
        n_iterations=max(1, round(one.sensitivity / one.noise_scale * n / math.sqrt(2 * p))),
        ledger=ledger,
        **claim,
    )
    gradients = [loss.gradient(None, x) for x in result.path[:-1]]
    gaps = [
        (x - ball.linear_minimizer(g)) @ g for x, g in zip(result.path[:-1], gradients, strict=True)
    ]
    return float(np.mean(gaps))


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float = 7_680.0, epsilon: float = 1.0
) -> float:
    features, labels = shared.distinct_records(60, 10, "l2")
    loss = shared.RepeatedRecords(Sigmoid(feature_bound=4.0), (4 * features, labels))
    return _mean_gap(rng, ledger, loss, 10, int(n), epsilon)


def _error_in_the_plane(rng: np.random.Generator, ledger: Ledger, dimension: float) -> float:
    p = int(dimension)
    return _mean_gap(rng, ledger, shared.in_the_plane(p), p, n=15_360, epsilon=1.0)


def frank_wolfe() -> Case:
    """Gaussian noise on full gradients; a step shows the direction of a noisy gradient only."""
    theorem = "Theorem 4.1.4: E gap_R = O(p^{1/4}/sqrt(n epsilon))"
    sizes = tuple(960.0 * 2**k for k in range(5))
    return Case(
        id="diss-4.1.17",
        forms={
            # x descends along the gradient, which is +e_1 G/n under the first data set
            "corrected": _form(statistic=lambda result: -float(result.path[-1][0])),
            "corrected-l1": _form(L1Ball(1.0), no_black_box="that of the l2 ball stands for it"),
        },
        scaling=shared.rates_of_gradients(
            _error, _error_in_the_plane, sizes=sizes, delta=1e-5, claim=theorem
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=shared.without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """DP-FW-L2."""
    run = partial(steps_of, dp_frank_wolfe_l2)
    by_hand = Constants(sensitivity=1.0, noise_scale=2.0, step_size=0.5)
    start = [0.25, -0.25, 0.0]
    corner, loss = [0.25, -0.25, 0.0, 0.25], Huber(threshold=0.5)
    return (
        Setting(
            "by-hand",
            "Two steps, each half of the way to a point of the unit circle; the second record is "
            "cut to length 1.",
            run(PAIR, Linear(), L2Ball(1.0), [0.0, 0.5], (1.0, 1e-2, 2), constants=by_hand),
        ),
        Setting(
            "middle",
            "Four steps in an l2 ball so small that a single step would go the whole way.",
            run(records(40, 3, 1), Sigmoid(0.8), L2Ball(0.6), start, (1.0, 1e-5, 4)),
            seed=2,
        ),
        Setting(
            "l1-ball",
            "Steps towards vertices of an l1 ball: the sign and place of the gradient's largest "
            "entry are all that counts.",
            run(responses(24, 4, 3), loss, L1Ball(2.0), corner, (2.0, 1e-3, 3)),
        ),
    )


CASES = {"diss-4.1.17": frank_wolfe}
SETTINGS = {"diss-4.1.17": settings}
