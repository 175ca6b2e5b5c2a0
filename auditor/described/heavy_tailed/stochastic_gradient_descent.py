"""How the stochastic robust private gradient descent (diss-RGD) is audited."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Form, along, averaged, without_truncation
from auditor.described.data import heavy_tails as shared
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent
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
            recipe("n", (4e3, 8e3, 1.6e4, 3.2e4), -1.0, error=averaged(_in_n, 4), dear=True),
            recipe(
                "epsilon", (0.1, 0.2, 0.4, 0.8), -2.0, error=averaged(_in_epsilon, 4), dear=True
            ),
        ),
        no_real_data="a relative of diss-3.2.8, which is run on real data",
        mutants={"truncation dropped": without_truncation(_form)},
    )


CASES = {"diss-RGD": diss_rgd}
