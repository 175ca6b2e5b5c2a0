"""LDP gradient EM: every user sends one truncated and noisy gradient (wang-ldp-em)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_steps
from reference.blocks import disjoint_blocks
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.em.models import LatentModel, require_model
from reference.em.split_gradient_em import Constants
from reference.heavy_tailed.truncation import mean_sensitivity, smoothed_truncation
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation, zcdp_rho
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
    """Return the constants of Algorithm 2, carried over to the local model.

    Of Wang, Ding, Hu, Xie, Pan and Xu (2020). With m = floor(n/T), l = log(d/zeta): one message has
    l2 sensitivity (4 sqrt(2d)/3) s, the rule of Algorithm 2 for m = 1. The noise of the average of
    m messages then falls with sqrt(m) instead of m, so m is replaced by sqrt(m) in s as well, s =
    sqrt(sqrt(m) tau tilde-epsilon)/(2l) (as Theorem 3 does to Theorem 2); the precision is still
    sqrt(l).

    Parameters
    ----------
    n : int
        Number of users.
    dimension : int
        d.
    epsilon, delta, second_moment, failure_probability, n_iterations
        As for :func:`local_gradient_em`.
    method : {"gaussian-dp", "zcdp", "pld"}
        As for :func:`~reference.privacy.calibration.smallest_gaussian_scale`. "zcdp" is
        Algorithm 2's rule, sigma = 4 s sqrt(d)/(3 tilde-epsilon).
    """
    m = n // require_steps("n_iterations", n_iterations, at_most=n)
    log_term = math.log(dimension / failure_probability)
    tilde_epsilon = math.sqrt(zcdp_rho(epsilon, delta))
    s = math.sqrt(math.sqrt(m) * second_moment * tilde_epsilon) / (2 * log_term)
    sensitivity = math.sqrt(dimension) * mean_sensitivity(1, scale=s)
    return Constants(
        truncation_scale=s,
        precision=math.sqrt(log_term),
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, method=method),
    )


@checked_arguments
def local_gradient_em(
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
    """Estimate a latent-variable model's parameter from records that users never show.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        One record of ``model`` per user. Iteration t asks the t-th block of m = floor(n/T)
        consecutive users; the remainder is not asked. The order must not depend on the values.
    model : LatentModel
        Gives the per-record gradients, e.g. :class:`~reference.em.models.GaussianMixture`.
    initial : array_like of shape (d,)
        beta^0, public.
    epsilon : float
        Budget of every user, > 0.
    delta : float
        In (0, 1).
    second_moment : float
        tau > 0, public: a bound on the second moment of every coordinate of the gradient, in
        squared units of the gradient. A wrong value costs accuracy, not privacy.
    failure_probability : float
        zeta in (0, 1).
    step_size : float
        eta > 0.
    n_iterations : int
        T with 1 <= T <= n, the number of rounds.
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
    An extension: Wang, Ding, Hu, Xie, Pan and Xu (2020) only says that its results "can be easily
    extended to the local model", and this is the plainest way to do so. *Guarantee*: (epsilon,
    delta)-LDP for every epsilon > 0, sequentially interactive, one message per user: that of a
    single message. The exact sensitivity is the claimed one times erf(sqrt(precision/2)).
    *Utility*: by analogy with Theorem 3, O~(d sqrt(tau) m^{-1/4} epsilon^{-1/2}); not proved.

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), l.261 (after Theorem 2), Theorem 3 and Algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> from reference.em.models import GaussianMixture
    >>> from reference.privacy import Ledger
    >>> truth, model = np.array([1.0, 2.0]), GaussianMixture(0.5)
    >>> data = model.sample(truth, 100_000, np.random.default_rng(0))
    >>> beta = local_gradient_em(
    ...     data, model, initial=[1.0, 1.5], epsilon=0.9, delta=1e-6, second_moment=6.0,
    ...     failure_probability=0.05, step_size=1.0, n_iterations=2, ledger=Ledger(0),
    ... )
    >>> bool(np.linalg.norm(beta - truth) < 0.8)
    True
    """
    ledger = open_ledger(ledger)
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_per_record_gradients("model", model, model.gradients, data, beta, beta + 1)
    n = len(records)
    require_steps("n_iterations", n_iterations, at_most=n)

    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        n=n,
        dimension=beta.size,
        epsilon=epsilon,
        delta=delta,
        second_moment=second_moment,
        failure_probability=failure_probability,
        n_iterations=n_iterations,
    )

    for block in disjoint_blocks(n, n_iterations):
        gradients = model.gradients(records[block], beta)
        truncated = smoothed_truncation(
            gradients, scale=chosen.truncation_scale, precision=chosen.precision
        )
        messages = ledger.gaussian(
            truncated,
            sensitivity=chosen.sensitivity,
            scale=chosen.noise_scale,
            unit="record",
            records=block,
        )
        beta = beta + step_size * messages.mean(axis=0)
    return beta


ENTRY = Entry(
    id="wang-ldp-em",
    name="LDP gradient EM with smoothed truncation (extension)",
    sources=(Source("000", "remark before Theorem 3", "261"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    interactive=True,
    privacy_claim='(epsilon, delta)-LDP; the paper says that its results "can be easily extended '
    'to the local model" and gives no algorithm: this one is an extension',
    utility_claim="none stated; by analogy with Theorem 3, unproved: O~(d sqrt(tau)/(m^(1/4) "
    "sqrt(epsilon))), m = n/T",
    function=local_gradient_em,
)
