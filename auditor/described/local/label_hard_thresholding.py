"""Label-LDP-IHT (diss-5.3.42): audit and settings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from auditor import Box, Case, Data, Form, Product, Setting
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_local_regression import TWO_SIGNS, signs
from auditor.described.data.sparse_regression import (
    P,
    error_on_signs,
    label_form,
    label_scaling,
    uncut_labels,
)
from reference._validation import FloatArray
from reference.errata.local import label_hard_thresholding as errata
from reference.local import label_noise
from reference.local.label_hard_thresholding import label_hard_thresholding
from reference.privacy.ledger import Ledger

CLAIM = (
    "Theorem 5.3.6, corrected: ||theta_T - theta*|| <= 2^-T ||theta*|| + O((sqrt(s*) + C) "
    "sqrt(log(1/delta) s* log p/n)/epsilon); Delta <= 2/7 holds of the features drawn"
)
IN_CLASS = 1.05
"""sqrt(s*) + C of the form: labels that the class P' has."""
ERRATUM = "004 Theorem 5.3.6/E1"


def _form(function: Any = label_hard_thresholding, **options: Any) -> Form:
    return label_form(function, **{"n_iterations": 2, "step_size": 0.05, **options})


def asked_again(data: Data, *, n_iterations: int, ledger: Ledger, **options: Any) -> FloatArray:
    """Return the last of several steps, each of which perturbs the labels again."""
    for _ in range(n_iterations):
        theta = label_hard_thresholding(data, n_iterations=1, ledger=ledger, **options)
    return theta


def label_iht() -> Case:
    """Label-LDP-IHT: one noisy label per user, then steps that read nothing else."""
    shown = dict.fromkeys(("sensitivity", "privacy_loss", "black_box"), ERRATUM)
    return Case(
        id="diss-5.3.42",
        forms={
            "corrected": _form(),
            "printed": _form(
                errata.printed,
                label=IN_CLASS,
                domain=Product((Box((P,), -1.0, 1.0), Box((), -IN_CLASS, IN_CLASS))),
                statistic=lambda theta: -float(np.sum(theta)),  # it climbs
                violates=shown,
            ),
        },
        scaling=label_scaling(error_on_signs(label_hard_thresholding), claim=CLAIM),
        no_real_data="real features are no signs, which the theorem is about",
        mutants={
            "labels not cut": _form(uncut_labels, no_black_box="a mutant"),
            "labels perturbed in every step": _form(asked_again, no_black_box="a mutant"),
        },
    )


def settings() -> tuple[Setting, ...]:
    """Label-LDP iterative hard thresholding."""
    run = partial(arguments_of, label_hard_thresholding)
    by_hand = {"step_size": 0.25, "constants": label_noise.Constants(1.5, 1.0)}
    one = {"sparsity": 1, "noise_bound": 0.5, "n_iterations": 1}
    three, four = ({"sparsity": 2, "noise_bound": 0.3, "n_iterations": t} for t in (3, 4))
    return (
        Setting(
            "by-hand",
            "Two users and one step: a feature and a label that are cut.",
            run(TWO_SIGNS, epsilon=1.0, delta=1e-5, **one, **by_hand),
            seed=3,
        ),
        Setting(
            "middle",
            "Three steps; 16 of 18 coefficients are kept, outside the unit ball.",
            run(signs(3, 20, 18), epsilon=1.0, delta=1e-3, **three),
            seed=2,
        ),
        Setting(
            "short-steps",
            "Steps that stay inside the unit ball; fewer than 8 s* coefficients.",
            run(signs(4, 12, 4), epsilon=8.0, delta=1e-2, step_size=0.05, **four),
            seed=4,
        ),
    )


CASES = {"diss-5.3.42": label_iht}
SETTINGS = {"diss-5.3.42": settings}
