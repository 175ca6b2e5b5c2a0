"""Section 4.1.5: the loss of the experiments."""

from __future__ import annotations

from functools import partial

import numpy as np

from proofs_checks.balls import ball, exp
from proofs_checks.extras import z3
from proofs_checks.outcome import Outcome
from proofs_checks.paper_004.section_3 import random_records
from proofs_checks.statement import statement as any_statement
from proofs_checks.vocabulary import derived, for_all, reals, refuted, searched
from reference.losses import Sigmoid
from reference.nonconvex.proximal_gradient_descent import dp_proximal_gradient_descent
from reference.privacy.ledger import NoiselessLedger

statement = partial(any_statement, algorithms=("diss-4.1.16",))


@statement(
    "004 l.2877 (sigmoid loss)",
    lines="2877, 4102",
    kind="experiment",
    printed="classification by minimising the mean of 1/(1+exp(-y <theta, x>))",
    false="it increases with the margin y <theta, x>: its minimiser is the worst classifier",
    errata=("diss-4.1.16/E6",),
)
def printed_sign() -> Outcome:
    """A record on the right side of the boundary must not cost more than one on the wrong side."""
    right, wrong = (1 / (1 + exp(-ball(margin))) for margin in (1, -1))
    point = {"margin, right side": 1.0, "margin, wrong side": -1.0}
    return refuted(point, right, wrong, "printed loss")


@printed_sign.corrected(
    "1/(1+exp(+y <theta, x>))",
    refuses={
        "the printed sign": {"sign": -1},
        "without the label": {"labelled": False},
    },
)
def flipped_sign(rng: np.random.Generator, sign: int = 1, labelled: bool = True) -> Outcome:
    """It decreases with the margin t, u = e^t [step "decreasing"]; the code trains with it.

    A record costs at most 1/2 where the score <theta, x> has the sign of its label, and more where
    it has the other [step "label", u is e^<theta, x>].
    """
    u, v = reals("u v")
    losses = (1 / (1 + u), 1 / (1 + v)) if sign == 1 else (u / (1 + u), v / (1 + v))
    features, _ = random_records(rng, 300, 5)
    labels = np.where(features @ rng.standard_normal(5) > 0, 1.0, -1.0)
    x = dp_proximal_gradient_descent(
        (features, labels),
        Sigmoid(),
        initial=np.zeros(5),
        epsilon=1.0,
        delta=1e-2,
        n_iterations=1500,
        ledger=NoiselessLedger(0),
    ).path[-1]
    errors = float((np.sign(features @ x) != labels).mean())
    y = reals("y")
    positive, negative = (1 / (1 + u), u / (1 + u)) if sign == 1 else (u / (1 + u), 1 / (1 + u))
    loss = z3.If(y > 0, positive, negative) if labelled else positive
    return derived(
        label=for_all((2 * loss <= 1) == (y * (u - 1) >= 0), u > 0, y * y == 1),
        decreasing=for_all(losses[0] >= losses[1], u > 0, v >= u),
        training=searched(errors, 0.05, tried=1, what="noiseless training error, separable labels"),
    )
