"""How LDP-IHT for non-linear measurements (diss-5.3.44) is audited."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor.cases.build import along, form
from auditor.cases.data.heavy_tailed_regression import any_regression_record
from auditor.cases.data.sparse_regression import (
    NOISE_BOUND,
    agrees,
    draw_signs,
    largest_squares,
    opposite_labels,
    sparse_coefficients,
)
from auditor.core.case import Case, Data, Form, Scaling
from auditor.core.rates import rate_slope
from reference._validation import FloatArray
from reference.errata.local import nonlinear_hard_thresholding as errata
from reference.local.iterative_hard_thresholding import KEPT
from reference.local.nonlinear_hard_thresholding import (
    EIGHT_X_AND_COSINE,
    Constants,
    MonotoneFunction,
    constants_for,
    local_nonlinear_hard_thresholding,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

P = 3
CLAIM = (
    "Theorem 5.3.9: ||theta_T - theta*|| <= 2^-T ||theta*|| + O(eta r coth(epsilon/2) "
    "sqrt(log p T s*/n)); for log p, that of the 8 s* largest of p normals"
)


def _waves(z: FloatArray) -> FloatArray:
    return z + 0.1 * np.sin(z)


def _slope_of_waves(z: FloatArray) -> FloatArray:
    return 1 + 0.1 * np.cos(z)


WAVES = MonotoneFunction(
    "x + sin(x)/10", value=_waves, derivative=_slope_of_waves, least_slope=0.9, largest_slope=1.1
)
RESIDUAL = 0.5
"""R of what is drawn: with ||theta*|| = .1 few factors of x are larger."""


def _form(function: Any, **options: Any) -> Form:
    """Return a form of two rounds of two users; the black box asks one user once.

    Its output is then the direction of the message, which all of its loss is in.
    """
    return form(
        function,
        opposite_labels(4, P),
        EIGHT_X_AND_COSINE,
        epsilon=1.0,
        sparsity=1,
        noise_bound=0.5,
        n_iterations=2,
        model=Model.LOCAL,
        domain=any_regression_record(P),
        **{
            "seen": opposite_labels(1, P),
            "box": {"n_iterations": 1},
            "statistic": agrees,
            **options,
        },
    )


def unclipped(
    data: Data,
    function: MonotoneFunction,
    *,
    epsilon: float,
    sparsity: int,
    noise_bound: float,
    ledger: Ledger,
    **_: Any,
) -> FloatArray:
    """Return a first step on gradients that nobody cut."""
    features, labels = data
    constants = constants_for(
        dimension=P,
        sparsity=sparsity,
        noise_bound=noise_bound,
        least_slope=function.least_slope,
        largest_slope=function.largest_slope,
    )
    zero = np.zeros(len(labels))
    weights = function.derivative(zero) * (function.value(zero) - labels)
    return ledger.l2_ball(features * weights[:, None], radius=constants.radius, epsilon=epsilon)


def _error(
    rng: np.random.Generator,
    ledger: Ledger,
    *,
    algorithm: Any = local_nonlinear_hard_thresholding,
    n: float = 32_000,
    p: float = 8,
    epsilon: float = 4.0,
    norm: float = 0.1,
    **options: Any,
) -> float:
    theta = sparse_coefficients(int(p), 1, norm)
    found = algorithm(
        draw_signs(rng, theta, int(n), WAVES.value),
        WAVES,
        epsilon=epsilon,
        sparsity=1,
        noise_bound=NOISE_BOUND,
        n_iterations=2,
        ledger=ledger,
        **options,
    )
    return float(np.linalg.norm(found - theta))


def _cut(rng: np.random.Generator, ledger: Ledger, *, p: float = 8, **options: Any) -> float:
    constants = Constants(radius=RESIDUAL * math.sqrt(p), step_size=1.0)
    return _error(rng, ledger, p=p, constants=constants, **options)


def _scaling() -> tuple[Scaling, ...]:
    """Return the recipes with T = 2 rounds and eta = 1, about 1/mean f'^2."""
    sizes, dimensions = (1_000, 4_000, 16_000, 64_000), (12, 24, 48, 96)
    epsilons = (0.25, 0.5, 1.0, 2.0)
    in_p = rate_slope(dimensions, lambda p: math.sqrt(p * largest_squares(p, KEPT)))
    in_epsilon = rate_slope(epsilons, lambda epsilon: 1 / math.tanh(epsilon / 2))
    recipe = partial(along, error=_cut, repetitions=8, claim=CLAIM)
    return (
        recipe("n", sizes, -0.5),
        recipe("p", dimensions, in_p, dear=True),
        recipe("epsilon", epsilons, in_epsilon, dear=True),
        recipe(
            "n",
            sizes,
            -0.5,
            name="n with the printed radius",
            error=_error,
            norm=0.9,
            algorithm=errata.printed,
            erratum="diss-5.3.44/E1",
            form="printed",
        ),
    )


def nonlinear_iht() -> Case:
    """LDP-IHT behind a monotone function: one message on a sphere per user, in T rounds."""
    return Case(
        id="diss-5.3.44",
        forms={
            "corrected": _form(local_nonlinear_hard_thresholding),
            "printed": _form(errata.printed),
        },
        scaling=_scaling(),
        no_real_data="real features are no signs, which the theorem is about",
        mutants={"factors not cut": _form(unclipped, no_black_box="a mutant")},
    )


CASES = {"diss-5.3.44": nonlinear_iht}
