"""DP-AccMD: accelerated mirror descent with noisy gradients (diss-3.1.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import starting_point
from reference.losses import Loss, probed_records, require_loss
from reference.mirror_maps import MirrorMap, require_mirror_map
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
    smoothness : float
        L', in the norm of C, of the steps.
    """

    sensitivity: float
    noise_scale: float
    smoothness: float


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

    The gradients of a record differ by 2G at most, so their mean moves by 2G/n. F is
    L ||C||_2^2-smooth in the norm of C, ||C||_2 = 2 radius being the diameter; L' is twice that,
    which pays for the noise in the gradient step: with g = grad F + b in both steps, Young's
    inequality leaves ||b||_*^2/(2 L ||C||_2^2) and the theorem's rate.

    Parameters
    ----------
    loss : Loss
    radius : float
        Largest l2 norm in C, > 0.
    n : int
        Number of records.
    epsilon, delta, n_iterations
        As for :func:`dp_accelerated_mirror_descent`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the T releases are accounted.
    """
    sensitivity = 2 * loss.lipschitz / n
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
        smoothness=2 * loss.smoothness * (2 * radius) ** 2,
    )


@checked_arguments
def dp_accelerated_mirror_descent(
    data: Any,
    loss: Loss,
    mirror_map: MirrorMap,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise F over a ball privately by accelerated mirror descent.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        G-Lipschitz in l2. Convex and L-smooth for the utility; the guarantee needs neither.
    mirror_map : Euclidean or QNorm
        The ball C and its geometry.
    initial : array_like of shape (p,)
        x_0 in C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 3.1.7 takes T^2 of order L ||C||_2^2 sqrt(V(x_*, x_0)) n epsilon/
        (G sqrt(log(1/delta)) sqrt(G_C^2 + ||C||_2^2)).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        y_T.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a starting point
        outside C and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly.
    *Utility*: E gap <= 8 L' V(x_*, x_0)/(T+1)^2 + sigma^2 (G_C^2 + R^2)(T+3)/(2 L'), with G_C the
    Gaussian width: R sqrt(p) for the l2 ball, at most R sqrt(2 log(2p)) for the l1 ball; the rate
    of Theorem 3.1.7.

    *As printed*: step 6 takes the exact gradient (diss-3.1.4/E1); here it is the noisy one of step
    8, too. Steps 4 and 6 have L where the proof has L ||C||_2^2 (diss-3.1.4/E2); here L' is twice
    that.

    References
    ----------
    Wang (2020), Algorithm 3.1.4 (l.774-788) with the noisy gradient in step 6 as well and
    2 L ||C||_2^2 for L, Theorems 3.1.6 and 3.1.7 (l.794-808).
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    require_mirror_map(mirror_map)
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
    mirror_map.divergence(x, x)  # it may refuse the dimension

    y = z = x  # step 2
    for k in range(n_iterations):  # step 3
        alpha = (k + 2) / (4 * chosen.smoothness)  # step 4
        r = 2 / (k + 2)
        x = r * z + (1 - r) * y  # step 5
        gradient = ledger.gaussian(
            loss.gradient(records, x), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        y = mirror_map.gradient_step(x, gradient, chosen.smoothness)  # step 6
        z = mirror_map.mirror_step(z, gradient, alpha)  # step 8
    return y  # step 10


ENTRY = Entry(
    id="diss-3.1.4",
    name="DP-AccMD: private accelerated mirror descent",
    sources=(Source("004", "Algorithm 3.1.4", "774-788"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP with sigma^2 = c G^2 T log(1/delta)/(n^2 epsilon^2), some "
    "c (Theorem 3.1.6)",
    utility_claim="E gap = O(sqrt(G_C^2 + ||C||_2^2) G sqrt(log(1/delta))/(n epsilon)) "
    "(Theorem 3.1.7)",
    function=dp_accelerated_mirror_descent,
)
