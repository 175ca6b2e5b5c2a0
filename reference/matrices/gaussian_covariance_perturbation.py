"""Sparse precision matrix by Gaussian noise on the second moment (diss-6.3.51-G)."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.matrices import local_gaussian_pca
from reference.matrices.covariance_perturbation import precision_of, require_penalty
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.local_gaussian_pca import Constants
from reference.matrices.second_moments import second_moment
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def constants_for(*, n: int, epsilon: float, delta: float) -> Constants:
    """Return the smallest equal noise for the sensitivity sqrt 2/n, for every epsilon > 0."""
    return for_the_mean(local_gaussian_pca.constants_for(epsilon=epsilon, delta=delta), n)


def for_the_mean(noise: Constants, n: int) -> Constants:
    """Return the noise for S = (1/n) sum_i x_i x_i^T that covers a record as ``noise`` its x x^T.

    So ``local_gaussian_pca.constants_for_scaled`` and ``constants_for_diagonal`` can be used, too.
    """
    return replace(noise, sensitivity=noise.sensitivity / n, noise_scale=noise.noise_scale / n)


@checked_arguments
def gaussian_covariance_perturbation(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix from a second moment with Gaussian noise.

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records, not centred; rows longer than 1 are scaled to norm 1.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included), at least 1e-6 of the scale of
        the noise. The paper uses 0.001.
    constants : Constants, optional
        By default :func:`constants_for`; see :func:`for_the_mean`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    PrecisionMinimum
        ``theta``, symmetric positive definite with exact zeros, and the solver's ``gap``, which
        depends on the data through the noisy matrix alone.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 (Theorem 6.3.7).
    *Utility*: ||Theta_hat - Theta*||_F <= ||Theta*||_2 ||Theta_hat||_2 ||N||_F with Theta* the
    minimiser without noise N, ||N||_F = O(d sqrt(log(1/delta))/(n epsilon)) for epsilon <= 1; the
    projection on the positive semidefinite cone does not spoil it.

    *As printed*: the noise is for the sensitivity 1/n, which is sqrt 2/n (diss-6.3.51-G/E1).

    References
    ----------
    Wang (2020), Algorithm 6.3.51 (l.8743-8753) with the noise of Theorem 6.3.7 (l.8783).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, n=len(records), epsilon=epsilon, delta=delta
    )
    require_penalty(penalty, chosen.noise_scale)

    noisy = ledger.symmetric_gaussian(  # step 1: S + N
        second_moment(records),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
        diagonal_variance=chosen.diagonal_variance,
    )
    return precision_of(noisy, penalty)  # step 2


ENTRY = Entry(
    id="diss-6.3.51-G",
    name="Covariance perturbation, Gaussian",
    sources=(Source("004", "Algorithm 6.3.51, Theorem 6.3.7", "8743-8785"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for any epsilon > 0, 0 < delta < 1",
    utility_claim="||Theta_hat - Theta*||_F = O(d sqrt(ln(1/delta)) max(||Theta*||_2^2, "
    "||Theta_hat||_2^2)/(n epsilon)), (6.97)",
    function=gaussian_covariance_perturbation,
)
