"""Projected gradient descent on privately trimmed gradients (diss-3.2.7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import EPSILONS, FloatArray, ParameterValueError, require_steps
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries
from reference.constants import PositiveConstants, fixed_constants, require_constant
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.heavy_tailed.trimmed_mean import (
    LARGEST_EPSILON,
    private_trimmed_mean,
    require_range,
    trim_count,
)
from reference.losses import RecordLoss, require_record_loss
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.guarantees import Model, Relation, largest_zcdp_rho, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger

LARGEST_GRADIENT = 1e100
"""Entries of a record's gradient are projected on [-1e100, 1e100], what has overflowed included.

A map of single records changes nothing about privacy, and values of this size are trimmed unless
there are more than m of them.
"""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    step_epsilon : float
        epsilon_0 of one trimmed mean, which is epsilon_0^2/2-zCDP.
    """

    step_epsilon: float


@checked_arguments
def constants_for(
    *,
    epsilon: float,
    delta: float,
    dimension: int,
    n_iterations: int,
    method: Literal["paper", "accountant"] = "paper",
) -> Constants:
    """Return epsilon_0 = tilde-epsilon/sqrt(d T), for d T trimmed means of tilde-epsilon^2/2-zCDP.

    Parameters
    ----------
    epsilon, delta, n_iterations
        As for :func:`known_mean_gradient_descent`.
    dimension : int
        d.
    method : {"paper", "accountant"}
        The box's tilde-epsilon, which rests on Lemma 2.1.10 and spends 78, 81 and 88% of epsilon
        0.5, 1 and 4 at delta 1e-5; or the largest that is (epsilon, delta)-DP by the best
        conversion, 1.27, 1.21 and 1.12 times it there. A trimmed mean's own constants are looser
        than either, see :func:`reference.heavy_tailed.trimmed_mean.constants_for`.
    """
    releases = dimension * require_steps("n_iterations", n_iterations)
    if method == "accountant":
        budget = math.sqrt(2 * largest_zcdp_rho(epsilon, delta))
    elif method == "paper":
        budget = trimming_budget(epsilon, delta)
    else:
        raise ParameterValueError("method", "be 'paper' or 'accountant'", method)
    return Constants(step_epsilon=budget / math.sqrt(releases))


@checked_arguments
def trimming_budget(epsilon: float, delta: float) -> float:
    """Return tilde-epsilon = sqrt(2 log(1/delta) + 2 epsilon) - sqrt(2 log(1/delta)). L.1894.

    tilde-epsilon^2/2-zCDP is (epsilon, delta)-DP by the paper's conversion.
    """
    return math.sqrt(2 * zcdp_rho(epsilon, delta))


def recommended_trim(
    n: int,
    *,
    dimension: int,
    n_iterations: int,
    epsilon: float,
    delta: float,
    lower: float,
    upper: float,
    standard_deviation: float,
) -> int:
    """Return m = ceil((16 d T/tilde-epsilon^2) log(n (b - a)/sigma)), for which the noise falls.

    Parameters
    ----------
    n : int
        Number of records, public.
    dimension, n_iterations : int
        d and T: how many trimmed means the budget has to pay for.
    epsilon, delta : float
    lower, upper : float
        a < b, bounds on the mean of every partial derivative.
    standard_deviation : float
        A public lower bound on that of a partial derivative, > 0.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If m would be n/2 or more: n must be of order d T log(1/delta) log(n)/epsilon^2.
    """
    each = constants_for(
        epsilon=epsilon, delta=delta, dimension=dimension, n_iterations=n_iterations
    ).step_epsilon
    return trim_count(n, each, lower=lower, upper=upper, standard_deviation=standard_deviation)


@checked_arguments
def known_mean_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    lower: float,
    upper: float,
    trim: int,
    step_size: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise a strongly convex population risk whose gradients' means have a known range.

    Parameters
    ----------
    data
        Records of ``loss``: n >= 3 of them.
    loss : RecordLoss
        No bound on its gradients is needed.
    constraint : Ball
        W, on which every iterate is projected.
    initial : array_like of shape (d,)
        w^0 in W, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    lower, upper : float
        a < b: public bounds on the mean of every partial derivative, at every w in W.
    trim : int
        m in [1, n/2), public: see :func:`recommended_trim`.
    step_size : float
        eta > 0. Theorem 3.2.5 takes 1/beta, beta the smoothness of the population risk.
    n_iterations : int
        T >= 1. Theorem 3.2.5 takes it of order (beta/alpha) log n.
    constants : Constants, optional
        By default :func:`constants_for`. Where they are given, they stand for epsilon and delta.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        w^T, in W.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a starting point outside W and parameters out of
        range, before any release. The epsilon_0 of one trimmed mean must be at most 12.

    Notes
    -----
    *Guarantee* (Theorem 3.2.4): (epsilon, delta)-DP, central, replace-one. Every coordinate of
    every gradient is a trimmed mean of epsilon_0^2/2-zCDP. A record replaced moves one entry of
    each list of derivatives. Infinite derivatives count as +-1e100 and NaN as 0. All iterates are
    covered.

    *Utility* (Theorem 3.2.5): excess risk O(Delta^2 beta^2 tau^2 d^2 log^2(n) log(1/delta) /
    (alpha^3 n epsilon^2)) for sub-exponential derivatives; it needs m of order
    (d T/tilde-epsilon^2) log n and n > 2m. "Known mean" means a known range of the mean.

    *As printed*: the mean of Algorithm 3.2.6 has noise of a scale that is not smooth
    (diss-3.2.7/E1), and the budget of a step has 2 epsilon outside the root (diss-3.2.7/E3).

    References
    ----------
    Wang (2020), Algorithm 3.2.7 (l.1520-1539), Theorem 3.2.4 (l.1543, proof l.1752-1768), Lemma
    3.2.2 (l.1549-1553), Theorem 3.2.5 (l.1557-1559, proof l.1856-1894).

    Examples
    --------
    >>> from reference.constraint_sets import L2Ball
    >>> from reference.losses import SquaredDistance
    >>> from reference.privacy import Ledger
    >>> data = np.linspace(0.0, 1.0, 100001)[:, None]
    >>> m = recommended_trim(
    ...     100001, dimension=1, n_iterations=2, epsilon=1.0, delta=1e-5,
    ...     lower=-4.0, upper=4.0, standard_deviation=0.5,
    ... )
    >>> mean = known_mean_gradient_descent(
    ...     data, SquaredDistance(), L2Ball(1.0), initial=[0.0], epsilon=1.0, delta=1e-5,
    ...     lower=-4.0, upper=4.0, trim=m, step_size=0.5, n_iterations=2, ledger=Ledger(0),
    ... )
    >>> bool(abs(mean[0] - 0.5) < 0.05)
    True
    """
    ledger = open_ledger(ledger)
    require_record_loss(loss)
    require_ball(constraint)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    lower, upper = require_range(lower, upper)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        epsilon=epsilon,
        delta=delta,
        dimension=w.size,
        n_iterations=n_iterations,
    )
    require_constant(
        "step_epsilon",
        chosen.step_epsilon,
        EPSILONS[0],
        LARGEST_EPSILON,
        arguments="epsilon, delta and n_iterations",
    )

    for _ in range(n_iterations):  # step 2
        gradient = [
            private_trimmed_mean(
                derivatives,
                epsilon=chosen.step_epsilon,
                lower=lower,
                upper=upper,
                trim=trim,
                ledger=ledger,
            )
            for derivatives in partial_derivatives(loss, records, w)  # step 3
        ]  # step 4
        w = constraint.project(w - step_size * np.array(gradient))  # step 5
    return w


def partial_derivatives(loss: RecordLoss, records: Any, w: FloatArray) -> FloatArray:
    """Return the records' derivatives at ``w``, finite, shape (d, n). Step 3, l.1528."""
    return clip_entries(loss.gradients(records, w), LARGEST_GRADIENT).T


ENTRY = Entry(
    id="diss-3.2.7",
    name="Gradient descent with known range of the mean gradient",
    sources=(Source("004", "Algorithm 3.2.7", "1520-1539"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1 (Theorem 3.2.4)",
    utility_claim="expected excess risk O(Delta^2 beta^2 tau^2 d^2 log^2(n) log(1/delta)/"
    "(alpha^3 n epsilon^2)), strongly convex (Theorem 3.2.5)",
    function=known_mean_gradient_descent,
)
