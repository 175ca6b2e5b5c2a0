"""DP sparse linear regression by shrunken data and noisy iterative hard thresholding (hu-3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

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
from reference.blocks import disjoint_blocks, take_records
from reference.catalogue import Entry, Source
from reference.clipping import clip_entries
from reference.constants import PositiveConstants, fixed_constants
from reference.constraint_sets import L2Ball, SparseVectors
from reference.losses import SquaredError, n_features
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.sparse import peeling

_UNIT_BALL = L2Ball(1.0)


@checked_arguments
def theorem_truncation_level(n: int, epsilon: float, *, sparsity: int, n_iterations: int) -> float:
    """Return K = (n epsilon/(s T))^(1/4) of Theorem 7 (l.294), for data of scale 1.

    The theorem's M, the bound on the fourth moments, does not enter. Its constant 1 is far from
    the best, for the noise grows like K^2: on t_5 data with n from 10^4 to 10^5, a fifth of it
    has a hundredth of the excess risk.

    Parameters
    ----------
    n : int
        Number of records.
    epsilon : float
        > 0.
    sparsity, n_iterations : int
        s and T, >= 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        On parameters out of range.
    """
    require_steps("n_iterations", n_iterations)
    return math.sqrt(math.sqrt(n * epsilon / (sparsity * n_iterations)))


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
    truncation_level: float,
    step_size: float,
) -> Constants:
    """Return the constants that make a step on a batch of m records (epsilon, delta)-DP.

    With entries in [-K, K] and w s-sparse of norm 1, |<x, w>| <= K sqrt(s), so that a record's
    term is at most K^2 (sqrt(s) + 1) in every entry: lambda = 2 K^2 eta (sqrt(s) + 1)/m, which is
    attained. The noise is that of :func:`reference.sparse.peeling.constants_for`.

    Parameters
    ----------
    batch_size : int
        m, records of one iteration.
    epsilon, delta, sparsity, truncation_level, step_size
        As for :func:`heavy_tailed_sparse_regression`.
    """
    factor = math.sqrt(sparsity) + 1
    sensitivity = 2 * truncation_level * truncation_level * step_size * factor / batch_size
    noise = peeling.constants_for(
        epsilon=epsilon, delta=delta, sparsity=sparsity, sensitivity=sensitivity
    )
    return Constants(sensitivity, noise.noise_scale)


@checked_arguments
def heavy_tailed_sparse_regression(
    data: Any,
    *,
    initial: ArrayLike | None = None,
    epsilon: float,
    delta: float,
    sparsity: int,
    truncation_level: float,
    n_iterations: int,
    step_size: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the sparse coefficients of a linear regression with heavy-tailed data.

    Parameters
    ----------
    data : (features, labels)
        Arrays of shapes (n, d) and (n,), any finite numbers. Iteration t reads the t-th batch of
        m = floor(n/T) consecutive records; the remainder is not used. The order must not depend
        on the values: shuffle sorted data first.
    initial : array_like of shape (d,), optional
        w^1, public, with at most s entries that are not 0 and l2 norm at most 1; by default 0.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    sparsity : int
        s, coefficients kept in every iteration, 1 <= s <= d; public.
    truncation_level : float
        K > 0, public: features and labels are shrunk to [-K, K], see
        :func:`theorem_truncation_level`.
    n_iterations : int
        T with 1 <= T <= n; of order (gamma/mu) log n in Theorem 7, where gamma and mu are the
        largest and smallest eigenvalue of E x x^T.
    step_size : float
        eta > 0, for half the gradient of the squared error; 2/(3 gamma) in Theorem 7.
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (d,)
        w^{T+1}, with at most s entries that are not 0 and l2 norm at most 1.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data, parameters out of range and an ``initial`` that is not
        sparse or is too long, before any release.

    Notes
    -----
    *Guarantee* (Theorem 6): (epsilon, delta)-DP, central, replace-one, for every epsilon and
    delta. A record is in one batch, and reaches the output through one noisy hard thresholding of
    a vector with l-infinity sensitivity lambda, see :func:`constants_for`. The projection
    on the unit ball is not only for accuracy: it bounds <x, w^t>.

    *Utility* (Theorem 7): the excess risk is
    O(M gamma^4 s*^2 log n log^2(d/zeta) log(1/delta)/(mu^7 n epsilon)) with probability 1 - zeta.
    The exponent of s* needs features with nearly independent entries: in general the bias of s
    shrunk coordinates is of order s^3 T M^2/(n epsilon) at Theorem 7's K. Its condition
    ||w^1 - w*|| <= O(gamma/mu) always holds (gamma >= mu); mu/gamma seems to be meant. Both
    remarks are unproved, for the paper has no proof.

    *As printed*: step 6 has the scale with sqrt(s + 1) for sqrt(s) + 1 (hu-3/E1).

    References
    ----------
    Hu, Ni, Xiao and Wang (2022), Algorithm 3 (l.300-312), Theorems 6 and 7 (l.290-296), Remark 3
    (l.298, 327).

    Examples
    --------
    >>> import numpy as np
    >>> from reference.privacy import Ledger
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_t(5, size=(200_000, 10))
    >>> y = 0.5 * x[:, 3] + 0.3 * rng.standard_t(5, size=200_000)
    >>> w = heavy_tailed_sparse_regression(
    ...     (x, y), epsilon=1.0, delta=1e-5, sparsity=1, truncation_level=6.0, n_iterations=4,
    ...     step_size=0.4, ledger=Ledger(0),
    ... )
    >>> np.flatnonzero(w).tolist(), bool(abs(w[3] - 0.5) < 0.1)
    ([3], True)
    """
    ledger = open_ledger(ledger)
    start = None if initial is None else require_array("initial", initial, ndim=1)
    records = SquaredError().validate(data, n_features(data) if start is None else start.size)
    n, d = records[0].shape
    w = np.zeros(d) if start is None else start.copy()
    s = require_count("sparsity", sparsity, at_most=d)
    level = truncation_level
    require_steps("n_iterations", n_iterations, at_most=n)
    if not (SparseVectors(s).contains(w) and _UNIT_BALL.contains(w)):
        raise ParameterValueError(
            "initial", f"have at most sparsity = {s} entries that are not 0 and l2 norm <= 1"
        )
    chosen = fixed_constants(
        ledger,
        Constants,
        constants,
        constants_for,
        batch_size=n // n_iterations,
        epsilon=epsilon,
        delta=delta,
        sparsity=s,
        truncation_level=level,
        step_size=step_size,
    )

    shrunken = (clip_entries(records[0], level), clip_entries(records[1], level))  # step 2
    bound = level**2 * (math.sqrt(s) + 1)  # of an entry of a record's term
    for batch in disjoint_blocks(n, n_iterations):  # steps 3, 4
        features, labels = take_records(shrunken, batch)
        gradient = rounded_mean(features, bound=bound, weights=features @ w - labels)
        rounding = rounding_factor(w, sensitivity=chosen.sensitivity)
        found = peeling.noisy_hard_thresholding(
            w - step_size * gradient,  # step 5
            sparsity=s,
            sensitivity=rounding * chosen.sensitivity,
            epsilon=epsilon,
            delta=delta,
            records=batch,
            constants=peeling.Constants(rounding * chosen.noise_scale),
            ledger=ledger,
        )  # step 6
        w = _UNIT_BALL.project(found.vector)  # step 7
    return w


ENTRY = Entry(
    id="hu-3",
    name="Heavy-tailed private sparse linear regression (shrunken data, hard thresholding)",
    sources=(Source("003", "Algorithm 3", "300-312"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for any 0 < epsilon, delta < 1 (Theorem 6)",
    utility_claim="excess risk O(M gamma^4 s*^2 log n log^2(d/zeta) log(1/delta)/"
    "(mu^7 n epsilon)) with probability 1 - zeta (Theorem 7)",
    function=heavy_tailed_sparse_regression,
)
