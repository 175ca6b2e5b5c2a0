"""Empirical risk minimisation with few coefficients: DP-IHT (diss-5.3.43)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_kind,
)
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L2Ball, SparseVectors
from reference.losses import Loss, probed_records, require_loss
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
        Of the gradient of L, in l2.
    noise_scale : float
        sigma, the standard deviation of the noise on every coordinate of it.
    step_size : float
        eta.
    """

    sensitivity: float
    noise_scale: float
    step_size: float


@checked_arguments
def constants_for(
    loss: Loss,
    *,
    n: int,
    epsilon: float,
    delta: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants that make T noisy gradients (epsilon, delta)-DP, for every epsilon > 0.

    The gradients of a record differ by 2G at most, so their mean moves by 2G/n. All p coordinates
    are released, whatever is kept of them. The theorem's sigma^2 = c T log(1/delta) G^2/(n^2
    epsilon^2) suffices with c = 8 for epsilon <= 1 and delta <= .97. eta = 1/(2 l_s).

    Parameters
    ----------
    loss : Loss
    n : int
        Number of records.
    epsilon, delta, n_iterations
        As for :func:`private_hard_thresholding`.
    method : {"gaussian-dp", "zcdp", "pld"}
        How the T releases are accounted.
    """
    sensitivity = 2 * loss.lipschitz / n
    return Constants(
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
        step_size=1 / (2 * loss.smoothness),
    )


@checked_arguments
def private_hard_thresholding(
    data: Any,
    loss: Loss,
    constraint: L2Ball | None = None,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    sparsity: int,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise an empirical risk over vectors of k coefficients by noisy gradients.

    Parameters
    ----------
    data : (features, labels)
        Records of ``loss``: n of them. The features of a
        :class:`~reference.losses.LinearModelLoss` may be a sparse matrix of scipy, in any format;
        no dense copy is made. Its scores <a, x> are added up in another order than those of an
        array, whose result differs by their rounding.
    loss : Loss
        G-Lipschitz in l2. For the utility also restricted smooth and its mean restricted strongly
        convex, which no Lipschitz loss is on all of R^p: see ``constraint``.
    constraint : L2Ball, optional
        Public; iterates are projected on it after they are truncated, which keeps their zeros. The
        whole space by default, as in the box.
    initial : array_like of shape (p,)
        x_0, public, in the constraint, with at most k entries that are not 0.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    sparsity : int
        k, 1 <= k <= p, public. The theorem takes k >= (1 + 64 kappa^2) k*, kappa = l_s/rho_s.
    n_iterations : int
        T >= 1. The theorem takes T of order kappa log(n^2 epsilon^2/k*).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p,)
        x_T.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, a loss that is not Lipschitz in l2, a starting point that
        is not sparse or outside the constraint, and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 5.3.8): (epsilon, delta)-DP, central, replace-one, every epsilon > 0,
    accounted exactly: T Gaussian releases of l2 sensitivity 2G/n. All iterates are covered.

    *Utility* (Theorem 5.3.8): E L(x_T) - L(x*) = O(log n log p k* log(1/delta)/(n epsilon)^2),
    where x* is the best vector of k* coefficients.

    *Compared with*: without noise (:class:`~reference.privacy.NoiselessLedger`) it is iterative
    hard thresholding. With k = p nothing is dropped, and it is noisy gradient descent, whose error
    has p for k* log p.

    References
    ----------
    Wang (2020), Algorithm 5.3.43 (l.6591-6602), Theorem 5.3.8 (l.6583-6587).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.losses import Logistic
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> a = rng.choice([-0.1, 0.1], size=(20_000, 100))
    >>> y = np.where(rng.logistic(size=20_000) < 30 * a[:, 7], 1.0, -1.0)
    >>> x = private_hard_thresholding(
    ...     (a, y), Logistic(), initial=np.zeros(100), epsilon=1.0, delta=1e-5, sparsity=2,
    ...     n_iterations=5, ledger=Ledger(0),
    ... )
    >>> int(np.argmax(np.abs(x))), int(np.count_nonzero(x))
    (7, 2)
    """
    ledger = open_ledger(ledger)
    require_loss(loss)
    if constraint is not None:
        require_kind("constraint", constraint, L2Ball, "an L2Ball or None")
    x = require_array("initial", initial, ndim=1).copy()
    k = require_count("sparsity", sparsity, at_most=x.size)
    sparse = SparseVectors(k)
    if not sparse.contains(x):
        raise ParameterValueError("initial", f"have at most sparsity = {k} entries that are not 0")
    if constraint is not None and not constraint.contains(x):
        raise ParameterValueError("initial", "be in the constraint")
    records = probed_records(loss, data, x, sparse=True)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        loss,
        n=loss.size(records),
        epsilon=epsilon,
        delta=delta,
        n_iterations=n_iterations,
    )

    for _ in range(n_iterations):  # step 1
        gradient = ledger.gaussian(
            loss.gradient(records, x), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )
        x = sparse.project(x - chosen.step_size * gradient)  # steps 2, 3
        if constraint is not None:
            x = constraint.project(x)
    return x


ENTRY = Entry(
    id="diss-5.3.43",
    name="DP-IHT: private iterative hard thresholding",
    sources=(Source("004", "Algorithm 5.3.43", "6591-6602"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1 with sigma^2 = c T log(1/delta) "
    "G^2/(n^2 epsilon^2), some c (Theorem 5.3.8)",
    utility_claim="E L(x_T) - L(x*) = O(log n log p k* log(1/delta)/(n epsilon)^2) (Theorem 5.3.8)",
    function=private_hard_thresholding,
)
