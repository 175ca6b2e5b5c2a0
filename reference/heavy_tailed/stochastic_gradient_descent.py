"""The stochastic version of robust private gradient descent, one pass (diss-RGD)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_count
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.heavy_tailed.known_variance_gradient_descent import constants_for, release_gradient
from reference.heavy_tailed.private_mean import Constants
from reference.losses import RecordLoss, require_record_loss
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def stochastic_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    batch_size: int,
    step_size: float = 1.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise a population risk with robust private gradients of minibatches, in one pass.

    Parameters
    ----------
    data
        Records of ``loss``, n of them. Iteration t reads the t-th of T = floor(n/b) consecutive
        batches of b records; the remainder is not used. The order must not depend on the values:
        shuffle sorted data first.
    loss : RecordLoss
        Convex and smooth for the utility; privacy needs neither, nor any bound on its gradient.
    constraint : L2Ball or L1Ball
        W, public; convex, for the output is an average of points of it (privacy does not need it).
    initial : array_like of shape (d,)
        w^0 in W, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    second_moment : float
        v > 0, public: a bound on the second moment of every coordinate of the gradient at every
        w in W, in squared units of the gradient. A wrong value costs accuracy, not privacy.
    failure_probability : float
        delta' in (0, 1).
    batch_size : int
        b with 1 <= b <= n; the paper has 1000.
    step_size : float, default 1.0
        eta > 0: step t has size eta/sqrt(t). The paper has 1.
    constants : Constants, optional
        By default :func:`~reference.heavy_tailed.known_variance_gradient_descent.constants_for`,
        for b records and one iteration. Where they are given, they stand for epsilon, delta, v
        and delta'.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        The average of w^1, ..., w^T.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a set that is not convex, a starting point outside W
        and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0. The text prints
    neither a noise level nor an accounting for minibatches. Here batches are disjoint: every
    record is in at most one release, so that each may spend all of epsilon and delta. With
    s = sqrt(b v/(2 log(1/delta'))) its sensitivity is (4 sqrt(2d)/3) s/b.

    *Utility*: no theorem; by section 3.2.5 the error falls with n and epsilon and rises with d.

    References
    ----------
    Wang (2020), section 3.2.5 (l.1684-1700), after Algorithm 3.2.8 (l.1625-1642).

    Examples
    --------
    >>> from reference.constraint_sets import L2Ball
    >>> from reference.losses import SquaredDistance
    >>> from reference.privacy import Ledger
    >>> data = 1 + np.random.default_rng(0).standard_t(3, size=(100_000, 2))
    >>> w = stochastic_gradient_descent(
    ...     data, SquaredDistance(), L2Ball(5.0), initial=[0.0, 0.0], epsilon=1.0, delta=1e-5,
    ...     second_moment=16.0, failure_probability=0.01, batch_size=10_000, step_size=0.5,
    ...     ledger=Ledger(0),
    ... )
    >>> bool(np.linalg.norm(w - 1) < 0.3)
    True
    """
    ledger = open_ledger(ledger)
    require_record_loss(loss)
    require_ball(constraint, convex=True)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    n = loss.size(records)
    require_count("batch_size", batch_size, at_most=n)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=batch_size,
        dimension=w.size,
        n_iterations=1,
        epsilon=epsilon,
        delta=delta,
        second_moment=second_moment,
        failure_probability=failure_probability,
    )

    n_iterations = n // batch_size
    iterates = []
    for t, block in enumerate(disjoint_blocks(n_iterations * batch_size, n_iterations), start=1):
        batch = take_records(records, block)
        gradient = release_gradient(loss, batch, w, constants=chosen, ledger=ledger, block=block)
        w = constraint.project(w - step_size / math.sqrt(t) * gradient)
        iterates.append(w)
    average: FloatArray = np.mean(iterates, axis=0)
    return average


ENTRY = Entry(
    id="diss-RGD",
    name="Stochastic robust private gradient descent",
    sources=(Source("004", "Section 3.2.5, stochastic Algorithm 3.2.8", "1684-1700"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="none stated; (epsilon, delta)-DP is what its experiments name",
    utility_claim="none stated; the error falls with n and epsilon and rises with d (l.1700)",
    function=stochastic_gradient_descent,
)
