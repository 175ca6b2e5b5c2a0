"""Errata in the source of diss-5.1.34 (Algorithm 5.1.34)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm
from reference.constraint_sets import Ball
from reference.errata.local.noisy_copies import printed_noise_scales
from reference.local.general_linear_loss import with_noise
from reference.local.hinge_loss import send_copies
from reference.local.intermediate_gradient import IntermediateGradient
from reference.local.margin_losses import MarginLoss, sample_thresholds
from reference.local.noisy_copies import (
    Constants,
    bernstein_estimate,
    bernstein_weights,
    records_of,
    smoothed_step,
)
from reference.privacy.ledger import Ledger, open_ledger


def printed_constants(*, dimension: int, epsilon: float, delta: float, degree: int) -> Constants:
    """Return the printed noise, and the root mean square that goes with it."""
    pair, factor = printed_noise_scales(epsilon=epsilon, delta=delta, degree=degree)
    return with_noise(pair, factor, dimension=dimension, degree=degree)


def printed(
    data: Any,
    loss: MarginLoss,
    constraint: Ball,
    *,
    epsilon: float,
    delta: float,
    smoothing: float,
    degree: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Run the box as printed: an s for every factor, nodes j/d, a scalar added to a vector."""
    ledger = open_ledger(ledger)
    records = records_of(data)
    n, p = len(records), records.shape[1] - 1
    chosen = constants or printed_constants(
        dimension=p, epsilon=epsilon, delta=delta, degree=degree
    )
    low, high = loss.slopes
    weights = bernstein_weights(smoothed_step(np.arange(degree + 1) / degree, smoothing))
    state = IntermediateGradient(
        constraint,
        dimension=p,
        smoothness=1 / smoothing,
        deviation=chosen.gradient_deviation,
        radius=constraint.largest_norm,
    )
    copies = send_copies(records, degree=degree, constants=chosen, ledger=ledger)
    shape = (degree + 1, degree)
    for user in ledger.public(lambda rng: rng.integers(n, size=n)):
        s = ledger.public(lambda rng: sample_thresholds(loss, shape[0] * shape[1], rng))
        arguments = (copies.margins(user, state.query) - s.reshape(shape)) / 2
        slope = (high - low) * bernstein_estimate(arguments, weights)
        state.update(copies.gradient(user, slope) + low)
    return state.output


ERRATA = (
    Erratum(
        name="diss-5.1.34/E1",
        severity="S2",
        kind="implementation",
        origin="mathematical",
        statement="line 13 draws an s_k of its own for every factor (t - s_k)/2",
        truth="the mean of a product of j such factors is ((t - E s)/2)^j: the estimate is that of "
        "h'_beta((t - E s)/2) and not of E h'_beta((t - s)/2), with which the proof goes on. One s "
        "for all factors of a step is right",
        witness="f(t) = max(0, |t| - 1/2), so s = +-1/2, at t=.25, beta=.1: .8904 for .5463, and "
        "a slope of .781 for .093",
        reproduced_by="test:test_the_printed_draws_estimate_the_slope_at_the_mean_of_s",
    ),
    Erratum(
        name="diss-5.1.34/E2",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="line 19: G = (f'(1) - f'(-1)) (...) y_{i,0} x_{i,0} + f'(-1)",
        truth="f'(-1) is a part of the slope: it multiplies y_{i,0} x_{i,0} as well",
        witness="x = (1, 0): the printed G has the second coordinate f'(-1), the gradient has 0",
        reproduced_by="test:test_the_printed_gradient_has_a_scalar_added_to_a_vector",
        elsewhere="The proof has the same form twice (l.5501, l.5509)",
    ),
    Erratum(
        name="diss-5.1.34/E3",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="the Bernstein polynomial with nodes j/d is taken at (t - s)/2 in [-1, 1]",
        truth="it approximates h'_beta on [0, 1] alone; (2 + t - s)/4 with nodes 2j/d - 1 is right",
        witness="beta=.25, error at t - s = -2, the largest: 4.76, 15.7, 609, 3.7e5 at d = 5, 10, "
        "20, 40",
        reproduced_by="test:test_the_printed_polynomial_explodes_where_t_is_below_s",
        copy_of="diss-5.1.33/E2",
    ),
    Erratum(
        name="diss-5.1.34/E4",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="line 23 returns w_n, where the gradients are taken",
        truth="SIGM's output y_n, see diss-5.1.33/E5",
        witness="that of diss-5.1.33/E5",
        reproduced_by="test:test_the_last_query_is_not_the_output",
        copy_of="diss-5.1.33/E5",
        elsewhere="y_T and y_k in Algorithm 5.1.38 (l.5636) and Lemma 5.1.16 (l.5601, l.5603); "
        "w_n in Algorithm 5.1.33 (l.5046)",
    ),
)

FORMS = (
    PrintedForm(
        "printed",
        errata=("diss-5.1.34/E1", "diss-5.1.34/E2", "diss-5.1.34/E3"),
        function=printed,
    ),
)
