"""DP sparse optimisation by robust gradients and noisy iterative hard thresholding (hu-5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_steps,
)
from reference.basic.sums import rounding_factor
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L2Ball, SparseVectors
from reference.heavy_tailed.truncation import mean_sensitivity, truncated_mean
from reference.losses import RecordLoss, require_record_loss
from reference.parameters import checked_arguments
from reference.per_record import require_per_record_gradients
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.sparse import peeling


@checked_arguments
def balanced_truncation_scale(
    *,
    n: int,
    epsilon: float,
    delta: float,
    second_moment: float,
    sparsity: int,
    dimension: int,
    n_iterations: int,
) -> float:
    """Return the scale k = sqrt(n epsilon tau/(T sqrt(s log(1/delta)) log d)) of the truncation.

    It balances the bias tau/k of a coordinate against the noise, of order
    k T sqrt(s log(1/delta)) log(d)/(n epsilon), and gives Theorem 8's s*^(3/2). The theorem has
    k = O~(sqrt(n epsilon tau)), without s^(-1/4), which is no logarithm; that would give s*^2.
    The best constant is smaller: on t_3 data with n from 5000 to 30000, a quarter of it has less
    than a tenth of the excess risk.

    Parameters
    ----------
    n : int
        Number of records.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    second_moment : float
        tau > 0, a bound on the second moment of every coordinate of the gradient.
    sparsity, n_iterations : int
        s and T, >= 1.
    dimension : int
        d >= 2.

    Returns
    -------
    float
        In units of the gradient.

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    require_count("dimension", dimension, at_least=2)
    require_steps("n_iterations", n_iterations)
    noise = n_iterations * math.sqrt(-sparsity * math.log(delta)) * math.log(dimension)
    return math.sqrt(n * epsilon / noise) * math.sqrt(second_moment)


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes.

    Attributes
    ----------
    sensitivity : float
        lambda, of every entry of w^{t+.5}.
    noise_scale : float
        Laplace scale of every draw of the noisy hard thresholding.
    """

    sensitivity: float
    noise_scale: float


@checked_arguments
def constants_for(
    *,
    batch_size: int,
    epsilon: float,
    delta: float,
    sparsity: int,
    truncation_scale: float,
    step_size: float,
) -> Constants:
    """Return the constants that make a step on a batch of m records (epsilon, delta)-DP.

    A record moves the robust mean by (4 sqrt(2)/3) k/m at most, and w^{t+.5} by
    lambda = eta (4 sqrt(2)/3) k/m; the exact bound is smaller by the factor
    erf(sqrt(precision/2)). The noise is that of :func:`reference.sparse.peeling.constants_for`.

    Parameters
    ----------
    batch_size : int
        m, records of one iteration.
    epsilon, delta, sparsity, truncation_scale, step_size
        As for :func:`heavy_tailed_sparse_optimisation`.
    """
    sensitivity = step_size * mean_sensitivity(batch_size, scale=truncation_scale)
    noise = peeling.constants_for(
        epsilon=epsilon, delta=delta, sparsity=sparsity, sensitivity=sensitivity
    )
    return Constants(sensitivity, noise.noise_scale)


@checked_arguments
def heavy_tailed_sparse_optimisation(
    data: Any,
    loss: RecordLoss,
    *,
    initial: ArrayLike,
    epsilon: float,
    delta: float,
    sparsity: int,
    truncation_scale: float,
    precision: float = 1.0,
    n_iterations: int,
    step_size: float,
    radius: float | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Minimise a risk over sparse vectors when the gradients are heavy-tailed.

    Parameters
    ----------
    data : Data
        n records of ``loss``. Iteration t reads the t-th batch of m = floor(n/T) consecutive
        records; the remainder is not used. The order must not depend on the values: shuffle
        sorted data first.
    loss : RecordLoss
        Gives the per-record gradients, which need no bound.
    initial : array_like of shape (d,)
        w^1, public, with at most s entries that are not 0, and in the ball if there is one.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    sparsity : int
        s, coordinates kept in every iteration, 1 <= s <= d; public. The theory wants a multiple
        of (gamma_r/mu_r)^2 s*, gamma_r and mu_r the restricted smoothness and convexity.
    truncation_scale : float
        k > 0, public, in units of the gradient, see :func:`balanced_truncation_scale`.
    precision : float, default 1.0
        > 0, the paper's beta: inverse variance of the smoothing.
    n_iterations : int
        T with 1 <= T <= n; of order (gamma_r/mu_r) log n in Theorem 8.
    step_size : float
        eta > 0; 2/(3 gamma_r) in Theorem 8.
    radius : float, optional
        > 0, public: project every iterate on the l2 ball of this radius; by default there is no
        projection, as in the paper. The gradients' second moments are bounded on a bounded set
        only.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        w^{T+1}, with at most s entries that are not 0.

    Raises
    ------
    ValueError, TypeError
        On data outside the loss's domain, parameters out of range and an ``initial`` that is not
        sparse or lies outside the ball, before any release.

    Notes
    -----
    *Guarantee* (Theorem 8): (epsilon, delta)-DP, central, replace-one, for every epsilon and
    delta, whatever the loss. A record is in one batch, and reaches the output through one noisy
    hard thresholding of a vector with l-infinity sensitivity lambda, see :func:`constants_for`.

    *Utility* (Theorem 8): the excess risk is
    O(tau gamma_r^4 s*^(3/2) log n log(d/zeta) sqrt(log(1/delta))/(mu_r^5 n epsilon)) with
    probability 1 - zeta. Remark 4 quotes it as s*^2.

    *As printed*: step 7 has three times the scale that suffices (hu-5/E1), and steps 4 to 6 have
    gradients at w^{t-1}, which is undefined at t = 1 (hu-5/E2): here they are at w^t.

    References
    ----------
    Hu, Ni, Xiao and Wang (2022), Algorithm 5 (l.343-357), Assumption 4 (l.337), Theorem 8
    (l.359-363), Remark 4 (l.365); robust gradient: (2)-(5) (l.171-199).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.losses import SquaredDistance
    >>> from reference.privacy import Ledger
    >>> x = np.random.default_rng(0).standard_t(3, size=(100_000, 10))
    >>> x[:, 7] += 0.8
    >>> w = heavy_tailed_sparse_optimisation(
    ...     x, SquaredDistance(), initial=np.zeros(10), epsilon=1.0, delta=1e-5, sparsity=1,
    ...     truncation_scale=50.0, n_iterations=4, step_size=1 / 3, ledger=Ledger(0),
    ... )
    >>> np.flatnonzero(w).tolist(), bool(abs(w[7] - 0.8) < 0.2)
    ([7], True)
    """
    ledger = open_ledger(ledger)
    require_record_loss(loss)
    w = require_array("initial", initial, ndim=1).copy()
    records = loss.validate(data, w.size)
    require_per_record_gradients("loss", loss, loss.gradients, data, w, w + 1)
    n = loss.size(records)
    s = require_count("sparsity", sparsity, at_most=w.size)
    k = truncation_scale
    require_steps("n_iterations", n_iterations, at_most=n)
    ball = None if radius is None else L2Ball(radius)
    if not SparseVectors(s).contains(w):
        raise ParameterValueError("initial", f"have at most sparsity = {s} entries that are not 0")
    if ball is not None and not ball.contains(w):
        raise ParameterValueError("initial", f"have l2 norm <= radius = {radius}")

    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        batch_size=n // n_iterations,
        epsilon=epsilon,
        delta=delta,
        sparsity=s,
        truncation_scale=k,
        step_size=step_size,
    )

    for batch in disjoint_blocks(n, n_iterations):  # steps 2, 3
        gradients = loss.gradients(take_records(records, batch), w)
        robust = truncated_mean(gradients, scale=k, precision=precision)  # steps 4, 5
        rounding = rounding_factor(w, sensitivity=chosen.sensitivity)
        found = peeling.noisy_hard_thresholding(
            w - step_size * robust,  # step 6
            sparsity=s,
            sensitivity=rounding * chosen.sensitivity,
            epsilon=epsilon,
            delta=delta,
            records=batch,
            constants=peeling.Constants(rounding * chosen.noise_scale),
            ledger=ledger,
        )  # step 7
        w = found.vector if ball is None else ball.project(found.vector)
    return w


ENTRY = Entry(
    id="hu-5",
    name="Heavy-tailed private sparse optimisation (robust gradients, hard thresholding)",
    sources=(Source("003", "Algorithm 5", "343-357"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for any 0 < epsilon, delta < 1 (Theorem 8)",
    utility_claim="excess risk O(tau gamma_r^4 s*^(3/2) log n log(d/zeta) sqrt(log(1/delta))/"
    "(mu_r^5 n epsilon)) with probability 1 - zeta (Theorem 8); lower bound "
    "Omega(tau min(s* log d, log(1/delta))/(n epsilon)) (Theorem 9)",
    function=heavy_tailed_sparse_optimisation,
)
