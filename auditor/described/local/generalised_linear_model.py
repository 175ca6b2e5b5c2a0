"""Generalised linear models from local moments (diss-5.2.39): audit and settings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import BlackBox, Case, Data, Form, Setting, along, form
from auditor.described.data import scaled_least_squares as shared
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_local_regression import PUBLIC, TWO_MEASURED, measured
from reference._validation import FloatArray
from reference.local.generalised_linear_model import (
    local_generalised_linear_model,
    release_moments,
)
from reference.local.links import CUBIC, LOGISTIC, Link
from reference.local.scaled_least_squares import (
    Constants,
    Estimate,
    constants_for,
    constants_of_theorem,
)
from reference.privacy.guarantees import Model
from reference.privacy.ledger import Ledger

CLAIM = "Theorem 5.2.2: ||w - w*||_inf = O(1/(epsilon sqrt n)) besides what does not depend on both"
RIGHT: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-2}


def _form(pair: tuple[Data, Data], function: Any = None, **options: Any) -> Form:
    return form(
        function or local_generalised_linear_model,
        pair,
        LOGISTIC,
        public_features=shared.PUBLIC,
        radius=1.0,
        model=Model.LOCAL,
        domain=shared.DOMAIN,
        **RIGHT,
        **options,
    )


def _right(pair: tuple[Data, Data], constants: Constants) -> Form:
    """Return a form whose black box sees the message of the first user."""
    made = _form(pair, constants=constants)

    def message(data: Data, ledger: Ledger) -> FloatArray:
        matrices, vectors = release_moments(
            *shared.first_user(data), radius=1.0, constants=constants, ledger=ledger
        )
        return np.append(matrices[0], vectors[0])

    def moved(data: Data) -> FloatArray:
        features, label = data[0][0], data[1][0]
        return np.append(np.triu(np.outer(features, features)), features * label)

    # the scales are equal at r = B = 1, so this is the log-likelihood ratio but for a factor
    direction = moved(pair[0]) - moved(pair[1])
    seen = (shared.first_user(pair[0]), shared.first_user(pair[1]))
    box = BlackBox(message, made.claim, seen, lambda output: float(output @ direction))
    return replace(made, black_box=box)


def unclipped(
    data: Data, link: Link, *, public_features: FloatArray, ledger: Ledger, **claim: Any
) -> Estimate:
    """Run the algorithm on features and labels of any size."""
    noise = constants_for(**claim)
    matrices, vectors = shared.unclipped_moments(data, noise, ledger)
    return shared.server(link, matrices.mean(axis=0), vectors.mean(axis=0), public_features)


def _error(
    rng: np.random.Generator, ledger: Ledger, *, n: float = 1e13, epsilon: float = 1.0
) -> float:
    del rng  # the data are their own law
    constants = constants_of_theorem(epsilon=epsilon, delta=1e-5, radius=1.0)
    return shared.server_error(
        LOGISTIC, ledger, n=n, dimension=3, size=3**-0.5, constants=constants
    )


def generalised_linear_model() -> Case:
    """GLM with public features: a matrix and a vector from every user."""
    recipe = partial(along, error=_error, repetitions=40, claim=CLAIM)
    smallest, theorem = (
        constants_for(radius=1.0, **RIGHT),
        constants_of_theorem(radius=1.0, **RIGHT),
    )
    return Case(
        id="diss-5.2.39",
        forms={
            "corrected": _right(shared.features_turned(), smallest),
            "corrected-labels": _right(shared.features_reversed(), smallest),
            "corrected-theorem": _right(shared.features_reversed(), theorem),
        },
        scaling=(
            recipe("n", (1e10, 1e11, 1e12, 1e13), -0.5),
            recipe("epsilon", (0.0625, 0.125, 0.25, 0.5, 1.0), -1.0),
        ),
        mutants={
            "clipping dropped": _form(
                shared.features_turned(length=3.0), unclipped, no_black_box="a mutant"
            ),
            "labels not cut": _form(
                shared.features_reversed(label=3.0), unclipped, no_black_box="a mutant"
            ),
        },
    )


def settings() -> tuple[Setting, ...]:
    """Non-interactive LDP for smooth GLM with public data."""
    run, drawn = partial(arguments_of, local_generalised_linear_model), measured(32, 20, 3, 1.0)
    claim = {"epsilon": 4.0, "delta": 1e-2}
    by_hand = {"epsilon": 1.0, "delta": 1e-5, "constants": Constants(1.5, 2.0, 0.5, 0.25)}
    little, less = Constants(1.5, 2.0, 0.01, 0.01), Constants(0.5, 1.0, 0.01, 0.01)
    return (
        Setting(
            "by-hand",
            "Two users: features scaled to l1 norm 1, a label cut to 1. The public features are 0, "
            "so that the factor is 1/f'(0) = 4.",
            run(TWO_MEASURED, LOGISTIC, public_features=np.zeros((2, 2)), **by_hand),
            seed=2,
        ),
        Setting(
            "middle",
            "The noise of theory, which makes the matrix indefinite; the cubic link.",
            run(drawn, CUBIC, public_features=PUBLIC, radius=0.75, **claim),
            seed=3,
        ),
        Setting(
            "logistic",
            "Little noise and the logistic link, whose factor is found step by step.",
            run(drawn, LOGISTIC, public_features=PUBLIC / 4, constants=little, **claim),
            seed=4,
        ),
        Setting(
            "no-factor",
            "Large scores: the logistic link has no factor, and there are no coefficients.",
            run(drawn, LOGISTIC, public_features=8 * PUBLIC, radius=0.5, constants=less, **claim),
            seed=5,
        ),
    )


CASES = {"diss-5.2.39": generalised_linear_model}
SETTINGS = {"diss-5.2.39": settings}
LEFT_OUT = {
    "diss-5.2.39": {"loop": "over users, who are axis 0; for Newton's there is a bracketed root"}
}
