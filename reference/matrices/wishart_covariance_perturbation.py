"""Sparse precision matrix by perturbing the second moment: pure DP (diss-6.3.51-W1)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference.catalogue import Entry, Source
from reference.matrices.graphical_lasso import PrecisionMinimum
from reference.matrices.laplace_covariance_perturbation import (
    Constants,
    laplace_covariance_perturbation,
)
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


@checked_arguments
def wishart_covariance_perturbation(
    data: ArrayLike,
    *,
    epsilon: float,
    penalty: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> PrecisionMinimum:
    """Estimate a sparse inverse covariance matrix from a perturbed second moment: diss-6.3.51-L.

    No noise that is itself positive definite, such as the Wishart noise after which the algorithm
    is named, is pure DP. What is, and what the paper's Remark 6.3.2 compares it with, is symmetric
    Laplace noise.

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
        Those of :mod:`reference.matrices.laplace_covariance_perturbation`.
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

    References
    ----------
    Wang (2020), Algorithm 6.3.51 (l.8743-8753) with the noise of Theorem 6.3.5 (l.8769) in place of
    that of Theorem 6.3.4 (l.8763).
    """
    return laplace_covariance_perturbation(
        data, epsilon=epsilon, penalty=penalty, constants=constants, ledger=ledger
    )


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
