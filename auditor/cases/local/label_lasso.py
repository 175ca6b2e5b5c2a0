"""How the Label-LDP Lasso (diss-5.3.lasso) is audited."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from auditor import Case, Data, Form, Scaling, along, noise_slope, rate_slope
from auditor.cases.data.sparse_regression import (
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

    return error_on_signs(rng, ledger, algorithm=algorithm, **options)


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
        recipe("p", dimensions, in_p, dear=True),
        recipe("epsilon", epsilons, noise_slope(epsilons, DELTA, 1.0), dear=True),
        recipe("sparsity", sparsities, in_s, p=32, dear=True),
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


CASES = {"diss-5.3.lasso": the_lasso}
