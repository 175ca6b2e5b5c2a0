"""The Label-LDP Lasso (diss-5.3.lasso): audit and settings."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, Scaling, Setting, along, noise_slope, rate_slope
from auditor.described.data.calls import arguments_of
from auditor.described.data.small_local import uniform
from auditor.described.data.small_local_regression import signs
from auditor.described.data.sparse_regression import (
    DELTA,
    NOISE_BOUND,
    P,
    error_on_signs,
    label_form,
    uncut_labels,
)
from reference._validation import FloatArray
from reference.local.label_lasso import Constants, constants_for, label_lasso
from reference.local.lasso import LassoMinimum
from reference.privacy.ledger import Ledger

CLAIM = (
    "l.6549, corrected: ||theta - theta*|| = O((sqrt(s*) + C) sqrt(log(1/delta) s* log p/n)/"
    "epsilon)"
)


def _constants() -> Constants:
    """Return those of the black box, with a penalty that hides no noisy label."""
    right = constants_for(n=1, dimension=P, epsilon=1.0, delta=1e-3, sparsity=1, noise_bound=0.05)
    return replace(right, penalty=1e-6)


def total(found: LassoMinimum) -> float:
    """Return the sum of the coefficients, which grows with the noisy label."""
    return float(np.sum(found.theta))


def _form(function: Any = label_lasso, **options: Any) -> Form:
    return label_form(function, **options)


def mean_of_four(data: Data, *, ledger: Ledger, **options: Any) -> FloatArray:
    """Return the mean of four runs, each with noise as if it were the only one."""
    runs = [label_lasso(data, ledger=ledger, **options).theta for _ in range(4)]
    return np.asarray(np.mean(runs, axis=0))


def _error(
    rng: np.random.Generator, ledger: Ledger, *, factor: float = 1.0, **options: Any
) -> float:
    def algorithm(data: Data, *, n_iterations: int, **parameters: Any) -> FloatArray:
        del n_iterations  # there are none
        n, p = data[0].shape
        known = {name: value for name, value in parameters.items() if name != "ledger"}
        right = constants_for(n=n, dimension=p, **known)
        noise, penalty = factor * right.noise_scale, factor * right.penalty
        inflated = replace(right, noise_scale=noise, penalty=penalty)
        return label_lasso(data, **parameters, constants=inflated).theta

    return error_on_signs(algorithm)(rng, ledger, **options)


def _scaling() -> tuple[Scaling, ...]:
    """Return the recipes.

    The error is the bias of the penalty, which hides the noise; a twin has the penalty of its own.
    """
    dimensions, epsilons, sparsities = (8, 16, 32, 64), (0.5, 1.0, 2.0, 4.0), (1, 2, 3, 4)
    in_p = rate_slope(dimensions, lambda p: math.sqrt(math.log(2 * p)))
    in_s = rate_slope(sparsities, lambda s: (math.sqrt(s) + NOISE_BOUND) * math.sqrt(s))
    inflates = "the noise and its penalty"
    recipe = partial(along, error=_error, repetitions=8, claim=CLAIM, delta=DELTA, norm=0.9)
    recipe = partial(recipe, inflates=inflates)
    return (
        recipe("n", (1_000, 4_000, 16_000, 64_000), -0.5),
        recipe("p", dimensions, in_p, expensive=True),
        recipe("epsilon", epsilons, noise_slope(epsilons, DELTA, 1.0), expensive=True),
        recipe("sparsity", sparsities, in_s, p=32, expensive=True),
    )


def the_lasso() -> Case:
    """Label-LDP Lasso: one noisy label per user, then a convex programme."""
    return Case(
        id="diss-5.3.lasso",
        forms={"corrected": _form(box={"constants": _constants()}, statistic=total)},
        scaling=_scaling(),
        no_real_data="real features are no signs, which the theorem is about",
        mutants={
            "labels not cut": _form(uncut_labels, no_black_box="a mutant"),
            "the mean of four runs": _form(mean_of_four, no_black_box="a mutant"),
        },
    )


def wines() -> tuple[FloatArray, FloatArray]:
    """Return five measurements of every fourth wine, to [-1, 1], and its alcohol, around 0."""
    from sklearn.datasets import load_wine

    rows = load_wine().data[::4, :6]
    low, high = rows.min(axis=0), rows.max(axis=0)
    scaled = (2 * (rows - low) / (high - low) - 1).round(6)
    return scaled[:, 1:], scaled[:, 0]


def settings() -> tuple[Setting, ...]:
    """Label-LDP Lasso."""
    run = partial(arguments_of, label_lasso, delta=1e-2, sparsity=2)
    in_passes: dict[str, Any] = {
        "tolerance": 1e-6,
        "because": "the minimiser is approached in passes, until the objective is within 1e-12 of "
        "the least",
    }
    four = (
        np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]),
        np.array([0.9, 0.3, -9.0, -0.7]),
    )
    empty = np.hstack([uniform(41, 12, 2, -1.2, 1.2), np.zeros((12, 1))])
    labels = uniform(42, 12, 1, -2.0, 2.0)[:, 0]
    by_hand = {"delta": 1e-5, "sparsity": 1, "constants": Constants(1.5, 0.5, 0.25)}
    low, lower = Constants(1.5, 0.5, 0.0625), Constants(0.875, 0.25, 0.03125)
    return (
        Setting(
            "by-hand",
            "Four users and two columns that are orthogonal: every coefficient is the mean of "
            "label times feature, towards 0 by the penalty. A feature and a label are cut.",
            run(four, epsilon=1.0, noise_bound=0.5, **by_hand),
            seed=3,
        ),
        Setting(
            "middle",
            "The noise and the penalty of theory, which leave some of five coefficients.",
            run(signs(9, 40, 5), epsilon=20.0, noise_bound=0.3),
            seed=2,
            **in_passes,
        ),
        Setting(
            "empty-column",
            "A column of zeros, whose coefficient is 0, and features that are no signs.",
            run((empty, labels), epsilon=1.0, noise_bound=0.1, constants=low),
            seed=3,
            **in_passes,
        ),
        Setting(
            "real-data",
            "The alcohol of every fourth wine from five of its measurements, all in [-1, 1].",
            run(wines(), epsilon=4.0, noise_bound=0.5, constants=lower),
            seed=4,
            **in_passes,
        ),
    )


CASES = {"diss-5.3.lasso": the_lasso}
SETTINGS = {"diss-5.3.lasso": settings}
LEFT_OUT = {
    "diss-5.3.lasso": {
        "constants.penalty": "under which no coefficient of the setting's three users is left"
    }
}
