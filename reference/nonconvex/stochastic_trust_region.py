"""DP-STR: the trust-region method on subsamples (diss-4.3.29)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import require_count
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.losses import SecondOrderLoss
from reference.nonconvex import trust_region
from reference.nonconvex.second_order import Found, validated
from reference.nonconvex.trust_region_subproblem import solve_trust_region
from reference.parameters import checked_arguments
from reference.privacy.calibration import smallest_gaussian_scale, smallest_sampled_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    batch_size : int
        |S| = |T|, records that a gradient and a Hessian are computed from; n means no sampling.
    sensitivity, hessian_sensitivity : float
        Of the mean gradient of a batch in l2, and of the upper triangle of the mean Hessian of a
        batch in l2, when a record of the batch is replaced.
    noise_scale, hessian_noise_scale : float
        sigma and sigma_2, standard deviations of the noise on their entries.
    radius : float
        r, of the trust region.
    multiplier_threshold : float
        The search ends once lambda is at most this.
    """

    batch_size: int
    sensitivity: float
    hessian_sensitivity: float
    noise_scale: float
    hessian_noise_scale: float
    radius: float
    multiplier_threshold: float

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("batch_size", self.batch_size)


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
    batch_size: int | None = None,
) -> Constants:
    """Return the constants that make T gradients and T Hessians of batches (epsilon, delta)-DP.

    For every epsilon > 0 and every batch size. A record in a batch moves its mean gradient by
    2G/b. All 2T releases have the same ratio of sensitivity to noise, the smallest that the losses
    of :mod:`reference.privacy.subsampling` certify. Radius and threshold are those of
    :func:`reference.nonconvex.trust_region.constants_for`.

    Parameters
    ----------
    loss : SecondOrderLoss
    n, dimension : int
        Numbers of records and of coordinates.
    epsilon, delta, accuracy, n_iterations
        As for :func:`dp_stochastic_trust_region`.
    batch_size : int, optional
        b in {1, ..., n}, by default n epsilon/sqrt(T log(1/delta)), rounded up: the smallest, up to
        a constant, at which sampling costs no more noise than reading all records does.
    """
    full = trust_region.constants_for(
        loss,
        n=n,
        dimension=dimension,
        epsilon=epsilon,
        delta=delta,
        accuracy=accuracy,
        n_iterations=n_iterations,
    )
    if batch_size is None:
        batch_size = min(n, math.ceil(n * epsilon / math.sqrt(-n_iterations * math.log(delta))))
    per_unit = noise_per_sensitivity(
        epsilon, delta, n=n, batch_size=batch_size, n_iterations=n_iterations
    )
    sensitivity = 2 * loss.lipschitz / batch_size
    hessian_sensitivity = loss.hessian_change(dimension) / batch_size
    return Constants(
        batch_size=batch_size,
        sensitivity=sensitivity,
        hessian_sensitivity=hessian_sensitivity,
        noise_scale=sensitivity * per_unit,
        hessian_noise_scale=hessian_sensitivity * per_unit,
        radius=full.radius,
        multiplier_threshold=full.multiplier_threshold,
    )


@checked_arguments
def noise_per_sensitivity(
    epsilon: float, delta: float, *, n: int, batch_size: int, n_iterations: int
) -> float:
    """Return the smallest noise of 2T releases, each of a batch of its own, per sensitivity."""
    releases = 2 * n_iterations
    if batch_size == n:
        return smallest_gaussian_scale(epsilon, delta, sensitivity=1.0, releases=releases)
    return smallest_sampled_gaussian_scale(
        epsilon, delta, population=n, size=batch_size, sensitivity=1.0, releases=releases
    )


@checked_arguments
def dp_stochastic_trust_region(
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
    """Find a second-order stationary point of F by trust-region steps on models of subsamples.

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
        T >= 1, the largest number of steps;
        :func:`reference.nonconvex.trust_region.enough_iterations`.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Found
        As from :func:`reference.nonconvex.trust_region.dp_trust_region`.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2 or has no Hessian and
        parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0. The batches
    amplify only as long as nobody sees them.
    *Utility* (Theorem 4.3.7): as Theorem 4.3.5, with batches of order L^2 log(p T/zeta)/alpha^2 and
    M^2 log(p T/zeta)/(alpha rho).

    *As printed*: the variance of the gradient's noise in step 3 lacks a factor T (diss-4.3.29/E1),
    and the amplification by batches has no lower limit on their size (diss-4.3.29/E2); here the
    accountant sets both noises.

    References
    ----------
    Wang (2020), Algorithm 4.3.29 (l.4049-4066), Theorems 4.3.6 and 4.3.7 (l.4043-4045).
    """
    ledger = open_ledger(ledger)
    records, w = validated(data, loss, initial, batches=True)
    n = loss.size(records)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=n,
        dimension=w.size,
        epsilon=epsilon,
        delta=delta,
        accuracy=accuracy,
        n_iterations=n_iterations,
    )
    b = require_count("batch_size", chosen.batch_size, at_most=n)

    path = [w]
    for _ in range(n_iterations):  # step 1
        s = ledger.subsample(n, b) if b < n else None  # step 2
        t = ledger.subsample(n, b) if b < n else None
        gradient = ledger.gaussian(  # step 3
            loss.gradient(records, w, None if s is None else s.indices),
            sensitivity=chosen.sensitivity,
            scale=chosen.noise_scale,
            sample=s,
        )
        hessian = ledger.symmetric_gaussian(  # step 4
            loss.hessian(records, w, None if t is None else t.indices),
            sensitivity=chosen.hessian_sensitivity,
            scale=chosen.hessian_noise_scale,
            sample=t,
        )
        step, multiplier = solve_trust_region(gradient, hessian, chosen.radius)  # step 5
        w = w + step  # step 6
        path.append(w)
        if multiplier <= chosen.multiplier_threshold:  # step 7
            return Found(w, np.array(path))  # step 8
    return Found(None, np.array(path))


ENTRY = Entry(
    id="diss-4.3.29",
    name="DP-STR: private stochastic trust-region method",
    sources=(Source("004", "Algorithm 4.3.29", "4049-4066"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta < 1 (Theorem 4.3.6)",
    utility_claim="the output is an O(alpha)-SOSP under (4.59) for batches of "
    "Omega(L^2 log(p/zeta)/alpha^2) and Omega(M^2 log(p/zeta)/(alpha rho)) (Theorem 4.3.7)",
    function=dp_stochastic_trust_region,
)
