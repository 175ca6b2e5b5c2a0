"""Sparse DP-EM for the symmetric Gaussian mixture (zhang-3)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.em.models import GaussianMixture
from reference.em.sparse_em import Constants, sparse_em
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


@checked_arguments
def sparse_em_mixture(
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
    """Estimate a sparse beta from Y = Z beta + e with a fair sign Z and e ~ N(0, sigma^2 I).

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records y_i as rows.
    standard_deviation : float
        sigma > 0, known, in units of the data.
    initial, epsilon, delta, sparsity, truncation_level, n_iterations, step_size, constants, ledger
        As for :func:`~reference.em.sparse_em.sparse_em`.

    Returns
    -------
    ndarray of shape (d,)
        Up to sign: beta and -beta are the same mixture, and ``initial`` decides.

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.em.sparse_em.sparse_em`.

    Notes
    -----
    *Guarantee* (Theorem 4.2): (epsilon, delta)-DP. Records are truncated to [-T, T] per coordinate,
    the weight uses them as they are; (23): l-infinity sensitivity 2 eta T/n0, attained for d >= 2.
    The theory wants T >= max |beta*| + sigma sqrt(2 log n), a start within ||beta*||/8 and s-hat
    >= (100/9) s*.

    *As printed*: the weight has <beta, y>/sigma^2 for twice that (zhang-3/E1), with which beta* is
    no fixed point.

    References
    ----------
    Zhang and Zhang (2021), Algorithm 3 (l.239-246), Lemma 4.1, Theorem 4.2 (l.250-272).
    """
    # the box is that of Algorithm 2, with the model's truncated_gradients in step 4
    return sparse_em(
        data,
        GaussianMixture(standard_deviation),
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
    id="zhang-3",
    name="Sparse DP-EM for the Gaussian mixture",
    sources=(Source("002", "Algorithm 3", "239-246"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for every epsilon and delta (Theorem 4.2)",
    utility_claim="||beta-hat - beta*||_2 <= C sqrt(s* log d log n/n) + C_1 s* log d "
    "sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon) (Theorem 4.2)",
    function=sparse_em_mixture,
)
