"""OnPairStrC: online learning from all pairs so far, strongly convex losses (diss-3.3.9)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import Ball
from reference.pairwise.contraction import require_contraction, validated
from reference.pairwise.finite_buffer import Constants, constants_for
from reference.pairwise.losses import PairwiseLoss
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def on_pair_strongly_convex(
    data: Any,
    loss: PairwiseLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Learn online from the pairs of each record with all earlier ones.

    Without noise it is Pairwise GIGA.

    Parameters
    ----------
    data : array or tuple of arrays
        The stream: n records of ``loss``, in their order, n > T_1 = ceil(L/alpha).
    loss : PairwiseLoss
        alpha-strongly convex, L-smooth, G-Lipschitz on C.
    constraint : L2Ball or PositiveSemidefiniteBall
        C, public, convex and bounded.
    initial : array_like of shape (p,)
        In C, public: the parameter of the first T_1 rounds.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    constants : Constants, optional
        By default :func:`reference.pairwise.finite_buffer.constants_for`: every record is kept.
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
    Wang (2020), Algorithm 3.3.9 (l.2089-2109) with eta_t = 2/(alpha t), T_1 = ceil(L/alpha) and one
    starting point for random ones, Theorems 3.3.1 and 3.3.2 (l.2119-2133).
    """
    ledger = open_ledger(ledger)
    records, w = validated(data, loss, constraint, initial)
    n = loss.size(records)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        radius=constraint.largest_norm,
        n=n,
        epsilon=epsilon,
        delta=delta,
    )
    require_contraction(loss, chosen)

    outputs = np.tile(w, (n, 1))  # steps 4 to 7: public
    for t in range(chosen.first_phase + 1, n + 1):  # steps 8 and 9
        gradient = loss.gradient(records, w, t - 1, np.arange(t - 1))
        w = constraint.project(w - chosen.step_size / t * gradient)  # steps 10 and 11
        sensitivity = chosen.pair_sensitivity / t
        noisy = ledger.gaussian(  # step 12
            w, sensitivity=sensitivity, scale=chosen.noise_multiplier * sensitivity
        )
        outputs[t - 1] = constraint.project(noisy)  # step 13; w goes on without noise
    return outputs


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
