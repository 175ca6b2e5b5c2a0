"""DP gradient EM with a smoothed truncation of every coordinate, on disjoint blocks (wang-2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_delta,
    require_in_interval,
    require_positive,
)
from reference.blocks import disjoint_blocks
from reference.catalogue import Entry, Source
from reference.em.models import LatentModel
from reference.heavy_tailed.truncation import correction, mean_sensitivity, truncated_mean
from reference.privacy.guarantees import Model, Relation, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Calibration:
    """The quantities of Algorithm 2, step 1, and the noise of step 3; likewise of its relatives.

    Attributes
    ----------
    block_size : int
        m, records per iteration.
    scale : float
        s, scale of the truncation, in units of the gradient.
    precision : float
        Inverse variance of the smoothing (the papers' second beta).
    sensitivity : float
        Claimed l2 sensitivity of what is released in one iteration.
    noise_scale : float
        sigma of the noise per coordinate.
    """

    block_size: int
    scale: float
    precision: float
    sensitivity: float
    noise_scale: float


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
    """Return the constants of Algorithm 2 (seed 000, l.289-299).

    One block's release costs sensitivity^2/(2 sigma^2) = tilde-epsilon^2, with tilde-epsilon^2 =
    (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2 the rho whose zCDP is (epsilon, delta)-DP,
    and every record is in one block. This is the first of the two expressions printed for
    sigma^2; the second, 4dT tau/(9 n beta^2 tilde-epsilon), differs from it (by the factor
    log(d/zeta)) and is not used. The sensitivity is (4 sqrt(2d)/3)(s/m), sigma is
    4 s sqrt(d)/(3 m tilde-epsilon).
    """
    log_term = math.log(dimension / failure_probability)
    root_rho = math.sqrt(zcdp_rho(epsilon, delta))
    block_size = n // n_iterations
    scale = math.sqrt(block_size * second_moment * root_rho) / (2 * log_term)
    per_record = scale / block_size
    return Calibration(
        block_size=block_size,
        scale=scale,
        precision=math.sqrt(log_term),
        sensitivity=math.sqrt(dimension) * mean_sensitivity(block_size, scale=scale),
        noise_scale=4 * math.sqrt(dimension) / (3 * root_rho) * per_record,
    )


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
    as_published: bool = False,
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
    as_published : bool, default False
        Evaluate (23) as printed: in closed form, with s/n before the sum of corrections.
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
    true for every epsilon > 0. *Calibration*: :func:`calibrate`. The declared sensitivity is the
    paper's, to which it calibrates; the exact one is smaller by the factor erf(sqrt(precision/2))
    (:func:`~reference.heavy_tailed.truncation.truncation_bound`), so that the run is
    sqrt(2) tilde-epsilon erf(sqrt(precision/2))-Gaussian DP and no better. *Errata*: with s/n
    instead of s/m the cubic is not cancelled, the influence of a record is unbounded and nothing
    is private; with T = 1 the two agree, but the closed form in doubles is still unbounded.

    References
    ----------
    Seed 000, Algorithm 2 (l.287-301), Theorems 4 and 5 (l.273-285).
    """
    ledger = open_ledger(ledger)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    require_positive("second_moment", second_moment)
    require_in_interval("failure_probability", failure_probability, 0, 1)
    require_positive("step_size", step_size)
    n = len(records)
    require_count("n_iterations", n_iterations, at_most=n)

    constants = calibrate(
        epsilon,
        delta,
        n=n,
        dimension=beta.size,
        n_iterations=n_iterations,
        second_moment=second_moment,
        failure_probability=failure_probability,
    )  # step 1
    s = constants.scale
    for block in disjoint_blocks(n, n_iterations):  # step 2
        gradients = model.gradients(records[block], beta)
        if as_published:
            robust = printed_mean(gradients, s, constants.precision, correction_factor=s / n)
        else:
            robust = truncated_mean(gradients, scale=s, precision=constants.precision)
        noisy = ledger.gaussian(
            robust,
            sensitivity=constants.sensitivity,
            scale=constants.noise_scale,
            records=block,
        )  # step 3
        beta = beta + step_size * noisy  # steps 4, 5
    return beta


def printed_mean(
    values: FloatArray, scale: float, precision: float, *, correction_factor: float
) -> FloatArray:
    """Return the mean of the cubics plus ``correction_factor`` times the sum of corrections.

    The closed form of the mean of :func:`smoothed_truncation`, if the factor is scale over the
    number of records. (23) of seed 000 and (7.68) of seed 004 have other factors.
    """
    a = values / scale
    cubic = values * (1 - a**2 / (2 * precision)) - values * a**2 / 6
    # b = 0 is 0/0 (erratum wang-phi/1); its limit is that of b -> 0
    corrections = correction(a, np.maximum(np.abs(a) / math.sqrt(precision), 1e-100))
    mean: FloatArray = cubic.mean(axis=0) + correction_factor * corrections.sum(axis=0)
    return mean


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
