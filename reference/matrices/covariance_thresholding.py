"""DP-Thresholding (diss-6.2.48): a sparse covariance matrix from a noisy second moment."""

from __future__ import annotations

import math
from collections.abc import Callable

from numpy.typing import ArrayLike

from reference.catalogue import Entry, Source
from reference.constants import fixed_constants
from reference.matrices import local_gaussian_pca
from reference.matrices.second_moments import second_moment
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
    """Return 1/n of the noise that one user's x x^T needs, and the threshold that it asks for.

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
    scale = noise.noise_scale / n
    largest = scale * math.sqrt(max(1.0, noise.diagonal_variance))
    threshold = entry_threshold(n=n, dimension=dimension, deviation=largest)
    return Constants(noise.sensitivity / n, scale, threshold, noise.diagonal_variance)


@checked_arguments
def covariance_thresholding(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> SparseCovariance:
    """Estimate a sparse covariance matrix: perturb, set small entries to 0, project.

    Parameters
    ----------
    data : array_like of shape (n, p)
        Records, p >= 2, not centred (the model has mean 0); rows longer than 1 are scaled to
        norm 1.
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
    *Guarantee*: (epsilon, delta)-DP, central, replace-one, for every epsilon > 0 (Theorem 6.2.1).
    *Utility*: E||Sigma_hat - Sigma||_2^2 = O(s^2 log p (1/n + log(1/delta)/(n^2 epsilon^2))) where
    columns of Sigma have at most s entries beside the diagonal, epsilon <= 1: (6.21) has n for n^2.
    Where no entry exceeds the threshold, as with a balanced spectrum (variances of 1/p) for
    n < 4 p^2 log p, the estimate is the zero matrix.

    *As printed*: the noise is for the sensitivity 1/n, which is sqrt 2/n (diss-6.2.48/E1).

    References
    ----------
    Wang (2020), Algorithm 6.2.48 (l.7934-7955), Theorems 6.2.1 (l.7957), 6.2.2 (l.7967).
    """
    ledger = open_ledger(ledger)
    records = require_records(data)
    n, p = records.shape
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, n=n, dimension=p, epsilon=epsilon, delta=delta
    )
    noisy = ledger.symmetric_gaussian(  # step 1
        second_moment(records),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
        diagonal_variance=chosen.diagonal_variance,
    )
    return sparse_covariance(noisy, chosen.threshold)  # steps 2, 3


ENTRY = Entry(
    id="diss-6.2.48",
    name="DP-Thresholding",
    sources=(Source("004", "Algorithm 6.2.48", "7934-7955"),),
    model=Model.CENTRAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="(epsilon, delta)-DP for 0 < epsilon, delta <= 1",
    utility_claim="E||Sigma_hat - Sigma||_2^2 = O(s^2 log(p) log(1/delta)/(n epsilon^2)), (6.21); "
    "as proved: O(s^2 log(p) (1/n + log(1/delta)/(n^2 epsilon^2)))",
    function=covariance_thresholding,
)
