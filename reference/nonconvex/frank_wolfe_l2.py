"""Frank-Wolfe with Gaussian noise for non-convex losses (diss-4.1.17, DP-FW-L2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import require_in_interval, require_kind
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L1Ball, L2Ball, starting_point
from reference.losses import Loss, probed_records, require_loss
from reference.nonconvex.random_iterate import RandomIterate, choose_iterate
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the gradient of F, in l2.
    noise_scale : float
        sigma, the standard deviation of the noise on every coordinate of it.
    step_size : float
        gamma in (0, 1].
    """

    sensitivity: float
    noise_scale: float
    step_size: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_in_interval("step_size", self.step_size, 0.0, 1.0, closed=True)


@checked_arguments
def constants_for(
    loss: Loss,
    radius: float,
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make T noisy gradients (epsilon, delta)-DP, for every epsilon > 0.

    The gradients of a record differ by 2G at most, so their mean moves by 2G/n. The step size is
    sqrt(2/T)/(2 radius), at most 1: that of Theorem 4.1.6, which at Theorem 4.1.4's T is of its
    order too.

    Parameters
    ----------
    loss : Loss
    radius : float
        Of C, > 0.
    n : int
        Number of records.
    epsilon, delta, n_iterations
        As for :func:`dp_frank_wolfe_l2`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the T releases are accounted.
    """
    sensitivity = 2 * loss.lipschitz / n
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
        step_size=min(1.0, math.sqrt(2 / n_iterations) / (2 * radius)),
    )


@checked_arguments
def dp_frank_wolfe_l2(
    data: Any,
    loss: Loss,
    constraint: L2Ball | L1Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> RandomIterate:
    """Find a point of small Frank-Wolfe gap in a ball by steps along noisy gradients.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2; need not be convex. L-smooth for the utility.
    constraint : L2Ball or L1Ball
        C, public.
    initial : array_like of shape (p,)
        x_1 in C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.1.4 takes T of order n epsilon/sqrt((||C||_2^2 + G_C^2) log(1/delta)).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    RandomIterate
        ``output`` is x_R with R uniform on {1, ..., T}; ``path`` holds x_1, ..., x_{T+1}.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a set that is no
        such ball, a starting point outside it and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly: T
    Gaussian releases of l2 sensitivity 2G/n. All iterates are covered, not only x_R.
    *Utility*: E gap_R <= (F(x_1) - min F)/(gamma T) + gamma L ||C||_2^2/2 + 2 sigma G_C, the rate
    of Theorem 4.1.4, where ||C||_2 is of order 1.

    References
    ----------
    Wang (2020), Algorithm 4.1.17 (l.2786-2795), Theorem 4.1.4 (l.2799). Algorithm 4.2.23
    (l.3605-3617), Theorem 4.2.13 (l.3621), is the same with L for G and M for L.
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    require_kind("constraint", constraint, (L2Ball, L1Ball), "an L2Ball or L1Ball")
    x = starting_point(initial, constraint)
    records = probed_records(loss, data, x)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        constraint.radius,
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )

    path = [x]
    for _ in range(n_iterations):
        gradient = ledger.gaussian(
            loss.gradient(records, x), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        x = x + chosen.step_size * (constraint.linear_minimizer(gradient) - x)
        path.append(x)
    return choose_iterate(path, ledger)


ENTRY = Entry(
    id="diss-4.1.17",
    name="DP-FW-L2: private Frank-Wolfe with Gaussian noise",
    sources=(
        Source("004", "Algorithm 4.1.17", "2786-2795"),
        Source("004", "Algorithm 4.2.23", "3605-3617"),
    ),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_1 T, 0 < delta < 1 with sigma^2 of "
    "(4.3), some c, c_1 (Theorem 4.1.4)",
    utility_claim="E gap_R = O(||C||_2 ((||C||_2^2 + G_C^2) log(1/delta))^{1/4}/sqrt(n epsilon)) "
    "(Theorem 4.1.4)",
    function=dp_frank_wolfe_l2,
    aliases=("diss-4.2.23",),
)
