"""How DP-AccMD (diss-3.1.4) is audited."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.cases.build import along, form
from auditor.cases.data import linear_models as shared
from auditor.core.case import Case, Form
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Ball, Product
from reference._validation import FloatArray
from reference.convex.accelerated_mirror_descent import (
    constants_for,
    dp_accelerated_mirror_descent,
)
from reference.errata.convex import accelerated_mirror_descent as errata
from reference.losses import Linear, Logistic, Records
from reference.mirror_maps import Euclidean, QNorm
from reference.privacy.ledger import Ledger


def _form(
    function: Any = dp_accelerated_mirror_descent,
    mirror_map: Any = Euclidean(1.0),  # noqa: B008
    *,
    bound: float = 1.0,
    n_iterations: int = 4,
    **options: Any,
) -> Form:
    """On the pair that is worst for the linear loss."""
    return form(
        function,
        shared.one_visible_record(10, 3, bound),
        Linear(feature_bound=bound),
        mirror_map,
        initial=np.zeros(3),
        epsilon=1.0,
        delta=1e-2,
        n_iterations=n_iterations,
        domain=Product((Ball(3, bound), shared.LABELS)),
        exact_query=shared.exact_linear_gradient,
        **options,
    )


def _down(y: FloatArray) -> float:
    """y_T descends along the gradient, which is +e_1 G/n under the first data set."""
    return -float(y[0])


def _problem(p: int) -> tuple[Records, float]:
    """Return records whose risk is smallest at 0, where it is log 2: labels of both signs."""
    features = np.vstack([np.eye(p), np.eye(p)])
    labels = np.repeat([1.0, -1.0], p)
    return (features, labels), float(np.log(2))


def _error(rng: np.random.Generator, n: float) -> float:
    """Return the excess risk around the minimum, at fixed T: only the noise, sigma of order 1/n."""
    p, size = 8, int(n)
    records, smallest = _problem(p)
    loss = Logistic()
    y = dp_accelerated_mirror_descent(
        np.arange(size),
        shared.RepeatedRecords(loss, records),
        Euclidean(1.0),
        initial=np.zeros(p),
        epsilon=1.0,
        delta=1e-5,
        n_iterations=20,
        constants=constants_for(loss, 1.0, n=size, epsilon=1.0, delta=1e-5, n_iterations=20),
        ledger=Ledger(rng),
    )
    return float(loss.values(records, y).mean()) - smallest


def mirror_descent() -> Case:
    """Noisy gradients in both steps; the printed box has the exact one in the step it returns."""
    theorem = "Theorem 3.1.7's proof at given T: the noise adds sigma^2 (G_C^2 + R^2)(T+3)/(2 L')"
    sizes = tuple(1600.0 * 2**k for k in range(5))
    return Case(
        id="diss-3.1.4",
        forms={
            "corrected": _form(statistic=_down),
            "corrected-l1": _form(
                mirror_map=QNorm(1.0), no_black_box="that of the l2 ball stands for it"
            ),
            "printed": _form(
                errata.printed,
                statistic=_down,
                box={"n_iterations": 1},
                violates={"control_flow": 1, "black_box": 1},
            ),
        },
        scaling=(along("n", sizes, -2.0, error=_error, repetitions=10, claim=theorem),),
        no_real_data="DP-PGD stands for empirical risk minimisation on real data",
        mutants={
            # records of norm 1000, noise for records of norm 1
            "normalisation dropped": scaled_claim(_form(bound=1e3, no_black_box="a mutant"), 1e-3)
        },
    )


CASES = {"diss-3.1.4": mirror_descent}
