"""Dense DP-EM for linear regression with missing covariates (zhang-8)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray
from reference.catalogue import Entry, Source
from reference.em.dense_em import Constants, dense_em
from reference.em.models import MissingCovariates
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger


@checked_arguments
def dense_em_missing(
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
    """Estimate beta from Y = <beta, X> + e, entries of X ~ N(0, I) missing at random.

    Parameters
    ----------
    data : array_like of shape (n, d + 1)
        Records (x_i, y_i) as rows, NaN where x_ij is missing. Which entries are missing is
        private like their values.
    standard_deviation : float
        sigma > 0, standard deviation of e, known.
    initial, epsilon, delta, truncation_level, n_iterations, step_size, constants, ledger
        As for :func:`~reference.em.dense_em.dense_em`.

    Returns
    -------
    ndarray of shape (d,)
        Entries within [-4T^2, 4T^2].

    Raises
    ------
    ValueError, TypeError
        As :func:`~reference.em.dense_em.dense_em`.

    Notes
    -----
    *Guarantee* (none stated; as Lemma 5.1): (epsilon, delta)-DP. The claimed l2 sensitivity
    6 eta T^2 sqrt(d)/n0 follows from the bound per coordinate, which needs ||beta||_inf <= 4T^2;
    beta^0 and every iterate are clipped to it, which is post-processing.

    *As printed*: the sensitivity overlooks that (1-z) beta is not truncated (zhang-8/E1), and the
    gradient has another K_beta than EM's, which is here (zhang-6/E2). The rate of Theorem A.5 is
    about the paper's.

    References
    ----------
    Zhang and Zhang (2021), Algorithm 8 (l.690-697), Theorem A.5 (l.701-705).
    """
    # the box is that of Algorithm 4, with the model's truncated_gradients in step 4
    return dense_em(
        data,
        MissingCovariates(standard_deviation),
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
    id="zhang-8",
    name="Dense DP-EM for regression with missing covariates",
    sources=(Source("002", "Algorithm 8", "690-697"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP by the calibration of Algorithm 4 (no statement of its own)",
    utility_claim="||beta-hat - beta*||_2 <= C d log^(3/2)(n) sqrt(log(1/delta))/(n epsilon) + "
    "C_1 sqrt(d/n) log^(3/2) n (Theorem A.5)",
    function=dense_em_missing,
)
