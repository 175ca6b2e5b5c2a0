"""DP gradient EM with a smoothed truncation of every coordinate, on disjoint blocks (wang-2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import FloatArray, require_array, require_steps
from reference.blocks import disjoint_blocks
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.em.models import LatentModel, require_model
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.calibration import Method, smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes, here and in the other algorithms with this truncation.

    Attributes
    ----------
    truncation_scale : float
        s, in units of the gradient.
    precision : float
        The paper's second beta.
    sensitivity : float
        Of one release.
    noise_scale : float
        sigma of the noise per coordinate.
    """

    truncation_scale: float
    precision: float
    sensitivity: float
    noise_scale: float


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
    """Return the constants of step 1 (l.291), and the smallest noise.

    With m = floor(n/T), l = log(d/zeta) and tilde-epsilon = sqrt(log(1/delta) + epsilon) -
    sqrt(log(1/delta)): s = sqrt(m tau tilde-epsilon)/(2l), precision sqrt(l). A mean over a block
    has l2 sensitivity (4 sqrt(2d)/3) s/m, and every record is in one block.

    Parameters
    ----------
    n : int
        Number of records.
    dimension : int
        d.
    epsilon, delta, second_moment, failure_probability, n_iterations
        As for :func:`split_gradient_em`.
    method : {"gaussian-dp", "zcdp", "pld"}
        As for :func:`~reference.privacy.calibration.smallest_gaussian_scale`. "zcdp" is the
        paper's sigma = 4 s sqrt(d)/(3 m tilde-epsilon), for tilde-epsilon^2 is the rho of
        :func:`~reference.privacy.guarantees.zcdp_rho`.
    """
    m = n // require_steps("n_iterations", n_iterations, at_most=n)
    log_term = math.log(dimension / failure_probability)
    tilde_epsilon = math.sqrt(zcdp_rho(epsilon, delta))
    s = math.sqrt(m * second_moment * tilde_epsilon) / (2 * log_term)
    sensitivity = math.sqrt(dimension) * mean_sensitivity(m, scale=s)
    return Constants(
        truncation_scale=s,
        precision=math.sqrt(log_term),
        sensitivity=sensitivity,
        noise_scale=smallest_gaussian_scale(epsilon, delta, sensitivity=sensitivity, method=method),
    )


@checked_arguments
def split_gradient_em(
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
    """Estimate a latent-variable model's parameter by gradient EM, one block of data per step.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``. Iteration t reads the t-th block of m = floor(n/T) consecutive
        records; the remainder is not used. The order must not depend on the values: shuffle
        sorted data first.
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
        eta > 0; 2/(mu + v) in the theory, 1 for the Gaussian mixture.
    n_iterations : int
        T with 1 <= T <= n.
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
    *Guarantee* (Theorem 4): (epsilon, delta)-DP, central, replace-one; stated for epsilon < 1,
    true for every epsilon > 0. The first two sums of (23) are the mean of the smoothed truncations
    of (14)-(17): :func:`~reference.heavy_tailed.truncation.smoothed_truncation` says how they are
    evaluated. The sensitivity is the paper's bound; the exact one is smaller by the factor
    erf(sqrt(precision/2)) (:func:`~reference.heavy_tailed.truncation.truncation_bound`).
    *Utility*: Theorem 5, for the paper's noise.

    *As printed*: (23) has s/n and a sum over all records for s/m and the block's in its second
    term, without which nothing bounds a record's influence (wang-2/E2), and (25) has the factor R
    in its noise term, too (wang-2/E3). In the text at hand the root in step 1 ends before epsilon
    (wang-2/E8); l.630 has it over all of it.

    References
    ----------
    Wang, Ding, Hu, Xie, Pan and Xu (2020), Algorithm 2 (l.287-301), Theorems 4 and 5 (l.273-285).
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
    )  # step 1

    for block in disjoint_blocks(n, n_iterations):  # step 2
        gradients = model.gradients(records[block], beta)
        robust = truncated_mean(
            gradients, scale=chosen.truncation_scale, precision=chosen.precision
        )
        noisy = ledger.gaussian(
            robust, sensitivity=chosen.sensitivity, scale=chosen.noise_scale, records=block
        )  # steps 3, 4
        beta = beta + step_size * noisy  # step 5
    return beta


ENTRY = Entry(
    id="wang-2",
    name="DP gradient EM with smoothed truncation on disjoint blocks",
    sources=(Source("000", "Algorithm 2", "287-301"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta < 1 (Theorem 4)",
    utility_claim="||beta^T - beta*||_2 <= O~(R sqrt((v+mu)/(v-gamma)^3) d (log(1/delta) "
    "log(1/zeta))^(1/4) sqrt(tau)/sqrt(n epsilon)) with probability 1 - zeta (Theorem 5)",
    function=split_gradient_em,
)
