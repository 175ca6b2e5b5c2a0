"""DP proximal (projected) gradient descent for non-convex losses (diss-4.1.16, DP-PGD)."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from reference._validation import (
    require_array,
    require_count,
    require_delta,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.constraint_sets import Ball
from reference.errata.privacy.calibration import printed_composed_gaussian_scale
from reference.losses import Loss
from reference.nonconvex.random_iterate import RandomIterate, choose_iterate
from reference.privacy.calibration import smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import NoRegularizer, Regularizer, proximal_step

Calibration = Literal["corrected", "box", "text"]


def noise_scale(
    epsilon: float,
    delta: float,
    *,
    lipschitz: float,
    smoothness: float,
    n: int,
    n_iterations: int,
    calibration: Calibration = "corrected",
    constant: float | None = None,
) -> float:
    """Return sigma, the standard deviation of the noise on every gradient coordinate.

    Parameters
    ----------
    epsilon, delta : float
        > 0 and in (0, 1).
    lipschitz, smoothness : float
        G and L of the loss.
    n, n_iterations : int
        Number of records and T.
    calibration : {"corrected", "box", "text"}
        ``"corrected"``: sigma^2 = 2 G^2 T/(n^2 rho) with rho + 2 sqrt(rho log(1/delta)) = epsilon:
        T releases of l2 sensitivity 2G/n by zCDP, for every epsilon. ``"box"``: step 3 of the
        printed algorithm (l.2713), 2 L^2 T/(n^2 rho^2). ``"text"``: l.2738, 2 L^2 T/(n^2 rho).
    constant : float, optional
        c of the printed theorem's sigma^2 = c G^2 T log(1/delta)/(n^2 epsilon^2), (4.3); used
        instead of ``calibration``.
    """
    if constant is not None:
        return printed_composed_gaussian_scale(
            epsilon, delta, lipschitz=lipschitz, n=n, releases=n_iterations, constant=constant
        )
    if calibration == "corrected":
        return smallest_gaussian_scale(
            epsilon, delta, sensitivity=2 * lipschitz / n, releases=n_iterations, method="zcdp"
        )
    rho = zcdp_rho(epsilon, delta)
    denominator = rho**2 if calibration == "box" else rho
    return math.sqrt(2 * n_iterations / denominator) * smoothness / n


def dp_proximal_gradient_descent(
    data: Any,
    loss: Loss,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    n_iterations: int,
    step_size: float | None = None,
    regularizer: Regularizer | None = None,
    constraint: Ball | None = None,
    calibration: Calibration = "corrected",
    constant: float | None = None,
    ledger: Ledger | None = None,
) -> RandomIterate:
    """Find an approximately stationary point of F(x) + r(x) over C by noisy proximal gradient.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them.
    loss : Loss
        Differentiable, G-Lipschitz and L-smooth in l2; need not be convex.
    initial : array_like of shape (p,)
        x_1 in C, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_iterations : int
        T >= 1. Theorem 4.1.2 takes T of order n epsilon/sqrt(p log(1/delta)).
    step_size : float, optional
        gamma > 0; by default the theorem's 1/(2L).
    regularizer : Regularizer, optional
        r; none by default.
    constraint : L2Ball or L1Ball, optional
        C; the whole space by default.
    calibration : {"corrected", "box", "text"}
        The noise, see :func:`noise_scale`; the last two are the printed formulas.
    constant : float, optional
        Use the printed (4.3) with this c instead.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 with the default
    calibration: each gradient has l2 sensitivity 2G/n, so T of them with
    sigma^2 = 2 G^2 T/(n^2 rho) are rho-zCDP, and rho + 2 sqrt(rho log(1/delta)) = epsilon. All
    iterates are covered, not only x_R. *Utility* (Theorem 4.1.2): the expected norm of
    (x_R - x_{R+1})/gamma is O((p log(1/delta))^{1/4}/sqrt(n epsilon)).
    *Errata*: the printed sigma has rho^2 for rho and L for G, and Theorem 4.1.1's c cannot be
    universal; c = 2 (1 + sqrt 2)^2 = 11.66 is valid for epsilon <= log(1/delta).

    References
    ----------
    Seed 004, Algorithm 4.1.16 (l.2705-2714), Theorems 4.1.1 and 4.1.2 (l.2718-2728).
    """
    ledger = open_ledger(ledger)
    x = require_array("initial", initial, ndim=1).copy()
    records = loss.validate(data, x.size)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    require_count("n_iterations", n_iterations)
    step_size = require_positive(
        "step_size", 1 / (2 * loss.smoothness) if step_size is None else step_size
    )
    if loss.gradient_norm != "l2":
        raise ValueError(f"loss must bound gradients in l2, got {loss.gradient_norm}")
    if constraint is not None and not constraint.contains(x):
        raise ValueError(f"initial must lie in {constraint}, got {x.tolist()}")
    if calibration not in get_args(Calibration):
        raise ValueError(
            f"calibration must be one of {', '.join(get_args(Calibration))}, got {calibration!r}"
        )
    if constant is not None:
        require_positive("constant", constant)

    regularizer = regularizer or NoRegularizer()
    n = loss.size(records)
    sigma = noise_scale(
        epsilon,
        delta,
        lipschitz=loss.lipschitz,
        smoothness=loss.smoothness,
        n=n,
        n_iterations=n_iterations,
        calibration=calibration,
        constant=constant,
    )
    path = [x]
    for _ in range(n_iterations):  # step 1
        noisy = ledger.gaussian(
            loss.gradient(records, x), sensitivity=2 * loss.lipschitz / n, scale=sigma
        )
        x = proximal_step(  # step 2
            x, noisy, step_size=step_size, regularizer=regularizer, constraint=constraint
        )
        path.append(x)
    return choose_iterate(path, ledger)  # step 5


ENTRY = Entry(
    id="diss-4.1.16",
    name="DP-PGD: private proximal gradient descent",
    sources=(Source("004", "Algorithm 4.1.16", "2705-2714"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon < c_1 T, 0 < delta < 1 with "
    "sigma^2 = c G^2 T log(1/delta)/(n^2 epsilon^2), some c (Theorem 4.1.1)",
    utility_claim="E||(x_R - x_{R+1})/gamma||_2 = O((p log(1/delta))^{1/4}/sqrt(n epsilon)) "
    "(Theorem 4.1.2)",
    function=dp_proximal_gradient_descent,
)
