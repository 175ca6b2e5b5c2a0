"""FBOnPairC: online learning from pairs with a buffer, convex losses (diss-3.3.13)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_magnitude
from reference.catalogue import Entry, Source
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.pairwise.finite_buffer import Constants, fb_on_pair_strongly_convex
from reference.pairwise.losses import PairwiseLoss, Regularized, require_pairwise_loss
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def fb_on_pair_convex(
    data: Any,
    loss: PairwiseLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    buffer_size: int,
    strength: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Learn online from the pairs of each record with a buffer, by regularising the loss.

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
    buffer_size : int
        s >= 1.
    strength : float
        alpha > 0; Theorem 3.3.4 takes it of order n^(-1/4).
    constants : Constants, optional
        By default those of :func:`reference.pairwise.finite_buffer.constants_for` for the
        regularised loss: its G is G + alpha ||C||_2 and its L is L + alpha.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (n, p)
        w_1, ..., w_n, all of them private.

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.pairwise.finite_buffer.fb_on_pair_strongly_convex`.

    Notes
    -----
    *Guarantee*: that of the algorithm for strongly convex losses, for every strength. The
    regulariser is the same for neighbours, so that the loss's own G would do: with the paper's
    G + alpha ||C||_2 the noise is 1 + alpha ||C||_2/G times what it need be.
    *Utility* (Theorem 3.3.4): for s of the order of n and strength n^(-1/4) the regret over n is
    O~(sqrt(d)/(n^(1/4) epsilon)).

    *As printed*: as in Algorithm 3.3.12 the buffer is drawn with replacement (diss-3.3.13/E1); here
    it is drawn without.

    References
    ----------
    Wang (2020), Algorithm 3.3.13 (l.2240-2248), Theorem 3.3.4 (l.2210-2262).
    """
    ledger = open_ledger(ledger)
    require_pairwise_loss(loss)
    require_ball(constraint)
    centre = starting_point(initial, constraint)
    require_magnitude("strength", strength)
    return fb_on_pair_strongly_convex(  # step 4: run Algorithm 3.3.12
        data,
        Regularized(loss, strength, centre),  # step 3
        constraint,
        initial=centre,
        epsilon=epsilon,
        delta=delta,
        buffer_size=buffer_size,
        constants=constants,
        ledger=ledger,
    )


ENTRY = Entry(
    id="diss-3.3.13",
    name="FBOnPairC: private pairwise learning online with a finite buffer, convex",
    sources=(Source("004", "Algorithm 3.3.13", "2240-2248"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta < 1, as Algorithm 3.3.12 "
    "(Theorem 3.3.4)",
    utility_claim="regret over n O~(sqrt(d)/(n^(1/4) epsilon)) + C_d sqrt(log(n/zeta)/s) at "
    "alpha = n^(-1/4) (Theorem 3.3.4)",
    function=fb_on_pair_convex,
)
