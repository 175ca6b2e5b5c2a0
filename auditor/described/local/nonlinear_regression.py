"""Non-linear regression from local moments (diss-5.2.40): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, Setting, along, form
from auditor.described.data import scaled_least_squares as shared
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_local_regression import PUBLIC, TWO_MEASURED, measured
from reference._validation import FloatArray
from reference.errata.local import nonlinear_regression as errata
from reference.local.links import CUBIC, IDENTITY, LOGISTIC, Link, label_bound
from reference.local.nonlinear_regression import local_nonlinear_regression
from reference.local.scaled_least_squares import (
    Constants,
    Estimate,
    constants_for,
    constants_of_theorem,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

CLAIM = "Theorem 5.2.5: ||w - w*||_inf = O(1/(epsilon sqrt n)) besides what does not depend on both"
INPUTS = "messages are those of diss-5.2.39, whose black box sees them"
NOISE_BOUND = 0.01
TENTH = Link(
    "a tenth",
    mean=lambda z: z / 10,
    derivative=lambda z: np.full_like(z, 0.1),
    lipschitz=lambda radius: 0.1,
    growth=0.1,
    increasing=True,
)
"""f(z) = z/10: B = .11."""


def _form(
    pair: tuple[Data, Data],
    function: Any = local_nonlinear_regression,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-2,
    **options: Any,
) -> Form:
    return form(
        function,
        pair,
        TENTH,
        public_features=shared.PUBLIC,
        noise_bound=NOISE_BOUND,
        radius=1.0,
        epsilon=epsilon,
        delta=delta,
        model=Model.LOCAL,
        domain=shared.DOMAIN,
        **options,
    )


def unclipped(
    data: Data, link: Link, *, public_features: FloatArray, ledger: Ledger, **claim: Any
) -> Estimate:
    """Run the algorithm on features and labels of any size."""
    bound = label_bound(link, claim["radius"], claim.pop("noise_bound"))
    noise = constants_for(**claim, largest_label=bound)
    matrices, vectors = shared.unclipped_moments(data, noise, ledger)
    return shared.server(link, matrices.mean(axis=0), vectors.mean(axis=0), public_features)


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 1e13, epsilon: float = 1.0
) -> float:
    del rng  # the data are their own law
    constants = constants_of_theorem(
        epsilon=epsilon, delta=1e-5, radius=1.0, largest_label=label_bound(CUBIC, 1.0, 0.001)
    )
    return shared.server_error(CUBIC, ledger, n=n, dimension=3, size=3**-0.5, constants=constants)


def nonlinear_regression() -> Case:
    """Non-linear regression with public features: labels must be cut to [-B, B]."""
    recipe = partial(along, error=_error, repetitions=40, claim=CLAIM)
    bound = label_bound(TENTH, 1.0, NOISE_BOUND)
    theorem = constants_of_theorem(epsilon=1.0, delta=1e-2, radius=1.0, largest_label=bound)
    return Case(
        id="diss-5.2.40",
        forms={
            "corrected": _form(shared.features_turned(1e6), no_black_box=INPUTS),
            "corrected-labels": _form(shared.features_reversed(1e6), no_black_box=INPUTS),
            "corrected-theorem": _form(
                shared.features_reversed(1e6), constants=theorem, no_black_box=INPUTS
            ),
            # labels of {0, 1}, as the box has them
            "printed": _form(
                shared.features_reversed(),
                errata.printed,
                delta=1e-5,
                no_black_box=INPUTS,
                violates={"sensitivity": "diss-5.2.40/E1", "privacy_loss": "diss-5.2.40/E1"},
            ),
        },
        scaling=(
            recipe("n", (1e10, 1e11, 1e12, 1e13), -0.5),
            recipe("epsilon", (0.0625, 0.125, 0.25, 0.5, 1.0), -1.0),
        ),
        mutants={
            "labels not cut": _form(shared.features_reversed(), unclipped, no_black_box="a mutant"),
        },
    )


def settings() -> tuple[Setting, ...]:
    """Non-interactive LDP non-linear regression with public data."""
    run = partial(arguments_of, local_nonlinear_regression, radius=1.0)
    claim = {"epsilon": 1.0, "delta": 1e-2}
    public = np.array([[0.5, 0.5], [0.25, -0.5]])
    by_hand = {"epsilon": 1.0, "delta": 1e-5, "constants": Constants(1.5, 3.0, 0.5, 0.25)}
    middle = {"noise_bound": 0.1, "radius": 0.75, **claim}
    little = {"noise_bound": 0.0, "constants": Constants(1.5, 1.5, 0.01, 0.01), **claim}
    return (
        Setting(
            "by-hand",
            "Two users: features scaled to l1 norm 1, a label cut to B = 1 + 0.5. The link is the "
            "identity: the factor is 1.",
            run(TWO_MEASURED, IDENTITY, public_features=public, noise_bound=0.5, **by_hand),
            seed=2,
        ),
        Setting(
            "middle",
            "The noise of theory and the cubic link, whose slope is bounded by the squared radius.",
            run(measured(32, 20, 3, 0.5), CUBIC, public_features=PUBLIC, **middle),
            seed=3,
        ),
        Setting(
            "logistic",
            "Little noise and the logistic link, whose value at 0 is in B.",
            run(measured(34, 20, 3, 1.0), LOGISTIC, public_features=PUBLIC / 4, **little),
            seed=4,
        ),
    )


CASES = {"diss-5.2.40": nonlinear_regression}
SETTINGS = {"diss-5.2.40": settings}
LEFT_OUT = {
    "diss-5.2.40": {"loop": "over users, who are axis 0; for Newton's there is a bracketed root"}
}
