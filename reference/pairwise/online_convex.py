"""OnPairC: online learning from all pairs so far, convex losses (diss-3.3.10)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_magnitude
from reference.catalogue import Entry, Source
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.pairwise.finite_buffer import Constants
from reference.pairwise.losses import PairwiseLoss, Regularized, require_pairwise_loss
from reference.pairwise.online import on_pair_strongly_convex
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def on_pair_convex(
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
    """Learn online from the pairs of each record with all earlier ones, by regularising the loss.

    Parameters
    ----------
    data : array or tuple of arrays
        The stream: n records of ``loss``, n > ceil(L/strength) + 1.
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
        alpha > 0; Theorem 3.3.3 takes it of order n^(-1/4).
    constants : Constants, optional
        By default those of the regularised loss: its G is G + alpha ||C||_2, its L is L + alpha.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (n, p)
        w_1, ..., w_n, all of them private.

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.pairwise.online.on_pair_strongly_convex`.

    Notes
    -----
    *Guarantee*: that of OnPairStrC, for every strength. The
    regulariser is the same for neighbours, so that the loss's own G would do: with the paper's
    G + alpha ||C||_2 the noise is 1 + alpha ||C||_2/G times what it need be.
    *Utility* (Theorem 3.3.3): regret O~(sqrt(d) n^(3/4)/epsilon) at strength n^(-1/4).

    References
    ----------
    Wang (2020), Algorithm 3.3.10 (l.2145-2153), Theorem 3.3.3 (l.2157-2161).
    """
    ledger = open_ledger(ledger)
    require_pairwise_loss(loss)
    require_ball(constraint)
    centre = starting_point(initial, constraint)
    require_magnitude("strength", strength)
    return on_pair_strongly_convex(  # step 4: run Algorithm 3.3.9
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
    id="diss-3.3.10",
    name="OnPairC: private pairwise learning online, convex",
    sources=(Source("004", "Algorithm 3.3.10", "2145-2153"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1, as Algorithm 3.3.9 "
    "(Theorem 3.3.3)",
    utility_claim="regret O~(sqrt(d) n^(3/4) sqrt(log(1/delta))/epsilon) at alpha = n^(-1/4) "
    "(Theorem 3.3.3)",
    function=on_pair_convex,
)
