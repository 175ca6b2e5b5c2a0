"""Local Bernstein Mechanism with a ridge, for the population risk (diss-5.1-pop)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.local.bernstein import Minimum
from reference.local.bernstein_mechanism import Constants, local_bernstein
from reference.local.risks import Minimiser, Region, UserLoss
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


def ridge_strength(n: int) -> float:
    """Return mu = n^(-1/12), the choice of the proof of Theorem 5.1.3."""
    return float(n ** (-1 / 12))


@checked_arguments
def population_local_bernstein(
    data: ArrayLike,
    loss: UserLoss,
    constraint: Region | None = None,
    *,
    epsilon: float,
    order: int,
    failure_probability: float = 0.05,
    minimiser: Minimiser | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Minimum:
    """Minimise a convex population risk: the polynomial of the reports plus (mu/2) ||w||^2.

    Parameters
    ----------
    data, loss, constraint, epsilon, order, failure_probability, minimiser, constants, ledger
        As for :func:`~reference.local.bernstein_mechanism.local_bernstein`.

    Returns
    -------
    Minimum
        Of the polynomial with the ridge.

    Raises
    ------
    ValueError, TypeError
        On bad input, before any release.

    Notes
    -----
    *Guarantee*: that of Algorithm 5.1.31, whose reports are the same; the ridge is the server's.

    *Utility* (Theorem 5.1.3): for losses that are convex and 1-Lipschitz in w. The theorem speaks
    of Algorithm 5.1.31, its proof (l.5305-5323) of this one: with lhat = l + (mu/2) ||w||^2,
    Err_P(l) <= Err_P(lhat) + (mu/2) max ||w||^2, the last factor being p on the cube (the proof
    has 1), and strong convexity carries the empirical to the population risk. A mu of
    (n^(-1/8) epsilon^(-1/4))^(2/3) would have epsilon^(-1/6) for epsilon^(-1/4).

    References
    ----------
    Wang (2020), Theorem 5.1.3 (l.4882-4890), its proof (l.5305-5323).
    """
    records = require_array("data", data, ndim=2)
    return local_bernstein(  # Algorithm 5.1.31
        records,
        loss,
        constraint,
        epsilon=epsilon,
        order=order,
        failure_probability=failure_probability,
        strength=ridge_strength(len(records)),
        minimiser=minimiser,
        constants=constants,
        ledger=ledger,
    )


ENTRY = Entry(
    id="diss-5.1-pop",
    name="Local Bernstein Mechanism for the population risk",
    sources=(Source("004", "Theorem 5.1.3, its proof", "5305-5323"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-LDP for every epsilon > 0 (Theorem 5.1.2)",
    utility_claim="Err_P <= O~(log^(1/8)(1/beta) D_p^(1/4) p^(1/8) 2^(p(p+1)/4)/"
    "(beta n^(1/12) epsilon^(1/4))) with probability 1 - 2 beta (Theorem 5.1.3)",
    function=population_local_bernstein,
)
