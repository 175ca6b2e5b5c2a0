"""Output perturbation of gradient descent (diss-3.1.baselines): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, Setting, along
from auditor.described.convex.svrg import DIMENSION, RIDGE, excess_risk
from auditor.described.data import linear_models as shared
from auditor.described.data.calls import steps_of
from auditor.described.data.small_convex import SMALL, records, responses
from reference._validation import FloatArray
from reference.convex.output_perturbation import Constants, constants_for, output_perturbation
from reference.losses import Huber, Linear, Logistic
from reference.privacy.ledger import Ledger
from reference.proximal import NoRegularizer, Ridge


def _form(regularizer: Any, *, bound: float = 1.0, **options: Any) -> Form:
    """On the pair that is worst for the linear loss, which attains D_T."""
    return shared.linear_form(
        output_perturbation,
        Linear(bound, declared_curvature=1 / bound**2),
        regularizer,
        epsilon=1.0,
        delta=1e-2,
        n_iterations=5,
        **options,
    )


def _down(x: FloatArray) -> float:
    """Return minus the first entry: x descends along +e_1 G/n under the first data set."""
    return -float(x[0])


def _mutant(regularizer: Any, **changes: Any) -> Form:
    """With the sensitivity and noise of another ridge or another number of steps."""
    claim = {"strong_convexity": 0.5, "epsilon": 1.0, "delta": 1e-2, "n_iterations": 5} | changes
    constants = constants_for(Linear(), n=10, **claim)
    return _form(regularizer, constants=constants, no_black_box="a mutant")


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    n: float,
    p: float = DIMENSION,
    epsilon: float = 1.0,
) -> float:
    """Return the excess regularised risk; 200 steps leave nothing of the start.

    The noise is by zCDP, of order 1/epsilon as the table's; the exact one is smaller for small
    epsilon, where it falls more slowly.
    """
    claim: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-5, "n_iterations": 200}
    convexity: dict[str, Any] = {"strong_convexity": RIDGE.strength, "method": "zcdp"}
    chosen = constants_for(Logistic(), n=int(n), **convexity, **claim)
    return excess_risk(partial(output_perturbation, constants=chosen, ledger=ledger, **claim), n, p)


def perturbation() -> Case:
    """Release the last of T contractions once."""
    table = "table 3.1: excess risk = O(p log(1/delta)/(n epsilon)^2), mu > 0"
    sizes = tuple(3000.0 * 2**k for k in range(4))
    recipe: dict[str, Any] = {"error": _error, "repetitions": 10, "claim": table}
    return Case(
        id="diss-3.1.baselines",
        forms={
            "corrected": _form(Ridge(0.5), statistic=_down),
            "corrected-convex": _form(NoRegularizer(), statistic=_down),
        },
        scaling=(
            along("n", sizes, -2.0, **recipe),
            along("epsilon", (0.0625, 0.125, 0.25, 0.5), -2.0, n=24000, p=20, **recipe),
            along("p", (60.0, 120.0, 240.0, 480.0), 1.0, n=48000, epsilon=0.25, **recipe),
        ),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            **shared.without_normalisation(partial(_form, Ridge(0.5))),
            "sensitivity of a single step": _mutant(Ridge(0.5), n_iterations=1),
            "ridge that is not there": _mutant(NoRegularizer()),
        },
    )


def settings() -> tuple[Setting, ...]:
    """Output perturbation of gradient descent."""
    run = partial(steps_of, output_perturbation)
    by_hand = Constants(step_size=0.5, sensitivity=1.0, noise_scale=2.0)
    start, corner = [0.5, -0.25, 0.0], [0.05, -0.05, 0.0, 0.5]
    none, huber = NoRegularizer(), Huber(0.8, threshold=0.5)
    return (
        Setting(
            "by-hand",
            "Two exact steps on two records, both of which are cut in the first, and noise once.",
            run(SMALL, Huber(), Ridge(0.5), [1.0, 0.0], (1.0, 0.25, 2), constants=by_hand),
        ),
        Setting(
            "middle",
            "Five exact steps with a ridge, and noise once.",
            run(records(40, 3, 1), Logistic(0.8), Ridge(0.25), start, (1.0, 1e-5, 5)),
        ),
        Setting(
            "no-regularizer",
            "Without a regulariser, where the sensitivity grows with the number of steps.",
            run(responses(24, 4, 3), huber, none, corner, (2.0, 1e-5, 3)),
        ),
    )


CASES = {"diss-3.1.baselines": perturbation}
SETTINGS = {"diss-3.1.baselines": settings}
