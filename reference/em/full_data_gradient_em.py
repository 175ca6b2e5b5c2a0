"""DP gradient EM with a smoothed truncation, all data in every step (diss-7.2.56)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.em.models import LatentModel, require_model
from reference.em.split_gradient_em import Constants
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def constants_for(
    *,
    n: int,
    dimension: int,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    n_iterations: int,
    method: Method = "gaussian-dp",
) -> Constants:
    """Return the constants of Algorithms 7.2.56 and 7.2.57 (l.9633, l.9810), smallest noise.

    With l = log(d/zeta): s = sqrt(n tau/(2l)), precision l, and T releases of l2 sensitivity
    (4 sqrt(2d)/3) s/n.

    Parameters
    ----------
    n : int
        Number of records.
    dimension : int
        d.
    epsilon, delta, second_moment, failure_probability, n_iterations
        As for :func:`full_data_gradient_em`.
    method : {"gaussian-dp", "zcdp", "pld"}
        As for :func:`~reference.privacy.calibration.smallest_gaussian_scale`. "zcdp" is the
        paper's sigma^2 = 8 tau d T/(9 l n tilde-epsilon^2), for tilde-epsilon^2 is the rho of
        :func:`~reference.privacy.guarantees.zcdp_rho`.
    """
    log_term = math.log(dimension / failure_probability)
    s = math.sqrt(n * second_moment / (2 * log_term))
    sensitivity = math.sqrt(dimension) * mean_sensitivity(n, scale=s)
    return Constants(
        truncation_scale=s,
        precision=log_term,
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(
            epsilon, delta, sensitivity=sensitivity, releases=n_iterations, method=method
        ),
    )


@checked_arguments
def full_data_gradient_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    second_moment: float,
    failure_probability: float,
    step_size: float,
    n_iterations: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate a latent-variable model's parameter by gradient EM, all data in every step.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``.
    model : LatentModel
        Gives the per-record gradients, e.g. :class:`~reference.em.models.GaussianMixture`.
    initial : array_like of shape (d,)
        beta^0, public. The theory wants it within R/2 of the truth.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    second_moment : float
        tau > 0, public: a bound on the second moment of every coordinate of the gradient, in
        squared units of the gradient. A wrong value costs accuracy, not privacy.
    failure_probability : float
        zeta in (0, 1).
    step_size : float
        eta > 0; 2/(mu + v) in the theory, 1 for all three models.
    n_iterations : int
        T >= 1.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        beta^T.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Theorem 7.2.2): (epsilon, delta)-DP, central, replace-one; stated for epsilon < 1,
    true for every epsilon > 0. The first two sums of (7.61) are the mean of the smoothed
    truncations of (7.53)-(7.57): :func:`~reference.heavy_tailed.truncation.smoothed_truncation`
    says how they are evaluated. The sensitivity is the paper's bound; the exact one is smaller by
    the factor erf(sqrt(precision/2)). *Utility*: Theorem 7.2.3, for the paper's noise.

    *As printed*: the error bound has the factor R in its noise term, too (diss-7.2.56/E2).

    References
    ----------
    Wang (2020), Algorithm 7.2.56 (l.9627-9644), Theorems 7.2.2 and 7.2.3 (l.9621, l.9646-9654).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.em.models import GaussianMixture
    >>> from reference.privacy import Ledger
    >>> truth, model = np.array([1.0, 2.0]), GaussianMixture(0.5)
    >>> data = model.sample(truth, 100_000, np.random.default_rng(0))
    >>> beta = full_data_gradient_em(
    ...     data, model, initial=[1.0, 1.5], epsilon=0.9, delta=1e-6, second_moment=6.0,
    ...     failure_probability=0.05, step_size=1.0, n_iterations=3, ledger=Ledger(0),
    ... )
    >>> bool(np.linalg.norm(beta - truth) < 0.4)
    True
    """
    ledger = open_ledger(ledger)
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_per_record_gradients("model", model, model.gradients, data, beta, beta + 1)

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
        gradients = model.gradients(records, beta)
        robust = truncated_mean(
            gradients, scale=chosen.truncation_scale, precision=chosen.precision
        )
        noisy = ledger.gaussian(
            robust, sensitivity=chosen.sensitivity, scale=chosen.noise_scale
        )  # steps 3, 4
        beta = beta + step_size * noisy  # step 5
    return beta


ENTRY = Entry(
    id="diss-7.2.56",
    name="DP gradient EM with smoothed truncation, all data in every step",
    sources=(Source("004", "Algorithm 7.2.56", "9627-9644"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta < 1 (Theorem 7.2.2)",
    utility_claim="||beta^T - beta*||_2 <= O~(R sqrt((v+mu)/(v-gamma)^3) d log(1/delta) "
    "log(1/zeta) sqrt(tau)/sqrt(n epsilon^2)) with probability 1 - 2T zeta (Theorem 7.2.3)",
    function=full_data_gradient_em,
)
