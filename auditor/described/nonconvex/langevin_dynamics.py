"""DP-GLD (diss-4.2.20): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, along, averaged, noise_slope
from auditor.described.data import linear_models as shared
from auditor.described.data.calls import steps_of
from auditor.described.data.small_convex import records, responses
from auditor.described.data.small_nonconvex import PAIR
from reference.losses import Huber, Linear, Sigmoid
from reference.nonconvex.langevin_dynamics import Constants, constants_for, dp_langevin_dynamics
from reference.privacy.ledger import Ledger
from reference.proximal import Ridge


def _form(*, bound: float = 1.0, **options: Any) -> Form:
    """On the pair that is worst for the linear loss (declared L = 1)."""
    return shared.linear_form(
        dp_langevin_dynamics,
        Linear(bound, declared_curvature=1 / bound**2),
        Ridge(0.1),
        epsilon=1.0,
        delta=1e-2,
        inverse_temperature=10.0 / bound**2,
        n_iterations=4,
        exact_query=shared.exact_linear_gradient,
        **options,
    )


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    n: float = 400.0,
    epsilon: float = 1.0,
    dimension: float = 4.0,
) -> float:
    """Return the excess of F + r at w_T, a single well: beta ~ n^2, error d/(2 beta).

    F = 0, so that the Gibbs measure is N(0, I/(beta lambda)); eta lambda = 0.05 and 100 steps
    forget the start.
    """
    size, p, ridge, steps = int(n), int(dimension), Ridge(1.0), 100
    loss = shared.RepeatedRecords(Linear(declared_curvature=1e-6), (np.zeros((1, p)), np.ones(1)))
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-5, "n_iterations": steps}
    noise = constants_for(loss, n=size, inverse_temperature=1.0, **claim).noise_scale
    path = dp_langevin_dynamics(
        np.arange(size),
        loss,
        ridge,
        initial=np.zeros(p),
        inverse_temperature=2 / (0.05 * noise**2),
        ledger=ledger,
        **claim,
    )
    return ridge.value(path[-1])


def langevin() -> Case:
    """Take a step of Langevin's for the release of a gradient; its noise fixes the step size."""
    theorem = (
        "a single well: the excess d/(2 beta) of its Gibbs measure, beta of order (n epsilon)^2 by "
        "Theorem 4.2.1's noise; not the O~(1/log n) of Theorem 4.2.2, for risks of many wells"
    )
    sizes = tuple(200.0 * 2**k for k in range(4))
    recipe = partial(
        along, error=averaged(_error, 10), repetitions=10, claim=theorem, expensive=True
    )
    return Case(
        id="diss-4.2.20",
        forms={
            # w descends along the gradient, which is +e_1 G/n under the first data set
            "corrected": _form(statistic=lambda path: -float(path[-1][0])),
        },
        scaling=(
            recipe("n", sizes, -2.0),
            recipe("epsilon", shared.EPSILONS, noise_slope(shared.EPSILONS, 1e-5, 2.0)),
            recipe("dimension", (2.0, 4.0, 8.0, 16.0), 1.0),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=shared.without_normalisation(_form),
    )


def settings() -> tuple[Setting, ...]:
    """DP-GLD."""
    run, start = partial(steps_of, dp_langevin_dynamics), [0.5, -0.25, 0.0]
    by_hand = Constants(sensitivity=1.0, noise_scale=2.0, step_size=0.5)
    ridge, huber, corner = Ridge(0.125), Huber(threshold=0.5), [0.25, -0.25, 0.0, 0.25]
    hot, cold, colder = ({"inverse_temperature": beta} for beta in (1.0, 64.0, 400.0))
    return (
        Setting(
            "by-hand",
            "Two steps with the regulariser's gradient; the second record is cut to length 1.",
            run(PAIR, Linear(), Ridge(0.5), [0.0, 2.0], (1.0, 1e-2, 2), constants=by_hand, **hot),
        ),
        Setting(
            "middle",
            "Five steps, of the size that makes the privacy noise that of the dynamics.",
            run(records(40, 3, 1), Sigmoid(1.2), Ridge(0.25), start, (1.0, 1e-5, 5), **cold),
        ),
        Setting(
            "robust-regression",
            "Another loss, of which some residuals are cut.",
            run(responses(24, 4, 3), huber, ridge, corner, (2.0, 1e-3, 3), **colder),
        ),
    )


CASES = {"diss-4.2.20": langevin}
SETTINGS = {"diss-4.2.20": settings}
