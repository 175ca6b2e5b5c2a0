"""DP-Katyusha (diss-3.1.2): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import (
    Ball,
    Case,
    Everything,
    Form,
    Product,
    Setting,
    along,
    form,
    unreleased,
)
from auditor.described.convex.svrg import DIMENSION, RIDGE, down, excess_risk, turning_record
from auditor.described.data.linear_models import without_normalisation
from auditor.described.data.small_convex import SMALL, records, responses
from reference.convex import stochastic_gradient_descent as sgd
from reference.convex.katyusha import Constants, constants_for, dp_katyusha
from reference.errata.convex import katyusha as errata
from reference.losses import Huber, Logistic
from reference.privacy.ledger import Ledger
from reference.proximal import L1Norm, Ridge

CLAIM: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 2}


def _form(function: Any = dp_katyusha, *, n: int = 10, bound: float = 1.0, **options: Any) -> Form:
    """With the ridge at which a step of size 2/(3 L) halves x, so that y comes a quarter closer."""
    loss = Huber(feature_bound=bound)
    convexity = 1.5 * loss.smoothness
    return form(
        function,
        turning_record(n, bound, kink=8.4),
        loss,
        Ridge(convexity),
        initial=np.array([-48.0, 0.0]),
        strong_convexity=convexity,
        domain=Product((Ball(2, bound), Everything(()))),
        **CLAIM,
        **options,
    )


def _right(*, n: int, batch_size: int, bound: float = 1.0, **options: Any) -> Form:
    loss = Huber(feature_bound=bound)
    constants = constants_for(
        loss, n=n, strong_convexity=1.5 * loss.smoothness, batch_size=batch_size, **CLAIM
    )
    return _form(n=n, bound=bound, constants=constants, **options)


def _mutant(constants: Constants, *, n: int = 10) -> Form:
    return _form(n=n, constants=constants, no_black_box="a mutant")


def _as_plain_gradients() -> Constants:
    """Noise of a batch's mean gradient, 2G/b, in which the snapshot has no part."""
    right = constants_for(Huber(), n=50, strong_convexity=1.5, batch_size=5, **CLAIM)
    plain = sgd.constants_for(
        Huber(),
        1.0,
        n=50,
        dimension=2,
        epsilon=CLAIM["epsilon"],
        delta=CLAIM["delta"],
        n_iterations=CLAIM["n_epochs"] * CLAIM["n_inner"],
        batch_size=5,
    )
    return replace(right, sensitivity=plain.sensitivity, noise_scale=plain.noise_scale)


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float,
    p: float = DIMENSION,
    epsilon: float = 1.0,
) -> float:
    """Return the excess regularised risk at full batch and a fixed number of steps.

    The noise is by zCDP, of order 1/epsilon as the theorem's; the exact one is smaller for small
    epsilon, where it falls more slowly.
    """
    claim: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": 1e-5,
        "strong_convexity": RIDGE.strength,
        "n_epochs": 20,
        "n_inner": 4,
    }
    chosen = constants_for(Logistic(), n=int(n), batch_size=int(n), method="zcdp", **claim)
    return excess_risk(partial(dp_katyusha, constants=chosen, ledger=ledger, **claim), n, p)


def katyusha() -> Case:
    """Accelerated variance-reduced gradients; the printed box forgets the noise."""
    theorem = "Theorem 3.1.3: excess risk = O~(p log(1/delta)/(n epsilon)^2) at given T, m"
    sizes = tuple(6000.0 * 2**k for k in range(4))
    recipe: dict[str, Any] = {"error": _error, "repetitions": 10, "claim": theorem}
    right = _right(n=10, batch_size=10, statistic=down)
    return Case(
        id="diss-3.1.2",
        forms={
            # the whole data set as batch: the accounting is exact, so that every mutant shows
            "corrected": right,
            "corrected-sampled": _right(
                n=50, batch_size=5, no_black_box="that of the whole data set stands for it"
            ),
            "printed": _form(
                errata.printed,
                statistic=down,
                violates={"control_flow": "diss-3.1.2/E1", "black_box": "diss-3.1.2/E1"},
            ),
        },
        scaling=(
            along("n", sizes, -2.0, **recipe),
            along("epsilon", (0.0625, 0.125, 0.25, 0.5), -2.0, n=24000, p=20, **recipe),
            along("p", (60.0, 120.0, 240.0, 480.0), 1.0, n=96000, epsilon=0.25, **recipe),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            **without_normalisation(_right, n=10, batch_size=10),
            "noise in the first epoch only": unreleased(right, lambda i: i >= CLAIM["n_inner"]),
            # u of the snapshot's gradient alone, in every v_t of the epoch
            "noise once an epoch": unreleased(
                right, lambda i: i % CLAIM["n_inner"] > 0, stale=True
            ),
            "noise of a single epoch": _mutant(
                constants_for(
                    Huber(), n=10, strong_convexity=1.5, batch_size=10, **CLAIM | {"n_epochs": 1}
                )
            ),
            "sensitivity without the snapshot": _mutant(_as_plain_gradients(), n=50),
        },
    )


def settings() -> tuple[Setting, ...]:
    """DP-Katyusha."""
    start, corner = np.array([0.5, -0.25, 0.0]), np.array([0.05, -0.05, 0.0, 0.5])
    # of an epsilon and delta at which the printed form takes all records as well
    small = {"epsilon": 1.0, "delta": 0.25, "n_epochs": 1, "strong_convexity": 2.0, "n_inner": 2}
    by_hand = Constants(
        batch_size=2,
        sensitivity=1.0,
        background_sensitivity=1.0,
        noise_scale=2.0,
        step_size=0.5,
        momentum=0.5,
    )
    problem: dict[str, Any] = {"data": SMALL, "loss": Huber(), "regularizer": Ridge(2.0)}
    signs = {"data": records(40, 3, 1), "loss": Logistic(0.8), "regularizer": Ridge(0.05)}
    numbers = {"data": responses(24, 4, 3), "loss": Huber(0.8), "regularizer": L1Norm(0.1)}
    larger = {"epsilon": 8.0, "delta": 1e-2, "n_epochs": 2, "n_inner": 3}
    return (
        Setting(
            "by-hand",
            "One epoch of two steps on all of two records, the second of which weighs twice as "
            "much; as printed there is no noise at all.",
            {**problem, "initial": np.zeros(2), **small, "constants": by_hand},
        ),
        Setting(
            "middle",
            "Two epochs of two steps on sampled batches; the second starts where the first ended.",
            {**signs, "initial": start, "strong_convexity": 0.05, **CLAIM},
        ),
        Setting(
            "whole-data-set",
            "Every batch is the whole data set, the momentum is cut to 1/2, and an l1 norm sets "
            "coordinates to 0; as printed there is no noise.",
            {**numbers, "initial": corner, "strong_convexity": 0.5, **larger},
        ),
    )


CASES = {"diss-3.1.2": katyusha}
SETTINGS = {"diss-3.1.2": settings}
RAISED = {"diss-3.1.2": {"algorithms": 1, "constants": 1}}
