"""Sparse DP-EM for the mixture of two symmetric regressions (zhang-5)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.em.models import MixtureOfRegressions
from reference.em.sparse_em import Constants, sparse_em
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


@checked_arguments
def sparse_em_regressions(
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
    """Estimate a sparse beta from Y = Z <beta, X> + e with a fair sign Z.

    Parameters
    ----------
    data : array_like of shape (n, d + 1)
        Records (x_i, y_i) as rows.
    standard_deviation : float
        sigma > 0, standard deviation of e, known.
    initial, epsilon, delta, sparsity, truncation_level, n_iterations, step_size, constants, ledger
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
    sensitivity is 2 eta T^2/n0, attained: (2w - 1) y and <x, beta> have one sign.

    *As printed*: the weight has y <beta, x>/sigma^2 for twice that (zhang-5/E2), with which beta*
    is no fixed point.

    References
    ----------
    Zhang and Zhang (2021), Algorithm 5 (l.569-576), Lemma A.1, Theorem 4.4 (l.310-316).
    """
    # the box is that of Algorithm 2, with the model's truncated_gradients in step 4
    return sparse_em(
        data,
        MixtureOfRegressions(standard_deviation),
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
