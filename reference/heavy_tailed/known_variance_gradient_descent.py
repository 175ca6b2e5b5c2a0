"""Gradient descent with robust private gradients, known second moment (diss-3.2.8)."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_count,
    require_delta,
    require_in_interval,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.constraint_sets import Ball, starting_point
from reference.heavy_tailed.private_mean import Calibration
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.losses import RecordLoss
from reference.privacy.guarantees import Model, Relation, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger

Budget = Literal["corrected", "printed", "without square"]
"""How line 1631 is read, see :func:`total_rho`."""


def total_rho(epsilon: float, delta: float, *, budget: Budget = "corrected") -> float:
    """Return tilde-epsilon of line 1631, the zCDP budget of a whole run; L = log(1/delta).

    ==================  ================================  ===================================
    budget              tilde-epsilon                     where
    ==================  ================================  ===================================
    ``corrected``       (sqrt(L + epsilon) - sqrt(L))^2   seed 000 l.630; Theorem 3.2.8's rate
    ``printed``         (sqrt(L) + epsilon) - sqrt(L)     line 1631 taken literally: epsilon
    ``without square``  sqrt(L + epsilon) - sqrt(L)       line 1631 with the root over the sum
    ==================  ================================  ===================================

    rho-zCDP implies (epsilon, delta)-DP for the first; the others are far larger.
    """
    rho = zcdp_rho(epsilon, delta)
    if budget == "printed":
        return epsilon
    return math.sqrt(rho) if budget == "without square" else rho


def calibrate(
    epsilon: float,
    delta: float,
    *,
    n: int,
    dimension: int,
    n_iterations: int,
    second_moment: float,
    failure_probability: float,
    budget: Budget = "corrected",
) -> Calibration:
    """Return the constants of Algorithm 3.2.8 (l.1631-1641).

    With l = log(1/delta'): s = sqrt(n v/(2l)), precision l, and for one gradient of d coordinates
    the l2 sensitivity (4 sqrt(2d)/3) s/n and sigma^2 = 8 v d T/(9 l n tilde-epsilon). A release
    costs sensitivity^2/(2 sigma^2) = tilde-epsilon/T in zCDP, and T of them tilde-epsilon.

    Parameters
    ----------
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n : int
        Records that every gradient is the mean of, public.
    dimension : int
        d >= 1.
    n_iterations : int
        T >= 1, gradients that read the same records.
    second_moment : float
        v > 0.
    failure_probability : float
        delta' in (0, 1).
    budget : {"corrected", "printed", "without square"}
        See :func:`total_rho`.

    Returns
    -------
    Calibration

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    require_positive("epsilon", epsilon)
    require_delta(delta)
    require_count("n", n)
    require_count("dimension", dimension)
    require_count("n_iterations", n_iterations)
    require_positive("second_moment", second_moment)
    require_in_interval("failure_probability", failure_probability, 0, 1)
    if budget not in get_args(Budget):
        raise ValueError(f"budget must be one of {', '.join(get_args(Budget))}, got {budget!r}")
    log_term = -math.log(failure_probability)
    scale = math.sqrt(n / (2 * log_term)) * math.sqrt(second_moment)
    sensitivity = math.sqrt(dimension) * mean_sensitivity(n, scale=scale)
    rho = total_rho(epsilon, delta, budget=budget)
    return Calibration(
        scale=scale,
        precision=log_term,
        sensitivity=sensitivity,
        noise_scale=sensitivity * math.sqrt(n_iterations / (2 * rho)),
    )


def release_gradient(
    loss: RecordLoss,
    records: Any,
    w: FloatArray,
    *,
    constants: Calibration,
    ledger: Ledger,
    block: slice | None = None,
) -> FloatArray:
    """Release the robust mean (3.78) of the gradients at ``w``; steps 3 and 4.

    Parameters
    ----------
    loss : RecordLoss
    records
        The records whose gradients are averaged, validated by the loss.
    w : ndarray of shape (d,)
    constants : Calibration
    ledger : Ledger
    block : slice, optional
        Which of all records these are. Default all.

    Returns
    -------
    ndarray of shape (d,)
    """
    robust = truncated_mean(
        loss.gradients(records, w), scale=constants.scale, precision=constants.precision
    )
    return ledger.gaussian(
        robust, sensitivity=constants.sensitivity, scale=constants.noise_scale, records=block
    )


def known_variance_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    second_moment: float,
    failure_probability: float,
    initial: ArrayLike,
    step_size: float,
    n_iterations: int,
    epsilon: float,
    delta: float,
    budget: Budget = "corrected",
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise a population risk by gradient descent with robust private gradients.

    Parameters
    ----------
    data
        Records of ``loss``, n of them.
    loss : RecordLoss
        Convex and smooth for the utility; privacy needs neither, nor any bound on its gradient.
    constraint : L2Ball or L1Ball
        W.
    second_moment : float
        v > 0, public: a bound on the second moment of every coordinate of the gradient at every
        w in W (Assumption 3.2.4), in squared units of the gradient. A wrong value costs accuracy,
        not privacy.
    failure_probability : float
        delta' in (0, 1), of the utility bound.
    initial : array_like of shape (d,)
        w^0 in W, public.
    step_size : float
        eta > 0; 1/beta for a beta-smooth population risk in the theory.
    n_iterations : int
        T >= 1; of order (beta/alpha) log n for an alpha-strongly convex risk, and of order
        (||w^0 - w*||_2 sqrt(n tilde-epsilon)/d)^(2/3) for a convex one.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    budget : {"corrected", "printed", "without square"}
        See :func:`total_rho`. Only the first is (epsilon, delta)-DP.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        w^T.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a starting point outside W and parameters out of
        range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 3.2.7): (epsilon, delta)-DP, central, replace-one; stated for epsilon < 1,
    true for every epsilon > 0. *Calibration*: :func:`calibrate`, exact for the sensitivity it
    claims. The exact sensitivity is smaller by the factor erf(sqrt(precision/2)), so that the run
    is sqrt(2 rho) erf(sqrt(precision/2))-Gaussian DP, rho = :func:`total_rho`, and no better: at
    (1, 1e-5) and delta' = 0.01 it is 0.716 at delta = 1e-5. All iterates are covered.

    *Utility*: L(w^T) - L(w*) <= O(v Delta^2 beta^4 d^2 log^2(n) log(1/delta) log(1/delta')/
    (alpha^3 n epsilon^2)) with probability 1 - 2 delta' T for an alpha-strongly convex risk, Delta
    the diameter of W (Theorem 3.2.7); O~(log^(1/3)(1/delta) sqrt(log(1/delta')) d^(2/3)/
    (n epsilon^2)^(1/3)) for a convex one, if W contains the ball of radius 2 ||w^0 - w*||_2 about
    w* (Theorem 3.2.8).

    *Errata*: line 1631 as printed sets tilde-epsilon = epsilon, see ``budget``. The precision
    log(1/delta') of the algorithm is half that of Lemma 3.2.3, on which it rests; the lemma's
    bound holds for both up to its constant.

    References
    ----------
    Seed 004, Algorithm 3.2.8 (l.1625-1642), Theorems 3.2.7 and 3.2.8 (l.1662-1678), proofs
    l.1896-1999. Robust gradient descent is Holland and Ikeda's.

    Examples
    --------
    >>> import numpy as np
    >>> from reference.constraint_sets import L2Ball
    >>> from reference.losses import SquaredDistance
    >>> from reference.privacy import Ledger
    >>> data = 1 + np.random.default_rng(0).standard_t(3, size=(100_000, 2))
    >>> w = known_variance_gradient_descent(
    ...     data, SquaredDistance(), L2Ball(5.0), second_moment=16.0, failure_probability=0.01,
    ...     initial=[0.0, 0.0], step_size=0.5, n_iterations=3, epsilon=1.0, delta=1e-5,
    ...     ledger=Ledger(0),
    ... )
    >>> bool(np.linalg.norm(w - 1) < 0.3)
    True
    """
    ledger = open_ledger(ledger)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_positive("step_size", step_size)
    constants = calibrate(
        epsilon,
        delta,
        n=loss.size(records),
        dimension=w.size,
        n_iterations=n_iterations,
        second_moment=second_moment,
        failure_probability=failure_probability,
        budget=budget,
    )  # step 1
    for _ in range(n_iterations):  # step 2
        gradient = release_gradient(loss, records, w, constants=constants, ledger=ledger)
        w = constraint.project(w - step_size * gradient)  # step 5
    return w


ENTRY = Entry(
    id="diss-3.2.8",
    name="Robust private gradient descent with known variance",
    sources=(Source("004", "Algorithm 3.2.8", "1625-1642"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta < 1 (Theorem 3.2.7)",
    utility_claim="L(w^T) - L(w*) <= O(v Delta^2 beta^4 d^2 log^2(n) log(1/delta) log(1/delta')/"
    "(alpha^3 n epsilon^2)) with probability 1 - 2 delta' T, alpha-strongly convex (Theorem "
    "3.2.7); O~(log^(1/3)(1/delta) sqrt(log(1/delta')) d^(2/3)/(n epsilon^2)^(1/3)) with "
    "probability 1 - T delta', convex (Theorem 3.2.8)",
    function=known_variance_gradient_descent,
)
