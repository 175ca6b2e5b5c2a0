"""The perturbed covariance matrix (diss-6.2-NAIVE): noise on the second moment, and no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.matrices import local_gaussian_pca
from reference.matrices.second_moments import second_moment
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger

UserNoise = local_gaussian_pca.Constants
"""The noise of one user's x x^T; that of a mean over n records is 1/n of it."""


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes: the noise on the upper triangle of (1/n) sum_i x_i x_i^T.

    Attributes
    ----------
    sensitivity : float
        l2 norm by which the upper triangle moves, a diagonal entry counted
        1/sqrt(diagonal_variance).
    noise_scale : float
        Standard deviation of an off-diagonal entry.
    diagonal_variance : float
        Variance of a diagonal entry in units of noise_scale^2.
    """

    sensitivity: float
    noise_scale: float
    diagonal_variance: float = 1.0


@checked_arguments
def constants_for(
    *,
    n: int,
    epsilon: float,
    delta: float,
    calibrate: Callable[..., UserNoise] = local_gaussian_pca.constants_for,
) -> Constants:
    """Return 1/n of the noise that one user's x x^T needs.

    Parameters
    ----------
    n : int
        >= 1.
    epsilon, delta : float
    calibrate : callable
        By default the smallest equal noise for the sensitivity sqrt 2, right for every epsilon; or
        :func:`~reference.matrices.local_gaussian_pca.constants_for_scaled` or
        :func:`~reference.matrices.local_gaussian_pca.constants_for_diagonal`, for epsilon <= 1.
    """
    noise = calibrate(epsilon=epsilon, delta=delta)
    return Constants(noise.sensitivity / n, noise.noise_scale / n, noise.diagonal_variance)


@checked_arguments
def perturbed_covariance(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a covariance matrix by the noisy second moment of the records.

    Parameters
    ----------
    data : array_like of shape (n, p)
        Records, not centred (the model has mean 0); rows longer than 1 are scaled to norm 1.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p, p)
        Symmetric, not necessarily positive semidefinite.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0.
    *Utility*: ||Sigma~ - Sigma||_2 = O(sqrt(p log(1/delta))/(n epsilon) + sqrt(lambda_1 log(p)/n) +
    log(p)/n) for epsilon <= 1: what (6.17) says, and what a sample misses.

    *As printed*: (6.17) has no error of the sample (diss-6.2-NAIVE/E1), and the noise is for the
    sensitivity 1/n, which is sqrt 2/n (diss-6.2-NAIVE/E2).

    References
    ----------
    Wang (2020), (6.16) (l.7904), (6.17) (l.7914).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, n=len(records), epsilon=epsilon, delta=delta
    )
    return ledger.symmetric_gaussian(  # (6.16)
        second_moment(records),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
        diagonal_variance=chosen.diagonal_variance,
    )


ENTRY = Entry(
    id="diss-6.2-NAIVE",
    name="Perturbed covariance",
    sources=(Source("004", "(6.16)", "7900-7916"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1",
    utility_claim="||Sigma~ - Sigma||_2 = O(sqrt(p log(1/delta))/(n epsilon)), (6.17); corrected: "
    "+ O(sqrt(lambda_1 log(p)/n) + log(p)/n)",
    function=perturbed_covariance,
)
