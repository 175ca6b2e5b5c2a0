"""OffPairC: one release of the averaged path, convex pairwise losses (diss-3.3.15)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_magnitude
from reference.catalogue import Entry, Source
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.pairwise.losses import PairwiseLoss, Regularized, require_pairwise_loss
from reference.pairwise.offline import Constants, off_pair_strongly_convex
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def off_pair_convex(
    data: Any,
    loss: PairwiseLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    strength: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise the risk of all pairs by one pass on a regularised loss.

    Parameters
    ----------
    data : array or tuple of arrays
        n records of ``loss``, n > ceil(L/strength) + 1.
    loss : PairwiseLoss
        Convex (the guarantee needs its strong convexity plus ``strength`` to be above 0), L-smooth,
        G-Lipschitz on C.
    constraint : L2Ball or PositiveSemidefiniteBall
        C, public, convex and bounded.
    initial : array_like of shape (p,)
        w_0 in C, public: the centre of the regulariser and the parameter of the first rounds.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    strength : float
        alpha > 0; Theorem 3.3.6 takes it of order 1/sqrt(n).
    constants : Constants, optional
        By default those of :func:`reference.pairwise.offline.constants_for` for the regularised
        loss: its G is G + alpha ||C||_2, its L is L + alpha.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        In C.

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.pairwise.offline.off_pair_strongly_convex`.

    Notes
    -----
    *Guarantee*: that of OffPairStrC, for every strength. The
    regulariser is the same for neighbours, so that the loss's own G would do: with the paper's
    G + alpha ||C||_2 the noise is 1 + alpha ||C||_2/G times what it need be.
    *Utility*: the excess risk is O~(sqrt(d) G^2 ||C||_2^2/(sqrt(n) epsilon)) at strength 1/sqrt(n):
    (3.119), which holds with T_1 = ceil(L/alpha) and not with the paper's 16 L^2/alpha^2 >= n.

    References
    ----------
    Wang (2020), Algorithm 3.3.15 (l.2319-2328), Theorem 3.3.6 (l.2334-2336).
    """
    ledger = open_ledger(ledger)
    require_pairwise_loss(loss)
    require_ball(constraint)
    centre = starting_point(initial, constraint)
    require_magnitude("strength", strength)
    return off_pair_strongly_convex(  # step 4: run Algorithm 3.3.14
        data,
        Regularized(loss, strength, centre),  # step 3
        constraint,
        initial=centre,
        epsilon=epsilon,
        delta=delta,
        constants=constants,
        ledger=ledger,
    )


ENTRY = Entry(
    id="diss-3.3.15",
    name="OffPairC: private pairwise learning offline, convex",
    sources=(Source("004", "Algorithm 3.3.15", "2319-2328"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1, as Algorithm 3.3.14 "
    "(Theorem 3.3.6)",
    utility_claim="excess risk O~(sqrt(d) G^2 ||C||_2^2/(sqrt(n) epsilon)) plus the mean "
    "Rademacher complexity at alpha of order 1/sqrt(n) (Theorem 3.3.6)",
    function=off_pair_convex,
)
