"""Selecting SOSP: which iterate of DP-GD is second-order stationary (diss-4.3.26)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.losses import SecondOrderLoss
from reference.nonconvex import gradient_descent
from reference.nonconvex.second_order import Found, curvature_threshold, validated
from reference.parameters import checked_arguments
from reference.privacy.calibration import smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity, hessian_sensitivity : float
        Of the gradient of F in l2, and of the upper triangle of its Hessian in l2.
    descent_noise_scale : float
        sigma, of the gradients that DP-GD descends along.
    gradient_noise_scale, hessian_noise_scale : float
        sigma_1 and sigma_2, of the gradients and Hessians that are tested.
    step_size : float
        eta.
    gradient_threshold, curvature_threshold : float
        A point passes with a noisy gradient at most so long and eigenvalues at least minus so much.
    """

    sensitivity: float
    hessian_sensitivity: float
    descent_noise_scale: float
    gradient_noise_scale: float
    hessian_noise_scale: float
    step_size: float
    gradient_threshold: float
    curvature_threshold: float


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
) -> Constants:
    """Return the constants that make 3T + 2 releases (epsilon, delta)-DP, for every epsilon > 0.

    T gradients of the descent, T + 1 gradients and T + 1 Hessians of the test are given a third of
    mu^2 each, in Gaussian DP, which is exact. The Hessian's sensitivity is
    :meth:`~reference.losses.SecondOrderLoss.hessian_change` over n.

    The thresholds lie halfway between what an alpha/2-SOSP has and what an alpha-SOSP may have:
    3/4 alpha and (1 + 1/sqrt(2))/2 sqrt(rho alpha). With noise below the other half, alpha/4 and
    (1 - 1/sqrt(2))/2 sqrt(rho alpha), an alpha/2-SOSP passes and what passes is an alpha-SOSP.

    Parameters
    ----------
    loss : SecondOrderLoss
    n, dimension : int
        Numbers of records and of coordinates.
    epsilon, delta, accuracy, n_iterations
        As for :func:`select_stationary_point`.
    """
    descent = gradient_descent.constants_for(
        loss, n=n, epsilon=epsilon, delta=delta, n_iterations=3 * n_iterations
    )
    hessian_sensitivity = loss.hessian_change(dimension) / n
    per_unit = smallest_gaussian_scale(
        epsilon, delta, sensitivity=1.0, releases=3 * (n_iterations + 1)
    )
    return Constants(
        sensitivity=descent.sensitivity,
        hessian_sensitivity=hessian_sensitivity,
        descent_noise_scale=descent.noise_scale,
        gradient_noise_scale=descent.sensitivity * per_unit,
        hessian_noise_scale=hessian_sensitivity * per_unit,
        step_size=descent.step_size,
        gradient_threshold=0.75 * accuracy,
        curvature_threshold=(1 + math.sqrt(0.5)) / 2 * curvature_threshold(loss, accuracy),
    )


@checked_arguments
def select_stationary_point(
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
    """Find an alpha-second-order stationary point of F: run DP-GD, then test its iterates.

    Every iterate's gradient and Hessian are released, also those behind the one that is chosen:
    the choice is then post-processing, and the account is that of all 3T + 2 releases whichever
    iterate it falls on.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : SecondOrderLoss
        G-Lipschitz and M-smooth in l2; need not be convex. rho-Hessian-Lipschitz for the utility.
    initial : array_like of shape (p,)
        w_1, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    accuracy : float
        alpha > 0.
    n_iterations : int
        T >= 1, of DP-GD.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Found
        ``output`` is the first iterate that passes, or ``None``; ``path`` holds all T + 1.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2 or has no Hessian and
        parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, every epsilon > 0, accounted exactly.
    *Utility* (Theorem 4.3.2, with the thresholds above): if the noise is as small as
    :func:`constants_for` says, the output is an alpha-SOSP whenever an iterate is an alpha/2-SOSP.

    *As printed*: step 4 tests at alpha and sqrt(rho alpha), which a point passes that is no
    alpha-SOSP (diss-4.3.26/E1); here the thresholds are lower.

    References
    ----------
    Wang (2020), Algorithm 4.3.26 (l.3895-3906), Theorem 4.3.2 (l.3889-3891).
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

    path = gradient_descent.dp_gradient_descent(  # step 1
        data,
        loss,
        initial=w,
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
        constants=gradient_descent.Constants(
            chosen.sensitivity, chosen.descent_noise_scale, chosen.step_size
        ),
        ledger=ledger,
    )
    output = None
    for w in path:  # step 2
        gradient = ledger.gaussian(  # step 3
            loss.gradient(records, w),
            sensitivity=chosen.sensitivity,
            scale=chosen.gradient_noise_scale,
        )
        hessian = ledger.symmetric_gaussian(
            loss.hessian(records, w),
            sensitivity=chosen.hessian_sensitivity,
            scale=chosen.hessian_noise_scale,
        )
        flat = np.linalg.norm(gradient) <= chosen.gradient_threshold  # step 4
        convex = np.linalg.eigvalsh(hessian)[0] >= -chosen.curvature_threshold
        if output is None and flat and convex:
            output = w  # step 5
    return Found(output, path)


ENTRY = Entry(
    id="diss-4.3.26",
    name="Selecting SOSP: private choice of a second-order stationary iterate",
    sources=(Source("004", "Algorithm 4.3.26", "3895-3906"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP with sigma_1^2 = c_1 L^2 T log(1/delta)/(n^2 epsilon^2) "
    "and sigma_2^2 = c_2 M^2 d T log(1/delta)/(n^2 epsilon^2), some c_1, c_2 (Theorem 4.3.2)",
    utility_claim="the output is an alpha-SOSP for "
    "n = O~(M d sqrt(M B log(1/delta)) L/(rho epsilon alpha^2)) (Theorem 4.3.2)",
    function=select_stationary_point,
)
