"""General Linear-LDP (diss-5.1.34): audit and settings."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.polynomial import Polynomial

from auditor import Case, Setting
from auditor.described.data.calls import arguments_of
from auditor.described.data.noisy_copies import (
    DEGREE,
    GUESSING,
    RIGHT,
    SMOOTHING,
    along_n,
    bernstein_polynomial,
    copies_form,
    of_a_gradient,
    unclipped,
    with_messages,
)
from auditor.described.data.small_local import TWO_LABELLED, labelled
from reference.constraint_sets import L1Ball, L2Ball
from reference.errata.local import general_linear_loss as errata
from reference.local.general_linear_loss import constants_for, general_linear_ldp
from reference.local.margin_losses import HINGE, LOGISTIC
from reference.local.noisy_copies import Constants, nodes, smoothed_step

NOISE, DEVIATION = 0.5, 1.0
"""Noise of every copy, and deviation of a gradient, in the recipe along n."""


def expected_slope(degree: int) -> Polynomial:
    """Return (b - a) E P((2 + t - s)/4) + a for the logistic loss, s at the quantiles of Q."""
    low, high = LOGISTIC.slopes
    thresholds = LOGISTIC.thresholds(low + (high - low) * (np.arange(100) + 0.5) / 100)
    values = smoothed_step(nodes(degree), SMOOTHING)
    terms = [
        bernstein_polynomial(values, Polynomial([(2 - s) / 4, 0.25])) / len(thresholds)
        for s in thresholds
    ]
    return (high - low) * sum(terms, Polynomial([0.0])) + low


def general_linear_loss() -> Case:
    """General Linear-LDP: the messages of Hinge Loss-LDP, one threshold s a step."""
    constants = constants_for(dimension=2, degree=DEGREE, **RIGHT)
    corrected = copies_form(general_linear_ldp, LOGISTIC, **RIGHT)
    return Case(
        id="diss-5.1.34",
        forms={
            "corrected": with_messages(corrected, constants),
            # private: epsilon is at most 1, and what is wrong is the server's
            "printed": copies_form(errata.printed, LOGISTIC, no_black_box=GUESSING, **RIGHT),
        },
        scaling=(
            along_n(
                general_linear_ldp,
                LOGISTIC,
                noise=NOISE,
                deviation=DEVIATION,
                slope=expected_slope(3),
            ),
            *of_a_gradient(constants_for),
        ),
        no_real_data="at a genuine budget the gradients are noise of 1e5 and more at any n",
        mutants={
            "clipping dropped": copies_form(
                unclipped(constants), LOGISTIC, length=2.0, no_black_box="a mutant", **RIGHT
            )
        },
    )


def settings() -> tuple[Setting, ...]:
    """General Linear-LDP."""
    run, disc = partial(arguments_of, general_linear_ldp), L2Ball(1.0)
    one = {"smoothing": 0.5, "degree": 1, "constants": Constants(0.5, 0.25, 1.0)}
    three = {"smoothing": 0.25, "degree": 3, "constants": Constants(0.5, 0.25, 0.5)}
    return (
        Setting(
            "by-hand",
            "Two users and degree 1: three copies of each record, and two steps.",
            run(TWO_LABELLED, HINGE, disc, epsilon=1.0, delta=1e-5, **one),
            seed=2,
        ),
        Setting(
            "middle",
            "The noise of theory, degree 2, three variables and the logistic loss.",
            run(
                labelled(11, 10, 3),
                LOGISTIC,
                disc,
                epsilon=2.0,
                delta=1e-2,
                smoothing=0.5,
                degree=2,
            ),
            seed=3,
        ),
        Setting(
            "small-set",
            "Little noise, degree 3 and an l1 ball that the steps reach.",
            run(labelled(13, 6, 2), LOGISTIC, L1Ball(0.25), epsilon=1.0, delta=1e-2, **three),
            seed=4,
        ),
    )


CASES = {"diss-5.1.34": general_linear_loss}
SETTINGS = {"diss-5.1.34": settings}
