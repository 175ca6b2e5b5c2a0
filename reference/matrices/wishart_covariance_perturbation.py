"""Sparse precision matrix by perturbing the second moment: pure DP (diss-6.3.51-W1)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import require_array
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.matrices.covariance_perturbation import precision_of, require_penalty
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.laplace_covariance_perturbation import Constants, constants_for
from reference.matrices.second_moments import second_moment
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def wishart_covariance_perturbation(
    data: ArrayLike,
    *,
    epsilon: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix from a second moment with pure DP.

    The noise is symmetric Laplace, as in diss-6.3.51-L: the Wishart noise after which the algorithm
    is named is not pure DP, nor is any other that is itself positive definite.

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
        Those of :mod:`reference.matrices.laplace_covariance_perturbation`, by default its
        ``constants_for``.
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
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon > 0.
    *Utility*: that of Theorem 6.3.5, O(d^2/(n epsilon)), not (6.94).

    *As printed*: in step 1 N ~ W_d(d + 1, 3/(2 n epsilon) I), with which some outputs rule a
    neighbour out (diss-6.3.51-W1/E1); the paper's Remark 6.3.2 compares it with the Laplace noise
    that is here. In step 2 the noisy matrix is projected on the positive semidefinite cone first;
    without that there may be no minimiser.

    References
    ----------
    Wang (2020), Algorithm 6.3.51 (l.8743-8753) with the noise of Theorem 6.3.5 (l.8769) in place of
    that of Theorem 6.3.4 (l.8763).
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
    id="diss-6.3.51-W1",
    name="Covariance perturbation, pure DP (Wishart)",
    sources=(Source("004", "Algorithm 6.3.51, Theorem 6.3.4", "8743-8765"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP for any epsilon > 0",
    utility_claim="||Theta_hat - Theta*||_F = O(log(d/delta') d^(3/2) max(||Theta*||_2^2, "
    "||Theta_hat||_2^2)/(n epsilon)), (6.94); corrected form: O(d^2 max(..)/(n epsilon)), (6.95)",
    function=wishart_covariance_perturbation,
)
