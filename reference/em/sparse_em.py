"""Sparse DP-EM: truncated gradient steps on fresh batches and noisy hard thresholding (zhang-2)."""

from __future__ import annotations

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
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.sparse.peeling import noisy_hard_thresholding


def sparse_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    sparsity: int,
    epsilon: float,
    delta: float,
    truncation: float,
    step_size: float,
    n_batches: int,
    as_published: bool = False,
    reuse_batch: bool = False,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the sparse parameter of a latent-variable model.

    Parameters
    ----------
    data : array_like of shape (n, ...)
        Records of ``model``. Iteration t reads the t-th batch of n0 = floor(n/N0) consecutive
        records; the remainder is not used. The order must not depend on the values: shuffle
        sorted data first.
    model : LatentModel
        Gives the truncated gradients and their sensitivity, e.g.
        :class:`~reference.em.models.GaussianMixture`.
    initial : array_like of shape (d,)
        beta^0, public, with at most ``sparsity`` entries that are not 0. The theory wants it
        within R/2 of the truth.
    sparsity : int
        s-hat, entries kept in every iteration, 1 <= s-hat <= d; public.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    truncation : float
        T > 0, in units of the data; of order sqrt(log n) times their scale in the theory.
    step_size : float
        eta > 0; 1 in the theory.
    n_batches : int
        N0, iterations, 1 <= N0 <= n; of order log n in the theory.
    as_published : bool, default False
        Leave the iterates where they are, even where the sensitivity does not hold, and use the
        paper's noise even where its guarantee fails (erratum zhang-1/1).
    reuse_batch : bool, default False
        Read the algorithm's box literally: the same first n0 records in every iteration.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        beta^{N0}, with at most ``sparsity`` entries that are not 0.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data, parameters out of range and an ``initial`` that is not
        sparse, before any release.

    Notes
    -----
    *Guarantee* (Lemma 3.3): all iterates together are (epsilon, delta)-DP, central, replace-one,
    for every epsilon. A record is in one batch, and its batch's release is noisy hard thresholding
    (:func:`~reference.sparse.peeling.noise_scale`) of a vector with l-infinity sensitivity
    lambda = eta G/n0, where G is the model's ``truncated_sensitivity``: 2 eta T N0/n in the paper,
    with n/N0 an integer. *Correction*: where a model's sensitivity holds for bounded iterates only
    (``iterate_bound``), beta^0 and every iterate are clipped to them, which is post-processing.
    *Errata*: read literally, the batches are one, and the cost is that of N0 releases.

    References
    ----------
    Seed 002, Algorithm 2 (l.138-146), Lemma 3.3 (l.150), Theorem 3.8 (l.196-209).
    """
    ledger = open_ledger(ledger)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    s = require_count("sparsity", sparsity, at_most=beta.size)
    if np.count_nonzero(beta) > s:
        raise ValueError(
            f"initial must have at most sparsity = {s} entries that are not 0, "
            f"got {np.count_nonzero(beta)}"
        )
    require_positive("epsilon", epsilon)
    require_delta(delta)
    threshold = require_positive("truncation", truncation)
    require_positive("step_size", step_size)
    require_count("n_batches", n_batches, at_most=len(records))

    batch_size = len(records) // n_batches
    sensitivity = step_size * model.truncated_sensitivity(threshold) / batch_size
    bound = np.inf if as_published else model.iterate_bound(threshold)
    beta = np.clip(beta, -bound, bound)
    for t in range(n_batches):  # step 3
        start = 0 if reuse_batch else t * batch_size
        batch = slice(start, start + batch_size)
        gradients = model.truncated_gradients(records[batch], beta, threshold)
        half_step = beta + step_size * gradients.mean(axis=0)  # step 4
        found = noisy_hard_thresholding(
            half_step,
            sparsity=s,
            sensitivity=sensitivity,
            epsilon=epsilon,
            delta=delta,
            as_published=as_published,
            records=batch,
            ledger=ledger,
        )  # step 5
        beta = np.clip(found.vector, -bound, bound)
    return beta


ENTRY = Entry(
    id="zhang-2",
    name="Sparse DP-EM (framework)",
    sources=(Source("002", "Algorithm 2", "138-146"), Source("001", "Section 3.1", "60-67")),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for every epsilon and delta (Lemma 3.3)",
    utility_claim="||beta^t - beta*||_2 <= kappa^(t/2) ||beta^0 - beta*||_2 + O((sqrt(s-hat) + "
    "sqrt(s*)) eta alpha) + K s* log d sqrt(log(1/delta)) log^(3/2)(n)/(n epsilon) + O(eta xi) "
    "(Theorem 3.8)",
    function=sparse_em,
)
