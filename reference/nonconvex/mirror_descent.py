"""Proximal mirror descent for non-convex losses (diss-4.1.18, DP-PMD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import require_kind
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import starting_point
from reference.losses import Loss, probed_records, require_loss
from reference.mirror_maps import MirrorMap, require_mirror_map
from reference.nonconvex.random_iterate import RandomIterate, choose_iterate
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import L1Norm


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
        gamma.
    """

    sensitivity: float
    noise_scale: float
    step_size: float


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
    the theorem's 1/(2 L ||C||_2^2) with ||C||_2 = 2 radius.

    Parameters
    ----------
    loss : Loss
    radius : float
        Of C, > 0.
    n : int
        Number of records.
    epsilon, delta, n_iterations
        As for :func:`dp_mirror_descent`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the T releases are accounted.
    """
    sensitivity = 2 * loss.lipschitz / n
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
        step_size=1 / (2 * loss.smoothness * (2 * radius) ** 2),
    )


@checked_arguments
def dp_mirror_descent(
    data: Any,
    loss: Loss,
    mirror_map: MirrorMap,
    regularizer: L1Norm | None = None,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> RandomIterate:
    """Find an approximately stationary point of F(x) + r(x) in a ball, in the ball's geometry.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2; need not be convex. L-smooth for the utility.
    mirror_map : Euclidean or QNorm
        C with w.
    regularizer : L1Norm, optional
        r; none by default.
    initial : array_like of shape (p,)
        x_1 in C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.1.5 takes T of order n epsilon ||C||_2/
        sqrt((||C||_2^2 + G_C^2) log(1/delta)).
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
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a starting point
        outside C and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly: T
    Gaussian releases of l2 sensitivity 2G/n. All iterates are covered, not only x_R.
    *Utility* (Theorem 4.1.5): (x_R - x_{R+1})/gamma has an expected l2 norm of order
    ||C||_2^{3/2} ((||C||_2^2 + G_C^2) log(1/delta))^{1/4}/sqrt(n epsilon). It is measured in the
    geometry of w: in the interior of the l2 ball of radius s it is s^2 times the gradient.

    References
    ----------
    Wang (2020), Algorithm 4.1.18 (l.2815-2826), Theorem 4.1.5 (l.2828-2836).
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    require_mirror_map(mirror_map)
    if regularizer is not None:
        require_kind("regularizer", regularizer, L1Norm, "a reference.proximal.L1Norm")
    x = starting_point(initial, mirror_map.ball)
    records = probed_records(loss, data, x)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        mirror_map.ball.radius,
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )
    weight = 0.0 if regularizer is None else regularizer.weight
    mirror_map.divergence(x, x)  # it may refuse the dimension

    path = [x]
    for _ in range(n_iterations):  # step 1
        gradient = ledger.gaussian(  # step 2
            loss.gradient(records, x), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        x = mirror_map.mirror_step(x, gradient, chosen.step_size, weight)
        path.append(x)
    return choose_iterate(path, ledger)  # step 4


ENTRY = Entry(
    id="diss-4.1.18",
    name="DP-PMD: private proximal mirror descent",
    sources=(Source("004", "Algorithm 4.1.18", "2815-2826"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_2 T, delta > 0 with sigma^2 of (4.3) "
    "(Theorem 4.1.5)",
    utility_claim="E||(x_R - x_{R+1})/gamma||_2 = O(||C||_2^{3/2} ((||C||_2^2 + G_C^2) "
    "log(1/delta))^{1/4}/sqrt(n epsilon)) (Theorem 4.1.5)",
    function=dp_mirror_descent,
)
