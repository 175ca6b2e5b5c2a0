"""Frank-Wolfe for linear models and robust regression (diss-4.2.21, DP-FW-L2)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from reference.catalogue import Entry, Source
from reference.constraint_sets import L2Ball
from reference.losses import Biweight, GeneralizedLinear, require_population_loss
from reference.nonconvex.frank_wolfe_l2 import Constants, dp_frank_wolfe_l2
from reference.nonconvex.random_iterate import RandomIterate
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def dp_population_frank_wolfe_l2(
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
    """Learn a linear model or a robust regression in the unit l2 ball by noisy Frank-Wolfe steps.

    Parameters
    ----------
    data : (features, labels)
        n records of ``loss``: features of l2 norm at most 1, labels 0 or 1 for a
        :class:`~reference.losses.GeneralizedLinear`, any for a Biweight.
    loss : GeneralizedLinear or Biweight
        With ``feature_norm="l2"`` and ``feature_bound`` at most 1.
    initial : array_like of shape (p,)
        w_1 in the unit ball, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.2.5 takes T of order n epsilon/sqrt(p log(1/delta)).
    constants : Constants, optional
        By default those of :func:`~reference.nonconvex.frank_wolfe_l2.constants_for` at radius 1.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0: T Gaussian
    releases of l2 sensitivity 2 max |phi'|/n. A Biweight attains it. Two gradients of a linear
    model share w; the farthest apart that a search finds differ by 90% (sigmoid), 92% (probit) and
    65% (identity, sqrt 27/8) of it.
    *Utility* (Theorem 4.2.5 with what its proof leaves out): if labels follow the model, the
    expected excess population risk is O((p log(1/delta))^{1/4}/sqrt(n epsilon) + n^{-1/2}).
    For a Biweight c_psi is the infimum of h(s)/s over 0 < s <= 2, where h(s) = E psi'(s + noise).

    *As printed*: the bounds on gradients and Hessians lack a factor 2 (diss-4.2.21/E1), which the
    noise needs.

    References
    ----------
    Wang (2020), Algorithm 4.2.21 (l.3300-3309), Theorem 4.2.5 (l.3313-3315).
    """
    ledger = open_ledger(ledger)
    require_population_loss(loss)
    # the box is that of Algorithm 4.1.17, with the unit ball for C
    return dp_frank_wolfe_l2(
        data,
        loss,
        L2Ball(1.0),
        initial=initial,
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
        constants=constants,
        ledger=ledger,
    )


ENTRY = Entry(
    id="diss-4.2.21",
    name="DP-FW-L2 for generalised linear models and robust regression",
    sources=(Source("004", "Algorithm 4.2.21", "3300-3309"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_1 T, 0 < delta < 1 with sigma^2 = c_2 "
    "C_sigma^2 (B+1)^2 T log(1/delta)/(n epsilon)^2, robust regression: c_2 C_psi^2 T log(1/delta)/"
    "(n epsilon)^2 (Theorem 4.2.5)",
    utility_claim="excess population risk O((p log(1/delta))^{1/4}/sqrt(n epsilon)) "
    "(Theorem 4.2.5)",
    function=dp_population_frank_wolfe_l2,
)
