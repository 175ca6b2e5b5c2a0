"""DP-TR: the trust-region method with noisy gradients and Hessians (diss-4.3.28)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import require_magnitude
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.losses import SecondOrderLoss
from reference.nonconvex.second_order import Found, curvature_threshold, validated
from reference.nonconvex.trust_region_subproblem import solve_trust_region
from reference.parameters import checked_arguments
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity, hessian_sensitivity : float
        Of the gradient of F in l2, and of the upper triangle of its Hessian in l2.
    noise_scale, hessian_noise_scale : float
        sigma and sigma_2, standard deviations of the noise on their entries.
    radius : float
        r, of the trust region.
    multiplier_threshold : float
        The search ends once lambda is at most this.
    """

    sensitivity: float
    hessian_sensitivity: float
    noise_scale: float
    hessian_noise_scale: float
    radius: float
    multiplier_threshold: float


@checked_arguments
def constants_for(
    loss: SecondOrderLoss,
    *,
    n: int,
    dimension: int,
    epsilon: float,
    delta: float,
    accuracy: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make T noisy gradients and T noisy Hessians (epsilon, delta)-DP.

    For every epsilon > 0. All 2T releases have the same ratio of sensitivity to noise, so that
    gradients and Hessians share the budget equally, as in the paper. The Hessian's sensitivity is
    :meth:`~reference.losses.SecondOrderLoss.hessian_change` over n. The radius is
    sqrt(alpha/rho), the threshold sqrt(alpha rho) (Theorem 4.3.5).

    Parameters
    ----------
    loss : SecondOrderLoss
    n, dimension : int
        Numbers of records and of coordinates.
    epsilon, delta, accuracy, n_iterations
        As for :func:`dp_trust_region`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the 2T releases are accounted. ``"zcdp"`` is the paper's way (steps 1, 3 and 4).
    """
    per_unit = smallest_gaussian_scale(
        epsilon, delta, sensitivity=1.0, releases=2 * n_iterations, method=method
    )
    sensitivity = 2 * loss.lipschitz / n
    hessian_sensitivity = loss.hessian_change(dimension) / n
    return Constants(
        sensitivity=sensitivity,
        hessian_sensitivity=hessian_sensitivity,
        noise_scale=sensitivity * per_unit,
        hessian_noise_scale=hessian_sensitivity * per_unit,
        radius=math.sqrt(accuracy / loss.hessian_lipschitz),
        multiplier_threshold=curvature_threshold(loss, accuracy),
    )


def enough_iterations(loss: SecondOrderLoss, *, gap: float, accuracy: float) -> int:
    """Return T = 6 sqrt(rho) Delta/alpha^1.5, rounded up (Theorem 4.3.5).

    With noise below alpha/12 on the gradient and sqrt(alpha rho)/6 on the Hessian, every step but
    the last lowers F by alpha^1.5/(6 sqrt(rho)). (The paper's alpha/6 and sqrt(alpha rho)/3 do not
    guarantee a decrease: its (4.85) drops a cubic term.)

    Parameters
    ----------
    loss : SecondOrderLoss
    gap : float
        Delta > 0, a public bound on F(w^0) - min F.
    accuracy : float
        alpha > 0.
    """
    require_magnitude("gap", gap)
    require_magnitude("accuracy", accuracy)
    steps: float = 6 * math.sqrt(loss.hessian_lipschitz) * gap / accuracy**1.5
    return math.ceil(steps)


@checked_arguments
def dp_trust_region(
    data: Any,
    loss: SecondOrderLoss,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    accuracy: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Found:
    """Find a second-order stationary point of F by trust-region steps on noisy quadratic models.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : SecondOrderLoss
        G-Lipschitz and M-smooth in l2; need not be convex. rho-Hessian-Lipschitz for the utility.
    initial : array_like of shape (p,)
        w^0, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    accuracy : float
        alpha > 0.
    n_iterations : int
        T >= 1, the largest number of steps; :func:`enough_iterations`.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Found
        ``output`` is the point after the first step whose multiplier is at most sqrt(alpha rho),
        or ``None`` if T steps had none; ``path`` holds w^0 and the points after all steps.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2 or has no Hessian and
        parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0: 2T Gaussian
    releases of which those after an early stop are not made. The noise does not depend on when
    that is, so the account of all 2T holds.
    *Utility* (Theorem 4.3.5): with noise below half the paper's tolerances and T of
    :func:`enough_iterations`, the output has a gradient of norm at most 2 alpha and eigenvalues
    at least -7/3 sqrt(alpha rho).

    *As printed*: step 7 stops at sqrt(alpha phi) (diss-4.3.28/E1); here it is sqrt(alpha rho), as
    in the proof.

    References
    ----------
    Wang (2020), Algorithm 4.3.28 (l.3998-4015), Theorems 4.3.4 and 4.3.5 (l.3994, l.4019-4023).
    """
    ledger = open_ledger(ledger)
    records, w = validated(data, loss, initial)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=loss.size(records),
        dimension=w.size,
        epsilon=epsilon,
        delta=delta,
        accuracy=accuracy,
        n_iterations=n_iterations,
    )

    path = [w]
    for _ in range(n_iterations):  # step 2
        gradient = ledger.gaussian(  # step 3
            loss.gradient(records, w), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        hessian = ledger.symmetric_gaussian(  # step 4
            loss.hessian(records, w),
            sensitivity=chosen.hessian_sensitivity,
            scale=chosen.hessian_noise_scale,
        )
        step, multiplier = solve_trust_region(gradient, hessian, chosen.radius)  # step 5
        w = w + step  # step 6
        path.append(w)
        if multiplier <= chosen.multiplier_threshold:  # step 7
            return Found(w, np.array(path))  # step 8
    return Found(None, np.array(path))


ENTRY = Entry(
    id="diss-4.3.28",
    name="DP-TR: private trust-region method",
    sources=(Source("004", "Algorithm 4.3.28", "3998-4015"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for all epsilon, delta > 0 with sigma^2 = 4 G^2 T/(n^2 phi)"
    " and sigma_2^2 = 4 p M^2 T/(n^2 phi), phi + 2 sqrt(phi log(1/delta)) = epsilon "
    "(Theorem 4.3.4)",
    utility_claim="the output is an O(alpha)-SOSP for n = Omega(p log(1/zeta) sqrt(log(1/delta))"
    "/(alpha^1.75 epsilon)) (Theorem 4.3.5)",
    function=dp_trust_region,
)
