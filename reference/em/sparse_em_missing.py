"""Sparse DP-EM for linear regression with missing covariates (zhang-6)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.em.models import MissingCovariates
from reference.em.sparse_em import Constants, sparse_em
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


@checked_arguments
def sparse_em_missing(
    data: ArrayLike,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    standard_deviation: float,
    sparsity: int,
    truncation_level: float,
    n_iterations: int,
    step_size: float = 1.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a sparse beta from Y = <beta, X> + e, entries of X ~ N(0, I) missing at random.

    Parameters
    ----------
    data : array_like of shape (n, d + 1)
        Records (x_i, y_i) as rows, NaN where x_ij is missing. Which entries are missing is
        private like their values.
    standard_deviation : float
        sigma > 0, standard deviation of e, known.
    initial, epsilon, delta, sparsity, truncation_level, n_iterations, step_size, constants, ledger
        As for :func:`~reference.em.sparse_em.sparse_em`.

    Returns
    -------
    ndarray of shape (d,)
        Entries within [-4T^2, 4T^2].

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.em.sparse_em.sparse_em`.

    Notes
    -----
    *Guarantee* (Theorem 4.6): (epsilon, delta)-DP. The l-infinity sensitivity at beta is at most
    (eta/n0) max(4T^2, 2T^2 + |beta_j| sigma^2/(sigma^2 + beta_j^2)), because a term in (1-z) beta
    is not truncated (:meth:`~reference.em.models.MissingCovariates.truncated_sensitivity`); the
    claimed 6 eta T^2/n0, (28), holds for ||beta||_inf <= 4T^2. beta^0 and every iterate are
    therefore clipped to it, which is post-processing.

    *As printed*: the sensitivity overlooks that (1-z) beta is not truncated (zhang-6/E1), and the
    gradient has another K_beta than EM's, which is here (zhang-6/E2). The rate of Theorem 4.6 is
    about the paper's.

    References
    ----------
    Zhang and Zhang (2021), Algorithm 6 (l.604-611), Lemma A.2, Theorem 4.6 (l.355-361).
    """
    # the box is that of Algorithm 2, with the model's truncated_gradients in step 4
    return sparse_em(
        data,
        MissingCovariates(standard_deviation),
        initial=initial,
        epsilon=epsilon,
        delta=delta,
        sparsity=sparsity,
        truncation_level=truncation_level,
        step_size=step_size,
        n_iterations=n_iterations,
        constants=constants,
        ledger=ledger,
    )


ENTRY = Entry(
    id="zhang-6",
    name="Sparse DP-EM for regression with missing covariates",
    sources=(Source("002", "Algorithm 6", "604-611"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for every epsilon and delta (Theorem 4.6)",
    utility_claim="||beta-hat - beta*||_2 <= C sqrt(s* log d/n) log n + C_1 s* log d "
    "sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon) (Theorem 4.6)",
    function=sparse_em_missing,
)
