"""DP-GD (diss-4.3.25): audit and settings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, along, form, scaled_claim
from auditor.described.data import saddles
from auditor.described.data.saddles import DELTA, SADDLE
from auditor.described.data.small_convex import records
from auditor.described.data.small_second_order import WAVES, second_order
from reference.losses import Cosine, Logistic, Sigmoid
from reference.nonconvex import gradient_descent as algorithm
from reference.nonconvex.gradient_descent import constants_for, dp_gradient_descent
from reference.nonconvex.second_order import stationarity
from reference.privacy.ledger import Ledger


def _form(bound: float = 1.0, **options: Any) -> Form:
    """From the point where the replaced record's gradient changes most."""
    return form(
        dp_gradient_descent,
        saddles.phases(10, bound, math.pi / 2, -math.pi / 2),
        Cosine(feature_bound=bound),
        initial=np.zeros(2),
        epsilon=1.0,
        delta=1e-2,
        n_iterations=4,
        domain=saddles.record_domain(bound),
        **options,
    )


def _error(
    rng: np.random.Generator, ledger: Ledger, n: float = 15_360.0, epsilon: float = 1.0
) -> float:
    """Return the mean alpha at which the iterates of the second half are alpha-SOSPs.

    The theorem's, of the best of them, is no more, and hardly depends on the noise: among many
    iterates one is near the minimum by chance. Started at the saddle; T of order alpha^-2, as the
    inverse of one release's noise is.
    """
    size = int(n)
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": DELTA}
    one = constants_for(SADDLE, n=size, n_iterations=1, **claim)
    path = dp_gradient_descent(
        np.arange(size),
        SADDLE,
        initial=np.zeros(2),
        n_iterations=round(0.3 / one.noise_scale),
        ledger=ledger,
        **claim,
    )
    some = np.linspace(len(path) // 2, len(path) - 1, 50).astype(int)
    return float(np.mean([stationarity(SADDLE, np.arange(size), w) for w in path[some]]))


def gradient_descent() -> Case:
    """Compose as DP-PGD does; what is claimed of the iterates is of second order."""
    theorem = "Theorem 4.3.1: an iterate is an alpha-SOSP, alpha = O~(1/sqrt(n epsilon))"
    sizes = tuple(1920.0 * 2**k for k in range(5))
    return Case(
        id="diss-4.3.25",
        forms={"corrected": _form(statistic=lambda path: float(path[-1][0]))},
        scaling=(
            along("n", sizes, -0.5, error=_error, repetitions=8, claim=theorem, dear=True),
            along(
                "epsilon",
                saddles.EPSILONS,
                saddles.noise_slope(0.5),
                error=_error,
                repetitions=8,
                claim=theorem,
                dear=True,
            ),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(_form(bound=1e3, no_black_box="a mutant"), 1e-3)
        },
    )


def settings() -> tuple[Setting, ...]:
    """DP-GD."""
    module = algorithm

    return (
        Setting(
            "by-hand",
            "Two steps on two records, the second of which is cut to length 1.",
            second_order(
                data=WAVES,
                loss=Cosine(),
                initial=np.array([0.5, 0.0]),
                n_iterations=2,
                constants=module.Constants(sensitivity=0.5, noise_scale=0.25, step_size=1.0),
            ),
        ),
        Setting(
            "middle",
            "Four steps; the result is the whole path.",
            second_order(
                data=records(40, 3, 1),
                loss=Sigmoid(feature_bound=0.8),
                initial=np.array([0.5, -0.25, 0.0]),
                n_iterations=4,
            ),
        ),
        Setting(
            "logistic",
            "A convex loss.",
            second_order(
                data=records(24, 4, 2),
                loss=Logistic(),
                initial=np.array([0.5, -0.25, 0.0, 0.25]),
                epsilon=8.0,
                n_iterations=3,
            ),
        ),
    )


CASES = {"diss-4.3.25": gradient_descent}
SETTINGS = {"diss-4.3.25": settings}
