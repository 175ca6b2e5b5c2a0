"""Sparse DP-EM for linear regression with missing covariates (zhang-6)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.em.models import MissingCovariates
from reference.em.sparse_em import sparse_em
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


def sparse_em_missing(
    data: ArrayLike,
    *,
    noise_scale: float,
    initial: ArrayLike,
    sparsity: int,
    epsilon: float,
    delta: float,
    truncation: float,
    n_batches: int,
    step_size: float = 1.0,
    as_published: bool = False,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a sparse beta from Y = <beta, X> + e, entries of X ~ N(0, I) missing at random.

    Parameters
    ----------
    data : array_like of shape (n, d + 1)
        Records (x_i, y_i) as rows, NaN where x_ij is missing. Which entries are missing is
        private like their values.
    noise_scale : float
        sigma > 0, standard deviation of e, known.
    as_published : bool, default False
        Do not clip the iterates (erratum 1), and use the paper's noise even where its guarantee
        fails (erratum zhang-1/1).
    initial, sparsity, epsilon, delta, truncation, n_batches, step_size, ledger
        As for :func:`~reference.em.sparse_em.sparse_em`.

    Returns
    -------
    ndarray of shape (d,)
        Entries within [-4T^2, 4T^2] (unless ``as_published``).

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.em.sparse_em.sparse_em`.

    Notes
    -----
    *Guarantee* (Theorem 4.6): (epsilon, delta)-DP. The exact l-infinity sensitivity at beta is
    (eta/n0) max(4T^2, 5T^2 - |beta_j|, 2T^2 + |beta_j|), because (1-z) beta is not truncated; the
    claimed 6 eta T^2/n0, (28), needs ||beta||_inf <= 4T^2. beta^0 and every iterate are therefore
    clipped to it, which is post-processing.

    References
    ----------
    Seed 002, Algorithm 6 (l.604-611), Lemma A.2, Theorem 4.6 (l.355-361).
    """
    return sparse_em(
        data,
        MissingCovariates(noise_scale),
        initial=initial,
        sparsity=sparsity,
        epsilon=epsilon,
        delta=delta,
        truncation=truncation,
        step_size=step_size,
        n_batches=n_batches,
        as_published=as_published,
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
