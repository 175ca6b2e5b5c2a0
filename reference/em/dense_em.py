"""Dense DP-EM: truncated gradient steps on fresh batches with Gaussian noise (zhang-4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_delta,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.em.models import LatentModel
from reference.privacy.guarantees import Model, Relation, zcdp_rho
from reference.privacy.ledger import Ledger, open_ledger


def noise_multiplier(epsilon: float, delta: float, *, as_published: bool = False) -> float:
    """Return the noise per coordinate in units of the l2 sensitivity.

    1/sqrt(2 rho(epsilon, delta)), by zCDP, for every epsilon and delta; published, the classical
    sqrt(2 log(1.25/delta))/epsilon.
    """
    if as_published:
        return math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    return 1 / math.sqrt(2 * zcdp_rho(epsilon, delta))


def dense_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    truncation: float,
    step_size: float,
    n_batches: int,
    as_published: bool = False,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the parameter of a latent-variable model, all coordinates of it.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``. Iteration t reads the t-th batch of n0 = floor(n/N0) consecutive
        records; the remainder is not used. The order must not depend on the values: shuffle
        sorted data first.
    model : LatentModel
        Gives the truncated gradients and their sensitivity;
        :class:`~reference.em.models.GaussianMixture` in Theorem 5.5.
    initial : array_like of shape (d,)
        beta^0, public. The theory wants it within R/2 of the truth.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    truncation : float
        T > 0, in units of the data; of order sqrt(log n) times their scale in the theory.
    step_size : float
        eta > 0; 2/(mu + nu) in the theory, 1 for the models of the paper.
    n_batches : int
        N0, iterations, 1 <= N0 <= n; of order log n in the theory.
    as_published : bool, default False
        The classical Gaussian mechanism for every epsilon (erratum 1), and iterates left where
        they are even where the sensitivity does not hold (erratum zhang-8/1).
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        beta^{N0}.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee* (Lemma 5.1, without proof in the seed): all iterates together are
    (epsilon, delta)-DP, central, replace-one, for every epsilon: one Gaussian release per record,
    of l2 sensitivity eta sqrt(d) G/n0 with G the model's ``truncated_sensitivity`` (2T for the
    mixture, attained for d >= 2), calibrated by :func:`noise_multiplier`. *Correction*: where a
    model's sensitivity holds for bounded iterates only (``iterate_bound``), beta^0 and every
    iterate are clipped to them, which is post-processing.

    References
    ----------
    Seed 002, Algorithm 4 (l.379-386), Proposition 2.4 (l.85), Theorems 5.4, 5.5 (l.409-427).
    """
    ledger = open_ledger(ledger)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    threshold = require_positive("truncation", truncation)
    require_positive("step_size", step_size)
    require_count("n_batches", n_batches, at_most=len(records))

    batch_size = len(records) // n_batches
    entry_sensitivity = step_size * model.truncated_sensitivity(threshold) / batch_size
    sensitivity = math.sqrt(beta.size) * entry_sensitivity
    scale = sensitivity * noise_multiplier(epsilon, delta, as_published=as_published)
    bound = np.inf if as_published else model.iterate_bound(threshold)
    beta = np.clip(beta, -bound, bound)
    for t in range(n_batches):
        batch = slice(t * batch_size, (t + 1) * batch_size)
        gradients = model.truncated_gradients(records[batch], beta, threshold)
        step = beta + step_size * gradients.mean(axis=0)
        noisy = ledger.gaussian(step, sensitivity=sensitivity, scale=scale, records=batch)
        beta = np.clip(noisy, -bound, bound)
    return beta


ENTRY = Entry(
    id="zhang-4",
    name="Dense DP-EM (Gaussian mechanism)",
    sources=(Source("002", "Algorithm 4", "379-386"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for every epsilon and delta (Lemma 5.1)",
    utility_claim="||beta-hat - beta*||_2 <= C d sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon) + "
    "C_1 sqrt(d/n) log n for the Gaussian mixture (Theorem 5.5)",
    function=dense_em,
)
