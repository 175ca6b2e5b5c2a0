"""Errata in the sources of diss-5.1.37 (Algorithm 5.1.37)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, IntArray, require_array
from reference.catalogue import Erratum, PrintedForm
from reference.local.bernstein import Minimum
from reference.local.one_bit_bernstein_mechanism import bit_probability
from reference.local.partition import means_by_part, open_partition
from reference.local.risks import Region, UserLoss, grid, losses_at, minimum_of, require_users
from reference.local.selected_noise_bernstein_mechanism import (
    Constants,
    constants_for,
    index_sensitivity,
    log_probabilities,
)
from reference.privacy.ledger import Ledger, open_ledger


def _reports(
    data: ArrayLike,
    loss: UserLoss,
    *,
    epsilon: float,
    order: int,
    failure_probability: float = 0.05,
    public_noise: ArrayLike | None = None,
    partition: ArrayLike | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> tuple[IntArray, FloatArray, IntArray, Constants]:
    """Return g, y and the partition, steps 3 to 13 of the algorithm, and the constants."""
    ledger = open_ledger(ledger)
    records = require_users(data, loss, None)
    n = len(records)
    chosen = constants or constants_for(
        n=n,
        dimension=loss.dimension,
        epsilon=epsilon,
        order=order,
        failure_probability=failure_probability,
    )
    base, shape, sensitivity = (
        chosen.base_epsilon,
        (n, chosen.n_candidates),
        index_sensitivity(chosen),
    )
    points = grid(chosen.degree, loss.dimension)
    part = open_partition(partition, n, len(points), ledger)
    y = (
        require_array("public_noise", public_noise, ndim=2, shape=shape)
        if public_noise is not None
        else ledger.public(lambda rng: rng.laplace(scale=1 / base, size=shape))
    )
    v = losses_at(loss, points[part], records)
    logs = log_probabilities(bit_probability(v[:, None], y, base))
    g = ledger.selections(logs, sensitivity=sensitivity, epsilon=2 * sensitivity)
    return g, y, part, chosen


def _least(
    means: FloatArray, chosen: Constants, loss: UserLoss, order: int, constraint: Region | None
) -> Minimum:
    return minimum_of(
        means,
        degree=chosen.degree,
        dimension=loss.dimension,
        order=order,
        constraint=constraint,
    )


def printed_index(
    data: ArrayLike,
    loss: UserLoss,
    constraint: Region | None = None,
    *,
    order: int,
    **parameters: Any,
) -> Minimum:
    """Line 17 averages the index g_i that was sent, not the public number that it stands for."""
    indices, _, part, chosen = _reports(data, loss, order=order, **parameters)
    return _least(
        means_by_part((indices + 1).astype(np.float64), part), chosen, loss, order, constraint
    )


def printed_factor(
    data: ArrayLike,
    loss: UserLoss,
    constraint: Region | None = None,
    *,
    order: int,
    **parameters: Any,
) -> Minimum:
    """Line 17 has (n/|I_l|) times the sum over I_l, which is n times the mean."""
    indices, noise, part, chosen = _reports(data, loss, order=order, **parameters)
    sent = noise[np.arange(len(part)), indices]
    return _least(len(part) * means_by_part(sent, part), chosen, loss, order, constraint)


ERRATA = (
    Erratum(
        name="diss-5.1.37/E1",
        severity="S4",
        kind="misprint",
        origin="misprint",
        statement="line 17: v_l is a sum of the indices g_i that the users sent",
        truth="of the public numbers y_{i,g_i} that they stand for",
        witness="epsilon=.25, T=20, v=.8, 20000 users: the mean index is 10.48, the mean of "
        "y_{i,g_i} .758 +- .040",
        reproduced_by="audit:printed-index/scaling",
        elsewhere="Nowhere else; the server of Algorithm 5.1.32 (l.4945-4948) sums the y_i",
    ),
    Erratum(
        name="diss-5.1.37/E2",
        severity="S2",
        kind="implementation",
        origin="mathematical",
        statement="line 17: v_l = (n/|I_l|) times the sum over I_l",
        truth="(1/|I_l|) times it: the mean",
        witness="n=1000, |I_l|=250: the printed value is 1000 times the mean of the group",
        reproduced_by="audit:printed-factor/scaling",
        copy_of="diss-5.1.32/E2",
    ),
)

FORMS = (
    PrintedForm("printed-index", errata=("diss-5.1.37/E1",), function=printed_index),
    PrintedForm("printed-factor", errata=("diss-5.1.37/E2",), function=printed_factor),
)
