"""Sparse precision matrix by perturbing the estimate: pure DP (diss-6.3.50)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import FloatArray, ParameterValueError, require_array, require_magnitude
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.matrices.second_moments import laplace_sensitivity, second_moment
from reference.matrices.stable_graphical_lasso import rounding_error, stable_graphical_lasso
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

INEXACT = 1e-3
"""Approximate share of the sensitivity that is kept for rounding in the solver."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the upper triangle of the minimiser, diagonal included, in l1.
    noise_scale : float
        Of the Laplace noise on every entry of it.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(*, n: int, dimension: int, epsilon: float, penalty: float) -> Constants:
    """Return symmetric Laplace noise for the minimiser, epsilon-DP for every epsilon > 0.

    The minimiser moves by at most ||Theta||_2 ||Theta'||_2 ||S - S'||_F (see (6.99)), and both
    norms are at most d/rho (Lemma 6.3.5): its sensitivity is (d/rho)^2 times that of S. So is that
    of what :func:`~reference.matrices.stable_graphical_lasso.stable_graphical_lasso` returns after
    its public number of steps, near the minimiser or not. Rounding is as if the entries of S moved
    by e = :func:`rounding` at most: ||Theta||_2 <= d/(rho - e), and S - S' grows by
    ||E||_F + ||E'||_F <= 2 d e, which is sqrt(d (d + 3)) d e in l1.

    Raises
    ------
    ValueError
        If rho is so small that it does not exceed 2e.
    """
    d, e = dimension, rounding(n=n, dimension=dimension, penalty=penalty)
    if 2 * e > penalty:
        least = INEXACT / (n * d - INEXACT)
        raise ParameterValueError("penalty", f"be at least {least:g} for {n} records", penalty)
    change = laplace_sensitivity(d) / n + math.sqrt(d * (d + 3)) * d * e
    sensitivity = (d / (penalty - e)) ** 2 * change
    return Constants(sensitivity, sensitivity / epsilon)


def rounding(*, n: int, dimension: int, penalty: float) -> float:
    """Return e: rounding changes the result as if an entry of S moved by at most e.

    For n d^(7/2) up to 1e11 the part :data:`INEXACT` of the sensitivity is more than rounding.
    """
    least = rounding_error(dimension, penalty)
    return max(INEXACT * (1 + penalty) / (2 * n * dimension), least)


@checked_arguments
def precision_output_perturbation(
    data: ArrayLike,
    *,
    epsilon: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate an inverse covariance matrix by the graphical lasso, with noise on the estimate.

    The noise is symmetric Laplace; no noise that is itself positive definite, such as the paper's
    Wishart noise, is pure DP. The noisy matrix is projected on those with eigenvalues in
    [1/(1 + rho d), d/rho], among which the minimiser always is.

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records, not centred; rows longer than 1 are scaled to norm 1.
    epsilon : float
        > 0.
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included); at least about 1/(1000 n d).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d, d)
        Symmetric positive definite; the noise leaves no zeros.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon > 0.
    *Utility*: ||Theta~ - Theta*||_F = O(d^4/(n epsilon rho^2)), without the logarithm of (6.92).
    How far what the noise is added to may be from the minimiser reads no data:
    :func:`~reference.matrices.stable_graphical_lasso.largest_gap`, which counts for d/rho beyond
    about 500 only. How far it is would tell of the data, and is not in the result.

    *As printed*: the noise is Wishart's, with which some outputs rule a neighbour out
    (diss-6.3.50/E1).

    References
    ----------
    Wang (2020), Algorithm 6.3.50 (l.8707-8719) with Laplace noise in place of that of Theorem 6.3.1
    (l.8721).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    require_magnitude("penalty", penalty)
    n, d = records.shape
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=n,
        dimension=d,
        epsilon=epsilon,
        penalty=penalty,
    )

    theta = stable_graphical_lasso(second_moment(records), penalty)  # step 1
    noisy = ledger.symmetric_laplace(
        theta, sensitivity=chosen.sensitivity, scale=chosen.noise_scale
    )
    return with_eigenvalues_in(noisy, 1 / (1 + penalty * d), d / penalty)


def with_eigenvalues_in(matrix: FloatArray, low: float, high: float) -> FloatArray:
    """Return the Frobenius projection of a symmetric matrix on low I <= X <= high I."""
    values, vectors = np.linalg.eigh(matrix)
    projected = (vectors * np.clip(values, low, high)) @ vectors.T
    symmetric: FloatArray = (projected + projected.T) / 2
    return symmetric


ENTRY = Entry(
    id="diss-6.3.50",
    name="Output perturbation of a precision matrix",
    sources=(Source("004", "Algorithm 6.3.50", "8707-8719"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP for any epsilon > 0",
    utility_claim="||Theta~ - Theta*||_F = O(log(d/delta) d^4/(n epsilon rho^2)), (6.92)",
    function=precision_output_perturbation,
)
