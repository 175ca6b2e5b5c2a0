"""Dense DP-EM for the mixture of two symmetric regressions (zhang-7)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.em.dense_em import Constants, dense_em
from reference.em.models import MixtureOfRegressions
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


@checked_arguments
def dense_em_regressions(
    data: ArrayLike,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    standard_deviation: float,
    truncation_level: float,
    n_iterations: int,
    step_size: float = 1.0,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate beta from Y = Z <beta, X> + e with a fair sign Z.

    Parameters
    ----------
    data : array_like of shape (n, d + 1)
        Records (x_i, y_i) as rows.
    standard_deviation : float
        sigma > 0, standard deviation of e, known.
    initial, epsilon, delta, truncation_level, n_iterations, step_size, constants, ledger
        As for :func:`~reference.em.dense_em.dense_em`.

    Returns
    -------
    ndarray of shape (d,)
        Up to sign, which ``initial`` decides.

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.em.dense_em.dense_em`.

    Notes
    -----
    *Guarantee* (none stated; as Lemma 5.1): (epsilon, delta)-DP. l2 sensitivity 2 eta T^2
    sqrt(d)/n0, attained; see :func:`~reference.em.sparse_em_regressions.sparse_em_regressions`.

    *As printed*: the weight, the gradient and the rate are those of Algorithm 5 (zhang-7/E1): the
    weight lacks a factor 2, and 2w stands for 2w - 1.

    References
    ----------
    Zhang and Zhang (2021), Algorithm 7 (l.664-671), Theorem A.3 (l.675-679).
    """
    # the box is that of Algorithm 4, with the model's truncated_gradients in step 4
    return dense_em(
        data,
        MixtureOfRegressions(standard_deviation),
        initial=initial,
        epsilon=epsilon,
        delta=delta,
        truncation_level=truncation_level,
        step_size=step_size,
        n_iterations=n_iterations,
        constants=constants,
        ledger=ledger,
    )


ENTRY = Entry(
    id="zhang-7",
    name="Dense DP-EM for the mixture of regressions",
    sources=(Source("002", "Algorithm 7", "664-671"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP by the calibration of Algorithm 4 (no statement of its own)",
    utility_claim="||beta-hat - beta*||_2 <= C d log^(3/2)(n) sqrt(log(1/delta))/(n epsilon) + "
    "C_1 sqrt(d/n) log^(3/2) n (Theorem A.3)",
    function=dense_em_regressions,
)
