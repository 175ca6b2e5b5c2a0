"""Local Gaussian PCA (diss-6.1.46): one noisy second-moment matrix per user."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from reference._validation import FloatArray, ParameterValueError, require_array, require_count
from reference.catalogue import Entry, Source
from reference.constants import PositiveConstants, fixed_constants
from reference.matrices.second_moments import GAUSSIAN_SENSITIVITY, outer_products
from reference.matrices.subspaces import principal_subspace
from reference.parameters import checked_arguments
from reference.privacy.calibration import smallest_gaussian_scale
from reference.privacy.guarantees import Model, Relation
from reference.privacy.ledger import Ledger, open_ledger


@dataclass(frozen=True)
class Constants(PositiveConstants):
    """Constants that theory fixes: the noise on the upper triangle of a user's x x^T.

    Attributes
    ----------
    sensitivity : float
        l2 norm by which the upper triangle moves, a diagonal entry counted
        1/sqrt(diagonal_variance).
    noise_scale : float
        Standard deviation of an off-diagonal entry.
    diagonal_variance : float
        Variance of a diagonal entry in units of noise_scale^2.
    """

    sensitivity: float
    noise_scale: float
    diagonal_variance: float = 1.0


@checked_arguments
def constants_for(*, epsilon: float, delta: float) -> Constants:
    """Return the smallest equal noise for a user's sensitivity sqrt 2, for every epsilon > 0."""
    scale = smallest_gaussian_scale(epsilon, delta, sensitivity=GAUSSIAN_SENSITIVITY)
    return Constants(GAUSSIAN_SENSITIVITY, scale)


@checked_arguments
def constants_for_scaled(*, epsilon: float, delta: float) -> Constants:
    """Return sqrt 2 times the paper's noise, as the sensitivity is sqrt 2: for epsilon <= 1."""
    return Constants(GAUSSIAN_SENSITIVITY, GAUSSIAN_SENSITIVITY * _classical(epsilon, delta))


@checked_arguments
def constants_for_diagonal(*, epsilon: float, delta: float) -> Constants:
    """Return the paper's noise with twice its variance on the diagonal: for epsilon <= 1.

    In units of that noise the upper triangle moves by ||v v^T - w w^T||_F/sqrt 2 <= 1.
    """
    return Constants(1.0, _classical(epsilon, delta), diagonal_variance=2.0)


def _classical(epsilon: float, delta: float) -> float:
    """Return the paper's sigma_1 (step 2), which covers sensitivity 1 up to epsilon = 1."""
    if epsilon > 1:
        raise ParameterValueError(
            "epsilon", "be <= 1", got=f"{epsilon!r}; constants_for covers every one"
        )
    return math.sqrt(2 * (math.log(1.25) - math.log(delta))) / epsilon


@checked_arguments
def randomize_second_moments(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Release every user's x_i x_i^T + Z_i: what an untrusted server sees.

    Parameters
    ----------
    data : array_like of shape (n, p)
        One record per user; rows longer than 1 are scaled to norm 1.
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
    ndarray of shape (n, p, p)
        Symmetric, neither of rank one nor positive semidefinite.

    Raises
    ------
    ValueError, TypeError
        On bad input, before any release.
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    chosen = fixed_constants(
        ledger, Constants, constants, constants_for, epsilon=epsilon, delta=delta
    )
    return ledger.symmetric_gaussian(  # step 2
        outer_products(records),
        sensitivity=chosen.sensitivity,
        scale=chosen.noise_scale,
        diagonal_variance=chosen.diagonal_variance,
        unit="record",
    )


@checked_arguments
def local_gaussian_pca(
    data: ArrayLike,
    *,
    epsilon: float,
    delta: float,
    n_components: int,
    constants: Constants | None = None,
    ledger: Ledger | None = None,
) -> FloatArray:
    """Estimate the top-k principal subspace under non-interactive local differential privacy.

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
    constants : Constants, optional
        By default :func:`constants_for`. For epsilon <= 1, :func:`constants_for_scaled` and
        :func:`constants_for_diagonal` are right as well.
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
    *Guarantee*: (epsilon, delta)-LDP, non-interactive, for every epsilon > 0 (Theorem 6.1.2).
    *Utility*: ||sin Theta||_F^2 =
    O(k (p log(1/delta)/epsilon^2 + lambda_1^2 p)/((lambda_k - lambda_{k+1})^2 n)), epsilon <= 1.

    *As printed*: the noise is for the sensitivity 1, which is sqrt 2 (diss-6.1.46/E1), and (6.2)
    has lambda_1^2 in the privacy term as well (diss-6.1.46/E2).

    References
    ----------
    Wang (2020), Algorithm 6.1.46 (l.7393-7405), Theorem 6.1.2 (l.7385).
    """
    ledger = open_ledger(ledger)
    records = require_array("data", data, ndim=2)
    p = records.shape[1]
    if p < 2:
        raise ParameterValueError("data", "have at least 2 columns", got=f"shape {records.shape}")
    k = require_count("n_components", n_components, at_most=p - 1)

    messages = randomize_second_moments(  # steps 1-3
        records, epsilon=epsilon, delta=delta, constants=constants, ledger=ledger
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
