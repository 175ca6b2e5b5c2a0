"""Local Bernstein Mechanism (diss-5.1.31): smooth risks from their values on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import require_count
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.local.bernstein import Minimum, require_order
from reference.local.laplace_mean import local_mean
from reference.local.risks import (
    Minimiser,
    Region,
    UserLoss,
    grid,
    losses_at,
    minimum_of,
    require_users,
)
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

APPROXIMATION = 1 / 8
"""D_h of Lemma 5.1.2: exact for h = 1; for h > 1 a choice that the O() of k leaves open."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes for the mechanism.

    Attributes
    ----------
    degree : int
        k: the grid is {0, 1/k, .., 1}^p.
    step_epsilon : float
        Of a user's message about one of the (k + 1)^p points.
    """

    degree: int
    step_epsilon: float


@checked_arguments
def constants_for(
    *, n: int, dimension: int, epsilon: float, order: int, failure_probability: float
) -> Constants:
    """Return the k of Theorem 5.1.2, at least 1, and epsilon in equal parts for the grid.

    k = (D_h sqrt(p n) epsilon/(2^((h + 1) p) sqrt(log(1/beta))))^(1/(h + p)), rounded down, with
    :data:`APPROXIMATION` for D_h and p n under the root: that balances the two terms of (5.8). The
    text prints sqrt(p n epsilon).
    """
    degree = degree_for(
        n=n,
        dimension=dimension,
        epsilon=epsilon,
        order=order,
        failure_probability=failure_probability,
    )
    # (k + 1)^p may exceed every double: such grids are refused where they are made
    points = math.exp(min(dimension * math.log(degree + 1), 600.0))
    return Constants(degree, max(epsilon / points, 1e-300))


def degree_for(
    *, n: int, dimension: int, epsilon: float, order: int, failure_probability: float
) -> int:
    """Return the k of :func:`constants_for`, for every epsilon > 0."""
    require_order(order)
    log_share = (
        math.log(APPROXIMATION * epsilon)
        + math.log(dimension * n / -math.log(failure_probability)) / 2
        - (order + 1) * dimension * math.log(2)
    )
    # no k of more than a million, however large epsilon is: the grid would be refused
    return max(1, math.floor(math.exp(min(log_share / (order + dimension), math.log(1e6)))))


@checked_arguments
def local_bernstein(
    data: ArrayLike,
    loss: UserLoss,
    constraint: Region | None = None,
    *,
    epsilon: float,
    order: int,
    failure_probability: float = 0.05,
    strength: float = 0.0,
    minimiser: Minimiser | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Minimum:
    """Minimise a smooth risk, convex or not, from one round of noisy values of users' losses.

    Parameters
    ----------
    data : array_like of shape (n, m)
        One record per user.
    loss : UserLoss
        Public, on [0, 1]^p; values are clipped to [0, 1] on the user's side.
    constraint : Region, optional
        The convex set, a part of [0, 1]^p; ``None`` is all of it.
    epsilon : float
        Budget of every user, > 0.
    order : int
        h from 1 to 10^6, of the iterated Bernstein polynomial; for losses with 2h bounded
        derivatives.
    failure_probability : float, default 0.05
        beta in (0, 1), for the choice of k.
    strength : float, default 0
        mu >= 0, public: the server adds (mu/2) ||w||^2, as the proof of Theorem 5.1.3 has it.
    minimiser : Minimiser, optional
        The server's, of the released values alone; ``None`` is branch and bound, whose gap grows
        fast with p: :class:`~reference.local.approximately_convex.ApproximatelyConvex` for p > 2.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Minimum
        w_priv, the value there of the polynomial that the server minimises, and the certified gap
        to that polynomial's minimum: the guarantee needs the global minimiser, or one up to
        O(p alpha) (Theorem 5.1.5).

    Raises
    ------
    ValueError, TypeError
        On bad input, before any release.

    Notes
    -----
    *Guarantee* (Theorem 5.1.2): epsilon-DP in the local model, non-interactive, for every epsilon:
    (k + 1)^p numbers at epsilon/(k + 1)^p each. It is attained where all values can differ by 1.

    *Utility* (Theorem 5.1.2, by (5.8)): the polynomial is within D_h p/k^h by approximation and
    (2^h - 1)^p (k + 1)^p sqrt(p log(k + 1) log(1/beta))/(sqrt(n) epsilon) by noise of the risk, up
    to constants; the excess risk is at most twice that.

    References
    ----------
    Wang (2020), Algorithm 5.1.31 (l.4824-4840), Theorem 5.1.2 (l.4842-4856), (5.2) (l.4754).

    Examples
    --------
    >>> from reference.local.risks import MeanSquaredDistance
    >>> from reference.privacy import Ledger
    >>> data = np.full((100_000, 1), 0.3)
    >>> found = local_bernstein(
    ...     data, MeanSquaredDistance(1), epsilon=8.0, order=2, ledger=Ledger(0)
    ... )
    >>> bool(abs(found.point[0] - 0.3) < 0.1)
    True
    """
    ledger = open_ledger(ledger)
    records = require_users(data, loss, constraint, minimiser)
    n, p = len(records), loss.dimension
    require_order(order)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=n,
        dimension=p,
        epsilon=epsilon,
        order=order,
        failure_probability=failure_probability,
    )
    points = grid(require_count("constants.degree", chosen.degree), p)  # step 2

    means = np.empty(len(points))
    for index, point in enumerate(points):  # steps 3-8
        values = losses_at(loss, np.broadcast_to(point, (n, p)), records)
        means[index] = local_mean(values, epsilon=chosen.step_epsilon, upper=1.0, ledger=ledger)
    return minimum_of(  # steps 9-12
        means,
        degree=chosen.degree,
        dimension=p,
        order=order,
        constraint=constraint,
        strength=strength,
        minimiser=minimiser,
    )


ENTRY = Entry(
    id="diss-5.1.31",
    name="Local Bernstein Mechanism",
    sources=(Source("004", "Algorithm 5.1.31", "4824-4840"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP for every epsilon > 0 (Theorem 5.1.2)",
    utility_claim="Err_D <= O~(log^(h/(2(h+p)))(1/beta) D_h^(p/(p+h)) p^(p/(2(h+p))) "
    "2^((h+1)ph/(h+p))/(n^(h/(2(h+p))) epsilon^(h/(h+p)))) with probability 1 - beta (5.3)",
    function=local_bernstein,
)
