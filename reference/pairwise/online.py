"""OnPairStrC: online learning from all pairs so far, strongly convex losses (diss-3.3.9)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.constraint_sets import BoundedSet
from reference.pairwise.finite_buffer import Constants, fb_on_pair_strongly_convex
from reference.pairwise.losses import PairwiseLoss, require_pairwise_loss
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


def on_pair_strongly_convex(
    data: Any,
    loss: PairwiseLoss,
    constraint: BoundedSet,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Learn online from the pairs of each record with all earlier ones.

    The algorithm with a buffer whose buffer holds the whole stream; without noise it is Pairwise
    GIGA.

    Parameters
    ----------
    data : array or tuple of arrays
        The stream: n records of ``loss``, in their order, n > T_1 = ceil(L/alpha).
    loss : PairwiseLoss
        alpha-strongly convex, L-smooth, G-Lipschitz on C.
    constraint : L2Ball or PositiveSemidefiniteBall
        C.
    initial : array_like of shape (p,)
        In C, public: the parameter of the first T_1 rounds, for which the paper takes random
        points.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    constants : Constants, optional
        By default :func:`reference.pairwise.finite_buffer.constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (n, p)
        w_1, ..., w_n, all of them private; w_{t-1} incurs the penalty of z_t.

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.pairwise.finite_buffer.fb_on_pair_strongly_convex`.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, of the sequence of all outputs, for
    every epsilon > 0: w_t has sensitivity 4G/(alpha t), half of Lemma 3.3.1's. The path that the
    steps follow has no noise.
    *Utility* (Theorem 3.3.2): the regret is O~(G^2 sqrt(d n log(1/delta))/(alpha epsilon)), and
    G L ||C||_2/alpha for the first rounds.

    References
    ----------
    Wang (2020), Algorithm 3.3.9 (l.2089-2109) with eta_t = 2/(alpha t) and T_1 = ceil(L/alpha),
    Theorems 3.3.1 and 3.3.2 (l.2119-2133).
    """
    require_pairwise_loss(loss)
    return fb_on_pair_strongly_convex(
        data,
        loss,
        constraint,
        initial=initial,
        epsilon=epsilon,
        delta=delta,
        buffer_size=WHOLE_STREAM,
        constants=constants,
        ledger=ledger,
    )


WHOLE_STREAM = 2**62
"""A buffer no stream fills."""

ENTRY = Entry(
    id="diss-3.3.9",
    name="OnPairStrC: private pairwise learning online, strongly convex",
    sources=(Source("004", "Algorithm 3.3.9", "2089-2109"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1 with sigma_t^2 = "
    "32 G^2 (n - T_1)/(alpha^2 t^2 rho) (Theorem 3.3.1)",
    utility_claim="regret O~(G^2 sqrt(d n log(1/delta))/(alpha epsilon)) (Theorem 3.3.2)",
    function=on_pair_strongly_convex,
    aliases=("diss-3.3.NonPrivate",),
)
