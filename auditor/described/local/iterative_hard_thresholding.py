"""LDP-IHT (diss-5.3.41): audit and settings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Setting
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_local_regression import TWO_SIGNS, signs
from auditor.described.data.sparse_regression import (
    RESIDUAL,
    P,
    error_on_signs,
    messages_form,
    messages_scaling,
)
from reference._validation import FloatArray
from reference.errata.local import iterative_hard_thresholding as errata
from reference.local.iterative_hard_thresholding import (
    Constants,
    constants_for,
    local_hard_thresholding,
)
from reference.privacy.ledger import Ledger

CLAIM = (
    "Theorem 5.3.5: ||theta_T - theta*|| <= 2^-T ||theta*|| + O(R coth(epsilon/2) "
    "sqrt(p log p T s*/n)), residuals in [-R, R]"
)

ISOMETRY = (
    "Delta <= 2/7 holds of the blocks drawn, but at n = 1000 of some 98 in a hundred of them only"
)


def unclipped(
    data: Data, *, epsilon: float, sparsity: int, noise_bound: float, ledger: Ledger, **_: Any
) -> FloatArray:
    """Return a first step on residuals that nobody cut."""
    features, labels = data
    radius = constants_for(dimension=P, sparsity=sparsity, noise_bound=noise_bound).radius
    return ledger.l2_ball(-features * labels[:, None], radius=radius, epsilon=epsilon)


def asked_again(data: Data, *, n_iterations: int, ledger: Ledger, **options: Any) -> FloatArray:
    """Return the last of steps for each of which all users are asked."""
    for _ in range(n_iterations):
        theta = local_hard_thresholding(data, n_iterations=1, ledger=ledger, **options)
    return theta


def _error(rng: np.random.Generator, ledger: Ledger, *, p: float = 8, **options: Any) -> float:
    constants = Constants(radius=RESIDUAL * math.sqrt(p))
    error = error_on_signs(local_hard_thresholding)
    return error(rng, ledger, p=p, constants=constants, **options)


def local_iht() -> Case:
    """LDP-IHT: one message on a sphere per user, in T rounds."""
    return Case(
        id="diss-5.3.41",
        forms={
            "corrected": messages_form(local_hard_thresholding),
            "printed": messages_form(errata.printed),
        },
        scaling=messages_scaling(
            _error,
            error_on_signs(errata.printed),
            claim=CLAIM,
            erratum="diss-5.3.41/E2",
            isometry=ISOMETRY,
        ),
        no_real_data="real features are no signs, which the theorem is about",
        mutants={
            "residuals not cut": messages_form(unclipped, no_black_box="a mutant"),
            "users asked in every round": messages_form(asked_again, no_black_box="a mutant"),
        },
    )


def settings() -> tuple[Setting, ...]:
    """LDP iterative hard thresholding."""
    run = partial(arguments_of, local_hard_thresholding)
    one = {"noise_bound": 0.5, "n_iterations": 1, "constants": Constants(2.0)}
    short = {"noise_bound": 0.3, "n_iterations": 2, "step_size": 0.01}
    return (
        Setting(
            "by-hand",
            "One round of two users: a feature and a residual that are cut; the step ends outside "
            "the unit ball.",
            run(TWO_SIGNS, epsilon=1.0, sparsity=1, **one),
            seed=2,
        ),
        Setting(
            "short-steps",
            "Steps that stay inside the unit ball; fewer than 8 s* coefficients.",
            run(signs(2, 13, 4), epsilon=4.0, sparsity=3, **short),
            seed=4,
        ),
        Setting(
            "middle",
            "Three rounds of 7, 7 and 8 users; 8 of 10 coefficients are kept.",
            run(signs(1, 22, 10), epsilon=2.0, sparsity=1, noise_bound=0.3, n_iterations=3),
            seed=3,
        ),
    )


CASES = {"diss-5.3.41": local_iht}
SETTINGS = {"diss-5.3.41": settings}
