"""Frank-Wolfe over vertices for linear models and robust regression (diss-4.2.22, DP-FW-L1)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference.catalogue import Entry, Source
from reference.constraint_sets import L1Ball
from reference.losses import Biweight, GeneralizedLinear, require_population_loss
from reference.nonconvex.frank_wolfe_l1 import Constants, dp_frank_wolfe_l1
from reference.nonconvex.random_iterate import RandomIterate
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def dp_population_frank_wolfe_l1(
    data: Any,
    loss: GeneralizedLinear | Biweight,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> RandomIterate:
    """Learn a linear model or a robust regression in the unit l1 ball by private vertices.

    Parameters
    ----------
    data : (features, labels)
        n records of ``loss``: features with entries in [-1, 1], labels 0 or 1 for a
        :class:`~reference.losses.GeneralizedLinear`, any for a Biweight.
    loss : GeneralizedLinear or Biweight
        With ``feature_bound`` at most 1, in l-infinity as in the paper or in l2.
    initial : array_like of shape (p,)
        w_1 in the unit ball, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.2.6 takes T of order n epsilon/(sqrt(log(1/delta)) log(p n)).
    constants : Constants, optional
        By default those of :func:`~reference.nonconvex.frank_wolfe_l1.constants_for` with the
        vertices +-e_j.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    RandomIterate
        ``output`` is w_R with R uniform on {1, ..., T}; ``path`` holds w_1, ..., w_{T+1}.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, another loss, a starting point outside the ball and
        parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0: T selections by
    scores of sensitivity 2 max |phi'|/n, which is attained for p >= 2 with features in l-infinity:
    one coordinate sets the score <w, x>, another the sign of its own entry of the gradient.
    *Utility* (Theorem 4.2.6 with what its proof leaves out): if labels follow the model, the
    excess population risk is O(log(1/delta)^{1/4} sqrt(log(n p/eta))/sqrt(n epsilon)
    + sqrt(log(p)/n)) with probability 1 - eta.

    *As printed*: the bounds on gradients and smoothness lack a factor 2 (diss-4.2.22/E1), which the
    noise needs.

    References
    ----------
    Wang (2020), Algorithm 4.2.22 (l.3323-3333), Theorem 4.2.6 (l.3337).
    """
    ledger = open_ledger(ledger)
    require_population_loss(loss)
    # the box is that of Algorithm 4.1.19, with the vertices of the unit ball for A
    return dp_frank_wolfe_l1(
        data,
        loss,
        L1Ball(1.0),
        initial=initial,
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
        constants=constants,
        ledger=ledger,
    )


ENTRY = Entry(
    id="diss-4.2.22",
    name="DP-FW-L1 for generalised linear models and robust regression",
    sources=(Source("004", "Algorithm 4.2.22", "3323-3333"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP with scores of sensitivity O(C_sigma (B+1)/n), robust "
    "regression: O(C_psi/n) (Theorem 4.2.6)",
    utility_claim="excess population risk O(log(1/delta)^{1/4} sqrt(log(n p/eta))/sqrt(n epsilon)) "
    "with probability 1 - eta (Theorem 4.2.6)",
    function=dp_population_frank_wolfe_l1,
)
