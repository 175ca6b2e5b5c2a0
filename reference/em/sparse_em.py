"""Sparse DP-EM: truncated gradient steps on fresh batches and noisy hard thresholding (zhang-2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_steps,
)
from reference.basic.sums import rounded_mean, rounding_factor
from reference.blocks import disjoint_blocks
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.em.models import LatentModel, require_model
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.sparse import peeling
from reference.sparse.peeling import noisy_hard_thresholding


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        lambda, of an entry of a half step (l-infinity).
    noise_scale : float
        Laplace scale of every draw of noisy hard thresholding.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(
    model: LatentModel,
    *,
    n: int,
    epsilon: float,
    delta: float,
    sparsity: int,
    truncation_level: float,
    step_size: float,
    n_iterations: int,
) -> Constants:
    """Return the constants that make all iterates together (epsilon, delta)-DP, for every epsilon.

    A record is in one batch of n0 = floor(n/N0), and its batch's release is one noisy hard
    thresholding (:func:`~reference.sparse.peeling.noise_scale`) of a vector of l-infinity
    sensitivity lambda = eta G/n0, where G is the model's ``truncated_sensitivity``: 2 eta T N0/n
    in the paper, with n/N0 an integer.

    Parameters
    ----------
    model : LatentModel
    n : int
        Number of records.
    epsilon, delta, sparsity, truncation_level, step_size, n_iterations
        As for :func:`sparse_em`.
    """
    require_steps("n_iterations", n_iterations, at_most=n)
    sensitivity = step_size * model.truncated_sensitivity(truncation_level) / (n // n_iterations)
    scale = peeling.noise_scale(epsilon, delta, sparsity=sparsity, sensitivity=sensitivity)
    return Constants(sensitivity, scale)


@checked_arguments
def sparse_em(
    data: ArrayLike,
    model: LatentModel,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    sparsity: int,
    truncation_level: float,
    step_size: float,
    n_iterations: int,
    constants: Constants | None = None,
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
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    sparsity : int
        s-hat, entries kept in every iteration, 1 <= s-hat <= d; public.
    truncation_level : float
        T > 0, in units of the data; of order sqrt(log n) times their scale in the theory.
    step_size : float
        eta > 0; 1 in the theory.
    n_iterations : int
        N0, iterations and batches, 1 <= N0 <= n; of order log n in the theory.
    constants : Constants, optional
        By default :func:`constants_for`.
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
    for every epsilon. Where a model's sensitivity holds for bounded iterates only
    (``iterate_bound``), beta^0 and every iterate are clipped to them, which is post-processing.

    *As printed*: every iteration sums over the same batch (zhang-2/E1); here it is the t-th of N0
    disjoint ones, as in the text.

    References
    ----------
    Zhang and Zhang (2021), Algorithm 2 (l.138-146), Lemma 3.3 (l.150), Theorem 3.8 (l.196-209).
    """
    ledger = open_ledger(ledger)
    require_model(model)
    beta = require_array("initial", initial, ndim=1).copy()
    records = model.validate(data, beta.size)
    s = require_count("sparsity", sparsity, at_most=beta.size)
    if np.count_nonzero(beta) > s:
        raise ParameterValueError(
            "initial",
            f"have at most sparsity = {s} entries that are not 0",
            got=f"{np.count_nonzero(beta)}",
        )
    require_per_record_gradients(
        "model",
        model,
        lambda some, at: model.truncated_gradients(some, at, truncation_level),
        data,
        beta,
        beta + 1,  # at 0 some gradients vanish
    )
    n = len(records)
    require_steps("n_iterations", n_iterations, at_most=n)
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        model,
        n=n,
        epsilon=epsilon,
        delta=delta,
        sparsity=s,
        truncation_level=truncation_level,
        step_size=step_size,
        n_iterations=n_iterations,
    )

    bound = model.iterate_bound(truncation_level)
    largest = model.truncated_sensitivity(truncation_level)
    beta = np.clip(beta, -bound, bound)
    for batch in disjoint_blocks(n, n_iterations):  # step 3
        gradients = model.truncated_gradients(records[batch], beta, truncation_level)
        mean = rounded_mean(gradients, bound=largest + float(np.abs(beta).max()))
        half_step = beta + step_size * mean  # step 4
        rounding = rounding_factor(beta, sensitivity=chosen.sensitivity)
        found = noisy_hard_thresholding(
            half_step,
            sparsity=s,
            sensitivity=rounding * chosen.sensitivity,
            epsilon=epsilon,
            delta=delta,
            records=batch,
            constants=peeling.Constants(rounding * chosen.noise_scale),
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
