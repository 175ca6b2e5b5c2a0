"""DP EM for models whose M-step is an average over the records (diss-7.2.57)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_kind
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.em.full_data_gradient_em import constants_for
from reference.em.models import GaussianMixture
from reference.em.split_gradient_em import Constants
from reference.heavy_tailed.truncation import truncated_mean
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def private_em(
    data: ArrayLike,
    model: GaussianMixture,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a mixture's parameter by EM with a truncated and noisy M-step.

    Parameters
    ----------
    data : array_like of shape (n, d)
        Records of ``model``.
    model : GaussianMixture
        The M-step of the other models is not an average of a term per record (their Gram matrix
        couples the records), so Assumption 7.2.2 and this algorithm are not for them.
    initial : array_like of shape (d,)
        beta^0, public. The theory wants it within R/2 of the truth.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    second_moment : float
        tau > 0, public: a bound on E f_j(beta)^2 for every coordinate of the terms f_i, in
        squared units of the data; ||beta*||_inf^2 + sigma^2 for the mixture, whatever beta is.
        A wrong value costs accuracy, not privacy.
    failure_probability : float
        zeta in (0, 1).
    n_iterations : int
        T >= 1.
    constants : Constants, optional
        By default :func:`reference.em.full_data_gradient_em.constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        beta^T.

    Raises
    ------
    ValueError, TypeError
        On a model other than :class:`~reference.em.models.GaussianMixture`, non-finite or
        misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 7.2.7): (epsilon, delta)-DP, central, replace-one; stated for epsilon < 1,
    true for every epsilon > 0. Constants and robust mean are those of
    :func:`~reference.em.full_data_gradient_em.full_data_gradient_em`, and so is the remark on its
    sensitivity. *Utility*: Theorem 7.2.8, for the paper's noise.

    *As printed*: (7.68) has 1/n for s/n before the second sum, without which nothing bounds a
    record's influence (diss-7.2.57/E1); (7.70) has sqrt v for sqrt(v^3), and the factor R in its
    noise term, too (diss-7.2.57/E4).

    References
    ----------
    Wang (2020), Algorithm 7.2.57 (l.9804-9821), Theorems 7.2.7 and 7.2.8 (l.9823-9837).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.em.models import GaussianMixture
    >>> from reference.privacy import Ledger
    >>> truth, model = np.array([1.0, 2.0]), GaussianMixture(0.5)
    >>> data = model.sample(truth, 100_000, np.random.default_rng(0))
    >>> beta = private_em(
    ...     data, model, initial=[1.0, 1.5], epsilon=0.9, delta=1e-6, second_moment=4.25,
    ...     failure_probability=0.05, n_iterations=3, ledger=Ledger(0),
    ... )
    >>> bool(np.linalg.norm(beta - truth) < 0.4)
    True
    """
    ledger = open_ledger(ledger)
    require_kind(
        "model",
        model,
        GaussianMixture,
        "a GaussianMixture, the only one whose M-step is an average of terms of single records",
    )
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_per_record_gradients("model", model, model.terms, data, beta, beta + 1)

    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=len(records),
        dimension=beta.size,
        epsilon=epsilon,
        delta=delta,
        second_moment=second_moment,
        failure_probability=failure_probability,
        n_iterations=n_iterations,
    )  # step 1

    for _ in range(n_iterations):  # step 2
        terms = model.terms(records, beta)
        robust = truncated_mean(terms, scale=chosen.truncation_scale, precision=chosen.precision)
        beta = ledger.gaussian(
            robust, sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )  # steps 3 to 5
    return beta


ENTRY = Entry(
    id="diss-7.2.57",
    name="DP EM with smoothed truncation of the M-step's terms",
    sources=(Source("004", "Algorithm 7.2.57", "9804-9821"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta < 1 (Theorem 7.2.7)",
    utility_claim="||beta^T - beta*||_2 <= O~(R sqrt(v/(v-gamma)^3) d log(1/delta) log(1/zeta) "
    "sqrt(tau)/sqrt(n epsilon^2)) with probability 1 - 2T zeta (Theorem 7.2.8)",
    function=private_em,
)
