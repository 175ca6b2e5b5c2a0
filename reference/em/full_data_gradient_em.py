"""DP gradient EM with a smoothed truncation, all data in every step (diss-7.2.56)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_delta,
    require_in_interval,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.em.models import LatentModel
from reference.em.split_gradient_em import Calibration
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.privacy.guarantees import Model, Relation, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger


def calibrate(
    epsilon: float,
    delta: float,
    *,
    n: int,
    dimension: int,
    n_iterations: int,
    second_moment: float,
    failure_probability: float,
) -> Calibration:
    """Return the constants of Algorithms 7.2.56 and 7.2.57 (seed 004, l.9633-9639, l.9810-9816).

    With l = log(d/zeta): s = sqrt(n tau/(2l)), precision l, l2 sensitivity (4 sqrt(2d)/3)(s/n)
    and sigma^2 = 8 tau d T/(9 l n tilde-epsilon^2). One release costs sensitivity^2/(2 sigma^2) =
    tilde-epsilon^2/T, so T of them cost tilde-epsilon^2 = (sqrt(log(1/delta) + epsilon) -
    sqrt(log(1/delta)))^2, the rho whose zCDP is (epsilon, delta)-DP. ``block_size`` is n.
    """
    log_term = math.log(dimension / failure_probability)
    scale = math.sqrt(n * second_moment / (2 * log_term))
    variance = 8 * second_moment * dimension * n_iterations
    variance /= 9 * log_term * n * zcdp_rho(epsilon, delta)
    return Calibration(
        block_size=n,
        scale=scale,
        precision=log_term,
        sensitivity=math.sqrt(dimension) * mean_sensitivity(n, scale=scale),
        noise_scale=math.sqrt(variance),
    )


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
    true for every epsilon > 0. *Calibration*: :func:`calibrate`, the seed's, whose accounting is
    exact for the sensitivity it claims. The exact sensitivity is smaller by the factor
    erf(sqrt(precision/2)), so that the run is sqrt(2) tilde-epsilon erf(sqrt(precision/2))-Gaussian
    DP and no better. (7.61) is evaluated by
    :func:`~reference.heavy_tailed.truncation.smoothed_truncation`, which is bounded in floating
    point as well; its closed form is not (erratum wang-phi/2).

    *Errata*: none that touches privacy. The proof of Theorem 7.2.3 treats the records as
    independent of the iterate that they made, and its bound has a factor R too many.

    References
    ----------
    Seed 004, Algorithm 7.2.56 (l.9627-9644), Theorems 7.2.2 and 7.2.3 (l.9621, l.9646-9654).

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
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    require_positive("second_moment", second_moment)
    require_in_interval("failure_probability", failure_probability, 0, 1)
    require_positive("step_size", step_size)
    require_count("n_iterations", n_iterations)

    constants = calibrate(
        epsilon,
        delta,
        n=len(records),
        dimension=beta.size,
        n_iterations=n_iterations,
        second_moment=second_moment,
        failure_probability=failure_probability,
    )  # step 1
    for _ in range(n_iterations):  # step 2
        robust = truncated_mean(
            model.gradients(records, beta), scale=constants.scale, precision=constants.precision
        )
        noisy = ledger.gaussian(
            robust,
            sensitivity=constants.sensitivity,
            scale=constants.noise_scale,
        )  # step 3
        beta = beta + step_size * noisy  # steps 4, 5
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
