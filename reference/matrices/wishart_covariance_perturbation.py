"""Sparse precision matrix by perturbing the second moment: pure DP (seed 004, Thm 6.3.4)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_positive
from reference.catalogue import Entry, Source
from reference.matrices.graphical_lasso import graphical_lasso
from reference.matrices.second_moments import laplace_sensitivity, positive_part, second_moment
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def wishart_covariance_perturbation(
    data: ArrayLike,
    *,
    penalty: float,
    epsilon: float,
    as_published: bool = False,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a sparse inverse covariance matrix from a perturbed second moment.

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records, not centred; rows longer than 1 are scaled to norm 1.
    penalty : float
        rho > 0, the weight of sum_ij |Theta_ij| (diagonal included). The seed uses 0.001.
    epsilon : float
        > 0.
    as_published : bool, default False
        Add the printed Wishart noise W_d(d + 1, 3/(2 n epsilon) I), which is not epsilon-DP for
        any epsilon. The default replaces it by symmetric Laplace noise, as in Theorem 6.3.5,
        and projects the result on the positive semidefinite cone.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d, d)
        Symmetric positive definite, with exact zeros.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: epsilon-DP, central, replace-one, for every epsilon > 0, by default. *Noise*: the
    upper triangle of S changes by at most sqrt(d (d + 3)/2)/n in l1 norm (1/n for d = 1), so
    Laplace noise of that over epsilon; the seed's 2 d/(n epsilon) is up to 2 sqrt 2 times larger.
    *Utility*: ||Theta_hat - Theta*||_F <= ||Theta*||_2 ||Theta_hat||_2 ||N||_F with Theta* the
    minimiser without noise N; the projection does not spoil it, since S is positive semidefinite
    and the projection moves the noisy matrix no farther from S.
    *Errata*: adding a positive definite matrix moves the support of the output: a matrix that is
    not above S' in the positive definite order is impossible under D' and has probability up to
    1 - exp(-epsilon/3) under D. It is (0, 1 - exp(-epsilon/3))-DP and no better, nothing pure.

    References
    ----------
    Seed 004, Algorithm 6.3.51 (l.8743-8753) with the noise of Theorem 6.3.4 (l.8763), corrected
    by that of Theorem 6.3.5 (l.8769).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    require_positive("penalty", penalty)
    require_positive("epsilon", epsilon)

    n, d = records.shape
    moment = second_moment(records)  # step 1
    if as_published:
        noisy = ledger.wishart(
            moment, sensitivity=1 / n, degrees=d + 1, scale=3 / (2 * n * epsilon)
        )
    else:
        sensitivity = laplace_sensitivity(d) / n
        noisy = positive_part(
            ledger.symmetric_laplace(moment, sensitivity=sensitivity, scale=sensitivity / epsilon)
        )
    return graphical_lasso(noisy, penalty=penalty)  # step 2


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
