"""Sparse precision matrix by Laplace noise on the second moment: pure DP (diss-6.3.51-L)."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.matrices.covariance_perturbation import precision_of, require_penalty
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.second_moments import laplace_sensitivity, second_moment
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        Of the upper triangle of S, diagonal included, in l1.
    noise_scale : float
        Of the Laplace noise on every entry of it.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(*, n: int, dimension: int, epsilon: float) -> Constants:
    """Return the symmetric Laplace noise of Theorem 6.3.5 for S, epsilon-DP for every epsilon > 0.

    The upper triangle of S moves by at most sqrt(d (d + 3)/2)/n in l1 (1/n for d = 1), less than
    5% above the maximum for d <= 6; the paper's 2 d/n is up to 2 sqrt 2 times larger.
    """
    sensitivity = laplace_sensitivity(dimension) / n
    return Constants(sensitivity, sensitivity / epsilon)


@checked_arguments
def laplace_covariance_perturbation(
    data: ArrayLike,
    *,
    epsilon: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix from a second moment with Laplace noise.

    The noisy matrix is projected on the positive semidefinite cone; without that there may be no
    minimiser.

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records, not centred; rows longer than 1 are scaled to norm 1.
    epsilon : float
        > 0.
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included), at least 1e-6 of the scale of
        the noise. The paper uses 0.001.
    constants : Constants, optional
        By default :func:`constants_for`.
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
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon > 0 (Theorem 6.3.5).
    *Utility*: ||Theta_hat - Theta*||_F <= ||Theta*||_2 ||Theta_hat||_2 ||N||_F with Theta* the
    minimiser without noise N, ||N||_F = O(d^2/(n epsilon)); the projection does not spoil it, since
    S is positive semidefinite and the projection moves the noisy matrix no farther from S.

    References
    ----------
    Wang (2020), Algorithm 6.3.51 (l.8743-8753) with the noise of Theorem 6.3.5 (l.8769).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    n, d = records.shape
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, n=n, dimension=d, epsilon=epsilon
    )
    require_penalty(penalty, chosen.noise_scale)

    noisy = ledger.symmetric_laplace(  # step 1: S + N
        second_moment(records), sensitivity=chosen.sensitivity, scale=chosen.noise_scale
    )
    return precision_of(noisy, penalty)  # step 2


ENTRY = Entry(
    id="diss-6.3.51-L",
    name="Covariance perturbation, Laplace",
    sources=(Source("004", "Algorithm 6.3.51, Theorem 6.3.5", "8743-8771"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP for any epsilon > 0",
    utility_claim="||Theta_hat - Theta*||_F = O(d^2 max(||Theta*||_2^2, ||Theta_hat||_2^2)/"
    "(n epsilon)), (6.95)",
    function=laplace_covariance_perturbation,
)
