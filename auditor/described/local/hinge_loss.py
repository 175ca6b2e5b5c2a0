"""Hinge Loss-LDP (diss-5.1.33): audit and settings."""

from __future__ import annotations

from functools import partial

from numpy.polynomial import Polynomial

from auditor import Case, Setting
from auditor.described.data.calls import arguments_of
from auditor.described.data.noisy_copies import (
    DEGREE,
    GUESSING,
    LARGE,
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
from reference.errata.local import hinge_loss as errata
from reference.local.hinge_loss import constants_for, hinge_loss_ldp, hinge_slope
from reference.local.noisy_copies import Constants, nodes

NOISE, DEVIATION = 0.3, 1.4
"""Noise of every copy, and deviation of a gradient, in the recipe along n."""


def expected_slope(degree: int) -> Polynomial:
    """Return P((1 + t)/2), the mean of a step's slope at a margin t."""
    return bernstein_polynomial(hinge_slope(nodes(degree), SMOOTHING), Polynomial([0.5, 0.5]))


def hinge_loss() -> Case:
    """Hinge Loss-LDP: d(d + 1) + 1 Gaussian copies of every user's record."""
    constants = constants_for(dimension=2, degree=DEGREE, **RIGHT)
    return Case(
        id="diss-5.1.33",
        forms={
            "corrected": with_messages(copies_form(hinge_loss_ldp, **RIGHT), constants),
            "printed": copies_form(
                errata.printed,
                no_black_box=GUESSING,
                violates={"accounting": "diss-5.1.33/E1", "privacy_loss": "diss-5.1.33/E1"},
                **LARGE,
            ),
        },
        scaling=(
            along_n(
                hinge_loss_ldp,
                noise=NOISE,
                deviation=DEVIATION,
                slope=expected_slope(3),
            ),
            *of_a_gradient(constants_for),
        ),
        no_real_data="at a genuine budget the gradients are noise of 1e5 and more at any n",
        mutants={
            "clipping dropped": copies_form(
                unclipped(constants), length=2.0, no_black_box="a mutant", **RIGHT
            )
        },
    )


def settings() -> tuple[Setting, ...]:
    """Hinge Loss-LDP."""
    run, disc = partial(arguments_of, hinge_loss_ldp), L2Ball(1.0)
    one = {"smoothing": 0.5, "degree": 1, "constants": Constants(0.5, 0.25, 1.0)}
    three = {"smoothing": 0.25, "degree": 3, "constants": Constants(0.5, 0.25, 0.5)}
    return (
        Setting(
            "by-hand",
            "Two users and degree 1: three copies of each record, and two steps.",
            run(TWO_LABELLED, disc, epsilon=1.0, delta=1e-5, **one),
            seed=2,
        ),
        Setting(
            "middle",
            "The noise of theory, degree 2 and three variables.",
            run(labelled(11, 10, 3), disc, epsilon=2.0, delta=1e-2, smoothing=0.5, degree=2),
            seed=3,
        ),
        Setting(
            "small-set",
            "Little noise, degree 3 and an l1 ball that the steps reach.",
            run(labelled(13, 6, 2), L1Ball(0.25), epsilon=1.0, delta=1e-2, **three),
            seed=4,
        ),
    )


CASES = {"diss-5.1.33": hinge_loss}
SETTINGS = {"diss-5.1.33": settings}
