"""Sparse DP-EM for the mixture of two symmetric regressions (zhang-5)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.em.models import MixtureOfRegressions
from reference.em.sparse_em import sparse_em
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


def sparse_em_regressions(
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
    """Estimate a sparse beta from Y = Z <beta, X> + e with a fair sign Z.

    Parameters
    ----------
    data : array_like of shape (n, d + 1)
        Records (x_i, y_i) as rows.
    noise_scale : float
        sigma > 0, standard deviation of e, known.
    as_published : bool, default False
        The printed gradient 2w y x - <x, beta> x and weight (errata 1, 2), with twice the noise,
        and the paper's noise even where its guarantee fails (erratum zhang-1/1).
    initial, sparsity, epsilon, delta, truncation, n_batches, step_size, ledger
        As for :func:`~reference.em.sparse_em.sparse_em`.

    Returns
    -------
    ndarray of shape (d,)
        Up to sign, which ``initial`` decides.

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.em.sparse_em.sparse_em`.

    Notes
    -----
    *Guarantee* (Theorem 4.4): (epsilon, delta)-DP. The response, the covariates and <x, beta> are
    truncated to [-T, T]. With the gradient of Q_n, (2w - 1) y x - <x, beta> x, the l-infinity
    sensitivity is 2 eta T^2/n0: (2w - 1) y and <x, beta> have one sign. With the printed one it is
    4 eta T^2/n0, (25), which is right although its proof is not (erratum 5). Both are attained in
    the limit.

    References
    ----------
    Seed 002, Algorithm 5 (l.569-576), Lemma A.1, Theorem 4.4 (l.310-316).
    """
    return sparse_em(
        data,
        MixtureOfRegressions(noise_scale, as_published=as_published, doubled_weight=as_published),
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
    id="zhang-5",
    name="Sparse DP-EM for the mixture of regressions",
    sources=(Source("002", "Algorithm 5", "569-576"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for every epsilon and delta (Theorem 4.4)",
    utility_claim="||beta-hat - beta*||_2 <= C sqrt(s* log d/n) log n + C_1 s* log d "
    "sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon) (Theorem 4.4)",
    function=sparse_em_regressions,
)
