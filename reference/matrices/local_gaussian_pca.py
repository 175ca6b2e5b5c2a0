"""Local Gaussian PCA (seed 004, Algorithm 6.1.46): one noisy second-moment matrix per user."""

from __future__ import annotations

from numpy.typing import ArrayLike

from reference._validation import (
    FloatArray,
    require_array,
    require_count,
    require_delta,
    require_positive,
)
from reference.catalogue import Entry, Source
from reference.matrices.second_moments import Correction, outer_products, upper_triangle_noise
from reference.matrices.subspaces import principal_subspace
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


def randomize_second_moments(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    correction: Correction = "analytic",
    as_published: bool = False,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Release every user's x_i x_i^T + Z_i: what an untrusted server sees.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One record per user; rows longer than 1 are scaled to norm 1.
    epsilon : float
        > 0; at most 1 with ``correction`` "scaled" or "diagonal".
    delta : float
        In (0, 1).
    correction, as_published
        See :func:`local_gaussian_pca`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (n, p, p)
        Symmetric, neither of rank one nor positive semidefinite.

    Raises
    ------
    ValueError, TypeError
        On bad input, before any release.
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    require_positive("epsilon", epsilon)
    require_delta(delta)
    noise = upper_triangle_noise(epsilon, delta, correction=correction, as_published=as_published)
    return ledger.symmetric_gaussian(  # step 2
        outer_products(records),
        sensitivity=noise.sensitivity,
        scale=noise.scale,
        diagonal_variance=noise.diagonal_variance,
        unit="record",
    )


def local_gaussian_pca(
    data: ArrayLike,
    *,
    n_components: int,
    epsilon: float,
    delta: float,
    correction: Correction = "analytic",
    as_published: bool = False,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the top-k principal subspace under non-interactive local differential privacy.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One record per user, p >= 2, not centred (the model has mean 0); rows longer than 1 are
        scaled to norm 1. The messages take n p^2 floats of memory.
    n_components : int
        k, in [1, p - 1].
    epsilon : float
        > 0; at most 1 with ``correction`` "scaled" or "diagonal".
    delta : float
        In (0, 1).
    correction : {"analytic", "scaled", "diagonal"}
        How the noise is made large enough for the true sensitivity sqrt 2 of a user's upper
        triangle. ``"analytic"``: the smallest Gaussian noise, any epsilon. ``"scaled"``: sqrt 2
        times the printed noise. ``"diagonal"``: twice the printed variance on the diagonal only.
    as_published : bool, default False
        Run the printed noise sqrt(2 ln(1.25/delta))/epsilon, calibrated to sensitivity 1.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    ndarray of shape (p, k)
        Orthonormal basis of the estimated subspace.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-LDP, non-interactive, for every epsilon > 0 with the default
    (Theorem 6.1.2, corrected). *Utility*: ||sin Theta||_F^2 =
    O(k (p log(1/delta)/epsilon^2 + lambda_1^2 p)/((lambda_k - lambda_{k+1})^2 n)), epsilon <= 1.
    *Errata*: as published the claim fails for epsilon above 1.878 at delta = 1e-2, 0.365 at 1e-5;
    and (6.2) multiplies the privacy term by lambda_1^2.

    References
    ----------
    Seed 004, Algorithm 6.1.46 (l.7393-7405), Theorem 6.1.2 (l.7385).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    p = records.shape[1]
    if p < 2:
        raise ValueError(f"data must have at least 2 columns, got shape {records.shape}")
    k = require_count("n_components", n_components, at_most=p - 1)
    messages = randomize_second_moments(  # steps 1-3
        records,
        epsilon=epsilon,
        delta=delta,
        correction=correction,
        as_published=as_published,
        ledger=ledger,
    )
    return principal_subspace(messages.mean(axis=0), k)  # steps 4, 5


ENTRY = Entry(
    id="diss-6.1.46",
    name="Local Gaussian PCA",
    sources=(Source("004", "Algorithm 6.1.46", "7393-7405"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive, for any epsilon, delta > 0",
    utility_claim="||sin Theta||_F^2 = O(lambda_1^2 k p log(1/delta)/((lambda_k - lambda_{k+1})^2 "
    "n epsilon^2)), (6.2); corrected: lambda_1^2 not on the privacy term",
    function=local_gaussian_pca,
)
