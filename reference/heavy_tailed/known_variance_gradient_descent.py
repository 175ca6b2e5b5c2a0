"""Gradient descent with robust private gradients, known second moment (diss-3.2.8)."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_steps
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.constraint_sets import Ball, require_ball, starting_point
from reference.heavy_tailed.private_mean import Constants, with_smallest_noise
from reference.heavy_tailed.truncation import truncated_mean
from reference.losses import RecordLoss, require_record_loss
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.calibration import Method
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def constants_for(
    *,
    n: int,
    dimension: int,
    n_iterations: int,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return s = sqrt(n v/(2 l)) and the precision l = log(1/delta') (step 1), and the noise.

    One gradient of d coordinates has l2 sensitivity (4 sqrt(2d)/3) s/n. By ``method="zcdp"`` the
    noise is step 3's sigma^2 = 8 v d T/(9 l n tilde-epsilon), where tilde-epsilon =
    (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2: a release costs tilde-epsilon/T in zCDP.

    Parameters
    ----------
    n : int
        Records that every gradient is the mean of, public.
    dimension : int
        d >= 1.
    n_iterations : int
        T >= 1, gradients that read the same records.
    epsilon, delta, second_moment, failure_probability
        As for :func:`known_variance_gradient_descent`.
    method : {"gaussian-dp", "zcdp", "pld"}
        Of :func:`~reference.privacy.calibration.smallest_gaussian_scale`.

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    precision = -math.log(failure_probability)
    return with_smallest_noise(
        math.sqrt(n / (2 * precision)) * math.sqrt(second_moment),
        precision,
        n=n,
        epsilon=epsilon,
        delta=delta,
        dimension=dimension,
        releases=require_steps("n_iterations", n_iterations),
        method=method,
    )


@checked_arguments
def known_variance_gradient_descent(
    data: Any,
    loss: RecordLoss,
    constraint: Ball,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    step_size: float,
    n_iterations: int,
    constants: Constants | None = None,
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
    initial : array_like of shape (d,)
        w^0 in W, public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    second_moment : float
        v > 0, public: a bound on the second moment of every coordinate of the gradient at every
        w in W (Assumption 3.2.4), in squared units of the gradient. A wrong value costs accuracy,
        not privacy.
    failure_probability : float
        delta' in (0, 1), of the utility bound.
    step_size : float
        eta > 0; 1/beta for a beta-smooth population risk in the theory.
    n_iterations : int
        T >= 1; of order (beta/alpha) log n for an alpha-strongly convex risk, and of order
        (||w^0 - w*||_2 sqrt(n tilde-epsilon)/d)^(2/3) for a convex one.
    constants : Constants, optional
        By default :func:`constants_for`. Where they are given, they stand for epsilon, delta,
        v and delta'.
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
    true for every epsilon > 0. All iterates are covered. The exact sensitivity is smaller than the
    paper's by the factor erf(sqrt(precision/2)): at (1, 1e-5) and delta' = 0.01 the worst records
    cost 0.965 of epsilon.

    *Utility*: L(w^T) - L(w*) <= O(v Delta^2 beta^4 d^2 log^2(n) log(1/delta) log(1/delta')/
    (alpha^3 n epsilon^2)) with probability 1 - 2 delta' T for an alpha-strongly convex risk, Delta
    the diameter of W (Theorem 3.2.7); O~(log^(1/3)(1/delta) sqrt(log(1/delta')) d^(2/3)/
    (n epsilon^2)^(1/3)) for a convex one, if W contains the ball of radius 2 ||w^0 - w*||_2 about
    w* (Theorem 3.2.8).

    *As printed*: the budget of l.1631 has epsilon outside the root and no square (diss-3.2.8/E1);
    here it is that of the proof.

    References
    ----------
    Wang (2020), Algorithm 3.2.8 (l.1625-1642), Theorems 3.2.7 and 3.2.8 (l.1662-1678), proofs
    l.1896-1999. Robust gradient descent is Holland and Ikeda's.

    Examples
    --------
    >>> import numpy as np
    >>> from reference.constraint_sets import L2Ball
    >>> from reference.losses import SquaredDistance
    >>> from reference.privacy import Ledger
    >>> data = 1 + np.random.default_rng(0).standard_t(3, size=(100_000, 2))
    >>> w = known_variance_gradient_descent(
    ...     data, SquaredDistance(), L2Ball(5.0), initial=[0.0, 0.0], epsilon=1.0, delta=1e-5,
    ...     second_moment=16.0, failure_probability=0.01, step_size=0.5, n_iterations=3,
    ...     ledger=Ledger(0),
    ... )
    >>> bool(np.linalg.norm(w - 1) < 0.3)
    True
    """
    ledger = open_ledger(ledger)
    require_record_loss(loss)
    require_ball(constraint)
    w = starting_point(initial, constraint)
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    n = loss.size(records)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=n,
        dimension=w.size,
        n_iterations=n_iterations,
        epsilon=epsilon,
        delta=delta,
        second_moment=second_moment,
        failure_probability=failure_probability,
    )

    for _ in range(n_iterations):  # step 2
        gradient = release_gradient(loss, records, w, constants=chosen, ledger=ledger)
        w = constraint.project(w - step_size * gradient)  # step 5
    return w


def release_gradient(
    loss: RecordLoss,
    records: Any,
    w: FloatArray,
    *,
    constants: Constants,
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
    constants : Constants
    ledger : Ledger
    block : slice, optional
        Which of all records these are. Default all.

    Returns
    -------
    ndarray of shape (d,)
    """
    robust = truncated_mean(
        loss.gradients(records, w), scale=constants.truncation_scale, precision=constants.precision
    )
    return ledger.gaussian(
        robust, sensitivity=constants.sensitivity, scale=constants.noise_scale, records=block
    )


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
