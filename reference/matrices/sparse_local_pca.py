"""Sparse local Gaussian PCA (diss-6.1.47): noisy second moments, then a penalised projection."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    ParameterValueError,
    require_array,
    require_count,
    require_non_negative,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.matrices.balancing import balanced, next_look
from reference.matrices.fantope import duality_gap, project_on_fantope
from reference.matrices.local_gaussian_pca import Constants, constants_for, randomize_second_moments
from reference.matrices.subspaces import principal_subspace
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger
from reference.proximal import soft_threshold

FAILURE = 0.05
"""Probability with which the default penalty may be too small for the theorem."""
EQUAL = 1e-5
"""Eigenvalues of Y no farther apart count as equal: those that are 1 are found to about 1e-6."""
BALANCED = 10
"""Iterations between the first looks at the constant rho."""


@dataclass(frozen=True)
class SparseSubspace:
    """A sparse principal subspace, with how far the solver was from the maximum of (6.5).

    Attributes
    ----------
    basis : ndarray of shape (p, k)
        Orthonormal; rows outside its support are exactly 0.
    gap : float
        No matrix of the Fantope has an objective more than this above that of the solver's X. The
        basis is that of its Y, which is X within the tolerance, unless the iterations ran out.
    """

    basis: FloatArray
    gap: float


@dataclass(frozen=True)
class PenalisedProjection:
    """The best point found for (6.5), with the proof of how good it is.

    Attributes
    ----------
    feasible : ndarray of shape (p, p)
        X in the Fantope (up to rounding).
    sparse : ndarray of shape (p, p)
        Y, which is X within the tolerance, with exact zeros.
    gap : float
        No matrix of the Fantope has an objective more than this above that of X.
    n_iterations : int
    """

    feasible: FloatArray
    sparse: FloatArray
    gap: float
    n_iterations: int


@checked_arguments
def penalty_for(
    *, n: int, dimension: int, noise: Constants, failure_probability: float = FAILURE
) -> float:
    """Return a lambda >= ||S~ - Sigma||_inf,inf, which Theorem 6.1.4 needs, without knowing Sigma.

    With L = log(2 p (p + 1)/failure_probability), sqrt(L/(2 n)) + noise sqrt(2 L/n): an entry of
    x x^T lies in an interval of length 1, so that one of S deviates by the first with probability
    2 e^-L (Hoeffding), one of the noise by the second with e^-L; there are p (p + 1)/2 of each.

    Parameters
    ----------
    n : int
        Users.
    dimension : int
        p.
    noise : Constants
        That of the messages.
    failure_probability : float
        In (0, 1).
    """
    level = math.log(2 * dimension * (dimension + 1) / failure_probability)
    largest = noise.noise_scale * math.sqrt(max(1.0, noise.diagonal_variance))
    return math.sqrt(level / (2 * n)) + largest * math.sqrt(2 * level / n)


@checked_arguments
def sparse_local_pca(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    n_components: int,
    penalty: float | None = None,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> SparseSubspace:
    """Estimate a row-sparse principal subspace under non-interactive local differential privacy.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One record per user, p >= 2, not centred (the model has mean 0); rows longer than 1 are
        scaled to norm 1. It takes up to 5 n p^2 floats of memory.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    n_components : int
        k, in [1, p - 1].
    penalty : float, optional
        lambda >= 0, the weight of sum_ij |X_ij|; by default :func:`penalty_for`. At 0 this is
        Algorithm 6.1.46.
    constants : Constants, optional
        Those of Algorithm 6.1.46, whose messages these are; by default its ``constants_for``. For
        epsilon <= 1, ``constants_for_scaled`` and ``constants_for_diagonal`` are right as well.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    SparseSubspace
        ``basis``, orthonormal, of the estimated subspace, and the solver's ``gap``, which depends
        on the data through the mean of the messages alone.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-LDP, non-interactive, for every epsilon > 0 (Theorem 6.1.4).
    *Utility*: ||sin Theta||_F^2 <= 32 s^2 lambda^2/(lambda_k - lambda_{k+1})^2 for
    lambda >= ||S~ - Sigma||_inf,inf, which the default is with probability .95; then
    O(s^2 (1 + log(1/delta)/epsilon^2) log p/((lambda_k - lambda_{k+1})^2 n)), epsilon <= 1.

    *As printed*: the noise is for the sensitivity 1, which is sqrt 2 (diss-6.1.47/E7). The theorem
    has an upper limit on lambda where it needs a lower one (diss-6.1.47/E1), and a rate that lacks
    log(1/delta) (diss-6.1.47/E2). Of the two that step 13 allows, Y is taken, as its zeros are
    exact, and X where Y has too few rows. See also :func:`penalised_projection`.

    References
    ----------
    Wang (2020), Algorithm 6.1.47 (l.7448-7467), Theorem 6.1.4 (l.7469).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    n, p = records.shape
    if p < 2:
        raise ParameterValueError("data", "have at least 2 columns", got=f"shape {records.shape}")
    k = require_count("n_components", n_components, at_most=p - 1)
    noise = fixed_constants(
        ledger, Constants, constants, constants_for, epsilon=epsilon, delta=delta
    )

    messages = randomize_second_moments(  # steps 1-3: X_i X_i^T + Z_i, as in Algorithm 6.1.46
        records, epsilon=epsilon, delta=delta, constants=noise, ledger=ledger
    )
    s = messages.mean(axis=0)  # step 4
    weight = penalty_for(n=n, dimension=p, noise=noise) if penalty is None else penalty
    return sparse_principal_subspace(s, k, weight)  # steps 5-13


def sparse_principal_subspace(
    matrix: FloatArray, n_components: int, penalty: float
) -> SparseSubspace:
    """Return a basis of the top-k eigenspace of Y, the sparse solution of (6.5): steps 5 to 13.

    Rows that the penalty has set to 0 stay exactly 0: the eigenvectors are those of the others.
    Most often Y has k eigenvalues 1, which the solver finds to its tolerance only: their basis is
    the one that the span determines, not the one of the last iteration.
    """
    found = penalised_projection(matrix, rank=n_components, penalty=penalty)  # steps 5-12
    support = np.flatnonzero(np.diag(found.sparse))
    # at least k, as no entry is above 1 and the sum is k, unless the iterations have run out
    sparse = found.sparse if len(support) >= n_components else found.feasible
    support = np.flatnonzero(np.diag(sparse))
    basis = np.zeros((len(matrix), n_components))
    kept = sparse[np.ix_(support, support)]
    basis[support] = principal_subspace(kept, n_components, tie=EQUAL)  # step 13
    return SparseSubspace(basis, found.gap)


def penalised_projection(
    matrix: ArrayLike,
    *,
    rank: int,
    penalty: float,
    tolerance: float = 1e-6,
    max_iterations: int = 20_000,
) -> PenalisedProjection:
    """Maximise <S, X> - lambda sum_ij |X_ij| over 0 <= X <= I, tr X = k, (6.5): steps 5 to 12.

    Parameters
    ----------
    matrix : array_like of shape (p, p)
        Symmetric S.
    rank : int
        k, in [1, p].
    penalty : float
        lambda >= 0.
    tolerance : float
        > 0, in units of sqrt k for the distance of X and Y and the step of Y, of k max |S_ij| for
        the duality gap (which is then far smaller: it is of second order).
    max_iterations : int
        >= 1. If they run out, the gap may be above the tolerance.

    Raises
    ------
    ValueError, TypeError
        If S is not symmetric or a parameter is out of range.

    Notes
    -----
    Step 11 returns Y in every iteration, so after the first; here that is when X, Y and the gap
    say so. The constant rho of the box starts at max |S_ij|; it is doubled or halved where X - Y
    and the step of Y differ by more than a factor 10, without which some problems take many times
    as many iterations, at looks that become rarer (:mod:`reference.matrices.balancing`), without
    which some do not end. The maximum is at most the
    sum of the k largest eigenvalues of S - W for every symmetric W with entries in
    [-lambda, lambda], and rho U is such a W: hence the gap. Where lambda is at least all |S_ij|,
    i != j, no step is needed: W may have them, so that k unit vectors are optimal.
    """
    s = require_array("matrix", matrix, ndim=2)
    if s.shape[0] != s.shape[1] or not np.allclose(s, s.T, rtol=1e-9, atol=0.0):
        raise ParameterValueError("matrix", "be symmetric", got=f"shape {s.shape}")
    p = len(s)
    k = require_count("rank", rank, at_most=p)
    require_non_negative("penalty", penalty)
    require_positive("tolerance", tolerance)
    require_count("max_iterations", max_iterations)

    if penalty >= float(np.abs(s - np.diag(np.diag(s))).max()):
        return _diagonal(s, k, penalty)
    largest = float(np.abs(s).max())
    rho, look = largest, BALANCED
    y, u = np.zeros((p, p)), np.zeros((p, p))  # step 6
    for t in range(1, max_iterations + 1):  # step 7
        x = project_on_fantope(y - u + s / rho, k)  # step 8
        previous, y = y, soft_threshold(x + u, penalty / rho)  # step 9
        u = u + x - y  # step 10
        apart, moved = float(np.linalg.norm(x - y)), float(np.linalg.norm(y - previous))
        if max(apart, moved) <= tolerance * np.sqrt(k):
            gap = duality_gap(x, rho * u, s, k, penalty)
            if gap <= tolerance * k * largest:
                break  # step 11
        if t == look:
            look = next_look(t, BALANCED)
            rho, u = balanced(rho, u, apart, moved)
    return PenalisedProjection(x, y, duality_gap(x, rho * u, s, k, penalty), t)


def _diagonal(s: FloatArray, k: int, penalty: float) -> PenalisedProjection:
    """Return the coordinates of the k largest diagonal entries, the first of equal ones."""
    x = np.zeros_like(s)
    chosen = np.argsort(-np.diag(s), kind="stable")[:k]
    x[chosen, chosen] = 1.0
    dual = s.copy()
    np.fill_diagonal(dual, penalty)
    return PenalisedProjection(x, x, duality_gap(x, dual, s, k, penalty), 0)


ENTRY = Entry(
    id="diss-6.1.47",
    name="Sparse local Gaussian PCA",
    sources=(Source("004", "Algorithm 6.1.47", "7448-7467"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive, for 0 < epsilon, delta < 1",
    utility_claim="||sin Theta||_F^2 = O(lambda_1^2 s^2 log p/((lambda_k - lambda_{k+1})^2 n "
    "epsilon^2)); corrected: O(s^2 (lambda_1^2 + log(1/delta)/epsilon^2) log p/"
    "((lambda_k - lambda_{k+1})^2 n)), with a penalty that is large, not small",
    function=sparse_local_pca,
)
