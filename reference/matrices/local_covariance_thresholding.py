"""LDP-Thresholding (diss-6.2.49): a sparse covariance matrix from noisy messages of users."""

from __future__ import annotations

import math
from collections.abc import Callable

from numpy.typing import ArrayLike

from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.matrices import local_gaussian_pca
from reference.matrices.sparse_covariance import (
    Constants,
    SparseCovariance,
    entry_threshold,
    require_records,
    sparse_covariance,
)
from reference.parameters import checked_arguments
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@checked_arguments
def constants_for(
    *,
    n: int,
    dimension: int,
    epsilon: float,
    delta: float,
    calibrate: Callable[..., local_gaussian_pca.Constants] = local_gaussian_pca.constants_for,
) -> Constants:
    """Return the noise of one user's x x^T, and the threshold for the mean of n such messages.

    Parameters
    ----------
    n : int
        >= 1.
    dimension : int
        p >= 2.
    epsilon, delta : float
    calibrate : callable
        As for :func:`reference.matrices.perturbed_covariance.constants_for`.
    """
    noise = calibrate(epsilon=epsilon, delta=delta)
    largest = noise.noise_scale * math.sqrt(max(1.0, noise.diagonal_variance) / n)
    threshold = entry_threshold(n=n, dimension=dimension, deviation=largest)
    return Constants(noise.sensitivity, noise.noise_scale, threshold, noise.diagonal_variance)


@checked_arguments
def local_covariance_thresholding(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> SparseCovariance:
    """Estimate a sparse covariance matrix under non-interactive local differential privacy.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One record per user, p >= 2, not centred (the model has mean 0); rows longer than 1 are
        scaled to norm 1. It takes up to 5 n p^2 floats of memory.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).
    constants : Constants, optional
        By default :func:`constants_for`.
    ledger : Ledger, optional
        ``Ledger(seed)``; ``None`` means a fresh one.

    Returns
    -------
    SparseCovariance
        ``positive`` is the output of the box.

    Raises
    ------
    ValueError, TypeError
        On non-finite or misshaped data and parameters out of range, before any release.

    Notes
    -----
    *Guarantee*: (epsilon, delta)-LDP, non-interactive, for every epsilon > 0.
    *Utility*: E||Sigma_hat - Sigma||_2^2 = O(s^2 log(p) log(1/delta)/(n epsilon^2)) where columns
    of Sigma have at most s entries beside the diagonal, epsilon <= 1 (Theorem 6.2.3).

    *As printed*: the noise is for the sensitivity 1, which is sqrt 2 (diss-6.2.49/E1).

    References
    ----------
    Wang (2020), Algorithm 6.2.49 (l.7991-8005), Theorem 6.2.3 (l.8011).
    """
    ledger = open_ledger(ledger)
    records = require_records(data)
    n, p = records.shape
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, n=n, dimension=p, epsilon=epsilon, delta=delta
    )
    messages = local_gaussian_pca.randomize_second_moments(  # steps 1-3
        records,
        epsilon=epsilon,
        delta=delta,
        constants=local_gaussian_pca.Constants(
            chosen.sensitivity, chosen.noise_scale, chosen.diagonal_variance
        ),
        ledger=ledger,
    )
    return sparse_covariance(messages.mean(axis=0), chosen.threshold)  # steps 4-6


ENTRY = Entry(
    id="diss-6.2.49",
    name="LDP-Thresholding",
    sources=(Source("004", "Algorithm 6.2.49", "7991-8005"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-LDP, non-interactive",
    utility_claim="E||Sigma_hat - Sigma||_2^2 = O(s^2 log(p) log(1/delta)/(n epsilon^2)), (6.24)",
    function=local_covariance_thresholding,
)
