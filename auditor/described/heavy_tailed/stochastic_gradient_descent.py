"""The stochastic robust private gradient descent (diss-RGD): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, Setting, along, averaged, n_records, without_truncation
from auditor.described.data import heavy_tails as shared
from auditor.described.data.small_heavy_tailed import (
    CHOSEN,
    FEW,
    HUGE,
    ROBUST,
    problem,
    regression,
    robust_mean,
    vectors,
)
from reference._validation import FloatArray
from reference.blocks import take_records
from reference.constraint_sets import L1Ball, L2Ball
from reference.heavy_tailed.known_variance_gradient_descent import constants_for
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
from reference.losses import SquaredDistance, SquaredError
from reference.privacy.ledger import Ledger


def _form(**options: Any) -> Form:
    """Three batches of 5 records; the replaced one is in the first."""
    return shared.robust_form(stochastic_gradient_descent, 15, delta=1e-2, batch_size=5, **options)


def _in_n(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    ten_batches = partial(stochastic_gradient_descent, batch_size=int(n) // 10)
    return shared.excess_risk(rng, ledger, ten_batches, n=n)


def _in_epsilon(rng: np.random.Generator, ledger: Ledger, epsilon: float) -> float:
    ten_batches = partial(stochastic_gradient_descent, batch_size=800)
    return shared.excess_risk_by_zcdp(
        rng, ledger, ten_batches, n=8_000, epsilon=epsilon, batch_size=800
    )


def diss_rgd() -> Case:
    """One Gaussian release of the robust gradient of every batch; parallel composition."""
    rate = (
        "no theorem, unproved: O(d^2/(n epsilon^2)), which Theorem 3.2.6 gives for the gradient "
        "of each of ten batches"
    )
    recipe = partial(along, repetitions=12, claim=rate)
    return Case(
        id="diss-RGD",
        forms={"corrected": _form()},
        scaling=(
            recipe("n", (4e3, 8e3, 1.6e4, 3.2e4), -1.0, error=averaged(_in_n, 4), expensive=True),
            recipe(
                "epsilon",
                (0.1, 0.2, 0.4, 0.8),
                -2.0,
                error=averaged(_in_epsilon, 4),
                expensive=True,
            ),
        ),
        no_real_data="a relative of diss-3.2.8, which is run on real data",
        mutants={"truncation dropped": without_truncation(_form)},
    )


def _without_noise(
    *,
    data: Data,
    loss: Any,
    constraint: Any,
    initial: FloatArray,
    batch_size: int,
    **claim: Any,
) -> FloatArray:
    """Return the average of the points after steps of size 1/sqrt(t) along means of batches."""
    w, iterates = initial, []
    step_size, constants = claim.pop("step_size", 1.0), claim.pop("constants", None)
    c = constants or constants_for(n=batch_size, dimension=w.size, n_iterations=1, **claim)
    for t in range(n_records(data) // batch_size):
        batch = take_records(data, slice(t * batch_size, (t + 1) * batch_size))
        mean = robust_mean(loss, batch, w, scale=c.truncation_scale, precision=c.precision)
        w = constraint.project(w - step_size / math.sqrt(t + 1) * mean)
        iterates.append(w)
    average: FloatArray = np.mean(iterates, axis=0)
    return average


def settings() -> tuple[Setting, ...]:
    """Stochastic robust private gradient descent."""
    pairs = {"batch_size": 2, "step_size": 0.5, "constants": CHOSEN}
    known = partial(Setting, noiseless=_without_noise)
    return (
        known(
            "by-hand",
            "Two batches of two of five records, the last of which is not used; the average of "
            "the two points, without the starting point.",
            problem(FEW, SquaredDistance(), L2Ball(0.75), [0.5, 0.0]) | ROBUST | pairs,
        ),
        known(
            "middle",
            "Four batches of eleven, of which two records are left over, with the theory's "
            "constants and steps of the printed size 1.",
            problem(regression(46, 4, 3), SquaredError(), L2Ball(1.25), np.zeros(4))
            | {**ROBUST, "epsilon": 8.0, "batch_size": 11},
        ),
        known(
            "remainder",
            "Batches of seven of thirteen records: one step, and nearly half of the records are "
            "left over.",
            problem(vectors(13, 3, 4), SquaredDistance(), L1Ball(0.3), [0.125, 0.0, -0.125])
            | {**ROBUST, "epsilon": 8.0, "batch_size": 7, "step_size": 0.25},
            seed=2,
        ),
        known(
            "overflow",
            "Gradients that overflow count as the bound of the truncation, and those that are not "
            "a number as 0.",
            problem(HUGE, SquaredError(), L2Ball(5.0), [0.5, 0.25]) | ROBUST | pairs,
        ),
    )


CASES = {"diss-RGD": diss_rgd}
SETTINGS = {"diss-RGD": settings}
