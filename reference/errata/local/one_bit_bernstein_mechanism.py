"""Errata in the sources of diss-5.1.32 (Algorithm 5.1.32)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reference.catalogue import Erratum, PrintedForm
from reference.local.bernstein import Minimum
from reference.local.one_bit_bernstein_mechanism import (
    Constants,
    bit_probability,
    constants_for,
    open_public,
)
from reference.local.partition import means_by_part
from reference.local.risks import Region, UserLoss, grid, losses_at, minimum_of, require_users
from reference.privacy.ledger import Ledger, open_ledger


def printed(
    data: ArrayLike,
    loss: UserLoss,
    constraint: Region | None = None,
    *,
    epsilon: float,
    order: int,
    failure_probability: float = 0.05,
    public_noise: ArrayLike | None = None,
    partition: ArrayLike | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Minimum:
    """Algorithm 5.1.32 as printed: the bit at epsilon itself, (n/|I_l|) y b for 2 y b/|I_l|."""
    ledger = open_ledger(ledger)
    records = require_users(data, loss, constraint)
    n, p = len(records), loss.dimension
    chosen = constants or constants_for(
        n=n, dimension=p, epsilon=epsilon, order=order, failure_probability=failure_probability
    )
    points = grid(chosen.degree, p)
    part, noise = open_public(
        public_noise, partition, ledger, n=n, parts=len(points), scale=1 / epsilon
    )
    probability = bit_probability(losses_at(loss, points[part], records), noise, epsilon)  # step 9
    bits = ledger.bit(probability, epsilon=epsilon, unit="record")  # step 10
    means = n * means_by_part(np.where(bits == 1, noise, 0.0), part)  # steps 13-17
    return minimum_of(means, degree=chosen.degree, dimension=p, order=order, constraint=constraint)


ERRATA = (
    Erratum(
        name="diss-5.1.32/E1",
        severity="S1",
        kind="privacy",
        origin="mathematical",
        statement="Theorem 5.1.4: the one-bit Algorithm 5.1.32 is epsilon-LDP for epsilon <= ln 2",
        truth="the loss is -ln(2 - e^epsilon), above epsilon for every epsilon > 0 and infinite at "
        "ln 2: a bit that is 0 rules out v = 1. With epsilon_0 = ln(2 - e^-epsilon) for epsilon, "
        "in the public noise and in the bit, it is epsilon-LDP",
        witness="epsilon=.5, public y=1: P(b = 0) is .5 at v=0 and .1756 at v=1, a loss of 1.046",
        reproduced_by="audit:printed/sensitivity",
    ),
    Erratum(
        name="diss-5.1.32/E2",
        severity="S2",
        kind="implementation",
        origin="mathematical",
        statement="line 17: v_l = (n/|I_l|) sum over I_l of y_i b_i",
        truth="that has mean n/2 times the mean of the v_i, as E[y_i b_i] = v_i/2: "
        "(2/|I_l|) sum y_i b_i is unbiased",
        witness="n=1000: about 248 where the mean is .496; the error grows with n",
        reproduced_by="audit:printed/scaling",
    ),
)

FORMS = (PrintedForm("printed", errata=("diss-5.1.32/E1", "diss-5.1.32/E2"), function=printed),)
