"""DP-SVRG (diss-3.1.1): audit and settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.optimize import minimize

from auditor import Ball, Case, Data, Everything, Form, Product, Setting, along, form
from auditor.described.data.linear_models import (
    RepeatedRecords,
    distinct_records,
    without_normalisation,
)
from auditor.described.data.small_convex import SMALL, epochs_of, records, responses
from reference._validation import FloatArray
from reference.convex.svrg import Constants, constants_for, dp_svrg
from reference.errata.convex import svrg as errata
from reference.losses import Huber, Logistic, Records
from reference.privacy.ledger import Ledger
from reference.proximal import L1Norm, NoRegularizer, Ridge

COSINE = 0.2
UP = np.array([COSINE, math.sqrt(1 - COSINE**2)])
DOWN = np.array([COSINE, -math.sqrt(1 - COSINE**2)])
AVERAGE = "the output averages the steps; the loss of the transcript decides"


def turning_record(n: int, length: float, kink: float = 6.0) -> tuple[Data, Data]:
    """Return neighbours whose gradients at the snapshot and after one step pull the other way.

    Every loss is Huber's with its kink at <a, x> = -kink length. The first snapshot (-40, 0) lies
    on the flat side of it, where a gradient is -a; a step later x is near (-20, 0) on the other,
    where it is +a. All records have a = length (0.2, -0.98) but record 0 of the first data set,
    a = length (0.2, 0.98): while it is in the batch, v moves by almost 4 G/b.
    """
    features = np.tile(length * DOWN, (n, 1))
    labels = np.full(n, -kink * length)
    turned = features.copy()
    turned[0] = length * UP
    return (turned, labels), (features, labels)


def turning_form(
    function: Any, steps: float, *, n: int, bound: float = 1.0, **options: Any
) -> Form:
    """Return a form from (-40, 0) with the ridge at which a step of size 1/(steps L) halves x."""
    loss = Huber(feature_bound=bound)
    return form(
        function,
        turning_record(n, bound),
        loss,
        Ridge(steps * loss.smoothness),
        initial=np.array([-40.0, 0.0]),
        domain=Product((Ball(2, bound), Everything(()))),
        **options,
    )


def _right(*, n: int, batch_size: int, bound: float = 1.0, **options: Any) -> Form:
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 2}
    constants = constants_for(Huber(feature_bound=bound), n=n, batch_size=batch_size, **claim)
    return turning_form(dp_svrg, 48, n=n, bound=bound, constants=constants, **claim, **options)


def down(x: FloatArray) -> float:
    """Record 0 of the first data set pushes x downwards."""
    return -float(x[1])


# scaling: logistic loss with ridge, kappa = L/mu = 2; one epoch of 200 steps of size 1/(12 L)
# divides the gap by about 70
RIDGE, DIMENSION = Ridge(0.125), 10


@cache
def scaling_problem(dimension: int = DIMENSION) -> tuple[Records, float]:
    """Return the distinct records and the smallest regularised risk."""
    loss, records = Logistic(), distinct_records(60, dimension, "l2", flipped=0.3)

    def risk(x: FloatArray) -> float:
        return float(loss.values(records, x).mean()) + RIDGE.value(x)

    def slope(x: FloatArray) -> FloatArray:
        return loss.gradient(records, x) + RIDGE.strength * x

    best = minimize(risk, np.zeros(dimension), jac=slope, tol=1e-12)
    return records, float(best.fun)


def excess_risk(run: Callable[..., FloatArray], n: float, p: float = DIMENSION) -> float:
    """Return the excess regularised risk of ``run(data, loss, regularizer, initial=...)``."""
    records, smallest = scaling_problem(int(p))
    loss, data = Logistic(), np.arange(int(n))
    x = run(data, RepeatedRecords(loss, records), RIDGE, initial=np.zeros(int(p)))
    return float(loss.values(records, x).mean()) + RIDGE.value(x) - smallest


def _error(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    """Excess regularised risk at full batch, the number of steps fixed: sigma is of order 1/n."""
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "n_epochs": 4, "n_inner": 200}
    right = constants_for(Logistic(), n=int(n), batch_size=int(n), **claim)
    chosen = replace(right, step_size=1 / (12 * Logistic().smoothness))
    return excess_risk(partial(dp_svrg, constants=chosen, ledger=ledger, **claim), n)


def svrg() -> Case:
    """Variance-reduced gradients of a sampled batch; the paper's noise ignores who is sampled."""
    theorem = "Theorem 3.1.2: excess risk = O~(p log(1/delta)/(n epsilon)^2) at given T, m"
    sizes = tuple(12000.0 * 2**k for k in range(4))
    return Case(
        id="diss-3.1.1",
        forms={
            # the whole data set as batch: the accounting is exact, so that every mutant shows
            "corrected": _right(n=10, batch_size=10, statistic=down),
            "corrected-sampled": _right(n=50, batch_size=5, statistic=down),
            # record 0 is drawn after the first step with probability 1 - 0.98^14 = 0.25
            "printed": turning_form(
                errata.printed,
                48,
                n=50,
                epsilon=1.0,
                delta=1e-2,
                n_epochs=1,
                n_inner=15,
                no_black_box=AVERAGE,
                violates={"accounting": "diss-3.1.1/E2", "privacy_loss": "diss-3.1.1/E2"},
            ),
            # log(T/delta) = 6.9 times the noise; drawn with probability 0.17
            "printed-remark": turning_form(
                errata.printed_remark,
                48,
                n=60,
                epsilon=6.0,
                delta=1e-3,
                n_epochs=1,
                n_inner=12,
                no_black_box=AVERAGE,
                violates={"accounting": "diss-3.1.1/E3", "privacy_loss": "diss-3.1.1/E3"},
            ),
        },
        scaling=(
            along("n", sizes, -2.0, error=_error, repetitions=10, claim=theorem, expensive=True),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants=without_normalisation(_right, n=10, batch_size=10),
    )


def settings() -> tuple[Setting, ...]:
    """DP-SVRG."""
    run = partial(epochs_of, dp_svrg)
    by_hand = Constants(
        batch_size=1,
        sensitivity=5.0,
        background_sensitivity=1.0,
        noise_scale=2.0,
        step_size=0.5,
    )
    claim: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 2}
    one = constants_for(Logistic(), n=20, batch_size=1, **claim)
    ridge, start, corner = Ridge(0.1), [0.5, -0.25, 0.0], [0.05, -0.05, 0.0, 0.5]
    none, anywhere = NoRegularizer(), [1.0, -1.0, 0.5]
    return (
        Setting(
            "by-hand",
            "One epoch of two steps on batches of one of two records; features and residuals "
            "beyond 1 are cut, and the proximal map halves.",
            run(SMALL, Huber(), Ridge(2.0), [0.0, 0.0], (1.0, 0.25, 1, 2), constants=by_hand),
            seed=2,
        ),
        Setting(
            "middle",
            "Two epochs of two steps on sampled batches.",
            run(records(40, 3, 1), Logistic(0.5), ridge, start, (1.0, 1e-2, 2, 2)),
        ),
        Setting(
            "whole-data-set",
            "Every batch is the whole data set, and an l1 norm sets coordinates to 0.",
            run(responses(24, 4, 3), Huber(0.8), L1Norm(4.0), corner, (8.0, 1e-2, 1, 3)),
        ),
        Setting(
            "single-records",
            "Batches of one record, as printed; the printed noise gives another result.",
            run(records(20, 3, 4), Logistic(), none, anywhere, (1.0, 1e-2, 2, 2), constants=one),
        ),
    )


CASES = {"diss-3.1.1": svrg}
SETTINGS = {"diss-3.1.1": settings}
RAISED = {"diss-3.1.1": {"algorithms": 1, "constants": 1}}
