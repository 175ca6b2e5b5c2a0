"""How the stochastic robust private gradient descent (diss-RGD) is audited."""

from __future__ import annotations

from functools import partial

import numpy as np

from auditor.cases.build import along, form
from auditor.cases.data import heavy_tails as shared
from auditor.cases.data.heavy_tails import EVERYWHERE, LINEAR, ZETA
from auditor.cases.data.linear_models import LABELS
from auditor.core.case import Case, Form
from auditor.core.mutation import scaled_claim
from auditor.core.neighbours import Everything, Product
from reference.heavy_tailed.stochastic_gradient_descent import stochastic_gradient_descent


def _form(second_moment: float = 1.0) -> Form:
    """Three batches of 5 records in two dimensions; the replaced one is in the first."""
    return form(
        stochastic_gradient_descent,
        shared.far_apart(15),
        LINEAR,
        EVERYWHERE,
        initial=np.zeros(2),
        epsilon=1.0,
        delta=1e-2,
        second_moment=second_moment,
        failure_probability=ZETA,
        batch_size=5,
        domain=Product((Everything((2,), 1e300), LABELS)),
        # w^T descends along the gradient, which is larger under the first data set
        statistic=lambda w: -float(w.sum()),
    )


def _in_n(rng: np.random.Generator, n: float) -> float:
    ten_batches = partial(stochastic_gradient_descent, batch_size=int(n) // 10)
    return shared.excess_risk(rng, ten_batches, n=int(n), runs=4)


def _in_epsilon(rng: np.random.Generator, epsilon: float) -> float:
    ten_batches = partial(stochastic_gradient_descent, batch_size=800)
    return shared.excess_risk_by_zcdp(rng, ten_batches, n=8_000, epsilon=epsilon, batch_size=800)


def diss_rgd() -> Case:
    """One Gaussian release of the robust gradient of every batch; parallel composition."""
    rate = (
        "no theorem, unproved: O(d^2/(n epsilon^2)), which Theorem 3.2.6 gives for the gradient "
        "of each of ten batches"
    )
    recipe = partial(along, repetitions=8, claim=rate)
    return Case(
        id="diss-RGD",
        forms={"corrected": _form()},
        scaling=(
            recipe("n", (4e3, 8e3, 1.6e4, 3.2e4), -1.0, error=_in_n),
            recipe("epsilon", (0.1, 0.2, 0.4, 0.8), -2.0, error=_in_epsilon),
        ),
        no_real_data="a relative of diss-3.2.8, which is run on real data",
        mutants={"truncation dropped": scaled_claim(_form(second_moment=1e18), 1e-9)},
    )


CASES = {"diss-RGD": diss_rgd}
