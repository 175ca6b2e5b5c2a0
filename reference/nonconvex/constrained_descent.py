"""DP-GD-SO: first- and second-order steps in a ball (diss-4.3.27)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import ParameterValueError, require_kind
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L2Ball, starting_point
from reference.losses import SecondOrderLoss
from reference.nonconvex.second_order import Found, curvature_threshold, validated
from reference.nonconvex.trust_region_subproblem import solve_in_half_ball
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
        sigma_1 and sigma_2, standard deviations of the noise on their entries.
    step_size : float
        eta, of a first-order step, in (0, 1].
    curvature_step_size : float
        theta, of a second-order step, in (0, 1].
    slope_threshold : float
        alpha/2: a first-order step is taken where the noisy slope is below minus this.
    curvature_threshold : float
        sqrt(rho alpha)/2: a second-order step is taken where q is at most minus this.
    cut : float
        r, how much the noisy gradient may increase towards u_t.
    """

    sensitivity: float
    hessian_sensitivity: float
    noise_scale: float
    hessian_noise_scale: float
    step_size: float
    curvature_step_size: float
    slope_threshold: float
    curvature_threshold: float
    cut: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("step_size", "curvature_step_size"):
            if getattr(self, name) > 1:
                raise ParameterValueError(name, "be at most 1", getattr(self, name))


@checked_arguments
def constants_for(
    loss: SecondOrderLoss,
    constraint: L2Ball,
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

    For every epsilon > 0; all 2T releases have the same ratio of sensitivity to noise. The steps
    are those of the proof at Phi = 1, which the exact solver allows, with D = 2R and M, rho of the
    loss: eta = alpha/(2 D^2 M), theta = sqrt(alpha)/(2 sqrt(rho) D^3), r = alpha/(72 D^3), both
    step sizes at most 1.

    Parameters
    ----------
    loss : SecondOrderLoss
    constraint : L2Ball
    n, dimension : int
        Numbers of records and of coordinates.
    epsilon, delta, accuracy, n_iterations
        As for :func:`dp_constrained_descent`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the 2T releases are accounted.
    """
    per_unit = smallest_gaussian_scale(
        epsilon, delta, sensitivity=1.0, releases=2 * n_iterations, method=method
    )
    sensitivity = 2 * loss.lipschitz / n
    hessian_sensitivity = loss.hessian_change(dimension) / n
    diameter = 2 * constraint.radius
    return Constants(
        sensitivity=sensitivity,
        hessian_sensitivity=hessian_sensitivity,
        noise_scale=sensitivity * per_unit,
        hessian_noise_scale=hessian_sensitivity * per_unit,
        step_size=min(1.0, accuracy / (2 * diameter**2 * loss.smoothness)),
        curvature_step_size=min(
            1.0, math.sqrt(accuracy / loss.hessian_lipschitz) / (2 * diameter**3)
        ),
        slope_threshold=accuracy / 2,
        curvature_threshold=curvature_threshold(loss, accuracy) / 2,
        cut=accuracy / (72 * diameter**3),
    )


@checked_arguments
def dp_constrained_descent(
    data: Any,
    loss: SecondOrderLoss,
    constraint: L2Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    accuracy: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> Found:
    """Find a second-order stationary point of F in a Euclidean ball.

    A step of Frank and Wolfe where the noisy gradient falls towards some point of the ball, else a
    step towards a direction of negative curvature, else the end.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : SecondOrderLoss
        G-Lipschitz and M-smooth in l2; need not be convex. rho-Hessian-Lipschitz for the utility.
    constraint : L2Ball
        C, in which the quadratic subproblem of step 8 is solved exactly; it is NP-hard in general.
    initial : array_like of shape (p,)
        w_1 in C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    accuracy : float
        alpha > 0.
    n_iterations : int
        T >= 1. Theorem 4.3.3 takes T of the order of
        max(D^2 M B/alpha^2, B sqrt(rho) D^6/alpha^1.5).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    Found
        ``output`` is the point at which neither step was left, or ``None`` if T steps were taken;
        ``path`` holds all points.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2 or has no Hessian, a
        set that is not an l2 ball, a starting point outside it and parameters out of range, before
        any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0: at most T
    gradients and T Hessians, each with noise that does not depend on which of them are released.
    *Utility* (Theorem 4.3.3): with noise within (4.69) and (4.70) every step lowers F by at least
    alpha^2/(16 D^2 M) or (rho alpha)^1.5/(48 rho^2 D^6), and the output is an alpha-SOSP in C.

    References
    ----------
    Wang (2020), Algorithm 4.3.27 (l.3920-3960), Theorem 4.3.3 (l.3916-3958) and its proof
    (l.4314-4394), whose theta and r these are.
    """
    ledger = open_ledger(ledger)
    require_kind("constraint", constraint, L2Ball, "a reference.constraint_sets.L2Ball")
    records, w = validated(data, loss, initial)
    w = starting_point(w, constraint)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        constraint,
        n=loss.size(records),
        dimension=w.size,
        epsilon=epsilon,
        delta=delta,
        accuracy=accuracy,
        n_iterations=n_iterations,
    )

    path = [w]
    for _ in range(n_iterations):  # step 1
        gradient = ledger.gaussian(  # step 2
            loss.gradient(records, w), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        v = constraint.linear_minimizer(gradient)  # step 3
        if gradient @ (v - w) < -chosen.slope_threshold:  # step 4
            w = w + chosen.step_size * (v - w)  # step 5
        else:
            hessian = ledger.symmetric_gaussian(  # step 7
                loss.hessian(records, w),
                sensitivity=chosen.hessian_sensitivity,
                scale=chosen.hessian_noise_scale,
            )
            u = solve_in_half_ball(hessian, w, constraint.radius, gradient, chosen.cut)  # step 8
            if (u - w) @ hessian @ (u - w) > -chosen.curvature_threshold:  # step 9
                return Found(w, np.array(path))  # step 12
            w = w + chosen.curvature_step_size * (u - w)  # step 10
        path.append(w)
    return Found(None, np.array(path))


ENTRY = Entry(
    id="diss-4.3.27",
    name="DP-GD-SO: private second-order descent in a ball",
    sources=(Source("004", "Algorithm 4.3.27", "3920-3960"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_1 T with "
    "sigma_1^2 = c_2 L^2 T log(1/delta)/(n epsilon)^2, "
    "sigma_2^2 = c_3 d M^2 T log(1/delta)/(n epsilon)^2, some c_1, c_2, c_3 (Theorem 4.3.3)",
    utility_claim="the output is an alpha-SOSP in C for n = O~(max of D^7 sqrt(d)/(epsilon alpha^2)"
    " and d D^5/(epsilon alpha^1.5)) (Theorem 4.3.3)",
    function=dp_constrained_descent,
)
