"""Errata in the source of diss-5.1.33 (Algorithm 5.1.33)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference._validation import FloatArray
from reference.catalogue import Erratum, PrintedForm, Withdrawn
from reference.constraint_sets import Ball
from reference.errata.local.noisy_copies import printed_noise_scales
from reference.local.hinge_loss import hinge_slope, send_copies, with_noise
from reference.local.intermediate_gradient import IntermediateGradient
from reference.local.noisy_copies import (
    Constants,
    bernstein_estimate,
    bernstein_weights,
    records_of,
)
from reference.privacy.ledger import Ledger, open_ledger


def printed_constants(*, dimension: int, epsilon: float, delta: float, degree: int) -> Constants:
    """Return the printed noise, and the root mean square that goes with it."""
    pair, factor = printed_noise_scales(epsilon=epsilon, delta=delta, degree=degree)
    return with_noise(pair, factor, dimension=dimension, degree=degree)


def printed(
    data: Any,
    constraint: Ball,
    *,
    epsilon: float,
    delta: float,
    smoothing: float,
    degree: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Run the box as printed: the classical noise per slot, nodes j/d for margins in [-1, 1]."""
    ledger = open_ledger(ledger)
    records = records_of(data)
    n, p = len(records), records.shape[1] - 1
    chosen = constants or printed_constants(
        dimension=p, epsilon=epsilon, delta=delta, degree=degree
    )
    weights = bernstein_weights(hinge_slope(np.arange(degree + 1) / degree, smoothing))
    state = IntermediateGradient(
        constraint,
        dimension=p,
        smoothness=1 / smoothing,
        deviation=chosen.gradient_deviation,
        radius=constraint.largest_norm,
    )
    copies = send_copies(records, degree=degree, constants=chosen, ledger=ledger)
    for user in ledger.public(lambda rng: rng.integers(n, size=n)):
        slope = bernstein_estimate(copies.margins(user, state.query), weights)
        state.update(copies.gradient(user, slope))
    return state.output


ERRATA = (
    Erratum(
        name="diss-5.1.33/E1",
        severity="S3",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 5.1.8: (epsilon, delta)-LDP for any epsilon > 0 and 0 < delta < 1, by "
        "the Gaussian mechanism and composition",
        truth="basic composition of the printed noise gives (3 epsilon, 2(d^2 + d + 1) delta). "
        "Exactly it is mu-GDP, mu^2 = (epsilon^2/log(1.25/delta))(1/4 + 1/(d(d+1))): enough for "
        "d >= 2 and epsilon <= 1, too much for a large epsilon",
        witness="d=2: delta(epsilon) exceeds delta from epsilon = 14.8 on (delta=1e-6), 10.8 "
        "(1e-3); d=32: 42.7, 25.6; d=1: 1.38 (1e-6). At (16, 1e-2) and d=2 it is .107",
        reproduced_by="audit:printed/privacy_loss",
    ),
    Erratum(
        name="diss-5.1.33/E2",
        severity="S2",
        kind="proof",
        origin="mathematical",
        statement="the Bernstein polynomial with nodes j/d is within alpha/4 of f'_beta on [-1, 1]",
        truth="it is so on [0, 1] alone; on [-1, 0), where margins are as well, it explodes. With "
        "t = (1 + u)/2 and nodes 2j/d - 1 it is so on [-1, 1] for d >= .8587/(beta^2 alpha)",
        witness="beta=.25, largest error on [-1, 1] and on [0, 1]: d=5 1.98 and .079; d=10 24.4 "
        "and .051; d=20 506 and .031; d=40 1.4e6 and .017",
        reproduced_by="test:test_the_printed_polynomial_explodes_where_margins_are_negative",
    ),
    Erratum(
        name="diss-5.1.33/E3",
        severity="S2",
        kind="utility",
        origin="mathematical",
        statement="Theorem 5.1.7: Var G = O(d^(6d) C^d p/epsilon^(4d+4)), hence the n of "
        "Theorem 5.1.8",
        truth="d^(8d) for d^(6d): both factors of y_k <w, x_k> have noise of variance "
        "d^4/epsilon^2, of which the proof forgets the square",
        witness="log of the exact second moment less d log(4 (8L)^2), over d log d, at epsilon=1, "
        "beta=.25, delta=1e-5: 8.036, 8.001, 7.999, 8.000 at d = 10, 40, 160, 640",
        reproduced_by="test:test_the_second_moment_grows_like_d_to_the_8d",
    ),
    Erratum(
        name="diss-5.1.33/E5",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="line 22 returns w_n, and Lemma 5.1.5 and Theorem 5.1.8 bound its error; w_t is "
        "where the gradients are taken",
        truth="SIGM's output y_n, as in Algorithm 5.1.38 and Lemma 5.1.16; the gradients are "
        "taken at its x_k",
        witness="f(w) = |w - .3| on [-1, 1], beta = sigma = R = 1, 100 exact gradients: an error "
        "of .035 where the next one is taken, .0020 at y",
        reproduced_by="test:test_the_last_query_is_not_the_output",
        elsewhere="y_T and y_k in Algorithm 5.1.38 (l.5636) and Lemma 5.1.16 (l.5601, l.5603); "
        "w_k in Lemma 5.1.5 (l.4802) and w_n in Algorithm 5.1.34 (l.5131)",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "diss-5.1.33/E4",
        "gamma = alpha/2 is right: the shift of the model function may depend on w; the proof only "
        "omits the lower side.",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-5.1.33/E1", "diss-5.1.33/E2"), function=printed),)
