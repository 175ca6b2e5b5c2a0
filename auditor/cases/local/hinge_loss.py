"""How Hinge Loss-LDP (diss-5.1.33) is audited."""

from __future__ import annotations

from functools import partial

import numpy as np

from auditor.cases.build import along
from auditor.cases.data.noisy_copies import (
    DEGREE,
    GUESSING,
    LARGE,
    RIGHT,
    copies_form,
    gradient_size,
    margins_of_both_signs,
    unclipped,
    with_messages,
)
from auditor.core.case import Case
from auditor.core.rates import noise_slope
from reference._validation import FloatArray
from reference.constraint_sets import L2Ball
from reference.errata.local import hinge_loss as errata
from reference.local.hinge_loss import constants_for, hinge_loss_ldp, hinge_slope, with_noise
from reference.local.noisy_copies import bernstein_weights, nodes
from reference.privacy.ledger import Ledger

SMOOTH = 3
"""Degree of the polynomial that the recipe along n minimises."""


def _polynomial(margin: FloatArray) -> FloatArray:
    """Return the antiderivative of the Bernstein polynomial of f'_beta, beta = .25."""
    weights = bernstein_weights(hinge_slope(nodes(SMOOTH), 0.25))
    slope = np.polynomial.Polynomial([0.0])
    t = np.polynomial.Polynomial([0.5, 0.5])
    for j, weight in enumerate(weights):
        slope = slope + weight * t**j * (1 - t) ** (SMOOTH - j)
    return np.asarray(slope.integ()(margin))


def _gap(rng: np.random.Generator, ledger: Ledger, n: float) -> float:
    """Return the excess risk at noise .3, far below what any budget asks for (an override).

    Of the polynomial, which is convex: the estimates are unbiased for its slope.
    """
    data, share = margins_of_both_signs(rng, int(n))
    w = hinge_loss_ldp(
        **data,
        constraint=L2Ball(1.0),
        epsilon=1.0,
        delta=1e-5,
        smoothing=0.25,
        degree=SMOOTH,
        constants=with_noise(0.3, 0.3, dimension=1, degree=SMOOTH),
        ledger=ledger,
    )
    points = np.append(w, np.linspace(-1, 1, 2001))
    risks = share * _polynomial(points) + (1 - share) * _polynomial(-points)
    return float(risks[0] - risks.min())


def hinge_loss() -> Case:
    """Hinge Loss-LDP: d(d + 1) + 1 Gaussian copies of every user's record."""
    theorem = "Theorem 5.1.7 (corrected): the deviation of G is O(sqrt p/epsilon^(2d+2)), d = 2"
    constants = constants_for(dimension=2, degree=DEGREE, **RIGHT)
    epsilons = (0.25, 0.5, 1.0, 2.0)
    size = partial(along, error=gradient_size, claim=theorem, constants_for=constants_for)
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
            along(
                "n",
                (50, 200, 800, 3200),
                -0.5,
                name="n at noise .3",
                error=_gap,
                repetitions=10,
                claim="Lemma 5.1.5 (corrected): E L(w_n) - min L = O(sigma R/sqrt n), at a noise "
                "of .3 in place of the budget's",
                dear=True,
            ),
            size("p", (16, 64, 256, 1024), 0.5, repetitions=100),
            size("epsilon", epsilons, noise_slope(epsilons, 1e-5, 6.0), repetitions=100),
        ),
        no_real_data="at a genuine budget the gradients are noise of 1e5 and more at any n",
        mutants={
            "clipping dropped": copies_form(
                unclipped(constants), length=2.0, no_black_box="a mutant", **RIGHT
            )
        },
    )


CASES = {"diss-5.1.33": hinge_loss}
